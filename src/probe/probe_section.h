/* probe_section.h - cuts the place of a spec into its sections: "u:/bin/x:ns::f<int>" into three.
 *
 * Rules:  a single ':' separates, '::' belongs to names of C++ and Rust; \X is X (perf's escapes),
 *         "..." is taken as it is, so blanks, ':' and '*' lose their meaning in both.
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
	char text[PROBE_SECTION_BYTES];	/* without quotes and escapes */
	size_t from;		/* byte of the line where it begins */
	size_t literal_bytes;	/* up to the last quoted or escaped one of `text` */
	bool is_wildcard;	/* has a * or ? with its meaning */
	bool has_literal_star;	/* or one without */
};

/* Reads sections from byte *@at of @line to the next blank, "->" where @stops_at_arrow, or the
 * end; *@at is there afterwards. 0 or -EINVAL. */
int probe_sections_read(struct probe_section out[PROBE_SECTIONS_MAX], size_t *count,
			const char *line, size_t *at, bool stops_at_arrow, struct diag *why);

/* All digits, or 0x and hex. False: not a number of 64 bits. */
bool probe_section_number(const char *text, unsigned long long *out);

/* Writes @text so that it is read back as one section: bare where that works, else in quotes.
 * Returns its length as snprintf(). */
size_t probe_section_write(const char *text, char *out, size_t room);

/* Copies the first @bytes of @line with blanks evened outside of quotes: none at the ends, one
 * between words. 0; -EINVAL for a control character, or more than @room. */
int probe_section_even(const char *line, size_t bytes, char *out, size_t room, struct diag *why);

#endif
