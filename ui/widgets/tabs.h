/* tabs.h - the line of views and the breadcrumbs.
 * Thread: the ui's. */
#ifndef UI_TABS_H
#define UI_TABS_H

#include "state.h"
#include "term/canvas.h"

/* Draws on line @y into columns 1..@width. */
void tabs_draw(struct ui_state *state, struct canvas *canvas, int y, int width);

#endif
