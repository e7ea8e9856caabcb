/* safe_print.c - see base/safe_print.h. */
#include "base/safe_print.h"

#include <stdarg.h>
#include <string.h>

void safe_put_text(FILE *out, struct safe_text text)
{
	fputs(text.chars, out);
}

void safe_put_escaped(FILE *out, struct safe_text text, const char *special)
{
	for (const char *at = text.chars; *at; at++) {
		if (strchr(special, *at))
			putc('\\', out);
		putc(*at, out);
	}
}

/* Safe text has no control characters, so these two are all that must be escaped. */
void safe_put_json(FILE *out, struct safe_text text)
{
	safe_put(out, "\"");
	safe_put_escaped(out, text, "\"\\");
	safe_put(out, "\"");
}

void safe_print_checked(FILE *out, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vfprintf(out, format, args);
	va_end(args);
}
