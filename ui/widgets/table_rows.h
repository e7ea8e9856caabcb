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
#include "ui/views.h"

/* Position in a list of rows, and how keys and the wheel move it. The list's owner keeps the place
 * and passes the number of rows; after each call it sets `cursor_id` to the id of the cursor's row,
 * to find the row again. There are no blank lines while there are rows above, and the cursor is on
 * the screen. */
struct table_place {
	uint64_t cursor_id;
	size_t cursor, top;
	bool is_moved;		/* a key or the mouse chose the row */
};

struct table_extent {
	size_t rows;
	size_t page;		/* rows on the screen at the last draw; 0: not drawn yet */
};

/* Moves the cursor to row @cursor, or to the last; scrolls as little as possible. */
void table_place_set(struct table_place *place, struct table_extent extent, size_t cursor);
/* Call when the cursor's row has moved to index @cursor: it stays on its line of the screen. */
void table_place_carry(struct table_place *place, struct table_extent extent, size_t cursor);
/* Returns where the cursor belongs when its row has moved to index @cursor: there if the user chose
 * that row, otherwise on the first row. */
size_t table_place_follow(const struct table_place *place, size_t cursor);

void table_place_move(struct table_place *place, struct table_extent extent, enum view_move move);
/* Scrolls, for the wheel; the cursor moves only where it would leave the screen. */
void table_place_scroll(struct table_place *place, struct table_extent extent, int lines);
/* Adapts the place to a new extent. */
void table_place_fit(struct table_place *place, struct table_extent extent);

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
