/* point_values.h - child side: the points of a function, with the values that were asked for and
 * those that are to be had.
 * Thread: the owner's. Only in a worker (and in tests). */
#ifndef ELF_POINT_VALUES_H
#define ELF_POINT_VALUES_H

#include "point_scopes.h"

/* Adds @vaddr to the last function, and what the function offers if it is its first point. @scope:
 * where it is by debug information; NULL: there is none, and @entry is where its symbol begins. A
 * point that is there already is left alone. */
void point_values_add_point(struct point_job *job, const struct point_scope *scope, uint64_t entry,
			    uint64_t vaddr);

#endif
