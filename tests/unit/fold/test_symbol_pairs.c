/* Which functions of two builds of a file are one while they are compared. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "elf/flat_builder.h"
#include "fold/fold.h"
#include "fold/tree_fold.h"
#include "model_fixture.h"
#include "unit_tests.h"

static struct model_fixture model;
static struct symbol_pairs pairs;
static void *tables[4];
static size_t table_count;

/* Another build of @path: "f", "main", "twice" and once more "twice", from @start on. */
static uint32_t add_build(const char *path, enum cpu_mode mode, uint64_t start)
{
	static const char *const names[] = { "f", "main", "twice", "twice" };
	struct flat_builder *builder = flat_builder_create();
	const struct dso_key key = { .path = path, .path_len = strlen(path), .mode = mode,
					.inode = start };
	struct flat_table table;
	struct diag why;
	size_t count;
	bool is_new;
	const uint32_t dso = dso_table_intern(&model.dsos, &key, &is_new);

	assert_true(is_new);
	for (uint64_t i = 0; i < 4; i++)
		assert_int_equal(flat_builder_add(builder, start + 0x100 * i, 0x100, names[i],
						  NULL, 0), 0);
	assert_int_equal(flat_builder_finish(builder, 1, &tables[table_count], &count), 0);
	assert_int_equal(flat_table_check(&table, tables[table_count++], count, &why), 0);
	flat_builder_destroy(builder);
	dso_table_set_ready(&model.dsos, dso, &table, &table.header->build_id);
	return dso;
}

static uint32_t symbol_at(uint32_t dso, uint64_t address)
{
	const uint32_t frame = stack_trie_frame(&model.trie, dso, address);

	return symbol_names_of_frame(&model.names, &model.trie, frame);
}

static int set_up(void **state)
{
	(void)state;
	fixture_init(&model);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	symbol_pairs_finish(&pairs);
	fixture_finish(&model);
	while (table_count)
		free(tables[--table_count]);
	return 0;
}

static void test_a_function_of_two_builds_is_that_of_the_newer(void **state)
{
	const uint32_t dso = add_build("/bin/app", MODE_USER, 0x5000);
	const uint32_t new_f = symbol_at(dso, 0x5010), old_g = symbol_at(model.app, 0x1200);
	const uint32_t old_f = symbol_at(model.app, FIXTURE_APP_ADDRESS(FN_F));

	(void)state;
	assert_int_equal(symbol_pairs_find(&pairs, &model.names), 0);
	assert_int_equal(symbol_pairs_of(&pairs, old_f), new_f);
	assert_int_equal(symbol_pairs_of(&pairs, new_f), new_f);
	assert_int_equal(symbol_pairs_of(&pairs, old_g), old_g);
	assert_int_equal(symbol_pairs_of(NULL, old_f), old_f);
	assert_int_equal(symbol_pairs_dso(&pairs, model.app), dso);
	assert_int_equal(symbol_pairs_dso(&pairs, dso), dso);
}

static void test_an_address_without_a_name_has_no_pair(void **state)
{
	const uint32_t dso = add_build("/bin/app", MODE_USER, 0x5000);
	const uint32_t old = symbol_at(model.app, 0x9000), new = symbol_at(dso, 0x9000);

	(void)state;
	assert_int_equal(symbol_pairs_find(&pairs, &model.names), 0);
	assert_int_equal(symbol_pairs_of(&pairs, old), old);
	assert_int_equal(symbol_pairs_of(&pairs, new), new);
}

static void test_another_path_or_level_has_other_functions(void **state)
{
	const uint32_t dso = add_build("/bin/other", MODE_USER, 0x5000);
	const uint32_t old = symbol_at(model.app, FIXTURE_APP_ADDRESS(FN_F));

	(void)state;
	symbol_at(dso, 0x5000);
	assert_int_equal(symbol_pairs_find(&pairs, &model.names), 0);
	assert_int_equal(pairs.count, 0);		/* nobody can have one */
	assert_int_equal(symbol_pairs_of(&pairs, old), old);
	symbol_at(add_build("/bin/app", MODE_GUEST_USER, 0x6000), 0x6000);
	assert_int_equal(symbol_pairs_find(&pairs, &model.names), 0);
	assert_int_equal(symbol_pairs_of(&pairs, old), old);
}

/* Of the two "twice" of a build nobody knows which is the other build's. */
static void test_a_name_that_a_file_has_twice_has_no_pair(void **state)
{
	const uint32_t dso = add_build("/bin/app", MODE_USER, 0x5000);
	const uint32_t first = symbol_at(dso, 0x5200), second = symbol_at(dso, 0x5300);
	uint32_t third, other;

	(void)state;
	other = add_build("/bin/app", MODE_USER, 0x6000);
	third = symbol_at(other, 0x6200);
	symbol_at(other, 0x6000);
	symbol_at(dso, 0x5000);
	assert_int_equal(symbol_pairs_find(&pairs, &model.names), 0);
	assert_int_equal(symbol_pairs_of(&pairs, first), first);
	assert_int_equal(symbol_pairs_of(&pairs, second), second);
	assert_int_equal(symbol_pairs_of(&pairs, third), third);
	assert_int_equal(symbol_pairs_of(&pairs, symbol_at(dso, 0x5000)),
			 symbol_at(other, 0x6000));
}

