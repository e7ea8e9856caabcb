/* Random call trees against a fold written for being obvious, which keeps paths as text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/snapshot.h"
#include "random_numbers.h"
#include "tree_fold_fixture.h"
#include "unit_tests.h"

/* The plain fold: every sample of every path as "/a/b/c" -> counts. */
enum { ENTRIES = 40, FRAMES = 7, DEPTH = 4 * FRAMES, ROUNDS = 2000, PATHS = ENTRIES * DEPTH + 1 };

struct plain_path {
	char name[16 * DEPTH];
	uint64_t self, total;
	double weight, inlined;
};

struct plain_tree {
	struct plain_path paths[PATHS];
	uint32_t count;
};

static const struct symbol *symbol_of(uint32_t frame)
{
	return &model.names.symbols[symbol_names_of_frame(&model.names, &model.trie, frame)];
}

static bool says(const struct filter_part *part, const struct slice_entry *entry, uint32_t frame)
{
	const struct symbol *symbol = symbol_of(frame);
	const char *comm = strpool_get(model.strings, model.tasks.tasks[entry->task].comm);

	switch (part->field) {
	case FILTER_TEXT:
		return strstr(strpool_get(model.strings, symbol->name), part->text) ||
		       strstr(strpool_get(model.strings, symbol->dso_name), part->text) ||
		       strstr(comm, part->text);
	case FILTER_COMMAND: return !strcmp(comm, part->text);
	case FILTER_DSO:
		return !strcmp(strpool_get(model.strings, symbol->dso_path), part->text);
	case FILTER_SYMBOL:
		return !strcmp(strpool_get(model.strings, symbol->name), part->text);
	case FILTER_KERNEL: return symbol->mode == MODE_KERNEL;
	case FILTER_USER:   return symbol->mode == MODE_USER;
	default:	    return entry->cpu == part->number;
	}
}

static bool is_match(const struct slice_entry *entry, uint32_t frame, bool hiding_alone)
{
	for (uint32_t i = 0; i < query.filter.count; i++) {
		const struct filter_part *part = &query.filter.parts[i];
		const bool is_hiding = part->is_negated || part->field == FILTER_KERNEL ||
				       part->field == FILTER_USER;

		if (hiding_alone && !is_hiding)
			continue;
		if (says(part, entry, frame) == part->is_negated)
			return false;
	}
	return true;
}

static struct plain_path *add_path(struct plain_tree *tree, const char *name,
				   const struct slice_entry *entry, bool is_self)
{
	uint32_t i = 0;

	while (i < tree->count && strcmp(tree->paths[i].name, name))
		i++;
	if (i == tree->count) {
		assert_true(tree->count < PATHS);
		tree->paths[tree->count] = (struct plain_path){ .self = 0 };
		strcpy(tree->paths[tree->count++].name, name);
	}
	tree->paths[i].total += entry->count;
	tree->paths[i].weight += (double)entry->weight;
	tree->paths[i].self += is_self ? entry->count : 0;
	return &tree->paths[i];
}

static bool has_symbol_part(void)
{
	for (uint32_t i = 0; i < query.filter.count; i++)
		if (query.filter.parts[i].field == FILTER_SYMBOL &&
		    !query.filter.parts[i].is_negated)
			return true;
	return false;
}

/* The functions of a frame, innermost first, the symbol last. A caller's address is after its
 * call, unless it is the first of its function. */
static uint32_t functions_of(uint32_t frame, bool is_leaf, const char *out[4])
{
	const struct symbol *symbol = symbol_of(frame);
	const uint64_t address = model.trie.frames.address[frame];
	const bool is_after = !is_leaf && address != symbol->address;
	const struct inline_chain *chain =
		inline_chains_find(&known_chains, symbol->dso, address - is_after);
	uint32_t count = 0;

	for (; query.tree_inlined && chain && count < chain->count; count++)
		out[count] = strpool_get(model.strings,
					 known_chains.functions[chain->first + count]);
	out[count++] = strpool_get(model.strings, symbol->name);
	return count;
}

