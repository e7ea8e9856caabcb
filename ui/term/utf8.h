/* utf8.h - converts UTF-8 to code points and back, without the locale.
 * Source: RFC 3629. Thread: any, no state. */
#ifndef UI_UTF8_H
#define UI_UTF8_H

#include <stddef.h>
#include <stdint.h>

#define UTF8_MAX_BYTES	 4
#define UTF8_REPLACEMENT 0xfffdu

/* Returns the length in bytes of a character that begins with @lead; 0: no character does. */
size_t utf8_sequence_bytes(unsigned char lead);

/* Decodes the first character of the terminated @text into *@out and returns its length in bytes,
 * 0 at the end. A byte that begins no valid character gives UTF8_REPLACEMENT, one byte long. */
size_t utf8_decode(const char *text, uint32_t *out);

/* Writes @code to @out[UTF8_MAX_BYTES + 1], terminated; returns its length. */
size_t utf8_encode(char *out, uint32_t code);

#endif
