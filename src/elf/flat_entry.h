/* flat_entry.h - what flat_builder collects, on its way to the rows of a table: flat_choice says
 * which entries become rows, flat_writer writes them.
 * Thread: the owner's. */
#ifndef ELF_FLAT_ENTRY_H
#define ELF_FLAT_ENTRY_H

#include <stddef.h>
#include <stdint.h>

#include "flat_sort.h"
#include "sandbox/flat_table.h"

enum { FLAT_BOUNDARY = FLAT_KINDS };	/* in the place of a kind: no row */

enum flat_named_by {
	FLAT_BY_TEXT,
	FLAT_BY_VADDR,		/* "fn_<number in hex>" */
	FLAT_BY_RESOLVER,	/* as the row that starts at number is */
};

struct flat_entry {	/* 32 bytes: there can be 4 million */
	uint64_t start;
	union {
		const char *text;	/* BORROWED, not terminated */
		uint64_t number;
	} name;
	uint32_t size;		/* 0: sizeless; larger ones are cut, as in flat_row */
	uint32_t name_bytes;	/* of the text */
	uint32_t object;	/* in objects, or FLAT_NONE */
	uint8_t kind;		/* enum flat_kind or FLAT_BOUNDARY: the lower, the more trusted */
	uint8_t named_by;	/* enum flat_named_by */
	uint8_t rank;
};

struct flat_entries {
	struct flat_entry *entries;
	uint32_t count, capacity;
	const char **objects;	/* names; neighbours share one */
	uint32_t object_count;
	struct flat_place *places;	/* sorted; of all entries, then of the rows */
	uint32_t row_count;
};

/* The entry of a row, after flat_choice_make(). */
static inline struct flat_entry *flat_entry_of_row(const struct flat_entries *all, uint32_t row)
{
	return &all->entries[all->places[row].index];
}

/* Asks the memory for the entry of a place that is soon needed: entries lie in the order in which
 * they came, so that nearly each of them would be waited for. */
static inline void flat_entry_prefetch(const struct flat_entries *all, uint32_t place)
{
	if (place < all->count)
		__builtin_prefetch(&all->entries[all->places[place].index]);
}

#endif
