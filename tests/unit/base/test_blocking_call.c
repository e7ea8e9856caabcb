/* A job that hangs is left behind, and nothing else waits for it. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/service.h"
#include "unit_tests.h"

struct counting_job {
	struct blocking_job job;
	int gate;	/* eventfd: it hangs until this is set; -1: it does not hang */
	int runs;
};

static _Atomic int dropped;

static void run(struct blocking_job *job)
{
	struct counting_job *counting = (struct counting_job *)job;
	eventfd_t ignored;

	if (counting->gate >= 0)
		eventfd_read(counting->gate, &ignored);
	counting->runs++;
	job->is_worth_keeping = counting->gate >= 0;
}

static bool take(struct blocking_job *job, struct blocking_job *late)
{
	struct counting_job *counting = (struct counting_job *)job;

	counting->runs = ((struct counting_job *)late)->runs + 100;
	return true;
}

static void drop(struct blocking_job *job)
{
	dropped++;
	free(job);
}

static struct blocking_job *new_job(uint64_t key, int gate)
{
	struct counting_job *job = calloc(1, sizeof(*job));

	assert_non_null(job);
	job->job = (struct blocking_job){ .key = key, .run = run, .drop = drop };
	job->gate = gate;
	return &job->job;
}

static int runs_of(struct blocking_job *job)
{
	return ((struct counting_job *)job)->runs;
}

static void expect_done(struct blocking_calls *blocking_calls, uint64_t key)
{
	struct blocking_job *job = new_job(key, -1);

	assert_int_equal(blocking_calls_run(blocking_calls, job), 0);
	assert_int_equal(runs_of(job), 1);
	free(job);
}

static void test_a_job_is_done_and_comes_back(void **state)
{
	struct blocking_calls blocking_calls = { .wait_ms = 60000 };

	(void)state;
	dropped = 0;
	for (int i = 0; i < 3; i++)
		expect_done(&blocking_calls, 7);
	blocking_calls_finish(&blocking_calls);
	assert_int_equal(dropped, 0);
}

static void test_after_one_that_hangs_the_next_is_done(void **state)
{
	struct blocking_calls blocking_calls = { .wait_ms = 20 };
	int gate = eventfd(0, 0);

	(void)state;
	dropped = 0;
	assert_int_equal(blocking_calls_run(&blocking_calls, new_job(7, gate)), -ETIMEDOUT);
	blocking_calls.wait_ms = 60000;
	expect_done(&blocking_calls, 8);
	expect_done(&blocking_calls, 0);
	assert_int_equal(blocking_calls.hung_count, 1);
	eventfd_write(gate, 1);
	while (blocking_calls.hung_count)
		expect_done(&blocking_calls, 8);
	assert_int_equal(dropped, 1);
	expect_done(&blocking_calls, 7);
	blocking_calls_finish(&blocking_calls);
	close(gate);
}

static void test_the_same_key_is_refused_while_it_hangs(void **state)
{
	struct blocking_calls blocking_calls = { .wait_ms = 20 };
	int gate = eventfd(0, 0);

	(void)state;
	dropped = 0;
	assert_int_equal(blocking_calls_run(&blocking_calls, new_job(7, gate)), -ETIMEDOUT);
	assert_int_equal(blocking_calls_run(&blocking_calls, new_job(7, -1)), -EBUSY);
	assert_int_equal(dropped, 1);
	eventfd_write(gate, 1);
	blocking_calls.wait_ms = 60000;
	while (blocking_calls.hung_count)
		expect_done(&blocking_calls, 8);
	blocking_calls_finish(&blocking_calls);
	close(gate);
}

/* Who hangs somewhere on the way says nothing of where it leads. */
static void test_a_part_is_refused_with_the_whole_but_not_the_whole_with_a_part(void **state)
{
	struct blocking_calls blocking_calls = { .wait_ms = 20 };
	int gate = eventfd(0, EFD_SEMAPHORE);
	struct blocking_job *job;

	(void)state;
	job = new_job(70, gate);
	job->part_of = 7;
	assert_int_equal(blocking_calls_run(&blocking_calls, job), -ETIMEDOUT);
	blocking_calls.wait_ms = 60000;
	expect_done(&blocking_calls, 7);
	blocking_calls.wait_ms = 20;
	assert_int_equal(blocking_calls_run(&blocking_calls, new_job(7, gate)), -ETIMEDOUT);
	job = new_job(71, -1);
	job->part_of = 7;
	assert_int_equal(blocking_calls_run(&blocking_calls, job), -EBUSY);
	eventfd_write(gate, 2);
	blocking_calls.wait_ms = 60000;
	while (blocking_calls.hung_count)
		expect_done(&blocking_calls, 8);
	blocking_calls_finish(&blocking_calls);
	close(gate);
}

