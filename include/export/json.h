/* json.h - a snapshot as one JSON object on one line (RFC 8259). Fields: README, "JSON". */
#ifndef EXPORT_JSON_H
#define EXPORT_JSON_H

#include "export/text.h"

/* Writes one object and a newline. Errors stay in @out (ferror(3)). Thread: any. */
void json_write(FILE *out, const struct snapshot *snapshot, const struct export_options *options);

#endif
