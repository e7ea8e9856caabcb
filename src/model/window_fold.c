/* window_fold.c - see model/window_fold.h. */
#include "model/window_fold.h"

#include <math.h>

#include "base/clock.h"

#define HALF_LIFE_NS (5 * CLOCK_NS_PER_S)	/* of WINDOW_DECAY */

static void add_entries(struct window_fold *folds, const struct slice *slice, double factor)
{
	fold_add(&folds->rows, slice->entries, slice->count, factor);
	if (folds->tree)
		tree_fold_add(folds->tree, slice->entries, slice->count, factor);
	if (folds->groups)
		group_fold_add(folds->groups, slice->entries, slice->count, factor);
	if (folds->probes)
		probe_fold_add(folds->probes, slice->entries, slice->count);
}

void window_fold_add_decaying(struct window_fold *folds, const struct slice *slices,
			      uint32_t count, uint64_t now_ns)
{
	for (uint32_t s = 0; s < count; s++) {
		const uint64_t age_ns = now_ns > slices[s].end_ns ? now_ns - slices[s].end_ns : 0;

		add_entries(folds, &slices[s], exp2(-(double)age_ns / (double)HALF_LIFE_NS));
	}
}

void window_fold_add(struct window_fold *folds, const struct slice *slices, uint32_t count)
{
	uint64_t entries = 0;

	for (uint32_t s = 0; s < count; s++)
		entries += slices[s].count;
	if (!fold_can_be_dense(&folds->rows) || entries <= FOLD_DENSE_ENTRIES) {
		for (uint32_t s = 0; s < count; s++)
			add_entries(folds, &slices[s], 1.0);
		return;
	}
	fold_add_slices_dense(&folds->rows, slices, count);
	if (folds->rows.is_stopped)
		return;
	for (uint32_t s = 0; folds->tree && s < count; s++)
		tree_fold_add(folds->tree, slices[s].entries, slices[s].count, 1.0);
	for (uint32_t s = 0; folds->groups && s < count; s++)
		group_fold_add(folds->groups, slices[s].entries, slices[s].count, 1.0);
	for (uint32_t s = 0; folds->probes && s < count; s++)
		probe_fold_add(folds->probes, slices[s].entries, slices[s].count);
}

bool window_fold_is_whole(const struct window_fold *folds)
{
	const struct tree_fold *tree = folds->tree;
	const struct group_fold *groups = folds->groups;

	return !folds->rows.is_out_of_memory && !folds->rows.is_stopped &&
	       (!tree || (!tree->is_out_of_memory && !tree->is_stopped)) &&
	       (!groups || (!groups->is_out_of_memory && !groups->is_stopped));
}
