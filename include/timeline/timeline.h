/* timeline.h - the counts: slices of one second, oldest leave first. Every view is a fold over it.
 *
 *   oldest                                                         newest
 *   | 60 s | 60 s | 10 s | 10 s | ... | 1 s | 1 s | 1 s | 1 s | open |
 *
 * A slice is a sparse array of (event, task, cpu, stack, value bucket) -> count, weight. The bucket
 * is 0 for samples, and of a hit with a latency ingest/latency_bucket.h's. What hits carried is
 * counted beside them, as EVENT_OF_VALUES: these entries are no samples, and have neither task nor
 * CPU. Closed slices older than two minutes are rolled up to 10 s, older than ten to 60 s, before
 * they go.
 *
 * Until then the entries of a slice are by ticks of 50 ms, so that a window can begin and end
 * within it: keys are unique in a tick, and ticks[] says where in the entries each one ends.
 *
 *   entries | tick 3          | tick 4 | (5: none) | tick 6                |
 *   ticks[]                   ^ [0].end  ^ [1].end, [2].end                ^ [3].end = count
 *
 * What is counted late, after the tick of its time was left, is in the tick that was open then.
 *
 * Thread: the analyzer's.
 */
#ifndef TIMELINE_TIMELINE_H
#define TIMELINE_TIMELINE_H

#include <stdbool.h>

#include "base/id_set.h"
#include "timeline/tick_totals.h"

#define TIMELINE_MAX_EVENTS 1920	/* of samples; beyond them: */
#define PROBE_EVENT_FIRST   1920	/* probe/probe_news.h: a slot each */
#define EVENT_OF_VALUES	    2047 /* `stack`: a probe's value, ingest/probe_values.h */
#define TIMELINE_NUMBERS    2048	/* slice_entry.event is below it */

/* No CPU: the last number of slice_entry.cpu. Linux has 8192 CPUs at most (NR_CPUS); the last of
 * so many would be unknown. */
#define SLICE_CPU_UNKNOWN 8191

/* 24 bytes: a history is millions of these. */
struct slice_entry {
	uint32_t task, stack;
	uint32_t count;
	uint32_t bucket : 8;
	uint32_t event : 11;
	uint32_t cpu : 13;	/* or SLICE_CPU_UNKNOWN */
	uint64_t weight;	/* summed period */
};

static inline void slice_entry_set_cpu(struct slice_entry *entry, bool is_known, uint32_t cpu)
{
	entry->cpu = is_known && cpu < SLICE_CPU_UNKNOWN ? cpu & SLICE_CPU_UNKNOWN
							 : SLICE_CPU_UNKNOWN;
}

static inline void slice_entry_set_event(struct slice_entry *entry, uint32_t event)
{
	entry->event = event & (TIMELINE_NUMBERS - 1);
}

/* Entries found by key: the open slice, and the window that is kept incrementally. */
struct entry_set {
	struct slice_entry *entries;	/* owned */
	uint32_t count, capacity;
	struct id_set index;
};

/* Adds to the entry with @entry's key. 0 or -ENOMEM. */
int entry_set_add(struct entry_set *set, const struct slice_entry *entry);
/* Takes away from it; the key must be there. */
void entry_set_subtract(struct entry_set *set, const struct slice_entry *entry);
/* After many subtractions: forgets the entries that count nothing, once they are the majority. */
void entry_set_shrink(struct entry_set *set);
void entry_set_clear(struct entry_set *set);	/* keeps the memory */
void entry_set_finish(struct entry_set *set);

/* How many samples have which kind of stack. */
struct stack_counts {
	uint64_t truncated;	/* more frames than the kernel or the walker follows */
	uint64_t user;		/* with a user part, and of these: */
	uint64_t complete;	/* known to their outermost frame */
	uint64_t cut;		/* go on beyond the copy of the stack, */
	uint64_t outgrown;	/* which the kernel could fill: a larger one would help */
	uint64_t no_map;	/* stacks that end in run-time code without a map */
};

struct slice_tick {
	uint32_t end;			/* entries of it and of the ticks before it */
	struct stack_counts stacks;
};

struct slice {
	uint64_t seq;			/* one more per closed slice; the first's when merged */
	uint64_t start_ns, end_ns;	/* of the times counted in it */
	struct slice_entry *entries;	/* owned; exact size */
	uint32_t count;
	uint32_t first_tick, tick_count;	/* of its second, and how many are in ticks */
	struct slice_tick *ticks;	/* owned; NULL once rolled up */
	struct stack_counts stacks;
	uint64_t samples;
};

struct timeline {
	struct slice *slices;		/* owned; closed ones, oldest first */
	uint32_t count, capacity;
	uint32_t event_count;
	struct slice open_slice;	/* the one that is being filled: all but its newest tick's
					 * entries; has room for SLICE_TICKS ticks */
	uint32_t open_capacity;		/* of its entries */
	struct entry_set open;		/* those of its newest tick, */
	uint64_t open_tick_end_ns;	/* which ends then */
	struct tick_totals totals;	/* whoever adds a sample adds it here, too */
	uint64_t kept_begin_ns, kept_end_ns;	/* timeline_keep_ticks(); 0: none */
	uint64_t border_seq;		/* timeline_set_border(): the first slice behind it */
	uint64_t evicted_samples;	/* left with their slices, since start or the border */
	uint64_t evicted_until_ns;
};

int timeline_init(struct timeline *timeline, uint32_t event_count);
void timeline_finish(struct timeline *timeline);

void stack_counts_add(struct stack_counts *sum, const struct stack_counts *more);
void stack_counts_subtract(struct stack_counts *sum, const struct stack_counts *less);

/* Counts one sample at @time_ns, of which @stack (NULL: nothing) is known. Closes the open slice
 * first when @time_ns lies in a later second. 0 or -ENOMEM: the sample is not counted. */
int timeline_add(struct timeline *timeline, uint64_t time_ns, const struct slice_entry *entry,
		 const struct stack_counts *stack);

/* Closes the open slice now, so that a window can end at @now_ns exactly. Nothing happens when it
 * is empty. */
int timeline_cut(struct timeline *timeline, uint64_t now_ns);

/* How many entries the open slice has. */
uint32_t timeline_open_count(const struct timeline *timeline);

/* Merges old slices as described above. @now_ns: the newest time. */
void timeline_roll_up(struct timeline *timeline, uint64_t now_ns);

/* Slices that end before @before_ns keep their length and lose their ticks, which takes a few hot
 * stacks on many CPUs up to 20 times the memory. */
void timeline_merge_ticks(struct timeline *timeline, uint64_t before_ns);

/* Drops the entries of which @is_dropped is true; `totals` stay. Whoever keeps sums of entries must
 * start over. */
typedef bool timeline_choice(const void *context, const struct slice_entry *entry);
void timeline_drop(struct timeline *timeline, timeline_choice *is_dropped, const void *context);

/* Drops the oldest slice. False when there is none. */
bool timeline_evict_oldest(struct timeline *timeline);

/* The window @begin_ns..@end_ns is looked at: 10 s before and after its ends slices are not rolled
 * up, so that these stay exact, and a step aside is. But they may leave. 0, 0: none is. */
void timeline_keep_ticks(struct timeline *timeline, uint64_t begin_ns, uint64_t end_ns);

/* Sums begin anew at @now_ns, and history stays: no slice is merged across, and of those before it
 * `evicted_samples` tells no more. Without memory the border is where the open slice began. */
void timeline_set_border(struct timeline *timeline, uint64_t now_ns);

size_t timeline_bytes(const struct timeline *timeline);

#endif
