/* point_entries.h - worker side: functions without a symbol that a probe names by address:
 * "fn_472280", as in their table rows, or "0x472280".
 *
 * Source: the file's unwind entries (elf/frame_entries.h); perf-probe(1), absolute addresses.
 * Thread: the owner's. Only in a worker (and in tests).
 */
#ifndef ELF_POINT_ENTRIES_H
#define ELF_POINT_ENTRIES_H

#include "point_job.h"

/* Returns whether the query names a function by address: "0x..." or, if @by_row, "fn_...". */
bool point_entries_are_meant(const struct point_query *query, bool by_row);

/* Adds the function that, by an unwind entry, begins at that address. Returns 0; -ENOENT: none
 * begins there, the reason says what is there; -EINVAL: query->offset is outside the function. */
int point_entries_add(struct point_job *job);

#endif
