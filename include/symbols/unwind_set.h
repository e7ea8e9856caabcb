/* unwind_set.h - the unwind tables that the analyzer uses, by the numbers that the object opener
 * gave them; at most so many bytes. The one that was not used for longest goes.
 * Thread: the analyzer's.
 */
#ifndef SYMBOLS_UNWIND_SET_H
#define SYMBOLS_UNWIND_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbols/unwind_table.h"

#define UNWIND_SET_BYTES_MAX ((size_t)64 << 20)	/* the largest libraries have 8 to 11 */

struct unwind_held {
	struct unwind_table table;	/* BORROWED from the opener; header NULL: it has gone */
	uint32_t received;		/* how often it came */
	bool is_asked;			/* the caller's: it was asked for again */
	uint64_t last_hit;
};

struct unwind_set {
	struct unwind_held *held;	/* owned; [number - 1] */
	uint32_t count;
	size_t bytes, bytes_max;
	uint64_t hits;
	uint64_t changes;		/* how often a table came that was not there */
};

void unwind_set_init(struct unwind_set *set, size_t bytes_max);
void unwind_set_finish(struct unwind_set *set);

/* A table came. 0 or -ENOMEM: it is not in the set, and never will be dropped. */
int unwind_set_add(struct unwind_set *set, uint32_t number, const struct unwind_table *table);
/* NULL: it has gone, ask again. Known numbers only. */
const struct unwind_table *unwind_set_hit(struct unwind_set *set, uint32_t number);
/* While there are more than bytes_max bytes: takes the coldest table out, but not the only one.
 * True: give @number back to the opener, as received @received times. */
bool unwind_set_evict(struct unwind_set *set, uint32_t *number, uint32_t *received);

#endif
