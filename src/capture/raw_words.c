/* raw_words.c - names of numbers, from the "print fmt" line of their event.
 *
 *   __print_symbolic(REC->mode, { 0, "ABS" }, { 1, "REL" })
 *   REC->prev_state & 0xff ? __print_flags(REC->prev_state & 0xff, "|", { 0x1, "S" }) : "R",
 *   REC->prev_state & 0x100 ? "+" : ""
 *   "%d,%d", (REC->dev >> 20), (REC->dev & 0xfffff)
 *
 * Idea: the kernel's text for a field is the output of the arguments that read only this field.
 * Arguments with adjacent conversions ("%s%s", "%d,%d") form one text.
 *
 * Trust: a single argument is used only if it distinguishes all numbers: if it is the field itself,
 * or the field with high bits masked off. The words for (REC->ioprio >> 13) & 7 are not names of
 * values of ioprio.
 */
#include "capture/raw_fields.h"

#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Evaluates the integer expressions of a print fmt line: numbers, REC->FIELD of one field, casts,
 * parentheses and the operators below. Refuses those with ?:, calls or enumerators.
 *
 * Idea: precedence climbing over a table of binary operators. All numbers have 64 bits; signedness
 * matters only for comparison, division and right shift, and formats use these only with operands
 * that are not negative. */

#define NESTING_MAX 100	/* sched_switch of 6.18 has 12 */

struct reader {
	const char *at, *field;
	uint64_t number;
	int depth;
};

enum join {
	TIMES, DIVIDED, MODULO, PLUS, MINUS, SHIFT_LEFT, SHIFT_RIGHT, LESS_EQUAL, MORE_EQUAL, LESS,
	MORE, EQUAL, UNEQUAL, BOTH, EITHER, BIT_AND, BIT_XOR, BIT_OR, OPERATORS
};

/* An operator precedes those that are a prefix of it. */
static const struct { const char *text; int binds; } operators[OPERATORS] = {
	[TIMES] = { "*", 10 },	      [DIVIDED] = { "/", 10 },	  [MODULO] = { "%", 10 },
	[PLUS] = { "+", 9 },	      [MINUS] = { "-", 9 },	  [SHIFT_LEFT] = { "<<", 8 },
	[SHIFT_RIGHT] = { ">>", 8 },  [LESS_EQUAL] = { "<=", 7 }, [MORE_EQUAL] = { ">=", 7 },
	[LESS] = { "<", 7 },	      [MORE] = { ">", 7 },	  [EQUAL] = { "==", 6 },
	[UNEQUAL] = { "!=", 6 },      [BOTH] = { "&&", 2 },	  [EITHER] = { "||", 1 },
	[BIT_AND] = { "&", 5 },	      [BIT_XOR] = { "^", 4 },	  [BIT_OR] = { "|", 3 },
};

static bool read_operators(struct reader *reader, int binds_min, uint64_t *value);

static void skip_space(const char **at)
{
	while (isspace((unsigned char)**at))
		++*at;
}

