/* Call trees worked out by hand from a few stacks, written leaf first, as the kernel gives them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/snapshot.h"
#include "fold/tree_fold.h"
#include "tree_fold_fixture.h"
#include "unit_tests.h"

#define CALLS(...)                                                                                 \
	fixture_calls(&model, (const enum fixture_function[]){ __VA_ARGS__ },                      \
		      sizeof((int[]){ __VA_ARGS__ }) / sizeof(int))

/* One line a node: "  name self total", two spaces a level; after it +inlined weight, then
 * hidden weight. */
static const char *draw(const struct call_tree *tree)
{
	static char text[4096];
	size_t used = 0;

	text[0] = '\0';
	for (uint32_t i = 0; i < tree->node_count; i++) {
		const struct tree_node *node = &tree->nodes[i];

		used += (size_t)snprintf(text + used, sizeof(text) - used, "%*s%s %d %d",
					 2 * (int)node->depth, "", node->symbol,
					 (int)node->now.self.samples, (int)node->now.total.samples);
		if (node->is_inlined)
			used += (size_t)snprintf(text + used, sizeof(text) - used, " inlined");
		if (node->inlined_weight > 0)
			used += (size_t)snprintf(text + used, sizeof(text) - used, " +%g",
						 node->inlined_weight);
		if (node->hidden_weight > 0)
			used += (size_t)snprintf(text + used, sizeof(text) - used, " hidden %g",
						 node->hidden_weight);
		used += (size_t)snprintf(text + used, sizeof(text) - used, "\n");
	}
	return text;
}

static void expect(const struct slice_entry *entries, uint32_t count, const char *drawn)
{
	struct snapshot *snapshot = tree_fold_fixture_build(entries, count);

	assert_string_equal(draw(&snapshot->tree), drawn);
	snapshot_destroy(snapshot);
}

/*   6 samples  main > f > g      2 samples  main > f      1 sample  h */
static struct slice_entry known[3];

static void make_known(void)
{
	const uint32_t task = fixture_task(&model, 1, 1, "app");

	known[0] = (struct slice_entry){ .stack = CALLS(FN_G, FN_F, FN_MAIN), .count = 6,
					 .weight = 6, .task = task };
	known[1] = (struct slice_entry){ .stack = CALLS(FN_F, FN_MAIN), .count = 2, .weight = 2,
					 .task = task };
	known[2] = (struct slice_entry){ .stack = CALLS(FN_H), .count = 1, .weight = 1,
					 .task = task };
}

static void test_callees_begin_at_the_outermost_frame(void **state)
{
	(void)state;
	make_known();
	expect(known, 3,
	       "main 0 8\n"
	       "  f 2 8\n"
	       "    g 6 6\n"
	       "h 1 1\n");
}

static void test_callers_begin_at_the_leaf(void **state)
{
	(void)state;
	make_known();
	query.tree = TREE_CALLERS;
	expect(known, 3,
	       "g 6 6\n"
	       "  f 0 6\n"
	       "    main 0 6\n"
	       "f 2 2\n"
	       "  main 0 2\n"
	       "h 1 1\n");
}

static void test_the_tree_sums_what_is_in_it(void **state)
{
	struct snapshot *snapshot;

	(void)state;
	make_known();
	known[0].weight = 600;
	snapshot = tree_fold_fixture_build(known, 3);
	assert_int_equal(snapshot->tree.samples, 9);
	assert_true(snapshot->tree.weight == 603);
	assert_int_equal(snapshot->tree.direction, TREE_CALLEES);
	assert_int_equal(snapshot->tree.nodes[0].size, 3);
	assert_int_equal(snapshot->tree.nodes[0].parent, UINT32_MAX);
	assert_int_equal(snapshot->tree.nodes[2].parent, 1);
	assert_int_equal(snapshot->tree.nodes[2].depth, 2);
	assert_true(snapshot->tree.nodes[2].now.self.weight == 600);
	assert_string_equal(snapshot->tree.nodes[2].dso, "app");
	assert_string_equal(snapshot->tree.nodes[2].dso_path, "/bin/app");
	assert_int_equal(snapshot->tree.nodes[2].address, FIXTURE_APP_ADDRESS(FN_G));
	assert_int_equal(snapshot->tree.nodes[2].mode, MODE_USER);
	snapshot_destroy(snapshot);
}

