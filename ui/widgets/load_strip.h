/* load_strip.h - the activity graph: the load as one line of bars, one per second, the newest at
 * the right; brackets enclose the selected time.
 *
 *   ▂▂▃▃▃▂▂▃▅▇██▇▅▃▂▂[▃▃▂▂▂▃]▃▂▂▂▃▃      and  ‹  ›  where that time, or newer, has no room
 *
 * The graph scrolls so that the selected time is visible.
 * Thread: the ui's.
 */
#ifndef UI_LOAD_STRIP_H
#define UI_LOAD_STRIP_H

#include "analyzer/snapshot.h"
#include "time_scale.h"
#include "ui/canvas.h"

/* Returns which columns of @area stand for which time, so that @shown (end_ns 0: the newest) is
 * visible. width 0: the snapshot has no points. */
struct time_scale load_strip_scale(const struct snapshot *snapshot, struct time_range shown,
				   struct canvas_area area);

/* Draws the graph, with brackets around @marked (end_ns 0: none). Brackets, arrows and the mark of
 * where history begins may use the cell before @scale and the one after it. */
void load_strip_draw(const struct snapshot *snapshot, const struct time_scale *scale,
		     struct time_range marked, struct canvas *canvas);

#endif
