/* probe_pairs.h - pairs the entries of latency probes with their returns.
 *
 * Use:    probe_pairs_enter() and probe_pairs_leave() in time order. Entries and returns without a
 *         partner are counted in `unpaired`, per slot; the caller reads and clears it.
 * Bounds: PROBE_PAIRS_BYTES_MAX in all; beyond it the oldest entries are dropped as unpaired.
 * Thread: the analyzer's.
 */
#ifndef INGEST_PROBE_PAIRS_H
#define INGEST_PROBE_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/id_map.h"
#include "probe/engine_messages.h"

#define PROBE_PAIRS_BYTES_MAX (32u << 20)	/* 2,000 calls with 16 KiB of stack each */
#define PROBE_PAIRS_DEPTH_MAX 256	/* calls of one thread in one function; the kernel follows
					 * 64 returns, and its own stacks have room for less */

enum pair_order {
	PAIR_NESTED,		/* calls: paired by thread and stack pointer */
	PAIR_BY_KEY,		/* tracepoints: by `key` alone; a newer entry replaces an older */
};

/* One end of a pair. */
struct pair_end {
	enum pair_order order;
	uint32_t slot;
	uint64_t key;		/* PAIR_NESTED: probe_pairs_thread() */
	uint64_t sp;		/* PAIR_NESTED: stack pointer in the record; 0: unknown */
	uint64_t return_address;	/* entry: where the call returns to; 0: unknown */
	uint64_t time_ns;
};

struct probe_pending {
	uint64_t map_key;
	uint64_t sp, return_address, time_ns;
	uint64_t number;	/* increases with each call of any probe */
	uint32_t slot;
	uint32_t generation;	/* number of the generation that decodes the record */
	uint32_t below;		/* enclosing call of thread and slot; ID_MAP_NONE: none */
	uint32_t older, newer;	/* by arrival; ID_MAP_NONE at the ends */
	uint32_t bytes_count;
	unsigned char *bytes;	/* owned: the raw record */
	bool is_left;		/* another entry at the same sp has returned */
	uint8_t passed;		/* points between the first and the last that were hit, in order */
	uint64_t passed_ns[PROBE_MIDDLES_MAX];	/* when they were */
};

/* A pending call. */
struct probe_call {
	uint64_t sp, return_address, time_ns;
	uint64_t number;
	uint32_t slot;
};

/* The pending calls of one thread, slot by slot, the innermost first. */
struct probe_calls {
	struct probe_call *list;	/* owned */
	uint32_t count;
};

struct probe_pairs {
	struct probe_pending *list;	/* owned */
	uint32_t count, capacity;	/* count: rows that were ever used */
	uint32_t free_row;		/* head of the list of free rows, linked by `below` */
	uint32_t oldest, newest;
	struct id_map top_of;		/* map_key -> row of the innermost call */
	size_t bytes;
	struct probe_pending taken;	/* probe_pairs_leave()'s last result */
	uint64_t last_number;		/* number of the newest call */
	uint64_t gap_ns;		/* records before it were lost: no older entry is paired */
	uint32_t in_flight[PROBE_SLOTS];
	uint32_t all_in_flight;		/* sum of `in_flight` */
	uint32_t unpaired[PROBE_SLOTS];	/* since the caller cleared it */
	uint64_t unpaired_slots;	/* bit mask of the slots whose `unpaired` is not 0 */
};

void probe_pairs_init(struct probe_pairs *pairs);
void probe_pairs_finish(struct probe_pairs *pairs);

/* Key of a thread. The idle tasks of all CPUs have tid 0; their keys differ by @cpu. */
uint64_t probe_pairs_thread(uint32_t tid, uint32_t cpu);

void probe_pairs_enter(struct probe_pairs *pairs, const struct pair_end *end, uint32_t generation,
		       const void *record, size_t bytes);
/* Notes that what began with the key of @end hits the point @middle (0 for the first one after the
 * begin) between the first and the last. If that is not the next one, the hit is counted as
 * unpaired, and if one was left out, what began is dropped as unpaired, too. False: nothing began
 * with that key, and the caller decides whether to count the hit with probe_pairs_miss(). */
bool probe_pairs_pass(struct probe_pairs *pairs, const struct pair_end *end, uint32_t middle,
		      uint32_t generation);
/* Counts a record without a partner. */
void probe_pairs_miss(struct probe_pairs *pairs, uint32_t slot);
/* Returns the entry of the return @end, BORROWED until the next call. NULL: there is none; the
 * caller decides whether to count the return with probe_pairs_miss(). */
const struct probe_pending *probe_pairs_leave(struct probe_pairs *pairs,
					      const struct pair_end *end);
/* Returns the number of the outermost pending call of @slot by @thread; 0: it is in none. */
uint64_t probe_pairs_outermost(const struct probe_pairs *pairs, uint32_t slot, uint64_t thread);
/* Returns the original return address of the call of @thread that had it at @sp, where @replaced is
 * now; considers entries up to @time_ns. 0: no entry has it. */
uint64_t probe_pairs_return_address(const struct probe_pairs *pairs, uint64_t thread, uint64_t sp,
				    uint64_t replaced, uint64_t time_ns);
/* Copies the pending calls of @thread, for look-ups after some have returned. @out->list is the
 * caller's to free; NULL: there are none, or no memory. */
void probe_pairs_copy_calls(const struct probe_pairs *pairs, uint64_t thread,
			    struct probe_calls *out);
/* Like probe_pairs_return_address(), for the calls that were pending at the copy. */
uint64_t probe_calls_return_address(const struct probe_calls *calls, uint64_t sp,
				    uint64_t replaced, uint64_t time_ns);
/* Notes that records were lost before @time_ns: older entries are not paired any more. */
void probe_pairs_lost(struct probe_pairs *pairs, uint64_t time_ns);
/* Drops the calls of a thread that exited; @is_exec: of one that called exec, whose calls within
 * the kernel go on. */
void probe_pairs_gone(struct probe_pairs *pairs, uint64_t thread, bool is_exec);
/* Drops all entries of @slot: its probe was removed, or can't report their returns. */
void probe_pairs_drop(struct probe_pairs *pairs, uint32_t slot);

#endif
