/* utf8.c - see utf8.h. mbrtowc(3) would do the same, but only in a UTF-8 locale. */
#include "utf8.h"

size_t utf8_sequence_bytes(unsigned char lead)
{
	if (lead < 0x80)
		return 1;
	if (lead >= 0xc2 && lead < 0xe0)
		return 2;
	if (lead >= 0xe0 && lead < 0xf0)
		return 3;
	if (lead >= 0xf0 && lead < 0xf5)
		return 4;
	return 0;
}

size_t utf8_decode(const char *text, uint32_t *out)
{
	static const uint32_t smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };	/* by length */
	const unsigned char *bytes = (const unsigned char *)text;
	size_t count = utf8_sequence_bytes(bytes[0]);
	uint32_t code = bytes[0];

	*out = UTF8_REPLACEMENT;
	if (bytes[0] == '\0')
		return 0;
	if (count == 0)
		return 1;
	if (count > 1)
		code &= 0xffu >> (count + 1);
	for (size_t i = 1; i < count; i++) {
		if ((bytes[i] & 0xc0) != 0x80)
			return 1;
		code = code << 6 | (bytes[i] & 0x3fu);
	}
	if (code < smallest[count] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
		return 1;
	*out = code;
	return count;
}

size_t utf8_encode(char *out, uint32_t code)
{
	static const unsigned char lead[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
	const size_t count = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;

	for (size_t i = count; i-- > 1; code >>= 6)
		out[i] = (char)(0x80 | (code & 0x3f));
	out[0] = (char)(lead[count] | code);
	out[count] = '\0';
	return count;
}
