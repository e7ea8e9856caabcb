/* perf_data_time.c - see capture/perf_data.h: times in a recording, as users write them.
 *
 * Records have the time of the clock that perf used, which counts from some start of its own. With
 * perf record -k the recording has what that clock and the wall clock read at one moment. Otherwise
 * the last record is taken to be as old as the last change of the file: that is wrong by the time
 * that perf needed to write its end, and after a copy that did not keep the file's time.
 */
#include "perf_data_time.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"

#define NS_PER_S     ((uint64_t)CLOCK_NS_PER_S)
#define DAY_S	     (24 * 3600)
#define MAX_SECONDS  1e9	/* 31 years; in nanoseconds far from the end of 64 bits */

static int refuse(const char *text, struct diag *why)
{
	return diag_set(why, -EINVAL, "%s is no time: give 03:12 or 03:12:05 of the day, "
			"'2026-11-29 03:12', -2h before the recording's end, +30s after its begin, "
			"or seconds as perf script prints them", text);
}

/* Reads a number of @digits digits, at least one, that is at most @most. */
static bool take_digits(const char **at, int digits, int most, int *out)
{
	int value = 0, count = 0;

	for (; count < digits && isdigit((unsigned char)(*at)[count]); count++)
		value = 10 * value + ((*at)[count] - '0');
	*at += count;
	*out = value;
	return count && value <= most;
}

/* Reads ".25": a fraction of a second; none is 0. */
static bool take_fraction(const char **at, uint64_t *ns)
{
	uint64_t unit = NS_PER_S / 10;

	*ns = 0;
	if (**at != '.')
		return true;
	if (!isdigit((unsigned char)*++*at))
		return false;
	for (; isdigit((unsigned char)**at); (*at)++, unit /= 10)
		*ns += unit * (uint64_t)(**at - '0');
	return true;
}

/* Reads "03:12", "03:12:05" or "03:12:05.250" up to the end. */
static bool parse_clock(const char *at, int *seconds, uint64_t *ns)
{
	int hour, minute, second = 0;

	if (!take_digits(&at, 2, 23, &hour) || *at++ != ':' || !take_digits(&at, 2, 59, &minute))
		return false;
	*ns = 0;
	if (*at == ':') {
		at++;
		if (!take_digits(&at, 2, 60, &second) || !take_fraction(&at, ns))
			return false;
	}
	*seconds = 3600 * hour + 60 * minute + second;
	return !*at;
}

/* Reads "2026-11-29", then maybe a time of the day after a blank or a T. */
static bool parse_date(const char *at, struct perf_data_time *out)
{
	struct tm day = { .tm_isdst = -1 };
	int year, month, seconds = 0;
	uint64_t ns = 0;
	time_t wall;

	if (!take_digits(&at, 4, 9999, &year) || *at++ != '-' ||
	    !take_digits(&at, 2, 12, &month) || *at++ != '-' ||
	    !take_digits(&at, 2, 31, &day.tm_mday))
		return false;
	if (year < 1971 || !month || !day.tm_mday || (*at && *at != ' ' && *at != 'T'))
		return false;
	if (*at && !parse_clock(at + 1, &seconds, &ns))
		return false;
	day.tm_year = year - 1900;
	day.tm_mon = month - 1;
	day.tm_hour = seconds / 3600;
	day.tm_min = seconds / 60 % 60;
	day.tm_sec = seconds % 60;
	wall = mktime(&day);
	if (wall < 0)
		return false;
	*out = (struct perf_data_time){ PERF_DATA_TIME_WALL, (uint64_t)wall * NS_PER_S + ns };
	return true;
}

/* Reads "2h", "1h30m", "90" (seconds), "250ms". */
static bool parse_length(const char *at, uint64_t *ns)
{
	static const struct { const char *name; double seconds; } units[] = {
		{ "ms", 1e-3 }, { "s", 1 }, { "m", 60 }, { "h", 3600 }, { "d", DAY_S }, { "", 1 },
	};
	double seconds = 0;
	size_t unit;

	if (!*at)
		return false;
	while (*at) {
		char *end;
		const double number = isdigit((unsigned char)*at) ? strtod(at, &end) : -1;

		if (number < 0)
			return false;
		for (unit = 0; strncmp(end, units[unit].name, strlen(units[unit].name)); unit++)
			;
		at = end + strlen(units[unit].name);
		if (!units[unit].name[0] && *at)
			return false;
		seconds += number * units[unit].seconds;
	}
	if (!isfinite(seconds) || seconds > MAX_SECONDS)
		return false;
	*ns = (uint64_t)(seconds * 1e9);
	return true;
}

