/* probe_number.c - see probe_number.h. */
#include "probe_number.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define PART_MAX 1000000000ull	/* nine decimals: times any unit it fits 64 bits */

struct unit {
	const char *suffix;
	uint64_t factor;
	bool is_time;
};

static const struct unit units[] = {	/* the largest first */
	{ "G", 1ull << 30, false }, { "M", 1ull << 20, false }, { "k", 1ull << 10, false },
	{ "K", 1ull << 10, false }, { "", 1, false },
	{ "s", 1000000000, true }, { "ms", 1000000, true }, { "us", 1000, true }, { "ns", 1, true },
};

static const struct unit *find_unit(const char *suffix)
{
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(suffix, units[i].suffix))
			return &units[i];
	return NULL;
}

/* Scales @digits by @factor: "2.5" by 1000 is 2500. False: too large, or too many decimals. */
static bool scale(const char *digits, size_t bytes, uint64_t factor, uint64_t *out)
{
	uint64_t whole = 0, part = 0, divisor = 0;	/* `divisor` 0: no decimal point yet */

	for (size_t i = 0; i < bytes; i++) {
		const uint64_t digit = (uint64_t)(digits[i] - '0');

		if (digits[i] == '.')
			divisor = 1;
		else if (divisor == PART_MAX || whole > (UINT64_MAX - digit) / 10)
			return false;
		else if (!divisor)
			whole = whole * 10 + digit;
		else
			part = part * 10 + digit;
		if (divisor && digits[i] != '.')
			divisor *= 10;
	}
	part = divisor ? part * factor / divisor : 0;
	if (whole > (UINT64_MAX - part) / factor)
		return false;
	*out = whole * factor + part;
	return true;
}

static bool read_hex(const char *digits, uint64_t *out)
{
	const size_t bytes = strspn(digits, "0123456789abcdefABCDEF");

	return bytes && bytes <= 16 && !digits[bytes] && sscanf(digits, "%" SCNx64, out) == 1;
}

bool probe_number_read(const char *text, uint64_t *number, bool *is_negative, bool *is_time)
{
	const char *digits = text + (text[0] == '-');
	const size_t whole = strspn(digits, "0123456789");
	const struct unit *unit;
	size_t bytes = whole;

	*is_time = false;
	*is_negative = digits != text;
	if (digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X'))
		return read_hex(digits + 2, number);
	if (digits[whole] == '.')
		bytes += 1 + strspn(digits + whole + 1, "0123456789");
	unit = find_unit(digits + bytes);
	if (!whole || !unit || digits[bytes - 1] == '.' || (bytes > whole && unit->factor == 1) ||
	    !scale(digits, bytes, unit->factor, number))
		return false;
	*is_time = unit->is_time;
	return !*is_negative || *number <= (uint64_t)INT64_MAX + 1;
}

size_t probe_number_write(int64_t number, bool is_time, char *out, size_t room)
{
	const uint64_t magnitude = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
	const struct unit *unit = find_unit("");

	for (size_t i = 0; number && i < sizeof(units) / sizeof(units[0]); i++) {
		if (units[i].is_time != is_time || magnitude % units[i].factor != 0)
			continue;
		unit = &units[i];
		break;
	}
	return (size_t)snprintf(out, room, "%s%" PRIu64 "%s", number < 0 ? "-" : "",
				magnitude / unit->factor, unit->suffix);
}
