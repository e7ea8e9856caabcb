/* How busy the machine was: /proc/stat as text, and readings by hand. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#include "analyzer/busy.h"
#include "base/clock.h"
#include "unit_tests.h"

#define S 1000000000ull

static struct busy busy;

static int tear_down(void **state)
{
	(void)state;
	busy_finish(&busy);
	return 0;
}

/* user nice system idle iowait irq softirq steal guest guest_nice: guests are part of user. */
static void test_busy_is_all_but_idle_iowait_and_steal(void **state)
{
	uint64_t ticks, total;
	int64_t cpu;

	(void)state;
	assert_true(busy_parse("cpu  100 20 30 1000 50 6 4 90 80 10\ncpu0 1 2 3 4\n", &cpu, &ticks,
			       &total));
	assert_int_equal(cpu, -1);
	assert_int_equal(ticks, 100 + 20 + 30 + 6 + 4);
	assert_int_equal(total, 160 + 1000 + 50 + 90);
	assert_true(busy_parse("cpu12 100 20 30 1000 50 6 4 90 80 10\n", &cpu, &ticks, &total));
	assert_int_equal(cpu, 12);
	assert_int_equal(ticks, 160);
}

static void test_old_kernels_have_four_numbers(void **state)
{
	uint64_t ticks, total;
	int64_t cpu;

	(void)state;
	assert_true(busy_parse("cpu 1 2 3 4\n", &cpu, &ticks, &total));
	assert_int_equal(ticks, 6);
	assert_int_equal(total, 10);
}

static void test_other_lines_are_no_cpu(void **state)
{
	uint64_t ticks, total;
	int64_t cpu;

	(void)state;
	assert_false(busy_parse("", &cpu, &ticks, &total));
	assert_false(busy_parse("cpu  1 2 3", &cpu, &ticks, &total));
	assert_false(busy_parse("cpux 1 2 3 4\n", &cpu, &ticks, &total));
	assert_false(busy_parse("cpu-1 1 2 3 4\n", &cpu, &ticks, &total));
	assert_false(busy_parse("intr 1 2 3 4\n", &cpu, &ticks, &total));
}

/* One reading: of these ticks, none of them in a CPU's line. */
static void put(uint64_t time_ns, uint64_t busy_ticks, uint64_t total)
{
	char text[128];

	snprintf(text, sizeof(text), "cpu  %" PRIu64 " 0 0 %" PRIu64 "\nintr 1\n", busy_ticks,
		 total - busy_ticks);
	busy_add(&busy, time_ns, text);
}

/*   time   10   20   30
 *   busy    0   50   60
 *   total   0  100  200    from 10: 60 of 200; from 20: 10 of 100; 10 to 20: 50 of 100 */
static void test_the_share_is_of_the_readings_around_the_window(void **state)
{
	(void)state;
	assert_true(busy_pct(&busy, 0, UINT64_MAX) < 0);
	put(10 * S, 0, 0);
	assert_true(busy_pct(&busy, 0, UINT64_MAX) < 0);	/* one reading says nothing */
	put(20 * S, 50, 100);
	put(30 * S, 60, 200);
	assert_true(busy_pct(&busy, 10 * S, UINT64_MAX) == 30);
	assert_true(busy_pct(&busy, 20 * S, 30 * S) == 10);
	assert_true(busy_pct(&busy, 25 * S, 28 * S) == 10);	/* the readings around it */
	assert_true(busy_pct(&busy, 0, UINT64_MAX) == 30);	/* the oldest there is */
	assert_true(busy_pct(&busy, 99 * S, UINT64_MAX) == 10);	/* at least one step */
	assert_true(busy_pct(&busy, 10 * S, 20 * S) == 50);	/* a window that stands still */
	assert_true(busy_pct(&busy, 0, 5 * S) == 50);
}

/* Ten readings a second for 2,000 s: idle up to 900 s, then busy. */
static void test_old_readings_are_thinned_out_and_their_shares_stay(void **state)
{
	(void)state;
	for (uint64_t i = 0; i <= 20000; i++)
		put(i * S / 10, i < 9000 ? 0 : i - 9000, i);
	assert_in_range(busy.count, 1300, BUSY_POINTS - 1);
	assert_true(busy_pct(&busy, 1999 * S, UINT64_MAX) == 100);
	assert_true(busy_pct(&busy, 1995 * S, 1995 * S + S / 10) == 100);
	assert_true(busy_pct(&busy, 800 * S, 1000 * S) == 50);
	assert_true(busy_pct(&busy, 0, UINT64_MAX) == 55);	/* since start */
	assert_true(busy_pct(&busy, 899 * S, 900 * S) == 0);
	assert_true(busy_pct(&busy, 900 * S, 901 * S) == 100);
}

/* A day of one reading a second: what is longest ago makes room. */
static void test_the_oldest_readings_make_room(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < 86400; i++)
		put(i * S, i, i + 1);
	assert_in_range(busy.count, 1200, BUSY_POINTS);
	assert_int_equal(busy.points[busy.count - 1].time_ns, 86399 * S);
	assert_in_range(busy.points[0].time_ns / S, 86400 - 5 * 3600, 86400 - 4 * 3600);
}

/* iowait may run backwards (proc(5)): a share stays a share. */
static void test_counters_that_run_backwards_give_no_impossible_share(void **state)
{
	(void)state;
	put(1 * S, 100, 1000);
	put(2 * S, 200, 1050);
	assert_true(busy_pct(&busy, S, UINT64_MAX) == 100);
	put(3 * S, 190, 1150);
	assert_true(busy_pct(&busy, 2 * S, UINT64_MAX) == 0);
	put(4 * S, 190, 1150);
	assert_true(busy_pct(&busy, 3 * S, UINT64_MAX) < 0);	/* no time has passed */
}

