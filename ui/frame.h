/* frame.h - draws a whole frame: header, view, bottom line. Pure: a state in, cells out.
 * Thread: the ui's. */
#ifndef UI_FRAME_H
#define UI_FRAME_H

#include "state.h"
#include "term/canvas.h"

#define FRAME_MIN_WIDTH	 40
#define FRAME_MIN_HEIGHT 10

/* Clears @canvas and draws @state on it; the view records how many lines it has. */
void frame_draw(struct ui_state *state, struct canvas *canvas);

#endif
