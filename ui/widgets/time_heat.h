/* time_heat.h - the heat map of the load: a column per second, a line per 50 ms of it, darker where
 * more was busy. On a low screen a line covers several 50 ms.
 *
 *    0 ms  ░░▒░  ░░[██]░       brackets around the selected time, on each of its lines
 *  500 ms   ░▒░  ░ [█▓]
 *
 * Thread: the ui's.
 */
#ifndef UI_TIME_HEAT_H
#define UI_TIME_HEAT_H

#include "analyzer/snapshot.h"
#include "time_scale.h"
#include "ui/canvas.h"

#define TIME_HEAT_LABEL_CELLS 7	/* width of the labels before the lines */

/* Returns how many of @room lines the heat map uses; 0: too few. */
int time_heat_lines(int room);

/* Draws the heat map at @scale, whose row_ns is the time of a line, and with @has_labels a label
 * before each line. Brackets enclose @marked (end_ns 0: none). */
void time_heat_draw(const struct snapshot *snapshot, const struct time_scale *scale,
		    struct time_range marked, bool has_labels, struct canvas *canvas);

/* Draws what the characters stand for. */
void time_heat_draw_legend(const struct snapshot *snapshot, const struct time_scale *scale,
			   struct canvas *canvas, struct canvas_area area);

#endif
