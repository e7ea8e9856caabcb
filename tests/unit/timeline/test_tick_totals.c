/* Samples of seconds and of 50 ms, kept for twenty minutes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "timeline/timeline.h"
#include "unit_tests.h"

#define S SLICE_NS
#define MS (SLICE_NS / 1000)

static struct tick_totals totals;

static int tear_down(void **state)
{
	(void)state;
	tick_totals_finish(&totals);
	assert_int_equal(totals.bytes, 0);
	return 0;
}

/* 100.049 is in the first 50 ms of second 100, 100.050 in the second, 100.999 in the last. */
static void test_samples_are_counted_in_their_second_and_tick(void **state)
{
	const uint32_t *busy;

	(void)state;
	tick_totals_add(&totals, 1, 100 * S + 49 * MS, 1, true);
	tick_totals_add(&totals, 1, 100 * S + 50 * MS, 2, true);
	tick_totals_add(&totals, 1, 100 * S + 999 * MS, 4, true);
	tick_totals_add(&totals, 1, 101 * S, 8, true);
	tick_totals_add(&totals, 1, 100 * S + 999 * MS, 16, false);
	tick_totals_add(&totals, 2, 100 * S, 32, true);
	assert_int_equal(tick_totals_second(&totals, 1, 100), 1 + 2 + 4 + 16);
	assert_int_equal(tick_totals_second(&totals, 1, 101), 8);
	assert_int_equal(tick_totals_second(&totals, 2, 100), 32);
	assert_int_equal(tick_totals_second(&totals, 3, 100), 0);
	busy = tick_totals_busy(&totals, 1, 100);
	assert_non_null(busy);
	assert_int_equal(busy[0], 1);
	assert_int_equal(busy[1], 2);
	assert_int_equal(busy[2], 0);
	assert_int_equal(busy[19], 4);
	assert_null(tick_totals_busy(&totals, 3, 100));
}

static void test_twenty_minutes_are_kept(void **state)
{
	(void)state;
	for (uint64_t second = 100; second < 3000; second++)
		tick_totals_add(&totals, 0, second * S, (uint32_t)second, true);
	for (uint64_t second = 1800; second < 3000; second++)
		assert_int_equal(tick_totals_second(&totals, 0, second), second);
	assert_int_equal(tick_totals_second(&totals, 0, 1000), 0);
	assert_true(totals.bytes < 23 * (sizeof(struct tick_minute) + 8));
	tick_totals_add(&totals, 0, 1000 * S, 7, true);	/* too late: nothing newer goes for it */
	assert_int_equal(tick_totals_second(&totals, 0, 1000), 0);
	assert_int_equal(tick_totals_second(&totals, 0, 2999), 2999);
	assert_int_equal(tick_totals_second(&totals, 0, 1000 + 22 * 60), 1000 + 22 * 60);
}

static void test_what_left_the_history_gives_its_memory_back(void **state)
{
	size_t bytes;

	(void)state;
	for (uint64_t minute = 10; minute < 15; minute++)
		tick_totals_add(&totals, 200, minute * 60 * S, 1, true);
	bytes = totals.bytes;
	tick_totals_forget(&totals, 13 * 60 * S - 1);	/* a part of minute 12 is known */
	assert_int_equal(totals.bytes, bytes - 2 * sizeof(struct tick_minute));
	assert_int_equal(tick_totals_second(&totals, 200, 11 * 60), 0);
	assert_int_equal(tick_totals_second(&totals, 200, 12 * 60), 1);
	tick_totals_add(&totals, 7, 14 * 60 * S, 1, true);
	tick_totals_drop(&totals, 200);
	assert_int_equal(tick_totals_second(&totals, 200, 14 * 60), 0);
	assert_int_equal(tick_totals_second(&totals, 7, 14 * 60), 1);
}

/* Where the last one was counted may be gone, or another's, when the next comes. */
static void test_the_next_sample_is_not_counted_where_nothing_is_any_more(void **state)
{
	(void)state;
	tick_totals_add(&totals, 1, 100 * S, 1, true);
	tick_totals_drop(&totals, 1);
	tick_totals_add(&totals, 1, 100 * S, 2, true);
	assert_int_equal(tick_totals_second(&totals, 1, 100), 2);
	tick_totals_add(&totals, 2, 100 * S, 4, true);
	tick_totals_add(&totals, 1, 100 * S - MS, 8, true);
	assert_int_equal(tick_totals_second(&totals, 1, 99), 8);
	tick_totals_add(&totals, 1, (100 + 22 * 60) * S, 16, true);	/* in the place of 100 */
	tick_totals_add(&totals, 1, 100 * S, 32, true);
	assert_int_equal(tick_totals_second(&totals, 1, 100 + 22 * 60), 16);
	assert_int_equal(tick_totals_second(&totals, 2, 100), 4);
	tick_totals_forget(&totals, 10000 * S);
	tick_totals_add(&totals, 1, (100 + 22 * 60) * S, 64, true);
	assert_int_equal(tick_totals_second(&totals, 1, 100 + 22 * 60), 64);
}

UNIT_TESTS(test_tick_totals)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_samples_are_counted_in_their_second_and_tick,
					  tear_down),
		cmocka_unit_test_teardown(test_twenty_minutes_are_kept, tear_down),
		cmocka_unit_test_teardown(
			test_the_next_sample_is_not_counted_where_nothing_is_any_more, tear_down),
		cmocka_unit_test_teardown(test_what_left_the_history_gives_its_memory_back,
					  tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
