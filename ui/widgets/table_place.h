/* table_place.h - the cursor and the top line of a list of rows, by number: how keys and the wheel
 * move them.
 *
 * Use:    the list's owner keeps the place and says how many rows there are; after each call it
 *         writes down whose row the cursor is on (`cursor_id`), to find it again.
 * Top:    no blank lines while there are rows above, and the cursor is on the screen.
 * Thread: the ui's. Pure.
 */
#ifndef UI_TABLE_PLACE_H
#define UI_TABLE_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ui/view.h"

/* Where a table stood: the row, and the line of the screen it was on. */
struct table_place {
	uint64_t cursor_id;
	size_t cursor, top;
	bool is_moved;		/* a key or the mouse chose the row */
};

struct table_extent {
	size_t rows;
	size_t page;		/* rows on the screen at the last draw; 0: not drawn yet */
};

/* The cursor goes to row @cursor, or to the last; the rest of the screen moves as little as it can.
 */
void table_place_set(struct table_place *place, struct table_extent extent, size_t cursor);
/* The row under the cursor has become number @cursor: it stays on its line of the screen. */
void table_place_carry(struct table_place *place, struct table_extent extent, size_t cursor);
/* Where the cursor is to be, now that its row has become number @cursor: there. As long as nobody
 * chose that row the cursor stays on the first one, and the rows change places beneath it. */
size_t table_place_follow(const struct table_place *place, size_t cursor);

void table_place_move(struct table_place *place, struct table_extent extent, enum view_move move);
/* The wheel: moves the picture, and the cursor only where it would leave it. */
void table_place_scroll(struct table_place *place, struct table_extent extent, int lines);
/* The extent is another. */
void table_place_fit(struct table_place *place, struct table_extent extent);

#endif
