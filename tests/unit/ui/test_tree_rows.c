/* Which lines a call tree has: chains, what is open, and where the cursor stays. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "group_fixture.h"
#include "random_numbers.h"
#include "tree_fixture.h"
#include "ui/widgets/tree_rows.h"
#include "unit_tests.h"

static struct tree_rows rows;
static struct call_tree machine;

static int set_up(void **state)
{
	(void)state;
	rows = (struct tree_rows){ .page = 20 };
	machine = tree_fixture_machine(TREE_CALLERS);
	tree_rows_collect(&rows, &machine);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	tree_rows_finish(&rows);
	return 0;
}

#define ROWS_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

/* One line each: ">" the cursor, two spaces a level, the names of the chain, "+" closed or "-". */
static const char *draw(void)
{
	static char text[8192];
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; i < rows.count; i++) {
		const struct tree_row *row = &rows.rows[i];

		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%*s",
					 i == rows.place.cursor ? ">" : "",
					 2 * (int)row->depth, "");
		for (uint32_t n = row->first; n <= row->last; n++)
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s",
						 n > row->first ? "." : "",
						 tree_rows_node(&rows, n)->symbol);
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s\n",
					 row->is_open ? " -" :
					 tree_rows_node(&rows, row->last)->size > 1 ? " +" : "");
	}
	return text;
}

static void expect(const char *drawn)
{
	assert_string_equal(draw(), drawn);
}

#define UNTIL_SCAN "heapgetpage.heap_getnextslot.SeqNext.ExecScan\n"
#define SEARCHES   "_bt_getbuf._bt_search._bt_search._bt_search\n"

static void test_chains_without_a_branch_are_one_line(void **state)
{
	(void)state;
	expect(">hash_search_with_hash_value -\n"
	       "  BufTableLookup.BufferAlloc.ReadBuffer_common -\n"
	       "    " UNTIL_SCAN
	       "    " SEARCHES
	       "  get_hash_entry\n");
}

/* ReadBuffer_common has 13 samples of callers that are not shown: no chain goes on through it. */
static void test_what_hides_children_ends_a_chain(void **state)
{
	static const struct tree_fixture_line lines[] = {
		{ 0, "a", 0, 10, MODE_USER, 0 }, { 1, "b", 0, 10, MODE_USER, 0 },
		{ 2, "c", 0, 10, MODE_USER, 0 }, { 3, "d", 9, 9, MODE_USER, 0 },
	};
	struct tree_node nodes[4];
	struct call_tree tree = tree_fixture(TREE_CALLEES, lines, 4, nodes);

	(void)state;
	nodes[2].hidden_weight = 1;
	tree_rows_collect(&rows, &tree);
	expect(">a.b.c -\n  d\n");
	nodes[2].now.total.samples = nodes[3].now.total.samples = 10;
	tree_rows_collect(&rows, &tree);
	expect(">a.b.c -\n  d\n");
	nodes[2].hidden_weight = 0;
	tree_rows_collect(&rows, &tree);
	expect(">a.b.c.d\n");
}

static void test_closing_and_opening_a_line(void **state)
{
	(void)state;
	tree_rows_move(&rows, MOVE_DOWN);
	assert_true(tree_rows_close(&rows));
	expect("hash_search_with_hash_value -\n"
	       ">  BufTableLookup.BufferAlloc.ReadBuffer_common +\n"
	       "  get_hash_entry\n");
	assert_true(tree_rows_close(&rows));	/* to its parent */
	assert_int_equal(rows.place.cursor, 0);
	assert_true(tree_rows_close(&rows));
	expect(">hash_search_with_hash_value +\n");
	assert_false(tree_rows_close(&rows));
	tree_rows_open(&rows);
	tree_rows_open(&rows);			/* to its first child */
	assert_int_equal(rows.place.cursor, 1);
	tree_rows_open(&rows);
	assert_int_equal(rows.count, 5);
}

static void test_right_on_an_open_chain_unchains_it_and_left_chains_it_again(void **state)
{
	(void)state;
	tree_rows_move(&rows, MOVE_DOWN);
	tree_rows_open(&rows);
	expect("hash_search_with_hash_value -\n"
	       ">  BufTableLookup -\n"
	       "    BufferAlloc -\n"
	       "      ReadBuffer_common -\n"
	       "        " UNTIL_SCAN
	       "        " SEARCHES
	       "  get_hash_entry\n");
	tree_rows_move(&rows, MOVE_DOWN);
	assert_true(tree_rows_close(&rows));
	expect("hash_search_with_hash_value -\n"
	       ">  BufTableLookup.BufferAlloc.ReadBuffer_common -\n"
	       "    " UNTIL_SCAN
	       "    " SEARCHES
	       "  get_hash_entry\n");
}

static void test_all_and_none(void **state)
{
	(void)state;
	tree_rows_move(&rows, MOVE_LAST);
	tree_rows_close_all(&rows);
	expect(">hash_search_with_hash_value +\n");
	tree_rows_open_all(&rows);
	assert_int_equal(rows.count, 5);
}

