/* A thread that works for another one: nothing asked is lost, and it can always be stopped. */
#include <poll.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/service.h"
#include "unit_tests.h"

#define REPLY_LIMIT_MS 60000	/* only reached when something hangs */

struct doubler {
	struct service *service;
	atomic_uint calls;
	atomic_int thread;	/* that served it last */
	int idle_ms;
};

/* Replies to one number with twice of it. */
static int double_next(void *owner)
{
	struct doubler *doubler = owner;
	size_t bytes;
	const uint32_t *request = spsc_peek(&doubler->service->requests, &bytes);
	uint32_t *reply;

	atomic_fetch_add(&doubler->calls, 1);
	atomic_store(&doubler->thread, gettid());
	if (!request)
		return doubler->idle_ms;
	reply = spsc_reserve(&doubler->service->replies, sizeof(*reply));
	*reply = *request * 2;
	spsc_commit(&doubler->service->replies);
	spsc_release(&doubler->service->requests);
	service_notify(doubler->service);
	return SERVICE_AGAIN;
}

static void start_within(struct doubler *doubler, int idle_ms, struct service *host, int ready_fd)
{
	const struct service_plan plan = {
		.name = "doubler", .request_bytes = 4096, .reply_bytes = 4096,
		.serve = double_next, .host = host, .ready_fd = ready_fd, .owner = doubler,
	};

	doubler->idle_ms = idle_ms;
	atomic_init(&doubler->calls, 0);
	atomic_init(&doubler->thread, 0);
	assert_int_equal(service_create(&doubler->service, &plan), 0);
}

static void start(struct doubler *doubler, int idle_ms)
{
	start_within(doubler, idle_ms, NULL, 0);
}

static void stop(struct doubler *doubler)
{
	assert_true(service_stop(doubler->service));
	service_destroy(doubler->service);
}

static void ask(struct doubler *doubler, uint32_t number)
{
	uint32_t *request = spsc_reserve(&doubler->service->requests, sizeof(*request));

	assert_non_null(request);
	*request = number;
	spsc_commit(&doubler->service->requests);
	service_wake(doubler->service);
}

static uint32_t wait_for_reply(struct doubler *doubler)
{
	struct pollfd ready = { .fd = service_fd(doubler->service), .events = POLLIN };
	const uint32_t *reply;
	uint32_t number;
	size_t bytes;

	while (!(reply = service_reply(doubler->service, &bytes)))
		assert_int_equal(poll(&ready, 1, REPLY_LIMIT_MS), 1);
	number = *reply;
	spsc_release(&doubler->service->replies);
	return number;
}

/* One at a time, the thread falls asleep before each: a lost wake-up would end it. */
static void test_each_request_wakes_the_sleeping_thread(void **state)
{
	struct doubler doubler;

	(void)state;
	start(&doubler, SERVICE_SLEEP);
	for (uint32_t i = 1; i <= 20000; i++) {
		ask(&doubler, i);
		assert_int_equal(wait_for_reply(&doubler), i * 2);
	}
	stop(&doubler);
}

static void test_requests_are_answered_in_their_order(void **state)
{
	enum { REQUESTS = 100000, UNDER_WAY_MAX = 64 };
	struct doubler doubler;
	uint32_t asked = 0;

	(void)state;
	start(&doubler, SERVICE_SLEEP);
	for (uint32_t replied = 0; replied < REQUESTS; replied++) {
		while (asked < REQUESTS && asked - replied < UNDER_WAY_MAX)
			ask(&doubler, asked++);
		assert_int_equal(wait_for_reply(&doubler), replied * 2);
	}
	stop(&doubler);
}

static void test_a_sleep_ends_by_itself_when_it_has_a_length(void **state)
{
	struct doubler doubler;

	(void)state;
	start(&doubler, 1);
	while (atomic_load(&doubler.calls) < 20)
		poll(NULL, 0, 1);
	stop(&doubler);
}

