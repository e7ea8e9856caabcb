/* window_span.h - which slices a window of time holds, and from when to when.
 * Thread: the analyzer's. Pure. */
#ifndef TIMELINE_WINDOW_SPAN_H
#define TIMELINE_WINDOW_SPAN_H

#include "timeline/timeline.h"

enum window_kind {
	WINDOW_SECONDS,		/* the newest window_ns */
	WINDOW_ALL,		/* since start, or since zero */
	WINDOW_DECAY,		/* since start, halved every 5 s */
	WINDOW_INTERVAL,	/* what came since the snapshot before: batch mode, nothing twice */
};

struct window_span {
	uint32_t first, end;	/* indices of slices: first <= index < end */
	uint64_t begin_ns, end_ns;
	bool is_chosen;		/* only what lies in from_ns..until_ns is in it of each of them */
	uint64_t from_ns, until_ns;
};

/* What is asked for. */
struct window_wish {
	enum window_kind kind;
	uint64_t length_ns;	/* WINDOW_SECONDS */
	uint64_t known_ns;	/* what was counted before is gone */
	uint64_t zero_ns;	/* what was counted before, in slices before `zero_seq`, is only in
				 * chosen windows */
	uint64_t zero_seq;
	uint64_t newest_ns;	/* the end of what is counted */
	uint64_t frozen_ns;	/* where the window ends; 0: at newest_ns */
	uint64_t chosen_ns;	/* not 0: where it begins, whatever `kind` says */
	uint64_t since_ns, since_seq;	/* WINDOW_INTERVAL: end of the window before, and the first
					 * slice that was not in it */
};

/* A chosen window is cut at ticks, where slices have them: a tick, or the part of one that a slice
 * has, is in by its larger part. So is a slice that was rolled up, and the span then says what is
 * really covered. Chosen windows that touch have no sample in common and leave none out. One
 * that has no such slice's larger part is the slice that has most of it. */
struct window_span window_span_choose(const struct timeline *timeline,
				      const struct window_wish *wish);

/* What @span has of its slices: *@out, the caller's to free(), with *@count of them; never NULL on
 * success. Each is cut to the span: times, entries and counts, but one that is not whole has no
 * ticks. Entries and ticks stay the timeline's, until it changes. 0 or -ENOMEM. */
int window_span_slices(const struct window_span *span, const struct timeline *timeline,
		       struct slice **out, uint32_t *count);

#endif
