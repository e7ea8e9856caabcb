/* timeline.h - the counts, in slices of one second; the oldest are evicted first. Every view is a
 * fold over them.
 *
 *   oldest                                                         newest
 *   | 60 s | 60 s | 10 s | 10 s | ... | 1 s | 1 s | 1 s | 1 s | open |
 *
 * A slice is a sparse array of (event, task, cpu, stack, value bucket) -> count, weight. The bucket
 * is 0 for samples; a probe hit with a latency has a latency_bucket(), and a branch its
 * branch_prediction. Values that hits carry are
 * counted separately, as EVENT_OF_VALUES: these entries are no samples, and have neither task nor
 * CPU. Closed slices are rolled up to 10 s when they are two minutes old, and to
 * 60 s when they are ten minutes old.
 *
 * Until it is rolled up, a slice has its entries in order of ticks of 50 ms, so that a window can
 * begin and end within it: keys are unique in a tick, and ticks[] says where each tick ends.
 *
 *   entries | tick 3          | tick 4 | (5: none) | tick 6                |
 *   ticks[]                   ^ [0].end  ^ [1].end, [2].end                ^ [3].end = count
 *
 * A sample that comes after the tick of its time was closed is counted in the newest tick.
 *
 * Thread: the analyzer's.
 */
#ifndef TIMELINE_TIMELINE_H
#define TIMELINE_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/id_map.h"

/* Counts the samples of each event per second and per 50 ms, for the activity graph and its heat
 * map: over the last twenty minutes, also where slices were rolled up.
 *
 * Use:    a zeroed struct is empty. tick_totals_add() for every sample; tick_totals_forget() when
 *         samples leave the history.
 * Cost:   5 KB for a minute in which the event has samples.
 */
#define SLICE_NS	1000000000ull
#define SLICE_TICKS	20
#define TICK_NS		(SLICE_NS / SLICE_TICKS)

#define TICK_TOTALS_EVENTS  2047	/* events of timeline/timeline.h but EVENT_OF_VALUES */
#define TICK_TOTALS_MINUTES 22	/* the activity graph's twenty, and parts of two more */

struct tick_minute {
	uint64_t minute;	/* minutes since time 0 */
	uint32_t seconds[60];		/* all samples, per second */
	uint32_t busy[60][SLICE_TICKS];	/* samples of tasks that are not idle, per tick */
};

struct tick_totals {
	/* Owned. Minutes of an event, at minute % TICK_TOTALS_MINUTES; NULL: none counted. */
	struct tick_minute **events[TICK_TOTALS_EVENTS];
	size_t bytes;
	struct tick_place {	/* cache of the last place counted: mostly the next one, too */
		uint64_t begin_ns;	/* start of the tick */
		uint32_t event;
		uint32_t *second, *tick;	/* NULL: none, its minute was freed */
	} last;
};

/* Counts @count samples. Leaves them out if they are too old, or if there is no memory. */
void tick_totals_add(struct tick_totals *totals, uint32_t event, uint64_t time_ns, uint32_t count,
		     bool is_busy);

/* tick_totals_second() returns the samples of @event in a second, tick_totals_busy() those of tasks
 * that are not idle in each tick of it; NULL: none, else BORROWED until the next call. @second:
 * seconds since time 0. */
uint32_t tick_totals_second(const struct tick_totals *totals, uint32_t event, uint64_t second);
const uint32_t *tick_totals_busy(const struct tick_totals *totals, uint32_t event, uint64_t second);

/* Returns the event to show after @event, out of @count. Of many events it is the next one that has
 * samples, because a pattern can match hundreds of tracepoints, most of them silent. */
uint32_t tick_totals_next(const struct tick_totals *totals, uint32_t event, uint32_t count);

void tick_totals_drop(struct tick_totals *totals, uint32_t event);	/* frees all its counts */
/* Frees the minutes before that of @until_ns, which must not be needed any more. */
void tick_totals_forget(struct tick_totals *totals, uint64_t until_ns);
void tick_totals_finish(struct tick_totals *totals);	/* leaves it empty */

#define TIMELINE_MAX_EVENTS 1920	/* events of samples */
#define PROBE_EVENT_FIRST   1920	/* events of probes, one per slot: engine_messages.h */
#define EVENT_OF_SUMS	    2044 /* sums of groups of hits: ingest/hit_groups.h */
#define EVENT_OF_MINS	    2045 /* their minima, ... */
#define EVENT_OF_MAXES	    2046 /* ... and maxima: `weight` is signed */
#define EVENT_OF_VALUES	    2047 /* `stack` is a probe's value: ingest/probe_state.h */
#define TIMELINE_NUMBERS    2048	/* slice_entry.event is less than this */

