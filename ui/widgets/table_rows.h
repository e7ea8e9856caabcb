/* table_rows.h - the rows of the snapshot that the table shows, their order, and the cursor.
 *
 * Cursor: on the first row until the user moves it. Then it follows a row's id; when that row
 *         disappears, the cursor stays on its line of the screen and follows the row there.
 * Groups: with KEY_GROUP the rows of a process's threads follow its row while it is unfolded.
 * Thread: the ui's. Pure.
 */
#ifndef UI_TABLE_ROWS_H
#define UI_TABLE_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/snapshot.h"
#include "base/id_map.h"
#include "table_place.h"
#include "ui/columns.h"
#include "ui/view.h"

struct table_order {
	enum column_id column;
	bool is_reversed;	/* against the column's natural order */
};

struct table_rows {
	const struct snapshot_row **rows;	/* owned array; rows BORROWED from the snapshot */
	size_t count, room;
	struct id_map unfolded;	/* id of a process's row -> 1, or 0 when folded again */
	struct table_place place;	/* cursor and top are indices into rows */
	size_t page;		/* rows on the screen at the last draw; 0: not drawn yet */
};

void table_rows_finish(struct table_rows *table);	/* a zeroed one is fine */

/* Collects and sorts the rows of @snapshot (NULL: none), idle ones only with @show_idle. The cursor
 * keeps its row. Rows are BORROWED from the snapshot until the next call. */
void table_rows_collect(struct table_rows *table, const struct snapshot *snapshot, bool show_idle,
			struct table_order order);

/* Returns the row under the cursor, or NULL. */
const struct snapshot_row *table_rows_cursor(const struct table_rows *table);

/* Moves the cursor to the row with @id; to the row at @index. */
void table_rows_select(struct table_rows *table, uint64_t id);
void table_rows_select_index(struct table_rows *table, size_t index);
/* Restores @place: the same row on the same line, if it still exists. */
void table_rows_restore(struct table_rows *table, const struct table_place *place);
void table_rows_move(struct table_rows *table, enum view_move move);
/* Scrolls, for the wheel; the cursor moves only where it would leave the screen. */
void table_rows_scroll(struct table_rows *table, int lines);
/* Sets how many rows fit on the screen. */
void table_rows_set_page(struct table_rows *table, size_t page);

bool table_rows_is_unfolded(const struct table_rows *table, uint64_t id);
/* Unfolds or folds a process; takes effect at the next collect. Out of memory: no change. */
void table_rows_set_unfolded(struct table_rows *table, uint64_t id, bool is_unfolded);

#endif
