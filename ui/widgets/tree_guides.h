/* tree_guides.h - the lines that connect the rows of a tree with their parents.
 * Thread: the ui's. */
#ifndef UI_TREE_GUIDES_H
#define UI_TREE_GUIDES_H

#include "tree_rows.h"
#include "ui/canvas.h"

#define TREE_GUIDES_CELLS 3	/* indentation per level */

/* Returns where the row's text begins, in cells after the column of the roots' marks. */
int tree_guides_width(const struct tree_row *row);

/* Draws the guides of @row and the mark of a row that can be opened; @shift cells of the tree are
 * scrolled out to the left of @area. */
void tree_guides_draw(const struct tree_rows *rows, const struct tree_row *row, int shift,
		      struct canvas *canvas, struct canvas_area area);

#endif
