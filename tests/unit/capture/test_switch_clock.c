/* What becomes of waits whose times are known, and which of them have a stack. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "capture/switch_clock.h"
#include "unit_tests.h"

#define US 1000u
#define MS 1000000u
#define PID 40u

enum { A = 41, B };

static struct switch_clock clock;
static struct switch_due due;

static int set_up(void **state)
{
	(void)state;
	switch_clock_init(&clock, MS);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	switch_clock_finish(&clock);
	return 0;
}

static bool turn(enum switch_kind kind, uint32_t tid, uint64_t time_ns)
{
	memset(&due, 0, sizeof(due));
	return switch_clock_turn(&clock, kind, PID, tid, time_ns, &due);
}

/* Reads the stack of @tid from @begin_ns to @end_ns. False: it is not among those to be read. */
static bool read_stack(uint32_t tid, uint64_t begin_ns, uint64_t end_ns)
{
	for (uint32_t at = 0; at < clock.unread_count; at++) {
		struct switched_thread *thread = &clock.threads[clock.unread[at]];

		if (thread->tid != tid)
			continue;
		thread->stack.begin_ns = begin_ns;
		thread->stack.end_ns = end_ns;
		switch_clock_was_read(&clock, at);
		return true;
	}
	return false;
}

/* @tid waits from @out_ns to @in_ns, and is read in between. True: a record is due. */
static bool wait_read(uint32_t tid, uint64_t out_ns, uint64_t in_ns)
{
	assert_false(turn(SWITCH_OUT, tid, out_ns));
	assert_true(read_stack(tid, out_ns + 1, in_ns - 1));
	return turn(SWITCH_IN, tid, in_ns);
}

static bool wait_unread(uint32_t tid, uint64_t out_ns, uint64_t in_ns)
{
	assert_false(turn(SWITCH_OUT, tid, out_ns));
	return turn(SWITCH_IN, tid, in_ns);
}

static void expect_sums(uint64_t on_ns, uint64_t blocked_ns, uint64_t run_queue_ns,
			uint64_t unknown_ns)
{
	assert_int_equal(clock.counts.on_ns, on_ns);
	assert_int_equal(clock.counts.blocked_ns, blocked_ns);
	assert_int_equal(clock.counts.run_queue_ns, run_queue_ns);
	assert_int_equal(clock.counts.unknown_ns, unknown_ns);
}

/* ms   10    13       20    24      25
 *   A  in on out wait in on preempted in     on 3 + 4, blocked 7, run queue 1
 */
static void test_times_between_switches_are_of_one_kind_each(void **state)
{
	(void)state;
	assert_false(turn(SWITCH_IN, A, 10 * MS));
	assert_true(wait_read(A, 13 * MS, 20 * MS));
	assert_int_equal(due.weight_ns, 7 * MS);
	assert_int_equal(due.blocked_ns, 7 * MS);
	assert_true(due.has_stack);
	assert_false(turn(SWITCH_PREEMPTED, A, 24 * MS));
	assert_true(turn(SWITCH_IN, A, 25 * MS));
	assert_int_equal(due.weight_ns, MS);
	assert_int_equal(due.run_queue_ns, MS);
	assert_false(due.has_stack);
	expect_sums(7 * MS, 7 * MS, MS, 0);
	assert_int_equal(clock.counts.waits, 2);
}

/* The thread ran again before the read had ended: what was read is of its next wait, or of none. */
static void test_a_stack_that_was_read_too_late_is_not_the_waits(void **state)
{
	(void)state;
	turn(SWITCH_OUT, A, 10 * MS);
	assert_true(read_stack(A, 12 * MS, 14 * MS));
	assert_true(turn(SWITCH_IN, A, 13 * MS));
	assert_false(due.has_stack);
	turn(SWITCH_OUT, A, 20 * MS);
	assert_true(turn(SWITCH_IN, A, 22 * MS));
	assert_false(due.has_stack);		/* nor is it later */
	assert_true(wait_read(A, 30 * MS, 31 * MS));
	assert_true(due.has_stack);
}

/* Waits of 100 us have a sum of their own, and so have those of 300 us: the record of one has no
 * time of the other, nor of a long one. */
static void test_short_waits_stand_for_waits_of_their_length(void **state)
{
	(void)state;
	assert_false(wait_unread(A, 1000 * US, 1100 * US));
	assert_false(wait_unread(A, 2000 * US, 2300 * US));
	assert_false(wait_unread(A, 3000 * US, 3110 * US));
	assert_true(wait_read(A, 4000 * US, 4310 * US));
	assert_int_equal(due.weight_ns, 610 * US);
	assert_int_equal(due.blocked_ns, 310 * US);
	switch_clock_recorded(&clock, &due, true);
	assert_true(wait_read(A, 5000 * US, 7000 * US));
	assert_int_equal(due.weight_ns, 2000 * US);
	switch_clock_recorded(&clock, &due, true);
	assert_true(wait_read(A, 8000 * US, 8105 * US));
	assert_int_equal(due.weight_ns, 315 * US);
	switch_clock_recorded(&clock, &due, true);
	assert_int_equal(clock.counts.blocked_ns, clock.counts.recorded_ns);
	assert_int_equal(clock.counts.records, 3);
	assert_int_equal(clock.counts.stackless_ns, 0);
}