/* Unknown CPU: the largest value of slice_entry.cpu. Linux has 8192 CPUs at most (NR_CPUS); on such
 * a machine the last CPU would be shown as unknown. */
#define SLICE_CPU_UNKNOWN 8191

/* The value bucket of a branch that the CPU recorded: how it was predicted. */
enum branch_prediction {
	BRANCH_PREDICTION_UNKNOWN,
	BRANCH_PREDICTED,
	BRANCH_MISPREDICTED,
};

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

/* Whether the entry counts samples or hits: those of values and of groups count these again. */
static inline bool slice_entry_is_sample(const struct slice_entry *entry)
{
	return entry->event < EVENT_OF_SUMS;
}

/* An entry of a group of hits has the number of a tuple in place of CPU and bucket. */
#define SLICE_TUPLE_NONE UINT32_MAX
#define SLICE_TUPLES_MAX (1u << 21)

static inline bool slice_entry_has_tuple(const struct slice_entry *entry)
{
	return entry->event >= EVENT_OF_SUMS && entry->event <= EVENT_OF_MAXES;
}

static inline uint32_t slice_entry_tuple(const struct slice_entry *entry)
{
	return (uint32_t)entry->cpu << 8 | entry->bucket;
}

static inline void slice_entry_set_tuple(struct slice_entry *entry, uint32_t tuple)
{
	entry->cpu = tuple >> 8 & SLICE_CPU_UNKNOWN;
	entry->bucket = tuple & 0xff;
}

/* Entries with an index by key, for the open slice and the window that is kept incrementally. */
struct entry_set {
	struct slice_entry *entries;	/* owned */
	uint32_t count, capacity;
	struct id_set index;
};

/* Adds to the entry with @entry's key; of minima and maxima keeps the least or the greatest. 0 or
 * -ENOMEM. */
int entry_set_add(struct entry_set *set, const struct slice_entry *entry);
/* Subtracts from the entry with @entry's key, which must be in the set. Minima and maxima can't be
 * subtracted. */
void entry_set_subtract(struct entry_set *set, const struct slice_entry *entry);
/* Removes the entries with count 0 once they are the majority, after many subtractions. */
void entry_set_shrink(struct entry_set *set);
void entry_set_clear(struct entry_set *set);	/* keeps the memory */
void entry_set_finish(struct entry_set *set);

/* Numbers of samples by kind of stack. */
struct stack_counts {
	uint64_t truncated;	/* more frames than the kernel or the walker follows */
	uint64_t user;		/* has a user stack, which the next four counts classify */
	uint64_t complete;	/* user stack known to its outermost frame */
	uint64_t cut;		/* user stack goes on beyond the copy of it */
	uint64_t outgrown;	/* cut, and the copy was full: a larger copy would help */
	uint64_t no_map;	/* user stack ends in run-time code without a map */
};

struct slice_tick {
	uint32_t end;			/* entries in this tick and all before it */
	struct stack_counts stacks;
};

struct slice {
	uint64_t seq;			/* one more per closed slice; the first's when merged */
	uint64_t start_ns, end_ns;	/* range of the times counted in it */
	struct slice_entry *entries;	/* owned; exact size */
	const uint32_t *tuples;		/* the tuple of each entry, or SLICE_TUPLE_NONE, in a
					 * projection of hits (analyzer/hit_projection.h) by keys;
					 * else NULL */
	uint32_t count;
	uint32_t first_tick, tick_count;	/* ticks[] begins at that tick of its second */
	struct slice_tick *ticks;	/* owned; NULL once rolled up */
	struct stack_counts stacks;
	uint64_t samples;
};

struct timeline {
	struct slice *slices;		/* owned; closed ones, oldest first */
	uint32_t count, capacity;
	uint32_t event_count;
	struct slice open_slice;	/* the slice being filled, without the entries of its newest
					 * tick; has room for SLICE_TICKS ticks */
	uint32_t open_capacity;		/* capacity of open_slice.entries */
	struct entry_set open;		/* entries of the newest tick */
	uint64_t open_tick_end_ns;	/* end of the newest tick */
	struct tick_totals totals;	/* the caller of timeline_add() adds the sample here, too */
	uint64_t kept_begin_ns, kept_end_ns;	/* timeline_keep_ticks(); 0: none */
	uint64_t border_seq;		/* first slice after timeline_set_border() */
	uint64_t evicted_samples;	/* samples evicted since start or the border */
	uint64_t evicted_until_ns;	/* latest end of an evicted slice */
};

