/* activity_graph.h - the load over time. The activity graph is one line of bars, one per second,
 * the newest at the right; brackets enclose the selected time.
 *
 *   ▂▂▃▃▃▂▂▃▅▇██▇▅▃▂▂[▃▃▂▂▂▃]▃▂▂▂▃▃      and  ‹  ›  where that time, or newer, has no room
 *
 * The graph scrolls so that the selected time is visible. Its enlarged form is the heat map: a
 * column per second, a line per 50 ms of it (or several, on a low screen), darker where more was
 * busy.
 *
 *    0 ms  ░░▒░  ░░[██]░
 *  500 ms   ░▒░  ░ [█▓]
 *
 * Thread: the ui's; struct time_scale: any.
 */
#ifndef UI_ACTIVITY_GRAPH_H
#define UI_ACTIVITY_GRAPH_H

#include <stdint.h>

#include "analyzer/snapshot.h"
#include "time_range.h"
#include "term/canvas.h"

/* Which cells of the screen stand for which time: filled where the activity graph and the heat map
 * are drawn, read by the mouse.
 *
 *            column x       x + 1
 *   y        begin_ns       begin_ns + step_ns
 *   y + 1     + row_ns       + row_ns             (row_ns 0: a column is one cell)
 */
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

/* Returns which columns of @area stand for which time, so that @shown (end_ns 0: the newest) is
 * visible. width 0: the snapshot has no points. */
struct time_scale activity_graph_scale(const struct snapshot *snapshot, struct time_range shown,
				       struct canvas_area area);

/* Draws the graph, with brackets around @marked (end_ns 0: none). Brackets, arrows and the mark of
 * where history begins may use the cell before @scale and the one after it. */
void activity_graph_draw(const struct snapshot *snapshot, const struct time_scale *scale,
			 struct time_range marked, struct canvas *canvas);

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
