/* time_range.c - see time_range.h.
 *
 * Idea: a step starts from the range requested last, not from what is on the screen, so that a held
 * key goes as far as it was pressed however late snapshots are. Only the bounds of history come
 * from the last snapshot.
 */
#include "time_range.h"

#include <stddef.h>

#include "base/clock.h"

#define MS CLOCK_NS_PER_MS
#define S  CLOCK_NS_PER_S

static const uint64_t lengths[] = {
	50 * MS, 100 * MS, 200 * MS, 500 * MS, 1 * S, 2 * S, 5 * S, 10 * S, 30 * S, 60 * S,
	120 * S, 300 * S, 600 * S,
};
#define LENGTH_COUNT (sizeof(lengths) / sizeof(lengths[0]))

static uint64_t round_down(uint64_t ns, uint64_t unit_ns)
{
	return ns - ns % unit_ns;
}

static uint64_t round_up(uint64_t ns, uint64_t unit_ns)
{
	return round_down(ns + unit_ns - 1, unit_ns);
}

static uint64_t length_of(const struct time_range *range)
{
	return range->end_ns - range->begin_ns;
}

struct time_range time_range_newest(const struct time_bounds *bounds, uint64_t length_ns)
{
	const uint64_t first = round_up(bounds->known_ns, S);
	const uint64_t end = round_down(bounds->newest_ns, S);
	const uint64_t length = length_ns < S ? S : round_down(length_ns, S);

	if (end <= first)
		return (struct time_range){ 0, 0 };
	return (struct time_range){ end - first > length ? end - length : first, end };
}

static enum time_move step_earlier(struct time_range *range, const struct time_bounds *bounds,
				   uint64_t by_ns)
{
	const uint64_t length = length_of(range);
	const uint64_t unit = length < S ? TIME_TICK_NS : S;
	const uint64_t first = round_up(bounds->known_ns, unit);

	if (range->begin_ns <= first)
		return TIME_AT_BEGIN;
	range->begin_ns = range->begin_ns - first > by_ns ? range->begin_ns - by_ns : first;
	range->end_ns = range->begin_ns + length;
	return TIME_MOVED;
}

enum time_move time_range_step(struct time_range *range, const struct time_bounds *bounds,
			       int steps)
{
	const uint64_t length = length_of(range);
	const uint64_t unit = length < S ? length : S;
	const uint64_t by = unit * (uint64_t)(steps < 0 ? -steps : steps);

	if (steps < 0)
		return step_earlier(range, bounds, by);
	if (range->end_ns + by > bounds->newest_ns)
		return TIME_AT_NOW;
	range->begin_ns += by;
	range->end_ns += by;
	return TIME_MOVED;
}

/* Returns the next length of the list; 0: there is none. */
static uint64_t next_length(uint64_t length_ns, bool is_longer)
{
	for (size_t i = 0; i < LENGTH_COUNT; i++) {
		const uint64_t next = lengths[is_longer ? i : LENGTH_COUNT - 1 - i];

		if (is_longer ? next > length_ns : next < length_ns)
			return next;
	}
	return 0;
}

enum time_move time_range_resize(struct time_range *range, const struct time_bounds *bounds,
				 bool is_longer)
{
	const uint64_t first = round_down(bounds->known_ns, TIME_TICK_NS);
	const uint64_t newest = round_down(bounds->newest_ns, TIME_TICK_NS);
	const uint64_t length = next_length(length_of(range), is_longer);
	struct time_range next;

	if (range->end_ns <= first)
		return TIME_AT_BEGIN;
	if (!length)
		return TIME_AT_LIMIT;
	next.end_ns = range->end_ns;
	next.begin_ns = next.end_ns > length && next.end_ns - length > first
				? next.end_ns - length : first;
	if (next.end_ns - next.begin_ns < length && next.end_ns < newest)
		next.end_ns = newest - next.begin_ns > length ? next.begin_ns + length : newest;
	if (is_longer && next.end_ns - next.begin_ns <= length_of(range))
		return TIME_AT_LIMIT;
	*range = next;
	return TIME_MOVED;
}

struct time_range time_range_join(struct time_range a, struct time_range b)
{
	return (struct time_range){
		a.begin_ns < b.begin_ns ? a.begin_ns : b.begin_ns,
		a.end_ns > b.end_ns ? a.end_ns : b.end_ns,
	};
}

struct time_range time_range_clip(struct time_range range, const struct time_bounds *bounds)
{
	const uint64_t first = round_down(bounds->known_ns, TIME_TICK_NS);
	const uint64_t last = round_up(bounds->newest_ns, TIME_TICK_NS);

	range.begin_ns = round_down(range.begin_ns, TIME_TICK_NS);
	range.end_ns = round_up(range.end_ns, TIME_TICK_NS);
	if (range.begin_ns < first)
		range.begin_ns = first;
	if (range.end_ns > last)
		range.end_ns = last;
	return range.begin_ns < range.end_ns ? range : (struct time_range){ 0, 0 };
}
