/* Stretches of history as text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/clock.h"
#include "widgets/time_range.h"
#include "unit_tests.h"

#define MS CLOCK_NS_PER_MS

static char text[TIME_TEXT_BYTES];

/* 1000 s by the clock were 14:02:11. */
static const struct time_zero live = { .wall_offset_ns = 49531 * CLOCK_NS_PER_S };
static const struct time_zero recorded = { .is_replay = true, .begin_ns = 900 * CLOCK_NS_PER_S };

static void test_times_are_the_clocks_on_the_wall(void **state)
{
	const struct time_range ten = { 1000000 * MS, 1010000 * MS };
	const struct time_range ticks = { 1000350 * MS, 1000450 * MS };

	(void)state;
	assert_string_equal(time_text_range(text, &ten, &live), "14:02:11\u201314:02:21");
	assert_string_equal(time_text_range(text, &ticks, &live),
			    "14:02:11.350\u201314:02:11.450");
	assert_string_equal(time_text_ago(text, &ten, &live, 1202400 * MS), "\u22123 m 12 s");
	assert_string_equal(time_text_ago(text, &ten, &live, 1009000 * MS), "\u22120 ms");
}

static void test_exact_times_have_the_milliseconds_of_their_begin(void **state)
{
	const struct time_range ten = { 1000000 * MS, 1010000 * MS };
	struct time_zero exact = live, counted = recorded;

	(void)state;
	exact.is_exact = counted.is_exact = true;
	assert_string_equal(time_text_range(text, &ten, &exact), "14:02:11\u201314:02:21");
	exact.wall_offset_ns += 527 * MS + 100;
	assert_string_equal(time_text_range(text, &ten, &exact),
			    "14:02:11.527\u201314:02:21.527");
	exact.is_exact = false;
	assert_string_equal(time_text_range(text, &ten, &exact), "14:02:11\u201314:02:21");
	counted.begin_ns += 300 * MS;
	assert_string_equal(time_text_range(text, &ten, &counted), "1:39.700\u20131:49.700");
	assert_string_equal(time_text_ago(text, &ten, &counted, 1080700 * MS), "of 3:00.400");
}

static void test_times_of_a_recording_count_from_its_begin(void **state)
{
	const struct time_range ten = { 1000000 * MS, 1010000 * MS };
	const struct time_range late = { 4500000 * MS, 4510000 * MS };
	const struct time_range ticks = { 900050 * MS, 900100 * MS };

	(void)state;
	assert_string_equal(time_text_range(text, &ten, &recorded), "1:40\u20131:50");
	assert_string_equal(time_text_range(text, &late, &recorded), "1:00:00\u20131:00:10");
	assert_string_equal(time_text_range(text, &ticks, &recorded), "0:00.050\u20130:00.100");
	assert_string_equal(time_text_ago(text, &ten, &recorded, 1080700 * MS), "of 3:00");
	assert_string_equal(time_text_ago(text, &ticks, &recorded, 900509 * MS), "of 0:00.509");
}

UNIT_TESTS(test_time_text)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_times_are_the_clocks_on_the_wall),
		cmocka_unit_test(test_exact_times_have_the_milliseconds_of_their_begin),
		cmocka_unit_test(test_times_of_a_recording_count_from_its_begin),
	};

	setenv("TZ", "UTC0", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
