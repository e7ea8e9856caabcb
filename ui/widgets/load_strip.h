/* load_strip.h - the load as one line of bars, a point a second, the newest at the right; the time
 * that was chosen stands between brackets.
 *
 *   ▂▂▃▃▃▂▂▃▅▇██▇▅▃▂▂[▃▃▂▂▂▃]▃▂▂▂▃▃      and  ‹  ›  where it, or what is newer, has no room
 *
 * It moves so that the chosen time is seen.
 * Thread: the ui's.
 */
#ifndef UI_LOAD_STRIP_H
#define UI_LOAD_STRIP_H

#include "analyzer/snapshot.h"
#include "time_scale.h"
#include "ui/canvas.h"

/* Which columns of @area stand for which time, when @shown (end_ns 0: the newest) is to be seen.
 * width 0: the snapshot has no points. */
struct time_scale load_strip_scale(const struct snapshot *snapshot, struct time_range shown,
				   struct canvas_area area);

/* Draws it, with brackets around @marked (end_ns 0: none). They, arrows and the mark of where
 * history begins may take the cell before @scale and the one behind it. */
void load_strip_draw(const struct snapshot *snapshot, const struct time_scale *scale,
		     struct time_range marked, struct canvas *canvas);

#endif