/*   3 samples  main > f > g > f      of f: callees from the outer one, callers from the inner one;
 *   1 sample   main > f              each sample once in its total */
static void test_a_symbol_is_the_root_and_recursion_counts_once_in_it(void **state)
{
	const struct slice_entry entries[] = {
		{ .stack = CALLS(FN_F, FN_G, FN_F, FN_MAIN), .count = 3,
		  .task = fixture_task(&model, 1, 1, "app") },
		{ .stack = CALLS(FN_F, FN_MAIN), .count = 1 },
		{ .stack = CALLS(FN_G, FN_MAIN), .count = 9 },
	};

	(void)state;
	tree_fold_fixture_add_part(FILTER_SYMBOL, "f", false);
	expect(entries, 3,
	       "f 1 4\n"
	       "  g 0 3\n"
	       "    f 3 3\n");
	query.tree = TREE_CALLERS;
	expect(entries, 3,
	       "f 4 4\n"
	       "  g 0 3\n"
	       "    f 0 3\n"
	       "      main 0 3\n"
	       "  main 0 1\n");
}

/*   5 samples  main > f > g > f > g      2 samples  main > g > f > leaf */
static void test_mutual_recursion_of_a_symbol(void **state)
{
	const struct slice_entry entries[] = {
		{ .stack = CALLS(FN_G, FN_F, FN_G, FN_F, FN_MAIN), .count = 5,
		  .task = fixture_task(&model, 1, 1, "app") },
		{ .stack = CALLS(FN_LEAF, FN_F, FN_G, FN_MAIN), .count = 2 },
	};

	(void)state;
	tree_fold_fixture_add_part(FILTER_SYMBOL, "g", false);
	expect(entries, 2,
	       "g 0 7\n"
	       "  f 0 7\n"
	       "    g 5 5\n"
	       "    leaf 2 2\n");
	query.tree = TREE_CALLERS;
	expect(entries, 2,
	       "g 5 7\n"
	       "  f 0 5\n"
	       "    g 0 5\n"
	       "      f 0 5\n"
	       "        main 0 5\n"
	       "  main 0 2\n");
}

static void test_a_command_leaves_its_samples(void **state)
{
	(void)state;
	make_known();
	known[1].task = fixture_task(&model, 2, 2, "other");
	tree_fold_fixture_add_part(FILTER_COMMAND, "other", false);
	expect(known, 3, "main 0 2\n  f 2 2\n");
	query.tree = TREE_CALLERS;
	expect(known, 3, "f 2 2\n  main 0 2\n");
}

/* main > do_syscall_64 > ext4_read: whole stacks of samples with the kernel in them, from outside;
 * from the innermost frame of the DSO when asked who calls. */
static void test_a_dso_leaves_the_samples_with_it_on_the_stack(void **state)
{
	const uint32_t frames[] = { fixture_kernel_frame(&model, FIXTURE_EXT4_ADDRESS),
				    fixture_kernel_frame(&model, FIXTURE_SYSCALL_ADDRESS),
				    fixture_frame(&model, FN_MAIN, 0) };
	const struct slice_entry entries[] = {
		{ .stack = fixture_stack(&model, frames, 3), .count = 3,
		  .task = fixture_task(&model, 1, 1, "app") },
		{ .stack = fixture_kernel_frame(&model, FIXTURE_EXT4_ADDRESS), .count = 0 },
		{ .stack = fixture_stack(&model, frames, 1), .count = 4 },
	};

	(void)state;
	tree_fold_fixture_add_part(FILTER_DSO, "/bin/app", false);
	expect(entries, 3,
	       "main 0 3\n"
	       "  do_syscall_64 0 3\n"
	       "    ext4_read 3 3\n");
	query.tree = TREE_CALLERS;
	expect(entries, 3, "main 0 3\n");
}

