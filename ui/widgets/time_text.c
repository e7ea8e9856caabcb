/* time_text.c - see time_text.h. */
#include "time_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "format.h"

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
static uint64_t told_ns(uint64_t ns, const struct time_zero *zero)
{
	if (zero->is_replay)
		return ns > zero->begin_ns ? ns - zero->begin_ns : 0;
	return ns + zero->wall_offset_ns;
}

static void put_point(char *out, uint64_t ns, const struct time_zero *zero, bool with_ms)
{
	size_t length;

	ns = told_ns(ns, zero);
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
	       told_ns(range->begin_ns, zero) % CLOCK_NS_PER_S >= CLOCK_NS_PER_MS;
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
