/* activity.c - see activity.h.
 *
 * A reading at the first moment of second 12 gives the value of second 11: the graph ends at 12.
 *
 * Points are whole seconds of the clock, or whole steps, so that a point keeps its value while the
 * graph moves on. The present second would always look quiet: it has no point.
 * A damaged recording may have any time up to 2^64 ns: two times are never added.
 */
#include "activity.h"

#include <assert.h>
#include <string.h>

#include "base/clock.h"

static_assert(HEAT_ROWS == SLICE_TICKS, "a row of the heat map is a tick");

void activity_from_busy(struct activity *activity, const struct busy *busy)
{
	const struct busy_point *before = busy->points, *point;
	uint64_t first, last, from, second;

	*activity = (struct activity){ .kind = ACTIVITY_BUSY, .step_s = 1 };
	if (!busy->count)
		return;
	last = busy->points[busy->count - 1].time_ns / CLOCK_NS_PER_S;
	first = before->time_ns / CLOCK_NS_PER_S + 1;
	if (last >= ACTIVITY_POINTS && first < last - ACTIVITY_POINTS + 1)
		first = last - ACTIVITY_POINTS + 1;
	if (first > last)
		return;
	activity->count = (uint32_t)(last - first + 1);
	activity->end_ns = last * CLOCK_NS_PER_S;
	for (point = before + 1; point < busy->points + busy->count; point++) {
		second = point->time_ns / CLOCK_NS_PER_S;
		from = before->time_ns / CLOCK_NS_PER_S + 1;
		if (second < from)
			continue;
		for (from = from > first ? from : first; from <= second; from++)
			activity->points[from - first] = (float)busy_point_pct(before, point);
		before = point;
	}
}

static uint64_t slice_samples(const struct slice *slice, const struct activity_span *span)
{
	uint64_t samples = 0;

	if (span->is_only_event)
		return slice->samples;
	for (uint32_t i = 0; i < slice->count; i++)
		if (slice->entries[i].event == span->event)
			samples += slice->entries[i].count;
	return samples;
}

/* The stretch of time that a point stands for. */
struct stretch {
	uint64_t begin_ns, end_ns;
};

static uint64_t overlap_ns(struct stretch a, struct stretch b)
{
	const uint64_t begin_ns = a.begin_ns > b.begin_ns ? a.begin_ns : b.begin_ns;
	const uint64_t end_ns = a.end_ns < b.end_ns ? a.end_ns : b.end_ns;

	return end_ns > begin_ns ? end_ns - begin_ns : 0;
}

/* The points of the graph, `count` steps from step `first` on. */
struct grid {
	uint64_t first, count;	/* in steps since time 0 */
	uint64_t step_ns;
};

static struct grid make_grid(struct stretch covered, uint64_t step_ns)
{
	const uint64_t first = covered.begin_ns / step_ns;

	return (struct grid){
		.first = first, .count = (covered.end_ns - 1) / step_ns - first + 1,
		.step_ns = step_ns,
	};
}

static struct stretch stretch_of(const struct grid *grid, uint64_t point)
{
	const uint64_t begin_ns = (grid->first + point) * grid->step_ns;

	return (struct stretch){
		.begin_ns = begin_ns,
		.end_ns = UINT64_MAX - begin_ns < grid->step_ns ? UINT64_MAX
								: begin_ns + grid->step_ns,
	};
}

/* Spreads the samples evenly over the points that @from lies in. */
static void spread(double *sums, const struct grid *grid, struct stretch from, uint64_t samples)
{
	const uint64_t first = from.begin_ns / grid->step_ns;
	uint64_t point = first > grid->first ? first - grid->first : 0;

	if (from.end_ns <= from.begin_ns)	/* empty: use one nanosecond */
		from.end_ns = from.begin_ns + 1;
	for (; point < grid->count; point++) {
		const uint64_t part_ns = overlap_ns(stretch_of(grid, point), from);

		if (!part_ns)
			return;
		sums[point] += (double)samples * (double)part_ns /
			       (double)(from.end_ns - from.begin_ns);
	}
}

