/* window_span.h - finds the slices in a window of time, and the times that they really cover.
 * Thread: the analyzer's. Pure. */
#ifndef TIMELINE_WINDOW_SPAN_H
#define TIMELINE_WINDOW_SPAN_H

#include "timeline/timeline.h"

enum window_kind {
	WINDOW_SECONDS,		/* the newest window_ns */
	WINDOW_ALL,		/* since start, or since zero */
	WINDOW_DECAY,		/* since start, halved every 5 s */
	WINDOW_INTERVAL,	/* since the previous snapshot: batch mode, nothing twice */
};

struct window_span {
	uint32_t first, end;	/* indices of slices: first <= index < end */
	uint64_t begin_ns, end_ns;
	bool is_chosen;		/* only what lies in from_ns..until_ns is in the span */
	uint64_t from_ns, until_ns;
};

/* A requested window. */
struct window_wish {
	enum window_kind kind;
	uint64_t length_ns;	/* WINDOW_SECONDS */
	uint64_t known_ns;	/* start of the history */
	uint64_t zero_ns;	/* last reset: only chosen windows have earlier samples */
	uint64_t zero_seq;	/* first slice after the last reset */
	uint64_t newest_ns;	/* end of the history */
	uint64_t frozen_ns;	/* end of the window; 0: newest_ns */
	uint64_t chosen_ns;	/* not 0: start of a chosen window, whatever `kind` says */
	uint64_t since_ns, since_seq;	/* WINDOW_INTERVAL: end of the previous window, and the
					 * first slice that was not in it */
};

/* Returns the span of @wish. A chosen window is cut at ticks, where slices have them: a tick, or
 * the part of one that a slice has, belongs to it if its larger part does. The same holds for a
 * rolled-up slice as a whole; the span then has the times really covered. Chosen windows that touch
 * have no sample in common and leave none out. A window that would be empty, because it has the
 * larger part of no rolled-up slice, becomes the rolled-up slice that has most of it. */
struct window_span window_span_choose(const struct timeline *timeline,
				      const struct window_wish *wish);

/* Makes the array *@out of the *@count slices in @span; never NULL on success, the caller frees it
 * with free(). Times, entries and counts of each slice are cut to the span; a slice that was cut
 * has no ticks. Entries and ticks are BORROWED until the timeline changes. 0 or -ENOMEM. */
int window_span_slices(const struct window_span *span, const struct timeline *timeline,
		       struct slice **out, uint32_t *count);

#endif
