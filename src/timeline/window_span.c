/* window_span.c - see timeline/timeline.h. */
#include "timeline/timeline.h"

#include <errno.h>
#include <stdlib.h>

#include "base/clock.h"

#define DECAY_END_NS (100 * CLOCK_NS_PER_S)	/* 2^-20: nothing to see any more */

/* Ends the span with the last slice that was cut at @frozen_ns. Earlier samples that were counted
 * later are in slices after that one. A rolled-up slice that lies across is in if its larger part
 * is; the span then ends at the end or the start of that slice. */
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
		/* Samples that had to wait may have made another slice with that end. */
		while (span->end < timeline->count &&
		       timeline->slices[span->end].end_ns == frozen_ns)
			span->end++;
	} else if (!slice->ticks && slice->start_ns < frozen_ns) {
		const bool is_in = frozen_ns - slice->start_ns > slice->end_ns - frozen_ns;

		span->end_ns = is_in ? slice->end_ns : slice->start_ns;
		span->end += is_in;
	}
}

/* Limits the span to the last @length_ns. Slices are whole: one that lies across the beginning is
 * in if its larger part is; the span then begins at the start or the end of that slice. */
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

/* Leaves out everything before the last reset. */
static void leave_zeroed(struct window_span *span, const struct timeline *timeline,
			 const struct window_request *request)
{
	while (span->first < span->end && timeline->slices[span->first].seq < request->zero_seq)
		span->first++;
	if (request->zero_ns > span->begin_ns)
		span->begin_ns = request->zero_ns;
}

/* Leaves out the slices that were in the previous window. */
static void continue_span(struct window_span *span, const struct timeline *timeline,
			  const struct window_request *request)
{
	while (span->first < span->end && timeline->slices[span->first].seq < request->since_seq)
		span->first++;
	if (request->since_ns)
		span->begin_ns = request->since_ns;
}

/* Returns whether at least half of @begin_ns..@end_ns is after the border at @ns. */
static bool is_after(uint64_t begin_ns, uint64_t end_ns, uint64_t ns)
{
	return begin_ns >= ns || (end_ns > ns && ns - begin_ns <= end_ns - ns);
}

/* Returns how many ticks of @slice are before the border at @ns. Its first and last tick may be
 * parts. */
static uint32_t ticks_before(const struct slice *slice, uint64_t ns)
{
	const uint64_t second_ns = slice->start_ns - slice->start_ns % SLICE_NS;
	uint32_t tick;

	for (tick = 0; tick < slice->tick_count; tick++) {
		const uint64_t begin_ns = second_ns + (slice->first_tick + tick) * TICK_NS;
		const uint64_t end_ns = begin_ns + TICK_NS;

		if (is_after(begin_ns > slice->start_ns ? begin_ns : slice->start_ns,
			     end_ns < slice->end_ns ? end_ns : slice->end_ns, ns))
			break;
	}
	return tick;
}

/* Ticks of a slice: first <= tick < end. For a rolled-up slice 0..1 is all of it. */
struct part {
	uint32_t first, end;
};

static struct part part_of(const struct slice *slice, const struct window_span *span)
{
	if (!span->is_chosen)
		return (struct part){ 0, slice->ticks ? slice->tick_count : 1 };
	if (slice->ticks)
		return (struct part){ ticks_before(slice, span->from_ns),
				      ticks_before(slice, span->until_ns) };
	return (struct part){
		!is_after(slice->start_ns, slice->end_ns, span->from_ns),
		!is_after(slice->start_ns, slice->end_ns, span->until_ns),
	};
}

/* Takes all of the rolled-up slice that has most of the window, when no border is near enough. */
static void choose_surrounding(struct window_span *span, const struct timeline *timeline)
{
	const uint64_t from_ns = span->from_ns, until_ns = span->until_ns;
	uint64_t most_ns = 0;

	for (uint32_t s = 0; s < timeline->count; s++) {
		const struct slice *slice = &timeline->slices[s];
		const uint64_t begin_ns = slice->start_ns > from_ns ? slice->start_ns : from_ns;
		const uint64_t end_ns = slice->end_ns < until_ns ? slice->end_ns : until_ns;

		if (slice->ticks || end_ns <= begin_ns || end_ns - begin_ns <= most_ns)
			continue;
		most_ns = end_ns - begin_ns;
		span->first = s;
		span->end = s + 1;
		span->from_ns = span->begin_ns = slice->start_ns;
		span->until_ns = span->end_ns = slice->end_ns;
	}
}