/* Without the kernel: its frames are left out, and self of none is what was taken in it. */
static void test_a_hidden_level_takes_frames_out(void **state)
{
	const uint32_t frames[] = { fixture_kernel_frame(&model, FIXTURE_SYSCALL_ADDRESS),
				    fixture_frame(&model, FN_F, 0),
				    fixture_frame(&model, FN_MAIN, 0) };
	const struct slice_entry entries[] = {
		{ .stack = fixture_stack(&model, frames, 3), .count = 3,
		  .task = fixture_task(&model, 1, 1, "app") },
		{ .stack = fixture_stack(&model, frames + 1, 2), .count = 4 },
		{ .stack = fixture_stack(&model, frames, 1), .count = 9 },
	};

	(void)state;
	tree_fold_fixture_add_part(FILTER_KERNEL, "", true);
	expect(entries, 3, "main 0 7\n  f 4 7\n");
	query.tree = TREE_CALLERS;
	expect(entries, 3, "f 4 7\n  main 0 7\n");
	filter_remove(&query.filter, 0);
	tree_fold_fixture_add_part(FILTER_KERNEL, "", false);
	expect(entries, 3, "do_syscall_64 12 12\n");
}

static void test_commands_can_be_the_roots(void **state)
{
	struct snapshot *snapshot;

	(void)state;
	make_known();
	known[1].task = fixture_task(&model, 2, 2, "other");
	query.tree_commands = true;
	snapshot = tree_fold_fixture_build(known, 3);
	assert_string_equal(draw(&snapshot->tree),
			    "app 0 7\n"
			    "  main 0 6\n"
			    "    f 0 6\n"
			    "      g 6 6\n"
			    "  h 1 1\n"
			    "other 0 2\n"
			    "  main 0 2\n"
			    "    f 2 2\n");
	assert_true(snapshot->tree.nodes[0].is_command);
	assert_false(snapshot->tree.nodes[1].is_command);
	snapshot_destroy(snapshot);
	query.tree = TREE_CALLERS;
	expect(known, 2, "app 0 6\n  g 6 6\n    f 0 6\n      main 0 6\n"
			 "other 0 2\n  f 2 2\n    main 0 2\n");
}

static void test_what_is_below_the_limit_is_summed_up(void **state)
{
	struct snapshot *snapshot;

	(void)state;
	make_known();
	query.tree_limit_pct = 30;	/* 2.7 of 9 */
	known[2].stack = CALLS(FN_H, FN_F, FN_MAIN);
	expect(known, 3, "main 0 9\n  f 2 9 hidden 1\n    g 6 6\n");
	query.tree = TREE_CALLERS;
	snapshot = tree_fold_fixture_build(known, 3);
	assert_string_equal(draw(&snapshot->tree), "g 6 6\n  f 0 6\n    main 0 6\n");
	assert_true(snapshot->tree.hidden_weight == 3);
	snapshot_destroy(snapshot);
}

static void test_idle_samples_are_left_out(void **state)
{
	(void)state;
	make_known();
	known[0].task = fixture_task(&model, 0, 0, "swapper");
	expect(known, 3, "main 0 2\n  f 2 2\nh 1 1\n");
}

static void test_ids_stay_when_other_paths_come(void **state)
{
	struct snapshot *before, *after;

	(void)state;
	make_known();
	before = tree_fold_fixture_build(known + 1, 1);
	after = tree_fold_fixture_build(known, 3);
	assert_int_equal(before->tree.nodes[1].id, after->tree.nodes[1].id);
	assert_int_not_equal(after->tree.nodes[1].id, after->tree.nodes[2].id);
	snapshot_destroy(before);
	snapshot_destroy(after);
}

