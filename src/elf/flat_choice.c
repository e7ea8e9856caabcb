/* flat_choice.c - see flat_choice.h.
 *
 * One pass over the sorted places, which tracks two ends: that of the sized rows so far (entries
 * that start before it are covered) and that of the unwind entries so far (a sizeless symbol can't
 * extend past it).
 */
#include "flat_choice.h"

#include <stdbool.h>
#include <string.h>

#define AHEAD 16	/* prefetch distance in places: takes as long as a cache miss */

static size_t count_underscores(const struct flat_entry *entry)
{
	size_t count = 0;

	while (count < entry->name_bytes && entry->name.text[count] == '_')
		count++;
	return count;
}

/* Best of the entries at one address so far. */
struct choice {
	struct flat_entry *best;
	size_t underscores;	/* leading underscores of best's name; SIZE_MAX: not counted */
};

/* Compares names like perf: fewer leading underscores, then longer. Counts those of the best only
 * once: a hostile file can have a million aliases of nothing but underscores. */
static void choose_by_name(struct choice *choice, struct flat_entry *entry)
{
	size_t underscores = count_underscores(entry);

	if (choice->underscores == SIZE_MAX)
		choice->underscores = count_underscores(choice->best);
	if (underscores != choice->underscores ? underscores > choice->underscores :
						 entry->name_bytes <= choice->best->name_bytes)
		return;
	*choice = (struct choice){ entry, underscores };
}

/* Updates @choice with @entry, which was added later than all entries seen so far. */
static void choose(struct choice *choice, struct flat_entry *entry)
{
	const struct flat_entry *best = choice->best;
	bool is_better;

	if (!best || entry->kind != best->kind)
		is_better = !best || entry->kind < best->kind;
	else if (!entry->size || !best->size)
		is_better = entry->size || !best->size;
	else if (entry->rank != best->rank)
		is_better = entry->rank > best->rank;
	else if (entry->named_by != FLAT_BY_TEXT || best->named_by != FLAT_BY_TEXT)
		is_better = false;
	else
		return choose_by_name(choice, entry);
	if (is_better)
		*choice = (struct choice){ entry, SIZE_MAX };
}

static bool has_same_object(const struct flat_entries *all, const struct flat_entry *a,
			    const struct flat_entry *b)
{
	if (a->object == b->object || a->object == FLAT_NONE || b->object == FLAT_NONE)
		return a->object == b->object;
	return strcmp(all->objects[a->object], all->objects[b->object]) == 0;
}

/* Ends of the entries so far. */
struct reach {
	uint64_t sized_end;	/* end of sized rows: sizeless entries before it are covered */
	uint64_t unwind_end;	/* end of unwind entries: sizeless symbols don't extend past it */
};

static uint64_t later_end(uint64_t end, const struct flat_entry *entry)
{
	uint64_t own = entry->size > UINT64_MAX - entry->start ? UINT64_MAX :
							       entry->start + entry->size;

	return own > end ? own : end;
}

/* Returns the size of a sizeless @entry. @next: an entry of the next address, or NULL. */
static uint64_t sizeless_size(const struct flat_entries *all, const struct flat_entry *entry,
			      const struct flat_entry *next, const struct reach *reach,
			      uint64_t cap)
{
	uint64_t size = cap;

	if (next && (has_same_object(all, entry, next) || next->start - entry->start < cap))
		size = next->start - entry->start;
	if (reach->unwind_end > entry->start && reach->unwind_end - entry->start < size)
		size = reach->unwind_end - entry->start;
	return size < UINT32_MAX ? size : UINT32_MAX;
}

/* Returns whether @row becomes a row of the table; then its size is not 0 and does not wrap. */
static bool close_row(const struct flat_entries *all, struct flat_entry *row,
		      const struct flat_entry *next, struct reach *reach, uint64_t cap)
{
	bool is_covered = row->start < reach->sized_end;
	bool is_sized = row->size && row->kind != FLAT_UNWIND;

	if (row->kind == FLAT_BOUNDARY || (is_covered && !is_sized))
		return false;
	if (!row->size)
		row->size = (uint32_t)sizeless_size(all, row, next, reach, cap);
	if (row->size > UINT64_MAX - row->start)
		row->size = (uint32_t)(UINT64_MAX - row->start);
	if (is_sized)
		reach->sized_end = later_end(reach->sized_end, row);
	return row->size != 0;
}

/* Returns the entry that names the address of place @first; *@end: first place after it. */
static struct flat_entry *choose_alias(const struct flat_entries *all, uint32_t first,
				       uint32_t *end, struct reach *reach)
{
	const struct flat_place *places = all->places;
	struct choice choice = { .best = NULL };
	uint32_t i;

	for (i = first; i < all->count && places[i].start == places[first].start; i++) {
		struct flat_entry *entry = &all->entries[places[i].index];

		flat_entry_prefetch(all, i + AHEAD);
		choose(&choice, entry);
		if (entry->kind == FLAT_UNWIND)
			reach->unwind_end = later_end(reach->unwind_end, entry);
	}
	*end = i;
	return choice.best;
}

/* Chooses the rows. Returns how many of them take their name from a resolver's row. */
static uint32_t choose_rows(struct flat_entries *all, uint64_t sizeless_cap)
{
	struct reach reach = { .sized_end = 0 };
	uint32_t unnamed = 0, end;

	for (uint32_t first = 0; first < all->count; first = end) {
		struct flat_entry *row = choose_alias(all, first, &end, &reach);
		const struct flat_entry *next =
			end < all->count ? &all->entries[all->places[end].index] : NULL;

		if (!close_row(all, row, next, &reach, sizeless_cap))
			continue;
		unnamed += row->named_by == FLAT_BY_RESOLVER;
		all->places[all->row_count++] = (struct flat_place){
			.start = row->start, .index = (uint32_t)(row - all->entries),
		};
	}
	return unnamed;
}

/* Returns the row that starts at @start, or NULL. */
static const struct flat_entry *find_row(const struct flat_entries *all, uint64_t start)
{
	uint32_t row = flat_sort_find(all->places, all->row_count, start);

	return row == FLAT_NONE ? NULL : flat_entry_of_row(all, row);
}

/* Names rows after their resolver's row; drops those whose resolver has no row. */
static void name_by_resolvers(struct flat_entries *all)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < all->row_count; i++) {
		struct flat_entry *row = flat_entry_of_row(all, i);
		const struct flat_entry *resolver;

		if (row->named_by == FLAT_BY_RESOLVER) {
			resolver = find_row(all, row->name.number);
			if (!resolver || resolver->kind == FLAT_PLT)
				continue;
			row->name = resolver->name;
			row->name_bytes = resolver->name_bytes;
			row->named_by = resolver->named_by;
		}
		all->places[kept++] = all->places[i];	/* always sorted, for find_row() */
	}
	all->row_count = kept;
}

void flat_choice_make(struct flat_entries *all, uint64_t sizeless_cap)
{
	if (choose_rows(all, sizeless_cap))
		name_by_resolvers(all);
}
