/* group_arrange.c - see fold/group_arrange.h. Nodes are placed as in call_tree_arrange.c:
 * siblings in the order of their parents, each after the subtree of its predecessor. */
#include "fold/group_arrange.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct arranged {
	const struct group_sum *sum;	/* NULL: left out */
	uint32_t size, place;
};

static double share_of(double weight, double whole)
{
	return whole > 0 ? weight / whole : 0;
}

/* Returns the share in the window or in the baseline, whichever is larger. Shares are within each
 * event, as weights of different events can't be compared. */
static double larger_share(const struct group_fold *fold, const struct group_sum *sum)
{
	const double now = share_of(sum->now.total_weight, fold->whole[sum->event]);
	const double base = share_of(sum->base.total_weight, fold->base_whole[sum->event]);

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

	list[GROUP_FOLD_TOP] = (struct arranged){ .sum = &fold->sums[GROUP_FOLD_TOP] };
	for (uint32_t i = 1; i < fold->count; i++) {
		const struct group_sum *sum = &fold->sums[i];
		const double share = larger_share(fold, sum);

		list[i] = (struct arranged){ .sum = NULL };
		if (!sum->depth)
			*hidden_samples += sum->now.self_samples;
		if (!list[sum->parent].sum || share < limit)
			continue;
		if (sum->depth + 1 == fold->level_count)
			*hidden_samples -= sum->now.self_samples;
		list[i].sum = sum;
		list[i].size = 1;
		kept++;
	}
	return kept;
}

static int by_family(const void *a, const void *b)
{
	const struct group_sum *left = (*(const struct arranged *const *)a)->sum;
	const struct group_sum *right = (*(const struct arranged *const *)b)->sum;

	if (left->parent != right->parent)
		return left->parent < right->parent ? -1 : 1;
	if (left->now.self_weight != right->now.self_weight)
		return left->now.self_weight > right->now.self_weight ? -1 : 1;
	if (left->now.total_weight != right->now.total_weight)
		return left->now.total_weight > right->now.total_weight ? -1 : 1;
	return left->id < right->id ? -1 : left->id > right->id;
}

static void place(const struct group_fold *fold, struct arranged *list, struct arranged **order)
{
	uint32_t kept = 0, next = 0, family = GROUP_FOLD_TOP;

	for (uint32_t i = fold->count - 1; i > GROUP_FOLD_TOP; i--)
		if (list[i].sum)
			list[fold->sums[i].parent].size += list[i].size;
	for (uint32_t i = 1; i < fold->count; i++)
		if (list[i].sum)
			order[kept++] = &list[i];
	qsort(order, kept, sizeof(struct arranged *), by_family);
	for (uint32_t i = 0; i < kept; i++) {
		const uint32_t parent = order[i]->sum->parent;

		if (parent != family) {
			family = parent;
			next = list[family].place + 1;
		}
		order[i]->place = next;
		next += order[i]->size;
	}
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
		out->now[sum->event] += sum->now.self_weight;
		out->base[sum->event] += sum->base.self_weight;
	}
}

static void fill(const struct group_fold *fold, const struct arranged *list,
		 struct arranged *const *order, struct group_draft *out)
{
	struct wholes wholes;

	find_wholes(fold, &wholes);
	for (uint32_t i = 0; i < out->tree.node_count; i++) {
		const struct group_sum *sum = order[i]->sum;
		const bool is_root = sum->parent == GROUP_FOLD_TOP;

		out->sums[order[i]->place] = (uint32_t)(sum - fold->sums);
		out->nodes[order[i]->place] = (struct group_node){
			.id = sum->id, .size = order[i]->size, .depth = sum->depth,
			.parent = is_root ? UINT32_MAX : list[sum->parent].place,
			.self_samples = sum->now.self_samples,
			.total_samples = sum->now.total_samples,
			.self_weight = sum->now.self_weight,
			.total_weight = sum->now.total_weight,
			.whole_weight = wholes.now[sum->event],
			.has_base = fold->baseline &&
				    baseline_has_event(fold->baseline, sum->event),
			.base_self_samples = sum->base.self_samples,
			.base_total_samples = sum->base.total_samples,
			.base_self_weight = sum->base.self_weight,
			.base_total_weight = sum->base.total_weight,
			.base_whole_weight = wholes.base[sum->event],
		};
	}
}

static int arrange(const struct group_fold *fold, struct arranged *list, struct group_draft *out)
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
		place(fold, list, order);
		fill(fold, list, order, out);
	}
	free(order);
	return order && out->nodes && out->sums ? 0 : -ENOMEM;
}

int group_arrange(const struct group_fold *fold, struct group_draft *out)
{
	struct arranged *list = malloc(fold->count * sizeof(*list));
	int err;

	*out = (struct group_draft){ .tree = { .level_count = fold->level_count,
					       .is_compared = fold->baseline } };
	for (uint32_t i = 0; i < fold->level_count; i++)
		out->tree.keys[i] = fold->keys[i];
	err = list ? arrange(fold, list, out) : -ENOMEM;
	free(list);
	return err;
}

void group_draft_finish(struct group_draft *draft)
{
	free(draft->nodes);
	free(draft->sums);
}

void group_draft_text(const struct group_draft *draft, const struct group_fold *fold,
		      uint32_t index, struct group_text *out)
{
	const struct group_sum *sum = &fold->sums[draft->sums[index]];
	bool is_of_object = false;

	for (uint32_t i = 0; i < sum->depth; i++)
		is_of_object |= fold->keys[i] == GROUP_OBJECT;
	group_value_text(&fold->sources, fold->keys[sum->depth], sum->value, is_of_object, out);
}
