/* Which return belongs to which entry: stacks by hand, and a random thread of calls against a list
 * of its frames. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "ingest/probe_pairs.h"
#include "random_numbers.h"
#include "unit_tests.h"

#define SLOT   3
#define THREAD 77
#define KERNEL UINT64_C(0xffffc90000100000)

static struct probe_pairs pairs;
static uint64_t now_ns;

static int set_up(void **state)
{
	(void)state;
	probe_pairs_init(&pairs);
	now_ns = 1000;
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	probe_pairs_finish(&pairs);
	return 0;
}

/* The record is the number that is looked for later, the return address a thousand more. */
static void enter_in(uint32_t slot, uint64_t thread, uint64_t sp, uint64_t number)
{
	const struct pair_end end = {
		.slot = slot, .key = thread, .sp = sp, .return_address = 1000 + number,
		.time_ns = ++now_ns,
	};

	probe_pairs_enter(&pairs, &end, 1, &number, sizeof(number));
}

static void enter(uint64_t sp, uint64_t number)
{
	enter_in(SLOT, THREAD, sp, number);
}

/* 0: no entry. @sp: the entry's. */
static uint64_t leave_in(uint32_t slot, uint64_t thread, uint64_t sp)
{
	const struct pair_end end = {
		.slot = slot, .key = thread, .sp = sp + RETURN_BYTES, .time_ns = ++now_ns,
	};
	const struct probe_pending *entry = probe_pairs_leave(&pairs, &end);
	uint64_t number = 0;

	if (entry)
		memcpy(&number, entry->bytes, sizeof(number));
	return number;
}

static uint64_t leave(uint64_t sp)
{
	return leave_in(SLOT, THREAD, sp);
}

static void test_recursion_returns_innermost_first(void **state)
{
	(void)state;
	enter(0x7f00, 1);
	enter(0x7e00, 2);
	enter(0x7d00, 3);
	assert_int_equal(pairs.in_flight[SLOT], 3);
	assert_int_equal(leave(0x7d00), 3);
	assert_int_equal(leave(0x7e00), 2);
	assert_int_equal(leave(0x7f00), 1);
	assert_int_equal(pairs.in_flight[SLOT], 0);
	assert_int_equal(pairs.unpaired[SLOT], 0);
}

/* A real run of a function 70 deep: the kernel told of 64 returns. */
static void test_calls_below_the_kernels_limit_are_unpaired(void **state)
{
	(void)state;
	for (uint64_t depth = 0; depth < 70; depth++)
		enter(0x9000 - 64 * depth, depth + 1);
	for (uint64_t depth = 64; depth-- > 0;)
		assert_int_equal(leave(0x9000 - 64 * depth), depth + 1);
	assert_int_equal(pairs.unpaired[SLOT], 6);
	assert_int_equal(pairs.in_flight[SLOT], 0);
}

/* outer > inner > deep > longjmp() to outer, which calls again: at a place at or above deep's. */
static void test_calls_that_longjmp_left_are_unpaired(void **state)
{
	(void)state;
	enter(0x7f00, 1);
	enter(0x7e00, 2);
	enter(0x7d00, 3);
	enter(0x7e80, 4);
	assert_int_equal(pairs.unpaired[SLOT], 2);
	assert_int_equal(leave(0x7e80), 4);
	assert_int_equal(leave(0x7f00), 1);
	assert_int_equal(pairs.unpaired[SLOT], 2);
}

static void test_a_return_that_nobody_entered_has_no_entry(void **state)
{
	(void)state;
	assert_int_equal(leave(0x7f00), 0);
	enter(0x7e00, 1);
	assert_int_equal(leave(0x7d00), 0);
	assert_int_equal(leave(0x7e00), 1);
	assert_int_equal(pairs.unpaired[SLOT], 0);	/* the caller counts unpaired returns */
}

/* f jumps to g, which jumps to f: one place, and both of f's returns at once. */
static void test_a_chain_of_tail_calls_returns_one_after_the_other(void **state)
{
	(void)state;
	enter(0x7f00, 1);
	enter(0x7f00, 2);
	assert_int_equal(leave(0x7f00), 2);
	assert_int_equal(leave(0x7f00), 1);
	assert_int_equal(pairs.unpaired[SLOT], 0);
}

