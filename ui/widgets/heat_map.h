/* heat_map.h - latencies over time: a column per second, a line per octave, darker where more hits
 * are. The steps are of the logarithm of the count, so that a few slow calls show beside very many
 * fast ones; each step has its own character, so that nothing depends on colours.
 *
 * Thread: any, no state. Pure.
 */
#ifndef UI_HEAT_MAP_H
#define UI_HEAT_MAP_H

#include "ingest/snapshot_probes.h"
#include "ui/canvas.h"

#define HEAT_LEVELS 6

/* 0: none; 1: one .. 5: as many as @most. */
unsigned int heat_map_level(uint32_t count, uint32_t most);
/* The largest count of the newest @seconds. */
uint32_t heat_map_most(const struct snapshot_heat *heat, uint32_t seconds);

/* The line of @octave, the newest second at the right edge of @area. */
void heat_map_draw_line(const struct snapshot_heat *heat, int octave, uint32_t most,
			struct canvas *canvas, struct canvas_area area);
/* What stands above it: how far back it goes from @until. And below: what the characters stand
 * for. */
void heat_map_draw_title(const struct snapshot_heat *heat, const char *until,
			 struct canvas *canvas, struct canvas_area area);
void heat_map_draw_legend(uint32_t most, struct canvas *canvas, struct canvas_area area);

/* The character of a level in the first cell of @area; returns the cells used. */
int heat_map_put_level(struct canvas *canvas, struct canvas_area area, unsigned int level);
/* Each level with the least that it stands for, in @from[1..], and behind them the unit. */
void heat_map_draw_scale(const double from[HEAT_LEVELS], const char *unit, struct canvas *canvas,
			 struct canvas_area area);

#endif
