/* sanitize.c - foreign bytes -> text that is safe on a terminal.
 *
 * Idea: decode one character, sort it into "shown as it is", "combining mark" or "written out",
 * copy or escape it, go on. What is written out is plain ASCII, so cleaning clean text changes
 * nothing.
 *
 * Invariant: the result is valid UTF-8 and holds no control, formatting or unassigned character,
 * wherever the input or the output is cut.
 *
 * Rejected: iswprint(3) - its result depends on the locale of whoever started us.
 */
#include "base/sanitize.h"

#include <stdio.h>
#include <string.h>

#include "character_kinds.h"

bool sanitize_is_hidden(uint32_t code)
{
	return character_is_hidden(code);
}

/* One decoded step of the input. */
struct character {
	uint32_t code;
	size_t bytes;		/* consumed, >= 1 */
	bool is_valid;		/* false: `code` is one byte that is not part of a character */
};

static size_t sequence_bytes(unsigned char lead)
{
	if (lead < 0x80)
		return 1;
	if (lead < 0xc0)
		return 0;
	return lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf8 ? 4 : 0;
}

/* RFC 3629. Overlong forms would let a control character in by a side door. Surrogates are let
 * through to be written out as <U+D800>: they tell more that way than as three bytes. */
static struct character decode(const unsigned char *in, size_t len)
{
	static const uint32_t smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const struct character bad = { .code = in[0], .bytes = 1 };
	size_t bytes = sequence_bytes(in[0]);
	uint32_t code;

	if (bytes == 1)
		return (struct character){ .code = in[0], .bytes = 1, .is_valid = true };
	if (bytes == 0 || bytes > len)
		return bad;
	code = in[0] & (0x7fu >> bytes);
	for (size_t i = 1; i < bytes; i++) {
		if ((in[i] & 0xc0) != 0x80)
			return bad;
		code = code << 6 | (in[i] & 0x3fu);
	}
	if (code < smallest[bytes] || code > 0x10ffff)
		return bad;
	return (struct character){ .code = code, .bytes = bytes, .is_valid = true };
}

/* Printable ASCII: nearly every character there is. */
static bool is_plain(uint32_t code)
{
	return code >= 0x20 && code < 0x7f;
}

/* Returns true when @character is shown unchanged; tracks combining marks in a row. */
static bool is_shown(const struct character *character, bool *after_mark)
{
	bool is_mark, is_hidden;

	if (character->is_valid && is_plain(character->code)) {
		*after_mark = false;
		return true;
	}
	is_hidden = !character->is_valid || sanitize_is_hidden(character->code);
	is_mark = !is_hidden && character_is_mark(character->code);
	if (is_hidden || (is_mark && *after_mark)) {
		*after_mark = false;
		return false;
	}
	*after_mark = is_mark;
	return true;
}

static size_t escape(char *out, size_t cap, const struct character *character)
{
	int used;

	if (character->is_valid && character->code > 0x9f)
		used = snprintf(out, cap, "<U+%04X>", (unsigned int)character->code);
	else
		used = snprintf(out, cap, "\\x%02x", (unsigned int)character->code);
	return (size_t)used;
}

size_t sanitize_text(char *out, size_t cap, const char *in, size_t len)
{
	bool after_mark = true;		/* a mark at the start has nothing to sit on */
	size_t used = 0;

	for (len = strnlen(in, len); len > 0;) {
		struct character next = decode((const unsigned char *)in, len);
		char piece[16];
		size_t piece_len = next.bytes;

		if (is_shown(&next, &after_mark))
			memcpy(piece, in, next.bytes);
		else
			piece_len = escape(piece, sizeof(piece), &next);
		if (used + piece_len >= cap)
			break;
		memcpy(out + used, piece, piece_len);
		used += piece_len;
		in += next.bytes;
		len -= next.bytes;
	}
	out[used] = '\0';
	return used;
}

bool sanitize_is_clean(const char *in, size_t len)
{
	bool after_mark = true;

	for (; len > 0 && is_plain((unsigned char)*in); in++, len--)
		after_mark = false;
	while (len > 0) {
		struct character next = decode((const unsigned char *)in, len);

		if (!is_shown(&next, &after_mark))
			return false;
		in += next.bytes;
		len -= next.bytes;
	}
	return true;
}

struct safe_text sanitize(char *out, size_t cap, const char *in, size_t len)
{
	sanitize_text(out, cap, in, len);
	return (struct safe_text){ out };
}

struct safe_text sanitize_lazily(char *out, size_t cap, const char *text)
{
	const size_t len = strlen(text);

	if (!sanitize_is_clean(text, len))
		return sanitize(out, cap, text, len);
	return (struct safe_text){ text };
}

struct safe_text sanitize_checked(const char *text)
{
	if (!sanitize_is_clean(text, strlen(text)))
		return SAFE_TEXT("(unclean text)");
	return (struct safe_text){ text };
}
