/* view.h - the interface of a view: a few functions over the ui's state.
 *
 * Use:    a view embeds struct view as its first member. It draws from the state passed in; it
 *         keeps ids and scroll positions, never rows across snapshots.
 * Thread: the ui's.
 */
#ifndef UI_VIEW_H
#define UI_VIEW_H

#include "ui/canvas.h"

struct ui_state;
struct view;

enum view_move {
	MOVE_UP,
	MOVE_DOWN,
	MOVE_PAGE_UP,
	MOVE_PAGE_DOWN,
	MOVE_HALF_UP,		/* half a page */
	MOVE_HALF_DOWN,
	MOVE_FIRST,
	MOVE_LAST,
};

/* Where a command works: a bit per kind of view. */
enum view_place {
	IN_TABLE = 1 << 0,
	IN_PAGER = 1 << 1,
	IN_TREE = 1 << 2,
	IN_FLAME = 1 << 3,
	IN_PROBES = 1 << 4,	/* the list of probes, and the page of one probe */
	IN_GROUPS = 1 << 5,	/* the group tree */
	IN_SAMPLES = IN_TABLE | IN_TREE | IN_FLAME | IN_GROUPS,	/* views of samples */
	IN_TIMED = IN_SAMPLES | IN_PROBES,	/* views of a window of time */
	IN_ALL = IN_TIMED | IN_PAGER,
};

struct view_ops {
	enum view_place place;
	const char *title;	/* shown instead of the line of views; NULL: that line is shown */
	/* Called after the snapshot, filter or order changed. The old snapshot may be gone. */
	void (*refresh)(struct view *view, const struct ui_state *state);
	/* Draws on the lines @top..@top + @rows - 1, which are blank; records clickable parts. */
	void (*draw)(struct view *view, struct ui_state *state, struct canvas *canvas, int top,
		     int rows);
	void (*move)(struct view *view, enum view_move move);
};

struct view {
	const struct view_ops *ops;
	struct view *opener;	/* view that "back" returns to; NULL: this is no page of text */
};

#endif