/* The return of 1 was missed, the next call is at the same place. */
static void test_after_a_missed_return_the_place_is_anothers(void **state)
{
	(void)state;
	enter(0x7f00, 1);
	enter(0x7f00, 2);
	assert_int_equal(leave(0x7f00), 2);
	enter(0x7f00, 3);
	assert_int_equal(pairs.unpaired[SLOT], 1);
	assert_int_equal(leave(0x7f00), 3);
}

static void test_threads_and_probes_do_not_meet(void **state)
{
	(void)state;
	enter_in(1, 5, 0x7f00, 11);
	enter_in(1, 6, 0x7f00, 12);
	enter_in(2, 5, 0x7f00, 13);
	assert_int_equal(leave_in(1, 5, 0x7f00), 11);
	assert_int_equal(leave_in(2, 5, 0x7f00), 13);
	assert_int_equal(leave_in(2, 6, 0x7f00), 0);
	assert_int_equal(leave_in(1, 6, 0x7f00), 12);
}

static void test_idle_tasks_are_told_apart_by_cpu(void **state)
{
	(void)state;
	assert_true(probe_pairs_thread(0, 1) != probe_pairs_thread(0, 2));
	assert_true(probe_pairs_thread(0, 1) != probe_pairs_thread(1, 0));
	assert_true(probe_pairs_thread(9, 1) == probe_pairs_thread(9, 2));
}

/* An interrupt has a stack of its own, whichever side of the task's it lies. */
static void test_an_interrupt_leaves_the_calls_of_its_task_alone(void **state)
{
	(void)state;
	enter(KERNEL + 0x2000, 1);
	enter(KERNEL + 0x9000, 2);		/* above */
	assert_int_equal(leave(KERNEL + 0x9000), 2);
	enter(KERNEL - 0x9000, 3);		/* below */
	assert_int_equal(leave(KERNEL - 0x9000), 3);
	assert_int_equal(leave(KERNEL + 0x2000), 1);
	assert_int_equal(pairs.unpaired[SLOT], 0);
}

#ifdef __x86_64__
static void test_programs_of_32_bits_have_short_return_addresses(void **state)
{
	struct pair_end end = { .slot = SLOT, .key = THREAD, .sp = 0xff004, .time_ns = 5000 };

	(void)state;
	enter(0xff000, 1);
	assert_non_null(probe_pairs_leave(&pairs, &end));
	enter(0x700000ff000, 2);
	end.sp = 0x700000ff004;
	assert_null(probe_pairs_leave(&pairs, &end));
}
#endif

static void test_entries_from_before_lost_records_are_not_paired(void **state)
{
	(void)state;
	enter(0x7f00, 1);
	probe_pairs_lost(&pairs, now_ns);
	enter(0x7e00, 2);
	assert_int_equal(leave(0x7e00), 2);
	assert_int_equal(leave(0x7f00), 0);
	assert_int_equal(pairs.unpaired[SLOT], 1);
}

static void test_a_thread_takes_its_calls_with_it(void **state)
{
	(void)state;
	enter(0x7f00, 1);
	enter_in(SLOT, THREAD + 1, 0x7f00, 2);
	probe_pairs_gone(&pairs, THREAD, false);
	assert_int_equal(pairs.unpaired[SLOT], 1);
	assert_int_equal(leave(0x7f00), 0);
	assert_int_equal(leave_in(SLOT, THREAD + 1, 0x7f00), 2);
}

/* execve(2) itself returns, in the new program. */
static void test_exec_ends_the_calls_of_the_program_but_not_of_the_kernel(void **state)
{
	(void)state;
	enter_in(1, THREAD, 0x7f00, 1);
	enter_in(2, THREAD, KERNEL, 2);
	probe_pairs_gone(&pairs, THREAD, true);
	assert_int_equal(leave_in(1, THREAD, 0x7f00), 0);
	assert_int_equal(leave_in(2, THREAD, KERNEL), 2);
}

