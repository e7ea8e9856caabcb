/* empty.h - what the table says when it has no row: why, and what to do about it. Absent is not
 * zero: waiting, nothing hot, everything filtered and a target that ended are told apart.
 * Thread: the ui's. */
#ifndef UI_EMPTY_H
#define UI_EMPTY_H

#include "state.h"
#include "ui/canvas.h"

/* Draws on the lines @y..@end - 1. */
void empty_draw(const struct ui_state *state, struct canvas *canvas, int y, int end);

#endif
