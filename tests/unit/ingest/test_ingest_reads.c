/* Samples that hold the counters of their group: each event gets what is new of its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ingest_fixture.h"
#include "unit_tests.h"

enum { CLOCK, FAULTS };

static struct ingest_fixture feed;
static struct feed_queue queue;

/* Live: page-faults are read with the samples of cpu-clock. */
static int set_up(void **state)
{
	const struct ingest_config config = { .is_replay = true, .event_count = 2 };
	const struct perf_event_attr attr = {
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			       PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_READ,
		.read_format = PERF_FORMAT_ID | PERF_FORMAT_LOST | PERF_FORMAT_GROUP,
		.freq = 1, .sample_id_all = 1,
	};

	(void)state;
	feed_init(&feed, &config, NULL);
	record_format_init(&feed.event.format, &attr);
	feed.event.format.has_read_period = true;
	feed.event.read_count = 1;
	feed.copies = feed.event;
	feed.copies.read_count = 0;
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

/* @id: of the clock; that of the faults is the next. @count: values in the sample. */
static void queue_reads(uint64_t time_ns, uint32_t tid, uint64_t id, uint64_t clock,
			uint64_t faults, uint64_t count)
{
	const uint64_t fields[] = {
		0x1000, PAIR(7, tid), time_ns, PAIR(0, 0), 1003009, count, clock, id, 0, faults,
		id + 1, 0,
	};
	struct record_bytes record;

	record_begin(&record, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	record_add(&record, fields, 6 + 3 * count);
	feed_push(&feed, &record);
}

static uint64_t sum_of(const struct slice_entry *entries, uint32_t count, uint16_t event,
		       uint64_t *weight)
{
	uint64_t samples = 0;

	for (uint32_t i = 0; i < count; i++)
		if (entries[i].event == event) {
			samples += entries[i].count;
			*weight += entries[i].weight;
		}
	return samples;
}

/* All were counted within one second. */
static void expect(uint16_t event, uint64_t samples, uint64_t weight)
{
	const struct timeline *timeline = &feed.ingest.timeline;
	uint64_t weighed = 0;
	const uint64_t counted =
		sum_of(timeline->open_slice.entries, timeline->open_slice.count, event, &weighed) +
		sum_of(timeline->open.entries, timeline->open.count, event, &weighed);

	assert_int_equal(counted, samples);
	assert_int_equal(weighed, weight);
	assert_int_equal(feed.ingest.counters.malformed, 0);
}

static void push(uint32_t cpu)
{
	feed_push_queue(&feed, cpu);
	feed_round(&feed, 1000);
}

/*	cpu-clock    100 250 400	3 samples, 400
 *	page-faults    2   2   9	2 samples, 9: nothing was new at the second */
static void test_each_event_gets_what_is_new_of_its_own(void **state)
{
	(void)state;
	queue_reads(10, 7, 50, 100, 2, 2);
	queue_reads(20, 8, 50, 250, 2, 2);
	queue_reads(30, 7, 50, 400, 9, 2);
	push(0);
	expect(CLOCK, 3, 400);
	expect(FAULTS, 2, 9);
}

/* Two CPUs; what was counted beside lost samples belongs to the next one. */
static void test_each_cpu_has_counters_of_its_own(void **state)
{
	(void)state;
	queue_reads(10, 7, 50, 100, 2, 2);
	queue_reads(30, 7, 50, 900, 8, 2);
	push(0);
	queue_reads(20, 7, 60, 300, 5, 2);
	queue_reads(40, 7, 60, 301, 6, 2);
	push(1);
	expect(CLOCK, 4, 900 + 301);
	expect(FAULTS, 4, 8 + 6);
}

static void test_a_counter_that_joined_later_is_missing_at_first(void **state)
{
	(void)state;
	queue_reads(10, 7, 50, 100, 0, 1);
	queue_reads(20, 7, 50, 200, 3, 2);
	push(0);
	expect(CLOCK, 2, 200);
	expect(FAULTS, 1, 3);
}

/* An inherited event has the id of what it was inherited from, and values of its own; the next
 * thread of that number begins at 0. */
static void test_each_thread_has_inherited_counters_of_its_own(void **state)
{
	(void)state;
	feed.event.has_values_by_thread = true;
	queue_reads(10, 7, 50, 100, 5, 2);
	queue_reads(20, 8, 50, 30, 1, 2);
	queue_reads(30, 7, 50, 150, 5, 2);
	queue_reads(40, 8, 50, 90, 4, 2);
	feed_exit(&feed, 50, 7, 8);
	push(0);
	expect(CLOCK, 4, 150 + 90);
	expect(FAULTS, 3, 5 + 4);
	queue_reads(60, 8, 50, 200, 6, 2);
	push(0);
	expect(CLOCK, 5, 150 + 90 + 200);
	expect(FAULTS, 4, 5 + 4 + 6);
}

static void test_values_that_are_cut_off_are_malformed(void **state)
{
	const uint64_t fields[] = { 0x1000, PAIR(7, 7), 10, PAIR(0, 0), 1, 2, 100, 50, 0 };
	struct record_bytes record;

	(void)state;
	record_begin(&record, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	record_add(&record, fields, COUNT_OF(fields));
	feed_push(&feed, &record);
	push(0);
	assert_int_equal(feed.ingest.counters.malformed, 1);
	assert_int_equal(feed_samples(&feed), 0);
}

UNIT_TESTS(test_ingest_reads)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_each_event_gets_what_is_new_of_its_own,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_each_cpu_has_counters_of_its_own, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(
			test_a_counter_that_joined_later_is_missing_at_first, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_each_thread_has_inherited_counters_of_its_own,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_values_that_are_cut_off_are_malformed, set_up,
						tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