static void test_no_reply_left_leaves_the_descriptor_quiet(void **state)
{
	struct doubler doubler;
	struct pollfd ready;
	size_t bytes;

	(void)state;
	start(&doubler, SERVICE_SLEEP);
	ready = (struct pollfd){ .fd = service_fd(doubler.service), .events = POLLIN };
	assert_int_equal(poll(&ready, 1, 0), 0);
	ask(&doubler, 21);
	assert_int_equal(poll(&ready, 1, REPLY_LIMIT_MS), 1);
	assert_int_equal(wait_for_reply(&doubler), 42);
	assert_null(service_reply(doubler.service, &bytes));
	assert_int_equal(poll(&ready, 1, 0), 0);
	ask(&doubler, 22);
	assert_int_equal(poll(&ready, 1, REPLY_LIMIT_MS), 1);
	assert_int_equal(wait_for_reply(&doubler), 44);
	stop(&doubler);
}

struct sleeper {
	struct service *service;
	sem_t has_begun, may_end;
};

static int sleep_deeply(void *owner)
{
	struct sleeper *sleeper = owner;

	sem_post(&sleeper->has_begun);
	sem_wait(&sleeper->may_end);
	return SERVICE_AGAIN;
}

static void wake_sleeper(void *owner)
{
	struct sleeper *sleeper = owner;

	sem_post(&sleeper->may_end);
}

/* In serve(), when this returns. */
static void start_sleeper(struct sleeper *sleeper, const struct service_plan *plan)
{
	sem_init(&sleeper->has_begun, 0, 0);
	sem_init(&sleeper->may_end, 0, 0);
	assert_int_equal(service_create(&sleeper->service, plan), 0);
	sem_wait(&sleeper->has_begun);
}

static void test_a_stop_interrupts_what_runs(void **state)
{
	struct sleeper sleeper;
	const struct service_plan plan = { .name = "sleeper", .serve = sleep_deeply,
					   .interrupt = wake_sleeper, .owner = &sleeper };

	(void)state;
	start_sleeper(&sleeper, &plan);
	assert_false(service_is_stopping(sleeper.service));
	assert_true(service_stop(sleeper.service));
	assert_true(service_is_stopping(sleeper.service));
	service_destroy(sleeper.service);
}

static void test_one_that_hangs_is_left_behind_and_ends_when_it_can(void **state)
{
	struct sleeper sleeper;
	const struct service_plan plan = { .name = "sleeper", .serve = sleep_deeply,
					   .may_hang = true, .owner = &sleeper };

	(void)state;
	start_sleeper(&sleeper, &plan);
	assert_false(service_stop(sleeper.service));
	wake_sleeper(&sleeper);
	assert_true(service_stop(sleeper.service));
	service_destroy(sleeper.service);
}

/* And the thread calls a guest, too, whose descriptor is readable. */
static void test_a_guest_is_served_by_the_thread_of_its_host(void **state)
{
	struct doubler host, guest;
	int ready;

	(void)state;
	ready = eventfd(0, EFD_CLOEXEC);
	start(&host, SERVICE_SLEEP);
	start_within(&guest, SERVICE_SLEEP, host.service, ready);
	for (uint32_t i = 0; i < 3; i++) {
		ask(&guest, 20 + i);
		assert_int_equal(wait_for_reply(&guest), 40 + 2 * i);
		ask(&host, i);
		assert_int_equal(wait_for_reply(&host), 2 * i);
		assert_int_equal(guest.thread, host.thread);
	}
	for (unsigned int before = guest.calls; guest.calls < before + 3;)
		assert_int_equal(eventfd_write(ready, 1), 0);
	stop(&guest);
	close(ready);
	ask(&host, 7);
	assert_int_equal(wait_for_reply(&host), 14);
	stop(&host);
}

static void test_a_queue_of_a_wrong_size_is_refused(void **state)
{
	const struct service_plan plan = { .name = "none", .request_bytes = 5000 };
	struct service *service;

	(void)state;
	assert_true(service_create(&service, &plan) < 0);
	assert_null(service);
	assert_true(service_stop(NULL));
	service_destroy(NULL);
}

UNIT_TESTS(test_service)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_request_wakes_the_sleeping_thread),
		cmocka_unit_test(test_requests_are_answered_in_their_order),
		cmocka_unit_test(test_a_sleep_ends_by_itself_when_it_has_a_length),
		cmocka_unit_test(test_no_reply_left_leaves_the_descriptor_quiet),
		cmocka_unit_test(test_a_stop_interrupts_what_runs),
		cmocka_unit_test(test_one_that_hangs_is_left_behind_and_ends_when_it_can),
		cmocka_unit_test(test_a_guest_is_served_by_the_thread_of_its_host),
		cmocka_unit_test(test_a_queue_of_a_wrong_size_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
