/* point_lines.h - child side: the addresses of a source line, FUNC:LINE or FILE:LINE.
 * Thread: the owner's. Only in a worker (and in tests). */
#ifndef ELF_POINT_LINES_H
#define ELF_POINT_LINES_H

#include "point_scopes.h"

/* Adds a function with a point for each place of the line that is asked for: the first of the line
 * in each function and in each inlined copy. 0, -ENOENT with a sentence, -ENODATA no debug
 * information. */
int point_lines_find(struct point_job *job);

#endif