static bool skip_char(const char **at, char wanted)
{
	skip_space(at);
	if (**at != wanted)
		return false;
	++*at;
	return true;
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static bool read_number(struct reader *reader, uint64_t *value)
{
	char *end;

	*value = strtoull(reader->at, &end, 0);
	reader->at = end + strspn(end, "uUlL");
	return !is_word(*reader->at);
}

static bool read_field(struct reader *reader, uint64_t *value)
{
	const size_t len = strlen(reader->field);

	if (strncmp(reader->at, "REC->", 5) != 0 ||
	    strncmp(reader->at + 5, reader->field, len) != 0 || is_word(reader->at[5 + len]))
		return false;
	reader->at += 5 + len;
	*value = reader->number;
	return *reader->at != '[';
}

/* Skips a cast, "(unsigned long)": names in parentheses. Ignores the width of the type. */
static bool skip_cast(struct reader *reader)
{
	const char *at = reader->at + 1;

	while (*at == ' ')
		at++;
	if (!isalpha((unsigned char)*at) && *at != '_')
		return false;
	if (strncmp(at, "REC->", 5) == 0)
		return false;
	while (is_word(*at) || *at == ' ' || *at == '*')
		at++;
	if (*at != ')')
		return false;
	reader->at = at + 1;
	return true;
}

static bool read_operand(struct reader *reader, uint64_t *value)
{
	char sign;

	skip_space(&reader->at);
	if (isdigit((unsigned char)*reader->at))
		return read_number(reader, value);
	if (*reader->at == '(' && skip_cast(reader))
		return read_operators(reader, OPERATORS, value);
	if (*reader->at == '(') {
		reader->at++;
		return read_operators(reader, 0, value) && skip_char(&reader->at, ')');
	}
	sign = *reader->at;
	if (sign != '-' && sign != '~' && sign != '!')
		return read_field(reader, value);
	reader->at++;
	if (!read_operators(reader, OPERATORS, value))
		return false;
	*value = sign == '-' ? -*value : sign == '~' ? ~*value : !*value;
	return true;
}

static bool apply(enum join join, uint64_t *left, uint64_t right)
{
	switch (join) {
	case TIMES: *left *= right; break;
	case PLUS: *left += right; break;
	case MINUS: *left -= right; break;
	case SHIFT_LEFT: *left = right < 64 ? *left << right : 0; break;
	case SHIFT_RIGHT: *left = right < 64 ? *left >> right : 0; break;
	case LESS_EQUAL: *left = *left <= right; break;
	case MORE_EQUAL: *left = *left >= right; break;
	case LESS: *left = *left < right; break;
	case MORE: *left = *left > right; break;
	case EQUAL: *left = *left == right; break;
	case UNEQUAL: *left = *left != right; break;
	case BOTH: *left = *left && right; break;
	case EITHER: *left = *left || right; break;
	case BIT_AND: *left &= right; break;
	case BIT_XOR: *left ^= right; break;
	case BIT_OR: *left |= right; break;
	case DIVIDED:
	case MODULO:
		if (!right)
			return false;
		*left = join == DIVIDED ? *left / right : *left % right;
		break;
	case OPERATORS:
		return false;
	}
	return true;
}

static enum join find_operator(struct reader *reader)
{
	skip_space(&reader->at);
	for (int i = 0; i < OPERATORS; i++)
		if (strncmp(reader->at, operators[i].text, strlen(operators[i].text)) == 0)
			return (enum join)i;
	return OPERATORS;
}

/* Evaluates an operand and the following operators that bind at least as tightly as @binds_min;
 * with OPERATORS none. */
static bool read_operators(struct reader *reader, int binds_min, uint64_t *value)
{
	bool is_sound = reader->depth < NESTING_MAX;
	enum join join;
	uint64_t right;

	reader->depth++;
	is_sound = is_sound && read_operand(reader, value);
	while (is_sound && (join = find_operator(reader)) != OPERATORS &&
	       operators[join].binds >= binds_min) {
		reader->at += strlen(operators[join].text);
		is_sound = read_operators(reader, operators[join].binds + 1, &right) &&
			   apply(join, value, right);
	}
	reader->depth--;
	return is_sound;
}

/* Evaluates the expression at *@at, with @number (64 bits, two's complement) for REC->@field, and
 * moves *@at past it. Returns false for unsupported expressions; *@at is undefined then. */
static bool format_expression_read(const char **at, const char *field, uint64_t number,
				   uint64_t *value)
{
	struct reader reader = { .at = *at, .field = field, .number = number };
	const bool is_sound = read_operators(&reader, 0, value);

	*at = reader.at;
	return is_sound;
}

/* A conversion of the format string with the argument that it prints. */
struct argument {
	const char *conversion;	/* after the '%'; NULL: the string has none for it */
	const char *begin, *end;
	bool is_joined;		/* no word or space separates it from the previous one */
};

struct arguments {
	const char *format;	/* rest of the format string */
	const char *at;		/* rest of the arguments; NULL: there are none */
};

struct words {
	const char *at;		/* position in the print fmt line */
	const char *separator;	/* between flags; NULL: symbolic */
	size_t separator_bytes;
	const char *text;	/* text of the last word read */
	size_t text_bytes;
	uint64_t number;
};

struct text {
	char *out;
	size_t room, used;
};

/* One argument while it is evaluated. */
struct reading {
	const char *at;
	const char *field;
	uint64_t number;
	bool is_whole;		/* the argument distinguishes all numbers of the field */
};

static void append(struct text *text, const char *bytes, size_t count)
{
	if (!text || text->used >= text->room)
		return;
	text->used += (size_t)snprintf(text->out + text->used, text->room - text->used, "%.*s",
				       (int)count, bytes);
}

static bool read_quoted(const char **at, const char **text, size_t *bytes)
{
	if (!skip_char(at, '"'))
		return false;
	*text = *at;
	*bytes = strcspn(*at, "\"");
	*at += *bytes;
	return skip_char(at, '"');
}

/* Reads an enumerator whose number every kernel has: include/net/tcp_states.h. Events of the tcp
 * group name the states, where those of sock have the numbers. */
static bool read_enumerator(const char **at, uint64_t *number)
{
	static const char *const states[] = {
		NULL, "TCP_ESTABLISHED", "TCP_SYN_SENT", "TCP_SYN_RECV", "TCP_FIN_WAIT1",
		"TCP_FIN_WAIT2", "TCP_TIME_WAIT", "TCP_CLOSE", "TCP_CLOSE_WAIT", "TCP_LAST_ACK",
		"TCP_LISTEN", "TCP_CLOSING", "TCP_NEW_SYN_RECV",
	};
	const char *begin = *at + strspn(*at, " ");
	const size_t bytes = strcspn(begin, " ,}");

	for (uint64_t state = 1; state < sizeof(states) / sizeof(states[0]); state++)
		if (strlen(states[state]) == bytes && memcmp(states[state], begin, bytes) == 0) {
			*at = begin + bytes;
			*number = state;
			return true;
		}
	return false;
}

/* Reads { NUMBER, "TEXT" } into *@words, skipping pairs with an unknown enumerator for a number.
 * Returns false at the end of the list. */
static bool next_word(struct words *words)
{
	for (;;) {
		const char *pair_end;
		bool is_number;

		skip_char(&words->at, ',');
		if (!skip_char(&words->at, '{'))
			return false;
		pair_end = strchr(words->at, '}');
		if (!pair_end) {	/* the text ends inside this list: look at none after it */
			words->at += strlen(words->at);
			return false;
		}
		is_number = (read_enumerator(&words->at, &words->number) ||
			     format_expression_read(&words->at, "", 0, &words->number)) &&
			    skip_char(&words->at, ',') &&
			    read_quoted(&words->at, &words->text, &words->text_bytes);
		if (is_number)
			return skip_char(&words->at, '}');
		words->at = pair_end + 1;
	}
}

/* Returns true when the expression at @at yields small numbers of the field unchanged, and @number
 * at most without high bits; *@end: after the expression, *@value: its result for @number. */
static bool is_of_field(const char *at, const char *field, uint64_t number, const char **end,
			uint64_t *value)
{
	for (uint64_t sample = 1; sample <= 3; sample++) {
		*end = at;
		if (!format_expression_read(end, field, sample, value) || *value != sample)
			return false;
	}
	*end = at;
	return format_expression_read(end, field, number, value) && (*value & ~number) == 0;
}

/* Returns the text after "__print_symbolic(" or "__print_flags(" at @at; NULL: it is neither. */
static const char *skip_list_name(const char *at, bool *is_flags)
{
	static const char symbolic[] = "__print_symbolic", flags[] = "__print_flags";

	*is_flags = strncmp(at, flags, sizeof(flags) - 1) == 0;
	if (!*is_flags && strncmp(at, symbolic, sizeof(symbolic) - 1) != 0)
		return NULL;
	at += *is_flags ? sizeof(flags) - 1 : sizeof(symbolic) - 1;
	at += strncmp(at, "_u64", 4) == 0 ? 4 : 0;
	return *at == '(' ? at + 1 : NULL;
}

/* Moves to the list after its expression, which ends at words->at; reads the separator of flags. */
static bool begin_list(struct words *words, bool is_flags)
{
	words->separator = NULL;
	return skip_char(&words->at, ',') &&
	       (!is_flags || read_quoted(&words->at, &words->separator, &words->separator_bytes));
}

/* Finds the next list for @field after words->at; false: there is none. */
static bool find_list(struct words *words, const struct raw_field *field)
{
	const char *begin, *end;
	uint64_t value;
	bool is_flags;

	while ((begin = strstr(words->at, "__print_")) != NULL) {
		words->at = begin + 1;
		begin = skip_list_name(begin, &is_flags);
		if (!begin || !is_of_field(begin, field->name, 0, &end, &value))
			continue;
		words->at = end;
		if (begin_list(words, is_flags))
			return true;
	}
	return false;
}

static bool put_symbol(struct words *words, uint64_t number, struct text *out)
{
	while (next_word(words))
		if (words->number == number) {
			append(out, words->text, words->text_bytes);
			return true;
		}
	return false;
}

/* Writes flags like the kernel: each word whose bits are all set, then the other bits in hex. */
static bool put_flags(struct words *words, uint64_t number, struct text *out)
{
	uint64_t left = number;
	bool is_first = true;
	char rest[24];

	while (next_word(words)) {
		const bool is_there = words->number ? (left & words->number) == words->number
						    : number == 0;

		if (!is_there)
			continue;
		if (!is_first)
			append(out, words->separator, words->separator_bytes);
		append(out, words->text, words->text_bytes);
		is_first = false;
		left &= ~words->number;
	}
	if (is_first || !left)
		return !is_first;
	snprintf(rest, sizeof(rest), "0x%llx", (unsigned long long)left);
	append(out, words->separator, words->separator_bytes);
	append(out, rest, strlen(rest));
	return true;
}

static bool skip_list_end(const char **at)
{
	int depth = 1;

	for (; **at; ++*at) {
		if (**at == '"')
			*at += 1 + strcspn(*at + 1, "\"");
		if (!**at)
			return false;
		depth += (**at == '(') - (**at == ')');
		if (!depth) {
			++*at;
			return true;
		}
	}
	return false;
}

/* Reads the list at reading->at, after its name. @out NULL: only skip it. */
static bool read_list(struct reading *reading, bool is_flags, struct text *out)
{
	struct words words;
	const char *end = reading->at;
	uint64_t value;
	bool is_there;

	if (is_of_field(reading->at, reading->field, reading->number, &end, &value))
		reading->is_whole = true;
	else if (end = reading->at,
		 !format_expression_read(&end, reading->field, reading->number, &value))
		return false;
	words.at = end;
	if (!begin_list(&words, is_flags))
		return false;
	is_there = !out || (is_flags ? put_flags(&words, value, out)
				     : put_symbol(&words, value, out));
	return skip_list_end(&reading->at) && is_there;
}

static bool read_text(struct reading *reading, struct text *out, int depth);

/* Reads "CONDITION ? TEXT : TEXT". */
static bool read_choice(struct reading *reading, struct text *out, int depth)
{
	const char *end;
	uint64_t condition, ignored;

	if (is_of_field(reading->at, reading->field, reading->number, &end, &ignored))
		reading->is_whole = true;
	if (!format_expression_read(&reading->at, reading->field, reading->number, &condition) ||
	    !skip_char(&reading->at, '?') ||
	    !read_text(reading, condition ? out : NULL, depth + 1) ||
	    !skip_char(&reading->at, ':'))
		return false;
	return read_text(reading, condition ? NULL : out, depth + 1);
}

#define DEPTH_MAX 16

/* Reads an expression that yields a text and depends only on the field. */
static bool read_text(struct reading *reading, struct text *out, int depth)
{
	const char *begin, *text;
	bool is_flags;
	size_t bytes;

	skip_space(&reading->at);
	begin = skip_list_name(reading->at, &is_flags);
	if (begin) {
		reading->at = begin;
		return read_list(reading, is_flags, out);
	}
	if (*reading->at == '"') {
		if (!read_quoted(&reading->at, &text, &bytes))
			return false;
		append(out, text, bytes);
		return true;
	}
	if (depth > DEPTH_MAX)
		return false;
	begin = reading->at;
	if (read_choice(reading, out, depth))
		return true;
	reading->at = begin;
	return skip_char(&reading->at, '(') && read_text(reading, out, depth + 1) &&
	       skip_char(&reading->at, ')');
}

/* Writes a number as @conversion says, in the width of its type. */
static bool put_number(struct reading *reading, const char *conversion, struct text *out)
{
	char spec[16] = "%", text[40];
	size_t flags = strspn(conversion, "-+ #0123456789."), longs;
	uint64_t value;
	char letter;

	if (!format_expression_read(&reading->at, reading->field, reading->number, &value) ||
	    flags > 3)	/* longer ones could have a huge width */
		return false;
	longs = strspn(conversion + flags, "hlzjL");
	letter = conversion[flags + longs];
	if (!letter || !strchr("diuxXo", letter))
		return false;
	if (!longs || conversion[flags] == 'h')
		value = strchr("di", letter) ? (uint64_t)(int64_t)(int32_t)value : (uint32_t)value;
	snprintf(spec, sizeof(spec), "%%%.*sll%c", (int)flags, conversion, letter);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	snprintf(text, sizeof(text), spec, (long long)value);
#pragma GCC diagnostic pop
	append(out, text, strlen(text));
	return true;
}

/* Returns the arguments after the format, which may be several adjacent quoted strings. */
static const char *skip_format(const char *at)
{
	skip_space(&at);
	while (*at == '"') {
		for (at++; *at && *at != '"'; at++)
			at += *at == '\\' && at[1];
		at += *at == '"';
		skip_space(&at);
	}
	return *at == ',' ? at + 1 : NULL;
}

/* Finds the next conversion that prints an argument; false: there is none. */
static bool next_conversion(const char **format, const char **conversion, bool *is_joined)
{
	const char *at = *format;

	*is_joined = true;
	for (; *at; at++) {
		if (*at == '"') {	/* does another string follow? */
			at++;
			skip_space(&at);
			if (*at != '"')
				return false;
		} else if (*at == '%' && at[1] == '%') {
			at++;
		} else if (*at == '%') {
			*conversion = at + 1;
			at++;
			at += strspn(at, "-+ #0123456789.*hlzjL");
			*format = *at ? at + 1 : at;
			return true;
		} else {
			*is_joined &= !isalnum((unsigned char)*at) && !isspace((unsigned char)*at);
			at += *at == '\\' && at[1];
		}
	}
	return false;
}

/* Returns the end of the argument at @at: the comma before the next one, or the end of the line. */
static const char *argument_end(const char *at)
{
	int depth = 0;

	for (; *at; at++) {
		if (*at == '"')
			at += 1 + strcspn(at + 1, "\"");
		if (!*at || (*at == ',' && !depth))
			return at;
		depth += *at == '(' || *at == '{' || *at == '[';
		depth -= *at == ')' || *at == '}' || *at == ']';
	}
	return at;
}

static bool next_argument(struct arguments *rest, struct argument *out)
{
	if (!rest->at || !*rest->at)
		return false;
	*out = (struct argument){ .begin = rest->at, .end = argument_end(rest->at) };
	rest->at = *out->end ? out->end + 1 : out->end;
	if (!next_conversion(&rest->format, &out->conversion, &out->is_joined)) {
		out->conversion = NULL;
		out->is_joined = false;
		rest->format = "";
	} else if (memchr(out->conversion, '*', (size_t)(rest->format - out->conversion))) {
		/* A width "*" is an argument of its own. */
		out->begin = rest->at;
		out->end = argument_end(rest->at);
		rest->at = *out->end ? out->end + 1 : out->end;
	}
	return true;
}

static struct arguments begin_arguments(const struct raw_fields *fields)
{
	const char *format = fields->symbolic ? strchr(fields->symbolic, '"') : NULL;

	return (struct arguments){ .format = format ? format + 1 : "",
				   .at = format ? skip_format(format) : NULL };
}

/* Returns true when the argument reads the field as a number. */
static bool reads_field(const struct argument *argument, const char *name)
{
	const size_t bytes = strlen(name);
	const char *at = argument->begin;

	while ((at = memmem(at, (size_t)(argument->end - at), "REC->", 5)) != NULL) {
		at += 5;
		if ((size_t)(argument->end - at) >= bytes && !memcmp(at, name, bytes) &&
		    !is_word(at[bytes]))
			return true;
	}
	return false;
}

/* Writes the text of the argument. Returns false when it could not be read to its end. */
static bool put_argument(const struct argument *argument, const struct raw_field *field,
			 uint64_t number, struct text *out, bool *is_whole, bool *is_text)
{
	struct reading reading = { .at = argument->begin, .field = field->name, .number = number };
	const size_t before = out->used;

	*is_text = read_text(&reading, out, 0);
	if (!*is_text) {
		reading.at = argument->begin;
		out->used = before;
		if (!argument->conversion || !put_number(&reading, argument->conversion, out))
			return false;
	}
	*is_whole = reading.is_whole;
	skip_space(&reading.at);
	return reading.at == argument->end;
}

/* Writes the text of the field: @argument is the first that reads it, *@rest follows it. Returns
 * false when it can't be read or does not distinguish all numbers. */
static bool put_run(struct argument argument, struct arguments *rest,
		    const struct raw_field *field, uint64_t number, struct text *out)
{
	bool is_whole, is_text, is_more_whole, is_more_text;
	const char *format_before;
	uint32_t count = 1;

	if (!put_argument(&argument, field, number, out, &is_whole, &is_text))
		return false;
	for (;;) {
		struct arguments ahead = *rest;

		format_before = rest->format;
		if (!next_argument(&ahead, &argument) || !argument.is_joined ||
		    !reads_field(&argument, field->name))
			break;
		append(out, format_before, (size_t)(argument.conversion - 1 - format_before));
		if (!put_argument(&argument, field, number, out, &is_more_whole, &is_more_text))
			return false;
		*rest = ahead;
		count++;
	}
	return count > 1 || (is_text && is_whole);
}

static bool find_text(const struct raw_fields *fields, const struct raw_field *field,
		      uint64_t number, char *out, size_t room)
{
	struct arguments rest = begin_arguments(fields);
	struct argument argument;

	while (next_argument(&rest, &argument)) {
		struct text text = { .out = out, .room = room };

		if (!reads_field(&argument, field->name))
			continue;
		out[0] = '\0';
		if (put_run(argument, &rest, field, number, &text) && text.used)
			return true;
	}
	return false;
}

static bool is_number(const struct raw_field *field)
{
	return !field->is_text && !field->is_array && !field->is_dynamic;
}

bool raw_fields_name(const struct raw_fields *fields, const struct raw_field *field,
		     uint64_t number, char *out, size_t room)
{
	return is_number(field) && room && find_text(fields, field, number, out, room);
}

bool raw_fields_number(const struct raw_fields *fields, const struct raw_field *field,
		       const char *name, uint64_t *number)
{
	struct words words = { .at = fields->symbolic ? fields->symbolic : "" };

	if (!is_number(field))
		return false;
	while (find_list(&words, field))
		while (next_word(&words)) {
			if (words.text_bytes != strlen(name) ||
			    memcmp(words.text, name, words.text_bytes) != 0)
				continue;
			*number = words.number;
			return true;
		}
	return false;
}

bool raw_fields_has_names(const struct raw_fields *fields, const struct raw_field *field)
{
	struct words words = { .at = fields->symbolic ? fields->symbolic : "" };
	char text[64];

	if (!is_number(field))
		return false;
	return find_list(&words, field) || find_text(fields, field, 0, text, sizeof(text)) ||
	       find_text(fields, field, 1, text, sizeof(text));
}

/* Returns what "%p" followed by @letters prints. */
static enum raw_print print_of(const char *letters)
{
	static const struct { const char *letters; enum raw_print print; } known[] = {
		{ "S", PRINT_SYMBOL }, { "s", PRINT_SYMBOL }, { "F", PRINT_SYMBOL },
		{ "f", PRINT_SYMBOL }, { "B", PRINT_SYMBOL }, { "IS", PRINT_SOCKET_ADDRESS },
		{ "I4", PRINT_IPV4 }, { "i4", PRINT_IPV4 }, { "I6", PRINT_IPV6 },
		{ "i6", PRINT_IPV6 }, { "U", PRINT_UUID }, { "M", PRINT_MAC }, { "m", PRINT_MAC },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strncmp(letters, known[i].letters, strlen(known[i].letters)) == 0)
			return known[i].print;
	return PRINT_POINTER;
}

/* Returns true when the argument is only the field, maybe with a cast or in parentheses. */
static bool is_field_alone(const struct argument *argument, const char *name)
{
	const char *end = argument->end, *begin;
	size_t bytes = strlen(name);

	while (end > argument->begin && (isspace((unsigned char)end[-1]) || end[-1] == ')'))
		end--;
	if ((size_t)(end - argument->begin) < bytes + 5)
		return false;
	begin = end - bytes - 5;
	return !strncmp(begin, "REC->", 5) && !memcmp(begin + 5, name, bytes) &&
	       !memchr(argument->begin, '?', (size_t)(begin - argument->begin)) &&
	       !memchr(argument->begin, ',', (size_t)(begin - argument->begin));
}

enum raw_print raw_fields_print(const struct raw_fields *fields, const struct raw_field *field)
{
	struct arguments rest = begin_arguments(fields);
	struct argument argument;

	while (next_argument(&rest, &argument)) {
		const char *at = argument.conversion;

		if (!at || !is_field_alone(&argument, field->name))
			continue;
		at += strspn(at, "-+ #0123456789.*");
		return *at == 'p' ? print_of(at + 1) : PRINT_NUMBER;
	}
	return PRINT_NUMBER;
}
