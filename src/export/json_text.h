/* json_text.h - writes a text as a JSON string (RFC 8259, 7). Thread: any. */
#ifndef EXPORT_JSON_TEXT_H
#define EXPORT_JSON_TEXT_H

#include <stdio.h>

#include "base/sanitize.h"

#define JSON_LINE_BYTES 4096	/* longest line in json_put_lines(); longer ones are cut */

/* Writes @text in quotation marks. Errors stay in @out (ferror(3)). */
void json_put_string(FILE *out, struct safe_text text);
/* Writes @lines, one sentence each, as one string, after sanitizing each. */
void json_put_lines(FILE *out, const char *lines);

#endif
