/* format_expression.c - see format_expression.h.
 *
 * Idea: precedence climbing over a table of binary operators. All numbers have 64 bits; signedness
 * matters only for comparison, division and right shift, and formats use these only with operands
 * that are not negative.
 */
#include "format_expression.h"

#include <ctype.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 100	/* sched_switch of 6.18 has 12 */

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

static void skip_space(struct reader *reader)
{
	while (isspace((unsigned char)*reader->at))
		reader->at++;
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

	skip_space(reader);
	if (isdigit((unsigned char)*reader->at))
		return read_number(reader, value);
	if (*reader->at == '(' && skip_cast(reader))
		return read_operators(reader, OPERATORS, value);
	if (*reader->at == '(') {
		reader->at++;
		if (!read_operators(reader, 0, value))
			return false;
		skip_space(reader);
		if (*reader->at != ')')
			return false;
		reader->at++;
		return true;
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
	skip_space(reader);
	for (int i = 0; i < OPERATORS; i++)
		if (strncmp(reader->at, operators[i].text, strlen(operators[i].text)) == 0)
			return (enum join)i;
	return OPERATORS;
}

/* Evaluates an operand and the following operators that bind at least as tightly as @binds_min;
 * with OPERATORS none. */
static bool read_operators(struct reader *reader, int binds_min, uint64_t *value)
{
	bool is_sound = reader->depth < DEPTH_MAX;
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

bool format_expression_read(const char **at, const char *field, uint64_t number, uint64_t *value)
{
	struct reader reader = { .at = *at, .field = field, .number = number };
	const bool is_sound = read_operators(&reader, 0, value);

	*at = reader.at;
	return is_sound;
}
