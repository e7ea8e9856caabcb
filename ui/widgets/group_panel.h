/* group_panel.h - the panel that chooses the keys of the group tree: the keys in use in their
 * order, then the others. Every change takes effect in the tree at once.
 *
 * Thread: the ui's.
 */
#ifndef UI_GROUP_PANEL_H
#define UI_GROUP_PANEL_H

#include <stdbool.h>

#include "fold/tree.h"
#include "state.h"

#define GROUP_PANEL_RESET GROUP_KEY_COUNT	/* cursor value of the last line, "reset" */

struct group_panel {
	bool is_open;
	int cursor;		/* enum group_key or GROUP_PANEL_RESET: it follows its key */
	int top;		/* first line shown, on a small screen */
	int x, y, width, height;	/* the box at the last draw */
};

extern const struct overlay_ops group_panel_ops;

static inline struct group_panel *group_panel_of(const struct ui_state *state)
{
	return state->overlays[OVERLAY_GROUP_PANEL];
}

/* Returns the cells that the panel takes from the tree at the right of a screen of @width cells; 0:
 * it is closed, or covers the tree. */
int group_panel_cells(const struct ui_state *state, int width);

#endif
