/* heat_map.h - latencies over time: a column per second, a line per octave, darker with more hits.
 * Levels follow the logarithm of the count, so that a few slow calls show beside very many fast
 * ones; each level has its own character, so that nothing depends on colours.
 *
 * Thread: any, no state. Pure.
 */
#ifndef UI_HEAT_MAP_H
#define UI_HEAT_MAP_H

#include "ingest/snapshot_probes.h"
#include "ui/canvas.h"

#define HEAT_LEVELS 6

/* Returns the level of @count. 0: no hit; 1: one hit .. 5: @most hits. */
unsigned int heat_map_level(uint32_t count, uint32_t most);
/* Returns the largest count of a cell in the newest @seconds. */
uint32_t heat_map_most(const struct snapshot_heat *heat, uint32_t seconds);

/* Draws the line of @octave, the newest second at the right edge of @area. */
void heat_map_draw_line(const struct snapshot_heat *heat, int octave, uint32_t most,
			struct canvas *canvas, struct canvas_area area);
/* Draw the line above the map (how far back it goes from @until) and the line below it (what the
 * characters stand for). */
void heat_map_draw_title(const struct snapshot_heat *heat, const char *until,
			 struct canvas *canvas, struct canvas_area area);
void heat_map_draw_legend(uint32_t most, struct canvas *canvas, struct canvas_area area);

/* Draws the character of @level in the first cell of @area; returns the cells used. */
int heat_map_put_level(struct canvas *canvas, struct canvas_area area, unsigned int level);
/* Draws each level with its lower bound from @from[1..], then the unit. */
void heat_map_draw_scale(const double from[HEAT_LEVELS], const char *unit, struct canvas *canvas,
			 struct canvas_area area);

#endif
