/* load_strip.c - see load_strip.h. Busy % is absolute; a rate, which has no natural maximum, is
 * scaled by the highest one shown.
 *
 * The scroll position depends only on the selected time and the size: a step of a second moves the
 * brackets by a cell, or at the left edge the bars beneath them.
 */
#include "load_strip.h"

#include "sparkline.h"

#define HIGH_PCT    80.0f	/* of all CPUs: almost fully busy */
#define EDGE_SHARE  4		/* 1/EDGE_SHARE of the width shows time before the selected one */
#define EDGE_CELLS  8		/* but at most this many cells */

struct time_scale load_strip_scale(const struct snapshot *snapshot, struct time_range shown,
				   struct canvas_area area)
{
	const int64_t step = (int64_t)(snapshot->strip_step_s * 1e9 + 0.5);
	const int64_t oldest = (int64_t)snapshot->strip_end_ns - step * snapshot->strip_count;
	const int edge = area.width / EDGE_SHARE < EDGE_CELLS ? area.width / EDGE_SHARE
							      : EDGE_CELLS;
	struct time_scale scale = { area.x, area.y, area.width, 1, 0, (uint64_t)step, 0 };
	int before;

	if (!snapshot->strip_count || step <= 0 || area.width <= 0)
		return (struct time_scale){ .width = 0 };
	scale.begin_ns = (int64_t)snapshot->strip_end_ns - step * area.width;
	if (!shown.end_ns)
		return scale;
	before = edge - time_scale_column(&scale, shown.begin_ns);
	if (before > 0 && scale.begin_ns > oldest) {
		const int64_t most = (scale.begin_ns - oldest) / step;

		scale.begin_ns -= step * (before < most ? before : most);
	}
	return scale;
}

/* Returns the load of the point in @column; < 0: there is no point, or its load is unknown. */
static float value_at(const struct snapshot *snapshot, const struct time_scale *scale, int column)
{
	const int64_t end = scale->begin_ns + (int64_t)scale->step_ns * (column + 1);
	const int64_t newer = ((int64_t)snapshot->strip_end_ns - end) / (int64_t)scale->step_ns;

	return newer >= 0 && newer < snapshot->strip_count
		       ? snapshot->strip[snapshot->strip_count - 1 - newer] : -1;
}

static float highest(const struct snapshot *snapshot, const struct time_scale *scale)
{
	float top = 0;

	if (snapshot->strip_kind == STRIP_BUSY)
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
	       (int64_t)snapshot->strip_end_ns;
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

void load_strip_draw(const struct snapshot *snapshot, const struct time_scale *scale,
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
		const bool is_high = snapshot->strip_kind == STRIP_BUSY && value >= HIGH_PCT;
		const enum role role = column >= first && column <= last ? ROLE_STATE
				       : is_high			 ? ROLE_STRIP_HIGH
									 : ROLE_STRIP;

		if (value >= 0)
			sparkline_put_bar(canvas, scale->x + column, scale->y,
					  top > 0 ? value / top : 0, role);
	}
	put_marks(snapshot, scale, marked, canvas);
}
