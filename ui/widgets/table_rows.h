/* table_rows.h - which rows of the snapshot the table shows, in which order, and where its cursor
 * is.
 *
 * Cursor: as long as nobody moved it, it is on the first row. Then it belongs to a row's id: when
 *         that row leaves, it stays at the same line of the screen and belongs to the row there.
 * Groups: with KEY_GROUP the rows of a process's threads follow it once it is unfolded.
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
	const struct snapshot_row **rows;	/* owned array of the shown snapshot's rows */
	size_t count, room;
	struct id_map unfolded;	/* id of a process's row -> 1, or 0 when folded again */
	struct table_place place;	/* cursor and top are indices into rows */
	size_t page;		/* rows on the screen at the last draw; 0: not drawn yet */
};

void table_rows_finish(struct table_rows *table);	/* a zeroed one is fine */

/* Takes the rows of @snapshot (NULL: none), idle ones only with @show_idle. The cursor keeps its
 * row. Rows are BORROWED from the snapshot until the next call. */
void table_rows_collect(struct table_rows *table, const struct snapshot *snapshot, bool show_idle,
			struct table_order order);

/* The row under the cursor, or NULL when there is none. */
const struct snapshot_row *table_rows_cursor(const struct table_rows *table);

/* Puts the cursor on the row with @id, or on the row number @index; the others follow. */
void table_rows_select(struct table_rows *table, uint64_t id);
void table_rows_select_index(struct table_rows *table, size_t index);
/* Back to @place: the same row on the same line, where it still is. */
void table_rows_restore(struct table_rows *table, const struct table_place *place);
void table_rows_move(struct table_rows *table, enum view_move move);
/* The wheel: moves the picture, and the cursor only where it would leave it. */
void table_rows_scroll(struct table_rows *table, int lines);
/* The screen has room for @page rows. */
void table_rows_set_page(struct table_rows *table, size_t page);

bool table_rows_is_unfolded(const struct table_rows *table, uint64_t id);
/* Collect again to see it. Without memory it stays as it is. */
void table_rows_set_unfolded(struct table_rows *table, uint64_t id, bool is_unfolded);

#endif
