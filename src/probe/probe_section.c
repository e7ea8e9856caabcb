/* probe_section.c - see probe_section.h. */
#include "probe/probe_section.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/name_match.h"

int probe_column_refuse(struct diag *why, size_t at, const char *format, ...)
{
	char sentence[440];	/* fits after "column N: " */
	va_list args;

	va_start(args, format);
	vsnprintf(sentence, sizeof(sentence), format, args);
	va_end(args);
	return diag_set(why, -EINVAL, "column %zu: %s", at + 1, sentence);
}

struct reader {
	const char *line;
	size_t at;
	size_t used;		/* bytes used of the section's text */
	bool in_quotes;
	unsigned int stops;	/* bits of what ends the last section */
};

/* Reads a byte, or an escaped one. */
static void take_byte(struct reader *reader, struct probe_section *out)
{
	const bool is_escaped = reader->line[reader->at] == '\\' && reader->line[reader->at + 1];
	const bool is_literal = is_escaped || reader->in_quotes;
	const char byte = reader->line[reader->at + is_escaped];
	const bool is_star = byte == '*' || byte == '?';

	reader->at += 1u + is_escaped;
	if (reader->used < sizeof(out->text))
		out->text[reader->used] = byte;
	reader->used++;
	if (is_literal)
		out->literal_bytes = reader->used;
	out->is_wildcard |= is_star && !is_literal;
	out->has_literal_star |= is_star && is_literal;
}

/* True: @next is a separator: the first of an odd number of colons. */
static bool is_separator(const char *next)
{
	return strspn(next, ":") % 2;
}

bool probe_section_is_arrow(const char *line, size_t at)
{
	static const char operator[] = "operator";
	const size_t bytes = sizeof(operator) - 1;

	return !strncmp(line + at, "->", 2) &&
	       (at < bytes || strncmp(line + at - bytes, operator, bytes) != 0);
}

static bool is_end(const struct reader *reader)
{
	const char *next = reader->line + reader->at;

	return !*next || isspace((unsigned char)*next) || (*next == ':' && is_separator(next)) ||
	       ((reader->stops & STOP_PATTERN) && *next == ';') ||
	       ((reader->stops & STOP_ARROW) && probe_section_is_arrow(reader->line, reader->at));
}

static int read_section(struct reader *reader, struct probe_section *out, struct diag *why)
{
	*out = (struct probe_section){ .from = reader->at };
	reader->used = 0;
	while (reader->in_quotes ? reader->line[reader->at] : !is_end(reader)) {
		const char *next = reader->line + reader->at;

		if (*next == '"') {
			reader->in_quotes = !reader->in_quotes;
			reader->at++;
		} else if (!reader->in_quotes && *next == ':') {
			take_byte(reader, out);
			take_byte(reader, out);
		} else {
			take_byte(reader, out);
		}
	}
	if (reader->in_quotes)
		return probe_column_refuse(why, out->from, "the quote does not end");
	if (!reader->used)
		return probe_column_refuse(why, out->from, "a name is missing");
	if (reader->used >= sizeof(out->text))
		return probe_column_refuse(why, out->from, "a name of more than %zu bytes",
					   sizeof(out->text) - 1);
	if (out->is_wildcard && out->has_literal_star)
		return probe_column_refuse(why, out->from, "* and ? are either all in quotes, "
					   "as they are, or none, as wildcards");
	out->text[reader->used] = '\0';
	out->is_wildcard |= !out->literal_bytes && name_pattern_has_alternatives(out->text);
	return 0;
}

int probe_sections_read(struct probe_section out[PROBE_SECTIONS_MAX], size_t *count,
			const char *line, size_t *at, unsigned int stops, struct diag *why)
{
	struct reader reader = { .line = line, .at = *at, .stops = stops };
	int err;

	for (*count = 0;;) {
		if (*count == PROBE_SECTIONS_MAX)
			return probe_column_refuse(why, reader.at, "too many parts; a ':' inside "
						   "of a name is written \\: or in \"quotes\"");
		err = read_section(&reader, &out[*count], why);
		if (err)
			return err;
		++*count;
		if (line[reader.at] != ':')
			break;
		reader.at++;
	}
	*at = reader.at;
	return 0;
}

bool probe_section_number(const char *text, unsigned long long *out)
{
	char *end;

	if (!isdigit((unsigned char)text[0]))
		return false;
	errno = 0;
	*out = strtoull(text, &end, text[0] == '0' && (text[1] == 'x' || text[1] == 'X') ? 16 : 10);
	return !errno && !*end;
}

static bool is_bare(const char *whole)
{
	for (const char *text = whole; *text; text++) {
		if (probe_section_is_arrow(whole, (size_t)(text - whole)))
			return false;
		if (*text == ':' && strspn(text, ":") == 2 && text[2])
			text++;
		else if (!isalnum((unsigned char)*text) && !strchr("_./-$~<>,=&", *text))
			return false;
	}
	return true;
}

size_t probe_section_write(const char *text, char *out, size_t room)
{
	size_t used = 1;

	if (text[0] != ':' && is_bare(text))
		return (size_t)snprintf(out, room, "%s", text);
	if (room)
		out[0] = '"';
	for (; *text; text++) {
		if (strchr("\"\\", *text) && used++ < room)
			out[used - 1] = '\\';
		if (used++ < room)
			out[used - 1] = *text;
	}
	if (used++ < room)
		out[used - 1] = '"';
	if (room)
		out[used < room ? used : room - 1] = '\0';
	return used;
}

int probe_section_even(const char *line, size_t bytes, char *out, size_t room, struct diag *why)
{
	bool in_quotes = false, is_escaped = false, has_gap = false;
	size_t used = 0;

	for (size_t i = 0; i < bytes; i++) {
		if (isspace((unsigned char)line[i]) && !in_quotes && !is_escaped) {
			has_gap = used > 0;
			continue;
		}
		if (iscntrl((unsigned char)line[i]))
			return probe_column_refuse(why, i, "a control character");
		if (used + has_gap + 1 >= room)
			return diag_set(why, -EINVAL, "a spec of more than %zu bytes", room - 1);
		if (has_gap)
			out[used++] = ' ';
		has_gap = false;
		in_quotes ^= line[i] == '"' && !is_escaped;
		is_escaped = line[i] == '\\' && !is_escaped;
		out[used++] = line[i];
	}
	out[used] = '\0';
	return 0;
}
