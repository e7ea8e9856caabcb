/* unwind_set.h - the unwind tables that the analyzer uses, by the numbers that the object opener
 * gave them; at most so many bytes. The one that was not used for longest goes.
 * Thread: the analyzer's.
 */
#ifndef UNWIND_UNWIND_SET_H
#define UNWIND_UNWIND_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbols/table_set.h"

#define UNWIND_SET_BYTES_MAX ((size_t)24 << 20)	/* the largest libraries have 8 to 11 */

/* What is known of a table besides its rows, here and in the opener: small ones count, too. */
#define UNWIND_SET_TABLE_BYTES 1024u

struct unwind_set {
	struct table_set tables;
	size_t bytes_max;
	uint64_t hits;
	uint64_t changes;		/* how often a table came that was not there */
};

void unwind_set_init(struct unwind_set *set, size_t bytes_max);
void unwind_set_finish(struct unwind_set *set);

/* A table came. 0 or -ENOMEM: it is not in the set, and never will be dropped. */
int unwind_set_add(struct unwind_set *set, uint64_t number, const struct unwind_table *table);
/* NULL: it has gone, ask again. Numbers that were added once. */
const struct unwind_table *unwind_set_hit(struct unwind_set *set, uint64_t number);
/* Its row is another table's by now: the number is of no use any more. */
bool unwind_set_is_lost(const struct unwind_set *set, uint64_t number);
/* What its row is known by: of @number, which is not lost. */
struct table_held *unwind_set_held(const struct unwind_set *set, uint64_t number);
/* While there are more than bytes_max bytes: takes the coldest table out, but not the only one.
 * True: give @number back to the opener, as received @received times. */
bool unwind_set_evict(struct unwind_set *set, uint64_t *number, uint32_t *received);

#endif
