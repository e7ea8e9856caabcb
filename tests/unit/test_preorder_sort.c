/* Siblings of a tree in preorder by another figure. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "ui/preorder_sort.h"

struct node {
	char name;
	uint32_t size;
	double figure;
};

static void expect(const struct node *nodes, uint32_t count, const char *wanted)
{
	struct preorder_sort sort = { .room = 0 };
	char got[32] = "";

	assert_true(preorder_sort_begin(&sort, count));
	for (uint32_t i = 0; i < count; i++) {
		sort.sizes[i] = nodes[i].size;
		sort.figures[i] = nodes[i].figure;
	}
	preorder_sort_run(&sort);
	for (uint32_t i = 0; i < count; i++)
		got[sort.places[i]] = nodes[i].name;
	assert_string_equal(got, wanted);
	preorder_sort_finish(&sort);
}

/* a(b c(d)) e(f g) h -> e(g f) h a(c(d) b) */
static void test_each_goes_with_what_is_beneath_it(void **state)
{
	static const struct node nodes[] = {
		{ 'a', 4, 1 }, { 'b', 1, 2 }, { 'c', 2, 7 }, { 'd', 1, 3 },
		{ 'e', 3, 5 }, { 'f', 1, 1 }, { 'g', 1, 9 },
		{ 'h', 1, 4 },
	};

	(void)state;
	expect(nodes, 8, "egfhacdb");
}

static void test_ties_stay_as_they_were(void **state)
{
	static const struct node nodes[] = {
		{ 'a', 1, 2 }, { 'b', 1, 2 }, { 'c', 1, 3 }, { 'd', 1, 2 },
	};

	(void)state;
	expect(nodes, 4, "cabd");
	expect(nodes, 1, "a");
	expect(nodes, 0, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_goes_with_what_is_beneath_it),
		cmocka_unit_test(test_ties_stay_as_they_were),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
