/* point_location.h - worker side: the location of a variable at an address, as a fetch argument.
 *
 * Source: DWARF 5, 2.5, 2.6, 3.3.5; System V ABI, AMD64, 3.2.3; AAPCS64, 6.8, 6.9.
 * Thread: the owner's. Only in a worker (and in tests). */
#ifndef ELF_POINT_LOCATION_H
#define ELF_POINT_LOCATION_H

#include "point_scopes.h"
#include "point_types.h"

/* Finds the location of @variable at @vaddr in @scope. Returns false if it can't be fetched there;
 * @out has the reason. */
bool point_location_find(struct point_job *job, const struct point_scope *scope, uint64_t vaddr,
			 Dwarf_Die *variable, struct fetch_location *place,
			 struct fetch_value *out);
/* Sets *@at to the return value of @scope's function, at its return. Returns false if it can't be
 * fetched; @out has the reason. */
bool point_location_of_return(const struct point_job *job, const struct point_scope *scope,
			      struct point_place *at, struct fetch_value *out);

#endif
