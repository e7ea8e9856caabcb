/* group_panel.h - the panel that chooses the keys of the group tree: the keys in use in their
 * order, then the others. Every change takes effect in the tree at once.
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

#define GROUP_PANEL_RESET GROUP_KEY_COUNT	/* cursor value of the last line, "reset" */

struct group_panel {
	bool is_open;
	int cursor;		/* enum group_key or GROUP_PANEL_RESET: it follows its key */
	int top;		/* first line shown, on a small screen */
	int x, y, width, height;	/* of the box at the last draw */
};

void group_panel_open(struct ui_state *state);

void group_panel_press(struct ui_state *state, int key);
/* Returns true if the panel used the click, which then begins no double click beneath it. */
bool group_panel_click(struct ui_state *state, const struct mouse *mouse);

/* Returns the cells that the panel takes from the tree at the right of a screen of @width cells; 0:
 * it is closed, or covers the tree. */
int group_panel_cells(const struct ui_state *state, int width);

/* Returns the help of the key under the cursor if the box has no room for it; NULL: it has. */
const char *group_panel_help(const struct ui_state *state, int width);

/* Draws the box within the lines @top..@bottom (exclusive), at the right edge; nothing if there are
 * too few cells. */
void group_panel_draw(struct ui_state *state, struct canvas *canvas, int top, int bottom);

#endif
