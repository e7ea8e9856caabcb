/* Groups ordered by the size of their change. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "ui/group_changes.h"

/* Of 200 samples now and 100 then:
 *   a  100 (50 %) of 45      +5      a1 40 (20 %) of 40  -20,   a2 60 (30 %) of 5   +25
 *   b  100 (50 %) of 30     +20
 *   c    0        of 25     -25      it is gone */
static const struct group_node nodes[] = {
	{ .id = 1, .parent = UINT32_MAX, .size = 3, .text = "a", .self_weight = 100,
	  .whole_weight = 200, .base_self_weight = 45, .base_whole_weight = 100 },
	{ .id = 2, .parent = 0, .size = 1, .depth = 1, .text = "a1", .self_weight = 40,
	  .whole_weight = 200, .base_self_weight = 40, .base_whole_weight = 100 },
	{ .id = 3, .parent = 0, .size = 1, .depth = 1, .text = "a2", .self_weight = 60,
	  .whole_weight = 200, .base_self_weight = 5, .base_whole_weight = 100 },
	{ .id = 4, .parent = UINT32_MAX, .size = 1, .text = "b", .self_weight = 100,
	  .whole_weight = 200, .base_self_weight = 30, .base_whole_weight = 100 },
	{ .id = 5, .parent = UINT32_MAX, .size = 1, .text = "c", .whole_weight = 200,
	  .base_self_weight = 25, .base_whole_weight = 100 },
};

static void test_points_are_of_each_window_s_own_whole(void **state)
{
	static const double wanted[] = { 5, -20, 25, 20, -25 };
	const struct group_node alone = { .self_weight = 3, .whole_weight = 4 };

	(void)state;
	for (int i = 0; i < 5; i++)
		assert_true(group_changes_points(&nodes[i]) == wanted[i]);
	assert_true(group_changes_points(&alone) == 75);	/* the baseline has no sample */
}

static void test_what_changed_most_comes_first_with_its_own(void **state)
{
	static const char *const wanted[] = { "c", "b", "a", "a2", "a1" };
	const struct group_tree tree = { .level_count = 2, .node_count = 5, .nodes = nodes };
	struct group_changes changes = { .room = 0 };
	const struct group_tree *ordered = group_changes_order(&changes, &tree);

	(void)state;
	assert_int_equal(ordered->node_count, 5);
	assert_int_equal(ordered->level_count, 2);
	for (int i = 0; i < 5; i++)
		assert_string_equal(ordered->nodes[i].text, wanted[i]);
	assert_int_equal(ordered->nodes[2].size, 3);
	assert_int_equal(ordered->nodes[3].parent, 2);
	assert_int_equal(ordered->nodes[4].parent, 2);
	group_changes_finish(&changes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_points_are_of_each_window_s_own_whole),
		cmocka_unit_test(test_what_changed_most_comes_first_with_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
