/* tree_guides.c - see tree_guides.h. */
#include "tree_guides.h"

#define ROOT_CELLS 2		/* its mark and a space */

int tree_guides_width(const struct tree_row *row)
{
	return row->depth ? (int)row->depth * TREE_GUIDES_CELLS : ROOT_CELLS;
}

void tree_guides_draw(const struct tree_rows *rows, const struct tree_row *row, int shift,
		      struct canvas *canvas, struct canvas_area area)
{
	const bool is_closed = !row->is_open && tree_rows_has_children(rows, row);
	const struct tree_row *at = row;

	for (int depth = (int)row->depth; depth > 0; depth--, at = &rows->rows[at->parent]) {
		const int x = (depth - 1) * TREE_GUIDES_CELLS - shift;
		struct canvas_area cell = { area.x + x, area.y, area.width - x };

		if (x < 0 || x >= area.width)
			continue;
		if (at != row) {
			if (!at->is_last)
				canvas_put_text(canvas, cell, SAFE_TEXT("\u2502"), ROLE_DIM);
			continue;
		}
		cell.x += canvas_put_text(
			canvas, cell, canvas_clean(row->is_last ? "\u2514" : "\u251c"), ROLE_DIM);
		cell.width--;
		canvas_put_text(canvas, cell, canvas_clean(is_closed ? "\u25b8" : "\u2500"),
				ROLE_DIM);
	}
	if (!row->depth && !shift && tree_rows_has_children(rows, row))
		canvas_put_text(canvas, area, canvas_clean(is_closed ? "\u25b8" : "\u25be"),
				ROLE_DIM);
}