/* More paths than a tree may have: the lightest go, but their weight is shown. */
static void test_of_too_many_paths_the_lightest_go(void **state)
{
	enum { LEAVES = TREE_FOLD_PATHS + 50, DSOS = 40 };	/* few may not have as many names */
	struct slice_entry *entries = calloc(LEAVES, sizeof(*entries));
	uint32_t dsos[DSOS];
	const uint32_t task = fixture_task(&model, 1, 1, "app");
	struct snapshot *snapshot;

	(void)state;
	assert_non_null(entries);
	for (uint32_t i = 0; i < DSOS; i++) {
		char path[32];

		snprintf(path, sizeof(path), "/bin/other%u", i);
		dsos[i] = fixture_dso(&model, path, DSO_NO_TABLE);
	}
	for (uint32_t i = 0; i < LEAVES; i++) {
		const uint32_t frames[] = { stack_trie_frame(&model.trie, dsos[i % DSOS],
							     i + 1),
					    fixture_frame(&model, FN_MAIN, 0) };

		entries[i] = (struct slice_entry){ .stack = fixture_stack(&model, frames, 2),
						   .task = task, .count = 1,
						   .weight = i < 100 ? 1 : 2 };
	}
	snapshot = tree_fold_fixture_build(entries, LEAVES);
	assert_int_equal(snapshot->tree.node_count, LEAVES - 100 + 1);
	assert_true(snapshot->tree.nodes[0].hidden_weight == 100);
	assert_true(snapshot->tree.limit_pct == 0);
	snapshot_destroy(snapshot);
	query.tree_limit_pct = -1;
	snapshot = tree_fold_fixture_build(entries, LEAVES);
	assert_int_equal(snapshot->tree.node_count, LEAVES + 1);
	snapshot_destroy(snapshot);
	free(entries);
}

#define INLINED(in, offset, ...)                                                                   \
	tree_fold_fixture_inline(in, offset, (const char *const[]){ __VA_ARGS__, NULL })

static uint32_t stack_at(enum fixture_function leaf, uint32_t leaf_offset,
			 enum fixture_function caller, uint32_t caller_offset)
{
	const uint32_t frames[] = { fixture_frame(&model, leaf, leaf_offset),
				    fixture_frame(&model, caller, caller_offset) };

	return fixture_stack(&model, frames, 2);
}

/*   g+0x10: c in b in a in g    g+0x14: a in g    main+0x1f, a call's last byte: run in main
 *   4 samples  main+0x20 > g+0x10     2 samples  main+0x20 > g+0x14     1 sample  main+0x20 > g */
static struct slice_entry inlined[3];

static void make_inlined(void)
{
	const uint32_t task = fixture_task(&model, 1, 1, "app");

	query.tree_inlined = true;
	INLINED(FN_G, 0x10, "c", "b", "a");
	INLINED(FN_G, 0x14, "a");
	INLINED(FN_MAIN, 0x1f, "run");
	inlined[0] = (struct slice_entry){ .stack = stack_at(FN_G, 0x10, FN_MAIN, 0x20),
					   .count = 4, .weight = 4, .task = task };
	inlined[1] = (struct slice_entry){ .stack = stack_at(FN_G, 0x14, FN_MAIN, 0x20),
					   .count = 2, .weight = 2, .task = task };
	inlined[2] = (struct slice_entry){ .stack = stack_at(FN_G, 0, FN_MAIN, 0x20),
					   .count = 1, .weight = 1, .task = task };
}

static void test_inlined_functions_are_callees_and_have_the_self(void **state)
{
	(void)state;
	make_inlined();
	expect(inlined, 3,
	       "main 0 7\n"
	       "  run 0 7 inlined\n"
	       "    g 1 7 +6\n"
	       "      a 2 6 inlined\n"
	       "        b 0 4 inlined\n"
	       "          c 4 4 inlined\n");
}