/* cpu0: 10 of 100 busy, then 90 of 100.  cpu2: goes offline, and comes back. cpu1: never there. */
static void test_each_cpu_has_its_share_while_it_is_online(void **state)
{
	(void)state;
	busy_add(&busy, 1 * S, "cpu 0 0 0 0\ncpu0 1000 0 0 1000\ncpu2 500 0 0 500\nintr 1\n");
	busy_add(&busy, 2 * S, "cpu 9 0 0 9\ncpu0 1010 0 0 1090\ncpu2 580 0 0 520\nintr 1\n");
	busy_add(&busy, 3 * S, "cpu 9 9 0 9\ncpu0 1100 0 0 1100\nintr 1\n");
	assert_true(busy_cpu_pct(&busy, 0, 1 * S, 2 * S) == 10);
	assert_true(busy_cpu_pct(&busy, 0, 1 * S, 3 * S) == 50);
	assert_true(busy_cpu_pct(&busy, 0, 2 * S, 3 * S) == 90);
	assert_true(busy_cpu_pct(&busy, 2, 1 * S, 3 * S) == 80);	/* while it was there */
	assert_true(busy_cpu_pct(&busy, 2, 2 * S, 3 * S) < 0);
	assert_true(busy_cpu_pct(&busy, 1, 1 * S, 3 * S) < 0);
	assert_true(busy_cpu_pct(&busy, 99, 1 * S, 3 * S) < 0);
	busy_add(&busy, 4 * S, "cpu 9 9 9 9\ncpu0 1100 0 0 1200\ncpu2 580 0 0 620\n");
	assert_true(busy_cpu_pct(&busy, 2, 2 * S, 4 * S) == 0);
}

/* 32 bits of 10 ms are 497 days. */
static void test_cpus_that_went_offline_are_reported_once(void **state)
{
	(void)state;
	busy_add(&busy, 1 * S, "cpu 9 0 0 9\ncpu0 1 0 0 1\ncpu2 5 0 0 5\ncpu9 7 0 0 7\n");
	assert_int_equal(busy.gone_count, 0);
	busy_add(&busy, 2 * S, "cpu 9 0 0 9\ncpu0 2 0 0 2\ncpu2 6 0 0 5\n");
	busy_add(&busy, 3 * S, "cpu 9 0 0 9\ncpu0 2 0 0 3\ncpu9 8 0 0 7\n");
	busy_add(&busy, 4 * S, "cpu 9 0 0 9\ncpu0 2 0 0 4\ncpu2 6 0 0 5\n");
	assert_int_equal(busy.gone_count, 2);
	assert_int_equal(busy.gone[0], 9);
	assert_int_equal(busy.gone[1], 2);
}

static void test_a_cpu_may_be_up_for_years(void **state)
{
	(void)state;
	busy_add(&busy, 1 * S, "cpu 1 0 0 1\ncpu0 4294967290 0 0 0\n");
	busy_add(&busy, 2 * S, "cpu 2 0 0 2\ncpu0 4294967310 0 0 20\n");
	assert_true(busy_cpu_pct(&busy, 0, 1 * S, 2 * S) == 50);
}

static void test_every_second_is_due(void **state)
{
	(void)state;
	assert_int_equal(busy_due_ns(&busy), S);
	busy_read(&busy, 17 * S + 999);
	assert_int_equal(busy_due_ns(&busy), 18 * S);
	busy_read(&busy, 18 * S);
	assert_int_equal(busy_due_ns(&busy), 19 * S);
}

static void test_this_machine_can_be_read(void **state)
{
	(void)state;
	busy_read(&busy, clock_now_ns());
	assert_int_equal(busy.count, 1);
	assert_true(busy.points[0].busy > 0 && busy.points[0].total >= busy.points[0].busy);
	assert_true(busy.points[0].cpu_count > 0 && busy.points[0].cpus[0].total > 0);
}

#define TEST(function) cmocka_unit_test_teardown(function, tear_down)

static void test_what_was_stolen_counts_from_the_first_reading(void **state)
{
	const uint64_t tick_ns = CLOCK_NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK);

	(void)state;
	assert_int_equal(busy_stolen_ns(&busy), 0);
	busy_add(&busy, CLOCK_NS_PER_S, "cpu  1 2 3 4 5 6 7 100 0 0\n");
	assert_int_equal(busy_stolen_ns(&busy), 0);
	busy_add(&busy, 3 * CLOCK_NS_PER_S, "cpu  1 2 3 9 5 6 7 150 0 0\n");
	assert_int_equal(busy_stolen_ns(&busy), 50 * tick_ns);
}

UNIT_TESTS(test_busy)
{
	const struct CMUnitTest tests[] = {
		TEST(test_busy_is_all_but_idle_iowait_and_steal),
		TEST(test_old_kernels_have_four_numbers),
		TEST(test_other_lines_are_no_cpu),
		TEST(test_the_share_is_of_the_readings_around_the_window),
		TEST(test_old_readings_are_thinned_out_and_their_shares_stay),
		TEST(test_the_oldest_readings_make_room),
		TEST(test_counters_that_run_backwards_give_no_impossible_share),
		TEST(test_each_cpu_has_its_share_while_it_is_online),
		TEST(test_cpus_that_went_offline_are_reported_once),
		TEST(test_a_cpu_may_be_up_for_years),
		TEST(test_every_second_is_due),
		TEST(test_this_machine_can_be_read),
		TEST(test_what_was_stolen_counts_from_the_first_reading),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
