/* window_fold.c - see window_fold.h. */
#include "window_fold.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

#define HALF_LIFE_NS (5 * CLOCK_NS_PER_S)	/* WINDOW_DECAY */

int probe_fold_init(struct probe_fold *fold, const struct probe_hits *hits)
{
	*fold = (struct probe_fold){
		.buckets = calloc(PROBE_SLOTS, sizeof(*fold->buckets)),
		.values = calloc(hits->values.count + 1, sizeof(*fold->values)),
		.value_count = hits->values.count,
	};
	memset(fold->slot_of, PROBE_SLOTS, sizeof(fold->slot_of));
	for (uint32_t slot = 0; slot < PROBE_SLOTS; slot++)
		if (hits->rows[slot].id)
			fold->slot_of[hits->rows[slot].event] = (uint8_t)slot;
	if (fold->buckets && fold->values)
		return 0;
	probe_fold_finish(fold);
	return -ENOMEM;
}

void probe_fold_finish(struct probe_fold *fold)
{
	free(fold->buckets);
	free(fold->values);
	hit_group_fold_finish(&fold->groups);
	memset(fold, 0, sizeof(*fold));
}

void probe_fold_add(struct probe_fold *fold, const struct slice_entry *entries, uint32_t count)
{
	for (const struct slice_entry *entry = entries; entry < entries + count; entry++) {
		const uint8_t slot = fold->slot_of[entry->event];

		if (entry->event == EVENT_OF_VALUES)
			fold->values[entry->stack] += entry->count;
		else if (slot < PROBE_SLOTS)
			fold->buckets[slot][entry->bucket] += entry->count;
	}
	hit_group_fold_add(&fold->groups, entries, count, false);
}

uint64_t probe_fold_hits(const struct probe_fold *fold, uint32_t slot)
{
	uint64_t hits = 0;

	for (unsigned int bucket = 0; bucket < LATENCY_BUCKETS; bucket++)
		hits += fold->buckets[slot][bucket];
	return hits;
}

static void add_rows(struct fold *rows, const struct slice *slices, const double *factors,
		     uint32_t count)
{
	if (fold_can_be_dense(rows)) {
		fold_add_slices_dense(rows, slices, factors, count);
		return;
	}
	for (uint32_t s = 0; s < count; s++)
		fold_add(rows, slices[s].entries, slices[s].count, factors ? factors[s] : 1.0);
}

/* @factors NULL: 1. */
static void add_slices(struct window_fold *folds, const struct slice *slices,
		       const double *factors, uint32_t count)
{
	add_rows(&folds->rows, slices, factors, count);
	if (folds->rows.is_stopped)
		return;
	for (uint32_t s = 0; s < count; s++) {
		const double factor = factors ? factors[s] : 1.0;

		if (folds->tree)
			tree_fold_add(folds->tree, slices[s].entries, slices[s].count, factor);
		if (folds->callees)
			tree_fold_add(folds->callees, slices[s].entries, slices[s].count, factor);
		if (folds->groups)
			folds->groups->tuples = slices[s].tuples;
		if (folds->groups)
			group_fold_add(folds->groups, slices[s].entries, slices[s].count, factor);
		if (folds->probes)
			probe_fold_add(folds->probes, slices[s].entries, slices[s].count);
		if (folds->listing)
			listing_fold_add(folds->listing, slices[s].entries, slices[s].count,
					 factor);
		if (folds->samples)
			sample_fold_add(folds->samples, slices[s].entries, slices[s].count,
					factor);
	}
}

void window_fold_add_decaying(struct window_fold *folds, const struct slice *slices,
			      uint32_t count, uint64_t now_ns)
{
	double *factors = malloc((count + 1) * sizeof(*factors));

	if (!factors) {
		folds->rows.is_out_of_memory = true;
		return;
	}
	for (uint32_t s = 0; s < count; s++) {
		const uint64_t age_ns = now_ns > slices[s].end_ns ? now_ns - slices[s].end_ns : 0;

		factors[s] = exp2(-(double)age_ns / (double)HALF_LIFE_NS);
	}
	add_slices(folds, slices, factors, count);
	free(factors);
}

void window_fold_add(struct window_fold *folds, const struct slice *slices, uint32_t count)
{
	add_slices(folds, slices, NULL, count);
}

static bool is_whole(const struct tree_fold *tree)
{
	return !tree || (!tree->is_out_of_memory && !tree->is_stopped);
}

bool window_fold_is_whole(const struct window_fold *folds)
{
	const struct group_fold *groups = folds->groups;
	const struct listing_fold *listing = folds->listing;

	return !folds->rows.is_out_of_memory && !folds->rows.is_stopped &&
	       is_whole(folds->tree) && is_whole(folds->callees) &&
	       (!groups || (!groups->is_out_of_memory && !groups->is_stopped)) &&
	       (!listing || (!listing->is_out_of_memory && !listing->is_stopped)) &&
	       (!folds->samples || !folds->samples->is_out_of_memory);
}

void live_window_reset(struct live_window *window)
{
	entry_set_clear(&window->sum);
	window->first_seq = window->next_seq = 0;
	window->slice_count = 0;
	window->stacks = (struct stack_counts){ 0 };
}

void live_window_finish(struct live_window *window)
{
	entry_set_finish(&window->sum);
	memset(window, 0, sizeof(*window));
}

/* Minima and maxima are folded from the slices. */
static bool can_be_subtracted(const struct slice_entry *entry)
{
	return entry->event != EVENT_OF_MINS && entry->event != EVENT_OF_MAXES;
}

static int add_slice(struct live_window *window, const struct slice *slice)
{
	for (uint32_t i = 0; i < slice->count; i++)
		if (can_be_subtracted(&slice->entries[i]) &&
		    entry_set_add(&window->sum, &slice->entries[i]))
			return -ENOMEM;
	stack_counts_add(&window->stacks, &slice->stacks);
	window->slice_count++;
	return 0;
}

static void subtract_slice(struct live_window *window, const struct slice *slice)
{
	for (uint32_t i = 0; i < slice->count; i++)
		if (can_be_subtracted(&slice->entries[i]))
			entry_set_subtract(&window->sum, &slice->entries[i]);
	stack_counts_subtract(&window->stacks, &slice->stacks);
	window->slice_count--;
}

static bool contains(const struct live_window *window, const struct slice *slice)
{
	return window->first_seq <= slice->seq && slice->seq < window->next_seq;
}

/* Are the slices that were added still there, or have some left or been merged with others? */
static bool is_intact(const struct live_window *window, const struct timeline *timeline)
{
	uint32_t found = 0;

	for (uint32_t s = 0; s < timeline->count; s++)
		found += contains(window, &timeline->slices[s]);
	return found == window->slice_count;
}

int live_window_update(struct live_window *window, const struct timeline *timeline,
		       uint64_t first_seq)
{
	if (first_seq < window->first_seq || first_seq >= window->next_seq ||
	    !is_intact(window, timeline))
		live_window_reset(window);	/* it grew to the past, or too little is shared */
	for (uint32_t s = 0; s < timeline->count; s++) {
		const struct slice *slice = &timeline->slices[s];
		const bool is_in = contains(window, slice);

		if (is_in && slice->seq < first_seq) {
			subtract_slice(window, slice);
		} else if (!is_in && slice->seq >= first_seq && add_slice(window, slice)) {
			live_window_reset(window);
			return -ENOMEM;
		}
	}
	entry_set_shrink(&window->sum);
	window->first_seq = first_seq;
	window->next_seq = timeline->open_slice.seq;
	return 0;
}
