/* Which cell stands for which time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "ui/widgets/activity_graph.h"
#include "unit_tests.h"

#define MS CLOCK_NS_PER_MS
#define S  CLOCK_NS_PER_S

static const struct time_scale activity = { 1, 2, 10, 1, 100 * (int64_t)S, S, 0 };
static const struct time_scale heat = { 8, 2, 10, 5, 100 * (int64_t)S, S, 200 * MS };

static void expect_cell(const struct time_scale *scale, int x, int y, uint64_t begin_ms,
			uint64_t end_ms)
{
	const struct time_range got = time_scale_cell(scale, x, y);

	assert_int_equal(got.begin_ns, begin_ms * MS);
	assert_int_equal(got.end_ns, end_ms * MS);
}

static void test_a_column_of_the_activity_graph_is_a_second(void **state)
{
	(void)state;
	expect_cell(&activity, 1, 2, 100000, 101000);
	expect_cell(&activity, 10, 2, 109000, 110000);
	expect_cell(&activity, 0, 2, 100000, 101000);	/* dragged beyond its edges */
	expect_cell(&activity, 40, 9, 109000, 110000);
}

static void test_a_line_of_the_heat_map_is_a_part_of_it(void **state)
{
	(void)state;
	expect_cell(&heat, 8, 2, 100000, 100200);
	expect_cell(&heat, 8, 6, 100800, 101000);
	expect_cell(&heat, 9, 3, 101200, 101400);
	expect_cell(&heat, 9, 0, 101000, 101200);
	expect_cell(&heat, 9, 60, 101800, 102000);
}

static void test_before_the_first_time_there_is_none(void **state)
{
	const struct time_scale early = { 0, 0, 10, 1, -5 * (int64_t)S, S, 0 };
	const struct time_scale none = { .width = 0 };

	(void)state;
	expect_cell(&early, 4, 0, 0, 0);
	expect_cell(&early, 5, 0, 0, 1000);
	expect_cell(&none, 5, 0, 0, 0);
}

static void test_a_time_has_its_column_inside_or_not(void **state)
{
	(void)state;
	assert_int_equal(time_scale_column(&activity, 100 * S), 0);
	assert_int_equal(time_scale_column(&activity, 101 * S - 1), 0);
	assert_int_equal(time_scale_column(&activity, 101 * S), 1);
	assert_int_equal(time_scale_column(&activity, 100 * S - 1), -1);
	assert_int_equal(time_scale_column(&activity, 99 * S), -1);
	assert_int_equal(time_scale_column(&activity, 99 * S - 1), -2);
	assert_int_equal(time_scale_column(&activity, 120 * S), 20);
}

UNIT_TESTS(test_time_scale)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_column_of_the_activity_graph_is_a_second),
		cmocka_unit_test(test_a_line_of_the_heat_map_is_a_part_of_it),
		cmocka_unit_test(test_before_the_first_time_there_is_none),
		cmocka_unit_test(test_a_time_has_its_column_inside_or_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
