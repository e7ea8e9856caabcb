/* histogram.c - see histogram.h. Empty octaves between two with counts are drawn, too: a gap
 * between fast and slow calls is of interest. */
#include "histogram.h"

#include <stdio.h>

#include "format.h"

#define LABEL_CELLS 14		/* "1.02µs..2.05µs" */
#define COUNT_CELLS 6
#define PCT_CELLS   6
#define BAR_X	    (LABEL_CELLS + 1 + COUNT_CELLS + 1 + PCT_CELLS + 2)
#define BAR_BYTES   1024
#define ALMOST_ALL  99.99

void histogram_measure(struct histogram *out, const uint64_t *octaves, uint64_t before)
{
	int last = -1;

	*out = (struct histogram){ .octaves = octaves, .before = before, .total = before };
	for (int i = 0; i < LATENCY_OCTAVES; i++) {
		if (!octaves[i])
			continue;
		if (last < 0)
			out->first = i;
		last = i;
		out->total += octaves[i];
		out->largest = octaves[i] > out->largest ? octaves[i] : out->largest;
	}
	out->count = last < 0 ? 0 : last - out->first + 1;
}

double histogram_pct_up_to(const struct histogram *histogram, int octave)
{
	uint64_t below = histogram->before;
	double pct;

	for (int i = 0; i <= octave; i++)
		below += histogram->octaves[i];
	if (!histogram->total || below == histogram->total)
		return histogram->total ? 100 : 0;
	pct = 100.0 * (double)below / (double)histogram->total;
	return pct < ALMOST_ALL ? pct : ALMOST_ALL;
}

char *histogram_bound(char *out, int octave, enum histogram_unit unit)
{
	static const char prefixes[] = " KMGTPE";

	if (unit == HISTOGRAM_NS && octave < LATENCY_OCTAVES)
		return format_latency(out, 1ull << octave);
	if (octave < 10)
		snprintf(out, FORMAT_BYTES, "%d", 1 << octave);
	else
		snprintf(out, FORMAT_BYTES, "%d%c", 1 << octave % 10, prefixes[octave / 10]);
	return out;
}

static struct canvas_area part_of(struct canvas_area area, int x, int width)
{
	const int room = area.width - x;

	return (struct canvas_area){ area.x + x, area.y, width < room ? width : room };
}

void histogram_draw_titles(struct canvas *canvas, struct canvas_area area)
{
	canvas_put_right(canvas, part_of(area, 0, LABEL_CELLS), SAFE_TEXT("RANGE"), ROLE_HEADING);
	canvas_put_right(canvas, part_of(area, LABEL_CELLS + 1, COUNT_CELLS), SAFE_TEXT("COUNT"),
			 ROLE_HEADING);
	canvas_put_right(canvas, part_of(area, LABEL_CELLS + COUNT_CELLS + 2, PCT_CELLS),
			 SAFE_TEXT("UP TO%"), ROLE_HEADING);
}

void histogram_draw_count(const char *label, uint64_t count, double pct, uint64_t most,
			  struct canvas *canvas, struct canvas_area area)
{
	const struct canvas_area bar = part_of(area, BAR_X, area.width - BAR_X);
	char text[FORMAT_BYTES], blocks[BAR_BYTES];

	canvas_put_right(canvas, part_of(area, 0, LABEL_CELLS), canvas_clean(label), ROLE_TEXT);
	canvas_put_right(canvas, part_of(area, LABEL_CELLS + 1, COUNT_CELLS),
			 canvas_clean(format_count(text, count)), count ? ROLE_TEXT : ROLE_DIM);
	if (pct >= 0)
		canvas_put_right(canvas,
				 part_of(area, LABEL_CELLS + COUNT_CELLS + 2, PCT_CELLS),
				 canvas_clean(format_pct(text, pct)), ROLE_DIM);
	if (bar.width <= 0 || !most)
		return;
	format_bar(blocks, sizeof(blocks), bar.width, (double)count / (double)most,
		   canvas->is_ascii);
	canvas_put_text(canvas, bar, canvas_clean(blocks), ROLE_STRIP);
}

void histogram_draw_line(const struct histogram *histogram, int octave, enum histogram_unit unit,
			 struct canvas *canvas, struct canvas_area area)
{
	char begin[FORMAT_BYTES], end[FORMAT_BYTES], label[2 * FORMAT_BYTES + 4];

	histogram_bound(begin, octave, unit);
	histogram_bound(end, octave + 1, unit);
	snprintf(label, sizeof(label), "%s..%s", begin, octave + 1 < LATENCY_OCTAVES ? end : "");
	histogram_draw_count(label, histogram->octaves[octave],
			     histogram_pct_up_to(histogram, octave), histogram->largest, canvas,
			     area);
}
