/* Two CPUs, a tick each millisecond and CPU; how much of the time has none? */
#include "ingest/losses.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "capture/event.h"
#include "unit_tests.h"

#define MS   CLOCK_NS_PER_MS
#define CPUS 2

static const struct event_desc cycles = { .name = "cycles" }, clock_event = { .name = "cpu-clock" };
static const struct event_desc user_clock = { .name = "cpu-clock:u" };
static struct clock_ticks ticks;

static void begin(const struct event_desc *second, uint64_t missing_ns, struct clock_gaps gaps)
{
	const struct event_desc *events[] = { &cycles, second };

	clock_ticks_begin(&ticks, events, 2, CPUS, missing_ns, gaps);
}

/* @count CPUs tick in each millisecond from @from_ms to before @to_ms. */
static void tick(uint64_t from_ms, uint64_t to_ms, uint32_t count)
{
	for (uint64_t at = from_ms; at < to_ms; at++)
		for (uint32_t cpu = 0; cpu < count; cpu++)
			clock_ticks_add(&ticks, 1, at * MS, MS);
}

static const struct clock_gaps no_gaps;

static void test_nothing_is_missing_while_every_cpu_ticks(void **state)
{
	(void)state;
	begin(&clock_event, 0, no_gaps);
	tick(1000, 2000, CPUS);
	assert_int_equal(clock_ticks_missing_ns(&ticks, 2000 * MS, no_gaps), 0);
}

/* One of the two for a second; but for the ticks that may be under way. */
static void test_what_a_cpu_did_not_tick_is_missing(void **state)
{
	(void)state;
	begin(&clock_event, 0, no_gaps);
	tick(1000, 2000, CPUS);
	tick(2000, 3000, 1);
	assert_int_equal(clock_ticks_missing_ns(&ticks, 3000 * MS, no_gaps), (1000 - CPUS) * MS);
}

static void test_what_has_another_cause_is_not_missing_besides(void **state)
{
	const struct clock_gaps before = { .throttled_ns = 70 * MS, .lost = 7 };
	const struct clock_gaps gaps = { .throttled_ns = 370 * MS, .lost = 207 };

	(void)state;
	begin(&clock_event, 0, before);
	tick(1000, 2000, CPUS);
	tick(2000, 3000, 1);
	assert_int_equal(clock_ticks_missing_ns(&ticks, 3000 * MS, gaps), (500 - CPUS) * MS);
}

static void test_another_source_adds_to_what_was_missing(void **state)
{
	(void)state;
	begin(&clock_event, 40 * MS, no_gaps);
	assert_int_equal(clock_ticks_missing_ns(&ticks, 900 * MS, no_gaps), 40 * MS);
	tick(1000, 2000, 1);
	assert_int_equal(clock_ticks_missing_ns(&ticks, 2000 * MS, no_gaps), (1040 - CPUS) * MS);
}

/* When all samples of before @until_ms have come. */
static void count(uint64_t at_ms, uint64_t total_ms, uint64_t until_ms)
{
	const struct queue_counted counted = { total_ms * MS, at_ms * MS, 2 };

	clock_ticks_count(&ticks, 1, &counted, until_ms * MS);
}

static void begin_tasks(void)
{
	const struct event_desc *events[] = { &cycles, &clock_event };

	clock_ticks_begin(&ticks, events, 2, 0, 0, no_gaps);
}

/* Two descriptors: each may be a tick late. */
static void test_what_tasks_ran_without_a_tick_is_missing(void **state)
{
	(void)state;
	begin_tasks();
	tick(1000, 2000, 1);
	count(2000, 1300, 1900);
	assert_int_equal(clock_ticks_missing_ns(&ticks, 2000 * MS, no_gaps), 298 * MS);
	tick(2000, 3000, 1);
	count(3000, 2300, 2700);
	assert_int_equal(clock_ticks_missing_ns(&ticks, 3000 * MS, no_gaps), 298 * MS);
}

