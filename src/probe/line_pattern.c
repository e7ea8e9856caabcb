/* line_pattern.c - see line_pattern.h.
 *
 * A '*' that fails to match is tried again one byte further; only the last '*' has to be, since an
 * earlier one that had taken less leaves more to it. So the time is the product of both lengths at
 * most, whatever the pattern.
 */
#include "line_pattern.h"

#include <ctype.h>
#include <string.h>

static const char *skip_blanks(const char *at, const char *end)
{
	while (at < end && isspace((unsigned char)*at))
		at++;
	return at;
}

/* Matches @byte with the class whose '[' is at @pattern; *@next: what follows it. A '[' without its
 * ']' is itself. */
static bool class_matches(const char *pattern, const char *end, unsigned char byte,
			  const char **next)
{
	const bool is_not = pattern + 1 < end && pattern[1] == '!';
	const char *first = pattern + 1 + is_not, *at = first;
	bool is_in = false;

	/* A ']' that comes first is a member. */
	for (; at < end && (*at != ']' || at == first); at++) {
		unsigned char low = (unsigned char)*at, high = low;

		if (at + 2 < end && at[1] == '-' && at[2] != ']') {
			high = (unsigned char)at[2];
			at += 2;
		}
		is_in |= byte >= low && byte <= high;
	}
	*next = at < end ? at + 1 : pattern + 1;
	return at < end ? is_in != is_not : byte == '[';
}

/* Matches what @pattern begins with, no '*', with @byte; *@next: what follows it. */
static bool byte_matches(const char *pattern, const char *end, char byte, const char **next)
{
	if (*pattern == '[')
		return class_matches(pattern, end, (unsigned char)byte, next);
	if (*pattern == '?') {
		*next = pattern + 1;
		return true;
	}
	pattern += *pattern == '\\' && pattern + 1 < end;
	*next = pattern + 1;
	return *pattern == byte;
}

bool line_pattern_matches(const char *pattern, const char *line, size_t bytes)
{
	const char *end = line + bytes, *pattern_end = pattern + strlen(pattern);
	const char *star = NULL, *tried = NULL, *next;

	for (;;) {
		line = skip_blanks(line, end);
		pattern = skip_blanks(pattern, pattern_end);
		if (pattern < pattern_end && *pattern == '*') {
			star = ++pattern;
			tried = line;
		} else if (line == end) {
			return pattern == pattern_end;
		} else if (pattern < pattern_end &&
			   byte_matches(pattern, pattern_end, *line, &next)) {
			pattern = next;
			line++;
		} else if (star) {
			pattern = star;
			line = tried = skip_blanks(tried, end) + 1;
		} else {
			return false;
		}
	}
}

size_t line_pattern_find(const char *pattern, const char *text, size_t bytes, uint32_t first,
			 uint32_t last, uint32_t *out, size_t room)
{
	const char *end = text + bytes;
	size_t count = 0;

	for (uint32_t number = 1; text < end && number <= last; number++) {
		const char *stop = memchr(text, '\n', (size_t)(end - text));
		const size_t length = (size_t)((stop ? stop : end) - text);

		if (number >= first && line_pattern_matches(pattern, text, length)) {
			if (count < room)
				out[count] = number;
			count++;
		}
		text += length + 1;
	}
	return count;
}
