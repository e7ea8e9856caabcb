/* unwind_set.c - see symbols/unwind_set.h.
 *
 * Problem: the tables are the opener's memory, but who knows which of them are in use is the
 * analyzer, in another thread; and one that the analyzer gives back may be on its way to him again,
 * for another file that shares it.
 *
 * Idea: both count how often a table went from one to the other. What comes back with a smaller
 * count than was sent stays mapped (unwind_store_drop()).
 */
#include "symbols/unwind_set.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void unwind_set_init(struct unwind_set *set, size_t bytes_max)
{
	*set = (struct unwind_set){ .bytes_max = bytes_max };
}

void unwind_set_finish(struct unwind_set *set)
{
	free(set->held);
	*set = (struct unwind_set){ .held = NULL };
}

int unwind_set_add(struct unwind_set *set, uint32_t number, const struct unwind_table *table)
{
	struct unwind_held *held;

	if (number > set->count) {	/* numbers come nearly in order, one at a time */
		held = realloc(set->held, number * sizeof(*held));
		if (!held)
			return -ENOMEM;
		memset(held + set->count, 0, (number - set->count) * sizeof(*held));
		set->held = held;
		set->count = number;
	}
	held = &set->held[number - 1];
	if (!held->table.header) {
		set->bytes += unwind_table_bytes(table);
		set->changes++;
	}
	held->table = *table;
	held->received++;
	held->is_asked = false;
	held->last_hit = ++set->hits;
	return 0;
}

const struct unwind_table *unwind_set_hit(struct unwind_set *set, uint32_t number)
{
	struct unwind_held *held = &set->held[number - 1];

	if (!held->table.header)
		return NULL;
	held->last_hit = ++set->hits;
	return &held->table;
}

bool unwind_set_evict(struct unwind_set *set, uint32_t *number, uint32_t *received)
{
	struct unwind_held *coldest = NULL;

	if (set->bytes <= set->bytes_max)
		return false;
	for (uint32_t i = 0; i < set->count; i++) {
		struct unwind_held *held = &set->held[i];

		if (held->table.header && held->last_hit != set->hits &&
		    (!coldest || held->last_hit < coldest->last_hit))
			coldest = held;
	}
	if (!coldest)
		return false;
	set->bytes -= unwind_table_bytes(&coldest->table);
	coldest->table = (struct unwind_table){ .header = NULL };
	*number = (uint32_t)(coldest - set->held) + 1;
	*received = coldest->received;
	return true;
}
