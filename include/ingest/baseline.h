/* baseline.h - "A": the counts that a window is compared with, kept whatever leaves the timeline.
 *
 * Owns:    a copy of the span's entries, merged by key, so that rolling up and eviction of the
 *          slices they came from change nothing. Without the values of probes.
 * Ids:     of stacks and tasks, as in slices: analyzer/budget.h marks and renumbers them.
 * Life:    until another is taken, or the source is another one: other events can't be compared.
 *          Zeroing "since start" leaves it.
 * Thread:  the analyzer's.
 */
#ifndef INGEST_BASELINE_H
#define INGEST_BASELINE_H

#include "ingest/probe_hits.h"
#include "timeline/window_span.h"

#define BASELINE_LABEL_BYTES  256
#define BASELINE_NOTICE_BYTES 1024
#define BASELINE_NO_EVENT     EVENT_OF_VALUES

struct baseline {
	bool is_set;
	uint32_t number;	/* rises with each change of it: for what is made of it */
	uint64_t begin_ns, end_ns;
	uint64_t without_begin_ns, without_end_ns;	/* and this part of it was left out; 0, 0:
							 * none */
	struct slice_entry *entries;	/* owned; of all events, one per key */
	uint32_t count;
	struct stack_counts stacks;
	uint64_t peak_ns[PROBE_SLOTS];	/* the longest call of each probe in it; 0: unknown */
	bool lacks_event[TIMELINE_MAX_EVENTS];	/* another recording's that has no such event */
	char label[BASELINE_LABEL_BYTES];	/* raw; "": its time says it */
	char notice[BASELINE_NOTICE_BYTES];	/* why there is none, or no newer one, or what it
						 * lacks; "" */
};

void baseline_finish(struct baseline *baseline);

/* Takes what @timeline counted in the window of @wish, in place of the one before. @hits: NULL when
 * there are no probes; @label is copied. 0; -ENOMEM, or -E2BIG when it is more than @limit_bytes:
 * then the one before stays, and `notice` says so. */
int baseline_take(struct baseline *baseline, const struct timeline *timeline,
		  const struct window_wish *wish, const struct probe_hits *hits, const char *label,
		  size_t limit_bytes);
/* The same of all that is known but that window, whose begin and end must have been chosen. */
int baseline_take_around(struct baseline *baseline, const struct timeline *timeline,
			 const struct window_wish *wish, const struct probe_hits *hits,
			 const char *label, size_t limit_bytes);

/* How long its time is, without what was left out. */
uint64_t baseline_length_ns(const struct baseline *baseline);

/* There is none any more. @why: one line for the user; "" he asked for it. */
void baseline_forget(struct baseline *baseline, const char *why);

/* Its events get the numbers @number_of[old], and those that are BASELINE_NO_EVENT leave. Of
 * 0..@event_count-1, the numbers that are no event's of it any more are lacking. */
void baseline_number_events(struct baseline *baseline, const uint16_t number_of[TIMELINE_NUMBERS],
			    uint32_t event_count);

/* Drops the entries of which @is_dropped is true, as timeline_drop(). */
void baseline_drop(struct baseline *baseline, timeline_choice *is_dropped, const void *context);

/* Can event @event be compared with it? */
bool baseline_has_event(const struct baseline *baseline, uint32_t event);

size_t baseline_bytes(const struct baseline *baseline);

#endif
