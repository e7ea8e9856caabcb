/* hit_groups.h - what is summed for each group of a probe's hits: `by`, aggregates, latencies.
 *
 *   hit -> keys of `by` -> tuple (probe, sum, keys, bucket) -> entry of the timeline
 *
 * A tuple is one sum of one group: the number of hits in a bucket of latency, sum(bytes), a bucket
 * of hist(bytes), ... Its entries are of EVENT_OF_SUMS, of EVENT_OF_MINS or of EVENT_OF_MAXES, have
 * the task and the stack of their hits, and the tuple's number in place of CPU and bucket; so they
 * are folded like samples, by window, task and stack.
 *
 * Bounds: HIT_TUPLES_OF_PROBE tuples of a probe, HIT_TUPLES_MAX of all: what has no room is counted
 *         with the keys HIT_KEY_OTHER, so that sums over all groups stay right.
 * Thread: the analyzer's.
 */
#ifndef INGEST_HIT_GROUPS_H
#define INGEST_HIT_GROUPS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/id_map.h"
#include "probe/probe_spec.h"
#include "timeline/timeline.h"

#define HIT_TUPLES_OF_PROBE 32768u
#define HIT_TUPLES_MAX	    262144u	/* those of HIT_KEY_OTHER may be more */

#define HIT_KEYS_MAX  (PROBE_KEYS_MAX + 1)	/* with the value of top() */
#define HIT_KEY_NONE  UINT32_MAX	/* there is no such key, or the stack has it */
#define HIT_KEY_OTHER (UINT32_MAX - 1)

/* What a tuple sums; HIT_SUM_FIRST + i is aggregate i of the spec. */
enum hit_sum {
	HIT_SUM_HITS,	/* count: hits by bucket of latency; weight: summed latency in ns */
	HIT_SUM_FIRST,
	HIT_SUM_INSIDE = HIT_SUM_FIRST + PROBE_AGGREGATES_MAX,	/* samples and waits inside a call,
								 * without keys */
	HIT_SUM_LONGEST,	/* EVENT_OF_MAXES: the longest latency of a group, in ns */
	HIT_SUMS
};

struct hit_tuple {
	uint32_t probe;			/* id */
	uint32_t keys[HIT_KEYS_MAX];	/* ids of values (ingest/probe_state.h), or HIT_KEY_ */
	uint32_t bucket;		/* HITS: latency_bucket(); hist, lhist: the bucket's index;
					 * INSIDE: hit_inside_bucket() */
	uint8_t sum;			/* enum hit_sum */
};

/* The bucket of a sample of @event inside a call whose latency is in @latency. */
static inline uint32_t hit_inside_bucket(uint32_t event, uint8_t latency)
{
	return event << 8 | latency;
}

struct hit_tuples {
	struct hit_tuple *rows;		/* owned */
	uint32_t count, capacity;
	struct id_set index;
	uint32_t of_slot[64];		/* tuples of the probe in each of the PROBE_SLOTS */
	bool is_full;			/* a tuple had no room since the last compaction */
};

void hit_tuples_finish(struct hit_tuples *tuples);	/* a zeroed struct is fine */
/* Returns the number of @wanted, a tuple of the probe in @slot; of the tuple "other" if there is no
 * room; ID_SET_NONE: out of memory. */
uint32_t hit_tuples_intern(struct hit_tuples *tuples, uint32_t slot,
			   const struct hit_tuple *wanted);
/* Sets @values[id] of each value that a tuple with @used[number] has. */
void hit_tuples_mark(const struct hit_tuples *tuples, const unsigned char *used,
		     unsigned char *values);
/* Forgets the tuples with !used[number] (count elements) and renumbers the values of the others.
 * @renumbered[old] = new or ID_SET_NONE; @probes: id of the probe in each of the PROBE_SLOTS. */
void hit_tuples_compact(struct hit_tuples *tuples, const unsigned char *used,
			const uint32_t *new_value, const uint32_t *probes, uint32_t *renumbered);

/* Samples that wait for the end of a call (src/ingest/inside.h): a ring of the newest. */
#define INSIDE_HELD	  32768u
#define INSIDE_CALLS_KEPT 4096u		/* calls that ended; late samples are inside them, too */

struct inside_sample {
	uint64_t call;
	uint64_t before;		/* number of the sample before it of that call; 0: none */
	struct slice_entry entry;
};

struct inside_call {
	uint64_t number, end_ns;
	uint32_t probe;			/* id: another probe may have its slot since */
	uint8_t bucket;			/* latency_bucket() */
};

struct inside {
	struct inside_sample *held;	/* owned ring, by number; NULL: none was so far */
	struct inside_call *ended;	/* owned ring, by number; NULL: none so far */
	uint64_t last;			/* number of the newest sample; the first is 1 */
	struct id_map last_of_call;	/* call -> number of its newest sample, low 32 bits */
	uint64_t unheld;		/* samples without room, since start */
};

void inside_finish(struct inside *inside);	/* a zeroed struct is fine */

#endif
