/* tree_order.c - see ui/tree_order.h.
 *
 * In preorder a node's place is its parent's, and one, and the sizes of the siblings before it. So
 * parents get theirs first, and each hands places to its children in their new order.
 */
#include "ui/tree_order.h"

#include <math.h>
#include <stdlib.h>

#include "ui/change.h"

void tree_order_finish(struct tree_order *order)
{
	free(order->nodes);
	free(order->places);
	free(order->siblings);
	*order = (struct tree_order){ .room = 0 };
}

static bool reserve(struct tree_order *order, uint32_t count)
{
	if (count <= order->room)
		return true;
	tree_order_finish(order);
	order->nodes = calloc(count, sizeof(*order->nodes));
	order->places = calloc(count, sizeof(*order->places));
	order->siblings = calloc(count, sizeof(*order->siblings));
	if (!order->nodes || !order->places || !order->siblings) {
		tree_order_finish(order);
		return false;
	}
	order->room = count;
	return true;
}

static int compare_siblings(const void *a, const void *b, void *context)
{
	const struct snapshot *snapshot = context;
	const uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
	const double of_left = fabs(change_of_node(snapshot, &snapshot->tree.nodes[left]));
	const double of_right = fabs(change_of_node(snapshot, &snapshot->tree.nodes[right]));

	if (of_left < of_right || of_left > of_right)
		return of_left < of_right ? 1 : -1;
	return (left > right) - (left < right);
}

/* Gives places from @place on to the nodes @begin..@end - 1 that are nobody's child among them. */
static void place_siblings(struct tree_order *order, const struct snapshot *snapshot,
			   uint32_t begin, uint32_t end, uint32_t place)
{
	const struct tree_node *nodes = snapshot->tree.nodes;
	uint32_t count = 0;

	for (uint32_t i = begin; i < end; i += nodes[i].size)
		order->siblings[count++] = i;
	qsort_r(order->siblings, count, sizeof(order->siblings[0]), compare_siblings,
		(void *)snapshot);
	for (uint32_t i = 0; i < count; i++) {
		order->places[order->siblings[i]] = place;
		place += nodes[order->siblings[i]].size;
	}
}

const struct call_tree *tree_order_by_change(struct tree_order *order,
					     const struct snapshot *snapshot)
{
	const struct call_tree *tree = &snapshot->tree;
	const struct tree_node *nodes = tree->nodes;

	if (!tree->node_count || !reserve(order, tree->node_count))
		return tree;
	place_siblings(order, snapshot, 0, tree->node_count, 0);
	for (uint32_t i = 0; i < tree->node_count; i++) {
		struct tree_node *node = &order->nodes[order->places[i]];

		*node = nodes[i];
		if (node->parent != UINT32_MAX)
			node->parent = order->places[node->parent];
		if (node->size > 1)
			place_siblings(order, snapshot, i + 1, i + node->size,
				       order->places[i] + 1);
	}
	order->tree = *tree;
	order->tree.nodes = order->nodes;
	return &order->tree;
}
