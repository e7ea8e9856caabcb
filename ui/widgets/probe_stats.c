/* probe_stats.c - see probe_stats.h.
 *
 * Idea: histogram and heat map share their axis: one label per octave, its count and bar at the
 * left, its history at the right. At 80 columns both have room.
 */
#include "probe_stats.h"

#include <stdio.h>

#include "change.h"
#include "format.h"
#include "charts.h"
#include "pieces.h"

#define LEFT_X	     2
#define HEAT_GAP     2
#define BAR_CELLS    70		/* more is no clearer */
#define NUMBER_TOPS  6		/* most frequent ones of a value that has a histogram, too */
#define GAP_OCTAVES  4		/* so many empty ones of a value are one line */
#define LEGEND_CELLS 46
#define TEXT_CELLS   40
#define GAP_X	     14		/* in the column of the ranges */

/* Sets *@out to the area of line @line; false: it is not on the screen. */
static bool line_area(const struct stat_page *page, int line, int x, int width,
		      struct canvas_area *out)
{
	const int y = line - page->first;

	*out = (struct canvas_area){ x, page->top + y, width };
	return y >= 0 && y < page->lines;
}

/* A third of a wide screen for the histogram, the rest for the heat map. */
static int histogram_width(const struct canvas *canvas)
{
	const int third = (canvas->width - LEFT_X) / 3;

	return third < HISTOGRAM_CELLS ? HISTOGRAM_CELLS : third > BAR_CELLS ? BAR_CELLS : third;
}

/* "p50 1.23us", and after it the change, where there is something to compare it with. */
static void add_percentile(struct pieces *line, enum role role, const char *name, uint64_t ns,
			   uint64_t base_ns, bool is_compared)
{
	char text[FORMAT_BYTES], change[FORMAT_BYTES];

	format_latency(text, ns);
	if (is_compared)
		pieces_add(line, 1, role, "%s %s (%s)", name, text,
			   change_format_ns(change, ns, base_ns));
	else
		pieces_add(line, 1, role, "%s %s", name, text);
}

/* Adds how much of each latency the probe itself takes, as a sentence if there is room. */
static void add_own(struct pieces *line, uint32_t own_ns, const struct canvas *canvas, int width)
{
	const size_t count = line->count;
	char text[FORMAT_BYTES];

	if (!own_ns)
		return;
	format_latency(text, own_ns);
	pieces_add(line, 1, ROLE_DIM, "of which about %s are the probe", text);
	if (pieces_width(canvas, line) <= width)
		return;
	line->count = count;
	pieces_add(line, 1, ROLE_DIM, "probe %s", text);
}

static void put_percentiles(const struct snapshot_probe *probe, struct canvas *canvas,
			    struct canvas_area area)
{
	const struct snapshot_latency *latency = &probe->latency, *base = &probe->base_latency;
	const bool is_compared = base->count > 0;
	struct pieces line = { .gap = "   " };
	char text[FORMAT_BYTES];

	if (!latency->count) {
		canvas_put_text(canvas, area, SAFE_TEXT("No call has returned in the window."),
				ROLE_DIM);
		return;
	}
	add_percentile(&line, ROLE_TEXT, "p50", latency->p50_ns, base->p50_ns, is_compared);
	add_percentile(&line, ROLE_TEXT, "p90", latency->p90_ns, base->p90_ns, is_compared);
	add_percentile(&line, ROLE_HOT, "p99", latency->p99_ns, base->p99_ns, is_compared);
	add_percentile(&line, ROLE_TEXT, "max", latency->max_ns, base->max_ns, is_compared);
	pieces_add(&line, 2, ROLE_DIM, "%s calls", format_count(text, latency->count));
	add_own(&line, probe->own_ns, canvas, area.width);
	pieces_fit(canvas, &line, area.width);
	pieces_put(canvas, area, &line);
}

/* Computes the octaves of both: a slow call that left the window is still in the heat map. */
static void octaves_of(const struct histogram *histogram, const struct snapshot_heat *heat,
		       int *first, int *count)
{
	int last = histogram->first + histogram->count - 1;

	*first = histogram->count ? histogram->first : LATENCY_OCTAVES;
	for (uint32_t second = 0; second < heat->seconds; second++)
		for (int octave = 0; octave < LATENCY_OCTAVES; octave++) {
			if (!heat->counts[second][octave])
				continue;
			*first = octave < *first ? octave : *first;
			last = octave > last ? octave : last;
		}
	*count = last >= *first ? last - *first + 1 : 0;
}

