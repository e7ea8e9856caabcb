/* point_values.h - worker side: the sites of a function, with the queried values and the values
 * that are available there.
 * Thread: the owner's. Only in a worker (and in tests). */
#ifndef ELF_POINT_VALUES_H
#define ELF_POINT_VALUES_H

#include "point_scopes.h"

/* Adds a site at @vaddr to the last function, and the values it offers if it is its first site.
 * @scope: its scope in the debug information; NULL: none, then @entry is the start of its symbol.
 * Does nothing if the function already has that site. */
void point_values_add_point(struct point_job *job, const struct point_scope *scope, uint64_t entry,
			    uint64_t vaddr);

#endif
