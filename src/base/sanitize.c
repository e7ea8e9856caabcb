/* sanitize.c - foreign bytes -> text that is safe on a terminal.
 *
 * Idea: decode one character, sort it into "shown as it is", "combining mark" or "written out",
 * copy or escape it, go on. What is written out is plain ASCII, so cleaning clean text changes
 * nothing.
 *
 * Invariant: the result is valid UTF-8 and holds no control, formatting or unassigned character,
 * wherever the input or the output is cut.
 *
 * Rejected: iswprint(3) - its answer depends on the locale of whoever started us.
 */
#include "base/sanitize.h"

#include <stdio.h>
#include <string.h>

struct range {
	uint32_t first, last;
};

/* Characters that nobody sees or that move others. Sorted. Source: Unicode 15 categories Cc, Cf,
 * Zl, Zp, Cs, Co, Cn (noncharacters and empty planes), and invisible ones of other categories. */
static const struct range hidden[] = {
	{ 0x0000, 0x001f },	/* C0 */
	{ 0x007f, 0x009f },	/* DEL, C1 */
	{ 0x00ad, 0x00ad },	/* soft hyphen */
	{ 0x034f, 0x034f },	/* combining grapheme joiner */
	{ 0x0600, 0x0605 },	/* Arabic number signs: format characters */
	{ 0x061c, 0x061c },	/* Arabic letter mark */
	{ 0x06dd, 0x06dd },
	{ 0x070f, 0x070f },
	{ 0x0890, 0x0891 },
	{ 0x08e2, 0x08e2 },
	{ 0x115f, 0x1160 },	/* Hangul fillers */
	{ 0x17b4, 0x17b5 },	/* Khmer inherent vowels */
	{ 0x180b, 0x180f },	/* Mongolian selectors and separator */
	{ 0x200b, 0x200f },	/* zero width, left-to-right and right-to-left marks */
	{ 0x2028, 0x202e },	/* line and paragraph separators, embeddings and overrides */
	{ 0x2060, 0x206f },	/* word joiner, isolates, deprecated format characters */
	{ 0x3164, 0x3164 },	/* Hangul filler */
	{ 0xd800, 0xf8ff },	/* surrogates, private use */
	{ 0xfdd0, 0xfdef },	/* noncharacters */
	{ 0xfe00, 0xfe0f },	/* variation selectors */
	{ 0xfeff, 0xfeff },	/* byte order mark */
	{ 0xffa0, 0xffa0 },	/* halfwidth Hangul filler */
	{ 0xfff0, 0xfffb },	/* unassigned, interlinear annotation */
	{ 0xfffe, 0xffff },
	{ 0x110bd, 0x110bd },
	{ 0x110cd, 0x110cd },
	{ 0x13430, 0x1343f },	/* hieroglyph format controls */
	{ 0x1bca0, 0x1bca3 },	/* shorthand format controls */
	{ 0x1d173, 0x1d17a },	/* musical format controls */
	{ 0x1fffe, 0x1ffff },
	{ 0x2fffe, 0x2ffff },
	{ 0x323b0, 0x10ffff },	/* unassigned planes, tags, selectors, private use */
};

/* Marks that sit on the character before them. Blocks, not categories: the terminal's idea of width
 * matters, and a second mark in a row is all that is refused. Sorted. */
static const struct range combining[] = {
	{ 0x0300, 0x036f }, { 0x0483, 0x0489 }, { 0x0591, 0x05bd }, { 0x05bf, 0x05bf },
	{ 0x05c1, 0x05c2 }, { 0x05c4, 0x05c5 }, { 0x05c7, 0x05c7 }, { 0x0610, 0x061a },
	{ 0x064b, 0x065f }, { 0x0670, 0x0670 }, { 0x06d6, 0x06dc }, { 0x06df, 0x06e4 },
	{ 0x06e7, 0x06e8 }, { 0x06ea, 0x06ed }, { 0x0711, 0x0711 }, { 0x0730, 0x074a },
	{ 0x07a6, 0x07b0 }, { 0x07eb, 0x07f3 }, { 0x07fd, 0x07fd }, { 0x0816, 0x0819 },
	{ 0x081b, 0x0823 }, { 0x0825, 0x0827 }, { 0x0829, 0x082d }, { 0x0859, 0x085b },
	{ 0x0898, 0x089f }, { 0x08ca, 0x0902 }, { 0x093a, 0x093a }, { 0x093c, 0x093c },
	{ 0x0941, 0x0948 }, { 0x094d, 0x094d }, { 0x0951, 0x0957 }, { 0x0e31, 0x0e31 },
	{ 0x0e34, 0x0e3a }, { 0x0e47, 0x0e4e }, { 0x0eb1, 0x0eb1 }, { 0x0eb4, 0x0ebc },
	{ 0x0ec8, 0x0ece }, { 0x0f71, 0x0f7e }, { 0x0f80, 0x0f84 }, { 0x135d, 0x135f },
	{ 0x1ab0, 0x1ace }, { 0x1dc0, 0x1dff }, { 0x20d0, 0x20f0 }, { 0x2cef, 0x2cf1 },
	{ 0x2de0, 0x2dff }, { 0x302a, 0x302d }, { 0x3099, 0x309a }, { 0xa66f, 0xa672 },
	{ 0xa674, 0xa67d }, { 0xa69e, 0xa69f }, { 0xa8e0, 0xa8f1 }, { 0xfb1e, 0xfb1e },
	{ 0xfe20, 0xfe2f }, { 0x1d165, 0x1d169 }, { 0x1d16d, 0x1d172 }, { 0x1d17b, 0x1d182 },
	{ 0x1d185, 0x1d18b }, { 0x1d1aa, 0x1d1ad }, { 0x1d242, 0x1d244 },
};

static bool is_in(const struct range *ranges, size_t count, uint32_t code)
{
	size_t low = 0;

	while (low < count) {
		size_t middle = low + (count - low) / 2;

		if (code > ranges[middle].last)
			low = middle + 1;
		else if (code < ranges[middle].first)
			count = middle;
		else
			return true;
	}
	return false;
}

bool sanitize_is_hidden(uint32_t code)
{
	return is_in(hidden, sizeof(hidden) / sizeof(hidden[0]), code);
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

/* Says whether @character may stand as it is; keeps track of marks in a row. */
static bool is_shown(const struct character *character, bool *after_mark)
{
	bool is_mark, is_hidden;

	if (character->is_valid && character->code >= 0x20 && character->code < 0x7f) {
		*after_mark = false;	/* nearly every character there is */
		return true;
	}
	is_hidden = !character->is_valid || sanitize_is_hidden(character->code);
	is_mark = !is_hidden &&
		  is_in(combining, sizeof(combining) / sizeof(combining[0]), character->code);
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

	while (len > 0) {
		struct character next = decode((const unsigned char *)in, len);

		if (!is_shown(&next, &after_mark))
			return false;
		in += next.bytes;
		len -= next.bytes;
	}
	return true;
}