int probe_stats_latency(const struct snapshot_probe *probe, const struct snapshot_heat *heat,
			const struct stat_page *page)
{
	struct canvas *canvas = page->canvas;
	const int bars = histogram_width(canvas), x = LEFT_X + bars + HEAT_GAP;
	const int seconds = canvas->width - 1 - x;
	const uint32_t most = heat_map_most(heat, seconds > 0 ? (uint32_t)seconds : 0);
	struct histogram histogram;
	struct canvas_area area;
	int first, count, line = 0;

	histogram_measure(&histogram, probe->latency.octaves, 0);
	octaves_of(&histogram, heat, &first, &count);
	if (line_area(page, line++, LEFT_X, canvas->width - LEFT_X - 1, &area))
		put_percentiles(probe, canvas, area);
	if (line_area(page, line, LEFT_X, bars, &area))
		histogram_draw_titles(canvas, area);
	if (line_area(page, line++, x, seconds, &area))
		heat_map_draw_title(heat, page->until, canvas, area);
	for (int octave = first; octave < first + count; octave++, line++) {
		if (!line_area(page, line, LEFT_X, bars, &area))
			continue;
		histogram_draw_line(&histogram, octave, HISTOGRAM_NS, canvas, area);
		area.x = x;
		area.width = seconds;
		heat_map_draw_line(heat, octave, most, canvas, area);
	}
	if (most && line_area(page, line++, x, seconds, &area)) {
		area.x = seconds > LEGEND_CELLS ? canvas->width - 1 - LEGEND_CELLS : x;
		area.width = canvas->width - 1 - area.x;
		heat_map_draw_legend(most, canvas, area);
	}
	return line;
}

static bool is_number(const struct snapshot_value *value)
{
	return value->kind == VALUE_SIGNED || value->kind == VALUE_UNSIGNED;
}

static void put_value_title(const struct snapshot_value *value, struct canvas *canvas,
			    struct canvas_area area)
{
	struct pieces line = { .gap = "  " };
	char text[FORMAT_BYTES], number[SNAPSHOT_NUMBER_BYTES];

	pieces_add(&line, 1, ROLE_NAME, "%s", value->name);
	if (value->type[0])
		pieces_add(&line, 2, ROLE_DIM, "%s", value->type);
	if (value->is_ns)
		pieces_add(&line, 4, ROLE_DIM, "time of a stage");
	else
		pieces_add(&line, 4, ROLE_DIM, "%s%s%s",
			   value->is_return ? "returned" : "argument",
			   value->origin[0] ? ", by " : "", value->origin);
	pieces_add(&line, 3, ROLE_TEXT, "%s hits", format_count(text, value->count));
	if (value->is_ns && value->count > value->unknown) {
		pieces_add(&line, 2, ROLE_TEXT, "min %s", format_latency(text, value->min));
		pieces_add(&line, 2, ROLE_TEXT, "mean %s",
			   format_latency(text, (uint64_t)value->mean));
		pieces_add(&line, 2, ROLE_TEXT, "max %s", format_latency(text, value->max));
	} else if (is_number(value) && value->count > value->unknown) {
		pieces_add(&line, 2, ROLE_TEXT, "min %s",
			   snapshot_number(value->is_signed, value->min, number));
		pieces_add(&line, 2, ROLE_TEXT, "mean %.6g", value->mean);
		pieces_add(&line, 2, ROLE_TEXT, "max %s",
			   snapshot_number(value->is_signed, value->max, number));
	}
	if (value->negatives)
		pieces_add(&line, 3, ROLE_STATE, "%s negative (ranges without sign)",
			   format_count(text, value->negatives));
	if (value->unknown)
		pieces_add(&line, 1, ROLE_LOSS, "%s unreadable",
			   format_count(text, value->unknown));
	pieces_fit(canvas, &line, area.width);
	pieces_put(canvas, area, &line);
}

/* Draws the count of zeros above the octaves; returns the line after it. */
static int put_zeros(const struct stat_page *page, int line, int width, uint64_t count,
		     struct histogram *histogram)
{
	struct canvas_area area;