static void test_inlined_functions_are_called_by_the_one_that_holds_them(void **state)
{
	(void)state;
	make_inlined();
	query.tree = TREE_CALLERS;
	expect(inlined, 3,
	       "c 4 4 inlined\n"
	       "  b 0 4 inlined\n"
	       "    a 0 4 inlined\n"
	       "      g 0 4\n"
	       "        run 0 4 inlined\n"
	       "          main 0 4\n"
	       "a 2 2 inlined\n"
	       "  g 0 2\n"
	       "    run 0 2 inlined\n"
	       "      main 0 2\n"
	       "g 1 1\n"
	       "  run 0 1 inlined\n"
	       "    main 0 1\n");
}

/* in is inlined into f and into g, which the same place calls. */
static void test_one_function_inlined_into_two_has_two_callers(void **state)
{
	struct slice_entry entries[2];

	(void)state;
	make_inlined();
	INLINED(FN_F, 0x10, "in");
	INLINED(FN_H, 0x10, "in");
	entries[0] = entries[1] = inlined[0];
	entries[0].stack = stack_at(FN_F, 0x10, FN_MAIN, 0x40);
	entries[1].stack = stack_at(FN_H, 0x10, FN_MAIN, 0x40);
	entries[1].count = 3;
	entries[1].weight = 3;
	query.tree = TREE_CALLERS;
	expect(entries, 2,
	       "in 7 7 inlined\n"
	       "  f 0 4\n"
	       "    main 0 4\n"
	       "  h 0 3\n"
	       "    main 0 3\n");
}

static void test_without_lines_or_chains_frames_are_whole(void **state)
{
	(void)state;
	make_inlined();
	query.tree_inlined = false;
	expect(inlined, 3, "main 0 7\n  g 7 7\n");
	query.tree_inlined = true;
	inline_chains_finish(&known_chains);
	inline_chains_init(&known_chains, model.strings);
	expect(inlined, 3, "main 0 7\n  g 7 7\n");
}

/* From the symbol on: what is inlined into it is inside of it, seen from its callers. */
static void test_the_tree_of_a_symbol_with_inlined_functions(void **state)
{
	(void)state;
	make_inlined();
	tree_fold_fixture_add_part(FILTER_SYMBOL, "g", false);
	expect(inlined, 3,
	       "g 1 7 +6\n"
	       "  a 2 6 inlined\n"
	       "    b 0 4 inlined\n"
	       "      c 4 4 inlined\n");
	query.tree = TREE_CALLERS;
	expect(inlined, 3,
	       "g 1 7 +6\n"
	       "  run 0 7 inlined\n"
	       "    main 0 7\n");
}

/* f+0x10: f is inlined into itself, twice; main > f+0x10 > f+0x11 */
static void test_inlined_recursion_counts_once_in_each_line(void **state)
{
	struct slice_entry entry = { .count = 5, .weight = 5,
				     .task = fixture_task(&model, 1, 1, "app") };

	(void)state;
	query.tree_inlined = true;
	INLINED(FN_F, 0x10, "f", "f");
	entry.stack = stack_at(FN_F, 0x10, FN_F, 0x11);
	expect(&entry, 1,
	       "f 0 5\n"
	       "  f 0 5 inlined\n"
	       "    f 0 5 inlined\n"
	       "      f 0 5 +5\n"
	       "        f 0 5 inlined\n"
	       "          f 5 5 inlined\n");
}

static void test_inlined_lines_keep_their_ids_and_say_their_dso(void **state)
{
	struct snapshot *before, *after;

	(void)state;
	make_inlined();
	before = tree_fold_fixture_build(inlined + 1, 1);
	after = tree_fold_fixture_build(inlined, 3);
	assert_true(before->tree.nodes[3].is_inlined);
	assert_int_equal(before->tree.nodes[3].id, after->tree.nodes[3].id);
	assert_string_equal(after->tree.nodes[3].dso, "app");
	assert_string_equal(after->tree.nodes[3].dso_path, "/bin/app");
	assert_int_equal(after->tree.nodes[3].mode, MODE_USER);
	assert_int_equal(after->tree.nodes[3].state, SYMBOL_NAMED);
	snapshot_destroy(before);
	snapshot_destroy(after);
}

