/* baseline.c - see ingest/baseline.h.
 *
 * Idea: a copy. A reference to slices would have to keep them from being rolled up and evicted, so
 * a forgotten baseline would eat the history; merged, ten seconds are some 200 KB.
 */
#include "ingest/baseline.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/snapshot_probes.h"

void baseline_finish(struct baseline *baseline)
{
	free(baseline->entries);
	memset(baseline, 0, sizeof(*baseline));
}

void baseline_forget(struct baseline *baseline, const char *why)
{
	const uint32_t number = baseline->number;

	baseline_finish(baseline);
	baseline->number = number + 1;
	snprintf(baseline->notice, sizeof(baseline->notice), "%s", why);
}

/* 0, -ENOMEM or -E2BIG. */
static int merge_slice(struct entry_set *sum, const struct slice *slice, size_t limit_bytes)
{
	for (uint32_t i = 0; i < slice->count; i++) {
		if (slice->entries[i].event == EVENT_OF_VALUES)
			continue;
		if (entry_set_add(sum, &slice->entries[i]))
			return -ENOMEM;
		if (sum->count > limit_bytes / sizeof(*sum->entries))
			return -E2BIG;
	}
	return 0;
}

/* Adds the entries and stack counts of @span to @sum and @stacks. 0, -ENOMEM or -E2BIG. */
static int merge(const struct timeline *timeline, struct window_span span, size_t limit_bytes,
		 struct entry_set *sum, struct stack_counts *stacks)
{
	struct slice *slices;
	uint32_t count;
	int err = window_span_slices(&span, timeline, &slices, &count);

	if (err)
		return err;
	for (uint32_t s = 0; s < count && !err; s++) {
		err = merge_slice(sum, &slices[s], limit_bytes);
		stack_counts_add(stacks, &slices[s].stacks);
	}
	free(slices);
	return err;
}

/* Keeps the old baseline, if there is one, and sets the notice. Returns @err. */
static int refuse(struct baseline *baseline, int err)
{
	snprintf(baseline->notice, sizeof(baseline->notice), "%s", err == -E2BIG
		? "no new baseline: it would take too much of the memory for history; mark a "
		  "shorter window, or start with a larger --history-memory"
		: "no new baseline: there is no memory for it");
	return err;
}

/* The end of the highest bucket that the probe's calls are in: no call of it was longer. */
static uint64_t longest_possible_ns(const struct baseline *baseline, uint32_t event)
{
	uint64_t buckets[LATENCY_BUCKETS] = { 0 };
	struct snapshot_latency latency;

	for (uint32_t i = 0; i < baseline->count; i++)
		if (baseline->entries[i].event == event)
			buckets[baseline->entries[i].bucket] = 1;
	latency_summarize(buckets, 0, &latency);
	return latency.max_ns;
}

/* Peaks are known to the second, and only for the last two minutes. */
static void note_peaks(struct baseline *baseline, const struct probe_hits *hits)
{
	for (uint32_t slot = 0; hits && slot < PROBE_SLOTS; slot++)
		if (hits->rows[slot].id)
			baseline->peak_ns[slot] = probe_peaks_between(
				&hits->rows[slot].peaks, baseline->begin_ns, baseline->end_ns,
				longest_possible_ns(baseline, hits->rows[slot].event));
}

/* Replaces @baseline by the counts in @count spans, which are in time order. */
static int take_spans(struct baseline *baseline, const struct timeline *timeline,
		      const struct window_span *spans, size_t count,
		      const struct probe_hits *hits, const char *label, size_t limit_bytes)
{
	struct entry_set sum = { .entries = NULL };
	struct stack_counts stacks = { .user = 0 };
	struct slice_entry *exact = NULL;
	int err = 0;

	for (size_t i = 0; i < count && !err; i++)
		err = merge(timeline, spans[i], limit_bytes, &sum, &stacks);
	if (!err) {
		exact = malloc((sum.count + 1) * sizeof(*exact));
		err = exact ? 0 : -ENOMEM;
	}
	if (err) {
		entry_set_finish(&sum);
		return refuse(baseline, err);
	}
	if (sum.count)
		memcpy(exact, sum.entries, sum.count * sizeof(*exact));
	baseline_forget(baseline, "");
	baseline->is_set = true;
	baseline->begin_ns = spans[0].begin_ns;
	baseline->end_ns = spans[count - 1].end_ns;
	baseline->entries = exact;
	baseline->count = sum.count;
	baseline->stacks = stacks;
	note_peaks(baseline, hits);
	snprintf(baseline->label, sizeof(baseline->label), "%s", label);
	entry_set_finish(&sum);
	return 0;
}

