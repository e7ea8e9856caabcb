/* Random windows and baselines: compared, each number is that of the window alone, and that of the
 * baseline alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyzer/budget.h"
#include "publisher_fixture.h"
#include "random_numbers.h"
#include "unit_tests.h"

enum { ROUNDS = 400, SAMPLES = 60, DEPTH = 4 };

static uint64_t seed = 17;

/* One sample of a pid (0: idle) at any time within the second, with random callers. */
static void add_sample(uint64_t second)
{
	const uint32_t pid = random_below(&seed, 4), depth = 1 + random_below(&seed, DEPTH);
	uint64_t chain[1 + DEPTH] = { PERF_CONTEXT_USER };

	for (uint32_t i = 1; i <= depth; i++)
		chain[i] = 0x1000 * (1 + random_below(&seed, 5));
	feed.period = 1 + random_below(&seed, 20);
	feed_sample_at(&feed, second * S + random_below(&seed, 1000), pid, pid,
		       PERF_RECORD_MISC_USER, chain[1], chain, depth + 1);
}

static void add_second(uint64_t second)
{
	for (uint32_t count = random_below(&seed, SAMPLES); count > 0; count--)
		add_sample(second);
	feed_round(&feed, (second + 1) * S);
}

static void random_query(void)
{
	static const unsigned int keys[] = { KEY_DSO | KEY_SYMBOL, KEY_DSO, KEY_COMM,
					     KEY_PID | KEY_SYMBOL, KEY_ADDRESS, KEY_CPU,
					     KEY_PID | KEY_TID | KEY_GROUP };
	struct filter_part part = { .field = FILTER_PID, .number = 1 + random_below(&seed, 3) };

	config.query = (struct query){
		.keys = keys[random_below(&seed, 7)], .tree_limit_pct = -1,
		.tree = random_below(&seed, 3), .tree_idle = random_below(&seed, 2),
		.tree_commands = random_below(&seed, 2),
	};
	if (random_below(&seed, 3))
		return;
	part.is_negated = random_below(&seed, 2);
	assert_int_equal(filter_add(&config.query.filter, &part, NULL), 0);
}

/* The seconds from @begin to before @end, as a snapshot of their own. */
static struct snapshot *make_window(uint64_t begin, uint64_t end, bool compares)
{
	struct snapshot *snapshot;

	config.window = WINDOW_SECONDS;
	config.window_ns = (end - begin) * S;
	config.query.compare = compares;
	publisher_freeze(&publisher, 0, end * S);
	snapshot = publisher_fixture_make();
	publisher_freeze(&publisher, 0, 0);
	return snapshot;
}

static const struct snapshot_row *find_row(const struct snapshot *snapshot, uint64_t id)
{
	static const struct snapshot_row none;

	for (size_t i = 0; i < snapshot->row_count; i++)
		if (snapshot->rows[i].id == id)
			return &snapshot->rows[i];
	return &none;
}

static void check_rows(const struct snapshot *both, const struct snapshot *now,
		       const struct snapshot *then)
{
	size_t in_both = 0;

	for (size_t i = 0; i < both->row_count; i++) {
		const struct snapshot_row *row = &both->rows[i];
		const struct snapshot_row *a = find_row(then, row->id), *b = find_row(now, row->id);

		assert_true(row->now.self.samples == b->now.self.samples &&
			    row->now.total.samples == b->now.total.samples);
		assert_true(row->now.self.weight == b->now.self.weight &&
			    row->now.total.weight == b->now.total.weight);
		assert_true(row->base.self.samples == a->now.self.samples &&
			    row->base.total.samples == a->now.total.samples);
		assert_true(row->base.self.weight == a->now.self.weight &&
			    row->base.total.weight == a->now.total.weight);
		assert_int_equal(row->is_idle, a->id ? a->is_idle : b->is_idle);
		assert_true(row->group_id == (a->id ? a->group_id : b->group_id));
		in_both += a->id && b->id;
	}
	assert_int_equal(both->row_count + in_both, now->row_count + then->row_count);
}

static const struct tree_node *find_node(const struct call_tree *tree, uint64_t id)
{
	static const struct tree_node none;

	for (uint32_t i = 0; i < tree->node_count; i++)
		if (tree->nodes[i].id == id)
			return &tree->nodes[i];
	return &none;
}

