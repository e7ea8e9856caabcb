/* The load of the last seconds, from readings and from slices by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "analyzer/activity.h"
#include "unit_tests.h"

#define S 1000000000ull
#define TENTH (S / 10)

static struct busy busy;
static struct activity activity;
static struct timeline timeline;

static int set_up(void **state)
{
	(void)state;
	return timeline_init(&timeline, 2);
}

static int tear_down(void **state)
{
	(void)state;
	busy_finish(&busy);
	timeline_finish(&timeline);
	return 0;
}

static void put_busy(uint64_t tenth, unsigned int ticks, unsigned int idle)
{
	char text[64];

	snprintf(text, sizeof(text), "cpu %u 0 0 %u\n", ticks, idle);
	busy_add(&busy, tenth * TENTH, text);
}

static void assert_points(const float *expected, uint32_t count)
{
	assert_int_equal(activity.count, count);
	for (uint32_t i = 0; i < count; i++)
		if (fabsf(activity.points[i] - expected[i]) > 0.01f)
			fail_msg("point %u is %f, not %f", i, activity.points[i], expected[i]);
}

/*   reading at   10.3   10.9   11.0   12.0   15.0   15.4
 *   busy/all     0/0    9/10   20/40  30/80  60/180 60/999
 *   tells of                   10     11     12..14 -        the first reading of its second */
static void test_busy_has_a_point_for_each_second(void **state)
{
	const float expected[] = { 50, 25, 30, 30, 30 };

	(void)state;
	put_busy(103, 0, 0);
	put_busy(109, 9, 1);
	put_busy(110, 20, 20);
	put_busy(120, 30, 50);
	put_busy(150, 60, 120);
	put_busy(154, 60, 939);
	activity_from_busy(&activity, &busy);
	assert_int_equal(activity.kind, ACTIVITY_BUSY);
	assert_true(activity.step_s == 1);
	assert_points(expected, 5);
	assert_true(activity.end_ns == 15 * S);
}

static void test_one_reading_makes_no_activity_graph(void **state)
{
	(void)state;
	activity_from_busy(&activity, &busy);
	assert_int_equal(activity.count, 0);
	put_busy(103, 0, 0);
	put_busy(105, 1, 1);
	activity_from_busy(&activity, &busy);
	assert_int_equal(activity.count, 0);
}

/* Idle for 2,000 s, then busy for ten. */
static void test_busy_shows_the_last_seconds(void **state)
{
	(void)state;
	for (unsigned int i = 0; i <= 20100; i++)
		put_busy(i, i > 20000 ? i - 20000 : 0, i > 20000 ? 20000 : i);
	activity_from_busy(&activity, &busy);
	assert_int_equal(activity.count, ACTIVITY_POINTS);
	for (uint32_t i = 0; i < ACTIVITY_POINTS; i++)
		assert_true(activity.points[i] == (i < ACTIVITY_POINTS - 10 ? 0 : 100));
}

static void put_samples(uint64_t tenth, uint8_t event, uint32_t count)
{
	const struct slice_entry entry = { .count = count, .event = event, .weight = 1 };

	assert_int_equal(timeline_add(&timeline, tenth * TENTH, &entry, NULL), 0);
	tick_totals_add(&timeline.totals, event, tenth * TENTH, count, true);
}

static void make_rate(uint64_t begin_tenth, uint64_t end_tenth, uint32_t event, bool is_whole)
{
	const struct activity_span span = {
		.begin_ns = begin_tenth * TENTH, .end_ns = end_tenth * TENTH, .event = event,
		.is_whole = is_whole,
	};

	assert_int_equal(timeline_cut(&timeline, end_tenth * TENTH), 0);
	activity_from_timeline(&activity, &timeline, &span);
	assert_int_equal(activity.kind, ACTIVITY_RATE);
}

