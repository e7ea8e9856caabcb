/* A tree by what has changed most is the same tree: every node keeps its parent and its subtree. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "compare_fixture.h"
#include "random_numbers.h"
#include "ui/widgets/change.h"
#include "ui/widgets/tree_order.h"
#include "unit_tests.h"

static struct snapshot snapshot_of(struct call_tree tree)
{
	return (struct snapshot){ .weight = tree.weight, .is_compared = true, .tree = tree,
				  .baseline.weight = tree.base_weight };
}

static void test_siblings_are_ordered_by_the_size_of_their_change(void **state)
{
	static const char *const names[] = {
		"main", "sort", "qsort", "swap", "deflate", "deflate_slow", "longest_match", "read",
		"parse", "worker_thread",
	};
	const struct snapshot snapshot = snapshot_of(compare_fixture_tree(false));
	struct tree_order order = { .room = 0 };
	const struct call_tree *tree = tree_order_by_change(&order, &snapshot);

	(void)state;
	assert_int_equal(tree->node_count, sizeof(names) / sizeof(names[0]));
	for (uint32_t i = 0; i < tree->node_count; i++)
		assert_string_equal(tree->nodes[i].symbol, names[i]);
	assert_int_equal(tree->nodes[6].parent, 5);
	assert_int_equal(tree->nodes[5].parent, 4);
	assert_int_equal(tree->nodes[4].parent, 0);
	assert_true(tree->weight == snapshot.tree.weight);
	tree_order_finish(&order);
}

/* Any tree: each node hangs onto the last one or one of its callers. */
static void grow(struct tree_node *nodes, uint32_t count, uint64_t *seed)
{
	for (uint32_t i = 0; i < count; i++) {
		uint32_t parent = i ? i - 1 : UINT32_MAX;

		while (parent != UINT32_MAX && random_below(seed, 3) == 0)
			parent = nodes[parent].parent;
		nodes[i] = (struct tree_node){
			.id = i + 1, .parent = parent, .size = 1,
			.depth = parent == UINT32_MAX ? 0 : nodes[parent].depth + 1,
			.now.total.weight = (double)(random_below(seed, 50)),
			.base.total.weight = (double)(random_below(seed, 50)),
		};
		for (; parent != UINT32_MAX; parent = nodes[parent].parent)
			nodes[parent].size++;
	}
}

static void check_order(const struct call_tree *before, const struct call_tree *after,
			const struct snapshot *snapshot)
{
	uint32_t places[200];

	for (uint32_t i = 0; i < after->node_count; i++)
		places[after->nodes[i].id - 1] = i;
	for (uint32_t i = 0; i < before->node_count; i++) {
		const struct tree_node *old = &before->nodes[i], *now = &after->nodes[places[i]];
		const uint32_t next = places[i] + now->size;

		assert_int_equal(now->id, old->id);
		assert_int_equal(now->size, old->size);
		assert_int_equal(now->parent, old->parent == UINT32_MAX ? UINT32_MAX
									: places[old->parent]);
		if (old->parent != UINT32_MAX)
			assert_in_range(places[i], now->parent + 1,
					now->parent + after->nodes[now->parent].size - 1);
		if (next < after->node_count && after->nodes[next].parent == now->parent) {
			const double own = change_of_node(snapshot, now);
			const double others = change_of_node(snapshot, &after->nodes[next]);

			assert_true(own * own >= others * others);
		}
	}
}

static void test_any_tree_keeps_its_subtrees(void **state)
{
	static struct tree_node nodes[200];
	struct tree_order order = { .room = 0 };
	uint64_t seed = 7;

	(void)state;
	for (int round = 0; round < 200; round++) {
		struct call_tree tree = { .weight = 1000, .base_weight = 1000, .nodes = nodes };
		struct snapshot snapshot;

		tree.node_count = 1 + random_below(&seed, 200);
		grow(nodes, tree.node_count, &seed);
		snapshot = snapshot_of(tree);
		check_order(&tree, tree_order_by_change(&order, &snapshot), &snapshot);
	}
	tree_order_finish(&order);
}

/* comm > dso, of 100: a 60 -> 50, below it x +10 and y -20; b +50, all new; c gone. */
static void test_groups_are_ordered_by_the_change_of_their_self(void **state)
{
	static const struct group_node nodes[] = {
		{ .id = 1, .parent = UINT32_MAX, .size = 3, .now.self.weight = 50,
		  .base.self.weight = 60, .whole_weight = 100, .base_whole_weight = 100,
		  .has_base = true },
		{ .id = 2, .parent = 0, .size = 1, .depth = 1, .now.self.weight = 30,
		  .base.self.weight = 20, .whole_weight = 100, .base_whole_weight = 100,
		  .has_base = true },
		{ .id = 3, .parent = 0, .size = 1, .depth = 1, .now.self.weight = 20,
		  .base.self.weight = 40, .whole_weight = 100, .base_whole_weight = 100,
		  .has_base = true },
		{ .id = 4, .parent = UINT32_MAX, .size = 1, .now = { { 50, 50 }, { 50, 0 } },
		  .base.self.weight = 0, .whole_weight = 100, .base_whole_weight = 100,
		  .has_base = true },
		{ .id = 5, .parent = UINT32_MAX, .size = 1, .base.self = { 40, 40 },
		  .whole_weight = 100, .base_whole_weight = 100, .has_base = true },
	};
	static const uint64_t ids[] = { 4, 5, 1, 3, 2 };
	struct group_node alone = nodes[3];	/* its event is missing in the baseline */
	const struct snapshot snapshot = {
		.is_compared = true,
		.groups = { .level_count = 2, .node_count = 5, .nodes = nodes },
	};
	struct tree_order order = { .room = 0 };
	const struct group_tree *tree = tree_order_groups_by_change(&order, &snapshot);

	(void)state;
	for (uint32_t i = 0; i < 5; i++)
		assert_int_equal(tree->nodes[i].id, ids[i]);
	assert_int_equal(tree->nodes[3].parent, 2);
	assert_int_equal(tree->nodes[2].parent, UINT32_MAX);
	assert_true(change_group_is_new(&nodes[3]) &&
		    !change_group_is_gone(&nodes[3]));
	assert_true(change_group_is_gone(&nodes[4]) &&
		    !change_group_is_new(&nodes[4]));
	alone.has_base = false;
	assert_true(!change_group_is_new(&alone) && !change_group_is_gone(&alone));
	assert_true(change_of_group(&nodes[3]) == 50 && change_of_group(&alone) == 0);
	tree_order_finish(&order);
}

static void test_an_empty_tree_stays_empty(void **state)
{
	const struct snapshot snapshot = { .is_compared = true };
	struct tree_order order = { .room = 0 };

	(void)state;
	assert_int_equal(tree_order_by_change(&order, &snapshot)->node_count, 0);
	tree_order_finish(&order);
}

UNIT_TESTS(test_tree_order)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_siblings_are_ordered_by_the_size_of_their_change),
		cmocka_unit_test(test_any_tree_keeps_its_subtrees),
		cmocka_unit_test(test_groups_are_ordered_by_the_change_of_their_self),
		cmocka_unit_test(test_an_empty_tree_stays_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
