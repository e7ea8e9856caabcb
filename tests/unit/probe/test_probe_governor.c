/* test_probe_governor.c - what a probe may cost: known loads against the cap. */
#include "probe/probe_governor.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "base/clock.h"
#include "unit_tests.h"

#define TICK_NS (100 * CLOCK_NS_PER_MS)

/* When a load of @pct of one CPU is stopped, in ticks; 0: not within @ticks. */
static int ticks_until_stopped(double cap_pct, double pct, int ticks)
{
	struct governor_account account;
	uint64_t now_ns = 1000;

	governor_open(&account, cap_pct, now_ns);
	for (int i = 1; i <= ticks; i++) {
		now_ns += TICK_NS;
		if (!governor_take(&account, pct / 100 * (double)TICK_NS, now_ns))
			return i;
	}
	return 0;
}

/* 5 % fill 5 ms a tick, the account holds 50 ms; 100 % take 100 ms a tick. */
static void test_a_tight_loop_is_stopped_by_the_first_look(void **state)
{
	(void)state;
	assert_int_equal(ticks_until_stopped(5, 100, 100), 1);
}

/* 20 % take 20 ms a tick and 5 come back, but for the first, when it is full: 30, 15, 0. */
static void test_four_times_the_cap_is_stopped_within_a_second(void **state)
{
	(void)state;
	assert_int_equal(ticks_until_stopped(5, 20, 100), 3);
}

static void test_a_load_below_the_cap_is_never_stopped(void **state)
{
	(void)state;
	assert_int_equal(ticks_until_stopped(5, 4.9, 100000), 0);
}

static void test_without_a_cap_nothing_is_stopped(void **state)
{
	(void)state;
	assert_int_equal(ticks_until_stopped(INFINITY, 10000, 100), 0);
}

static void test_a_burst_of_a_moment_is_let_through(void **state)
{
	struct governor_account account;
	uint64_t now_ns = 1000;

	(void)state;
	governor_open(&account, 5, now_ns);
	for (int i = 0; i < 100; i++) {		/* 40 ms at once, each 10 s: 0.4 % */
		now_ns += 10 * CLOCK_NS_PER_S;
		assert_true(governor_take(&account, 40e6, now_ns));
	}
}

static void test_the_meter_shows_a_steady_rate(void **state)
{
	struct governor_meter meter;
	uint64_t now_ns = 1000, hits = 500;

	(void)state;
	governor_meter_start(&meter, hits, now_ns);
	for (int i = 0; i < 50; i++) {
		now_ns += TICK_NS;
		hits += 123;
		assert_int_equal(governor_meter_read(&meter, hits, now_ns), 123);
	}
	assert_true(meter.hits_per_s > 1229 && meter.hits_per_s < 1231);
}

static void test_the_meter_takes_no_count_that_falls(void **state)
{
	struct governor_meter meter;

	(void)state;
	governor_meter_start(&meter, 500, 1000);
	assert_int_equal(governor_meter_read(&meter, 400, 1000 + TICK_NS), 0);
	assert_int_equal(governor_meter_read(&meter, 501, 1000 + 2 * TICK_NS), 1);
}

UNIT_TESTS(test_probe_governor)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_tight_loop_is_stopped_by_the_first_look),
		cmocka_unit_test(test_four_times_the_cap_is_stopped_within_a_second),
		cmocka_unit_test(test_a_load_below_the_cap_is_never_stopped),
		cmocka_unit_test(test_without_a_cap_nothing_is_stopped),
		cmocka_unit_test(test_a_burst_of_a_moment_is_let_through),
		cmocka_unit_test(test_the_meter_shows_a_steady_rate),
		cmocka_unit_test(test_the_meter_takes_no_count_that_falls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
