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

/* Returns by how many standard deviations @now samples are more than @base ones would be in @ratio
 * times as many, by the variance-stabilizing square root (Anscombe 1948), which holds for small
 * counts, too. */
static double sigmas_of(double now, double base, double ratio)
{
	return 2 * (sqrt(now + 0.375) - sqrt(ratio * (base + 0.375))) / sqrt(1 + ratio);
}

static double weight_of_sample(const struct load *load)
{
	return load->samples ? load->weight / (double)load->samples : 0;
}

void row_changes_weigh_samples(struct snapshot *snapshot)
{
	struct load now = { .samples = 0 }, base = { .samples = 0 };

	for (size_t i = 0; i < snapshot->row_count; i++) {
		const struct snapshot_row *row = &snapshot->rows[i];

		if (row->is_idle)
			continue;
		now.samples += row->now.self.samples;
		now.weight += row->now.self.weight;
		base.samples += row->base.self.samples;
		base.weight += row->base.self.weight;
	}
	snapshot->sample_weight = weight_of_sample(&now);
	snapshot->baseline.sample_weight = weight_of_sample(&base);
}

double row_changes_sigmas(const struct snapshot *snapshot, const struct snapshot_row *row,
			  bool of_total)
{
	const struct load *now = of_total ? &row->now.total : &row->now.self;
	const struct load *base = of_total ? &row->base.total : &row->base.self;
	const double per_sample = now->samples ? weight_of_sample(now) : snapshot->sample_weight;
	const double base_per_sample = base->samples ? weight_of_sample(base)
						     : snapshot->baseline.sample_weight;
	const double share = snapshot_row_pct(snapshot, row, 1);
	const double base_share = row_changes_row_base_pct(snapshot, row, 1);

	if (row->is_idle || snapshot_is_by_weight(snapshot) || per_sample <= 0 ||
	    base_per_sample <= 0 || share <= 0 || base_share <= 0)
		return NAN;
	return sigmas_of((double)now->samples, (double)base->samples,
			 (base_share * base_per_sample) / (share * per_sample));
}

bool row_changes_is_noise(const struct snapshot *snapshot, const struct snapshot_row *row,
			  bool of_total)
{
	return fabs(row_changes_sigmas(snapshot, row, of_total)) < ROW_CHANGES_SIGMAS;
}

/* True: the row has more weight than in the baseline, and not by chance. */
static bool has_more_weight(const struct snapshot *snapshot, const struct snapshot_row *row,
			    bool of_total)
{
	const struct load *now = of_total ? &row->now.total : &row->now.self;
	const struct load *base = of_total ? &row->base.total : &row->base.self;
	const double per_sample = now->samples ? weight_of_sample(now) : snapshot->sample_weight;

	return per_sample > 0 && sigmas_of((double)now->samples, base->weight / per_sample, 1) >=
				 ROW_CHANGES_SIGMAS;
}

const struct snapshot_row *row_changes_worst(const struct snapshot *snapshot, double points,
					     bool of_total, size_t *count)
{
	const struct snapshot_row *worst = NULL;

	*count = 0;
	for (size_t i = 0; snapshot->is_compared && i < snapshot->row_count; i++) {
		const struct snapshot_row *row = &snapshot->rows[i];
		const double change = row_changes_points(snapshot, row, of_total);

		/* NAN fails each comparison. */
		if (!(change > points) || !has_more_weight(snapshot, row, of_total) ||
		    !(row_changes_sigmas(snapshot, row, of_total) >= ROW_CHANGES_SIGMAS))
			continue;
		(*count)++;
		if (!worst || change > row_changes_points(snapshot, worst, of_total))
			worst = row;
	}
	return worst;
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
