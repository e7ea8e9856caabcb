/* window_span.c - see model/window_span.h. */
#include "model/window_span.h"

#include "base/clock.h"

#define DECAY_END_NS (100 * CLOCK_NS_PER_S)	/* 2^-20: nothing to see any more */

/* The slices up to the last that was cut at @frozen_ns. Samples from before it that were counted
 * later are in slices after that one. Of those that were rolled up, one that lies across is in if
 * its larger part is, and the span ends where what is counted ends. */
static void freeze_span(struct window_span *span, const struct timeline *timeline,
			uint64_t frozen_ns)
{
	const struct slice *slice;

	if (frozen_ns < span->end_ns)
		span->end_ns = frozen_ns;
	span->end = 0;
	while (span->end < timeline->count && timeline->slices[span->end].end_ns < frozen_ns)
		span->end++;
	if (span->end == timeline->count)
		return;
	slice = &timeline->slices[span->end];
	if (slice->end_ns == frozen_ns) {
		/* Of samples that had waited there may be another. */
		while (span->end < timeline->count &&
		       timeline->slices[span->end].end_ns == frozen_ns)
			span->end++;
	} else if (!slice->ticks && slice->start_ns < frozen_ns) {
		const bool is_in = frozen_ns - slice->start_ns > slice->end_ns - frozen_ns;

		span->end_ns = is_in ? slice->end_ns : slice->start_ns;
		span->end += is_in;
	}
}

/* The slices of the last @length_ns. Slices are whole: one that lies across the beginning is in if
 * its larger part is, and the span begins where what is counted begins. */
static void limit_span(struct window_span *span, const struct timeline *timeline,
		       uint64_t length_ns)
{
	const uint64_t from_ns = span->end_ns > length_ns ? span->end_ns - length_ns : 0;
	const struct slice *slice;

	while (span->first < span->end && timeline->slices[span->first].end_ns <= from_ns)
		span->first++;
	if (from_ns > span->begin_ns)
		span->begin_ns = from_ns;
	if (span->first == span->end)
		return;
	slice = &timeline->slices[span->first];
	if (slice->start_ns >= from_ns)
		return;
	if (from_ns - slice->start_ns <= slice->end_ns - from_ns) {
		span->begin_ns = slice->start_ns;
	} else {
		span->begin_ns = slice->end_ns;
		span->first++;
	}
}

/* Those that were not in the window before. */
static void continue_span(struct window_span *span, const struct timeline *timeline,
			  const struct window_wish *wish)
{
	while (span->first < span->end && timeline->slices[span->first].seq < wish->since_seq)
		span->first++;
	if (wish->since_ns)
		span->begin_ns = wish->since_ns;
}

struct window_span window_span_choose(const struct timeline *timeline,
				      const struct window_wish *wish)
{
	struct window_span span = { .end = timeline->count, .begin_ns = wish->known_ns,
				    .end_ns = wish->newest_ns };

	if (span.end_ns < span.begin_ns)
		span.end_ns = span.begin_ns;
	if (wish->frozen_ns)
		freeze_span(&span, timeline, wish->frozen_ns);
	if (wish->kind == WINDOW_INTERVAL)
		continue_span(&span, timeline, wish);
	else if (wish->kind == WINDOW_SECONDS)
		limit_span(&span, timeline, wish->length_ns);
	else if (wish->kind == WINDOW_DECAY)
		limit_span(&span, timeline, DECAY_END_NS);
	if (span.begin_ns > span.end_ns)	/* all of it has left the history */
		span.begin_ns = span.end_ns;
	return span;
}
