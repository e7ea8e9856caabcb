/* sparkline.h - numbers over time as one line of bars, the newest at the right.
 * Thread: the ui's. */
#ifndef UI_SPARKLINE_H
#define UI_SPARKLINE_H

#include <stdint.h>

#include "ui/canvas.h"

/* Draws a bar of one to eight eighths for @fraction of 0..1; larger values count as 1. */
void sparkline_put_bar(struct canvas *canvas, int x, int y, float fraction, enum role role);

/* Draws @counts (0 and more), scaled by the highest one that fits into @area. */
void sparkline_draw_counts(const float *counts, uint32_t count, struct canvas *canvas,
			   struct canvas_area area);

#endif