static void test_the_hottest_path_opens_to_its_end(void **state)
{
	(void)state;
	tree_rows_close_all(&rows);
	tree_rows_open_hottest(&rows);
	expect("hash_search_with_hash_value -\n"
	       "  BufTableLookup.BufferAlloc.ReadBuffer_common -\n"
	       ">    " UNTIL_SCAN
	       "    " SEARCHES
	       "  get_hash_entry\n");
}

/* After the hottest path come the branches by their weight: 8.3 % of get_hash_entry, then 7.8 of
 * _bt_getbuf, and the hottest again. */
static void test_again_the_next_path_opens(void **state)
{
	(void)state;
	tree_rows_open_hottest(&rows);
	tree_rows_close_all(&rows);
	tree_rows_open_hottest(&rows);
	tree_rows_open_hottest(&rows);
	expect("hash_search_with_hash_value -\n"
	       "  BufTableLookup.BufferAlloc.ReadBuffer_common -\n"
	       "    " UNTIL_SCAN
	       "    " SEARCHES
	       ">  get_hash_entry\n");
	tree_rows_open_hottest(&rows);
	assert_int_equal(rows.place.cursor, 3);
	tree_rows_open_hottest(&rows);
	assert_int_equal(rows.place.cursor, 2);
}

static void test_paths_are_looked_for_below_the_line_where_it_began(void **state)
{
	(void)state;
	tree_rows_move(&rows, MOVE_DOWN);	/* BufTableLookup: without get_hash_entry */
	tree_rows_open_hottest(&rows);
	assert_int_equal(rows.place.cursor, 2);
	tree_rows_open_hottest(&rows);
	assert_int_equal(rows.place.cursor, 3);
	tree_rows_open_hottest(&rows);
	assert_int_equal(rows.place.cursor, 2);
	tree_rows_move(&rows, MOVE_LAST);	/* it has no callers: all of the tree */
	tree_rows_open_hottest(&rows);
	assert_int_equal(rows.place.cursor, 2);
	tree_rows_open_hottest(&rows);
	assert_int_equal(rows.place.cursor, 4);
}

static void test_a_node_that_is_looked_for_is_shown(void **state)
{
	(void)state;
	tree_rows_close_all(&rows);
	tree_rows_show_node(&rows, 6);		/* SeqNext, in a chain */
	assert_int_equal(rows.place.cursor, 2);
	expect("hash_search_with_hash_value -\n"
	       "  BufTableLookup.BufferAlloc.ReadBuffer_common -\n"
	       ">    " UNTIL_SCAN
	       "    " SEARCHES
	       "  get_hash_entry\n");
}

/* get_hash_entry becomes heavier than BufTableLookup. */
static void test_the_cursor_stays_with_its_node(void **state)
{
	static const struct tree_fixture_line lines[] = {
		{ 0, "hash_search_with_hash_value", 0, 30, MODE_USER, 0 },
		{ 1, "get_hash_entry", 0, 20, MODE_USER, 0 },
		{ 1, "BufTableLookup", 0, 10, MODE_USER, 0 },
	};
	struct tree_node nodes[3];
	struct call_tree tree = tree_fixture(TREE_CALLERS, lines, 3, nodes);

	(void)state;
	tree_rows_move(&rows, MOVE_DOWN);
	tree_rows_collect(&rows, &tree);
	expect("hash_search_with_hash_value -\n  get_hash_entry\n>  BufTableLookup\n");
}

static void test_what_was_opened_stays_open_when_it_weighs_less(void **state)
{
	(void)state;
	for (uint32_t i = 1; i < machine.node_count; i++)
		((struct tree_node *)(uintptr_t)machine.nodes)[i].now.total.weight = 1;
	tree_rows_collect(&rows, &machine);
	assert_int_equal(rows.count, 5);
}

/* Random trees, random keys: every node is on one line, or beneath one that is closed. */
static void test_lines_cover_the_tree_whatever_is_pressed(void **state)
{
	enum { NODES = 60 };
	static struct tree_fixture_line lines[NODES];
	static struct tree_node nodes[NODES];
	static char names[NODES][8];
	uint64_t seed = 21;

	(void)state;
	for (uint32_t round = 0; round < 3000; round++) {
		const uint32_t count = 1 + random_below(&seed, NODES);
		struct call_tree tree;

		for (uint32_t i = 0; i < count; i++) {
			snprintf(names[i], sizeof(names[i]), "n%u", random_below(&seed, 9));
			lines[i] = (struct tree_fixture_line){
				.depth = i ? random_below(&seed, lines[i - 1].depth + 2) : 0,
				.name = names[i], .total = 1 + random_below(&seed, 2),
			};
		}
		tree = tree_fixture(round % 2 ? TREE_CALLEES : TREE_CALLERS, lines, count, nodes);
		rows.page = 1 + random_below(&seed, 9);
		tree_rows_collect(&rows, &tree);
		switch (random_below(&seed, 7)) {
		case 0: tree_rows_open(&rows); break;
		case 1: tree_rows_close(&rows); break;
		case 2: tree_rows_open_all(&rows); break;
		case 3: tree_rows_open_hottest(&rows); break;
		case 4: tree_rows_show_node(&rows, random_below(&seed, count)); break;
		case 5: tree_rows_scroll(&rows, (int)random_below(&seed, 9) - 4); break;
		default: tree_rows_move(&rows, random_below(&seed, MOVE_LAST + 1)); break;
		}
		assert_true(rows.place.cursor < rows.count);
		assert_true(rows.place.top <= rows.place.cursor &&
			    rows.place.cursor < rows.place.top + rows.page);
		for (size_t i = 0; i < rows.count; i++) {
			const struct tree_row *row = &rows.rows[i];
			const uint32_t next = row->is_open ? row->last + 1
							   : row->last + nodes[row->last].size;

			assert_int_equal(next, i + 1 < rows.count ? rows.rows[i + 1].first : count);
			assert_true(row->is_open ? nodes[row->last].size > 1 : true);
		}
	}
}

