/* time_scale.h - which cells of the screen stand for which time: filled where the activity graph
 * and the heat map are drawn, read by the mouse.
 *
 *            column x       x + 1
 *   y        begin_ns       begin_ns + step_ns
 *   y + 1     + row_ns       + row_ns             (row_ns 0: a column is one cell)
 *
 * Thread: any, no state. Pure.
 */
#ifndef UI_TIME_SCALE_H
#define UI_TIME_SCALE_H

#include <stdint.h>

#include "time_range.h"

struct time_scale {
	int x, y, width, height;	/* width 0: nothing is drawn */
	int64_t begin_ns;		/* may be negative */
	uint64_t step_ns;		/* time per column */
	uint64_t row_ns;		/* time per line; 0: a column is one cell */
};

/* Returns the time of the cell nearest to @x, @y. */
struct time_range time_scale_cell(const struct time_scale *scale, int x, int y);

/* Returns the column of @ns, counted from the left edge; it may lie beyond either edge. */
int time_scale_column(const struct time_scale *scale, uint64_t ns);

#endif
