/* format.c - see format.h. */
#include "format.h"

#include <math.h>
#include <stdio.h>

#include "term/utf8.h"

/* Three digits and a unit; the digits after the point follow from the size. */
static char *format_scaled(char *out, double value, const char *gap, const char *const *units)
{
	size_t unit = 0;

	while (value >= 999.5 && units[unit + 1]) {
		value /= 1000;
		unit++;
	}
	if (unit == 0)
		snprintf(out, FORMAT_BYTES, "%.0f%s%s", value, gap, units[unit]);
	else
		snprintf(out, FORMAT_BYTES, "%.*f%s%s", value < 9.995 ? 2 : value < 99.95 ? 1 : 0,
			 value, gap, units[unit]);
	return out;
}

char *format_count(char *out, uint64_t count)
{
	static const char *const units[] = { "", "k", "M", "G", "T", "P", "E", NULL };

	if (count < 10000) {
		snprintf(out, FORMAT_BYTES, "%llu", (unsigned long long)count);
		return out;
	}
	return format_scaled(out, (double)count, "", units);
}

char *format_bytes(char *out, uint64_t bytes)
{
	static const char *const units[] = { "B", "kB", "MB", "GB", "TB", "PB", "EB", NULL };

	return format_scaled(out, (double)bytes, " ", units);
}

char *format_duration(char *out, double seconds)
{
	const long long whole = (long long)(seconds + 0.5);

	if (seconds < 0.9995)
		snprintf(out, FORMAT_BYTES, "%.0f ms", seconds * 1000);
	else if (seconds < 9.95 && fabs(seconds - (double)whole) >= 0.05)
		snprintf(out, FORMAT_BYTES, "%.1f s", seconds);
	else if (whole < 120)
		snprintf(out, FORMAT_BYTES, "%lld s", whole);
	else if (whole < 7200)
		snprintf(out, FORMAT_BYTES, "%lld m %02lld s", whole / 60, whole % 60);
	else
		snprintf(out, FORMAT_BYTES, "%lld h %02lld m", whole / 3600, whole % 3600 / 60);
	return out;
}

static const char *const time_units[] = { "ns", "\u00b5s", "ms", "s", NULL };

char *format_latency(char *out, uint64_t ns)
{
	return format_scaled(out, (double)ns, "", time_units);
}

char *format_wait(char *out, double ns)
{
	return format_scaled(out, ns, " ", time_units);
}

char *format_lease(char *out, double seconds)
{
	const long long whole = (long long)(seconds + 0.5);

	if (seconds < 0)
		snprintf(out, FORMAT_BYTES, "-");
	else if (whole < 3600)
		snprintf(out, FORMAT_BYTES, "%lld:%02lld", whole / 60, whole % 60);
	else
		snprintf(out, FORMAT_BYTES, "%lldh%02lld", whole / 3600, whole % 3600 / 60);
	return out;
}

char *format_pct(char *out, double pct)
{
	snprintf(out, FORMAT_BYTES, "%.*f", pct < 99.995 ? 2 : 1, pct);
	return out;
}

char *format_bar(char *out, size_t cap, int cells, double fraction, bool is_ascii)
{
	const int steps_per_cell = is_ascii ? 1 : 8;
	const int all_steps = cells * steps_per_cell;
	int steps = (int)lround(fraction * all_steps);
	size_t used = 0;

	if (steps > all_steps)
		steps = all_steps;
	if (steps <= 0)
		steps = fraction > 0 ? 1 : 0;
	out[0] = '\0';
	for (; steps > 0 && used + UTF8_MAX_BYTES < cap; steps -= steps_per_cell) {
		/* U+2588 is the full block, U+258F one eighth of it */
		const uint32_t block = steps >= 8 ? 0x2588u : 0x2590u - (uint32_t)steps;

		used += utf8_encode(out + used, is_ascii ? '#' : block);
	}
	return out;
}
