/* unwind_set.h - the unwind tables that the analyzer uses, by the numbers that the DSO opener
 * gave them. Limited in bytes; the least recently used table is dropped first.
 * Thread: the analyzer's.
 */
#ifndef UNWIND_UNWIND_SET_H
#define UNWIND_UNWIND_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbols/dso_table.h"

#define UNWIND_SET_BYTES_MAX ((size_t)24 << 20)	/* the largest libraries need 8 to 11 MiB */

/* Bookkeeping per table, here and in the opener, so that small tables count, too. */
#define UNWIND_SET_TABLE_BYTES 1024u

struct unwind_set {
	struct table_set tables;
	size_t bytes_max;
	uint64_t hits;
	uint64_t changes;		/* how often a table was added that was not in the set */
};

void unwind_set_init(struct unwind_set *set, size_t bytes_max);
void unwind_set_finish(struct unwind_set *set);

/* Adds @table, which was received. 0; -ENOMEM: it is not in the set, and is never given back. */
int unwind_set_add(struct unwind_set *set, uint64_t number, const struct unwind_table *table);
/* Returns the table of @number, which was added before; NULL: it was dropped, request it again. */
const struct unwind_table *unwind_set_hit(struct unwind_set *set, uint64_t number);
/* Returns whether the row of @number holds another table by now: the number is useless then. */
bool unwind_set_is_lost(const struct unwind_set *set, uint64_t number);
/* Returns the row of @number, which was added before. */
struct table_held *unwind_set_held(const struct unwind_set *set, uint64_t number);
/* If the set exceeds bytes_max, removes the least recently used table, but never the one used last.
 * True: give @number back to the opener, as received @received times. */
bool unwind_set_evict(struct unwind_set *set, uint64_t *number, uint32_t *received);

#endif
