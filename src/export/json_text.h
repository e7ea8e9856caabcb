/* json_text.h - a text as a JSON string (RFC 8259, 7). Thread: any. */
#ifndef EXPORT_JSON_TEXT_H
#define EXPORT_JSON_TEXT_H

#include <stdio.h>

#include "base/sanitize.h"

#define JSON_LINE_BYTES 4096	/* of each of several lines; what is longer is cut */

/* In quotation marks. Errors stay in @out (ferror(3)). */
void json_put_string(FILE *out, struct safe_text text);
/* Sentences, a line each, as one string; each passes the sanitizer here. */
void json_put_lines(FILE *out, const char *lines);

#endif
