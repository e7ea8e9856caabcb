/* empty.h - the text of a table without rows: the reason and the remedy. Waiting, nothing hot,
 * everything filtered and a target that ended have different texts.
 * Thread: the ui's. */
#ifndef UI_EMPTY_H
#define UI_EMPTY_H

#include "state.h"
#include "term/canvas.h"

/* Draws the text on the lines @y..@end - 1. */
void empty_draw(const struct ui_state *state, struct canvas *canvas, int y, int end);

#endif