static void test_a_key_belongs_to_its_newest_entry(void **state)
{
	struct pair_end end = { .order = PAIR_BY_KEY, .slot = SLOT, .key = 0xb10c };
	const uint64_t first = 1, second = 2;
	const struct probe_pending *entry;

	(void)state;
	end.time_ns = 10;
	probe_pairs_enter(&pairs, &end, 1, &first, sizeof(first));
	end.time_ns = 20;
	probe_pairs_enter(&pairs, &end, 1, &second, sizeof(second));
	assert_int_equal(pairs.unpaired[SLOT], 1);
	entry = probe_pairs_leave(&pairs, &end);
	assert_int_equal(entry->time_ns, 20);
	assert_null(probe_pairs_leave(&pairs, &end));
}

static void test_what_does_not_fit_is_the_oldest(void **state)
{
	static unsigned char record[60000];
	struct pair_end end = { .slot = SLOT, .sp = 0x7f00 };
	const uint64_t fit = PROBE_PAIRS_BYTES_MAX / (sizeof(struct probe_pending) +
						      sizeof(record));

	(void)state;
	for (end.key = 1; end.key <= fit + 10; end.key++) {
		end.time_ns = end.key;
		probe_pairs_enter(&pairs, &end, 1, record, sizeof(record));
	}
	assert_true(pairs.bytes <= PROBE_PAIRS_BYTES_MAX);
	assert_int_equal(pairs.unpaired[SLOT], 10);
	assert_int_equal(leave_in(SLOT, 10, 0x7f00), 0);
	assert_int_not_equal(pairs.in_flight[SLOT], 0);
}

static void test_a_probe_takes_its_calls_with_it(void **state)
{
	(void)state;
	enter_in(1, 5, 0x7f00, 1);
	enter_in(1, 5, 0x7e00, 2);
	enter_in(2, 5, 0x7f00, 3);
	probe_pairs_drop(&pairs, 1);
	assert_int_equal(pairs.in_flight[1], 0);
	assert_int_equal(pairs.unpaired[1], 2);
	assert_int_equal(leave_in(1, 5, 0x7f00), 0);
	assert_int_equal(leave_in(2, 5, 0x7f00), 3);
}

/* A thread that calls, returns, jumps out of calls, and whose returns are now and then missed. The
 * reference knows its frames; what it can't know is what no record says. */
struct frame {
	uint64_t sp, number;
};

static void call_at_random(uint64_t *seed, uint64_t thread, uint64_t base)
{
	struct frame frames[80];
	uint64_t expected_unpaired = pairs.unpaired[SLOT], number = base;
	uint32_t depth = 0;

	for (int step = 0; step < 5000; step++) {
		const uint32_t dice = random_below(seed, 100);

		if (depth == 0 || (dice < 50 && depth < 80)) {
			const uint64_t above = depth ? frames[depth - 1].sp : base;

			frames[depth].sp = above - 16 * (1 + random_below(seed, 8));
			frames[depth].number = ++number;
			enter_in(SLOT, thread, frames[depth].sp, number);
			depth++;
		} else if (dice < 90) {
			depth--;
			assert_int_equal(leave_in(SLOT, thread, frames[depth].sp),
					 frames[depth].number);
		} else {	/* longjmp: frames go, the one that stays returns */
			const uint32_t stays = random_below(seed, depth);

			expected_unpaired += depth - 1 - stays;
			depth = stays;
			assert_int_equal(leave_in(SLOT, thread, frames[depth].sp),
					 frames[depth].number);
			assert_int_equal(pairs.unpaired[SLOT], expected_unpaired);
		}
		assert_int_equal(pairs.in_flight[SLOT], depth);
	}
	probe_pairs_gone(&pairs, thread, false);
	assert_int_equal(pairs.unpaired[SLOT], expected_unpaired + depth);
}

static void test_random_calls_are_paired_as_a_list_of_frames_pairs_them(void **state)
{
	uint64_t seed = 20061;

	(void)state;
	for (uint64_t thread = 1; thread <= 20; thread++)
		call_at_random(&seed, thread, 0x7fff00000000 + (thread << 20));
	assert_int_equal(pairs.bytes, 0);
}

static uint64_t returns_to(uint64_t sp, uint64_t replaced)
{
	return probe_pairs_return_address(&pairs, THREAD, sp, replaced, now_ns);
}

