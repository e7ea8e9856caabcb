/* group_arrange.c - turns the sums of groups into nodes, in the order of fold/tree.h:
 * group_arrange() of fold/groups.h. */
#include "fold/groups.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double share_of(double weight, double whole)
{
	return whole > 0 ? weight / whole : 0;
}

/* Returns the share in the window or in the baseline, whichever is larger. Shares are within each
 * event, as weights of different events can't be compared. */
static double larger_share(const struct group_fold *fold, const struct group_sum *sum)
{
	const double now = share_of(sum->now.total.weight, fold->whole[sum->event]);
	const double base = share_of(sum->base.total.weight, fold->base_whole[sum->event]);

	return now > base ? now : base;
}

/* Returns the value with @rank in ascending order, the smallest 0. No value is negative, so they
 * sort like their bits. Reorders @values. */
static double value_at_rank(double *values, uint32_t count, uint32_t rank)
{
	for (int shift = 56; shift >= 0; shift -= 8) {
		uint32_t counts[256] = { 0 }, byte = 0, kept = 0;
		uint64_t bits;

		for (uint32_t i = 0; i < count; i++) {
			memcpy(&bits, &values[i], sizeof(bits));
			counts[bits >> shift & 0xff]++;
		}
		while (rank >= counts[byte])
			rank -= counts[byte++];
		for (uint32_t i = 0; i < count; i++) {
			memcpy(&bits, &values[i], sizeof(bits));
			if ((bits >> shift & 0xff) == byte)
				values[kept++] = values[i];
		}
		count = kept;
	}
	return values[0];
}

/* Returns the least share of a node that leaves no more than GROUP_NODES_MAX nodes. < 0: out of
 * memory. */
static double find_limit(const struct group_fold *fold)
{
	const uint32_t count = fold->count - 1;
	double *shares, limit;

	if (count <= GROUP_NODES_MAX || fold->query->tree_limit_pct < 0)
		return 0;
	shares = malloc(count * sizeof(*shares));
	if (!shares)
		return -1;
	for (uint32_t i = 0; i < count; i++)
		shares[i] = larger_share(fold, &fold->sums[i + 1]);
	/* Drops all nodes equal to the largest one dropped: a limit can't separate them. */
	limit = nextafter(value_at_rank(shares, count, count - GROUP_NODES_MAX - 1), INFINITY);
	free(shares);
	return limit;
}

/* Returns how many nodes are kept. Tests the parent, too: its total is at least a child's, but sums
 * of decayed weights depend on their order. *@hidden_samples: self missing in the last level. */
static uint32_t choose(const struct group_fold *fold, struct arranged *list, double limit,
		       uint64_t *hidden_samples)
{
	uint32_t kept = 0;

	list[GROUP_FOLD_TOP] = (struct arranged){ .size = 0 };
	for (uint32_t i = 1; i < fold->count; i++) {
		const struct group_sum *sum = &fold->sums[i];
		const double share = larger_share(fold, sum);

		list[i] = (struct arranged){ .path = i, .parent = sum->parent, .id = sum->id,
					     .weight = sum->now.self.weight,
					     .then_weight = sum->now.total.weight };
		if (!sum->depth)
			*hidden_samples += sum->now.self.samples;
		if ((sum->parent && !list[sum->parent].size) || share < limit)
			continue;
		if (sum->depth + 1 == fold->level_count)
			*hidden_samples -= sum->now.self.samples;
		list[i].size = 1;
		kept++;
	}
	return kept;
}

/* 100 % of each event's shares. */
struct wholes {
	double now[TIMELINE_NUMBERS], base[TIMELINE_NUMBERS];
};

/* For a relative query the whole is what passes the filter: the self of all roots. */
static void find_wholes(const struct group_fold *fold, struct wholes *out)
{
	memset(out, 0, sizeof(*out));
	for (uint32_t event = 0; event < TIMELINE_NUMBERS && !fold->query->is_relative; event++) {
		out->now[event] = fold->whole[event];
		out->base[event] = fold->base_whole[event];
	}
	for (uint32_t i = 1; i < fold->count && fold->query->is_relative; i++) {
		const struct group_sum *sum = &fold->sums[i];

		if (sum->parent != GROUP_FOLD_TOP)
			continue;
		out->now[sum->event] += sum->now.self.weight;
		out->base[sum->event] += sum->base.self.weight;
	}
}

static void fill(const struct group_fold *fold, const struct arranged *list,
		 struct arranged *const *order, struct group_builder *out)
{
	struct wholes wholes;

	find_wholes(fold, &wholes);
	for (uint32_t i = 0; i < out->tree.node_count; i++) {
		const struct group_sum *sum = &fold->sums[order[i]->path];
		const bool is_root = sum->parent == GROUP_FOLD_TOP;

		out->sums[order[i]->place] = order[i]->path;
		out->nodes[order[i]->place] = (struct group_node){
			.id = sum->id, .size = order[i]->size, .depth = sum->depth,
			.parent = is_root ? UINT32_MAX : list[sum->parent].place,
			.now = sum->now, .base = sum->base,
			.whole_weight = wholes.now[sum->event],
			.has_base = fold->baseline &&
				    baseline_has_event(fold->baseline, sum->event),
			.base_whole_weight = wholes.base[sum->event],
		};
	}
}

static int arrange(const struct group_fold *fold, struct arranged *list, struct group_builder *out)
{
	const double limit = find_limit(fold);
	struct arranged **order;

	if (limit < 0)
		return -ENOMEM;
	out->tree.node_count = choose(fold, list, limit, &out->tree.hidden_samples);
	order = malloc((out->tree.node_count + 1) * sizeof(*order));
	out->nodes = malloc((out->tree.node_count + 1) * sizeof(*out->nodes));
	out->sums = malloc((out->tree.node_count + 1) * sizeof(*out->sums));
	if (order && out->nodes && out->sums) {
		arranged_place(list, fold->count, order);
		fill(fold, list, order, out);
	}
	free(order);
	return order && out->nodes && out->sums ? 0 : -ENOMEM;
}

int group_arrange(const struct group_fold *fold, struct group_builder *out)
{
	struct arranged *list = malloc(fold->count * sizeof(*list));
	int err;

	*out = (struct group_builder){ .tree = { .level_count = fold->level_count,
					       .is_compared = fold->baseline } };
	out->tree.is_of_waits =
		!fold->has_event && wait_stacks_of(fold->sources.waits, fold->event);
	for (uint32_t i = 0; i < fold->level_count; i++)
		out->tree.keys[i] = fold->keys[i];
	err = list ? arrange(fold, list, out) : -ENOMEM;
	free(list);
	return err;
}

void group_builder_finish(struct group_builder *builder)
{
	free(builder->nodes);
	free(builder->sums);
}

void group_builder_text(const struct group_builder *builder, const struct group_fold *fold,
			uint32_t index, struct group_text *out)
{
	const struct group_sum *sum = &fold->sums[builder->sums[index]];
	bool is_of_dso = false;

	for (uint32_t i = 0; i < sum->depth; i++)
		is_of_dso |= fold->keys[i] == GROUP_DSO;
	group_value_text(&fold->sources, fold->keys[sum->depth], sum->value, is_of_dso, out);
}
