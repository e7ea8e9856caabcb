/* probe_section.h - splits the point of a spec into its sections: "u:/bin/x:ns::f<int>" into three.
 *
 * Rules:  a single ':' separates, '::' belongs to C++ and Rust names; \X is X (perf's escapes),
 *         "..." is taken literally, so blanks, ':' and '*' are not special in either.
 * Thread: any. Pure.
 */
#ifndef PROBE_PROBE_SECTION_H
#define PROBE_PROBE_SECTION_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"

#define PROBE_SECTION_BYTES 256
#define PROBE_SECTIONS_MAX  4

struct probe_section {
	char text[PROBE_SECTION_BYTES];	/* the section without quotes and escapes */
	size_t from;		/* byte of the line where the section begins */
	size_t literal_bytes;	/* length of `text` up to its last quoted or escaped byte */
	bool is_wildcard;	/* `text` has a * or ? that is a wildcard */
	bool has_literal_star;	/* `text` has a literal * or ? */
};

/* What ends the sections of a point besides a blank. */
enum probe_section_stop {
	STOP_PATTERN = 1,	/* ';' */
	STOP_ARROW = 2,		/* "->", unless it belongs to C++'s operator-> */
};

/* Reads sections from byte *@at of @line to the next blank, to one of @stops (a set of bits), or to
 * the end; moves *@at there. 0 or -EINVAL. */
int probe_sections_read(struct probe_section out[PROBE_SECTIONS_MAX], size_t *count,
			const char *line, size_t *at, unsigned int stops, struct diag *why);

/* True: the "->" at byte @at of @line leads from one point to another, and is not C++'s
 * operator->. */
bool probe_section_is_arrow(const char *line, size_t at);

/* Parses all of @text as decimal, or as hex with 0x. False: not a number of 64 bits. */
bool probe_section_number(const char *text, unsigned long long *out);

/* Writes @text so that it is read back as one section: bare where that works, else in quotes.
 * Returns its length as snprintf(). */
size_t probe_section_write(const char *text, char *out, size_t room);

/* Copies the first @bytes of @line, normalizing blanks outside of quotes: none at the ends, one
 * between words. 0; -EINVAL: a control character, or longer than @room. */
int probe_section_even(const char *line, size_t bytes, char *out, size_t room, struct diag *why);

/* Sets @why to "column N: SENTENCE" and returns -EINVAL; N counts bytes from 1, @at from 0. */
int probe_column_refuse(struct diag *why, size_t at, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
