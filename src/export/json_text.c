/* json_text.c - see json_text.h. */
#include "json_text.h"

#include <string.h>

#include "base/safe_print.h"

/* Clean text has no control characters, so these two are all that must be escaped. */
static const char special[] = "\"\\";

void json_put_string(FILE *out, struct safe_text text)
{
	safe_put(out, "\"");
	safe_put_escaped(out, text, special);
	safe_put(out, "\"");
}

void json_put_lines(FILE *out, const char *lines)
{
	char line[JSON_LINE_BYTES];

	safe_put(out, "\"");
	while (*lines) {
		const size_t length = strcspn(lines, "\n");

		safe_put_escaped(out, sanitize(line, sizeof(line), lines, length), special);
		lines += length;
		if (*lines) {
			safe_put(out, "\\u000a");
			lines++;
		}
	}
	safe_put(out, "\"");
}
