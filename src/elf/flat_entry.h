/* flat_entry.h - the entries that flat_builder collects: flat_choice selects those that become rows
 * of the table, flat_writer writes them.
 * Thread: the owner's. */
#ifndef ELF_FLAT_ENTRY_H
#define ELF_FLAT_ENTRY_H

#include <stddef.h>
#include <stdint.h>

#include "flat_sort.h"
#include "sandbox/flat_table.h"

enum { FLAT_BOUNDARY = FLAT_KINDS };	/* flat_entry.kind of a boundary: makes no row */

enum flat_named_by {
	FLAT_BY_TEXT,
	FLAT_BY_VADDR,		/* "fn_<number in hex>" */
	FLAT_BY_RESOLVER,	/* named like the row that starts at `number` */
};

struct flat_entry {	/* 32 bytes: there can be 4 million */
	uint64_t start;
	union {
		const char *text;	/* BORROWED, not terminated */
		uint64_t number;
	} name;
	uint32_t size;		/* bytes, cut to 32 bits as in flat_row; 0: sizeless */
	uint32_t name_bytes;	/* length of name.text */
	uint32_t object;	/* index in objects, or FLAT_NONE */
	uint8_t kind;		/* enum flat_kind or FLAT_BOUNDARY: lower is more trusted */
	uint8_t named_by;	/* enum flat_named_by */
	uint8_t rank;
};

struct flat_entries {
	struct flat_entry *entries;
	uint32_t count, capacity;
	const char **objects;	/* names; consecutive entries of one object share an element */
	uint32_t object_count;
	struct flat_place *places;	/* sorted; only those of rows after flat_choice_make() */
	uint32_t row_count;
};

/* Returns the entry of @row, after flat_choice_make(). */
static inline struct flat_entry *flat_entry_of_row(const struct flat_entries *all, uint32_t row)
{
	return &all->entries[all->places[row].index];
}

/* Prefetches the entry of a place that is soon needed: entries lie in the order in which they were
 * added, so nearly every access would be a cache miss. */
static inline void flat_entry_prefetch(const struct flat_entries *all, uint32_t place)
{
	if (place < all->count)
		__builtin_prefetch(&all->entries[all->places[place].index]);
}

#endif