	if (!count)
		return line;
	if (histogram->largest < count)
		histogram->largest = count;	/* the bars below are of the same scale */
	if (line_area(page, line, LEFT_X, width, &area))
		histogram_draw_count("0", count, 100.0 * (double)count / (double)histogram->total,
				     histogram->largest, page->canvas, area);
	return line + 1;
}

/* Returns how many consecutive octaves from @octave on are empty. */
static int empty_octaves(const uint64_t *octaves, int octave)
{
	int count = 0;

	while (octave + count < LATENCY_OCTAVES && !octaves[octave + count])
		count++;
	return count;
}

static int put_octaves(const struct snapshot_value *value, const struct stat_page *page,
		       int line, int width)
{
	struct histogram histogram;
	struct canvas_area area;

	histogram_measure(&histogram, value->octaves, value->zeros);
	line = put_zeros(page, line, width, value->zeros, &histogram);
	for (int i = 0; i < histogram.count; line++) {
		const int octave = histogram.first + i;
		const int gap = empty_octaves(value->octaves, octave);
		const bool is_there = line_area(page, line, LEFT_X, width, &area);

		if (gap >= GAP_OCTAVES && is_there)
			canvas_put_right(page->canvas, (struct canvas_area){ area.x, area.y,
									     GAP_X },
					 SAFE_TEXT("\u2026"), ROLE_DIM);
		else if (is_there)
			histogram_draw_line(&histogram, octave,
					    value->is_ns ? HISTOGRAM_NS : HISTOGRAM_NUMBER,
					    page->canvas, area);
		i += gap >= GAP_OCTAVES ? gap : 1;
	}
	return line;
}

static void put_top(const struct snapshot_value *value, const char *text, uint64_t count,
		    struct canvas *canvas, struct canvas_area area)
{
	const uint64_t known = value->count - value->unknown;
	char number[FORMAT_BYTES], pct[FORMAT_BYTES], line[96];

	snprintf(line, sizeof(line), "%6s %6s%% ", format_count(number, count),
		 format_pct(pct, known ? 100.0 * (double)count / (double)known : 0));
	area.x += canvas_put_text(canvas, area, canvas_clean(line), ROLE_DIM);
	area.width = canvas->width - 1 - area.x;
	canvas_put_text(canvas, area, canvas_clean(text), ROLE_TEXT);
}

/* The most frequent values, beside the octaves where there is room, else below. */
static int put_tops(const struct snapshot_value *value, const struct stat_page *page, int line,
		    int x)
{
	const uint32_t most = is_number(value) ? NUMBER_TOPS : PROBE_TOP_VALUES;
	const int width = page->canvas->width - x - 1;
	uint64_t other = value->other;
	struct canvas_area area;

	for (uint32_t i = 0; i < value->top_count; i++) {
		char time[FORMAT_BYTES];

		if (i >= most) {
			other += value->top[i].count;
			continue;
		}
		if (line_area(page, line++, x, width, &area))
			put_top(value, value->is_ns
				? format_latency(time, (uint64_t)value->top[i].number)
				: value->top[i].text, value->top[i].count, page->canvas, area);
	}
	if (other && line_area(page, line++, x, width, &area))
		put_top(value, "(others)", other, page->canvas, area);
	return line;
}

int probe_stats_values(const struct snapshot_probe *probe, const struct stat_page *page)
{
	const int width = page->canvas->width - LEFT_X - 1;
	const bool is_beside = width >= HISTOGRAM_CELLS + TEXT_CELLS;
	const int room = is_beside ? width - TEXT_CELLS : width;
	const int bars = room < BAR_CELLS ? room : BAR_CELLS;
	struct canvas_area area;
	int line = 0;

	for (uint32_t i = 0; i < probe->value_count; i++) {
		const struct snapshot_value *value = &probe->values[i];
		int begin, below;

		if (line_area(page, line++, LEFT_X, width, &area))
			put_value_title(value, page->canvas, area);
		begin = line;
		if (is_number(value))
			line = put_octaves(value, page, line, bars);
		below = put_tops(value, page, is_beside && is_number(value) ? begin : line,
				 is_beside && is_number(value) ? LEFT_X + bars + HEAT_GAP
							       : LEFT_X);
		line = (below > line ? below : line) + 1;
	}
	return line;
}
