/* strip.c - see model/strip.h.
 *
 * Points lie on the clock's whole seconds, or whole steps, so that a point keeps its value while
 * the strip moves on. The second that is not over yet would always look quiet: it has no point.
 */
#include "model/strip.h"

#include <string.h>

#include "base/clock.h"

void strip_from_busy(struct strip *strip, const struct busy *busy)
{
	const struct busy_point *before = busy->points, *point;
	uint64_t first, last, second;

	*strip = (struct strip){ .kind = STRIP_BUSY, .step_s = 1 };
	if (!busy->count)
		return;
	last = busy->points[busy->count - 1].time_ns / CLOCK_NS_PER_S;
	first = before->time_ns / CLOCK_NS_PER_S + 1;
	if (last >= STRIP_POINTS && first < last - STRIP_POINTS + 1)
		first = last - STRIP_POINTS + 1;
	if (first > last)
		return;
	strip->count = (uint32_t)(last - first + 1);
	for (uint32_t i = 0; i < strip->count; i++)
		strip->points[i] = -1;
	for (point = before + 1; point < busy->points + busy->count; point++) {
		second = point->time_ns / CLOCK_NS_PER_S;
		if (second == before->time_ns / CLOCK_NS_PER_S)
			continue;
		if (second >= first)
			strip->points[second - first] = (float)busy_point_pct(before, point);
		before = point;
	}
}

static uint64_t slice_samples(const struct slice *slice, const struct strip_span *span)
{
	uint64_t samples = 0;

	if (span->is_only_event)
		return slice->samples;
	if (slice->ticks) {
		for (int i = 0; i < SLICE_TICKS; i++)
			samples += slice->ticks[span->event].samples[i];
		return samples;
	}
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

/* Spreads the samples evenly over the points that @from lies in. */
static void spread(double *sums, uint32_t count, uint64_t begin_ns, uint64_t step_ns,
		   struct stretch from, uint64_t samples)
{
	uint64_t at = from.begin_ns > begin_ns ? (from.begin_ns - begin_ns) / step_ns : 0;

	if (from.end_ns <= from.begin_ns)
		from.end_ns = from.begin_ns + 1;
	for (; at < count && begin_ns + at * step_ns < from.end_ns; at++) {
		const struct stretch point = { begin_ns + at * step_ns,
					       begin_ns + (at + 1) * step_ns };

		sums[at] += (double)samples * (double)overlap_ns(point, from) /
			    (double)(from.end_ns - from.begin_ns);
	}
}

static uint64_t points_between(uint64_t begin_ns, uint64_t end_ns, uint64_t step_ns)
{
	return (end_ns + step_ns - 1) / step_ns - begin_ns / step_ns;
}

void strip_from_timeline(struct strip *strip, const struct timeline *timeline,
			 const struct strip_span *span)
{
	const struct stretch known = { span->begin_ns, span->end_ns };
	uint64_t begin_ns = span->begin_ns, end_ns = span->end_ns, step_ns = CLOCK_NS_PER_S;
	double sums[STRIP_POINTS] = { 0 };

	*strip = (struct strip){ .kind = STRIP_RATE, .step_s = 1 };
	if (!span->is_whole) {
		end_ns -= end_ns % step_ns;
		if (end_ns > STRIP_POINTS * step_ns && begin_ns < end_ns - STRIP_POINTS * step_ns)
			begin_ns = end_ns - STRIP_POINTS * step_ns;
	}
	if (end_ns <= begin_ns)
		return;
	while (points_between(begin_ns, end_ns, step_ns) > STRIP_POINTS)
		step_ns += CLOCK_NS_PER_S;
	strip->count = (uint32_t)points_between(begin_ns, end_ns, step_ns);
	strip->step_s = (double)step_ns / 1e9;
	begin_ns -= begin_ns % step_ns;
	for (uint32_t s = 0; s < timeline->count; s++) {
		const struct slice *slice = &timeline->slices[s];

		if (slice->end_ns <= begin_ns)
			continue;
		spread(sums, strip->count, begin_ns, step_ns,
		       (struct stretch){ slice->start_ns, slice->end_ns },
		       slice_samples(slice, span));
	}
	for (uint32_t i = 0; i < strip->count; i++) {
		const struct stretch point = { begin_ns + i * step_ns,
					       begin_ns + (i + 1) * step_ns };

		/* Never 0: the strip begins and ends inside of the span. */
		strip->points[i] = (float)(sums[i] * 1e9 / (double)overlap_ns(point, known));
	}
}