/* Reads seconds of the recording's clock. Not by strtod(): nanoseconds need more digits. */
static bool parse_seconds(const char *at, uint64_t *ns)
{
	uint64_t seconds = 0;

	if (!isdigit((unsigned char)*at))
		return false;
	for (; isdigit((unsigned char)*at); at++) {
		seconds = 10 * seconds + (uint64_t)(*at - '0');
		if (seconds > UINT64_MAX / NS_PER_S / 10)
			return false;
	}
	if (!take_fraction(&at, ns) || *at)
		return false;
	*ns += seconds * NS_PER_S;
	return true;
}

int perf_data_time_parse(struct perf_data_time *out, const char *text, struct diag *why)
{
	int seconds;
	uint64_t ns;

	if (text[0] == '-' || text[0] == '+') {
		if (!parse_length(text + 1, &ns))
			return refuse(text, why);
		*out = (struct perf_data_time){ text[0] == '-' ? PERF_DATA_TIME_BEFORE_END
						: PERF_DATA_TIME_AFTER_BEGIN, ns };
	} else if (strchr(text, '-')) {
		if (!parse_date(text, out))
			return refuse(text, why);
	} else if (strchr(text, ':')) {
		if (!parse_clock(text, &seconds, &ns))
			return refuse(text, why);
		*out = (struct perf_data_time){ PERF_DATA_TIME_OF_DAY,
						(uint64_t)seconds * NS_PER_S + ns };
	} else {
		if (!parse_seconds(text, &ns))
			return refuse(text, why);
		*out = (struct perf_data_time){ PERF_DATA_TIME_CLOCK, ns };
	}
	return 0;
}

bool perf_data_time_needs_span(const struct perf_data_time *time)
{
	return time->kind != PERF_DATA_TIME_NONE && time->kind != PERF_DATA_TIME_CLOCK;
}

/* Returns the wall-clock time of @seconds after midnight, @days after the day of @wall_ns. */
static uint64_t on_day(uint64_t wall_ns, int days, uint64_t of_day_ns)
{
	const time_t wall = (time_t)(wall_ns / NS_PER_S);
	const int seconds = (int)(of_day_ns / NS_PER_S);
	struct tm day;
	time_t then;

	if (!localtime_r(&wall, &day))
		return wall_ns;
	day.tm_mday += days;
	day.tm_hour = seconds / 3600;
	day.tm_min = seconds / 60 % 60;
	day.tm_sec = seconds % 60;
	day.tm_isdst = -1;
	then = mktime(&day);
	return then < 0 ? wall_ns : (uint64_t)then * NS_PER_S + of_day_ns % NS_PER_S;
}

/* The day is the recording's first; or, if that was before its begin, a later one that it lasted
 * until. */
static uint64_t find_day(const struct perf_data_span *span, uint64_t of_day_ns)
{
	const uint64_t first_ns = span->first_ns + span->wall_offset_ns;
	const uint64_t last_ns = span->last_ns + span->wall_offset_ns;
	const uint64_t then_ns = on_day(first_ns, 0, of_day_ns);
	const uint64_t next_ns = on_day(first_ns, 1, of_day_ns);

	return then_ns < first_ns && next_ns <= last_ns ? next_ns : then_ns;
}

static uint64_t minus(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

uint64_t perf_data_time_resolve(const struct perf_data_time *time,
				const struct perf_data_span *span)
{
	switch (time->kind) {
	case PERF_DATA_TIME_AFTER_BEGIN:
		return span->first_ns + time->ns;
	case PERF_DATA_TIME_BEFORE_END:
		return minus(span->last_ns, time->ns);
	case PERF_DATA_TIME_OF_DAY:
		return minus(find_day(span, time->ns), span->wall_offset_ns);
	case PERF_DATA_TIME_WALL:
		return minus(time->ns, span->wall_offset_ns);
	case PERF_DATA_TIME_NONE:
	case PERF_DATA_TIME_CLOCK:
		break;
	}
	return time->ns;
}
