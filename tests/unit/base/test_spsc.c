/* The queue hands over every record, whole and in order, over the wrap of buffer and index. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <string.h>

#include <cmocka.h>

#include "base/thread.h"
#include "unit_tests.h"

enum { CAPACITY = 4096, HEADER = 8 };

/* As after a very long run: both indices stand at @index. */
static void init_at(struct spsc *queue, uint64_t index)
{
	assert_int_equal(spsc_init(queue, CAPACITY), 0);
	atomic_store(&queue->head, index);
	atomic_store(&queue->tail, index);
	queue->seen_head = queue->seen_tail = index;
}

/* Record @number: its size and each of its bytes follow from the number. */
static size_t size_of_record(uint64_t number)
{
	return (size_t)(number * 2654435761u >> 7) % 300;
}

static bool put_record(struct spsc *queue, uint64_t number)
{
	size_t len = size_of_record(number);
	unsigned char *payload = spsc_reserve(queue, len);

	if (!payload)
		return false;
	memset(payload, (int)(number & 0xff), len);
	spsc_commit(queue);
	return true;
}

/* False: empty. Fails the test when the record is not exactly the one that follows. */
static bool take_record(struct spsc *queue, uint64_t number)
{
	unsigned char wanted[300];
	size_t len;
	const void *payload = spsc_peek(queue, &len);

	if (!payload)
		return false;
	assert_int_equal(len, size_of_record(number));
	assert_int_equal((uintptr_t)payload % 8, 0);
	memset(wanted, (int)(number & 0xff), len);
	assert_memory_equal(payload, wanted, len);
	spsc_release(queue);
	return true;
}

static void test_bad_capacities_are_refused(void **state)
{
	struct spsc queue;

	(void)state;
	assert_int_equal(spsc_init(&queue, 0), -EINVAL);
	assert_int_equal(spsc_init(&queue, 2048), -EINVAL);
	assert_int_equal(spsc_init(&queue, 5000), -EINVAL);
}

static void test_an_empty_queue_gives_nothing(void **state)
{
	struct spsc queue;
	size_t len;

	(void)state;
	init_at(&queue, 0);
	assert_null(spsc_peek(&queue, &len));
	assert_int_equal(spsc_used(&queue), 0);
	assert_true(put_record(&queue, 1));
	assert_true(take_record(&queue, 1));
	assert_null(spsc_peek(&queue, &len));
	spsc_finish(&queue);
}

/* 56 payload bytes and the header make 64: exactly 64 of them fit. */
static void test_a_full_queue_refuses_until_one_is_released(void **state)
{
	struct spsc queue;
	size_t len;

	(void)state;
	init_at(&queue, 0);
	for (int i = 0; i < CAPACITY / 64; i++) {
		assert_non_null(spsc_reserve(&queue, 64 - HEADER));
		spsc_commit(&queue);
	}
	assert_int_equal(spsc_used(&queue), CAPACITY);
	assert_null(spsc_reserve(&queue, 0));
	assert_non_null(spsc_peek(&queue, &len));
	spsc_release(&queue);
	assert_null(spsc_reserve(&queue, 64 - HEADER + 1));
	assert_non_null(spsc_reserve(&queue, 64 - HEADER));
	spsc_finish(&queue);
}

static void test_a_record_larger_than_half_the_queue_never_fits(void **state)
{
	struct spsc queue;

	(void)state;
	init_at(&queue, 0);
	assert_null(spsc_reserve(&queue, CAPACITY / 2));
	assert_non_null(spsc_reserve(&queue, CAPACITY / 2 - HEADER));
	spsc_finish(&queue);
}

static void test_what_is_not_committed_is_not_seen(void **state)
{
	struct spsc queue;
	size_t len;

	(void)state;
	init_at(&queue, 0);
	assert_non_null(spsc_reserve(&queue, 100));
	assert_null(spsc_peek(&queue, &len));
	assert_non_null(spsc_reserve(&queue, 24));	/* the reservation before is given up */
	spsc_commit(&queue);
	assert_non_null(spsc_peek(&queue, &len));
	assert_int_equal(len, 24);
	spsc_finish(&queue);
}

static void put_bytes(struct spsc *queue, size_t bytes)
{
	assert_non_null(spsc_reserve(queue, bytes - HEADER));
	spsc_commit(queue);
}

/* The record would start 16 bytes before the end of the buffer. */
static void test_a_payload_never_crosses_the_end_of_the_buffer(void **state)
{
	struct spsc queue;
	unsigned char *payload;
	const void *seen;
	size_t len;

	(void)state;
	init_at(&queue, 0);
	put_bytes(&queue, CAPACITY / 2);
	put_bytes(&queue, CAPACITY / 2 - 16);
	assert_non_null(spsc_peek(&queue, &len));
	spsc_release(&queue);
	payload = spsc_reserve(&queue, 100);
	assert_ptr_equal(payload, queue.bytes + HEADER);
	memset(payload, 0x5a, 100);
	spsc_commit(&queue);
	assert_non_null(spsc_peek(&queue, &len));
	spsc_release(&queue);
	seen = spsc_peek(&queue, &len);
	assert_ptr_equal(seen, payload);
	assert_int_equal(len, 100);
	spsc_release(&queue);
	assert_int_equal(spsc_used(&queue), 0);
	spsc_finish(&queue);
}

