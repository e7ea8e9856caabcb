/* sanitize.h - the one place where foreign text (comm, symbol, path, ...) becomes safe to print.
 *
 * Problem: another user chooses every byte of such text, and it ends in a root terminal. Sanitized
 *          text holds only printable characters of valid UTF-8.
 * Rules:   C0, DEL, C1 and invalid UTF-8 bytes become \xNN; bidirectional controls, characters
 *          without width, separators and spaces of other widths, surrogates, private use,
 *          unassigned characters and a second combining mark in a row become <U+NNNN>. A backslash
 *          is not escaped: names rarely contain one and the result is not parsed back.
 * Thread:  any, no state, independent of the locale.
 */
#ifndef BASE_SANITIZE_H
#define BASE_SANITIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sanitized text. Only sanitize.c makes one, or SAFE_TEXT() from a literal (which may hold line
 * feeds); tests/check_doors checks that. All that draws, exports or reports takes this type.
 * The characters are BORROWED from the buffer that holds them. */
struct safe_text {
	const char *chars;	/* NUL-terminated */
};

#define SAFE_TEXT(literal) ((struct safe_text){ "" literal "" })

/* Writes the clean form of @in[0..@len) into @out (@cap bytes, >= 1, always terminated; cut only
 * between characters). A NUL in @in ends it. Returns the length of the result. */
size_t sanitize_text(char *out, size_t cap, const char *in, size_t len);

/* Calls sanitize_text() and returns @out as safe text. */
struct safe_text sanitize(char *out, size_t cap, const char *in, size_t len);

/* Returns @text itself when it is clean, else its clean form in @out. */
struct safe_text sanitize_lazily(char *out, size_t cap, const char *text);

/* Returns @text, which was sanitized when it was stored, after checking that once more. Unclean
 * text, a bug of flametop, becomes "(unclean text)". */
struct safe_text sanitize_checked(const char *text);

/* True when sanitize_text() would return @in unchanged (the usual case: no copy needed). */
bool sanitize_is_clean(const char *in, size_t len);

/* Returns true for a character that is invisible or moves others: never print it to a terminal,
 * whatever its source. */
bool sanitize_is_hidden(uint32_t code);

#endif
