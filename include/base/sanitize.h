/* sanitize.h - the one door through which foreign text (comm, symbol, path, ...) enters.
 *
 * Problem: every such byte is chosen by somebody else and ends in a root terminal. After this,
 *          text holds only printable characters of valid UTF-8.
 * Rules:   C0, DEL, C1 and invalid UTF-8 bytes become \xNN; bidirectional controls, characters
 *          without width, separators and spaces of other widths, surrogates, private use, what is
 *          not assigned and a second combining mark in a row become <U+NNNN>. The backslash stays
 *          as it is: names contain it rarely and the result is for eyes, not for parsing back.
 * Thread:  any, no state, independent of the locale.
 */
#ifndef BASE_SANITIZE_H
#define BASE_SANITIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Text that has passed. Only sanitize.c makes one, and SAFE_TEXT() of a literal, which is our own
 * (it may hold line feeds); tests/check_doors sees to that. What draws, exports or reports takes
 * this type. The characters are borrowed from where the text lies. */
struct safe_text {
	const char *chars;	/* terminated */
};

#define SAFE_TEXT(literal) ((struct safe_text){ "" literal "" })

/* Writes the clean form of @in[0..@len) into @out (@cap bytes, >= 1, always terminated; cut only
 * between characters). A NUL in @in ends it. Returns the length of the result. */
size_t sanitize_text(char *out, size_t cap, const char *in, size_t len);

/* The same, as safe text in @out. */
struct safe_text sanitize(char *out, size_t cap, const char *in, size_t len);

/* @text as it is when it is clean, else its clean form in @out. */
struct safe_text sanitize_lazily(char *out, size_t cap, const char *text);

/* @text as it is: it was sanitized when it was stored, which is looked at once more. A text that
 * is not clean, which is our own mistake, becomes "(unclean text)". */
struct safe_text sanitize_checked(const char *text);

/* True when sanitize_text() would return @in unchanged (the usual case: no copy needed). */
bool sanitize_is_clean(const char *in, size_t len);

/* A character that nobody sees or that moves others: never for a terminal, whoever wrote it. */
bool sanitize_is_hidden(uint32_t code);

#endif
