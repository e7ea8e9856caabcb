/* tick_totals.h - how many samples of each event there were in each second and in each 50 ms, for
 * the strip and its heat map: of the last twenty minutes, also when slices were rolled up.
 *
 * Use:    a zeroed one is empty. tick_totals_add() for every sample; what leaves the history is
 *         forgotten by tick_totals_forget().
 * Cost:   5 KB for a minute in which the event has samples.
 * Thread: the timeline's.
 */
#ifndef TIMELINE_TICK_TOTALS_H
#define TIMELINE_TICK_TOTALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SLICE_NS	1000000000ull
#define SLICE_TICKS	20
#define TICK_NS		(SLICE_NS / SLICE_TICKS)

#define TICK_TOTALS_EVENTS  2047	/* all of timeline/timeline.h but EVENT_OF_VALUES */
#define TICK_TOTALS_MINUTES 22	/* the strip's twenty, and parts of two */

struct tick_minute {
	uint64_t minute;	/* since time 0 */
	uint32_t seconds[60];		/* all samples */
	uint32_t busy[60][SLICE_TICKS];	/* of no idle task */
};

struct tick_totals {
	/* Owned. An event's minutes, each at its number's rest; NULL: nothing was counted. */
	struct tick_minute **events[TICK_TOTALS_EVENTS];
	size_t bytes;
	struct tick_place {	/* where the last one was counted: the next is mostly there, too */
		uint64_t begin_ns;	/* of the tick */
		uint32_t event;
		uint32_t *second, *tick;	/* NULL: nowhere, its minute is gone */
	} last;
};

/* What is older than the twenty minutes is left out, and what there is no memory for. */
void tick_totals_add(struct tick_totals *totals, uint32_t event, uint64_t time_ns, uint32_t count,
		     bool is_busy);

/* Samples of @event in a second; and, of no idle task, in each tick of it: NULL is none at all.
 * BORROWED until the next call. @second: since time 0. */
uint32_t tick_totals_second(const struct tick_totals *totals, uint32_t event, uint64_t second);
const uint32_t *tick_totals_busy(const struct tick_totals *totals, uint32_t event,
				 uint64_t second);

/* The event to be shown after @event, of @count: the next one. Hundreds of a pattern's tracepoints
 * are mostly silent, so of many events it is the next one that has samples. */
uint32_t tick_totals_next(const struct tick_totals *totals, uint32_t event, uint32_t count);

void tick_totals_drop(struct tick_totals *totals, uint32_t event);	/* all of it */
/* Gives the memory back of what was before @until_ns, which is not asked for any more. */
void tick_totals_forget(struct tick_totals *totals, uint64_t until_ns);
void tick_totals_finish(struct tick_totals *totals);	/* it is empty then */

#endif