/* Two processes that made code at run time: it is compiled again and again. */
static void test_run_time_code_of_one_name_is_one(void **state)
{
	const uint32_t one = add_build("//anon", MODE_USER, 0x5000);
	uint32_t other, of[3];

	(void)state;
	other = add_build("//anon", MODE_USER, 0x6000);
	model.dsos.dsos[one].is_run_time = true;
	model.dsos.dsos[other].is_run_time = true;
	of[0] = symbol_at(one, 0x5200);
	of[1] = symbol_at(one, 0x5300);
	of[2] = symbol_at(other, 0x6300);
	assert_int_equal(symbol_pairs_find(&pairs, &model.names), 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(symbol_pairs_of(&pairs, of[i]), of[2]);
}

/*   3 samples  main > f of the old build       as one:   f 5, main 5
 *   2 samples  main > f of the new one                                     */
struct two_builds {
	uint32_t dso;
	struct slice_entry entries[2];
};

static void sample_two_builds(struct two_builds *out)
{
	out->dso = add_build("/bin/app", MODE_USER, 0x5000);
	for (int i = 0; i < 2; i++) {
		const uint32_t old[] = { fixture_frame(&model, FN_F, 0),
					 fixture_frame(&model, FN_MAIN, 4) };
		const uint32_t new[] = {
			stack_trie_frame(&model.trie, out->dso, 0x5000),
			stack_trie_frame(&model.trie, out->dso, 0x5104),
		};

		out->entries[i] = (struct slice_entry){
			.stack = fixture_stack(&model, i ? new : old, 2),
			.task = fixture_task(&model, 1, 1, "app"), .count = 3 - (uint32_t)i,
			.weight = 3 - (uint32_t)i,
		};
	}
	/* Their symbols are known, as when names came before the fold. */
	symbol_at(out->dso, 0x5000);
	symbol_at(out->dso, 0x5104);
	symbol_at(model.app, FIXTURE_APP_ADDRESS(FN_F));
	symbol_at(model.app, FIXTURE_APP_ADDRESS(FN_MAIN) + 4);
	assert_int_equal(symbol_pairs_find(&pairs, &model.names), 0);
}

static void test_rows_count_pairs_as_one(void **state)
{
	struct two_builds builds;
	struct fold fold;

	(void)state;
	sample_two_builds(&builds);
	fold = fixture_fold(&model, KEY_DSO | KEY_SYMBOL, builds.entries, 2);
	assert_int_equal(fold.row_count, 4);
	fold_finish(&fold);
	for (int is_dense = 0; is_dense < 2; is_dense++) {
		const struct slice slice = { .entries = builds.entries, .count = 2 };

		fold_init(&fold, &model.trie, &model.names, &model.tasks, KEY_DSO | KEY_SYMBOL,
			  0, &fixture_no_filter);
		fold.pairs = &pairs;
		if (is_dense)
			fold_add_slices_dense(&fold, &slice, NULL, 1);
		else
			fold_add(&fold, builds.entries, 2, 1.0);
		assert_int_equal(fold.row_count, 2);
		assert_int_equal(fixture_row(&fold, "f", false)->stats.self.samples, 5);
		assert_int_equal(fixture_row(&fold, "f", false)->stats.total.samples, 5);
		assert_int_equal(fixture_row(&fold, "main", false)->stats.total.samples, 5);
		for (uint32_t i = 0; i < 2; i++)
			assert_int_equal(model.names.symbols[fold.rows[i].symbol].dso,
					 builds.dso);
		fold_finish(&fold);
	}
}

static void test_trees_count_pairs_as_one(void **state)
{
	struct query query = { .tree_limit_pct = -1 };
	struct two_builds builds;
	struct tree_fold tree;

	(void)state;
	sample_two_builds(&builds);
	for (query.tree = TREE_CALLEES; query.tree <= TREE_CALLERS; query.tree++) {
		tree_fold_init(&tree, &model.trie, &model.names, &model.tasks, &query, 0);
		tree.pairs = &pairs;
		tree_fold_add(&tree, builds.entries, 1, 1.0);
		tree_fold_add_base(&tree, builds.entries + 1, 1);
		tree_fold_sum(&tree);
		assert_int_equal(tree.count, 3);	/* the top, and two paths */
		for (uint32_t i = 0; i < 3; i++) {
			assert_int_equal(tree.sums[i].now.total.samples, 3);
			assert_int_equal(tree.sums[i].base.total.samples, 2);
		}
		tree_fold_finish(&tree);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

UNIT_TESTS(test_symbol_pairs)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_function_of_two_builds_is_that_of_the_newer),
		TEST(test_an_address_without_a_name_has_no_pair),
		TEST(test_another_path_or_level_has_other_functions),
		TEST(test_a_name_that_a_file_has_twice_has_no_pair),
		TEST(test_run_time_code_of_one_name_is_one),
		TEST(test_rows_count_pairs_as_one),
		TEST(test_trees_count_pairs_as_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
