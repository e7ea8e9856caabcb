/* How busy the machine was: /proc/stat as text, and readings by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "model/busy.h"

/* user nice system idle iowait irq softirq steal guest guest_nice: guests are part of user. */
static void test_busy_is_all_but_idle_iowait_and_steal(void **state)
{
	uint64_t busy, total;

	(void)state;
	assert_true(busy_parse("cpu  100 20 30 1000 50 6 4 90 80 10\ncpu0 1 2 3 4\n", &busy,
			       &total));
	assert_int_equal(busy, 100 + 20 + 30 + 6 + 4);
	assert_int_equal(total, 160 + 1000 + 50 + 90);
}

static void test_old_kernels_have_four_figures(void **state)
{
	uint64_t busy, total;

	(void)state;
	assert_true(busy_parse("cpu 1 2 3 4\n", &busy, &total));
	assert_int_equal(busy, 6);
	assert_int_equal(total, 10);
}

static void test_only_the_line_of_all_cpus_counts(void **state)
{
	uint64_t busy, total;

	(void)state;
	assert_false(busy_parse("", &busy, &total));
	assert_false(busy_parse("cpu  1 2 3", &busy, &total));
	assert_false(busy_parse("cpu0 1 2 3 4 5\n", &busy, &total));
	assert_false(busy_parse("intr 1 2 3 4\n", &busy, &total));
}

static void put(struct busy *busy, uint64_t time_ns, uint64_t busy_ticks, uint64_t total)
{
	busy->points[busy->count++ % BUSY_POINTS] = (struct busy_point){
		.time_ns = time_ns, .busy = busy_ticks, .total = total,
	};
}

/*   time   10   20   30
 *   busy    0   50   60
 *   total   0  100  200    from 10: 60 of 200; from 20: 10 of 100 */
static void test_the_share_is_of_the_window(void **state)
{
	static struct busy busy;

	(void)state;
	memset(&busy, 0, sizeof(busy));
	assert_true(busy_pct(&busy, 0) < 0);
	put(&busy, 10, 0, 0);
	assert_true(busy_pct(&busy, 0) < 0);	/* one reading says nothing */
	put(&busy, 20, 50, 100);
	put(&busy, 30, 60, 200);
	assert_true(busy_pct(&busy, 10) == 30);
	assert_true(busy_pct(&busy, 20) == 10);
	assert_true(busy_pct(&busy, 25) == 10);	/* the reading before */
	assert_true(busy_pct(&busy, 0) == 30);	/* the oldest there is */
	assert_true(busy_pct(&busy, 99) == 10);	/* at least one step */
}

static void test_the_oldest_readings_make_room(void **state)
{
	static struct busy busy;

	(void)state;
	memset(&busy, 0, sizeof(busy));
	for (uint64_t i = 0; i < 1000; i++)	/* idle up to 900, then busy */
		put(&busy, i, i < 900 ? 0 : i - 900, i);
	assert_true(busy_pct(&busy, 998) == 100);
	/* 128 readings reach back to 872: 99 of 127 */
	assert_true(busy_pct(&busy, 0) > 77.9 && busy_pct(&busy, 0) < 78);
}

/* iowait may run backwards (proc(5)): a share stays a share. */
static void test_counters_that_run_backwards_give_no_impossible_share(void **state)
{
	static struct busy busy;

	(void)state;
	memset(&busy, 0, sizeof(busy));
	put(&busy, 1, 100, 1000);
	put(&busy, 2, 200, 1050);
	assert_true(busy_pct(&busy, 1) == 100);
	memset(&busy, 0, sizeof(busy));
	put(&busy, 1, 100, 1000);
	put(&busy, 2, 90, 1100);
	assert_true(busy_pct(&busy, 1) == 0);
	put(&busy, 3, 90, 1100);
	assert_true(busy_pct(&busy, 2) < 0);	/* no time has passed */
}

static void test_this_machine_can_be_read(void **state)
{
	static struct busy busy;

	(void)state;
	memset(&busy, 0, sizeof(busy));
	busy_read(&busy, clock_now_ns());
	assert_int_equal(busy.count, 1);
	assert_true(busy.points[0].busy > 0 && busy.points[0].total >= busy.points[0].busy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_busy_is_all_but_idle_iowait_and_steal),
		cmocka_unit_test(test_old_kernels_have_four_figures),
		cmocka_unit_test(test_only_the_line_of_all_cpus_counts),
		cmocka_unit_test(test_the_share_is_of_the_window),
		cmocka_unit_test(test_the_oldest_readings_make_room),
		cmocka_unit_test(test_counters_that_run_backwards_give_no_impossible_share),
		cmocka_unit_test(test_this_machine_can_be_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