static void test_an_empty_queue_begins_anew_at_its_start(void **state)
{
	struct spsc queue;
	size_t len;

	(void)state;
	init_at(&queue, 0);
	for (int lap = 0; lap < 3; lap++) {
		for (int i = 0; i < 2; i++)
			put_bytes(&queue, 1024);
		assert_ptr_equal(spsc_peek(&queue, &len), queue.bytes + HEADER);
		spsc_release(&queue);
		put_bytes(&queue, 64);		/* not while something is in it */
		assert_ptr_equal(spsc_peek(&queue, &len), queue.bytes + 1024 + HEADER);
		spsc_release(&queue);
		assert_ptr_equal(spsc_peek(&queue, &len), queue.bytes + 2048 + HEADER);
		spsc_release(&queue);
	}
	/* All of it is free, wherever it began. */
	put_bytes(&queue, CAPACITY / 2);
	put_bytes(&queue, CAPACITY / 2);
	assert_null(spsc_reserve(&queue, 0));
	spsc_finish(&queue);
}

/* Within a batch it is not asked each time whether all was taken; where one begins, it is. */
static void test_a_batch_begins_at_the_start_of_an_empty_queue(void **state)
{
	struct spsc queue;
	size_t len;

	(void)state;
	init_at(&queue, 0);
	for (int lap = 0; lap < 3; lap++) {
		put_bytes(&queue, 16);
		assert_ptr_equal(spsc_peek(&queue, &len), queue.bytes + HEADER);
		spsc_release(&queue);
		put_bytes(&queue, 16);
		spsc_begin_batch(&queue);	/* not while something is in it */
		put_bytes(&queue, 16);
		assert_ptr_equal(spsc_peek(&queue, &len), queue.bytes + 16 + HEADER);
		spsc_release(&queue);
		assert_ptr_equal(spsc_peek(&queue, &len), queue.bytes + 32 + HEADER);
		spsc_release(&queue);
		spsc_begin_batch(&queue);
	}
	spsc_finish(&queue);
}

/* What was taken is not looked at again before another 1/64 is filled. */
static void test_a_queue_that_is_not_empty_is_asked_once_per_share(void **state)
{
	struct spsc queue;
	size_t len;

	(void)state;
	init_at(&queue, 0);
	put_bytes(&queue, CAPACITY / 64);
	put_bytes(&queue, 16);			/* asks: not empty */
	for (int i = 0; i < 2; i++) {
		assert_non_null(spsc_peek(&queue, &len));
		spsc_release(&queue);
	}
	put_bytes(&queue, CAPACITY / 64 - 16);	/* does not ask */
	assert_ptr_equal(spsc_peek(&queue, &len), queue.bytes + CAPACITY / 64 + 16 + HEADER);
	spsc_release(&queue);
	put_bytes(&queue, 16);
	assert_ptr_equal(spsc_peek(&queue, &len), queue.bytes + HEADER);
	spsc_release(&queue);
	spsc_finish(&queue);
}

static void test_records_survive_the_wrap_of_the_index(void **state)
{
	struct spsc queue;
	uint64_t put = 0, taken = 0;

	(void)state;
	init_at(&queue, UINT64_MAX - 8 * CAPACITY + 1);
	while (taken < 5000) {
		while (put < 5000 && put_record(&queue, put))
			put++;
		for (int i = 0; i < 5 && take_record(&queue, taken); i++)
			taken++;
	}
	assert_int_equal(taken, put);
	assert_true(atomic_load(&queue.head) < UINT64_MAX / 2);		/* it did wrap */
	assert_int_equal(spsc_used(&queue), 0);
	spsc_finish(&queue);
}

enum { HANDED_OVER = 1000000 };

static void *produce(void *queue)
{
	for (uint64_t number = 0; number < HANDED_OVER; number++)
		while (!put_record(queue, number))
			sched_yield();
	return NULL;
}

static void test_two_threads_hand_over_a_million_records_whole_and_in_order(void **state)
{
	struct spsc queue;
	pthread_t producer;

	(void)state;
	init_at(&queue, UINT64_MAX - 64 * CAPACITY + 1);
	assert_int_equal(pthread_create(&producer, NULL, produce, &queue), 0);
	for (uint64_t number = 0; number < HANDED_OVER; number++)
		while (!take_record(&queue, number))
			sched_yield();
	assert_int_equal(pthread_join(producer, NULL), 0);
	assert_int_equal(spsc_used(&queue), 0);
	spsc_finish(&queue);
}

UNIT_TESTS(test_spsc)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bad_capacities_are_refused),
		cmocka_unit_test(test_an_empty_queue_gives_nothing),
		cmocka_unit_test(test_a_full_queue_refuses_until_one_is_released),
		cmocka_unit_test(test_a_record_larger_than_half_the_queue_never_fits),
		cmocka_unit_test(test_what_is_not_committed_is_not_seen),
		cmocka_unit_test(test_a_payload_never_crosses_the_end_of_the_buffer),
		cmocka_unit_test(test_an_empty_queue_begins_anew_at_its_start),
		cmocka_unit_test(test_a_batch_begins_at_the_start_of_an_empty_queue),
		cmocka_unit_test(test_a_queue_that_is_not_empty_is_asked_once_per_share),
		cmocka_unit_test(test_records_survive_the_wrap_of_the_index),
		cmocka_unit_test(test_two_threads_hand_over_a_million_records_whole_and_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