/* Chooses the points that cover @span, or its newest part; false: there are none. */
static bool choose_grid(const struct activity_span *span, struct grid *grid)
{
	struct stretch covered = { span->begin_ns, span->end_ns };

	if (!span->is_whole)
		covered.end_ns -= covered.end_ns % CLOCK_NS_PER_S;
	if (covered.end_ns <= covered.begin_ns)
		return false;
	*grid = make_grid(covered, CLOCK_NS_PER_S);
	if (grid->count <= ACTIVITY_POINTS)
		return true;
	if (span->is_whole) {
		/* Two fewer: the first and the last step may lie across the ends. */
		const uint64_t length_s = (covered.end_ns - covered.begin_ns) / CLOCK_NS_PER_S;

		*grid = make_grid(covered, (length_s / (ACTIVITY_POINTS - 2) + 1) * CLOCK_NS_PER_S);
	} else {
		grid->first += grid->count - ACTIVITY_POINTS;
		grid->count = ACTIVITY_POINTS;
	}
	return true;
}

void activity_from_timeline(struct activity *activity, const struct timeline *timeline,
			    const struct activity_span *span)
{
	const struct stretch known = { span->begin_ns, span->end_ns };
	double sums[ACTIVITY_POINTS] = { 0 };
	struct stretch newest;
	struct grid grid;

	*activity = (struct activity){ .kind = ACTIVITY_RATE, .step_s = 1 };
	if (!choose_grid(span, &grid))
		return;
	activity->count = (uint32_t)grid.count;
	activity->step_s = (double)grid.step_ns / 1e9;
	newest = stretch_of(&grid, grid.count - 1);
	activity->end_ns = newest.end_ns;
	for (uint32_t i = 0; grid.step_ns == SLICE_NS && i < activity->count; i++)
		sums[i] = tick_totals_second(&timeline->totals, span->event, grid.first + i);
	for (uint32_t s = 0; grid.step_ns > SLICE_NS && s < timeline->count; s++) {
		const struct slice *slice = &timeline->slices[s];

		if (slice->end_ns / grid.step_ns >= grid.first)
			spread(sums, &grid, (struct stretch){ slice->start_ns, slice->end_ns },
			       slice_samples(slice, span));
	}
	for (uint32_t i = 0; i < activity->count; i++)
		/* Never 0: the activity graph begins and ends inside of the span. */
		activity->points[i] = (float)(sums[i] * 1e9 /
					      (double)overlap_ns(stretch_of(&grid, i), known));
}

static float heat_of(const uint32_t *ticks, const struct activity_span *span, uint64_t second,
		     uint32_t tick)
{
	const uint64_t begin_ns = second * SLICE_NS + tick * TICK_NS;

	if (begin_ns + TICK_NS <= span->begin_ns || begin_ns + TICK_NS > span->end_ns)
		return -1;
	return ticks ? (float)ticks[tick] : 0;
}

void activity_heat(struct activity *activity, const struct timeline *timeline,
		   const struct activity_span *span)
{
	const uint64_t end = activity->end_ns / SLICE_NS;

	activity->has_heat = activity->count && activity->step_s <= 1 && end >= activity->count;
	activity->heat_most = 0;
	for (uint32_t i = 0; activity->has_heat && i < activity->count; i++) {
		const uint64_t second = end - activity->count + i;
		const uint32_t *ticks = tick_totals_busy(&timeline->totals, span->event, second);
		float *column = &activity->heat[i * HEAT_ROWS];

		for (uint32_t tick = 0; tick < HEAT_ROWS; tick++) {
			column[tick] = heat_of(ticks, span, second, tick);
			if (column[tick] > activity->heat_most)
				activity->heat_most = column[tick];
		}
	}
}
