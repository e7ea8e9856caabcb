/* column_changes.h - the columns that exist only while windows are compared: cells and sort order,
 * for the table in ui/widgets/column_cells.c.
 * Thread: the ui's. */
#ifndef UI_COLUMN_CHANGES_H
#define UI_COLUMN_CHANGES_H

#include "ui/columns.h"

/* The columns of changes: a bit per enum column_id. */
#define COLUMN_CHANGES (1u << COL_CHANGE | 1u << COL_CHANGE_BAR | 1u << COL_TOTAL_CHANGE | \
			1u << COL_RATE_CHANGE)

void column_put_change(struct canvas *canvas, struct canvas_area area,
		       const struct column_row *of);
void column_put_change_bar(struct canvas *canvas, struct canvas_area area,
			   const struct column_row *of);
void column_put_total_change(struct canvas *canvas, struct canvas_area area,
			     const struct column_row *of);
void column_put_rate_change(struct canvas *canvas, struct canvas_area area,
			    const struct column_row *of);

/* Compares rows of @snapshot by the size of their change, the largest first. @id: one of
 * COLUMN_CHANGES. Returns < 0 if @a comes first. */
int column_changes_compare(enum column_id id, const struct snapshot *snapshot,
			   const struct snapshot_row *a, const struct snapshot_row *b);

#endif
