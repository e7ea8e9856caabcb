/* safe_print.c - see base/safe_print.h. */
#include "base/safe_print.h"

#include <stdarg.h>
#include <stdbool.h>
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

/* Safe text has no character that XML forbids. */
void safe_put_xml(FILE *out, struct safe_text text)
{
	static const char *const entities[] = {
		['&'] = "&amp;", ['<'] = "&lt;", ['>'] = "&gt;", ['"'] = "&quot;", ['\''] = "&#39;",
	};

	for (const char *at = text.chars; *at; at++) {
		const unsigned char code = (unsigned char)*at;

		if (code < sizeof(entities) / sizeof(entities[0]) && entities[code])
			fputs(entities[code], out);
		else
			putc(code, out);
	}
}

static bool is_formula(const char *text)
{
	static const char *const wide[] = { "\uff1d", "\uff0b", "\uff0d", "\uff20" };

	for (size_t i = 0; i < sizeof(wide) / sizeof(wide[0]); i++)
		if (!strncmp(text, wide[i], strlen(wide[i])))
			return true;
	return *text && strchr("=+-@'", *text);
}

void safe_put_csv(FILE *out, struct safe_text text)
{
	const size_t length = strlen(text.chars);
	const bool has_marks = strpbrk(text.chars, ",\"\r\n") || text.chars[0] == ' ' ||
			       (length && text.chars[length - 1] == ' ');

	if (has_marks)
		putc('"', out);
	if (is_formula(text.chars))
		putc('\'', out);
	for (const char *at = text.chars; *at; at++) {
		if (*at == '"')
			putc('"', out);
		putc(*at, out);
	}
	if (has_marks)
		putc('"', out);
}

/* No character that is written as an entity begins markup or ends a cell. In a code span there are
 * no entities, and readers differ on a backslash before a bar; so a text with such characters is in
 * an element <code>, which shows the same. */
void safe_put_markdown(FILE *out, struct safe_text text)
{
	if (!text.chars[0])
		return;
	if (!strpbrk(text.chars, "`|\\\n") && text.chars[0] != ' ') {
		fprintf(out, "`%s`", text.chars);
		return;
	}
	fputs("<code>", out);
	for (const char *at = text.chars; *at; at++)
		if (strchr("`|\\<>&*_~[]()!#@:.$\"'\n", *at))
			fprintf(out, "&#%d;", *at);
		else
			putc(*at, out);
	fputs("</code>", out);
}

void safe_print_checked(FILE *out, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vfprintf(out, format, args);
	va_end(args);
}
