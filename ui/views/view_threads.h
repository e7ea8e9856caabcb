/* view_threads.h - where the threads of a process, of a command or of the machine are: equal stacks
 * in one row, threads that wait for each other first. It shows what the last look found; a key
 * looks again. The cursor follows a thread.
 * Thread: the ui's. */
#ifndef UI_VIEW_THREADS_H
#define UI_VIEW_THREADS_H

#include "state.h"
#include "view.h"

struct threads_view {
	struct view view;
	struct threads_found *found;	/* owned; NULL: nothing yet */
	struct threads_request asked;	/* the last request; number 0: none */
	bool is_looking;		/* its result is still to come */
	uint32_t *shown;		/* owned; indices of the rows that are shown */
	size_t shown_count;
	uint32_t kernel_threads;	/* kernel's threads that are left out */
	bool shows_kernel;
	char filter[PROMPT_BYTES];	/* text of the rows that are shown; "": all are */
	struct table_place place;	/* in `shown`; cursor_id: a tid */
	size_t page;			/* rows on the screen at the last draw */
};

/* Takes what was found, if it is of the last look. Call it when the control's fd is readable. */
void view_threads_found(struct ui_state *state);

extern const struct view_ops view_threads_ops, view_stack_ops;

#endif
