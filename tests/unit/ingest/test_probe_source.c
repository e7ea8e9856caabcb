/* Events and records come two ways: which is looked at when, and the order of two sources. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cmocka.h>

#include "hit_fixture.h"
#include "ingest/source.h"
#include "random_numbers.h"
#include "unit_tests.h"

#define P 1

static struct ingest_fixture feed;
static struct spsc queue;
static bool event_waits, comes_late;	/* late: after the records, as seen from the analyzer */

/* The only event: probe P. Asked a first time it may not be there yet. */
static bool take_event(void *owner, struct engine_event *out)
{
	(void)owner;
	if (!event_waits)
		return false;
	if (comes_late) {
		comes_late = false;
		return false;
	}
	event_waits = false;
	hit_fixture_add(&feed.ingest, P, PROBE_USER, PROBE_ENTRY, "", 0);
	*out = (struct engine_event){ .kind = ENGINE_EVENT_RINGS, .time_ns = 10 };
	return true;
}

static const struct probe_source source = { .event = take_event, .queue = &queue, .fd = -1 };

static int set_up(void **state)
{
	const struct ingest_config config = { .is_replay = true };

	(void)state;
	feed_init(&feed, &config, NULL);
	event_waits = true;
	comes_late = false;
	return spsc_init(&queue, 1 << 16);
}

static int tear_down(void **state)
{
	(void)state;
	spsc_finish(&queue);
	feed_finish(&feed);
	return 0;
}

static void put(enum queue_item_kind kind, const void *payload, size_t bytes)
{
	struct queue_item *item = spsc_reserve(&queue, sizeof(*item) + bytes);

	assert_non_null(item);
	*item = (struct queue_item){ .kind = (uint16_t)kind };
	memcpy(item + 1, payload, bytes);
	spsc_commit(&queue);
}

static void put_hit(uint64_t id, uint64_t time_ns)
{
	const struct hit_record hit = { .time_ns = time_ns, .pid = 5, .tid = 5 };
	struct record_bytes record;

	hit_fixture_write(&record, id, false, &hit);
	put(QUEUE_RECORD, record.words, record.count * 8);
}

static void put_round(uint64_t limit_ns)
{
	const struct queue_round_end mark = { .limit_ns = limit_ns };

	put(QUEUE_ROUND_END, &mark, sizeof(mark));
}

static void test_events_that_come_with_the_records_explain_them(void **state)
{
	struct probe_drain drain;

	(void)state;
	comes_late = true;
	put_hit(100 * P + 1, 20);
	put_round(30);
	feed_round(&feed, 40);
	drain = probe_source_drain(&source, &feed.ingest, 100);
	assert_false(drain.has_more || drain.has_dropped);
	assert_int_equal(feed_samples(&feed), 1);
	assert_int_equal(feed.ingest.counters.malformed, 0);
}

static void test_a_record_that_no_event_explains_is_malformed(void **state)
{
	(void)state;
	put_hit(4711, 20);
	probe_source_drain(&source, &feed.ingest, 100);
	assert_int_equal(feed.ingest.counters.malformed, 1);
}

static void test_a_drain_stops_at_its_limit(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < 5; i++)
		put_hit(100 * P + 1, 20 + i);
	put_round(30);
	feed_round(&feed, 40);
	assert_true(probe_source_drain(&source, &feed.ingest, 4).has_more);
	assert_int_equal(feed_samples(&feed), 0);
	assert_false(probe_source_drain(&source, &feed.ingest, 4).has_more);
	assert_int_equal(feed_samples(&feed), 5);
}

static void test_without_probes_nothing_is_asked(void **state)
{
	const struct probe_source none = { .event = NULL };

	(void)state;
	assert_false(probe_source_drain(&none, &feed.ingest, 4).has_more);
	assert_null(feed.ingest.hits);
}

/* Two sources whose records are each in order, read in turns of any length: what leaves is in order
 * and complete, as far as both have promised. */
static void test_two_sources_leave_in_order_whatever_the_turns(void **state)
{
	uint64_t seed = 99, main_ns = 100, hit_ns = 100, main_limit = 0, hit_limit = 0;
	uint64_t main_times[4000], hit_times[4000];
	size_t main_count = 0, hit_count = 0;

	(void)state;
	probe_source_drain(&source, &feed.ingest, 1);
	while (main_count < 4000 && hit_count < 4000) {
		uint64_t expected = 0, limit;

		if (random_below(&seed, 2)) {
			for (uint32_t n = random_below(&seed, 6); n && main_count < 4000; n--) {
				main_times[main_count++] = main_ns += random_below(&seed, 50);
				feed_sample(&feed, main_ns, 5, 5, 0x1000);
			}
			main_limit = main_ns;
			feed_round(&feed, main_limit);
		} else {
			for (uint32_t n = random_below(&seed, 6); n && hit_count < 4000; n--) {
				hit_times[hit_count++] = hit_ns += random_below(&seed, 50);
				put_hit(100 * P + 1, hit_ns);
			}
			hit_limit = hit_ns;
			put_round(hit_limit);
			probe_source_drain(&source, &feed.ingest, 100);
		}
		limit = main_limit < hit_limit ? main_limit : hit_limit;
		for (size_t i = 0; i < main_count; i++)
			expected += main_times[i] <= limit;
		for (size_t i = 0; i < hit_count; i++)
			expected += hit_times[i] <= limit;
		assert_int_equal(feed_samples(&feed), expected);
	}
	assert_int_equal(feed.ingest.reorder->late, 0);
}

static void test_a_round_of_the_probes_asks_the_other_source_for_one(void **state)
{
	struct probe_source asking = source;
	eventfd_t asked;

	(void)state;
	asking.round_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	feed_round(&feed, 200);
	put_round(200);		/* all of the other's is there */
	probe_source_drain(&asking, &feed.ingest, 10);
	assert_int_equal(eventfd_read(asking.round_fd, &asked), -1);
	put_round(300);
	probe_source_drain(&asking, &feed.ingest, 10);
	assert_int_equal(eventfd_read(asking.round_fd, &asked), 0);
	probe_source_drain(&asking, &feed.ingest, 10);		/* no round: once is enough */
	assert_int_equal(eventfd_read(asking.round_fd, &asked), -1);
	close(asking.round_fd);
}

#define SOURCE_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

UNIT_TESTS(test_probe_source)
{
	const struct CMUnitTest tests[] = {
		SOURCE_TEST(test_events_that_come_with_the_records_explain_them),
		SOURCE_TEST(test_a_record_that_no_event_explains_is_malformed),
		SOURCE_TEST(test_a_drain_stops_at_its_limit),
		SOURCE_TEST(test_without_probes_nothing_is_asked),
		SOURCE_TEST(test_a_round_of_the_probes_asks_the_other_source_for_one),
		SOURCE_TEST(test_two_sources_leave_in_order_whatever_the_turns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
