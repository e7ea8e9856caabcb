/* table_set.h - the symbol tables, or unwind tables, that the analyzer has received, by their row
 * number in the object opener's store: how often each was received, and its size.
 * Thread: the analyzer's.
 */
#ifndef SYMBOLS_TABLE_SET_H
#define SYMBOLS_TABLE_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sandbox/unwind_table.h"

struct table_held {
	size_t bytes;		/* 0: not in the set */
	uint32_t received;	/* how often the row's tables were received */
	union {			/* for choosing which table to give back */
		struct {	/* symbol tables: ingest/table_budget.c */
			uint32_t needed_round;
			bool is_mapped;
		};
		struct {	/* unwind tables: unwind/unwind_set.h */
			uint64_t number;	/* number of the row's newest table */
			struct unwind_table table;	/* BORROWED from the opener */
			uint64_t last_hit;
			bool is_asked;	/* set by ingest: requested again */
		};
	};
};

struct table_set {
	struct table_held *held;	/* owned; [number - 1] */
	uint32_t count;
	size_t bytes;
};

void table_set_finish(struct table_set *set);	/* a zeroed set is fine */
/* Adds a table of @bytes that was received. NULL: no memory; it is never given back then. */
struct table_held *table_set_add(struct table_set *set, uint32_t number, size_t bytes);
/* Removes a table, to give it back; returns how often it was received. */
uint32_t table_set_remove(struct table_set *set, uint32_t number);

#endif