static void test_so_many_may_hang_and_no_more(void **state)
{
	struct blocking_calls blocking_calls = { .wait_ms = 1 };
	int gate = eventfd(0, EFD_SEMAPHORE);

	(void)state;
	for (uint64_t key = 1; key <= BLOCKING_CALLS_HUNG_MAX; key++)
		assert_int_equal(blocking_calls_run(&blocking_calls, new_job(key, gate)),
				 -ETIMEDOUT);
	assert_int_equal(
		blocking_calls_run(&blocking_calls, new_job(BLOCKING_CALLS_HUNG_MAX + 1, -1)),
		-EBUSY);
	eventfd_write(gate, BLOCKING_CALLS_HUNG_MAX);
	blocking_calls.wait_ms = 60000;
	while (blocking_calls.hung_count) {
		struct blocking_job *job = new_job(0, -1);

		if (blocking_calls_run(&blocking_calls, job) == 0)
			free(job);
	}
	blocking_calls_finish(&blocking_calls);
	close(gate);
}

/* The jobs with the keys first and first + 1 hang, and come back. */
static void run_late(struct blocking_calls *blocking_calls, uint64_t first)
{
	int gate = eventfd(0, EFD_SEMAPHORE);

	blocking_calls->wait_ms = 20;
	for (uint64_t key = first; key < first + 2; key++) {
		struct blocking_job *job = new_job(key, gate);

		job->take_late = take;
		assert_int_equal(blocking_calls_run(blocking_calls, job), -ETIMEDOUT);
	}
	eventfd_write(gate, 2);
	blocking_calls->wait_ms = 60000;
	while (blocking_calls->hung_count)
		expect_done(blocking_calls, 8);
	close(gate);
}

static int runs_of_next(struct blocking_calls *blocking_calls, uint64_t key)
{
	struct blocking_job *job = new_job(key, -1);
	int runs;

	job->take_late = take;
	assert_int_equal(blocking_calls_run(blocking_calls, job), 0);
	runs = runs_of(job);
	free(job);
	return runs;
}

static void test_a_late_result_is_taken_by_the_next_that_wants_it(void **state)
{
	struct blocking_calls blocking_calls = { .hung_count = 0 };

	(void)state;
	dropped = 0;
	run_late(&blocking_calls, 70);
	assert_int_equal(dropped, 0);
	assert_int_equal(runs_of_next(&blocking_calls, 70), 101);
	assert_int_equal(runs_of_next(&blocking_calls, 70), 1);
	assert_int_equal(runs_of_next(&blocking_calls, 71), 101);
	assert_int_equal(dropped, 2);
	blocking_calls_finish(&blocking_calls);
}

static void test_few_late_results_are_kept_and_not_for_ever(void **state)
{
	struct blocking_calls blocking_calls = { .hung_count = 0 };

	(void)state;
	dropped = 0;
	run_late(&blocking_calls, 70);
	run_late(&blocking_calls, 80);
	assert_int_equal(dropped, 2);
	assert_int_equal(runs_of_next(&blocking_calls, 70), 1);
	assert_true(blocking_calls_expire(&blocking_calls) > 0);
	blocking_calls.late[0].until_ns = 1;
	blocking_calls.late[1].until_ns = 1;
	assert_true(blocking_calls_expire(&blocking_calls) < 0);
	assert_int_equal(dropped, 4);
	assert_int_equal(runs_of_next(&blocking_calls, 80), 1);
	run_late(&blocking_calls, 80);
	blocking_calls_finish(&blocking_calls);
	assert_int_equal(dropped, 6);
}

UNIT_TESTS(test_blocking_call)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_job_is_done_and_comes_back),
		cmocka_unit_test(test_after_one_that_hangs_the_next_is_done),
		cmocka_unit_test(test_the_same_key_is_refused_while_it_hangs),
		cmocka_unit_test(
			test_a_part_is_refused_with_the_whole_but_not_the_whole_with_a_part),
		cmocka_unit_test(test_so_many_may_hang_and_no_more),
		cmocka_unit_test(test_a_late_result_is_taken_by_the_next_that_wants_it),
		cmocka_unit_test(test_few_late_results_are_kept_and_not_for_ever),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
