/* event_pairs.h - pairs the events of two recordings. Thread: any. Pure. */
#ifndef ANALYZER_EVENT_PAIRS_H
#define ANALYZER_EVENT_PAIRS_H

#include <stddef.h>
#include <stdint.h>

#include "capture/event.h"
#include "ingest/probe_state.h"
#include "timeline/timeline.h"

#define EVENT_PAIRS_NONE EVENT_OF_VALUES

struct event_list {
	const struct event_desc *const *events;
	uint32_t count;
};

/* Fills in the event of @to for each of @from, EVENT_PAIRS_NONE if it has none: by name; of several
 * events with one name, the n-th goes with the n-th. If no name is in both and each side has only
 * one sampled event, these two are paired. */
void event_pairs_find(struct event_list from, struct event_list to,
		      uint16_t number_of[TIMELINE_NUMBERS]);

/* Fills in the event of the probe of @to for that of each probe of @from, by what was typed. Both
 * may be NULL. */
void event_pairs_find_probes(const struct probe_hits *from, const struct probe_hits *to,
			     uint16_t number_of[TIMELINE_NUMBERS]);

/* Writes what the user must know of the pairing: a line for each side's events without a partner,
 * and one for a pair with different names; "": nothing. @first, @second: names of the sides. Text
 * beyond @room is left out. */
void event_pairs_describe(struct event_list from, struct event_list to,
			  const uint16_t number_of[TIMELINE_NUMBERS], const char *first,
			  const char *second, char *out, size_t room);

#endif
