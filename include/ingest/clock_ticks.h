/* clock_ticks.h - how much of the time brought no sample, though a clock was to sample all of it.
 *
 * Problem: the timer behind cpu-clock goes on, idle or not, but where interrupts are off or the
 *          host runs somebody else, it skips ticks without a record and without a count. On a task
 *          it begins anew with each thread, which may end before its first tick.
 * Idea:    each sample stands for its period, and the time is known: on whole CPUs it passes, on
 *          tasks the kernel counts it. What neither samples nor lost records nor throttling account
 *          for is missing.
 * Thread:  the analyzer's.
 */
#ifndef INGEST_CLOCK_TICKS_H
#define INGEST_CLOCK_TICKS_H

#include <stdbool.h>

#include "capture/event_desc.h"
#include "capture/record_queue.h"

/* What has a cause of its own, since start. */
struct clock_gaps {
	uint64_t throttled_ns;
	uint64_t lost;		/* records */
};

struct clock_ticks {
	bool has_clock;		/* else no claim is made */
	uint16_t event;		/* the first that is cpu-clock without modifiers */
	uint32_t cpus;		/* that are sampled whole; 0: tasks are, wherever they run */
	uint64_t first_ns;	/* time of the first sample; 0: there was none */
	uint64_t period_ns;	/* period of the last sample */
	uint64_t sampled_ns;	/* sum of the periods */
	/* On tasks: the kernel's last count; the last one that is used, and what was sampled by
	 * its time. */
	struct queue_counted counted, settled;
	uint64_t settled_sampled_ns;
	struct clock_gaps gaps;	/* before this source */
	uint64_t before_ns;	/* missing in earlier sources */
	uint64_t begin_ns;	/* the source's, set after the begin; 0: the start */
	bool is_mixed;		/* before_ns holds time of CPUs, idle or not, and this of tasks */
	uint64_t stolen_ns;	/* sum of all CPUs since the start: steal in /proc/stat */
};

/* Another source begins, with @count events on @cpus whole CPUs (0: on tasks, or in a recording).
 * What was missing before, @missing_ns, stays counted. */
void clock_ticks_begin(struct clock_ticks *ticks, const struct event_desc *const *events,
		       uint32_t count, uint32_t cpus, uint64_t missing_ns, struct clock_gaps gaps);
/* A sample of @event at @time_ns that stands for @period; samples come in order. */
void clock_ticks_add(struct clock_ticks *ticks, uint16_t event, uint64_t time_ns, uint64_t period);
/* The kernel's count of @event on all tasks. All samples up to @until_ns have come. A count is used
 * once all samples of its time have come; until then newer ones are left out. */
void clock_ticks_count(struct clock_ticks *ticks, uint16_t event,
		       const struct queue_counted *counted, uint64_t until_ns);
/* No sample will come any more: the last count is used. */
void clock_ticks_end(struct clock_ticks *ticks);
/* Whether clock_ticks_missing_ns() is known, and not 0 for want of a count. */
bool clock_ticks_is_known(const struct clock_ticks *ticks, uint64_t until_ns);
/* CPU time up to @until_ns that no sample and none of @gaps stands for; all earlier samples have
 * come. Of tasks, up to the last count before that. */
uint64_t clock_ticks_missing_ns(const struct clock_ticks *ticks, uint64_t until_ns,
				struct clock_gaps gaps);

#endif
