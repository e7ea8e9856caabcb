/* view_table.h - rows of the snapshot through filter and order, with a cursor.
 *
 * Cursor: it belongs to a row's id. When its row leaves, it stays at the same place of the screen
 *         and belongs to the row there. Before the first key it does not follow its row out of
 *         sight, because nobody chose that row.
 * Thread: the ui's.
 */
#ifndef UI_VIEW_TABLE_H
#define UI_VIEW_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/snapshot.h"
#include "ui/columns.h"
#include "ui/view.h"

struct table_order {
	enum column_id column;
	bool is_reversed;	/* against the column's natural order */
};

struct table_view {
	struct view view;
	const struct snapshot_row **rows;	/* owned array of the shown snapshot's rows */
	size_t count, room;
	uint64_t cursor_id;
	size_t cursor, top;	/* indices into rows */
	size_t page;		/* rows on the screen at the last draw; 0: not drawn yet */
	bool is_moved;		/* a key chose the row */
};

void table_view_init(struct table_view *table);
void table_view_finish(struct table_view *table);

/* The row under the cursor, or NULL when there is none. BORROWED until the next refresh. */
const struct snapshot_row *table_view_cursor(const struct table_view *table);

/* Puts the cursor on the row @id if it is there. */
void table_view_select(struct table_view *table, uint64_t id);

/* The columns that there are at @width. */
void table_view_columns(struct column_layout *out, int width, unsigned int keys);

#endif
