/* tick_totals.c - see timeline/tick_totals.h.
 *
 * A minute is allocated for its first sample, so a rare event costs little, and one that no longer
 * occurs costs nothing in the end. Rejected: totals in the slices, which lose their ticks when they
 * are rolled up after two minutes, while the activity graph shows twenty.
 */
#include "timeline/tick_totals.h"

#include <stdlib.h>
#include <string.h>

#define EVENTS_FEW 8	/* up to so many events are stepped through one by one */

static struct tick_minute *find(const struct tick_totals *totals, uint32_t event, uint64_t minute)
{
	struct tick_minute *found;

	if (event >= TICK_TOTALS_EVENTS || !totals->events[event])
		return NULL;
	found = totals->events[event][minute % TICK_TOTALS_MINUTES];
	return found && found->minute == minute ? found : NULL;
}

static void release(struct tick_totals *totals, struct tick_minute **minute)
{
	if (!*minute)
		return;
	free(*minute);
	*minute = NULL;
	totals->last.second = NULL;
	totals->bytes -= sizeof(**minute);
}

/* Adds the minute in place of an older one. NULL: no memory, or there is a newer one. */
static struct tick_minute *enter(struct tick_totals *totals, uint32_t event, uint64_t minute)
{
	struct tick_minute **place;

	if (!totals->events[event]) {
		totals->events[event] = calloc(TICK_TOTALS_MINUTES, sizeof(*place));
		if (!totals->events[event])
			return NULL;
		totals->bytes += TICK_TOTALS_MINUTES * sizeof(*place);
	}
	place = &totals->events[event][minute % TICK_TOTALS_MINUTES];
	if (*place && (*place)->minute > minute)
		return NULL;
	if (!*place) {
		*place = malloc(sizeof(**place));
		if (!*place)
			return NULL;
		totals->bytes += sizeof(**place);
	}
	totals->last.second = NULL;
	memset(*place, 0, sizeof(**place));
	(*place)->minute = minute;
	return *place;
}

/* Sets `last` to the place of @time_ns. False: a sample of that time is left out. */
static bool go_to(struct tick_totals *totals, uint32_t event, uint64_t time_ns)
{
	const uint64_t second = time_ns / SLICE_NS;
	struct tick_minute *minute = find(totals, event, second / 60);

	if (!minute && event < TICK_TOTALS_EVENTS)
		minute = enter(totals, event, second / 60);
	if (!minute)
		return false;
	totals->last = (struct tick_place){
		.begin_ns = time_ns - time_ns % TICK_NS, .event = event,
		.second = &minute->seconds[second % 60],
		.tick = &minute->busy[second % 60][time_ns % SLICE_NS / TICK_NS],
	};
	return true;
}

void tick_totals_add(struct tick_totals *totals, uint32_t event, uint64_t time_ns, uint32_t count,
		     bool is_busy)
{
	struct tick_place *last = &totals->last;

	if ((!last->second || last->event != event || time_ns - last->begin_ns >= TICK_NS) &&
	    !go_to(totals, event, time_ns))
		return;
	*last->second += count;
	if (is_busy)
		*last->tick += count;
}

uint32_t tick_totals_second(const struct tick_totals *totals, uint32_t event, uint64_t second)
{
	const struct tick_minute *minute = find(totals, event, second / 60);

	return minute ? minute->seconds[second % 60] : 0;
}

const uint32_t *tick_totals_busy(const struct tick_totals *totals, uint32_t event, uint64_t second)
{
	const struct tick_minute *minute = find(totals, event, second / 60);

	return minute ? minute->busy[second % 60] : NULL;
}

uint32_t tick_totals_next(const struct tick_totals *totals, uint32_t event, uint32_t count)
{
	const uint32_t next = count ? (event + 1) % count : 0;

	if (count <= EVENTS_FEW)
		return next;
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t at = (next + i) % count;

		if (at < TICK_TOTALS_EVENTS && totals->events[at])
			return at;
	}
	return next;
}

void tick_totals_drop(struct tick_totals *totals, uint32_t event)
{
	if (event >= TICK_TOTALS_EVENTS || !totals->events[event])
		return;
	for (uint32_t i = 0; i < TICK_TOTALS_MINUTES; i++)
		release(totals, &totals->events[event][i]);
	free(totals->events[event]);
	totals->events[event] = NULL;
	totals->bytes -= TICK_TOTALS_MINUTES * sizeof(struct tick_minute *);
}

void tick_totals_forget(struct tick_totals *totals, uint64_t until_ns)
{
	const uint64_t first = until_ns / SLICE_NS / 60;

	for (uint32_t event = 0; event < TICK_TOTALS_EVENTS; event++)
		for (uint32_t i = 0; totals->events[event] && i < TICK_TOTALS_MINUTES; i++)
			if (totals->events[event][i] && totals->events[event][i]->minute < first)
				release(totals, &totals->events[event][i]);
}

void tick_totals_finish(struct tick_totals *totals)
{
	for (uint32_t event = 0; event < TICK_TOTALS_EVENTS; event++)
		tick_totals_drop(totals, event);
}
