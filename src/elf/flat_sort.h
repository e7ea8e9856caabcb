/* flat_sort.h - sorts the entries of a table that is being built, by their address.
 * Thread: any. */
#ifndef ELF_FLAT_SORT_H
#define ELF_FLAT_SORT_H

#include <stdint.h>

struct flat_place {
	uint64_t start;
	uint32_t index;		/* index of the entry; the caller's */
};

/* Sorts by ascending start; places with the same start keep their order. Returns 0 or -ENOMEM (then
 * the order is undefined). */
int flat_sort_by_start(struct flat_place *places, uint32_t count);

/* Returns the index of the place that starts at @start in sorted @places, or UINT32_MAX. */
uint32_t flat_sort_find(const struct flat_place *places, uint32_t count, uint64_t start);

#endif