int baseline_take(struct baseline *baseline, const struct timeline *timeline,
		  const struct window_request *request, const struct probe_hits *hits,
		  const char *label, size_t limit_bytes)
{
	const struct window_span span = window_span_choose(timeline, request);

	return take_spans(baseline, timeline, &span, 1, hits, label, limit_bytes);
}

int baseline_take_around(struct baseline *baseline, const struct timeline *timeline,
			 const struct window_request *request, const struct probe_hits *hits,
			 const char *label, size_t limit_bytes)
{
	const uint64_t begin_ns = request->known_ns ? request->known_ns : 1;	/* 0 would be all */
	struct window_request before = *request, after = *request;
	struct window_span spans[2];
	int err;

	before.chosen_ns = begin_ns;
	before.frozen_ns = request->chosen_ns > begin_ns ? request->chosen_ns : begin_ns;
	after.chosen_ns =
		request->frozen_ns < request->newest_ns ? request->frozen_ns : request->newest_ns;
	after.frozen_ns = request->newest_ns;
	spans[0] = window_span_choose(timeline, &before);
	spans[1] = window_span_choose(timeline, &after);
	err = take_spans(baseline, timeline, spans, 2, hits, label, limit_bytes);
	if (!err) {
		baseline->without_begin_ns = spans[0].end_ns;
		baseline->without_end_ns = spans[1].begin_ns;
	}
	return err;
}

uint64_t baseline_length_ns(const struct baseline *baseline)
{
	return baseline->end_ns - baseline->begin_ns -
	       (baseline->without_end_ns - baseline->without_begin_ns);
}

static void number_probes(struct baseline *baseline, const uint16_t number_of[TIMELINE_NUMBERS])
{
	uint64_t peak_ns[PROBE_SLOTS] = { 0 };

	memset(baseline->lacks_probe, true, sizeof(baseline->lacks_probe));
	for (uint32_t slot = 0; slot < PROBE_SLOTS; slot++) {
		const uint32_t to = number_of[PROBE_EVENT_FIRST + slot] - PROBE_EVENT_FIRST;

		if (to >= PROBE_SLOTS)
			continue;
		peak_ns[to] = baseline->peak_ns[slot];
		baseline->lacks_probe[to] = false;
	}
	memcpy(baseline->peak_ns, peak_ns, sizeof(peak_ns));
}

void baseline_number_events(struct baseline *baseline, const uint16_t number_of[TIMELINE_NUMBERS],
			    uint32_t event_count)
{
	uint32_t kept = 0;

	memset(baseline->lacks_event, true, sizeof(baseline->lacks_event));
	number_probes(baseline, number_of);
	for (uint32_t event = 0; event < TIMELINE_MAX_EVENTS; event++)
		if (number_of[event] < event_count)
			baseline->lacks_event[number_of[event]] = false;
	for (uint32_t i = 0; i < baseline->count; i++) {
		struct slice_entry entry = baseline->entries[i];

		slice_entry_set_event(&entry, number_of[entry.event]);
		if (entry.event != BASELINE_NO_EVENT)
			baseline->entries[kept++] = entry;
	}
	baseline->count = kept;
	baseline->number++;
}

void baseline_drop(struct baseline *baseline, timeline_choice *is_dropped, const void *context)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < baseline->count; i++)
		if (!is_dropped(context, &baseline->entries[i]))
			baseline->entries[kept++] = baseline->entries[i];
	baseline->count = kept;
	baseline->number++;
}

bool baseline_has_event(const struct baseline *baseline, uint32_t event)
{
	const uint32_t slot = event - PROBE_EVENT_FIRST;

	if (slot < PROBE_SLOTS)
		return baseline->is_set && !baseline->lacks_probe[slot];
	return baseline->is_set &&
	       (event >= TIMELINE_MAX_EVENTS || !baseline->lacks_event[event]);
}

size_t baseline_bytes(const struct baseline *baseline)
{
	return baseline->count * sizeof(*baseline->entries);
}
