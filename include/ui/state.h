/* state.h - everything the screen knows; keys and snapshots go in, pictures and requests come out.
 *
 * Use:    pure of terminal and threads: ui/screen.c feeds it, ui/frame.c draws it, tests do both.
 * Thread: the ui's.
 */
#ifndef UI_STATE_H
#define UI_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/filter.h"
#include "model/request.h"
#include "model/snapshot.h"
#include "ui/pager.h"
#include "ui/prompt.h"
#include "ui/view_table.h"

#define STATE_MESSAGE_BYTES 160
#define STATE_OUTBOX	    16

/* Which rows are shown. */
struct row_filter {
	char text[FILTER_TEXT_BYTES];	/* as of a FILTER_TEXT part; "": all */
	bool show_idle, hide_kernel, hide_user;
};

struct ui_state {
	const struct snapshot *shown;	/* NULL: none came yet */
	struct row_filter filter;
	struct row_filter filter_before;	/* the prompt: what cancel goes back to */
	uint64_t cursor_before;
	struct table_order order;
	struct prompt prompt;
	char message[STATE_MESSAGE_BYTES];	/* answer to the last key; "": none */

	struct view *view;	/* the one on the screen: one of the next */
	struct table_view table;
	struct pager help, messages;

	enum window_kind window;	/* asked for; the header shows the snapshot's */
	uint64_t window_ns;
	uint64_t interval_ns;
	bool is_paused;
	bool is_zeroed;		/* "since start" began at a key */
	bool is_command_ended;

	struct request outbox[STATE_OUTBOX];	/* for the analyzer; the loop empties it */
	size_t outbox_count;
	bool is_changed;	/* the picture must be drawn again */
	bool wants_quit, wants_repaint;	/* for the loop; it clears wants_repaint */
};

/* All zero but the views and the order; the caller then sets filter, window and interval. */
void state_init(struct ui_state *state);
void state_finish(struct ui_state *state);	/* the shown snapshot stays the caller's */

/* Offers the newest snapshot. Returns the one that is not needed any more (the one shown before, or
 * @fresh itself while paused), the caller's to destroy; may be NULL. */
const struct snapshot *state_offer_snapshot(struct ui_state *state, const struct snapshot *fresh);

/* Does what @key means here. */
void state_press_key(struct ui_state *state, int key);

/* The filter or the order changed: same snapshot, other rows. */
void state_refresh_view(struct ui_state *state);

/* Shows @view, opened from the present one; state_close_view() goes back. */
void state_open_view(struct ui_state *state, struct view *view);
void state_close_view(struct ui_state *state);

/* Queues a request. A full outbox means that the analyzer does not take any: the newest of the same
 * kind replaces the older, so nothing is lost that still matters. */
void state_request(struct ui_state *state, enum request_kind kind, uint32_t value,
		   uint64_t value_ns);

/* The answer to a key, shown at the bottom until the next one. */
void state_say(struct ui_state *state, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
