/* Whose turn is hastened: its priority, as the kernel says, where the caller may change any; and
 * what joining does while a thread goes on. */
#include "base/thread.h"
#include "unit_tests.h"

#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

struct waiter {
	struct thread_turn turn;
	sem_t has_begun, may_give_back, has_given_back, may_end;
	pthread_t thread;
};

static void *wait_and_give_back(void *argument)
{
	struct waiter *waiter = argument;

	thread_turn_begin(&waiter->turn);
	sem_post(&waiter->has_begun);
	sem_wait(&waiter->may_give_back);
	thread_turn_give_back(&waiter->turn);
	sem_post(&waiter->has_given_back);
	sem_wait(&waiter->may_end);
	thread_turn_end(&waiter->turn);
	return NULL;
}

static void begin(struct waiter *waiter)
{
	*waiter = (struct waiter){ .turn.tid = 0 };
	sem_init(&waiter->has_begun, 0, 0);
	sem_init(&waiter->may_give_back, 0, 0);
	sem_init(&waiter->has_given_back, 0, 0);
	sem_init(&waiter->may_end, 0, 0);
	assert_int_equal(thread_start(&waiter->thread, "waiter", wait_and_give_back, waiter), 0);
	sem_wait(&waiter->has_begun);
}

static void end(struct waiter *waiter)
{
	sem_post(&waiter->may_end);
	pthread_join(waiter->thread, NULL);
	assert_int_equal(waiter->turn.tid, 0);
}

static int policy_of(const struct waiter *waiter)
{
	return sched_getscheduler(waiter->turn.tid);
}

/* Nobody may without CAP_SYS_NICE or RLIMIT_RTPRIO. */
static bool may_go_first(void)
{
	const struct sched_param none = { .sched_priority = 0 };

	return thread_go_first(0) && sched_setscheduler(0, SCHED_OTHER, &none) == 0;
}

static void test_who_is_hastened_goes_first_until_it_gives_that_back(void **state)
{
	const bool is_permitted = may_go_first();
	struct waiter waiter;

	(void)state;
	begin(&waiter);
	assert_int_equal(policy_of(&waiter), SCHED_OTHER);
	thread_turn_hasten(&waiter.turn);
	thread_turn_hasten(&waiter.turn);
	assert_int_equal(policy_of(&waiter), is_permitted ? SCHED_RR : SCHED_OTHER);
	assert_int_equal(waiter.turn.is_hastened, is_permitted);
	sem_post(&waiter.may_give_back);
	sem_wait(&waiter.has_given_back);
	assert_int_equal(policy_of(&waiter), SCHED_OTHER);
	assert_false(waiter.turn.is_hastened);
	thread_turn_hasten(&waiter.turn);	/* and again */
	assert_int_equal(policy_of(&waiter), is_permitted ? SCHED_RR : SCHED_OTHER);
	end(&waiter);
}

static void test_who_has_not_begun_cannot_be_hastened(void **state)
{
	struct thread_turn turn = { .tid = 0 };

	(void)state;
	thread_turn_hasten(&turn);
	assert_false(turn.is_hastened);
	assert_int_equal(sched_getscheduler(0), SCHED_OTHER);	/* 0 would be the caller */
}

static void test_a_thread_that_does_not_end_is_joined_when_it_does(void **state)
{
	struct waiter waiter;

	(void)state;
	begin(&waiter);
	assert_false(thread_join_within(waiter.thread, 0));
	assert_false(thread_join_within(waiter.thread, 10));
	sem_post(&waiter.may_give_back);
	sem_post(&waiter.may_end);
	assert_true(thread_join_within(waiter.thread, 60000));
}

UNIT_TESTS(test_thread_turn)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_who_is_hastened_goes_first_until_it_gives_that_back),
		cmocka_unit_test(test_who_has_not_begun_cannot_be_hastened),
		cmocka_unit_test(test_a_thread_that_does_not_end_is_joined_when_it_does),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
