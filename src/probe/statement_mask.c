/* statement_mask.c - see statement_mask.h. It recognizes constants without knowing the language:
 * double quotes count as text, though some dialects quote names with them. */
#include "statement_mask.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#define MASK '?'

struct mask {
	const char *at, *end;
	char *out;
	size_t room, used;
};

static void put(struct mask *mask, char byte)
{
	if (mask->used + 1 < mask->room)
		mask->out[mask->used++] = byte;
}

static void put_text(struct mask *mask, const char *text)
{
	while (*text)
		put(mask, *text++);
}

static bool is_name_byte(char byte)
{
	return isalnum((unsigned char)byte) || (byte && strchr("_$", byte)) || (byte & 0x80);
}

/* Skips a quoted text, which doubled quotes and escaped bytes do not end; the end of input does. */
static void skip_quoted(struct mask *mask)
{
	const char quote = *mask->at++;

	while (mask->at < mask->end) {
		const char byte = *mask->at++;

		if (byte == '\\' && mask->at < mask->end)
			mask->at++;
		else if (byte != quote)
			continue;
		else if (mask->at < mask->end && *mask->at == quote)
			mask->at++;
		else
			return;
	}
}

/* Skips digits, points, letters (0x1f, 1e9, 5ms) and the sign of an exponent. */
static void skip_number(struct mask *mask)
{
	const bool is_hex = mask->end - mask->at > 1 && (mask->at[1] | 32) == 'x';

	while (mask->at < mask->end) {
		const char byte = *mask->at;
		const bool is_exponent = (byte == '-' || byte == '+') && !is_hex &&
					 (mask->at[-1] | 32) == 'e' && mask->at + 1 < mask->end &&
					 isdigit((unsigned char)mask->at[1]);

		if (!isalnum((unsigned char)byte) && byte != '.' && byte != '_' && !is_exponent)
			return;
		mask->at++;
	}
}

/* True: a signed number; its sign follows no operand. */
static bool is_signed_number(const struct mask *mask)
{
	size_t at = mask->used;

	if ((*mask->at != '-' && *mask->at != '+') || mask->at + 1 >= mask->end ||
	    !isdigit((unsigned char)mask->at[1]))
		return false;
	while (at && mask->out[at - 1] == ' ')
		at--;
	return !at || strchr("(,=<>", mask->out[at - 1]);
}

/* True: ", CONSTANT" follows a "?"; then moves mask->at to the constant. */
static bool continues_list(struct mask *mask)
{
	const char *at = mask->at;

	while (at < mask->end && isspace((unsigned char)*at))
		at++;
	if (at == mask->end || *at++ != ',')
		return false;
	while (at < mask->end && isspace((unsigned char)*at))
		at++;
	if (at < mask->end && (*at == '-' || *at == '+'))
		at++;
	if (at == mask->end || (!isdigit((unsigned char)*at) && *at != '\'' && *at != '"'))
		return false;
	mask->at = at;
	return true;
}

static void skip_constant(struct mask *mask)
{
	if (*mask->at == '\'' || *mask->at == '"')
		skip_quoted(mask);
	else
		skip_number(mask);
}

static void put_constant(struct mask *mask)
{
	bool is_list = false;

	mask->at += *mask->at == '-' || *mask->at == '+';
	skip_constant(mask);
	put(mask, MASK);
	while (continues_list(mask)) {
		skip_constant(mask);
		is_list = true;
	}
	if (is_list)
		put_text(mask, ", ...");
}

/* A quote in a word ("don't") begins no text; after a single letter it does: E'..', x'..'. */
static void put_name(struct mask *mask)
{
	const char *begin = mask->at;

	while (mask->at < mask->end && is_name_byte(*mask->at))
		put(mask, *mask->at++);
	if (mask->at < mask->end && *mask->at == '\'' && mask->at - begin > 1)
		put(mask, *mask->at++);
}

static void put_blank(struct mask *mask)
{
	while (mask->at < mask->end && isspace((unsigned char)*mask->at))
		mask->at++;
	if (mask->used && mask->at < mask->end)
		put(mask, ' ');
}

size_t statement_mask(const char *text, size_t bytes, char *out, size_t room)
{
	struct mask mask = { .at = text, .end = text + bytes, .out = out, .room = room };

	while (mask.at < mask.end) {
		const char byte = *mask.at;

		if (isspace((unsigned char)byte))
			put_blank(&mask);
		else if (byte == '\'' || byte == '"' || isdigit((unsigned char)byte) ||
			 is_signed_number(&mask))
			put_constant(&mask);
		else if (is_name_byte(byte))
			put_name(&mask);
		else
			put(&mask, *mask.at++);
	}
	if (room)
		out[mask.used] = '\0';
	return mask.used;
}
