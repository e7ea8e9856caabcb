/* strip.h - the load of the last seconds as one line of bars, the newest at the right.
 * Thread: the ui's. */
#ifndef UI_STRIP_H
#define UI_STRIP_H

#include "model/snapshot.h"
#include "ui/canvas.h"

void strip_draw(const struct snapshot *snapshot, struct canvas *canvas, struct canvas_area area);

#endif