/*   from 10.5 on: 40 in the rest of second 10, 30 in 11, none in 12, 7 in 13 so far (13.6) */
static void test_rates_are_of_whole_seconds_of_the_event(void **state)
{
	const float expected[] = { 80, 30, 0 }, other[] = { 2, 0, 0 };

	(void)state;
	put_samples(106, 0, 40);
	put_samples(107, 1, 1);
	put_samples(110, 0, 10);
	assert_int_equal(timeline_cut(&timeline, 112 * TENTH), 0);	/* a refresh */
	put_samples(119, 0, 20);
	put_samples(131, 0, 7);
	make_rate(105, 136, 0, false);
	assert_points(expected, 3);
	assert_true(activity.end_ns == 13 * S);
	make_rate(105, 136, 1, false);
	assert_points(other, 3);
}

static void test_nothing_is_known_of_the_first_moments(void **state)
{
	(void)state;
	make_rate(105, 105, 0, false);
	assert_int_equal(activity.count, 0);
	put_samples(106, 0, 1);
	make_rate(105, 109, 0, false);
	assert_int_equal(activity.count, 0);
	make_rate(105, 109, 0, true);	/* all of a recording */
	assert_points((const float[]){ 2.5f }, 1);
	assert_true(activity.end_ns == 11 * S);
}

/* 20 s of 30 samples a second, 100 s of ten, rolled up to 60 s: 120..180 holds 1,000. */
static void put_rolled_up(void)
{
	for (uint64_t second = 120; second < 240; second++) {
		put_samples(second * 10, 0, second < 140 ? 30 : 10);
		put_samples(second * 10 + 5, 1, 5);
	}
	put_samples(10000, 0, 0);
	timeline_roll_up(&timeline, 1000 * S);
}

static void test_rolled_up_seconds_keep_their_points(void **state)
{
	(void)state;
	put_rolled_up();
	make_rate(1200, 2400, 0, true);
	assert_int_equal(activity.count, 120);
	for (uint32_t i = 0; i < 120; i++)
		assert_true(activity.points[i] == (i < 20 ? 30 : 10));
}

/* 1,500 s make points of two: of so long ago only the slices tell, spread evenly. */
static void test_rolled_up_slices_are_spread_evenly(void **state)
{
	(void)state;
	put_rolled_up();
	make_rate(1200, 16200, 0, true);
	assert_true(activity.step_s == 2);
	assert_int_equal(activity.count, 750);
	for (uint32_t i = 0; i < 60; i++)
		assert_true(fabs(activity.points[i] - (i < 30 ? 1000 / 60.0 : 10)) < 0.5);
	activity_heat(&activity, &timeline, &(struct activity_span){ .end_ns = UINT64_MAX });
	assert_false(activity.has_heat);
}

/* 10 a second for 3,000 s: 3 s a point; from 1000.0 on, which is no multiple of 3. */
static void test_a_whole_recording_fits(void **state)
{
	(void)state;
	for (uint64_t second = 1000; second < 4000; second++)
		put_samples(second * 10, 0, 10);
	make_rate(10000, 40000, 0, true);
	assert_true(activity.step_s == 3);
	assert_int_equal(activity.count, 1001);
	for (uint32_t i = 0; i < activity.count; i++)
		assert_true(fabsf(activity.points[i] - 10) < 0.01f);
	make_rate(10000, 40000, 0, false);	/* live: the last seconds */
	assert_true(activity.step_s == 1);
	assert_int_equal(activity.count, ACTIVITY_POINTS);
	assert_true(activity.points[0] == 10 && activity.points[ACTIVITY_POINTS - 1] == 10);
}

