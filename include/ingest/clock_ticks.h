/* clock_ticks.h - how much CPU time brought no sample, though cpu-clock was to sample all of it.
 *
 * Problem: the timer behind cpu-clock goes on, idle or not, but where interrupts are off or the
 *          host runs other guests, it skips ticks without a record and without a count. For task
 *          events it starts anew with each thread, which may end before its first tick.
 * Idea:    each sample stands for its period, and the total time is known: on whole CPUs it is wall
 *          time, on tasks the kernel counts it. What neither samples nor lost records nor
 *          throttling account for is missing.
 * Thread:  the analyzer's.
 */
#ifndef INGEST_CLOCK_TICKS_H
#define INGEST_CLOCK_TICKS_H

#include <stdbool.h>

#include "capture/event_desc.h"
#include "capture/record_queue.h"

/* Missing samples that other causes explain; sums since start. */
struct clock_gaps {
	uint64_t throttled_ns;
	uint64_t lost;		/* records */
};

struct clock_ticks {
	bool has_clock;		/* false: no such event, nothing is known */
	uint16_t event;		/* the first event that is cpu-clock without modifiers */
	uint32_t cpus;		/* CPUs sampled whole; 0: tasks are, wherever they run */
	uint64_t first_ns;	/* time of the first sample; 0: there was none */
	uint64_t period_ns;	/* period of the last sample */
	uint64_t sampled_ns;	/* sum of the periods */
	/* On tasks: the kernel's newest count; the newest count whose samples have all come; and
	 * sampled_ns at that count. */
	struct queue_counted counted, settled;
	uint64_t settled_sampled_ns;
	struct clock_gaps gaps;	/* sums when this source began */
	uint64_t before_ns;	/* time missing in earlier sources */
	uint64_t begin_ns;	/* begin of this source, set after clock_ticks_begin(); 0: start */
	bool is_mixed;		/* before_ns is time of whole CPUs, idle or not; this source's is
				 * time of tasks */
	uint64_t stolen_ns;	/* sum of all CPUs since the start: steal in /proc/stat */
};

/* Begins another source with @count events on @cpus whole CPUs (0: on tasks, or in a recording).
 * @missing_ns, the time missing before, stays counted. */
void clock_ticks_begin(struct clock_ticks *ticks, const struct event_desc *const *events,
		       uint32_t count, uint32_t cpus, uint64_t missing_ns, struct clock_gaps gaps);
/* Adds a sample of @event at @time_ns that stands for @period; samples come in order. */
void clock_ticks_add(struct clock_ticks *ticks, uint16_t event, uint64_t time_ns, uint64_t period);
/* Adds the kernel's count of @event on all tasks. All samples up to @until_ns have come. A count is
 * used once all samples up to its time have come; until then newer counts are dropped. */
void clock_ticks_count(struct clock_ticks *ticks, uint16_t event,
		       const struct queue_counted *counted, uint64_t until_ns);
/* Uses the last count: no more samples will come. */
void clock_ticks_end(struct clock_ticks *ticks);
/* Whether clock_ticks_missing_ns() is valid, rather than 0 for lack of a count. */
bool clock_ticks_is_known(const struct clock_ticks *ticks, uint64_t until_ns);
/* CPU time up to @until_ns that neither samples nor @gaps account for; all earlier samples must
 * have come. For tasks, the time up to the last count before @until_ns. */
uint64_t clock_ticks_missing_ns(const struct clock_ticks *ticks, uint64_t until_ns,
				struct clock_gaps gaps);

#endif