static const char *draw_groups(void)
{
	static char text[4096];
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; i < rows.count; i++) {
		const struct tree_row *row = &rows.rows[i];

		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%*s%s%s\n",
					 i == rows.place.cursor ? ">" : "", 2 * (int)row->depth,
					 "", tree_rows_group(&rows, row->first)->text,
					 row->is_open ? " -" :
					 tree_rows_has_children(&rows, row) ? " +" : "");
	}
	return text;
}

/* DSOs have one function each, but no two groups are one line. */
static void test_groups_are_a_line_each_and_the_large_ones_open(void **state)
{
	static const enum group_key keys[] = { GROUP_CONTAINER, GROUP_DSO, GROUP_SYMBOL };
	const struct group_tree tree = group_fixture_machine(keys, 3);

	(void)state;
	tree_rows_collect_groups(&rows, &tree);
	tree_rows_select_index(&rows, 0);
	assert_string_equal(draw_groups(),
			    ">[no container] -\n"
			    "  postgres -\n"
			    "    hash_search_with_hash_value\n"
			    "    ExecScan\n"
			    "    main\n"
			    "  [kernel] +\n"
			    "  libjvm.so +\n"
			    "  cc1plus +\n"
			    "  stripped.bin +\n"
			    "  a-rather-long-program-name-indeed +\n"
			    "  unicode +\n"
			    "  [unknown] +\n"
			    "4fe1c0ffee12 -\n"
			    "  libcrypto.so.3 +\n"
			    "  [kernel] +\n"
			    "  nginx +\n");
	tree_rows_close(&rows);
	tree_rows_move(&rows, MOVE_DOWN);
	tree_rows_open_hottest(&rows);
	assert_string_equal(draw_groups(),
			    "[no container] +\n"
			    "4fe1c0ffee12 -\n"
			    "  libcrypto.so.3 -\n"
			    ">    ChaCha20_4xl\n"
			    "  [kernel] +\n"
			    "  nginx +\n");
	tree_rows_close(&rows);
	tree_rows_close(&rows);
	tree_rows_close(&rows);
	tree_rows_show_node(&rows, tree.node_count - 1);
	assert_string_equal(tree_rows_group(&rows, tree_rows_cursor(&rows)->first)->text,
			    "ngx_worker_process_cycle");
}

static void test_the_cursor_stays_with_its_group(void **state)
{
	static const enum group_key keys[] = { GROUP_COMM, GROUP_SYMBOL };
	struct group_tree tree = group_fixture_machine(keys, 1);

	(void)state;
	tree_rows_collect_groups(&rows, &tree);
	for (int i = 0; i < 3; i++)
		tree_rows_move(&rows, MOVE_DOWN);
	assert_string_equal(tree_rows_group(&rows, 3)->text, "cc1plus");
	tree = group_fixture_machine(keys, 2);		/* more lines above it */
	tree_rows_collect_groups(&rows, &tree);
	assert_string_equal(tree_rows_group(&rows, tree_rows_cursor(&rows)->first)->text,
			    "cc1plus");
	tree_rows_collect_groups(&rows, NULL);
	assert_int_equal(rows.count, 0);
	assert_null(tree_rows_cursor(&rows));
}

UNIT_TESTS(test_tree_rows)
{
	const struct CMUnitTest tests[] = {
		ROWS_TEST(test_chains_without_a_branch_are_one_line),
		ROWS_TEST(test_what_hides_children_ends_a_chain),
		ROWS_TEST(test_closing_and_opening_a_line),
		ROWS_TEST(test_right_on_an_open_chain_unchains_it_and_left_chains_it_again),
		ROWS_TEST(test_all_and_none),
		ROWS_TEST(test_the_hottest_path_opens_to_its_end),
		ROWS_TEST(test_again_the_next_path_opens),
		ROWS_TEST(test_paths_are_looked_for_below_the_line_where_it_began),
		ROWS_TEST(test_a_node_that_is_looked_for_is_shown),
		ROWS_TEST(test_the_cursor_stays_with_its_node),
		ROWS_TEST(test_what_was_opened_stays_open_when_it_weighs_less),
		ROWS_TEST(test_groups_are_a_line_each_and_the_large_ones_open),
		ROWS_TEST(test_the_cursor_stays_with_its_group),
		ROWS_TEST(test_lines_cover_the_tree_whatever_is_pressed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
