/* page_text.c - see page_text.h. */
#include "page_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "base/clock.h"

char *page_text_count(char out[PAGE_TEXT_BYTES], uint64_t count)
{
	char digits[PAGE_TEXT_BYTES];
	const int length = snprintf(digits, sizeof(digits), "%" PRIu64, count);
	size_t at = 0;

	for (int i = 0; i < length; i++) {
		if (i && (length - i) % 3 == 0)
			out[at++] = ',';
		out[at++] = digits[i];
	}
	out[at] = '\0';
	return out;
}

static void format_seconds(char out[PAGE_TEXT_BYTES], uint64_t seconds)
{
	if (seconds < 3600)
		snprintf(out, PAGE_TEXT_BYTES, "%" PRIu64 ":%02" PRIu64, seconds / 60,
			 seconds % 60);
	else
		snprintf(out, PAGE_TEXT_BYTES, "%" PRIu64 ":%02" PRIu64 ":%02" PRIu64,
			 seconds / 3600, seconds % 3600 / 60, seconds % 60);
}

char *page_text_time(char out[PAGE_TEXT_BYTES], const struct snapshot *snapshot, uint64_t ns,
		       bool with_date)
{
	time_t wall;
	struct tm local;

	out[0] = '\0';
	if (snapshot->is_replay) {
		format_seconds(out, (ns > snapshot->known_ns ? ns - snapshot->known_ns : 0) /
					  CLOCK_NS_PER_S);
		return out;
	}
	wall = (time_t)((ns + clock_wall_offset_ns()) / CLOCK_NS_PER_S);
	if (localtime_r(&wall, &local))
		strftime(out, PAGE_TEXT_BYTES, with_date ? "%Y-%m-%d %H:%M:%S" : "%H:%M:%S",
			 &local);
	return out;
}

char *page_text_length(char out[PAGE_TEXT_BYTES], double ns)
{
	static const struct { double ns; const char *unit; } units[] = {
		{ 1e9, "s" }, { 1e6, "ms" }, { 1e3, "\u00b5s" }, { 1, "ns" },
	};
	size_t i = 0;

	while (i < 3 && ns < units[i].ns)
		i++;
	snprintf(out, PAGE_TEXT_BYTES, "%.*f %s", i == 3 ? 0 : 1, ns / units[i].ns, units[i].unit);
	return out;
}
