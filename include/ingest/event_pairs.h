/* event_pairs.h - which event of one recording is which of another. Thread: any. Pure. */
#ifndef INGEST_EVENT_PAIRS_H
#define INGEST_EVENT_PAIRS_H

#include <stddef.h>
#include <stdint.h>

#include "capture/event_desc.h"
#include "timeline/timeline.h"

#define EVENT_PAIRS_NONE EVENT_OF_VALUES

struct event_list {
	const struct event_desc *const *events;
	uint32_t count;
};

/* The event of @to for each of @from, EVENT_PAIRS_NONE for one that has none there: by name, and of
 * several with a name the n-th is the n-th. Where no name is in both, and each side counts one
 * event alone, these two are taken for each other. */
void event_pairs_find(struct event_list from, struct event_list to,
		      uint16_t number_of[TIMELINE_NUMBERS]);

/* What the user must know of that: a line for events that only one side has, and one for a pair
 * that counts different things; "" nothing. @first, @second: what the sides are called. Cut to
 * @room. */
void event_pairs_describe(struct event_list from, struct event_list to,
			  const uint16_t number_of[TIMELINE_NUMBERS], const char *first,
			  const char *second, char *out, size_t room);

#endif
