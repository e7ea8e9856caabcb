/* group_panel.h - the panel that chooses what the groups are by: the keys in force in their order,
 * and below them the others. Every change takes effect at once, in the tree behind it.
 *
 * Thread: the ui's.
 */
#ifndef UI_GROUP_PANEL_H
#define UI_GROUP_PANEL_H

#include <stdbool.h>

#include "fold/group_tree.h"
#include "ui/canvas.h"
#include "ui/keys.h"

struct ui_state;

#define GROUP_PANEL_RESET GROUP_KEY_COUNT	/* a line of its own, the last */

struct group_panel {
	bool is_open;
	int cursor;		/* enum group_key, or GROUP_PANEL_RESET: it stays with its key */
	int top;		/* first of its lines that is shown, on a small screen */
	int x, y, width, height;	/* of the box at the last draw */
};

void group_panel_open(struct ui_state *state);

void group_panel_press(struct ui_state *state, int key);
/* True when the click was the panel's, and no part of a double click beneath it. */
bool group_panel_click(struct ui_state *state, const struct mouse *mouse);

/* The cells that it takes from the tree at the right of a screen of @width; 0: none, it is closed
 * or lies over it. */
int group_panel_cells(const struct ui_state *state, int width);

/* What the key under the cursor is, where the box has no room for it; NULL: it has. */
const char *group_panel_help(const struct ui_state *state, int width);

/* Draws the box within the lines @top..@bottom (exclusive), at the right edge. Too few cells:
 * nothing. */
void group_panel_draw(struct ui_state *state, struct canvas *canvas, int top, int bottom);

#endif
