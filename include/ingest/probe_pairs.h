/* probe_pairs.h - entries of latency probes, until their returns come.
 *
 * Use:    probe_pairs_enter() and probe_pairs_leave() in the order of time. What can have no
 *         partner any more is counted in `unpaired`, per slot; the caller takes and clears it.
 * Bounds: PROBE_PAIRS_BYTES_MAX in all; beyond it the oldest entries go, unpaired.
 * Thread: the analyzer's.
 */
#ifndef INGEST_PROBE_PAIRS_H
#define INGEST_PROBE_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/id_map.h"
#include "probe/probe_news.h"

#define PROBE_PAIRS_BYTES_MAX (32u << 20)	/* 2,000 calls with 16 KiB of stack each */
#define PROBE_PAIRS_DEPTH_MAX 256	/* calls of one thread in one function; the kernel follows
					 * 64 returns, and its own stacks have room for less */

enum pair_order {
	PAIR_NESTED,		/* calls: `thread` and stack pointer */
	PAIR_BY_KEY,		/* tracepoints: `key` alone; a newer entry replaces an older one */
};

/* One end of a pair. */
struct pair_end {
	enum pair_order order;
	uint32_t slot;
	uint64_t key;		/* PAIR_NESTED: probe_pairs_thread() */
	uint64_t sp;		/* PAIR_NESTED: as the record says it, 0: it does not */
	uint64_t return_address;	/* of an entry: the word at sp; 0: not known */
	uint64_t time_ns;
};

struct probe_pending {
	uint64_t map_key;
	uint64_t sp, return_address, time_ns;
	uint32_t slot;
	uint32_t generation;	/* how the record is read */
	uint32_t below;		/* the call of the same thread around it; ID_MAP_NONE */
	uint32_t older, newer;	/* by arrival; ID_MAP_NONE at the ends */
	uint32_t bytes_count;
	unsigned char *bytes;	/* owned: the raw record */
	bool is_left;		/* another entry of its place has returned */
};

/* Where calls of one thread will return to. */
struct probe_calls {
	struct probe_call { uint64_t sp, return_address, time_ns; } *list;	/* owned */
	uint32_t count;
};

struct probe_pairs {
	struct probe_pending *list;	/* owned */
	uint32_t count, capacity;	/* of rows that were ever used */
	uint32_t free_row;		/* list through `below` */
	uint32_t oldest, newest;
	struct id_map top_of;		/* map_key -> the innermost call */
	size_t bytes;
	struct probe_pending taken;	/* what probe_pairs_leave() returned */
	uint64_t gap_ns;		/* records of before were lost: no older entry is paired */
	uint32_t in_flight[PROBE_SLOTS];
	uint32_t unpaired[PROBE_SLOTS];	/* since it was cleared */
	uint64_t unpaired_slots;	/* bits of those that are not 0 */
};

void probe_pairs_init(struct probe_pairs *pairs);
void probe_pairs_finish(struct probe_pairs *pairs);

/* The idle tasks of all CPUs are called thread 0. */
uint64_t probe_pairs_thread(uint32_t tid, uint32_t cpu);

void probe_pairs_enter(struct probe_pairs *pairs, const struct pair_end *end, uint32_t generation,
		       const void *record, size_t bytes);
/* One record has no partner. */
void probe_pairs_miss(struct probe_pairs *pairs, uint32_t slot);
/* The entry that belongs to it, BORROWED until the next call; NULL: there is none, and whether the
 * return misses one is the caller's to say. */
const struct probe_pending *probe_pairs_leave(struct probe_pairs *pairs,
					      const struct pair_end *end);
/* Where the call of @thread will return to whose return address was at @sp, when @replaced was put
 * in its place; as of @time_ns. 0: no entry says it. */
uint64_t probe_pairs_return_address(const struct probe_pairs *pairs, uint64_t thread, uint64_t sp,
				    uint64_t replaced, uint64_t time_ns);
/* All calls of @thread, for who asks when some may be over: @out->list is the caller's to free;
 * NULL: there are none, or no memory. */
void probe_pairs_copy_calls(const struct probe_pairs *pairs, uint64_t thread,
			    struct probe_calls *out);
/* The same as of the pairs then. */
uint64_t probe_calls_return_address(const struct probe_calls *calls, uint64_t sp,
				    uint64_t replaced, uint64_t time_ns);
/* Records were lost before @time_ns. */
void probe_pairs_lost(struct probe_pairs *pairs, uint64_t time_ns);
/* The thread has ended; @is_exec: its program has, calls of the kernel go on. */
void probe_pairs_gone(struct probe_pairs *pairs, uint64_t thread, bool is_exec);
/* The probe is gone, or can't have returns of what was entered. */
void probe_pairs_drop(struct probe_pairs *pairs, uint32_t slot);

#endif
