/* Folded stacks, written down by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "export/print.h"
#include "tree_fixture.h"
#include "unit_tests.h"

static void expect(const struct call_tree *tree, bool usdt_kernel, const char *lines)
{
	char *text;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	assert_non_null(out);
	assert_int_equal(folded_write(out, tree, "", usdt_kernel, false, false), 0);
	fclose(out);
	assert_string_equal(text, lines);
	free(text);
}

static const struct tree_fixture_line lines[] = {
	{ 0, "app", 0, 10, MODE_UNKNOWN, 0 },	    { 1, "main", 2, 9, MODE_USER, 0 },
	{ 2, "read", 0, 7, MODE_USER, 0 },	    { 3, "ksys_read", 5, 6, MODE_KERNEL, 0 },
	{ 4, "copy", 1, 1, MODE_KERNEL, 0 },	    { 1, "lost", 1, 1, MODE_USER, 0 },
	{ 0, "sh", 0, 3, MODE_UNKNOWN, 0 },	    { 1, "main", 3, 3, MODE_USER, 0 },
};
enum { LINES = sizeof(lines) / sizeof(lines[0]) };
static struct tree_node nodes[LINES];

static struct call_tree make_tree(void)
{
	struct call_tree tree = tree_fixture(TREE_CALLEES, lines, LINES, nodes);

	nodes[0].is_command = nodes[6].is_command = true;
	return tree;
}

/* `read` has no self: one sample of it was taken in code that a filter hides. */
static void test_each_stack_is_a_line_and_all_samples_are_there(void **state)
{
	const struct call_tree tree = make_tree();

	(void)state;
	expect(&tree, false,
	       "app;main 2\n"
	       "app;main;read 1\n"
	       "app;main;read;ksys_read 5\n"
	       "app;main;read;ksys_read;copy 1\n"
	       "app;lost 1\n"
	       "sh;main 3\n");
}

/* What difffolded.pl prints: A's count, then the window's. */
static void test_compared_each_stack_has_both_counts(void **state)
{
	struct call_tree tree = make_tree();
	char *text;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	(void)state;
	nodes[0].base.total.samples = 9;	/* app */
	nodes[1].base.total.samples = 8;	/* main: 3 of its own */
	nodes[2].base.total.samples = 5;	/* read: all its own */
	nodes[5].base.total.samples = 1;	/* lost */
	nodes[7].now.total.samples = 0;		/* sh;main is gone */
	nodes[6].now.total.samples = 0;
	nodes[6].base.total.samples = nodes[7].base.total.samples = 4;
	assert_non_null(out);
	assert_int_equal(folded_write(out, &tree, "", false, true, false), 0);
	fclose(out);
	assert_string_equal(text, "app;main 3 2\n"
				  "app;main;read 5 1\n"
				  "app;main;read;ksys_read 0 5\n"
				  "app;main;read;ksys_read;copy 0 1\n"
				  "app;lost 1 1\n"
				  "sh;main 4 0\n");
	free(text);
}

static void test_kernel_code_is_marked_where_that_is_wanted(void **state)
{
	const struct call_tree tree = make_tree();

	(void)state;
	nodes[0].mode = MODE_KERNEL;	/* a command is no code */
	expect(&tree, true,
	       "app;main 2\n"
	       "app;main;read 1\n"
	       "app;main;read;ksys_read_[k] 5\n"
	       "app;main;read;ksys_read_[k];copy_[k] 1\n"
	       "app;lost 1\n"
	       "sh;main 3\n");
}

/* A semicolon ends a name: the event's has none, either. */
static void test_the_event_comes_first_where_there_are_several(void **state)
{
	const struct call_tree tree = make_tree();
	char *text = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes);

	(void)state;
	assert_int_equal(folded_write(out, &tree, "page;faults", false, false, false), 0);
	fclose(out);
	assert_string_equal(text,
			    "page:faults;app;main 2\n"
			    "page:faults;app;main;read 1\n"
			    "page:faults;app;main;read;ksys_read 5\n"
			    "page:faults;app;main;read;ksys_read;copy 1\n"
			    "page:faults;app;lost 1\n"
			    "page:faults;sh;main 3\n");
	free(text);
}

/* Weights of the fixture are ten times its samples. */
static void test_waits_are_counted_in_ns(void **state)
{
	const struct call_tree tree = make_tree();
	char *text = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes);

	(void)state;
	for (size_t i = 0; i < LINES; i++)
		nodes[i].now.total.weight = 10.0 * (double)nodes[i].now.total.samples;
	assert_int_equal(folded_write(out, &tree, "", false, false, true), 0);
	fclose(out);
	assert_string_equal(text,
			    "app;main 20\n"
			    "app;main;read 10\n"
			    "app;main;read;ksys_read 50\n"
			    "app;main;read;ksys_read;copy 10\n"
			    "app;lost 10\n"
			    "sh;main 30\n");
	free(text);
}

static void test_names_cannot_break_the_line(void **state)
{
	const struct call_tree tree = make_tree();

	(void)state;
	nodes[0].symbol = "a;b;c";
	nodes[1].symbol = "operator;(int x) 7";
	nodes[2].symbol = nodes[3].symbol = "";
	nodes[5].state = SYMBOL_UNKNOWN;
	nodes[7].state = SYMBOL_LOADING;
	nodes[7].dso = "[anon]";
	expect(&tree, false,
	       "a:b:c;operator:(int x) 7 2\n"
	       "a:b:c;operator:(int x) 7; 1\n"
	       "a:b:c;operator:(int x) 7;; 5\n"
	       "a:b:c;operator:(int x) 7;;;copy 1\n"
	       "a:b:c;[postgres] 1\n"
	       "sh;[anon] 3\n");
}

static void test_code_without_a_map_is_called_by_who_made_it(void **state)
{
	const struct call_tree tree = make_tree();

	(void)state;
	nodes[7].state = SYMBOL_NO_MAP;
	nodes[7].symbol = "[anon] JIT of node, no map";
	expect(&tree, false,
	       "app;main 2\n"
	       "app;main;read 1\n"
	       "app;main;read;ksys_read 5\n"
	       "app;main;read;ksys_read;copy 1\n"
	       "app;lost 1\n"
	       "sh;[anon] JIT of node, no map 3\n");
}

static void test_an_empty_tree_has_no_lines(void **state)
{
	const struct call_tree tree = { .direction = TREE_CALLEES };

	(void)state;
	expect(&tree, false, "");
}

UNIT_TESTS(test_folded)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_stack_is_a_line_and_all_samples_are_there),
		cmocka_unit_test(test_compared_each_stack_has_both_counts),
		cmocka_unit_test(test_kernel_code_is_marked_where_that_is_wanted),
		cmocka_unit_test(test_the_event_comes_first_where_there_are_several),
		cmocka_unit_test(test_waits_are_counted_in_ns),
		cmocka_unit_test(test_names_cannot_break_the_line),
		cmocka_unit_test(test_code_without_a_map_is_called_by_who_made_it),
		cmocka_unit_test(test_an_empty_tree_has_no_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
