/* table_set.c - see symbols/table_set.h.
 *
 * Problem: the tables are the opener's memory, but only the analyzer, in another thread, knows
 * which of them are in use; and a table that the analyzer gives back may be on its way to the
 * analyzer again, for another file that shares it.
 *
 * Idea: both count how often a table was sent. A table that comes back with a smaller count than
 * the opener's stays mapped (unwind_store_drop(), table_store_drop()).
 */
#include "symbols/table_set.h"

#include <stdlib.h>
#include <string.h>

void table_set_finish(struct table_set *set)
{
	free(set->held);
	*set = (struct table_set){ .held = NULL };
}

struct table_held *table_set_add(struct table_set *set, uint32_t number, size_t bytes)
{
	struct table_held *held;

	if (number > set->count) {	/* numbers come nearly in order, one at a time */
		held = realloc(set->held, number * sizeof(*held));
		if (!held)
			return NULL;
		memset(held + set->count, 0, (number - set->count) * sizeof(*held));
		set->held = held;
		set->count = number;
	}
	held = &set->held[number - 1];
	if (!held->bytes) {
		held->bytes = bytes;
		set->bytes += bytes;
	}
	held->received++;
	return held;
}

uint32_t table_set_remove(struct table_set *set, uint32_t number)
{
	struct table_held *held = &set->held[number - 1];

	set->bytes -= held->bytes;
	held->bytes = 0;
	return held->received;
}
