/* tree_fold_fixture.c - see tree_fold_fixture.h. */
#include "tree_fold_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "analyzer/snapshot_build.h"

struct model_fixture model;
struct query query;
struct inline_chains known_chains;

int tree_fold_fixture_set_up(void **state)
{
	(void)state;
	fixture_init(&model);
	inline_chains_init(&known_chains, model.strings);
	query = (struct query){ .keys = KEY_DSO | KEY_SYMBOL, .tree = TREE_CALLEES };
	return 0;
}

int tree_fold_fixture_tear_down(void **state)
{
	(void)state;
	inline_chains_finish(&known_chains);
	fixture_finish(&model);
	return 0;
}

struct snapshot *tree_fold_fixture_build(const struct slice_entry *entries, uint32_t count)
{
	const struct snapshot head = { .host = "h", .event = "e", .target = "t" };
	struct row_sources sources = { 0 };
	struct tree_fold tree;
	struct fold fold = fixture_fold_filtered(&model, query.keys, &query.filter, entries, count);
	struct snapshot *snapshot;

	tree_fold_init(&tree, &model.trie, &model.names, &model.tasks, &query, 0);
	if (query.tree_inlined)
		tree_fold_inline(&tree, &known_chains);
	tree_fold_add(&tree, entries, count, 1.0);
	tree_fold_sum(&tree);
	assert_false(tree.is_out_of_memory);
	sources.tree = &tree;
	snapshot = snapshot_build(&head, &fold, &sources);
	assert_non_null(snapshot);
	tree_fold_finish(&tree);
	fold_finish(&fold);
	return snapshot;
}

void tree_fold_fixture_add_part(enum filter_field field, const char *name, bool is_negated)
{
	struct filter_part part = { .field = field, .is_negated = is_negated,
				    .hash = filter_hash(name) };

	snprintf(part.text, sizeof(part.text), "%s", name);
	assert_int_equal(filter_add(&query.filter, &part, NULL), 0);
}

void tree_fold_fixture_inline(enum fixture_function in, uint32_t offset,
			      const char *const *functions)
{
	assert_int_equal(inline_chains_begin(&known_chains, model.app,
					     FIXTURE_APP_ADDRESS(in) + offset), 0);
	for (; *functions; functions++)
		assert_int_equal(inline_chains_add(&known_chains, *functions), 0);
}
