/* Which known name was meant. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/name_match.h"
#include "unit_tests.h"

static const char *nearest(const char *typed)
{
	static const char *const known[] = { "theme", "delay", "hide-kernel", "log" };
	struct near_name near;

	near_name_start(&near, typed);
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		near_name_try(&near, known[i]);
	return near.nearest;
}

static void test_one_error_in_three_letters_is_near(void **state)
{
	(void)state;
	assert_string_equal(nearest("teme"), "theme");
	assert_string_equal(nearest("thame"), "theme");
	assert_string_equal(nearest("hide-cernal"), "hide-kernel");
	assert_string_equal(nearest("lag"), "log");
	assert_string_equal(nearest("theme"), "theme");
	assert_string_equal(nearest("lgo"), "log");	/* a swap is one error */
	assert_string_equal(nearest("dleay"), "delay");
}

static void test_what_is_further_away_is_not(void **state)
{
	char endless[200] = "";

	(void)state;
	assert_null(nearest("la"));	/* two of two letters */
	assert_null(nearest("kernel"));
	assert_null(nearest(""));
	memset(endless, 'x', sizeof(endless) - 1);
	assert_null(nearest(endless));
}

static void test_the_nearest_wins_and_the_first_of_equals(void **state)
{
	struct near_name near;

	(void)state;
	near_name_start(&near, "pids");
	near_name_try(&near, "tids");
	near_name_try(&near, "bids");
	assert_string_equal(near.nearest, "tids");
	near_name_try(&near, "pids");
	assert_string_equal(near.nearest, "pids");
}

static void test_a_long_known_name_harms_nobody(void **state)
{
	char endless[200] = "";
	struct near_name near;

	(void)state;
	memset(endless, 'x', sizeof(endless) - 1);
	near_name_start(&near, "xxxx");
	near_name_try(&near, endless);
	assert_null(near.nearest);
}

UNIT_TESTS(test_near_name)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_error_in_three_letters_is_near),
		cmocka_unit_test(test_what_is_further_away_is_not),
		cmocka_unit_test(test_the_nearest_wins_and_the_first_of_equals),
		cmocka_unit_test(test_a_long_known_name_harms_nobody),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