/* No read is fast enough for waits of 10 us: after 64 periods they are a record without a stack. */
static void test_waits_that_are_never_read_have_their_time(void **state)
{
	uint64_t recorded_ns = 0, time_ns = MS;

	(void)state;
	for (int i = 0; i < 10000; i++, time_ns += 20 * US) {
		if (!wait_unread(A, time_ns, time_ns + 10 * US))
			continue;
		assert_false(due.has_stack);
		assert_int_equal(due.weight_ns, 64 * MS);
		switch_clock_recorded(&clock, &due, true);
		recorded_ns += due.weight_ns;
	}
	assert_int_equal(recorded_ns, 64 * MS);
	assert_int_equal(clock.counts.stackless_ns, recorded_ns);
	assert_int_equal(clock.counts.blocked_ns, 100 * MS);
}

static void test_a_long_wait_that_was_not_read_is_a_record_without_a_stack(void **state)
{
	(void)state;
	assert_true(wait_unread(A, MS, 2 * MS));
	assert_int_equal(due.weight_ns, MS);
	assert_false(due.has_stack);
}

static void test_a_record_without_room_gives_its_time_to_the_next(void **state)
{
	(void)state;
	assert_true(wait_read(A, 10 * MS, 15 * MS));
	switch_clock_recorded(&clock, &due, false);
	assert_int_equal(clock.counts.records_refused, 1);
	assert_int_equal(clock.counts.recorded_ns, 0);
	assert_true(wait_read(A, 20 * MS, 22 * MS));
	assert_int_equal(due.weight_ns, 7 * MS);
	assert_int_equal(due.returned_ns, 5 * MS);
	assert_int_equal(due.blocked_ns, 2 * MS);
	switch_clock_recorded(&clock, &due, true);
	assert_int_equal(clock.counts.recorded_ns, 7 * MS);
}

/* Records were lost while A waited and B ran: what they did until their next switch is unknown. */
static void test_time_in_which_records_were_lost_is_unknown(void **state)
{
	(void)state;
	turn(SWITCH_IN, B, 10 * MS);
	turn(SWITCH_OUT, A, 11 * MS);
	switch_clock_lost(&clock);
	assert_false(turn(SWITCH_IN, A, 20 * MS));
	assert_false(turn(SWITCH_OUT, B, 21 * MS));
	expect_sums(0, 0, 0, (9 + 11) * MS);
	assert_false(turn(SWITCH_OUT, A, 22 * MS));
	assert_true(turn(SWITCH_IN, B, 24 * MS));
	expect_sums(2 * MS, 3 * MS, 0, 20 * MS);
}

/* Two switches in without one out: the time between is of no kind. */
static void test_a_switch_that_does_not_fit_makes_the_time_unknown(void **state)
{
	(void)state;
	turn(SWITCH_IN, A, 10 * MS);
	assert_false(turn(SWITCH_IN, A, 15 * MS));
	expect_sums(0, 0, 0, 5 * MS);
	assert_false(turn(SWITCH_OUT, A, 14 * MS));	/* it comes late */
	assert_false(turn(SWITCH_OUT, A, 16 * MS));
	expect_sums(MS, 0, 0, 5 * MS);
}

/* A waits since before the clock began; B was on a CPU all the time. */
static void test_threads_that_are_there_already_wait_or_run(void **state)
{
	(void)state;
	switch_clock_add(&clock, PID, A, 10 * MS);
	switch_clock_add(&clock, PID, B, 10 * MS);
	assert_int_equal(clock.unread_count, 2);
	assert_true(read_stack(A, 11 * MS, 12 * MS));
	assert_false(turn(SWITCH_OUT, B, 20 * MS));
	expect_sums(10 * MS, 0, 0, 0);
	assert_true(turn(SWITCH_IN, A, 25 * MS));
	assert_true(due.has_stack);
	assert_int_equal(due.weight_ns, 15 * MS);
	expect_sums(10 * MS, 15 * MS, 0, 0);
}

/* The number of a thread that has ended is another one's: it has no time of the first. */
static void test_a_thread_that_has_ended_is_gone(void **state)
{
	(void)state;
	turn(SWITCH_IN, A, 10 * MS);
	turn(SWITCH_OUT, B, 10 * MS);
	assert_false(turn(SWITCH_EXIT, A, 12 * MS));
	expect_sums(2 * MS, 0, 0, 0);
	assert_int_equal(clock.count, 1);
	assert_false(turn(SWITCH_IN, A, 30 * MS));
	expect_sums(2 * MS, 0, 0, 0);
	assert_true(read_stack(B, 11 * MS, 12 * MS));	/* its number is another one now */
	assert_true(turn(SWITCH_IN, B, 31 * MS));
	assert_true(due.has_stack);
	assert_int_equal(due.thread->tid, B);
	assert_false(turn(SWITCH_EXIT, 4711, 40 * MS));
}

