/* json_text.h - a text as a JSON string (RFC 8259, 7). Thread: any. */
#ifndef EXPORT_JSON_TEXT_H
#define EXPORT_JSON_TEXT_H

#include <stdio.h>

/* @text: sanitized UTF-8; in quotation marks. Errors stay in @out (ferror(3)). */
void json_put_string(FILE *out, const char *text);

#endif
