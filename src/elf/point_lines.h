/* point_lines.h - worker side: the addresses of a source line, FUNC:LINE or FILE:LINE.
 * Thread: the owner's. Only in a worker (and in tests). */
#ifndef ELF_POINT_LINES_H
#define ELF_POINT_LINES_H

#include "point_scopes.h"

/* Adds a function with points for the queried line: its lowest address in each function and each
 * inlined copy. Returns 0; -ENOENT with the reason; -ENODATA: no debug information. */
int point_lines_find(struct point_job *job);

#endif
