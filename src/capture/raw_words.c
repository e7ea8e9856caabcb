/* raw_words.c - what numbers are called, by the "print fmt" line of their event: raw_fields_name().
 *
 *   __print_symbolic(REC->mode, { 0, "ABS" }, { 1, "REL" })
 *   __print_flags(REC->prev_state & 0x1ff, "|", { 0x1, "S" }, { 0x2, "D" })
 *
 * Trust: a list counts only if what it is of is the field itself, or the field with high bits
 * masked off: the words for (REC->ioprio >> 13) & 7 are no words for ioprio.
 */
#include "capture/raw_fields.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "capture/format_expression.h"

struct words {
	const char *at;		/* in the print fmt line */
	const char *separator;	/* of flags; NULL: symbolic */
	size_t separator_bytes;
	const char *text;	/* of the word that was read last */
	size_t text_bytes;
	uint64_t number;
};

static bool skip_char(struct words *words, char wanted)
{
	while (isspace((unsigned char)*words->at))
		words->at++;
	if (*words->at != wanted)
		return false;
	words->at++;
	return true;
}

static bool read_quoted(struct words *words, const char **text, size_t *bytes)
{
	if (!skip_char(words, '"'))
		return false;
	*text = words->at;
	*bytes = strcspn(words->at, "\"");
	words->at += *bytes;
	return skip_char(words, '"');
}

/* { NUMBER, "TEXT" } into *@words. False at the end of the list; numbers that are no numbers
 * (enumerators) are passed over. */
static bool next_word(struct words *words)
{
	for (;;) {
		const char *pair_end;
		bool is_number;

		skip_char(words, ',');
		if (!skip_char(words, '{'))
			return false;
		pair_end = strchr(words->at, '}');
		if (!pair_end) {	/* the text ends inside this list: look at none after it */
			words->at += strlen(words->at);
			return false;
		}
		is_number = format_expression_read(&words->at, "", 0, &words->number) &&
			    skip_char(words, ',') &&
			    read_quoted(words, &words->text, &words->text_bytes);
		if (is_number)
			return skip_char(words, '}');
		words->at = pair_end + 1;
	}
}

/* Whether the expression at @at leaves the number as it is; *@end: behind it. */
static bool is_of_field(const char *at, const char *field, uint64_t number, const char **end)
{
	const uint64_t samples[] = { number, 1, 2, 3 };
	uint64_t value;

	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		*end = at;
		if (!format_expression_read(end, field, samples[i], &value) || value != samples[i])
			return false;
	}
	return true;
}

/* The next list behind words->at that is of this field; false: none. */
static bool find_list(struct words *words, const struct raw_field *field, uint64_t number)
{
	static const char symbolic[] = "__print_symbolic(", flags[] = "__print_flags(";
	const char *begin, *end;

	while ((begin = strstr(words->at, "__print_")) != NULL) {
		const bool is_flags = strncmp(begin, flags, sizeof(flags) - 1) == 0;

		words->at = begin + strcspn(begin, "( ");
		if (*words->at != '(' ||
		    (!is_flags && strncmp(begin, symbolic, sizeof(symbolic) - 1) != 0) ||
		    !is_of_field(words->at + 1, field->name, number, &end))
			continue;
		words->at = end;
		words->separator = NULL;
		if (skip_char(words, ',') &&
		    (!is_flags || read_quoted(words, &words->separator, &words->separator_bytes)))
			return true;
	}
	return false;
}

static bool find_symbol(struct words *words, uint64_t number, char *out, size_t room)
{
	while (next_word(words))
		if (words->number == number) {
			snprintf(out, room, "%.*s", (int)words->text_bytes, words->text);
			return true;
		}
	return false;
}

/* As the kernel does: each word whose bits are all there; what is left in hex. */
static bool join_flags(struct words *words, uint64_t number, char *out, size_t room)
{
	uint64_t left = number;
	size_t used = 0;

	while (next_word(words)) {
		const bool is_there = words->number ? (left & words->number) == words->number
						    : number == 0;

		if (!is_there || used >= room)
			continue;
		used += (size_t)snprintf(out + used, room - used, "%.*s%.*s",
					 used ? (int)words->separator_bytes : 0, words->separator,
					 (int)words->text_bytes, words->text);
		left &= ~words->number;
	}
	if (used && used < room && left)
		snprintf(out + used, room - used, "%.*s0x%llx", (int)words->separator_bytes,
			 words->separator, (unsigned long long)left);
	return used > 0;
}

bool raw_fields_name(const struct raw_fields *fields, const struct raw_field *field,
		     uint64_t number, char *out, size_t room)
{
	struct words words = { .at = fields->symbolic };

	if (!fields->symbolic || field->is_text || room == 0)
		return false;
	while (find_list(&words, field, number))
		if (words.separator ? join_flags(&words, number, out, room)
				    : find_symbol(&words, number, out, room))
			return true;
	return false;
}
