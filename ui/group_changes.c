/* group_changes.c - see ui/group_changes.h. */
#include "ui/group_changes.h"

#include <math.h>
#include <stdlib.h>

void group_changes_finish(struct group_changes *changes)
{
	free(changes->nodes);
	preorder_sort_finish(&changes->sort);
	*changes = (struct group_changes){ .room = 0 };
}

double group_changes_points(const struct group_node *node)
{
	const double base = node->base_whole_weight > 0
			    ? 100.0 * node->base_self_weight / node->base_whole_weight : 0;

	return group_node_pct(node, node->self_weight) - base;
}

static bool reserve(struct group_changes *changes, uint32_t count)
{
	struct group_node *bigger;

	if (count <= changes->room)
		return true;
	bigger = reallocarray(changes->nodes, count, sizeof(*bigger));
	if (!bigger)
		return false;
	changes->nodes = bigger;
	changes->room = count;
	return true;
}

const struct group_tree *group_changes_order(struct group_changes *changes,
					     const struct group_tree *tree)
{
	struct preorder_sort *sort = &changes->sort;

	if (!tree->node_count || !reserve(changes, tree->node_count) ||
	    !preorder_sort_begin(sort, tree->node_count))
		return tree;
	for (uint32_t i = 0; i < tree->node_count; i++) {
		sort->sizes[i] = tree->nodes[i].size;
		sort->figures[i] = fabs(group_changes_points(&tree->nodes[i]));
	}
	preorder_sort_run(sort);
	for (uint32_t i = 0; i < tree->node_count; i++) {
		struct group_node *node = &changes->nodes[sort->places[i]];

		*node = tree->nodes[i];
		if (node->parent != UINT32_MAX)
			node->parent = sort->places[node->parent];
	}
	changes->tree = *tree;
	changes->tree.nodes = changes->nodes;
	return &changes->tree;
}