/* It is read before the last samples of its time have come, and known late. */
static void test_a_count_is_compared_with_the_samples_of_its_time(void **state)
{
	(void)state;
	begin_tasks();
	tick(1000, 1900, 1);
	count(2000, 1300, 1900);
	assert_int_equal(clock_ticks_missing_ns(&ticks, 1900 * MS, no_gaps), 0);
	tick(1900, 2700, 1);
	assert_int_equal(clock_ticks_missing_ns(&ticks, 2700 * MS, no_gaps), 298 * MS);
	count(3000, 2300, 2700);
	assert_int_equal(clock_ticks_missing_ns(&ticks, 2700 * MS, no_gaps), 298 * MS);
}

/* The reader is late: samples of the first count's time still wait. */
static void test_a_count_is_not_used_before_the_samples_of_its_time(void **state)
{
	(void)state;
	begin_tasks();
	tick(1000, 1100, 1);
	count(2000, 1300, 1100);
	count(3000, 2300, 1100);
	assert_false(clock_ticks_is_known(&ticks, 1100 * MS));
	assert_int_equal(clock_ticks_missing_ns(&ticks, 1100 * MS, no_gaps), 0);
	tick(1100, 2001, 1);
	assert_true(clock_ticks_is_known(&ticks, 2000 * MS));
	assert_int_equal(clock_ticks_missing_ns(&ticks, 2000 * MS, no_gaps), 298 * MS);
}

static void test_the_last_count_is_used_at_the_end(void **state)
{
	(void)state;
	begin_tasks();
	tick(1000, 1100, 1);
	count(1300, 300, 1100);
	clock_ticks_end(&ticks);
	assert_int_equal(clock_ticks_missing_ns(&ticks, 1100 * MS, no_gaps), 198 * MS);
}

/* Samples that CPUs lacked while they may have been idle are not counted for the tasks. */
static void test_tasks_after_whole_cpus_are_told_apart(void **state)
{
	(void)state;
	begin(&clock_event, 0, no_gaps);
	tick(1000, 2000, 1);
	clock_ticks_begin(&ticks, (const struct event_desc *const[]){ &clock_event }, 1, 0,
			  clock_ticks_missing_ns(&ticks, 2000 * MS, no_gaps), no_gaps);
	assert_true(ticks.is_mixed);
	begin(&clock_event, 5 * MS, no_gaps);
	assert_false(ticks.is_mixed);
	begin_tasks();
	assert_false(ticks.is_mixed);
}

/* Each of a thousand tasks ran for less than a tick. */
static void test_tasks_without_any_tick_are_missing(void **state)
{
	(void)state;
	begin_tasks();
	count(2000, 700, 1900);
	assert_int_equal(clock_ticks_missing_ns(&ticks, 2000 * MS, no_gaps), 700 * MS);
}

/* A counter stands still while a CPU is idle, a clock of user code in the kernel; of tasks it is
 * not known how long they ran before the kernel's count has come. */
static void test_of_what_is_not_to_tick_always_nothing_is_claimed(void **state)
{
	const struct event_desc *events[] = { &cycles, &clock_event };

	(void)state;
	begin(&user_clock, 0, no_gaps);
	tick(1000, 2000, 1);
	assert_false(ticks.has_clock);
	assert_int_equal(clock_ticks_missing_ns(&ticks, 9000 * MS, no_gaps), 0);
	clock_ticks_begin(&ticks, events, 2, 0, 0, no_gaps);
	tick(1000, 2000, 1);
	assert_int_equal(clock_ticks_missing_ns(&ticks, 9000 * MS, no_gaps), 0);
}

UNIT_TESTS(test_clock_ticks)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing_is_missing_while_every_cpu_ticks),
		cmocka_unit_test(test_what_a_cpu_did_not_tick_is_missing),
		cmocka_unit_test(test_what_has_another_cause_is_not_missing_besides),
		cmocka_unit_test(test_another_source_adds_to_what_was_missing),
		cmocka_unit_test(test_what_tasks_ran_without_a_tick_is_missing),
		cmocka_unit_test(test_a_count_is_compared_with_the_samples_of_its_time),
		cmocka_unit_test(test_a_count_is_not_used_before_the_samples_of_its_time),
		cmocka_unit_test(test_the_last_count_is_used_at_the_end),
		cmocka_unit_test(test_tasks_after_whole_cpus_are_told_apart),
		cmocka_unit_test(test_tasks_without_any_tick_are_missing),
		cmocka_unit_test(test_of_what_is_not_to_tick_always_nothing_is_claimed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