/* A damaged recording: one sample at the beginning of time, one at its end. */
static void test_times_of_any_size_make_an_activity_graph(void **state)
{
	const struct slice_entry entry = { .count = 1, .weight = 1 };
	const struct activity_span span = { .begin_ns = 1, .end_ns = UINT64_MAX - 1,
					 .is_whole = true };
	double samples = 0;

	(void)state;
	assert_int_equal(timeline_add(&timeline, 1, &entry, NULL), 0);
	assert_int_equal(timeline_add(&timeline, UINT64_MAX - 2, &entry, NULL), 0);
	assert_int_equal(timeline_cut(&timeline, UINT64_MAX - 1), 0);
	activity_from_timeline(&activity, &timeline, &span);
	assert_in_range(activity.count, ACTIVITY_POINTS / 2, ACTIVITY_POINTS);
	for (uint32_t i = 0; i < activity.count; i++) {
		assert_true(isfinite(activity.points[i]) && activity.points[i] >= 0);
		samples += activity.points[i] * activity.step_s;
	}
	assert_true(activity.points[0] > 0 && activity.points[activity.count - 1] > 0);
	assert_true(samples > 1.9);	/* the last point is of less than a step */
}

/*   known from 10.52 to 12.98; 3 samples at 10.6, 5 idle ones at 11.2, 7 at 11.95, 1 at 12.95 */
static void test_heat_is_of_each_50_ms(void **state)
{
	const struct activity_span span = { .begin_ns = 1052 * S / 100, .end_ns = 1298 * S / 100 };
	float expected[3 * HEAT_ROWS] = { [12] = 3, [20 + 19] = 7, [40 + 19] = -1 };

	(void)state;
	for (uint32_t tick = 0; tick < 10; tick++)
		expected[tick] = -1;
	put_samples(106, 0, 3);
	tick_totals_add(&timeline.totals, 0, 112 * TENTH, 5, false);
	tick_totals_add(&timeline.totals, 0, 1195 * S / 100, 7, true);
	tick_totals_add(&timeline.totals, 0, 1295 * S / 100, 1, true);
	tick_totals_add(&timeline.totals, 1, 11 * S, 9, true);
	activity.step_s = 1;
	activity.count = 3;
	activity.end_ns = 13 * S;
	activity_heat(&activity, &timeline, &span);
	assert_true(activity.has_heat);
	assert_true(activity.heat_most == 7);
	for (uint32_t i = 0; i < 3 * HEAT_ROWS; i++)
		if (activity.heat[i] != expected[i])
			fail_msg("tick %u is %f, not %f", i, activity.heat[i], expected[i]);
}

/* What was evicted is not known, whatever the totals of its minute still say. */
static void test_heat_goes_with_the_history(void **state)
{
	const struct activity_span span = { .begin_ns = 0, .end_ns = 1000 * S };
	struct activity_span left = span;

	(void)state;
	for (uint64_t second = 100; second < 300; second++)
		put_samples(second * 10, 0, 2);
	make_rate(1000, 3000, 0, false);
	activity_heat(&activity, &timeline, &span);
	assert_true(activity.heat[0] == 2 && activity.heat[1] == 0);
	while (timeline.evicted_until_ns < 200 * S)
		assert_true(timeline_evict_oldest(&timeline));
	assert_int_equal(tick_totals_second(&timeline.totals, 0, 100), 0);
	left.begin_ns = timeline.evicted_until_ns;
	activity_heat(&activity, &timeline, &left);
	for (uint32_t i = 0; i < activity.count * HEAT_ROWS; i++)
		assert_true(activity.heat[i] == (i < 100 * HEAT_ROWS ? -1 : i % HEAT_ROWS ? 0 : 2));
	timeline_finish(&timeline);
	assert_int_equal(timeline.totals.bytes, 0);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

UNIT_TESTS(test_activity)
{
	const struct CMUnitTest tests[] = {
		TEST(test_busy_has_a_point_for_each_second),
		TEST(test_one_reading_makes_no_activity_graph),
		TEST(test_busy_shows_the_last_seconds),
		TEST(test_rates_are_of_whole_seconds_of_the_event),
		TEST(test_nothing_is_known_of_the_first_moments),
		TEST(test_rolled_up_seconds_keep_their_points),
		TEST(test_heat_is_of_each_50_ms),
		TEST(test_heat_goes_with_the_history),
		TEST(test_rolled_up_slices_are_spread_evenly),
		TEST(test_a_whole_recording_fits),
		TEST(test_times_of_any_size_make_an_activity_graph),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
