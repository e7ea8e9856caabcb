/* view_table.h - the table: titles, rows, cursor, and a sentence where there is no row.
 * Thread: the ui's. */
#ifndef UI_VIEW_TABLE_H
#define UI_VIEW_TABLE_H

#include "state.h"
#include "widgets/table_rows.h"

struct table_view {
	struct view view;
	struct table_rows rows;
	uint64_t marked;	/* id of the row under the cursor when a search began */
	uint64_t hottest_row;	/* id of the row that J moved to last */
	uint64_t drawn;	/* COLUMN_BIT(): the columns drawn last */
};

extern const struct view_ops view_table_ops;

/* Returns the view of symbols, which is that of all tables. */
static inline struct table_view *table_view_of(const struct ui_state *state)
{
	return (struct table_view *)state->views[VIEW_SYMBOLS];
}

#endif
