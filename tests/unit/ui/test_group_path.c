/* What the path of a group says: the row it stands for, the parts of a filter that leave it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "group_fixture.h"
#include "ui/widgets/group_path.h"
#include "unit_tests.h"

#define POSTGRES "/usr/lib/postgresql/15/bin/postgres"

static struct group_tree tree_of(const enum group_key *keys, uint32_t count)
{
	return group_fixture_machine(keys, count);
}

#define TREE(...) tree_of((const enum group_key[]){ __VA_ARGS__ }, \
			  sizeof((const enum group_key[]){ __VA_ARGS__ }) / sizeof(enum group_key))

/* The first node of that level with the text. */
static uint32_t find(const struct group_tree *tree, uint32_t depth, const char *text)
{
	uint32_t n = 0;

	while (tree->nodes[n].depth != depth || strcmp(tree->nodes[n].text, text)) {
		n++;
		assert_true(n < tree->node_count);
	}
	return n;
}

static void test_each_level_is_a_part(void **state)
{
	const struct group_tree tree = TREE(GROUP_COMM, GROUP_DSO, GROUP_SYMBOL);
	struct filter_part parts[GROUP_LEVELS];
	unsigned int left_out;

	(void)state;
	assert_int_equal(group_path_parts(&tree, find(&tree, 2, "ExecScan"), parts, &left_out), 3);
	assert_int_equal(left_out, 0);
	assert_int_equal(parts[0].field, FILTER_COMMAND);
	assert_int_equal(parts[0].hash, filter_hash("postgres"));
	assert_int_equal(parts[1].field, FILTER_DSO);
	assert_int_equal(parts[1].hash, filter_hash(POSTGRES));
	assert_string_equal(parts[1].text, "postgres");
	assert_int_equal(parts[2].field, FILTER_SYMBOL);
	assert_int_equal(parts[2].hash, filter_hash("ExecScan"));
	assert_int_equal(parts[2].number, filter_hash(POSTGRES));
	assert_int_equal(group_path_parts(&tree, 0, parts, &left_out), 1);
}

static void test_a_symbol_says_where_its_code_begins(void **state)
{
	struct group_node nodes[2] = {
		{ .parent = UINT32_MAX, .size = 2, .text = "libc.so.6", .name = "/lib/libc.so.6",
		  .dso_path = "/lib/libc.so.6", .dso_id = UINT32_MAX },
		{ .parent = 0, .size = 1, .depth = 1, .text = "memcpy", .name = "memcpy",
		  .dso_path = "/lib/libc.so.6", .address = 0x400, .dso_id = 7, .mode = MODE_USER },
	};
	const struct group_tree tree = {
		.level_count = 2, .keys = { GROUP_DSO, GROUP_SYMBOL }, .node_count = 2,
		.nodes = nodes,
	};

	(void)state;
	assert_int_equal(group_path_row(&tree, 1).address, 0x400);
	assert_int_equal(group_path_row(&tree, 1).dso_id, 7);
	assert_int_equal(group_path_row(&tree, 0).dso_id, UINT32_MAX);
}

/* Not below a DSO, the functions of one name are one group, whatever they are in. */
static void test_a_symbol_that_is_not_below_its_dso_is_of_all(void **state)
{
	const struct group_tree tree = TREE(GROUP_SYMBOL, GROUP_DSO);
	struct filter_part parts[GROUP_LEVELS];
	unsigned int left_out;

	(void)state;
	assert_int_equal(group_path_parts(&tree, find(&tree, 0, "ExecScan"), parts, &left_out), 1);
	assert_int_equal(parts[0].field, FILTER_SYMBOL);
	assert_int_equal(parts[0].number, 0);
}

static void test_numbers_are_parts(void **state)
{
	const struct group_tree tree = TREE(GROUP_CPU, GROUP_PID, GROUP_TID);
	struct filter_part parts[GROUP_LEVELS];
	unsigned int left_out;

	(void)state;
	assert_int_equal(group_path_parts(&tree, find(&tree, 2, "80"), parts, &left_out), 3);
	assert_int_equal(parts[0].field, FILTER_CPU);
	assert_int_equal(parts[0].number, 0);
	assert_int_equal(parts[1].field, FILTER_PID);
	assert_int_equal(parts[1].number, 77);
	assert_int_equal(parts[2].field, FILTER_TID);
	assert_int_equal(parts[2].number, 80);
}

