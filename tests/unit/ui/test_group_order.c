/* Which keys the groups are by: taken in and out, moved, written. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "widgets/group_order.h"
#include "unit_tests.h"

static void expect(const struct group_order *order, const char *written)
{
	char text[GROUP_ORDER_BYTES];

	assert_string_equal(group_order_format(order->keys, order->count, NULL, text), written);
}

static void test_a_key_goes_in_after_the_others_and_out_again(void **state)
{
	struct group_order order = group_order_at_first;
	struct diag why = { 0 };

	(void)state;
	expect(&order, "comm \u203a dso \u203a symbol");
	assert_int_equal(group_order_toggle(&order, GROUP_CPU, &why), 0);
	expect(&order, "comm \u203a dso \u203a symbol \u203a cpu");
	assert_int_equal(group_order_level(&order, GROUP_CPU), 4);
	assert_int_equal(group_order_level(&order, GROUP_POD), 0);
	assert_int_equal(group_order_toggle(&order, GROUP_DSO, &why), 0);
	expect(&order, "comm \u203a symbol \u203a cpu");
}

static void test_the_last_key_stays(void **state)
{
	struct group_order order = { 1, { GROUP_PID } };
	struct diag why = { 0 };

	(void)state;
	assert_int_equal(group_order_toggle(&order, GROUP_PID, &why), -EINVAL);
	assert_non_null(strstr(why.text, "one level at least"));
	expect(&order, "pid");
}

static void test_there_are_no_more_levels_than_a_tree_can_have(void **state)
{
	struct group_order order = { .count = 0 };
	struct diag why = { 0 };

	(void)state;
	for (int key = GROUP_COMM; key < GROUP_COMM + GROUP_LEVELS; key++)
		assert_int_equal(group_order_toggle(&order, (enum group_key)key, &why), 0);
	assert_int_equal(group_order_toggle(&order, GROUP_PARENT, &why), -ENOSPC);
	assert_non_null(strstr(why.text, "no more than 8 levels"));
	assert_int_equal(group_order_place(&order, GROUP_PARENT, 1, &why), -ENOSPC);
	assert_int_equal(order.count, GROUP_LEVELS);
	assert_int_equal(group_order_place(&order, GROUP_COMM, 8, &why), 0);	/* it is in */
	assert_int_equal(group_order_level(&order, GROUP_COMM), 8);
	assert_int_equal(group_order_level(&order, GROUP_PID), 1);
}

/* As the model has it: weights of events can't be added, so nothing stands above them. */
static void test_event_is_the_first_level_or_none(void **state)
{
	struct group_order order = group_order_at_first;
	struct diag why = { 0 };

	(void)state;
	assert_int_equal(group_order_toggle(&order, GROUP_EVENT, &why), 0);
	expect(&order, "event \u203a comm \u203a dso \u203a symbol");
	assert_int_equal(group_order_place(&order, GROUP_EVENT, 2, &why), -EINVAL);
	assert_non_null(strstr(why.text, "event comes first"));
	assert_int_equal(group_order_place(&order, GROUP_COMM, 1, &why), -EINVAL);
	assert_int_equal(group_order_place(&order, GROUP_SYMBOL, 2, &why), 0);
	expect(&order, "event \u203a symbol \u203a comm \u203a dso");
}

static void test_a_key_is_placed_at_its_level(void **state)
{
	struct group_order order = group_order_at_first;
	struct diag why = { 0 };

	(void)state;
	group_order_place(&order, GROUP_SYMBOL, 1, &why);
	expect(&order, "symbol \u203a comm \u203a dso");
	group_order_place(&order, GROUP_SYMBOL, 2, &why);
	expect(&order, "comm \u203a symbol \u203a dso");
	group_order_place(&order, GROUP_COMM, 8, &why);
	expect(&order, "symbol \u203a dso \u203a comm");
	group_order_place(&order, GROUP_CGROUP, 2, &why);
	expect(&order, "symbol \u203a cgroup \u203a dso \u203a comm");
}

static void test_every_key_says_what_it_is(void **state)
{
	(void)state;
	for (int key = 0; key < GROUP_KEY_COUNT; key++) {
		assert_non_null(group_key_helps[key]);
		assert_true(strlen(group_key_helps[key]) > 3);
	}
}

static void test_all_levels_can_be_written(void **state)
{
	static const enum group_key longest[GROUP_LEVELS] = {
		GROUP_CONTAINER, GROUP_CONTAINER, GROUP_CONTAINER, GROUP_CONTAINER,
		GROUP_CONTAINER, GROUP_CONTAINER, GROUP_CONTAINER, GROUP_CONTAINER,
	};
	char text[GROUP_ORDER_BYTES];

	(void)state;
	group_order_format(longest, GROUP_LEVELS, NULL, text);
	assert_int_equal(strlen(text), 8 * strlen("container") + 7 * strlen(" \u203a "));
}

UNIT_TESTS(test_group_order)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_key_goes_in_after_the_others_and_out_again),
		cmocka_unit_test(test_the_last_key_stays),
		cmocka_unit_test(test_there_are_no_more_levels_than_a_tree_can_have),
		cmocka_unit_test(test_event_is_the_first_level_or_none),
		cmocka_unit_test(test_a_key_is_placed_at_its_level),
		cmocka_unit_test(test_every_key_says_what_it_is),
		cmocka_unit_test(test_all_levels_can_be_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
