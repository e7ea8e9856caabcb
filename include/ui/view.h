/* view.h - what every view is: a few functions over the ui's state.
 *
 * Use:    a view embeds struct view as its first member. What it draws comes from the state that is
 *         passed in; it keeps ids and scroll positions, never rows across a snapshot.
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
	IN_PROBES = 1 << 4,	/* the list of probes, and the figures of one */
	IN_GROUPS = 1 << 5,	/* the tree of groups */
	IN_SAMPLES = IN_TABLE | IN_TREE | IN_FLAME | IN_GROUPS,	/* what is counted, and when */
	IN_TIMED = IN_SAMPLES | IN_PROBES,	/* what a window of time is shown of */
	IN_ALL = IN_TIMED | IN_PAGER,
};

struct view_ops {
	enum view_place place;
	const char *title;	/* in place of the names of views; of the table: NULL */
	/* The snapshot, the filter or the order changed. The old snapshot is gone already. */
	void (*refresh)(struct view *view, const struct ui_state *state);
	/* Draws on the lines @top..@top + @rows - 1, which are blank; notes what can be clicked. */
	void (*draw)(struct view *view, struct ui_state *state, struct canvas *canvas, int top,
		     int rows);
	void (*move)(struct view *view, enum view_move move);
};

struct view {
	const struct view_ops *ops;
	struct view *opener;	/* where "back" leads; NULL: the first view */
};

#endif
