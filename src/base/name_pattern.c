/* name_pattern.c - see base/name_pattern.h. */
#include "base/name_pattern.h"

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
