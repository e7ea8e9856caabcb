/* point_lines.h - worker side: the addresses of source lines, and the source file that a function
 * or the end of a path means.
 * Thread: the owner's. Only in a worker (and in tests). */
#ifndef ELF_POINT_LINES_H
#define ELF_POINT_LINES_H

#include "point_scopes.h"

/* Adds a function with sites for each queried line: its lowest address in each function and each
 * inlined copy. Returns 0; -ENOENT with the reason; -ENODATA: no debug information. */
int point_lines_find(struct point_job *job);
/* Adds a function without sites, whose file is the source file of query->function or the one that
 * query->source means. Returns as point_lines_find(), or -E2BIG: two files end in that path. */
int point_lines_source(struct point_job *job);

#endif
