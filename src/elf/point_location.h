/* point_location.h - child side: where a variable is at an address, as a fetch argument says it.
 *
 * Source: DWARF 5, 2.5, 2.6, 3.3.5; System V ABI, AMD64, 3.2.3.
 * Thread: the owner's. Only in a worker (and in tests). */
#ifndef ELF_POINT_LOCATION_H
#define ELF_POINT_LOCATION_H

#include "point_scopes.h"
#include "point_types.h"

/* The place of @variable at @vaddr, in @scope; false: @out says why it can't be fetched there. */
bool point_location_find(struct point_job *job, const struct point_scope *scope, uint64_t vaddr,
			 Dwarf_Die *variable, struct fetch_place *place, struct fetch_value *out);
/* What the function of @scope returns, when it does. */
bool point_location_of_return(const struct point_scope *scope, struct point_place *at,
			      struct fetch_value *out);

#endif
