/* listing_arrows.h - the lines left of a listing's text: arrows of jumps and brackets of loops.
 *
 *   ╭─► test ; je        an arrow belongs to the row that is jumped to, and has all rows that jump
 *   │   mov              there; inner ones are right, so that loops nest
 *   │╭─ cmp ; je
 *   ╰┼─ jmp
 *    ╰► call
 *
 * Use:    listing_arrows_build() when the rows are new, listing_arrows_choose() before drawing.
 * Thread: the ui's. Pure.
 */
#ifndef UI_LISTING_ARROWS_H
#define UI_LISTING_ARROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "listing/listing_rows.h"
#include "term/canvas.h"

#define LISTING_LANES  8	/* most lines beside each other */
#define ARROW_CELLS    2	/* the head of an arrow, and a blank */
#define ARROWS_CHOSEN  3	/* the hottest loop, the cursor's jump, the jumps to the cursor */

struct listing_arrow {
	uint32_t first, last;	/* rows first <= r <= last */
	uint32_t target;	/* row with the head; UINT32_MAX: a bracket */
	uint32_t only;		/* the only row that jumps; UINT32_MAX: all rows that do */
	int lane;		/* 0 is next to the text */
};

struct listing_arrows {
	uint32_t *jumps;	/* owned: by row the row that it jumps to; UINT32_MAX: none */
	uint32_t count;		/* rows */
	bool has_jumps;
	struct listing_arrow *all;	/* owned: arrows of all rows that have a lane */
	uint32_t all_count;
	uint32_t left_out;	/* arrows without a lane */
	int all_lanes;

	struct listing_arrow chosen[ARROWS_CHOSEN];
	uint32_t chosen_count;
	uint32_t loop_first, loop_last, loop_target;	/* the hottest loop; UINT32_MAX: none */
	uint32_t cursor;
	bool is_all;		/* the last choice was of all */
};

/* Finds the jumps between @rows. 0 or -ENOMEM: there are no arrows then. */
int listing_arrows_build(struct listing_arrows *arrows, const struct listing_rows *rows);
void listing_arrows_finish(struct listing_arrows *arrows);	/* a zeroed one is fine */

/* Chooses what is drawn: the hottest loop and the jumps from and to row @cursor; with @is_all every
 * arrow, as far as there are lanes. */
void listing_arrows_choose(struct listing_arrows *arrows, uint32_t cursor, bool is_all);
/* Returns the cells that the chosen ones take, ARROW_CELLS included; the cursor does not change
 * it. */
int listing_arrows_width(const struct listing_arrows *arrows);
/* Draws row @row of the chosen ones from the left edge of @area, which has that width or less: then
 * the outer lines are cut. */
void listing_arrows_draw(const struct listing_arrows *arrows, uint32_t row, struct canvas *canvas,
			 struct canvas_area area);

#endif
