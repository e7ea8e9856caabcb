/* Random groups against the flat fold: for every prefix of the keys, the nodes of that level are
 * the rows that are keyed by the same keys. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/snapshot.h"
#include "group_fold_fixture.h"
#include "random_numbers.h"
#include "unit_tests.h"

enum { ENTRIES = 40, FRAMES = 7, ROUNDS = 1500, NAME_BYTES = 256 };

/* What both can be keyed by. */
static const struct {
	enum group_key key;
	enum row_key row_key;
} known_keys[] = {
	{ GROUP_COMM, KEY_COMM },     { GROUP_PID, KEY_PID },	    { GROUP_TID, KEY_TID },
	{ GROUP_CPU, KEY_CPU },	      { GROUP_DSO, KEY_DSO }, { GROUP_SYMBOL, KEY_SYMBOL },
	{ GROUP_ADDRESS, KEY_ADDRESS },
};

enum { KEYS_KNOWN = sizeof(known_keys) / sizeof(known_keys[0]) };

static unsigned int row_keys_of(const struct group_tree *tree, uint32_t levels)
{
	unsigned int keys = 0;

	for (uint32_t i = 0; i < levels; i++)
		for (uint32_t k = 0; k < KEYS_KNOWN; k++)
			if (known_keys[k].key == tree->keys[i])
				keys |= known_keys[k].row_key;
	return keys;
}

/* "/one/3/main": a flat row by the first keys of the tree. */
static void name_row(const struct fold *fold, const struct fold_row *row,
		     const struct group_tree *tree, uint32_t levels, char *out)
{
	const struct symbol *symbol = &fold->names->symbols[row->symbol];
	const struct str_id comm = { row->key.comm };

	out[0] = '\0';
	for (uint32_t i = 0; i < levels; i++) {
		char *end = out + strlen(out);

		switch (tree->keys[i]) {
		case GROUP_COMM:
			sprintf(end, "/%s", strpool_get(model.strings, comm));
			break;
		case GROUP_PID:
			sprintf(end, "/%u", row->key.pid);
			break;
		case GROUP_TID:
			sprintf(end, "/%u", row->key.tid);
			break;
		case GROUP_CPU:
			sprintf(end, "/%u", row->key.cpu_and_idle >> 1);
			break;
		case GROUP_DSO:
			sprintf(end, "/%s", strpool_get(model.strings, symbol->dso_path));
			break;
		case GROUP_SYMBOL:
			sprintf(end, "/%s", strpool_get(model.strings, symbol->name));
			break;
		default:
			sprintf(end, "/0x%llx", (unsigned long long)row->key.address);
			break;
		}
	}
}

static void name_node(const struct group_tree *tree, const struct group_node *node, char *out)
{
	const char *own = tree->keys[node->depth] == GROUP_ADDRESS ? node->text : node->name;

	out[0] = '\0';
	if (node->parent != UINT32_MAX)
		name_node(tree, &tree->nodes[node->parent], out);
	sprintf(out + strlen(out), "/%s", own);
}

static const struct fold_row no_row;

/* The busy row of this name; one that counts nothing when there is none. */
static const struct fold_row *find_row(const struct fold *fold, const struct group_tree *tree,
				       uint32_t levels, const char *name)
{
	const struct fold_row *found = &no_row;
	char row_name[NAME_BYTES];

	for (uint32_t i = 0; i < fold->row_count; i++) {
		if (fold->rows[i].is_idle)
			continue;
		name_row(fold, &fold->rows[i], tree, levels, row_name);
		if (strcmp(row_name, name))
			continue;
		assert_ptr_equal(found, &no_row);
		found = &fold->rows[i];
	}
	return found;
}

/* How many names there are on either side. */
static uint32_t count_names(const struct fold *now, const struct fold *base,
			    const struct group_tree *tree, uint32_t levels)
{
	uint32_t count = 0;
	char name[NAME_BYTES];

	for (uint32_t i = 0; i < now->row_count; i++)
		count += !now->rows[i].is_idle;
	for (uint32_t i = 0; i < base->row_count; i++) {
		if (base->rows[i].is_idle)
			continue;
		name_row(base, &base->rows[i], tree, levels, name);
		count += find_row(now, tree, levels, name) == &no_row;
	}
	return count;
}