/* Adds the paths of one frame to @name. */
static void add_frame(struct plain_tree *tree, char *name, const struct slice_entry *entry,
		      uint32_t frame, bool is_leaf, bool is_whole)
{
	const bool is_callers = query.tree == TREE_CALLERS;
	const char *functions[4];
	const uint32_t count = functions_of(frame, is_leaf, functions);

	for (uint32_t i = is_whole && is_callers ? count - 1 : 0; i < count; i++) {
		const uint32_t level = is_callers ? i : count - 1 - i;
		struct plain_path *path;

		sprintf(name + strlen(name), "/%s", functions[level]);
		path = add_path(tree, name, entry, is_leaf && level == 0);
		if (is_leaf && level > 0 && level == count - 1 && (!is_callers || is_whole))
			path->inlined += (double)entry->weight;
	}
}

/* @frames: leaf first. */
static void add_stack(struct plain_tree *tree, const struct slice_entry *entry,
		      const uint32_t *frames, int count)
{
	const bool is_callers = query.tree == TREE_CALLERS;
	int first = -1, at, end;
	char name[16 * DEPTH] = "";

	for (int i = 0; i < count; i++)
		if (is_match(entry, frames[i], false) && (first < 0 || !is_callers))
			first = i;
	if (first < 0)
		return;
	if (!is_callers && !has_symbol_part())
		first = count - 1;
	end = is_callers ? count : -1;
	for (at = first; at != end; at += is_callers ? 1 : -1) {
		if (!is_match(entry, frames[at], true))
			continue;
		add_frame(tree, name, entry, frames[at], at == 0,
			  at == first && has_symbol_part());
	}
}

static void fold_plainly(struct plain_tree *tree, const struct slice_entry *entries,
			 uint32_t count)
{
	tree->count = 0;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t frames[FRAMES];
		int depth = 1;

		frames[0] = model.trie.stacks.frame[entries[i].stack];
		if (symbol_of(frames[0])->is_idle)
			continue;
		for (uint32_t node = model.trie.stacks.node[entries[i].stack]; node;
		     node = model.trie.nodes.parent[node])
			frames[depth++] = model.trie.nodes.frame[node];
		add_stack(tree, &entries[i], frames, depth);
	}
}

static const struct plain_path *find_plain(const struct plain_tree *tree, const char *name)
{
	for (uint32_t i = 0; i < tree->count; i++)
		if (!strcmp(tree->paths[i].name, name))
			return &tree->paths[i];
	return NULL;
}

/* Same paths, same counts; sorted; sizes and parents that fit. */
static void compare(const struct call_tree *tree, const struct plain_tree *plain)
{
	char names[DEPTH][16 * DEPTH];

	assert_int_equal(tree->node_count, plain->count);
	for (uint32_t i = 0; i < tree->node_count; i++) {
		const struct tree_node *node = &tree->nodes[i];
		const struct plain_path *same;

		if (node->parent != UINT32_MAX) {
			assert_true(node->parent < i);
			assert_int_equal(tree->nodes[node->parent].depth + 1, node->depth);
			assert_true(i < node->parent + tree->nodes[node->parent].size);
		}
		sprintf(names[node->depth], "%s/%s", node->depth ? names[node->depth - 1] : "",
			node->symbol);
		same = find_plain(plain, names[node->depth]);
		assert_non_null(same);
		assert_int_equal(node->now.self.samples, same->self);
		assert_int_equal(node->now.total.samples, same->total);
		assert_true(node->now.total.weight == same->weight);
		assert_true(node->inlined_weight == same->inlined);
		if (i + node->size < tree->node_count &&
		    tree->nodes[i + node->size].parent == node->parent)
			assert_true(node->now.total.weight >=
				    tree->nodes[i + node->size].now.total.weight);
	}
}

