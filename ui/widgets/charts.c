/* charts.c - see charts.h. A histogram draws empty octaves between two with counts, too: a gap
 * between fast and slow calls is of interest. */
#include "charts.h"

#include <math.h>
#include <stdio.h>

#include "format.h"
#include "term/utf8.h"

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
	canvas_put_text(canvas, bar, canvas_clean(blocks), ROLE_ACTIVITY);
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

static const struct {
	const char *mark, *ascii;
	enum role role;
} levels[HEAT_LEVELS] = {
	{ " ", " ", ROLE_TEXT },	{ "\u00b7", ".", ROLE_COOL }, { "\u2591", ":", ROLE_COOL },
	{ "\u2592", "+", ROLE_WARM },	{ "\u2593", "#", ROLE_WARM }, { "\u2588", "@", ROLE_HOT },
};

/* The step is 1 + 4 log(count) / log(most), by powers instead: exact where they are whole. */
unsigned int heat_map_level(uint32_t count, uint32_t most)
{
	const double power = (double)count * count * count * count;
	unsigned int level = 1;

	if (!count)
		return 0;
	if (count >= most)
		return HEAT_LEVELS - 1;
	for (double bound = most; level < HEAT_LEVELS - 1 && power >= bound; bound *= most)
		level++;
	return level;
}

/* Returns the index of the first of the newest @seconds. */
static uint32_t first_of(const struct snapshot_heat *heat, uint32_t seconds)
{
	return heat->seconds > seconds ? heat->seconds - seconds : 0;
}

uint32_t heat_map_most(const struct snapshot_heat *heat, uint32_t seconds)
{
	uint32_t most = 0;

	for (uint32_t second = first_of(heat, seconds); second < heat->seconds; second++)
		for (int octave = 0; octave < LATENCY_OCTAVES; octave++)
			if (heat->counts[second][octave] > most)
				most = heat->counts[second][octave];
	return most;
}

int heat_map_put_level(struct canvas *canvas, struct canvas_area area, unsigned int level)
{
	return canvas_put_text(
		canvas, area,
		canvas_clean(canvas->is_ascii ? levels[level].ascii : levels[level].mark),
		levels[level].role);
}

void heat_map_draw_line(const struct snapshot_heat *heat, int octave, uint32_t most,
			struct canvas *canvas, struct canvas_area area)
{
	const uint32_t room = area.width > 0 ? (uint32_t)area.width : 0;
	struct canvas_area cell = { 0, area.y, 1 };

	for (uint32_t second = first_of(heat, room); second < heat->seconds; second++) {
		cell.x = area.x + area.width - (int)(heat->seconds - second);
		heat_map_put_level(canvas, cell,
				   heat_map_level(heat->counts[second][octave], most));
	}
}

void heat_map_draw_title(const struct snapshot_heat *heat, const char *until,
			 struct canvas *canvas, struct canvas_area area)
{
	const uint32_t room = area.width > 0 ? (uint32_t)area.width : 0;
	const uint32_t seconds = heat->seconds < room ? heat->seconds : room;
	char text[64], number[FORMAT_BYTES];

	snprintf(text, sizeof(text), "a column a second, %s to %s",
		 format_duration(number, seconds), until);
	canvas_put_right(canvas, area, canvas_clean(text), ROLE_HEADING);
}

void heat_map_draw_scale(const double from[HEAT_LEVELS], const char *unit, struct canvas *canvas,
			 struct canvas_area area)
{
	char text[FORMAT_BYTES + 8], number[FORMAT_BYTES];
	int used;

	for (unsigned int level = 1; level < HEAT_LEVELS && area.width > 0; level++) {
		used = heat_map_put_level(canvas, area, level);
		area.x += used;
		area.width -= used;
		snprintf(text, sizeof(text), " %s  ",
			 format_count(number, (uint64_t)ceil(from[level])));
		used = canvas_put_text(canvas, area, canvas_clean(text), ROLE_DIM);
		area.x += used;
		area.width -= used;
	}
	canvas_put_text(canvas, area, canvas_clean(unit), ROLE_DIM);
}

void heat_map_draw_legend(uint32_t most, struct canvas *canvas, struct canvas_area area)
{
	double from[HEAT_LEVELS] = { 0 };

	for (unsigned int level = 1; level < HEAT_LEVELS; level++)
		from[level] = pow(most, (level - 1) / (HEAT_LEVELS - 2.0));
	heat_map_draw_scale(from, "hits", canvas, area);
}

#define STEPS 8

void sparkline_put_bar(struct canvas *canvas, int x, int y, float fraction, enum role role)
{
	char text[UTF8_MAX_BYTES + 1];
	int step = (int)(fraction * STEPS + 0.5f);

	step = step < 1 ? 1 : step > STEPS ? STEPS : step;
	utf8_encode(text, 0x2580u + (uint32_t)step);	/* U+2581..2588: one to eight eighths */
	canvas_put_text(canvas, (struct canvas_area){ x, y, 1 }, canvas_clean(text), role);
}

void sparkline_draw_counts(const float *counts, uint32_t count, struct canvas *canvas,
			   struct canvas_area area)
{
	const uint32_t room = area.width > 0 ? (uint32_t)area.width : 0;
	const uint32_t first = count > room ? count - room : 0;
	float top = 0;

	for (uint32_t i = first; i < count; i++)
		top = counts[i] > top ? counts[i] : top;
	for (uint32_t i = first; i < count; i++)
		sparkline_put_bar(canvas, area.x + area.width - (int)(count - i), area.y,
				  top > 0 ? counts[i] / top : 0, ROLE_ACTIVITY);
}
