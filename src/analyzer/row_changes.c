/* row_changes.c - see analyzer/snapshot.h. */
#include "analyzer/snapshot.h"

#include <math.h>
#include <stdlib.h>

enum row_presence row_changes_presence(const struct snapshot_row *row)
{
	const bool is_now = row->now.self.samples || row->now.total.samples;
	const bool was_then = row->base.self.samples || row->base.total.samples;

	if (is_now == was_then)
		return ROW_IN_BOTH;
	return is_now ? ROW_NEW : ROW_GONE;
}

double row_changes_base_pct(const struct snapshot *snapshot, double weight)
{
	const double whole = snapshot->is_relative ? snapshot->baseline.shown_weight
						   : snapshot->baseline.weight;

	return whole > 0 ? 100.0 * weight / whole : 0;
}

double row_changes_row_base_pct(const struct snapshot *snapshot, const struct snapshot_row *row,
				double weight)
{
	if (!(snapshot->keys & KEY_EVENT))
		return row_changes_base_pct(snapshot, weight);
	return row->base_whole > 0 ? 100.0 * weight / row->base_whole : 0;
}

double row_changes_points(const struct snapshot *snapshot, const struct snapshot_row *row,
			  bool of_total)
{
	if (of_total)
		return snapshot_row_pct(snapshot, row, row->now.total.weight) -
		       row_changes_row_base_pct(snapshot, row, row->base.total.weight);
	return snapshot_row_pct(snapshot, row, row->now.self.weight) -
	       row_changes_row_base_pct(snapshot, row, row->base.self.weight);
}

double row_changes_per_s(uint64_t samples, double window_s)
{
	return window_s > 0 ? (double)samples / window_s : 0;
}

struct ranked {
	double size, other;	/* change of the requested share, and of the other one */
	size_t index;
};

static int largest_first(const void *a, const void *b)
{
	const struct ranked *left = a, *right = b;

	if (left->size != right->size)
		return left->size > right->size ? -1 : 1;
	if (left->other != right->other)
		return left->other > right->other ? -1 : 1;
	return left->index < right->index ? -1 : left->index > right->index;
}

size_t *row_changes_order(const struct snapshot *snapshot, bool of_total)
{
	const size_t count = snapshot->row_count;
	struct ranked *ranks = calloc(count + 1, sizeof(*ranks));
	size_t *order = malloc((count + 1) * sizeof(*order));

	for (size_t i = 0; ranks && i < count; i++) {
		const struct snapshot_row *row = &snapshot->rows[i];

		ranks[i].index = i;
		if (!snapshot->is_compared || row->is_idle)	/* idle rows have no share */
			continue;
		ranks[i].size = fabs(row_changes_points(snapshot, row, of_total));
		ranks[i].other = fabs(row_changes_points(snapshot, row, !of_total));
	}
	if (ranks && count)
		qsort(ranks, count, sizeof(*ranks), largest_first);
	for (size_t i = 0; ranks && order && i < count; i++)
		order[i] = ranks[i].index;
	if (!ranks) {
		free(order);
		order = NULL;
	}
	free(ranks);
	return order;
}
