/* time_range.c - see time_range.h.
 *
 * Idea: a step starts from the range requested last, not from what is on the screen, so that a held
 * key goes as far as it was pressed however late snapshots are. Only the bounds of history come
 * from the last snapshot.
 */
#include "time_range.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "widgets/format.h"

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

#define POINT_BYTES 32

static void put_count(char *out, uint64_t ns)
{
	const uint64_t seconds = ns / CLOCK_NS_PER_S;

	if (seconds < 3600)
		snprintf(out, POINT_BYTES, "%" PRIu64 ":%02" PRIu64, seconds / 60, seconds % 60);
	else
		snprintf(out, POINT_BYTES, "%" PRIu64 ":%02" PRIu64 ":%02" PRIu64, seconds / 3600,
			 seconds % 3600 / 60, seconds % 60);
}

static void put_clock(char *out, uint64_t wall_ns)
{
	const time_t wall = (time_t)(wall_ns / CLOCK_NS_PER_S);
	struct tm local;

	out[0] = '\0';
	if (localtime_r(&wall, &local))
		strftime(out, POINT_BYTES, "%H:%M:%S", &local);
}

/* Returns the time to print: since the recording's start, or since 1970. */
static uint64_t shown_ns(uint64_t ns, const struct time_zero *zero)
{
	if (zero->is_replay)
		return ns > zero->begin_ns ? ns - zero->begin_ns : 0;
	return ns + zero->wall_offset_ns;
}

static void put_point(char *out, uint64_t ns, const struct time_zero *zero, bool with_ms)
{
	size_t length;

	ns = shown_ns(ns, zero);
	if (zero->is_replay)
		put_count(out, ns);
	else
		put_clock(out, ns);
	length = strlen(out);
	if (with_ms)
		snprintf(out + length, POINT_BYTES - length, ".%03u",
			 (unsigned int)(ns % CLOCK_NS_PER_S / CLOCK_NS_PER_MS));
}

static bool has_ms(const struct time_range *range, const struct time_zero *zero)
{
	if ((range->end_ns - range->begin_ns) % CLOCK_NS_PER_S)
		return true;
	return zero->is_exact &&
	       shown_ns(range->begin_ns, zero) % CLOCK_NS_PER_S >= CLOCK_NS_PER_MS;
}

char *time_text_range(char *out, const struct time_range *range, const struct time_zero *zero)
{
	char begin[POINT_BYTES], end[POINT_BYTES];

	put_point(begin, range->begin_ns, zero, has_ms(range, zero));
	put_point(end, range->end_ns, zero, has_ms(range, zero));
	snprintf(out, TIME_TEXT_BYTES, "%s\u2013%s", begin, end);
	return out;
}

char *time_text_ago(char *out, const struct time_range *range, const struct time_zero *zero,
		    uint64_t newest_ns)
{
	const uint64_t ago = newest_ns > range->end_ns ? newest_ns - range->end_ns : 0;
	char text[FORMAT_BYTES];

	if (zero->is_replay) {
		put_point(text, newest_ns, zero, has_ms(range, zero));
		snprintf(out, TIME_TEXT_BYTES, "of %s", text);
	} else {
		snprintf(out, TIME_TEXT_BYTES, "\u2212%s",
			 format_duration(text, (double)ago / 1e9));
	}
	return out;
}
