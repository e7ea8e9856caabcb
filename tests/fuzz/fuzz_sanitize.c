/* fuzz_sanitize.c - whatever goes in, and wherever the room ends: what comes out is clean, by a
 * second, simpler reading of the rules in base/sanitize.h too. */
#include <stdlib.h>
#include <string.h>

#include "base/sanitize.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

/* Valid UTF-8 without C0, DEL, C1 and the characters that turn or hide text. */
static void expect_harmless(const char *text)
{
	const unsigned char *at = (const unsigned char *)text;

	while (*at) {
		const size_t bytes = *at < 0x80 ? 1 : *at < 0xe0 ? 2 : *at < 0xf0 ? 3 : 4;
		uint32_t code = bytes == 1 ? *at : *at & (0xffu >> (bytes + 1));

		for (size_t i = 1; i < bytes; i++) {
			if ((at[i] & 0xc0) != 0x80)
				abort();
			code = code << 6 | (at[i] & 0x3fu);
		}
		if (code < 0x20 || (code >= 0x7f && code < 0xa0) ||
		    (code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
		    (code >= 0x2060 && code <= 0x206f) || (code >= 0xd800 && code <= 0xdfff) ||
		    code == 0xfeff || code > 0x10ffff)
			abort();
		at += bytes;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
	const size_t cap = count ? 1 + bytes[0] % 64 : 1;
	char *in = malloc(count + 1), *out = malloc(12 * count + 16), *cut = malloc(cap);
	size_t length, cut_length;

	memcpy(in, bytes, count);	/* no NUL after it: its end is guarded */
	length = sanitize_text(out, 12 * count + 16, in, count);
	cut_length = sanitize_text(cut, cap, in, count);
	if (strlen(out) != length || !sanitize_is_clean(out, length))
		abort();
	expect_harmless(out);
	if (strlen(cut) != cut_length || cut_length >= cap || memcmp(cut, out, cut_length) != 0 ||
	    !sanitize_is_clean(cut, cut_length))
		abort();
	if (sanitize_is_clean(in, count) != (length == count && !memcmp(in, out, count)))
		abort();
	free(in);
	free(out);
	free(cut);
	return 0;
}
