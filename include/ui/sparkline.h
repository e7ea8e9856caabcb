/* sparkline.h - the load of the last seconds as one line of bars, the newest at the right.
 * Thread: the ui's. */
#ifndef UI_SPARKLINE_H
#define UI_SPARKLINE_H

#include "model/snapshot.h"
#include "ui/canvas.h"

void sparkline_draw(const struct snapshot *snapshot, struct canvas *canvas,
		    struct canvas_area area);
/* The same of counts, 0 and more, measured by the highest of those that have room. */
void sparkline_draw_counts(const float *counts, uint32_t count, struct canvas *canvas,
			   struct canvas_area area);

#endif
