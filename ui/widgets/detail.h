/* detail.h - the row under the cursor, uncut: below the table, where the screen has lines to spare.
 * Its lines are there whatever the row is, so that nothing jumps when the cursor moves.
 * Thread: the ui's. */
#ifndef UI_DETAIL_H
#define UI_DETAIL_H

#include "state.h"

/* How many lines it takes of a screen of @height. */
int detail_lines(const struct ui_state *state, int height);

/* Draws it on so many lines from @y on. */
void detail_draw(const struct ui_state *state, struct canvas *canvas, int y, int lines);

#endif
