/* tree_order.c - see tree_order.h.
 *
 * In preorder a node's index is its parent's + 1 + the sizes of the siblings before it. So parents
 * are placed first, and each places its children in their new order.
 */
#include "tree_order.h"

#include <math.h>
#include <stdlib.h>

#include "change.h"

/* What the order of a node depends on. */
struct tree_spot {
	uint32_t size;
	double change;
};

void tree_order_finish(struct tree_order *order)
{
	free(order->nodes);
	free(order->spots);
	free(order->places);
	free(order->siblings);
	*order = (struct tree_order){ .room = 0 };
}

static bool reserve(struct tree_order *order, uint32_t count, size_t node_bytes)
{
	if (count <= order->room)
		return true;
	tree_order_finish(order);
	order->nodes = calloc(count, node_bytes);
	order->spots = calloc(count, sizeof(*order->spots));
	order->places = calloc(count, sizeof(*order->places));
	order->siblings = calloc(count, sizeof(*order->siblings));
	if (!order->nodes || !order->spots || !order->places || !order->siblings) {
		tree_order_finish(order);
		return false;
	}
	order->room = count;
	return true;
}

static int compare_siblings(const void *a, const void *b, void *context)
{
	const struct tree_spot *spots = context;
	const uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;

	if (spots[left].change < spots[right].change || spots[left].change > spots[right].change)
		return spots[left].change < spots[right].change ? 1 : -1;
	return (left > right) - (left < right);
}

/* Gives places from @place on to the nodes @begin..@end - 1 that are nobody's child among them. */
static void place_siblings(struct tree_order *order, uint32_t begin, uint32_t end, uint32_t place)
{
	uint32_t count = 0;

	for (uint32_t i = begin; i < end; i += order->spots[i].size)
		order->siblings[count++] = i;
	qsort_r(order->siblings, count, sizeof(order->siblings[0]), compare_siblings,
		order->spots);
	for (uint32_t i = 0; i < count; i++) {
		order->places[order->siblings[i]] = place;
		place += order->spots[order->siblings[i]].size;
	}
}

static void place_all(struct tree_order *order, uint32_t count)
{
	place_siblings(order, 0, count, 0);
	for (uint32_t i = 0; i < count; i++)
		if (order->spots[i].size > 1)
			place_siblings(order, i + 1, i + order->spots[i].size,
				       order->places[i] + 1);
}

const struct call_tree *tree_order_by_change(struct tree_order *order,
					     const struct snapshot *snapshot)
{
	const struct call_tree *tree = &snapshot->tree;
	struct tree_node *nodes;

	if (!tree->node_count || !reserve(order, tree->node_count, sizeof(*nodes)))
		return tree;
	nodes = order->nodes;
	for (uint32_t i = 0; i < tree->node_count; i++)
		order->spots[i] = (struct tree_spot){
			tree->nodes[i].size, fabs(change_of_node(snapshot, &tree->nodes[i])),
		};
	place_all(order, tree->node_count);
	for (uint32_t i = 0; i < tree->node_count; i++) {
		struct tree_node *node = &nodes[order->places[i]];

		*node = tree->nodes[i];
		if (node->parent != UINT32_MAX)
			node->parent = order->places[node->parent];
	}
	order->tree = *tree;
	order->tree.nodes = nodes;
	return &order->tree;
}

const struct group_tree *tree_order_groups_by_change(struct tree_order *order,
						     const struct snapshot *snapshot)
{
	const struct group_tree *tree = &snapshot->groups;
	struct group_node *nodes;

	if (!tree->node_count || !reserve(order, tree->node_count, sizeof(*nodes)))
		return tree;
	nodes = order->nodes;
	for (uint32_t i = 0; i < tree->node_count; i++)
		order->spots[i] = (struct tree_spot){
			tree->nodes[i].size, fabs(change_of_group(&tree->nodes[i])),
		};
	place_all(order, tree->node_count);
	for (uint32_t i = 0; i < tree->node_count; i++) {
		struct group_node *node = &nodes[order->places[i]];

		*node = tree->nodes[i];
		if (node->parent != UINT32_MAX)
			node->parent = order->places[node->parent];
	}
	order->groups = *tree;
	order->groups.nodes = nodes;
	return &order->groups;
}
