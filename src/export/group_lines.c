/* group_lines.c - see export/group_lines.h. A group's total is never less than that of one below
 * it, so the largest make a tree; at equal totals the one above comes first in the order. */
#include "export/group_lines.h"

#include <stdint.h>
#include <stdlib.h>

struct ranked {
	double share;
	uint32_t node;
};

/* Compared, of a group that is gone or has shrunk: what it had. */
static double share_of(const struct group_node *node)
{
	const double now = group_node_pct(node, node->total_weight);
	const double base = group_node_base_pct(node, node->base_total_weight);

	return now > base ? now : base;
}

static int largest_first(const void *a, const void *b)
{
	const struct ranked *left = a, *right = b;

	if (left->share != right->share)
		return left->share > right->share ? -1 : 1;
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
			order[i] = (struct ranked){ share_of(&tree->nodes[i]), i };
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
