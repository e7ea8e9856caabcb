/* time_heat.h - the load by twentieths of a second: a column a second, its 50 ms one below the
 * other, darker where more was busy. On a low screen a line has several of them.
 *
 *    0 ms  ░░▒░  ░░[██]░       brackets around the chosen time, on each of its lines
 *  500 ms   ░▒░  ░ [█▓]
 *
 * Thread: the ui's.
 */
#ifndef UI_TIME_HEAT_H
#define UI_TIME_HEAT_H

#include "analyzer/snapshot.h"
#include "time_scale.h"
#include "ui/canvas.h"

#define TIME_HEAT_LABEL_CELLS 7	/* of what stands before its lines */

/* How many lines it takes of @room at most, 0: it has none. */
int time_heat_lines(int room);

/* Draws it where @scale says (its row_ns is a line's); before it, if @has_labels, which part of the
 * second a line is. Brackets around @marked, end_ns 0: none. */
void time_heat_draw(const struct snapshot *snapshot, const struct time_scale *scale,
		    struct time_range marked, bool has_labels, struct canvas *canvas);

/* What the characters stand for. */
void time_heat_draw_legend(const struct snapshot *snapshot, const struct time_scale *scale,
			   struct canvas *canvas, struct canvas_area area);

#endif
