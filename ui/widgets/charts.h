/* charts.h - charts made of characters.
 *
 *      512ns..1.02µs     120   12.0   ███▏                   histogram: counts by powers of two
 *     1.02µs..2.05µs     880  100.0   ████████████████████
 *     1.02µs  ·░▒▓█▓▒░·                                      heat map: latencies over time
 *     ▂▂▃▅▇█                                                 sparkline: numbers over time
 *
 * Thread: any, no state. Pure.
 */
#ifndef UI_CHARTS_H
#define UI_CHARTS_H

#include <stdint.h>

#include "ingest/snapshot_probes.h"
#include "term/canvas.h"

enum histogram_unit {
	HISTOGRAM_NS,
	HISTOGRAM_NUMBER,	/* bounds are 1, 2, ... 512, 1K, 2K: powers of two, so binary */
};

struct histogram {
	const uint64_t *octaves;	/* BORROWED: [LATENCY_OCTAVES] */
	int first, count;	/* range of octaves with counts in them; count 0: none */
	uint64_t before;	/* count of values below the first octave: zeros */
	uint64_t total, largest;	/* sum with `before`; largest count of an octave */
};

void histogram_measure(struct histogram *out, const uint64_t *octaves, uint64_t before);
/* Returns the share of values below the end of @octave, 0..100; never rounded up to 100. */
double histogram_pct_up_to(const struct histogram *histogram, int octave);
/* Formats the lower bound of @octave: "1.02µs", "4K". Returns @out[FORMAT_BYTES]. */
char *histogram_bound(char *out, int octave, enum histogram_unit unit);

#define HISTOGRAM_CELLS 40	/* narrowest line with a readable bar */

void histogram_draw_titles(struct canvas *canvas, struct canvas_area area);
void histogram_draw_line(const struct histogram *histogram, int octave, enum histogram_unit unit,
			 struct canvas *canvas, struct canvas_area area);

/* Draws a line in the same columns: @label, @count, @pct (< 0: none), a bar of @count by @most. */
void histogram_draw_count(const char *label, uint64_t count, double pct, uint64_t most,
			  struct canvas *canvas, struct canvas_area area);

/* Heat map: a column per second, a line per octave, darker with more hits. Levels follow the
 * logarithm of the count, so that a few slow calls show beside very many fast ones; each level has
 * its own character, so that nothing depends on colours. */
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

/* Sparkline: one line of bars, the newest at the right. */

/* Draws a bar of one to eight eighths for @fraction of 0..1; larger values count as 1. */
void sparkline_put_bar(struct canvas *canvas, int x, int y, float fraction, enum role role);

/* Draws @counts (0 and more), scaled by the highest one that fits into @area. */
void sparkline_draw_counts(const float *counts, uint32_t count, struct canvas *canvas,
			   struct canvas_area area);

#endif
