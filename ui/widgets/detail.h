/* detail.h - the row under the cursor in full, below the table, where the screen has lines to
 * spare. Its height does not depend on the row, so that nothing jumps when the cursor moves.
 * Thread: the ui's. */
#ifndef UI_DETAIL_H
#define UI_DETAIL_H

#include "state.h"

/* Returns how many lines the detail takes on a screen of @height lines. */
int detail_lines(const struct ui_state *state, int height);

/* Draws the detail on @lines lines from @y on. */
void detail_draw(const struct ui_state *state, struct canvas *canvas, int y, int lines);

#endif