int timeline_init(struct timeline *timeline, uint32_t event_count);
void timeline_finish(struct timeline *timeline);

void stack_counts_add(struct stack_counts *sum, const struct stack_counts *more);
void stack_counts_subtract(struct stack_counts *sum, const struct stack_counts *less);

/* Counts one sample at @time_ns. @stack: the kind of its stack; NULL: unknown. Closes the open
 * slice first if @time_ns lies in a later second. 0 or -ENOMEM: the sample is not counted. */
int timeline_add(struct timeline *timeline, uint64_t time_ns, const struct slice_entry *entry,
		 const struct stack_counts *stack);

/* Closes the open slice now, so that a window can end at @now_ns exactly. Nothing happens when it
 * is empty. */
int timeline_cut(struct timeline *timeline, uint64_t now_ns);

/* Returns the number of entries in the open slice. */
uint32_t timeline_open_count(const struct timeline *timeline);

/* Merges old slices as described at the top. @now_ns: the newest time. */
void timeline_roll_up(struct timeline *timeline, uint64_t now_ns);

/* Merges the ticks of each slice that ends before @before_ns. With a few hot stacks on many CPUs
 * ticks take up to 20 times the memory. */
void timeline_merge_ticks(struct timeline *timeline, uint64_t before_ns);

/* Drops the entries for which @is_dropped returns true; `totals` stay. Sums of entries that were
 * kept elsewhere are invalid afterwards. */
typedef bool timeline_choice(const void *context, const struct slice_entry *entry);
void timeline_drop(struct timeline *timeline, timeline_choice *is_dropped, const void *context);

/* Drops the oldest slice. False when there is none. */
bool timeline_evict_oldest(struct timeline *timeline);

/* Keeps the window @begin_ns..@end_ns exact while it is shown: slices within 10 s of its ends are
 * not rolled up, so that it can be moved by a step, too. They may be evicted. 0, 0: no window. */
void timeline_keep_ticks(struct timeline *timeline, uint64_t begin_ns, uint64_t end_ns);

/* Sets a border at @now_ns, where sums begin anew; the history stays. Slices are not merged across
 * it, and `evicted_samples` counts only those after it. Without memory the border is the start of
 * the open slice. */
void timeline_set_border(struct timeline *timeline, uint64_t now_ns);

size_t timeline_bytes(const struct timeline *timeline);

/* Finds the slices in a window of time, and the times that they really cover.
 * Thread: the analyzer's. Pure. */

enum window_kind {
	WINDOW_SECONDS,		/* the newest window_ns */
	WINDOW_ALL,		/* since start, or since zero */
	WINDOW_DECAY,		/* since start, halved every 5 s */
	WINDOW_INTERVAL,	/* since the previous snapshot: batch mode, nothing twice */
};

struct window_span {
	uint32_t first, end;	/* indices of slices: first <= index < end */
	uint64_t begin_ns, end_ns;
	bool is_chosen;		/* only what lies in from_ns..until_ns is in the span */
	uint64_t from_ns, until_ns;
};

/* A requested window. */
struct window_request {
	enum window_kind kind;
	uint64_t length_ns;	/* WINDOW_SECONDS */
	uint64_t known_ns;	/* start of the history */
	uint64_t zero_ns;	/* last reset: only chosen windows have earlier samples */
	uint64_t zero_seq;	/* first slice after the last reset */
	uint64_t newest_ns;	/* end of the history */
	uint64_t frozen_ns;	/* end of the window; 0: newest_ns */
	uint64_t chosen_ns;	/* not 0: start of a chosen window, whatever `kind` says */
	uint64_t since_ns, since_seq;	/* WINDOW_INTERVAL: end of the previous window, and the
					 * first slice that was not in it */
};

/* Returns the span of @request. A chosen window is cut at ticks, where slices have them: a tick, or
 * the part of one that a slice has, belongs to it if its larger part does. The same holds for a
 * rolled-up slice as a whole; the span then has the times really covered. Chosen windows that touch
 * have no sample in common and leave none out. A window that would be empty, because it has the
 * larger part of no rolled-up slice, becomes the rolled-up slice that has most of it. */
struct window_span window_span_choose(const struct timeline *timeline,
				      const struct window_request *request);

/* Makes the array *@out of the *@count slices in @span; never NULL on success, the caller frees it
 * with free(). Times, entries and counts of each slice are cut to the span; a slice that was cut
 * has no ticks. Entries and ticks are BORROWED until the timeline changes. 0 or -ENOMEM. */
int window_span_slices(const struct window_span *span, const struct timeline *timeline,
		       struct slice **out, uint32_t *count);

#endif
