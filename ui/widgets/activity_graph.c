/* activity_graph.c - see activity_graph.h. Busy % is absolute; a rate, which has no natural
 * maximum, is scaled by the highest one shown.
 *
 * The scroll position depends only on the selected time and the size: a step of a second moves the
 * brackets by a cell, or at the left edge the bars beneath them.
 */
#include "activity_graph.h"

#include <limits.h>
#include <stdio.h>

#include "base/clock.h"
#include "charts.h"
#include "format.h"

#define HIGH_PCT    80.0f	/* % of all CPUs: almost fully busy */
#define EDGE_SHARE  4		/* 1/EDGE_SHARE of the width shows time before the selected one */
#define EDGE_CELLS  8		/* but at most this many cells */

struct time_scale activity_graph_scale(const struct snapshot *snapshot, struct time_range shown,
				       struct canvas_area area)
{
	const int64_t step = (int64_t)(snapshot->activity_step_s * 1e9 + 0.5);
	const int64_t oldest = (int64_t)snapshot->activity_end_ns - step * snapshot->activity_count;
	const int edge = area.width / EDGE_SHARE < EDGE_CELLS ? area.width / EDGE_SHARE
							      : EDGE_CELLS;
	struct time_scale scale = { area.x, area.y, area.width, 1, 0, (uint64_t)step, 0 };
	int before;

	if (!snapshot->activity_count || step <= 0 || area.width <= 0)
		return (struct time_scale){ .width = 0 };
	scale.begin_ns = (int64_t)snapshot->activity_end_ns - step * area.width;
	if (!shown.end_ns)
		return scale;
	before = edge - time_scale_column(&scale, shown.begin_ns);
	if (before > 0 && scale.begin_ns > oldest) {
		const int64_t most = (scale.begin_ns - oldest) / step;

		scale.begin_ns -= step * (before < most ? before : most);
	}
	return scale;
}

/* Returns the index of a column's point; < 0: there is none. */
static int64_t point_at(const struct snapshot *snapshot, const struct time_scale *scale, int column)
{
	const int64_t end = scale->begin_ns + (int64_t)scale->step_ns * (column + 1);
	const int64_t newer = ((int64_t)snapshot->activity_end_ns - end) / (int64_t)scale->step_ns;
	const int64_t point = snapshot->activity_count - 1 - newer;

	return point < snapshot->activity_count ? point : -1;
}

/* Returns the load of the point in @column; < 0: there is no point, or its load is unknown. */
static float value_at(const struct snapshot *snapshot, const struct time_scale *scale, int column)
{
	const int64_t point = point_at(snapshot, scale, column);

	return point >= 0 ? snapshot->activity[point] : -1;
}

static float highest(const struct snapshot *snapshot, const struct time_scale *scale)
{
	float top = 0;

	if (snapshot->activity_kind == ACTIVITY_BUSY)
		return 100;
	for (int column = 0; column < scale->width; column++) {
		const float value = value_at(snapshot, scale, column);

		top = value > top ? value : top;
	}
	return top;
}

/* Computes the columns that @range touches: *first..*last. */
static void columns_of(const struct time_scale *scale, struct time_range range, int *first,
		       int *last)
{
	*first = time_scale_column(scale, range.begin_ns);
	*last = time_scale_column(scale, range.end_ns - 1);
}

static void put_mark(const struct time_scale *scale, int column, int line, const char *mark,
		     enum role role, struct canvas *canvas)
{
	canvas_put_text(canvas, (struct canvas_area){ scale->x + column, scale->y + line, 1 },
			canvas_clean(mark), role);
}

static bool is_newer_hidden(const struct snapshot *snapshot, const struct time_scale *scale)
{
	return scale->begin_ns + (int64_t)scale->step_ns * scale->width <
	       (int64_t)snapshot->activity_end_ns;
}

static void put_marks(const struct snapshot *snapshot, const struct time_scale *scale,
		      struct time_range marked, struct canvas *canvas)
{
	int first = 0, last = 0, begins = time_scale_column(scale, snapshot->known_ns) - 1;

	if (marked.end_ns)
		columns_of(scale, marked, &first, &last);
	for (int line = 0; line < scale->height; line++) {
		if (snapshot->is_history_cut && begins >= -1 && begins < scale->width)
			put_mark(scale, begins, line, "\u2502", ROLE_DIM, canvas);
		if (is_newer_hidden(snapshot, scale))
			put_mark(scale, scale->width, line, "\u203a", ROLE_DIM, canvas);
		if (!marked.end_ns)
			continue;
		if (first > scale->width || last >= scale->width)
			put_mark(scale, scale->width, line, "\u203a", ROLE_STATE, canvas);
		else if (last >= -1)
			put_mark(scale, last + 1, line, "]", ROLE_STATE, canvas);
		if (first < 0)
			put_mark(scale, -1, line, "\u2039", ROLE_STATE, canvas);
		else if (first <= scale->width)
			put_mark(scale, first - 1, line, "[", ROLE_STATE, canvas);
	}
}

void activity_graph_draw(const struct snapshot *snapshot, const struct time_scale *scale,
			 struct time_range marked, struct canvas *canvas)
{
	const float top = highest(snapshot, scale);
	int first = 1, last = 0;

	if (scale->width <= 0)
		return;
	if (marked.end_ns)
		columns_of(scale, marked, &first, &last);
	for (int column = 0; column < scale->width; column++) {
		const float value = value_at(snapshot, scale, column);
		const bool is_high = snapshot->activity_kind == ACTIVITY_BUSY && value >= HIGH_PCT;
		const enum role role = column >= first && column <= last ? ROLE_STATE
				       : is_high			 ? ROLE_ACTIVITY_HIGH
									 : ROLE_ACTIVITY;

		if (value >= 0)
			sparkline_put_bar(canvas, scale->x + column, scale->y,
					  top > 0 ? value / top : 0, role);
	}
	put_marks(snapshot, scale, marked, canvas);
}

static int clamp(int value, int count)
{
	return value < 0 ? 0 : value >= count ? count - 1 : value;
}

struct time_range time_scale_cell(const struct time_scale *scale, int x, int y)
{
	const uint64_t length = scale->row_ns ? scale->row_ns : scale->step_ns;
	int64_t begin;

	if (scale->width <= 0)
		return (struct time_range){ 0, 0 };
	begin = scale->begin_ns +
		(int64_t)scale->step_ns * clamp(x - scale->x, scale->width) +
		(int64_t)scale->row_ns * clamp(y - scale->y, scale->height);
	if (begin + (int64_t)length <= 0)
		return (struct time_range){ 0, 0 };
	return (struct time_range){ begin > 0 ? (uint64_t)begin : 0,
				    (uint64_t)(begin + (int64_t)length) };
}

int time_scale_column(const struct time_scale *scale, uint64_t ns)
{
	const int64_t step = (int64_t)scale->step_ns;
	const int64_t from = (int64_t)ns - scale->begin_ns;
	const int64_t column = from >= 0 ? from / step : -((step - 1 - from) / step);

	return column > INT_MAX ? INT_MAX : column < INT_MIN ? INT_MIN : (int)column;
}

/* The levels of this heat map are equal parts of the maximum, not of its logarithm as those of
 * latencies: half as dark means half the load. */
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
	for (uint32_t point = 0; point < snapshot->activity_count; point++)
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

/* Draws how long after the beginning of its second a line is. */
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
