/* group_lines.c - see group_lines.h. Groups with the most SELF come first, as in tables, then those
 * with the most TOTAL: code that only calls others must not displace code that works. A group's
 * self and total are never less than those of a group below it, so the first groups make a tree; a
 * parent with equal values comes first in the order. */
#include "group_lines.h"

#include <stdint.h>
#include <stdlib.h>

struct ranked {
	double self, total;	/* shares */
	uint32_t node;
};

/* Compared, of a group that is gone or has shrunk: what it had. */
static double larger_share(const struct group_node *node, double weight, double base_weight)
{
	const double now = group_node_pct(node, weight);
	const double base = group_node_base_pct(node, base_weight);

	return now > base ? now : base;
}

static struct ranked rank(const struct group_node *node, uint32_t index)
{
	return (struct ranked){
		.self = larger_share(node, node->now.self.weight, node->base.self.weight),
		.total = larger_share(node, node->now.total.weight, node->base.total.weight),
		.node = index,
	};
}

static int largest_first(const void *a, const void *b)
{
	const struct ranked *left = a, *right = b;

	if (left->self != right->self)
		return left->self > right->self ? -1 : 1;
	if (left->total != right->total)
		return left->total > right->total ? -1 : 1;
	return left->node < right->node ? -1 : left->node > right->node;
}

/* Weights that were decayed sum up to their parents' only nearly: none is printed without those
 * above it. */
static size_t drop_orphans(const struct group_tree *tree, bool *is_printed)
{
	size_t left_out = 0;

	for (uint32_t i = 0; i < tree->node_count; i++) {
		const uint32_t parent = tree->nodes[i].parent;

		if (parent != UINT32_MAX && !is_printed[parent])
			is_printed[i] = false;
		left_out += !is_printed[i];
	}
	return left_out;
}

size_t group_lines_choose(const struct group_tree *tree, size_t max, bool **out)
{
	struct ranked *order;
	size_t left_out = 0;

	*out = NULL;
	if (tree->node_count <= max)
		return 0;
	*out = calloc(tree->node_count, sizeof(**out));
	order = malloc(tree->node_count * sizeof(*order));
	if (*out && order) {
		for (uint32_t i = 0; i < tree->node_count; i++)
			order[i] = rank(&tree->nodes[i], i);
		qsort(order, tree->node_count, sizeof(*order), largest_first);
		for (size_t i = 0; i < max; i++)
			(*out)[order[i].node] = true;
		left_out = drop_orphans(tree, *out);
	} else {
		free(*out);
		*out = NULL;
	}
	free(order);
	return left_out;
}
