/* detail.h - the row under the cursor in full, below the table, where the screen has lines to
 * spare. Its height does not depend on the row, so that nothing jumps when the cursor moves.
 * Thread: the ui's. */
#ifndef UI_DETAIL_H
#define UI_DETAIL_H

#include "state.h"

/* Returns how many lines the detail takes on a screen of @height lines. */
int detail_lines(const struct ui_state *state, int height);

/* True if the snapshot's event is a clock, whose ticks wait until interrupts are on. */
bool detail_is_of_clock(const struct snapshot *snapshot);

/* What the row under the cursor stands for. */
struct detail_of {
	const struct group_tree *groups;
	const struct group_node *group;	/* a node of that tree; NULL: the row says it all */
	bool is_total;		/* its change is that of the total */
};

/* Draws the detail on @lines lines from @y on. @of NULL: of a row of a table. */
void detail_draw(const struct ui_state *state, struct canvas *canvas, int y, int lines,
		 const struct detail_of *of);

#endif
