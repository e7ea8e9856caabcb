/* tick_totals.h - counts the samples of each event per second and per 50 ms, for the activity graph
 * and its heat map: over the last twenty minutes, also where slices were rolled up.
 *
 * Use:    a zeroed struct is empty. tick_totals_add() for every sample; tick_totals_forget() when
 *         samples leave the history.
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
const uint32_t *tick_totals_busy(const struct tick_totals *totals, uint32_t event,
				 uint64_t second);

/* Returns the event to show after @event, out of @count. Of many events it is the next one that has
 * samples, because a pattern can match hundreds of tracepoints, most of them silent. */
uint32_t tick_totals_next(const struct tick_totals *totals, uint32_t event, uint32_t count);

void tick_totals_drop(struct tick_totals *totals, uint32_t event);	/* frees all its counts */
/* Frees the minutes before that of @until_ns, which must not be needed any more. */
void tick_totals_forget(struct tick_totals *totals, uint64_t until_ns);
void tick_totals_finish(struct tick_totals *totals);	/* leaves it empty */

#endif
