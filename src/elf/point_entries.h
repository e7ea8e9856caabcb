/* point_entries.h - child side: functions that a probe names by their address, because no symbol
 * does: "fn_472280", as their rows are called, and "0x472280".
 *
 * Source: the file's unwind entries (elf/frame_entries.h); perf-probe(1), absolute addresses.
 * Thread: the owner's. Only in a worker (and in tests).
 */
#ifndef ELF_POINT_ENTRIES_H
#define ELF_POINT_ENTRIES_H

#include "point_job.h"

/* True: the query names a function by its address, with "0x" or, if @by_row, as its row does. */
bool point_entries_are_meant(const struct point_query *query, bool by_row);

/* Adds the function that begins at that address, as an unwind entry says. 0; -ENOENT: none begins
 * there, with what does instead; -EINVAL: query->offset is outside of it. */
int point_entries_add(struct point_job *job);

#endif
