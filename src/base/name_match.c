/* name_match.c - see base/name_match.h. */
#include "base/name_match.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

static const char name_letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				   "_.$*?,";

/* Finds the braces around the first alternatives. Returns NULL when there are none. */
static const char *find_braces(const char *text, const char **end)
{
	for (const char *at = strchr(text, '{'); at; at = strchr(at + 1, '{')) {
		const size_t bytes = strspn(at + 1, name_letters);

		if (at[1 + bytes] != '}' || !memchr(at + 1, ',', bytes))
			continue;
		*end = at + 1 + bytes;
		return at;
	}
	return NULL;
}

bool name_pattern_has_alternatives(const char *text)
{
	const char *end;

	return find_braces(text, &end) != NULL;
}

bool name_pattern_matches(const char *pattern, const char *text)
{
	const char *end, *braces = find_braces(pattern, &end);
	char one[NAME_PATTERN_BYTES];

	if (!braces)
		return fnmatch(pattern, text, FNM_NOESCAPE) == 0;
	for (const char *part = braces + 1; part <= end; part += strcspn(part, ",}") + 1) {
		const int used = snprintf(one, sizeof(one), "%.*s%.*s%s", (int)(braces - pattern),
					  pattern, (int)strcspn(part, ",}"), part, end + 1);

		/* One group less: it ends. */
		if (used < (int)sizeof(one) && name_pattern_matches(one, text))
			return true;
	}
	return false;
}

#define TYPED_MAX_BYTES 40	/* longer than any name there is: such text is near to none */
#define KNOWN_MAX_BYTES 64

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Levenshtein's distance, where two neighbours that are swapped are one error as well (optimal
 * string alignment). Three rows of its table are kept. */
static size_t edit_distance(const char *a, const char *b)
{
	size_t rows[3][KNOWN_MAX_BYTES + 1];
	size_t *two_back = rows[0], *back = rows[1], *row = rows[2];
	const size_t width = strlen(b);

	for (size_t j = 0; j <= width; j++)
		row[j] = j;
	for (size_t i = 0; a[i]; i++) {
		size_t *const oldest = two_back;

		two_back = back;
		back = row;
		row = oldest;
		row[0] = i + 1;
		for (size_t j = 0; j < width; j++) {
			row[j + 1] = smaller(smaller(row[j], back[j + 1]) + 1,
					     back[j] + (a[i] != b[j]));
			if (i && j && a[i] == b[j - 1] && a[i - 1] == b[j])
				row[j + 1] = smaller(row[j + 1], two_back[j - 1] + 1);
		}
	}
	return row[width];
}

void near_name_start(struct near_name *near, const char *typed)
{
	const size_t length = strlen(typed);

	near->typed = typed;
	near->nearest = NULL;
	/* One error in three letters is near. */
	near->distance = length > TYPED_MAX_BYTES ? 0 : length / 3 + 1;
}

void near_name_try(struct near_name *near, const char *known)
{
	size_t distance;

	if (near->distance == 0 || strlen(known) > KNOWN_MAX_BYTES)
		return;
	distance = edit_distance(near->typed, known);
	if (distance < near->distance) {
		near->distance = distance;
		near->nearest = known;
	}
}
