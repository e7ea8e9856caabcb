/* Latencies between tracepoints: which record ends which. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "hit_fixture.h"
#include "publisher_fixture.h"
#include "unit_tests.h"

#define PID 100
#define P   1

static int set_up(void **state)
{
	publisher_fixture_set_up(state);
	feed_comm(&feed, 1, PID, PID, "prog", true);
	config.query.probe = P;
	return 0;
}

static void enter(uint64_t time_ns, uint32_t tid, int64_t size, const char *name)
{
	const struct hit_record record = {
		.time_ns = time_ns, .pid = PID, .tid = tid, .number = size, .text = name,
	};

	assert_true(hit_fixture_enter(&feed.ingest, P, &record));
}

static struct snapshot *frame(uint64_t limit_ns)
{
	feed_round(&feed, limit_ns);
	return publisher_fixture_make();
}

/* Hits with the values 8, 16, 8, 8 at 10, 15, 30, 90: of value 8 two intervals, 20 and 60 ns. */
static void test_a_tracepoint_to_itself_pairs_each_hit_with_the_previous_of_its_key(void **state)
{
	const struct snapshot_probe *probe;
	struct snapshot *snapshot;

	(void)state;
	hit_fixture_keys("size", NULL);
	hit_fixture_interval();
	hit_fixture_add(&feed.ingest, P, PROBE_TRACEPOINT, PROBE_LATENCY, "", 0);
	enter(S + 10, PID, 8, "a");
	enter(S + 15, PID, 16, "b");
	enter(S + 30, 101, 8, "c");
	enter(S + 90, PID, 8, "d");
	snapshot = frame(2 * S);
	probe = &snapshot->probes.list[0];
	assert_int_equal(probe->hits, 2);
	assert_int_equal(probe->unpaired, 0);
	assert_int_equal(probe->in_flight, 2);
	assert_int_equal(probe->latency.octaves[4], 1);		/* 16 to 31 ns */
	assert_int_equal(probe->latency.octaves[5], 1);
	assert_int_equal(probe->latency.max_ns, 60);
	assert_int_equal(probe->values[0].count, 2);
	assert_int_equal(probe->values[0].top[0].number, 8);
	snapshot_destroy(snapshot);
}

/* Thread 100 hits at 10 and 30, thread 101 at 20; no hit is known between 30 and 50. */
static void test_an_interval_is_of_one_thread_and_ends_at_a_gap(void **state)
{
	struct snapshot *snapshot;

	(void)state;
	hit_fixture_interval();
	hit_fixture_add(&feed.ingest, P, PROBE_TRACEPOINT, PROBE_LATENCY, "", 0);
	enter(S + 10, PID, 1, "a");
	enter(S + 20, 101, 1, "a");
	enter(S + 30, PID, 1, "a");
	hit_fixture_lost(&feed.ingest, P, S + 50);
	enter(S + 60, PID, 1, "a");
	enter(S + 65, PID, 1, "a");
	snapshot = frame(2 * S);
	assert_int_equal(snapshot->probes.list[0].hits, 2);	/* 10 to 30, 60 to 65 */
	assert_int_equal(snapshot->probes.list[0].unpaired, 1);
	assert_int_equal(snapshot->probes.list[0].in_flight, 2);
	assert_int_equal(snapshot->probes.list[0].latency.max_ns, 20);
	snapshot_destroy(snapshot);
}

/* Issue of 8 sectors, then of 16; the 16 complete first, in another process. */
static void test_tracepoints_are_paired_by_their_key(void **state)
{
	struct hit_record end = { .time_ns = S + 30, .pid = 9, .tid = 9, .number = 16 };
	struct snapshot *snapshot;

	(void)state;
	hit_fixture_keys("size", NULL);
	hit_fixture_add(&feed.ingest, P, PROBE_TRACEPOINT, PROBE_LATENCY, "", 0);
	enter(S + 10, PID, 8, "a");
	enter(S + 20, PID, 16, "b");
	assert_true(hit_fixture_leave(&feed.ingest, P, &end));
	end.time_ns = S + 40;
	assert_true(hit_fixture_leave(&feed.ingest, P, &end));	/* nobody issued it */
	snapshot = frame(2 * S);
	assert_int_equal(snapshot->probes.list[0].hits, 1);
	assert_int_equal(snapshot->probes.list[0].unpaired, 1);
	assert_int_equal(snapshot->probes.list[0].in_flight, 1);
	assert_int_equal(snapshot->probes.list[0].latency.max_ns, 10);
	assert_int_equal(snapshot->probes.list[0].values[0].top[0].number, 16);
	snapshot_destroy(snapshot);
}

#define PAIRS_TEST(name) \
	cmocka_unit_test_setup_teardown(name, set_up, publisher_fixture_tear_down)

UNIT_TESTS(test_tracepoint_pairs)
{
	const struct CMUnitTest tests[] = {
		PAIRS_TEST(test_tracepoints_are_paired_by_their_key),
		PAIRS_TEST(test_a_tracepoint_to_itself_pairs_each_hit_with_the_previous_of_its_key),
		PAIRS_TEST(test_an_interval_is_of_one_thread_and_ends_at_a_gap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
