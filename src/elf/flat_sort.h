/* flat_sort.h - sorts the entries of a table that is being built, by their address.
 * Thread: any. */
#ifndef ELF_FLAT_SORT_H
#define ELF_FLAT_SORT_H

#include <stdint.h>

struct flat_place {
	uint64_t start;
	uint32_t index;		/* the caller's: of the entry */
};

/* Ascending; places of the same start keep their order. 0 or -ENOMEM (then in any order). */
int flat_sort_by_start(struct flat_place *places, uint32_t count);

/* The place of sorted ones that starts at @start, or UINT32_MAX. */
uint32_t flat_sort_find(const struct flat_place *places, uint32_t count, uint64_t start);

#endif
