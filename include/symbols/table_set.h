/* table_set.h - the tables that the analyzer was given, of symbols or of unwind rows, by the
 * numbers of the rows in which the object opener has them: how often each came, and what they take.
 * Thread: the analyzer's.
 */
#ifndef SYMBOLS_TABLE_SET_H
#define SYMBOLS_TABLE_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sandbox/unwind_table.h"

struct table_held {
	size_t bytes;		/* 0: it is not here */
	uint32_t received;	/* how often it came */
	union {			/* for who decides which goes */
		struct {	/* of symbols: ingest/table_budget.c */
			uint32_t needed_round;
			bool is_mapped;
		};
		struct {	/* of unwind rows: unwind/unwind_set.h */
			uint64_t number;	/* whose row it is, or was last */
			struct unwind_table table;	/* BORROWED from the opener */
			uint64_t last_hit;
			bool is_asked;	/* the caller's: it was asked for again */
		};
	};
};

struct table_set {
	struct table_held *held;	/* owned; [number - 1] */
	uint32_t count;
	size_t bytes;
};

void table_set_finish(struct table_set *set);	/* of a zeroed one, too */
/* A table of @bytes came. NULL: no memory, it is not in the set, and never will be given back. */
struct table_held *table_set_add(struct table_set *set, uint32_t number, size_t bytes);
/* It is given back, as received so many times: returns that. */
uint32_t table_set_remove(struct table_set *set, uint32_t number);

#endif
