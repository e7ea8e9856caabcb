/* baseline.h - "A": the counts that a window is compared with, independent of the timeline.
 *
 * Owns:    a copy of the span's entries, merged by key, so that rolling up and eviction of the
 *          slices they came from change nothing. Probe values are not copied.
 * Ids:     stack and task ids as in slices: src/analyzer/budget.c marks and renumbers them.
 * Life:    until another is taken, or the source changes: other events can't be compared.
 *          Zeroing "since start" keeps it.
 * Thread:  the analyzer's.
 */
#ifndef INGEST_BASELINE_H
#define INGEST_BASELINE_H

#include "ingest/probe_state.h"
#include "timeline/timeline.h"

#define BASELINE_LABEL_BYTES  256
#define BASELINE_NOTICE_BYTES 1024
#define BASELINE_NO_EVENT     EVENT_OF_VALUES

struct baseline {
	bool is_set;
	uint32_t number;	/* incremented by each change, so that derived results notice it */
	uint64_t begin_ns, end_ns;
	uint64_t without_begin_ns, without_end_ns;	/* part of begin_ns..end_ns left out; 0, 0:
							 * none */
	struct slice_entry *entries;	/* owned; of all events, one per key */
	uint32_t count;
	struct stack_counts stacks;
	uint64_t peak_ns[PROBE_SLOTS];	/* longest call of each probe in the span; 0: unknown */
	bool lacks_event[TIMELINE_MAX_EVENTS];	/* the baseline is another recording's, without
						 * this event */
	bool lacks_probe[PROBE_SLOTS];	/* by slot: without this probe */
	char label[BASELINE_LABEL_BYTES];	/* raw; "": it is labelled by its time */
	char notice[BASELINE_NOTICE_BYTES];	/* why there is none, or no newer one, or what it
						 * lacks; "": nothing to report */
};

void baseline_finish(struct baseline *baseline);

/* Replaces @baseline by the counts of @timeline in the window of @request. @hits: NULL when there
 * are no probes; @label is copied. 0; -ENOMEM, or -E2BIG over @limit_bytes: then the old baseline
 * stays, and `notice` says so. */
int baseline_take(struct baseline *baseline, const struct timeline *timeline,
		  const struct window_request *request, const struct probe_hits *hits,
		  const char *label, size_t limit_bytes);
/* Like baseline_take(), for all of @timeline outside that window, whose begin and end must have
 * been chosen. */
int baseline_take_around(struct baseline *baseline, const struct timeline *timeline,
			 const struct window_request *request, const struct probe_hits *hits,
			 const char *label, size_t limit_bytes);

/* Length of its time, without the part that was left out. */
uint64_t baseline_length_ns(const struct baseline *baseline);

/* Removes the baseline. @why: one line for the user; "": the user requested it. */
void baseline_forget(struct baseline *baseline, const char *why);

/* Renumbers its events to @number_of[old] and drops those that map to BASELINE_NO_EVENT. Sets
 * lacks_event for each of 0..@event_count-1 that none of them maps to. */
void baseline_number_events(struct baseline *baseline, const uint16_t number_of[TIMELINE_NUMBERS],
			    uint32_t event_count);

/* Drops the entries for which @is_dropped returns true, like timeline_drop(). */
void baseline_drop(struct baseline *baseline, timeline_choice *is_dropped, const void *context);

/* Whether event @event can be compared with it. */
bool baseline_has_event(const struct baseline *baseline, uint32_t event);

size_t baseline_bytes(const struct baseline *baseline);

#endif
