/* unwind_set.c - see unwind/unwind_set.h. */
#include "unwind/unwind_set.h"

#include <errno.h>

void unwind_set_init(struct unwind_set *set, size_t bytes_max)
{
	*set = (struct unwind_set){ .bytes_max = bytes_max };
}

void unwind_set_finish(struct unwind_set *set)
{
	table_set_finish(&set->tables);
}

int unwind_set_add(struct unwind_set *set, uint64_t number, const struct unwind_table *table)
{
	const size_t before = set->tables.bytes;
	struct table_held *held = table_set_add(&set->tables, (uint32_t)number,
						unwind_table_bytes(table) +
						UNWIND_SET_TABLE_BYTES);

	if (!held)
		return -ENOMEM;
	set->changes += set->tables.bytes != before;
	held->number = number;
	held->table = *table;
	held->is_asked = false;
	held->last_hit = ++set->hits;
	return 0;
}

struct table_held *unwind_set_held(const struct unwind_set *set, uint64_t number)
{
	return &set->tables.held[(uint32_t)number - 1];
}

bool unwind_set_is_lost(const struct unwind_set *set, uint64_t number)
{
	return unwind_set_held(set, number)->number != number;
}

const struct unwind_table *unwind_set_hit(struct unwind_set *set, uint64_t number)
{
	struct table_held *held = unwind_set_held(set, number);

	if (!held->bytes || held->number != number)
		return NULL;
	held->last_hit = ++set->hits;
	return &held->table;
}

bool unwind_set_evict(struct unwind_set *set, uint64_t *number, uint32_t *received)
{
	const struct table_held *coldest = NULL;

	if (set->tables.bytes <= set->bytes_max)
		return false;
	for (uint32_t i = 0; i < set->tables.count; i++) {
		const struct table_held *held = &set->tables.held[i];

		if (held->bytes && held->last_hit != set->hits &&
		    (!coldest || held->last_hit < coldest->last_hit))
			coldest = held;
	}
	if (!coldest)
		return false;
	*number = coldest->number;
	*received = table_set_remove(&set->tables, (uint32_t)*number);
	return true;
}
