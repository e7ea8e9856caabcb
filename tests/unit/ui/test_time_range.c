/* Steps through history: what a key leads to, and where it refuses. Times in milliseconds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "widgets/time_range.h"
#include "unit_tests.h"

#define MS CLOCK_NS_PER_MS

static struct time_bounds bounds(uint64_t known_ms, uint64_t newest_ms)
{
	return (struct time_bounds){ known_ms * MS, newest_ms * MS };
}

static struct time_range range(uint64_t begin_ms, uint64_t end_ms)
{
	return (struct time_range){ begin_ms * MS, end_ms * MS };
}

static void expect_range(struct time_range got, uint64_t begin_ms, uint64_t end_ms)
{
	assert_int_equal(got.begin_ns, begin_ms * MS);
	assert_int_equal(got.end_ns, end_ms * MS);
}

static void test_the_newest_window_is_of_whole_seconds(void **state)
{
	const struct time_bounds much = bounds(20300, 100370), little = bounds(95300, 100370);
	const struct time_bounds none = bounds(99300, 99970);

	(void)state;
	expect_range(time_range_newest(&much, 10000 * MS), 90000, 100000);
	expect_range(time_range_newest(&much, 60000 * MS), 40000, 100000);
	expect_range(time_range_newest(&much, 200 * MS), 99000, 100000);
	expect_range(time_range_newest(&little, 10000 * MS), 96000, 100000);
	expect_range(time_range_newest(&none, 10000 * MS), 0, 0);
}

static void test_a_step_moves_the_window_by_seconds(void **state)
{
	const struct time_bounds all = bounds(20300, 100370);
	struct time_range at = range(80000, 90000);

	(void)state;
	assert_int_equal(time_range_step(&at, &all, -1), TIME_MOVED);
	expect_range(at, 79000, 89000);
	assert_int_equal(time_range_step(&at, &all, -10), TIME_MOVED);
	expect_range(at, 69000, 79000);
	assert_int_equal(time_range_step(&at, &all, 10), TIME_MOVED);
	assert_int_equal(time_range_step(&at, &all, 1), TIME_MOVED);
	expect_range(at, 80000, 90000);
}

static void test_a_window_below_a_second_steps_by_its_length(void **state)
{
	const struct time_bounds all = bounds(20320, 100370);
	struct time_range at = range(20500, 20700);

	(void)state;
	assert_int_equal(time_range_step(&at, &all, -1), TIME_MOVED);
	expect_range(at, 20350, 20550);	/* the first tick that history has whole */
	assert_int_equal(time_range_step(&at, &all, -1), TIME_AT_BEGIN);
	assert_int_equal(time_range_step(&at, &all, 10), TIME_MOVED);
	expect_range(at, 22350, 22550);
}

/*  known 20.3 s: 21 s is the first whole second; the step that leads beyond it leads there */
static void test_steps_end_where_history_begins(void **state)
{
	const struct time_bounds all = bounds(20300, 100370);
	struct time_range at = range(25000, 35000), before = range(20300, 20400);

	(void)state;
	assert_int_equal(time_range_step(&at, &all, -10), TIME_MOVED);
	expect_range(at, 21000, 31000);
	assert_int_equal(time_range_step(&at, &all, -1), TIME_AT_BEGIN);
	expect_range(at, 21000, 31000);
	assert_int_equal(time_range_step(&before, &all, -1), TIME_AT_BEGIN);
}

static void test_no_step_leads_beyond_the_newest(void **state)
{
	const struct time_bounds all = bounds(20300, 100370);
	struct time_range at = range(89000, 99000);

	(void)state;
	assert_int_equal(time_range_step(&at, &all, 1), TIME_MOVED);
	expect_range(at, 90000, 100000);
	assert_int_equal(time_range_step(&at, &all, 1), TIME_AT_NOW);
	expect_range(at, 90000, 100000);
	at = range(80000, 90100);
	assert_int_equal(time_range_step(&at, &all, 10), TIME_MOVED);
	assert_int_equal(time_range_step(&at, &all, 10), TIME_AT_NOW);
}

