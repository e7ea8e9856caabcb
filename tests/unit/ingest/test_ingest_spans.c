/* Records that came out of a ring at once: counted as if each had come alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ingest_fixture.h"
#include "unit_tests.h"

static struct ingest_fixture feed;
static struct feed_queue queue;

static int set_up(void **state)
{
	const struct ingest_config config = { .is_replay = true };

	(void)state;
	feed_init(&feed, &config, NULL);
	queue.count = 0;
	feed.queue = &queue;
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	feed_finish(&feed);
	return 0;
}

static void queue_sample(uint64_t time_ns, uint32_t pid)
{
	feed_sample(&feed, time_ns, pid, pid, 0x1000);
}

/*	CPU 0   10  20  50  40  60
 *	CPU 1     15   45				40 came late into its ring */
static void test_samples_of_two_rings_are_counted_in_their_order(void **state)
{
	(void)state;
	queue_sample(10, 7);
	queue_sample(20, 8);
	queue_sample(50, 7);
	queue_sample(40, 7);
	queue_sample(60, 7);
	assert_int_equal(feed_push_queue(&feed, 0), 5);
	queue_sample(15, 9);
	queue_sample(45, 9);
	assert_int_equal(feed_push_queue(&feed, 1), 2);
	feed_round(&feed, 44);
	assert_int_equal(feed_samples(&feed), 4);
	feed_round(&feed, 99);
	assert_int_equal(feed_samples(&feed), 7);
	assert_int_equal(feed.ingest.reorder->late, 0);
}

static void test_other_records_among_samples_have_their_turn(void **state)
{
	(void)state;
	queue_sample(10, 7);
	feed_lost(&feed, 20, 0, 3);
	queue_sample(30, 7);
	feed_lost(&feed, 40, 0, 5);
	assert_int_equal(feed_push_queue(&feed, 0), 4);
	feed_round(&feed, 20);
	assert_int_equal(feed_samples(&feed), 1);
	assert_int_equal(feed.ingest.counters.lost_kernel, 3);
	feed_round(&feed, 40);
	assert_int_equal(feed_samples(&feed), 2);
	assert_int_equal(feed.ingest.counters.lost_kernel, 8);
	assert_int_equal(feed.ingest.reorder->late, 0);
}

/* Its front is there: that it is damaged is found when its turn comes. */
static void queue_cut_sample(size_t words)
{
	const uint64_t fields[] = { 0x1000, PAIR(7, 7), 30, PAIR(0, 0), 1, 100 };
	struct record_bytes record;

	record_begin(&record, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	record_add(&record, fields, words);
	feed_push(&feed, &record);
}

static void test_damaged_samples_are_counted_and_the_others_stay(void **state)
{
	(void)state;
	queue_sample(10, 7);
	queue_cut_sample(2);
	queue_sample(20, 7);
	queue_cut_sample(6);	/* a chain of 100 addresses, of which none is there */
	queue_sample(40, 7);
	assert_int_equal(feed_push_queue(&feed, 0), 5);
	assert_int_equal(feed.ingest.counters.malformed, 1);
	feed_round(&feed, 99);
	assert_int_equal(feed.ingest.counters.malformed, 2);
	assert_int_equal(feed_samples(&feed), 3);
}

static void test_what_another_source_reported_before_is_left_out(void **state)
{
	(void)state;
	feed.ingest.intake->begin_ns = 20;
	queue_sample(10, 7);
	queue_sample(20, 7);
	queue_sample(21, 7);
	assert_int_equal(feed_push_queue(&feed, 0), 3);
	feed_round(&feed, 99);
	assert_int_equal(feed_samples(&feed), 1);
}

static void test_a_sample_without_a_time_counts_at_once(void **state)
{
	(void)state;
	queue_sample(0, 7);
	queue_sample(10, 7);
	assert_int_equal(feed_push_queue(&feed, 0), 2);
	assert_int_equal(feed_samples(&feed), 1);
	feed_round(&feed, 99);
	assert_int_equal(feed_samples(&feed), 2);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

UNIT_TESTS(test_ingest_spans)
{
	const struct CMUnitTest tests[] = {
		TEST(test_samples_of_two_rings_are_counted_in_their_order),
		TEST(test_other_records_among_samples_have_their_turn),
		TEST(test_damaged_samples_are_counted_and_the_others_stay),
		TEST(test_what_another_source_reported_before_is_left_out),
		TEST(test_a_sample_without_a_time_counts_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
