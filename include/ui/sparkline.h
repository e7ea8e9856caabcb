/* sparkline.h - the load of the last seconds as one line of bars.
 * Thread: the ui's. */
#ifndef UI_SPARKLINE_H
#define UI_SPARKLINE_H

#include "model/snapshot.h"
#include "ui/canvas.h"

/* The newest is at the right end of @area; what it has no room for, the oldest, is left out. */
void sparkline_draw(const struct snapshot *snapshot, struct canvas *canvas,
		    struct canvas_area area);

#endif
