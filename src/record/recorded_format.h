/* recorded_format.h - the format file of a probe's recorded hits, as tracefs would have it. */
#ifndef RECORD_RECORDED_FORMAT_H
#define RECORD_RECORDED_FORMAT_H

#include "ingest/probe_state.h"

/* Writes what format files allow in a name: letters, digits and underscores. */
void recorded_format_name(char *out, size_t room, const char *name);
/* Returns the format of the hits of @row, whose newest reading has fields, called @name and with
 * @number; the caller frees it. NULL: out of memory. */
char *recorded_format_make(const struct probe_row *row, const char *name, uint64_t number);
/* Returns the description of @row with its fields as they are called in that format; the caller
 * frees it. NULL: out of memory. */
char *recorded_format_describe(const struct probe_row *row);

#endif
