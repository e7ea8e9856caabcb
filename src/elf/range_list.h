/* range_list.h - address ranges that may nest, each with a value; finds the innermost one.
 *
 * Use:    embed, zero-initialise, range_list_add() all, range_list_sort() once, then
 *         range_list_find(). range_list_finish() frees.
 * Cost:   24 bytes per range; a look-up is a binary search and one step per nesting level.
 * Thread: the owner's.
 */
#ifndef ELF_RANGE_LIST_H
#define ELF_RANGE_LIST_H

#include <stdint.h>

struct range {
	uint64_t start, end;	/* start <= address < end */
	uint32_t value;
	uint32_t outer;		/* nearest earlier range that ends later, or RANGE_NONE */
};

struct range_list {
	struct range *rows;	/* owned */
	uint32_t count, capacity;
};

#define RANGE_NONE UINT32_MAX

/* Adds a range, @end > @start. Returns 0 or -ENOMEM. */
int range_list_add(struct range_list *list, uint64_t start, uint64_t end, uint32_t value);
/* Sorts the ranges. Of two equal ranges, the one with the higher value is the inner one. */
void range_list_sort(struct range_list *list);
/* Returns the value of the innermost range that contains @address, or RANGE_NONE. */
uint32_t range_list_find(const struct range_list *list, uint64_t address);
void range_list_finish(struct range_list *list);	/* leaves it empty */

#endif
