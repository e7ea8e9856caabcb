/* sparkline.h - numbers over time as one line of bars, the newest at the right.
 * Thread: the ui's. */
#ifndef UI_SPARKLINE_H
#define UI_SPARKLINE_H

#include <stdint.h>

#include "ui/canvas.h"

/* A bar of one to eight eighths for @fraction of 0..1, what is more is 1. */
void sparkline_put_bar(struct canvas *canvas, int x, int y, float fraction, enum role role);

/* Counts, 0 and more, measured by the highest of those that have room. */
void sparkline_draw_counts(const float *counts, uint32_t count, struct canvas *canvas,
			   struct canvas_area area);

#endif