static void test_shorter_and_longer_keep_the_end(void **state)
{
	static const uint64_t shorter[] = { 30000, 10000, 5000, 2000, 1000, 500, 200, 100, 50 };
	const struct time_bounds all = bounds(0, 100370);
	struct time_range at = range(30000, 90000);

	(void)state;
	for (size_t i = 0; i < sizeof(shorter) / sizeof(shorter[0]); i++) {
		assert_int_equal(time_range_resize(&at, &all, false), TIME_MOVED);
		expect_range(at, 90000 - shorter[i], 90000);
	}
	assert_int_equal(time_range_resize(&at, &all, false), TIME_AT_LIMIT);
	expect_range(at, 89950, 90000);
	assert_int_equal(time_range_resize(&at, &all, true), TIME_MOVED);
	expect_range(at, 89900, 90000);
	at = range(83000, 90000);	/* dragged: 7 s */
	assert_int_equal(time_range_resize(&at, &all, true), TIME_MOVED);
	expect_range(at, 80000, 90000);
	at = range(83000, 90000);
	assert_int_equal(time_range_resize(&at, &all, false), TIME_MOVED);
	expect_range(at, 85000, 90000);
}

static void test_where_history_begins_a_window_grows_at_its_end(void **state)
{
	const struct time_bounds all = bounds(80320, 100370);
	struct time_range at = range(82000, 87000);

	(void)state;
	assert_int_equal(time_range_resize(&at, &all, true), TIME_MOVED);
	expect_range(at, 80300, 90300);
	assert_int_equal(time_range_resize(&at, &all, true), TIME_MOVED);
	expect_range(at, 80300, 100350);	/* all there is */
	assert_int_equal(time_range_resize(&at, &all, true), TIME_AT_LIMIT);
	expect_range(at, 80300, 100350);
}

static void test_a_window_that_history_has_lost_is_none_to_shrink(void **state)
{
	const struct time_bounds all = bounds(80320, 100370);
	struct time_range at = range(60000, 70000);

	(void)state;
	assert_int_equal(time_range_resize(&at, &all, false), TIME_AT_BEGIN);
	assert_int_equal(time_range_resize(&at, &all, true), TIME_AT_BEGIN);
	expect_range(at, 60000, 70000);
	assert_int_equal(time_range_step(&at, &all, -1), TIME_AT_BEGIN);
}

static void test_what_was_dragged_over_is_one_range(void **state)
{
	(void)state;
	expect_range(time_range_join(range(5000, 6000), range(9000, 10000)), 5000, 10000);
	expect_range(time_range_join(range(9000, 10000), range(5000, 6000)), 5000, 10000);
	expect_range(time_range_join(range(5050, 5100), range(5050, 5100)), 5050, 5100);
}

static void test_a_chosen_range_is_cut_to_what_history_has(void **state)
{
	const struct time_bounds all = bounds(20320, 100370);

	(void)state;
	expect_range(time_range_clip(range(30000, 31000), &all), 30000, 31000);
	expect_range(time_range_clip(range(10000, 21000), &all), 20300, 21000);
	expect_range(time_range_clip(range(100000, 101000), &all), 100000, 100400);
	expect_range(time_range_clip(range(30010, 30020), &all), 30000, 30050);	/* whole ticks */
	expect_range(time_range_clip(range(10000, 11000), &all), 0, 0);
	expect_range(time_range_clip(range(101000, 102000), &all), 0, 0);
}

UNIT_TESTS(test_time_range)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_newest_window_is_of_whole_seconds),
		cmocka_unit_test(test_a_step_moves_the_window_by_seconds),
		cmocka_unit_test(test_a_window_below_a_second_steps_by_its_length),
		cmocka_unit_test(test_steps_end_where_history_begins),
		cmocka_unit_test(test_no_step_leads_beyond_the_newest),
		cmocka_unit_test(test_shorter_and_longer_keep_the_end),
		cmocka_unit_test(test_where_history_begins_a_window_grows_at_its_end),
		cmocka_unit_test(test_a_window_that_history_has_lost_is_none_to_shrink),
		cmocka_unit_test(test_what_was_dragged_over_is_one_range),
		cmocka_unit_test(test_a_chosen_range_is_cut_to_what_history_has),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
