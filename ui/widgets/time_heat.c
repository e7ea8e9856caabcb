/* time_heat.c - see time_heat.h. Levels are equal parts of the maximum, not of its logarithm as for
 * latencies: half as dark means half the load. */
#include "time_heat.h"

#include <stdio.h>

#include "base/clock.h"
#include "format.h"
#include "heat_map.h"

#define LABEL_MS 250

int time_heat_lines(int room)
{
	static const int lines[] = { HEAT_ROWS, HEAT_ROWS / 2, HEAT_ROWS / 4, HEAT_ROWS / 5,
				     HEAT_ROWS / 10 };

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		if (lines[i] <= room)
			return lines[i];
	return 0;
}

static int ticks_of_line(const struct time_scale *scale)
{
	return HEAT_ROWS / scale->height;
}

/* Returns the sum of the ticks on @line of a point; < 0: none of them is known. */
static float sum_of(const struct snapshot *snapshot, int64_t point, int line, int ticks)
{
	const float *from = snapshot->heat + point * HEAT_ROWS + (ptrdiff_t)line * ticks;
	float sum = -1;

	for (int i = 0; i < ticks; i++)
		if (from[i] >= 0)
			sum = (sum < 0 ? 0 : sum) + from[i];
	return sum;
}

/* Returns the maximum of all history, not of the visible part: going back changes no colours. */
static float most_of(const struct snapshot *snapshot, const struct time_scale *scale)
{
	const int ticks = ticks_of_line(scale);
	float most = 0;

	if (ticks == 1)
		return snapshot->heat_most;
	for (uint32_t point = 0; point < snapshot->strip_count; point++)
		for (int line = 0; line < scale->height; line++) {
			const float sum = sum_of(snapshot, point, line, ticks);

			most = sum > most ? sum : most;
		}
	return most;
}

static unsigned int level_of(float value, float most)
{
	const unsigned int highest = HEAT_LEVELS - 1;
	unsigned int level;

	if (value <= 0)
		return 0;
	level = 1 + (unsigned int)(value / most * (float)highest);
	return level > highest ? highest : level;
}

static bool is_marked(struct time_range cell, struct time_range marked)
{
	return cell.end_ns > marked.begin_ns && cell.begin_ns < marked.end_ns;
}

/* Returns the index of a column's point; < 0: there is none. */
static int64_t point_at(const struct snapshot *snapshot, const struct time_scale *scale, int column)
{
	const int64_t end = scale->begin_ns + (int64_t)scale->step_ns * (column + 1);
	const int64_t newer = ((int64_t)snapshot->strip_end_ns - end) / (int64_t)scale->step_ns;
	const int64_t point = snapshot->strip_count - 1 - newer;

	return point < snapshot->strip_count ? point : -1;
}

static void draw_line(const struct snapshot *snapshot, const struct time_scale *scale, int line,
		      float most, struct time_range marked, struct canvas *canvas)
{
	struct canvas_area cell = { scale->x, scale->y + line, 1 };
	int first = -1, last = -1;

	for (int column = 0; column < scale->width; column++, cell.x++) {
		const int64_t point = point_at(snapshot, scale, column);
		const float sum = point < 0 ? -1 : sum_of(snapshot, point, line,
							  ticks_of_line(scale));

		heat_map_put_level(canvas, cell, level_of(sum, most));
		if (!is_marked(time_scale_cell(scale, cell.x, cell.y), marked))
			continue;
		canvas_set_role(canvas, cell, ROLE_FILL_SELECTED);
		first = first < 0 ? column : first;
		last = column;
	}
	if (first < 0)
		return;
	cell.x = scale->x + first - 1;
	canvas_put_text(canvas, cell, SAFE_TEXT("["), ROLE_STATE);
	cell.x = scale->x + last + 1;
	canvas_put_text(canvas, cell, SAFE_TEXT("]"), ROLE_STATE);
}

/* Behind the second's begin, which the clock on the wall calls anything. */
static void put_label(const struct time_scale *scale, int line, struct canvas *canvas)
{
	const int ms = (int)(scale->row_ns / CLOCK_NS_PER_MS) * line;
	const struct canvas_area area = { scale->x - TIME_HEAT_LABEL_CELLS - 1, scale->y + line,
					  TIME_HEAT_LABEL_CELLS };
	char text[FORMAT_BYTES];

	if (ms % LABEL_MS && LABEL_MS % (int)(scale->row_ns / CLOCK_NS_PER_MS) == 0)
		return;
	snprintf(text, sizeof(text), "+%d ms", ms);
	canvas_put_right(canvas, area, canvas_clean(text), ROLE_DIM);
}

void time_heat_draw(const struct snapshot *snapshot, const struct time_scale *scale,
		    struct time_range marked, bool has_labels, struct canvas *canvas)
{
	const float most = most_of(snapshot, scale);

	for (int line = 0; line < scale->height; line++) {
		if (has_labels)
			put_label(scale, line, canvas);
		draw_line(snapshot, scale, line, most, marked, canvas);
	}
}

void time_heat_draw_legend(const struct snapshot *snapshot, const struct time_scale *scale,
			   struct canvas *canvas, struct canvas_area area)
{
	const float most = most_of(snapshot, scale);
	double from[HEAT_LEVELS] = { 0 };
	char unit[FORMAT_BYTES];

	for (int level = 1; level < HEAT_LEVELS; level++) {
		from[level] = (double)most * (level - 1) / (HEAT_LEVELS - 1);
		from[level] = from[level] < 1 ? 1 : from[level];
	}
	snprintf(unit, sizeof(unit), "samples in %d ms", (int)(scale->row_ns / CLOCK_NS_PER_MS));
	heat_map_draw_scale(from, unit, canvas, area);
}