static void compare_level(const struct group_tree *tree, const struct group_window *window,
			  uint32_t levels)
{
	const unsigned int keys = row_keys_of(tree, levels);
	struct fold now = fixture_fold_filtered(&model, keys, &query.filter, window->entries,
						window->count);
	struct fold base = fixture_fold_filtered(&model, keys, &query.filter, window->base,
						 window->base_count);
	uint32_t count = 0;
	char name[NAME_BYTES];

	for (uint32_t i = 0; i < tree->node_count; i++) {
		const struct group_node *node = &tree->nodes[i];
		const struct fold_row *row;

		if (node->depth + 1 != levels)
			continue;
		name_node(tree, node, name);
		row = find_row(&now, tree, levels, name);
		assert_int_equal(node->now.self.samples, row->stats.self.samples);
		assert_int_equal(node->now.total.samples, row->stats.total.samples);
		assert_true(node->now.self.weight == row->stats.self.weight);
		assert_true(node->now.total.weight == row->stats.total.weight);
		assert_true(node->whole_weight == now.weight);
		row = find_row(&base, tree, levels, name);
		assert_int_equal(node->base.self.samples, row->stats.self.samples);
		assert_int_equal(node->base.total.samples, row->stats.total.samples);
		assert_true(node->base.self.weight == row->stats.self.weight);
		assert_true(node->base.total.weight == row->stats.total.weight);
		assert_true(node->base_whole_weight == base.weight);
		count++;
	}
	assert_int_equal(count, count_names(&now, &base, tree, levels));
	fold_finish(&now);
	fold_finish(&base);
}

/* Sizes and parents fit, siblings are in order. */
static void check_order(const struct group_tree *tree)
{
	for (uint32_t i = 0; i < tree->node_count; i++) {
		const struct group_node *node = &tree->nodes[i], *next = node + node->size;

		if (node->parent == UINT32_MAX) {
			assert_int_equal(node->depth, 0);
		} else {
			assert_true(node->parent < i);
			assert_int_equal(tree->nodes[node->parent].depth + 1, node->depth);
			assert_true(i < node->parent + tree->nodes[node->parent].size);
		}
		if (i + node->size >= tree->node_count || next->parent != node->parent)
			continue;
		assert_true(node->now.self.weight >= next->now.self.weight);
		if (node->now.self.weight == next->now.self.weight)
			assert_true(node->now.total.weight >= next->now.total.weight);
	}
}

static void random_keys(uint64_t *seed)
{
	query.group_count = 0;
	for (uint32_t count = 1 + random_below(seed, 5); count > 0; count--) {
		const enum group_key key = known_keys[random_below(seed, KEYS_KNOWN)].key;
		bool is_there = false;

		for (uint32_t i = 0; i < query.group_count; i++)
			is_there |= query.groups[i] == key;
		if (!is_there)
			query.groups[query.group_count++] = key;
	}
}

static void random_filter(uint64_t *seed)
{
	static const enum filter_field fields[] = { FILTER_TEXT, FILTER_COMMAND, FILTER_DSO,
						    FILTER_SYMBOL, FILTER_CPU, FILTER_KERNEL };
	static const char *const texts[] = { "one", "/bin/app", "f", "main", "4" };

	query.filter.count = 0;
	for (uint32_t count = random_below(seed, 3); count > 0; count--)
		tree_fold_fixture_add_part(fields[random_below(seed, 6)],
					   texts[random_below(seed, 5)],
					   random_below(seed, 3) == 0);
}

static struct slice_entry random_entry(uint64_t *seed)
{
	const uint32_t depth = 1 + random_below(seed, FRAMES), pid = 1 + random_below(seed, 2);
	const uint32_t tid = 10 * pid + random_below(seed, 2);
	uint32_t frames[FRAMES];

	for (uint32_t d = 0; d < depth; d++)
		frames[d] = random_below(seed, 5) == 0
			? fixture_kernel_frame(&model, random_below(seed, 3)
				? FIXTURE_EXT4_ADDRESS : FIXTURE_IDLE_ADDRESS)
			: fixture_frame(&model, random_below(seed, FN_COUNT),
					random_below(seed, 4));
	return (struct slice_entry){
		.stack = fixture_stack(&model, frames, depth),
		.task = fixture_task(&model, pid, tid, random_below(seed, 2) ? "one" : "two"),
		.cpu = random_below(seed, 2) & 1, .count = 1 + random_below(seed, 3),
		.weight = random_below(seed, 1000),
	};
}

static void test_each_level_is_the_flat_fold_by_its_keys(void **state)
{
	static struct slice_entry entries[ENTRIES], base[ENTRIES];
	uint64_t seed = 23;

	(void)state;
	for (uint32_t round = 0; round < ROUNDS; round++) {
		struct group_window window = { entries, base, random_below(&seed, ENTRIES),
					       round % 2 ? random_below(&seed, ENTRIES) : 0 };
		struct snapshot *snapshot;

		fixture_finish(&model);
		fixture_init(&model);
		random_filter(&seed);
		random_keys(&seed);
		for (uint32_t i = 0; i < window.count; i++)
			entries[i] = random_entry(&seed);
		for (uint32_t i = 0; i < window.base_count; i++)
			base[i] = random_entry(&seed);
		snapshot = group_fold_fixture_build(window);
		assert_int_equal(snapshot->groups.level_count, query.group_count);
		for (uint32_t levels = 1; levels <= query.group_count; levels++)
			compare_level(&snapshot->groups, &window, levels);
		check_order(&snapshot->groups);
		snapshot_destroy(snapshot);
	}
}

UNIT_TESTS(test_group_fold_random)
{
	const struct CMUnitTest tests[] = {
		GROUP_TEST(test_each_level_is_the_flat_fold_by_its_keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
