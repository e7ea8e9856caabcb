/* tree_order.c - see ui/tree_order.h. */
#include "ui/tree_order.h"

#include <math.h>
#include <stdlib.h>

#include "ui/change.h"

void tree_order_finish(struct tree_order *order)
{
	free(order->nodes);
	preorder_sort_finish(&order->sort);
	*order = (struct tree_order){ .room = 0 };
}

static bool reserve(struct tree_order *order, uint32_t count)
{
	struct tree_node *bigger;

	if (count <= order->room)
		return true;
	bigger = reallocarray(order->nodes, count, sizeof(*bigger));
	if (!bigger)
		return false;
	order->nodes = bigger;
	order->room = count;
	return true;
}

const struct call_tree *tree_order_by_change(struct tree_order *order,
					     const struct snapshot *snapshot)
{
	const struct call_tree *tree = &snapshot->tree;
	struct preorder_sort *sort = &order->sort;

	if (!tree->node_count || !reserve(order, tree->node_count) ||
	    !preorder_sort_begin(sort, tree->node_count))
		return tree;
	for (uint32_t i = 0; i < tree->node_count; i++) {
		sort->sizes[i] = tree->nodes[i].size;
		sort->figures[i] = fabs(change_of_node(snapshot, &tree->nodes[i]));
	}
	preorder_sort_run(sort);
	for (uint32_t i = 0; i < tree->node_count; i++) {
		struct tree_node *node = &order->nodes[sort->places[i]];

		*node = tree->nodes[i];
		if (node->parent != UINT32_MAX)
			node->parent = sort->places[node->parent];
	}
	order->tree = *tree;
	order->tree.nodes = order->nodes;
	return &order->tree;
}
