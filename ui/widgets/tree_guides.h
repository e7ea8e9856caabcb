/* tree_guides.h - the lines that lead from the rows of a tree to those that they belong to.
 * Thread: the ui's. */
#ifndef UI_TREE_GUIDES_H
#define UI_TREE_GUIDES_H

#include "tree_rows.h"
#include "ui/canvas.h"

#define TREE_GUIDES_CELLS 3	/* of indentation for each level */

/* Where the row's text begins, in cells behind the column of the roots' marks. */
int tree_guides_width(const struct tree_row *row);

/* Draws them for @row, and the mark of what can be opened; @shift cells of the tree lie to the left
 * of @area. */
void tree_guides_draw(const struct tree_rows *rows, const struct tree_row *row, int shift,
		      struct canvas *canvas, struct canvas_area area);

#endif