/* Moves a border inside a rolled-up slice to the nearer end of that slice. */
static uint64_t move_border(const struct timeline *timeline, uint64_t ns)
{
	for (uint32_t s = 0; s < timeline->count; s++) {
		const struct slice *slice = &timeline->slices[s];

		if (!slice->ticks && slice->start_ns < ns && ns < slice->end_ns)
			return is_after(slice->start_ns, slice->end_ns, ns) ? slice->start_ns
									   : slice->end_ns;
	}
	return ns;
}

/* Looks at all slices: those of samples that had to wait are not in order of time. */
static void choose_ticks(struct window_span *span, const struct timeline *timeline,
			 const struct window_request *request)
{
	span->is_chosen = true;
	span->from_ns = request->chosen_ns > span->begin_ns ? request->chosen_ns : span->begin_ns;
	span->until_ns = request->frozen_ns < span->end_ns ? request->frozen_ns : span->end_ns;
	span->first = span->end = 0;
	if (span->from_ns >= span->until_ns) {	/* it has left the history, or is to come */
		span->begin_ns = span->end_ns = span->from_ns = span->until_ns;
		return;
	}
	span->begin_ns = move_border(timeline, span->from_ns);
	span->end_ns = move_border(timeline, span->until_ns);
	if (span->begin_ns >= span->end_ns) {
		choose_surrounding(span, timeline);
		return;
	}
	for (uint32_t s = 0; s < timeline->count; s++) {
		const struct part part = part_of(&timeline->slices[s], span);

		if (part.first >= part.end)
			continue;
		if (!span->end)
			span->first = s;
		span->end = s + 1;
	}
}

struct window_span window_span_choose(const struct timeline *timeline,
				      const struct window_request *request)
{
	struct window_span span = { .end = timeline->count, .begin_ns = request->known_ns,
				    .end_ns = request->newest_ns };

	if (span.end_ns < span.begin_ns)
		span.end_ns = span.begin_ns;
	if (request->chosen_ns) {
		choose_ticks(&span, timeline, request);
		return span;
	}
	if (request->frozen_ns)
		freeze_span(&span, timeline, request->frozen_ns);
	leave_zeroed(&span, timeline, request);
	if (request->kind == WINDOW_INTERVAL)
		continue_span(&span, timeline, request);
	else if (request->kind == WINDOW_SECONDS)
		limit_span(&span, timeline, request->length_ns);
	else if (request->kind == WINDOW_DECAY)
		limit_span(&span, timeline, DECAY_END_NS);
	if (span.begin_ns > span.end_ns)	/* all of it has left the history */
		span.begin_ns = span.end_ns;
	return span;
}

/* Returns @slice cut to @part. */
static struct slice cut_slice(const struct slice *slice, struct part part)
{
	const uint64_t second_ns = slice->start_ns - slice->start_ns % SLICE_NS;
	struct slice cut = *slice;
	uint32_t from, end;

	if (!slice->ticks || (!part.first && part.end == slice->tick_count))
		return cut;
	from = part.first ? slice->ticks[part.first - 1].end : 0;
	end = slice->ticks[part.end - 1].end;
	cut.entries += from;
	cut.count = end - from;
	cut.ticks = NULL;	/* their ends count from the slice's first entry */
	cut.tick_count = 0;
	if (part.first)
		cut.start_ns = second_ns + (slice->first_tick + part.first) * TICK_NS;
	if (part.end < slice->tick_count)
		cut.end_ns = second_ns + (slice->first_tick + part.end) * TICK_NS;
	cut.stacks = (struct stack_counts){ 0 };
	for (uint32_t tick = part.first; tick < part.end; tick++)
		stack_counts_add(&cut.stacks, &slice->ticks[tick].stacks);
	cut.samples = 0;
	for (uint32_t i = 0; i < cut.count; i++)
		if (slice_entry_is_sample(&cut.entries[i]))
			cut.samples += cut.entries[i].count;
	return cut;
}

int window_span_slices(const struct window_span *span, const struct timeline *timeline,
		       struct slice **out, uint32_t *count)
{
	struct slice *slices = malloc((span->end - span->first + 1) * sizeof(*slices));

	*out = slices;
	*count = 0;
	if (!slices)
		return -ENOMEM;
	for (uint32_t s = span->first; s < span->end; s++) {
		const struct part part = part_of(&timeline->slices[s], span);

		if (part.first < part.end)
			slices[(*count)++] = cut_slice(&timeline->slices[s], part);
	}
	return 0;
}