static void random_filter(uint64_t *seed)
{
	static const enum filter_field fields[] = { FILTER_TEXT, FILTER_COMMAND, FILTER_DSO,
						    FILTER_SYMBOL, FILTER_SYMBOL, FILTER_CPU,
						    FILTER_KERNEL, FILTER_USER };
	static const char *const comms[] = { "one", "two" };
	static const char *const paths[] = { "/bin/app", "[ext4]" };
	static const char *const names[] = { "f", "main", "ext4_read" };
	static const char *const texts[] = { "a", "o", "ma", "4" };

	query.filter.count = 0;
	for (uint32_t count = random_below(seed, 3); count > 0; count--) {
		const enum filter_field field = fields[random_below(seed, 8)];
		const bool is_negated = random_below(seed, 3) == 0;

		if (field == FILTER_TEXT)
			tree_fold_fixture_add_part(field, texts[random_below(seed, 4)], is_negated);
		else if (field == FILTER_COMMAND)
			tree_fold_fixture_add_part(field, comms[random_below(seed, 2)], is_negated);
		else if (field == FILTER_DSO)
			tree_fold_fixture_add_part(field, paths[random_below(seed, 2)], is_negated);
		else if (field == FILTER_SYMBOL)
			tree_fold_fixture_add_part(field, names[random_below(seed, 3)], is_negated);
		else
			tree_fold_fixture_add_part(field, "", is_negated);	/* CPU 0 */
	}
}

/* Of half of the addresses that are used; also recursive ones, and none. */
static void random_chains(uint64_t *seed)
{
	static const char *const names[] = { "in", "inner", "innermost" };

	inline_chains_finish(&known_chains);
	inline_chains_init(&known_chains, model.strings);
	for (uint32_t at = 0; at < 4 * FN_COUNT; at++) {
		const char *functions[4] = { NULL };

		if (random_below(seed, 2))
			continue;
		for (uint32_t count = random_below(seed, 4); count > 0; count--)
			functions[count - 1] = names[random_below(seed, 3)];
		tree_fold_fixture_inline(at / 4, at % 4, functions);
	}
}

static void test_random_trees_are_those_of_the_plain_fold(void **state)
{
	static struct slice_entry entries[ENTRIES];
	static struct plain_tree plain_tree;
	uint64_t seed = 11;

	(void)state;
	for (uint32_t round = 0; round < ROUNDS; round++) {
		const uint32_t count = random_below(&seed, round % 3 ? 6 : ENTRIES);
		struct snapshot *snapshot;

		fixture_finish(&model);
		fixture_init(&model);
		random_filter(&seed);
		random_chains(&seed);
		query.tree = round % 2 ? TREE_CALLERS : TREE_CALLEES;
		query.tree_inlined = round % 8 < 4;
		for (uint32_t i = 0; i < count; i++) {
			const uint32_t depth = 1 + random_below(&seed, FRAMES), pid = 1 + i % 2;
			uint32_t frames[FRAMES];

			for (uint32_t d = 0; d < depth; d++)
				frames[d] = random_below(&seed, 5) == 0
					? fixture_kernel_frame(&model, random_below(&seed, 3)
						? FIXTURE_EXT4_ADDRESS : FIXTURE_IDLE_ADDRESS)
					: fixture_frame(&model, random_below(&seed, FN_COUNT),
							random_below(&seed, 4));
			entries[i] = (struct slice_entry){
				.stack = fixture_stack(&model, frames, depth),
				.task = fixture_task(&model, pid, pid, pid == 1 ? "one" : "two"),
				.cpu = random_below(&seed, 2) & 1,
				.count = 1 + random_below(&seed, 3),
				.weight = random_below(&seed, 1000),
			};
		}
		snapshot = tree_fold_fixture_build(entries, count);
		fold_plainly(&plain_tree, entries, count);
		compare(&snapshot->tree, &plain_tree);
		snapshot_destroy(snapshot);
	}
}

UNIT_TESTS(test_tree_fold_random)
{
	const struct CMUnitTest tests[] = {
		TREE_TEST(test_random_trees_are_those_of_the_plain_fold),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