static void test_what_no_filter_tells_is_left_out(void **state)
{
	const struct group_tree tree = TREE(GROUP_SOCKET, GROUP_COMM, GROUP_SYMBOL);
	struct filter_part parts[GROUP_LEVELS];
	unsigned int left_out;

	(void)state;
	assert_int_equal(group_path_parts(&tree, find(&tree, 1, "nginx"), parts, &left_out), 1);
	assert_int_equal(left_out, 1u << GROUP_SOCKET);
	assert_int_equal(group_path_parts(&tree, find(&tree, 2, "0x8f31a0"), parts, &left_out),
			 1);		/* an address is no name */
	assert_int_equal(left_out, 1u << GROUP_SOCKET | 1u << GROUP_SYMBOL);
}

static void test_where_a_process_is_are_parts(void **state)
{
	const struct group_tree tree = TREE(GROUP_CGROUP, GROUP_UNIT, GROUP_POD, GROUP_CONTAINER);
	struct filter_part parts[GROUP_LEVELS];
	unsigned int left_out;

	(void)state;
	assert_int_equal(group_path_parts(&tree, find(&tree, 3, "4fe1c0ffee12"), parts, &left_out),
			 3);
	assert_int_equal(left_out, 1u << GROUP_UNIT);	/* it has none */
	assert_int_equal(parts[0].field, FILTER_CGROUP);
	assert_int_equal(parts[1].field, FILTER_POD);
	assert_int_equal(parts[1].hash, filter_hash("pod7"));
	assert_int_equal(parts[2].field, FILTER_CONTAINER);
	assert_int_equal(parts[2].hash, filter_hash("4fe1c0ffee12"));
	assert_int_equal(group_path_parts(&tree, find(&tree, 1, "postgresql.service"), parts,
					  &left_out), 2);
	assert_int_equal(parts[1].field, FILTER_UNIT);
	assert_int_equal(parts[1].hash, filter_hash("postgresql.service"));
}

static void test_the_row_has_what_its_path_says(void **state)
{
	const struct group_tree tree = TREE(GROUP_TID, GROUP_COMM, GROUP_SYMBOL, GROUP_CPU);
	const struct snapshot_row row = group_path_row(&tree, find(&tree, 3, "CPU 5"));
	const struct snapshot_row above = group_path_row(&tree, find(&tree, 1, "nginx"));

	(void)state;
	assert_int_equal(row.tid, 4122);
	assert_int_equal(row.pid, -1);
	assert_int_equal(row.cpu, 5);
	assert_string_equal(row.comm, "postgres");
	assert_string_equal(row.symbol, "ExecScan");
	assert_string_equal(row.raw_symbol, "ExecScan");
	assert_string_equal(row.dso_path, POSTGRES);
	assert_int_equal(row.state, SYMBOL_NAMED);
	assert_int_equal(row.mode, MODE_USER);
	assert_int_equal(row.now.self.samples, 4000);
	assert_string_equal(above.symbol, "");
	assert_int_equal(above.cpu, -1);
}

/* No filter is of an event: it is chosen. */
static void test_an_event_is_no_part(void **state)
{
	struct group_tree tree = TREE(GROUP_EVENT, GROUP_COMM);
	const uint32_t node = find(&tree, 1, "nginx");
	struct group_node nodes[64];
	struct filter_part parts[GROUP_LEVELS];
	unsigned int left_out;

	(void)state;
	memcpy(nodes, tree.nodes, tree.node_count * sizeof(nodes[0]));
	nodes[0].number = 3;
	tree.nodes = nodes;
	assert_int_equal(group_path_parts(&tree, node, parts, &left_out), 1);
	assert_int_equal(left_out, 0);
	assert_int_equal(parts[0].field, FILTER_COMMAND);
	assert_int_equal(group_path_event(&tree, node, 7), 3);
	assert_int_equal(group_path_parts(&tree, 0, parts, &left_out), 0);
	assert_int_equal(left_out, 0);
	tree = TREE(GROUP_COMM);
	assert_int_equal(group_path_event(&tree, 0, 7), 7);
}

UNIT_TESTS(test_group_path)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_level_is_a_part),
		cmocka_unit_test(test_a_symbol_says_where_its_code_begins),
		cmocka_unit_test(test_a_symbol_that_is_not_below_its_dso_is_of_all),
		cmocka_unit_test(test_numbers_are_parts),
		cmocka_unit_test(test_what_no_filter_tells_is_left_out),
		cmocka_unit_test(test_where_a_process_is_are_parts),
		cmocka_unit_test(test_an_event_is_no_part),
		cmocka_unit_test(test_the_row_has_what_its_path_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