static void check_tree(const struct call_tree *both, const struct call_tree *now,
		       const struct call_tree *then)
{
	uint32_t in_both = 0;

	assert_true(both->weight == now->weight && both->base_weight == then->weight);
	assert_true(both->samples == now->samples);
	for (uint32_t i = 0; i < both->node_count; i++) {
		const struct tree_node *node = &both->nodes[i];
		const struct tree_node *a = find_node(then, node->id);
		const struct tree_node *b = find_node(now, node->id);

		assert_true(node->now.self.samples == b->now.self.samples &&
			    node->now.total.samples == b->now.total.samples);
		assert_true(node->now.self.weight == b->now.self.weight &&
			    node->now.total.weight == b->now.total.weight);
		assert_true(node->base.self.samples == a->now.self.samples &&
			    node->base.total.samples == a->now.total.samples);
		assert_true(node->base.self.weight == a->now.self.weight &&
			    node->base.total.weight == a->now.total.weight);
		in_both += a->id && b->id;
		if (i + node->size < both->node_count &&
		    node[node->size].parent == node->parent && node->now.total.weight == 0)
			assert_true(node->base.total.weight >= node[node->size].base.total.weight);
	}
	assert_int_equal(both->node_count + in_both, now->node_count + then->node_count);
}

/* Either share decides who is in the tree, and hidden_weight says what the window misses. */
static void check_limit(const struct call_tree *all, const struct call_tree *limited)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < all->node_count; i++) {
		const struct tree_node *node = &all->nodes[i];
		const struct tree_node *same = find_node(limited, node->id);
		const bool is_large =
			node->now.total.weight * 100 >= 20 * all->weight * (1 + 1e-9) ||
			node->base.total.weight * 100 >= 20 * all->base_weight * (1 + 1e-9);
		const bool is_small =
			node->now.total.weight * 100 < 20 * all->weight * (1 - 1e-9) &&
			node->base.total.weight * 100 < 20 * all->base_weight * (1 - 1e-9);

		kept += same->id != 0;
		if (!same->id)
			assert_false(is_large && all->weight > 0 && all->base_weight > 0);
		else
			assert_false(is_small);
	}
	assert_int_equal(kept, limited->node_count);
}

static void check_round(uint64_t first)
{
	const uint64_t a_end = first + 1 + random_below(&seed, 3);
	const uint64_t b_begin = first + random_below(&seed, 5);
	const uint64_t b_end = b_begin + 1 + random_below(&seed, 3);
	struct snapshot *then, *now, *both, *again, *limited;

	for (uint64_t second = first; second < first + 8; second++)
		add_second(second);
	random_query();
	publisher_mark(&publisher, first * S, a_end * S, false);
	now = make_window(b_begin, b_end, false);
	then = make_window(first, a_end, false);
	if (random_below(&seed, 2)) {
		assert_true(budget_compact(&feed.ingest));
		publisher_renumbered(&publisher);
	}
	both = make_window(b_begin, b_end, true);
	again = make_window(b_begin, b_end, true);	/* with the rows that were kept */
	config.query.tree_limit_pct = 20;
	limited = make_window(b_begin, b_end, true);
	check_rows(both, now, then);
	check_rows(again, now, then);
	check_tree(&both->tree, &now->tree, &then->tree);
	check_limit(&both->tree, &limited->tree);
	assert_int_equal(both->baseline.samples, then->samples);
	assert_true(both->baseline.weight == then->weight);
	snapshot_destroy(now);
	snapshot_destroy(then);
	snapshot_destroy(both);
	snapshot_destroy(again);
	snapshot_destroy(limited);
}

static void test_stats_are_those_of_two_windows_folded_apart(void **state)
{
	(void)state;
	config.memory_bytes = 64 << 20;
	for (uint64_t round = 0; round < ROUNDS; round++)
		check_round(10 + 10 * round);
}

UNIT_TESTS(test_compare_random)
{
	const struct CMUnitTest tests[] = {
		PUBLISHER_TEST(test_stats_are_those_of_two_windows_folded_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
