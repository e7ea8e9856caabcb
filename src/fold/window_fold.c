/* window_fold.c - see fold/window_fold.h. */
#include "fold/window_fold.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"

#define HALF_LIFE_NS (5 * CLOCK_NS_PER_S)	/* WINDOW_DECAY */

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
		if (folds->groups)
			group_fold_add(folds->groups, slices[s].entries, slices[s].count, factor);
		if (folds->probes)
			probe_fold_add(folds->probes, slices[s].entries, slices[s].count);
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

bool window_fold_is_whole(const struct window_fold *folds)
{
	const struct tree_fold *tree = folds->tree;
	const struct group_fold *groups = folds->groups;

	return !folds->rows.is_out_of_memory && !folds->rows.is_stopped &&
	       (!tree || (!tree->is_out_of_memory && !tree->is_stopped)) &&
	       (!groups || (!groups->is_out_of_memory && !groups->is_stopped));
}
