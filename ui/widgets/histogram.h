/* histogram.h - counts by powers of two as lines of text: range, count, cumulative %, bar.
 *
 *      512ns..1.02µs     120   12.0   ███▏
 *     1.02µs..2.05µs     880  100.0   ████████████████████████
 *
 * Thread: any, no state. Pure.
 */
#ifndef UI_HISTOGRAM_H
#define UI_HISTOGRAM_H

#include <stdint.h>

#include "ingest/snapshot_probes.h"
#include "ui/canvas.h"

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

#endif