/* As a zombie a thread leaves the CPU once more; another thread may have its number later. */
static void test_a_zombie_does_not_wait(void **state)
{
	(void)state;
	turn(SWITCH_IN, A, 10 * MS);
	turn(SWITCH_EXIT, A, 12 * MS);
	assert_false(turn(SWITCH_OUT, A, 13 * MS));
	assert_int_equal(clock.count + clock.unread_count, 0);
	turn(SWITCH_IN, B, 10 * MS);
	turn(SWITCH_EXIT, B, 12 * MS);
	turn(SWITCH_PREEMPTED, B, 13 * MS);
	turn(SWITCH_IN, B, 14 * MS);
	turn(SWITCH_OUT, B, 15 * MS);
	assert_int_equal(clock.count + clock.unread_count, 0);
	expect_sums(4 * MS, 0, 0, 0);
	turn(SWITCH_IN, A, 20 * MS);
	assert_true(wait_unread(A, 21 * MS, 31 * MS));
	expect_sums(5 * MS, 10 * MS, 0, 0);
}

/* Those to be read are the blocked ones whose stack may be read, each until it was read. */
static void test_threads_to_be_read_are_blocked_and_were_not_read(void **state)
{
	(void)state;
	turn(SWITCH_OUT, A, 10 * MS);
	turn(SWITCH_PREEMPTED, B, 10 * MS);
	assert_int_equal(clock.unread_count, 1);
	assert_true(read_stack(A, 11 * MS, 12 * MS));
	assert_false(read_stack(A, 13 * MS, 14 * MS));
	turn(SWITCH_IN, A, 20 * MS);
	switch_clock_refuse(&clock, switch_clock_find(&clock, A));
	turn(SWITCH_OUT, A, 21 * MS);
	turn(SWITCH_IN, B, 22 * MS);
	assert_int_equal(clock.unread_count, 0);
	turn(SWITCH_OUT, B, 23 * MS);
	assert_int_equal(clock.unread_count, 1);
	assert_true(turn(SWITCH_IN, A, 24 * MS));
	assert_false(due.has_stack);
}

/* Against a model of each thread by itself: all of its time is of some kind. */
static void test_sums_of_many_threads_are_the_time_that_passed(void **state)
{
	enum { THREADS = 300, TURNS = 40 };
	uint64_t time_ns = MS, first_ns[THREADS], sum_ns = 0;

	(void)state;
	for (uint32_t i = 0; i < THREADS * TURNS; i++) {
		const uint32_t number = i * 7 % THREADS;	/* each once in THREADS turns */
		const bool is_in = i / THREADS % 2;

		time_ns += 1 + i * 2654435761u % 50000;
		if (i < THREADS)
			first_ns[number] = time_ns;
		if (turn(is_in ? SWITCH_IN : i % 3 ? SWITCH_OUT : SWITCH_PREEMPTED, number + 1,
			 time_ns))
			switch_clock_recorded(&clock, &due, i % 5);
		if (i >= THREADS * (TURNS - 1))
			sum_ns += time_ns - first_ns[number];
	}
	assert_int_equal(clock.count, THREADS);
	assert_int_equal(clock.counts.on_ns + clock.counts.blocked_ns + clock.counts.run_queue_ns,
			 sum_ns);
	assert_int_equal(clock.counts.unknown_ns, 0);
	for (uint32_t i = 0; i < THREADS; i++)
		turn(SWITCH_EXIT, i + 1, time_ns);
	assert_int_equal(clock.count + clock.unread_count, 0);
}

UNIT_TESTS(test_switch_clock)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(test_times_between_switches_are_of_one_kind_each),
		TEST(test_a_stack_that_was_read_too_late_is_not_the_waits),
		TEST(test_short_waits_stand_for_waits_of_their_length),
		TEST(test_waits_that_are_never_read_have_their_time),
		TEST(test_a_long_wait_that_was_not_read_is_a_record_without_a_stack),
		TEST(test_a_record_without_room_gives_its_time_to_the_next),
		TEST(test_time_in_which_records_were_lost_is_unknown),
		TEST(test_a_switch_that_does_not_fit_makes_the_time_unknown),
		TEST(test_threads_that_are_there_already_wait_or_run),
		TEST(test_a_thread_that_has_ended_is_gone),
		TEST(test_a_zombie_does_not_wait),
		TEST(test_threads_to_be_read_are_blocked_and_were_not_read),
		TEST(test_sums_of_many_threads_are_the_time_that_passed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