static bool count_down(void *owner)
{
	uint32_t *left = owner;

	return (*left)-- == 0;
}

/* Both ways of a tree, told to stop at the first, second, ... time that they ask. */
static void test_a_fold_ends_when_it_is_told_to(void **state)
{
	enum { ENTRIES = 2000 };
	static struct slice_entry entries[ENTRIES];
	static const enum tree_direction directions[] = { TREE_CALLEES, TREE_CALLERS };

	(void)state;
	make_known();
	for (uint32_t i = 0; i < ENTRIES; i++)
		entries[i] = known[i % 3];
	for (uint32_t i = 0; i < 2 * 4; i++) {
		uint32_t left = i / 2;
		struct tree_fold tree;

		query.tree = directions[i % 2];
		tree_fold_init(&tree, &model.trie, &model.names, &model.tasks, &query, 0);
		tree.stop = (struct fold_stop){ count_down, &left };
		tree_fold_add(&tree, entries, ENTRIES, 1.0);
		tree_fold_sum(&tree);
		assert_true(tree.is_stopped);
		assert_int_equal(left, UINT32_MAX);	/* and does not ask again */
		tree_fold_finish(&tree);
	}
}

/* More roots than the look-up has room for at first, each with a second sample: as it grows it must
 * lose none of them. */
static void test_many_paths_stay_one_each(void **state)
{
	static struct slice_entry entries[800];
	struct snapshot *snapshot;

	(void)state;
	for (uint32_t i = 0; i < 800; i++) {
		const uint32_t frame = fixture_kernel_frame(
			&model, FIXTURE_SYSCALL_ADDRESS - 0x100000 + i % 400);

		entries[i] = (struct slice_entry){ .stack = fixture_stack(&model, &frame, 1),
						   .count = 1, .weight = 1,
						   .task = fixture_task(&model, 1, 1, "app") };
	}
	snapshot = tree_fold_fixture_build(entries, 800);
	assert_int_equal(snapshot->tree.node_count, 400);
	for (uint32_t i = 0; i < 400; i++)
		assert_int_equal(snapshot->tree.nodes[i].now.self.samples, 2);
	snapshot_destroy(snapshot);
}

UNIT_TESTS(test_tree_fold)
{
	const struct CMUnitTest tests[] = {
		TREE_TEST(test_callees_begin_at_the_outermost_frame),
		TREE_TEST(test_callers_begin_at_the_leaf),
		TREE_TEST(test_the_tree_sums_what_is_in_it),
		TREE_TEST(test_a_symbol_is_the_root_and_recursion_counts_once_in_it),
		TREE_TEST(test_mutual_recursion_of_a_symbol),
		TREE_TEST(test_a_command_leaves_its_samples),
		TREE_TEST(test_a_dso_leaves_the_samples_with_it_on_the_stack),
		TREE_TEST(test_a_hidden_level_takes_frames_out),
		TREE_TEST(test_commands_can_be_the_roots),
		TREE_TEST(test_what_is_below_the_limit_is_summed_up),
		TREE_TEST(test_idle_samples_are_left_out),
		TREE_TEST(test_ids_stay_when_other_paths_come),
		TREE_TEST(test_of_too_many_paths_the_lightest_go),
		TREE_TEST(test_inlined_functions_are_callees_and_have_the_self),
		TREE_TEST(test_inlined_functions_are_called_by_the_one_that_holds_them),
		TREE_TEST(test_one_function_inlined_into_two_has_two_callers),
		TREE_TEST(test_without_lines_or_chains_frames_are_whole),
		TREE_TEST(test_the_tree_of_a_symbol_with_inlined_functions),
		TREE_TEST(test_inlined_recursion_counts_once_in_each_line),
		TREE_TEST(test_inlined_lines_keep_their_ids_and_say_their_dso),
		TREE_TEST(test_a_fold_ends_when_it_is_told_to),
		TREE_TEST(test_many_paths_stay_one_each),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