static void test_a_call_that_lasts_says_where_it_will_return_to(void **state)
{
	(void)state;
	enter(0x7f00, 1);
	enter(0x7e00, 2);
	enter_in(SLOT + 1, THREAD, 0x7e80, 3);
	enter_in(SLOT, THREAD + 1, 0x7d00, 4);
	assert_int_equal(returns_to(0x7f00, 5), 1001);
	assert_int_equal(returns_to(0x7e00, 5), 1002);
	assert_int_equal(returns_to(0x7e80, 5), 1003);
	assert_int_equal(returns_to(0x7d00, 5), 0);	/* another thread's */
	assert_int_equal(returns_to(0x7e08, 5), 0);
	assert_int_equal(leave(0x7e00), 2);
	assert_int_equal(returns_to(0x7e00, 5), 0);
	assert_int_equal(returns_to(0x7f00, 5), 1001);
}

/* f and g are probed, f jumps to g: at g's entry the kernel's address is there already. */
static void test_a_chain_of_tail_calls_returns_to_the_caller_of_the_first(void **state)
{
	(void)state;
	enter_in(SLOT + 1, THREAD, 0x7f00, 1);
	enter(0x7f00, 5);
	assert_int_equal(returns_to(0x7f00, 1005), 1001);
}

/* longjmp() has left what another call lies over now. */
static void test_of_two_calls_at_one_place_the_newer_is_there(void **state)
{
	(void)state;
	enter_in(SLOT + 1, THREAD, 0x7f00, 1);
	enter(0x7f00, 2);
	assert_int_equal(returns_to(0x7f00, 5), 1002);
	enter_in(SLOT + 1, THREAD, 0x7f00, 3);
	assert_int_equal(returns_to(0x7f00, 5), 1003);
}

static void test_a_call_says_nothing_of_stacks_before_it_or_after_lost_records(void **state)
{
	(void)state;
	enter(0x7f00, 1);
	now_ns--;
	assert_int_equal(returns_to(0x7f00, 5), 0);
	now_ns++;
	assert_int_equal(returns_to(0x7f00, 5), 1001);
	probe_pairs_lost(&pairs, now_ns);
	assert_int_equal(returns_to(0x7f00, 5), 0);
}

#define PAIRS_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

UNIT_TESTS(test_probe_pairs)
{
	const struct CMUnitTest tests[] = {
		PAIRS_TEST(test_recursion_returns_innermost_first),
		PAIRS_TEST(test_calls_below_the_kernels_limit_are_unpaired),
		PAIRS_TEST(test_calls_that_longjmp_left_are_unpaired),
		PAIRS_TEST(test_a_return_that_nobody_entered_has_no_entry),
		PAIRS_TEST(test_a_chain_of_tail_calls_returns_one_after_the_other),
		PAIRS_TEST(test_after_a_missed_return_the_place_is_anothers),
		PAIRS_TEST(test_threads_and_probes_do_not_meet),
		PAIRS_TEST(test_idle_tasks_are_told_apart_by_cpu),
		PAIRS_TEST(test_an_interrupt_leaves_the_calls_of_its_task_alone),
#ifdef __x86_64__
		PAIRS_TEST(test_programs_of_32_bits_have_short_return_addresses),
#endif
		PAIRS_TEST(test_entries_from_before_lost_records_are_not_paired),
		PAIRS_TEST(test_a_thread_takes_its_calls_with_it),
		PAIRS_TEST(test_exec_ends_the_calls_of_the_program_but_not_of_the_kernel),
		PAIRS_TEST(test_a_key_belongs_to_its_newest_entry),
		PAIRS_TEST(test_what_does_not_fit_is_the_oldest),
		PAIRS_TEST(test_a_probe_takes_its_calls_with_it),
		PAIRS_TEST(test_a_call_that_lasts_says_where_it_will_return_to),
		PAIRS_TEST(test_a_chain_of_tail_calls_returns_to_the_caller_of_the_first),
		PAIRS_TEST(test_of_two_calls_at_one_place_the_newer_is_there),
		PAIRS_TEST(test_a_call_says_nothing_of_stacks_before_it_or_after_lost_records),
		PAIRS_TEST(test_random_calls_are_paired_as_a_list_of_frames_pairs_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
