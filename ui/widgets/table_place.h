/* table_place.h - the cursor and the top line of a list of rows, by index, and how keys and the
 * wheel move them.
 *
 * Use:    the list's owner keeps the place and passes the number of rows; after each call it sets
 *         `cursor_id` to the id of the cursor's row, to find the row again.
 * Top:    no blank lines while there are rows above, and the cursor is on the screen.
 * Thread: the ui's. Pure.
 */
#ifndef UI_TABLE_PLACE_H
#define UI_TABLE_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ui/view.h"

/* Position in a list: the cursor's row, and the first row on the screen. */
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

#endif
