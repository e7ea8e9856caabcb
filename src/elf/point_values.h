/* point_values.h - worker side: the points of a function, with the queried values and the values
 * that are available there.
 * Thread: the owner's. Only in a worker (and in tests). */
#ifndef ELF_POINT_VALUES_H
#define ELF_POINT_VALUES_H

#include "point_scopes.h"

/* Adds a point at @vaddr to the last function, and the values it offers if it is its first point.
 * @scope: its scope in the debug information; NULL: none, then @entry is the start of its symbol.
 * Does nothing if the function already has that point. */
void point_values_add_point(struct point_job *job, const struct point_scope *scope, uint64_t entry,
			    uint64_t vaddr);

#endif
