/* What probes counted in a baseline stands beside what they count now. */
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
#define SP  UINT64_C(0x7ff000)
#define MS  UINT64_C(1000000)

static int set_up(void **state)
{
	publisher_fixture_set_up(state);
	feed_comm(&feed, 1, PID, PID, "prog", true);
	feed_mmap(&feed, 2, PID, 0x400000, 0x1000, 0, "/bin/prog");
	config.memory_bytes = 16 << 20;
	config.query.compare = true;
	config.window = WINDOW_SECONDS;
	config.window_ns = S;
	publisher.history_ns = S / 10;
	return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, publisher_fixture_tear_down)

static void call(uint64_t time_ns, uint64_t latency_ns)
{
	struct hit_record record = { .time_ns = time_ns, .pid = PID, .tid = PID, .sp = SP };

	assert_true(hit_fixture_enter(&feed.ingest, P, &record));
	record.time_ns += latency_ns;
	record.sp += RETURN_BYTES;
	assert_true(hit_fixture_leave(&feed.ingest, P, &record));
}

/* Attached at 1 s; 2 to 4 s: four calls of 1 ms, 4 to 5 s: three of 30 ms. */
static void fill(void)
{
	hit_fixture_add(&feed.ingest, P, PROBE_USER, PROBE_LATENCY, "", 0);
	hit_fixture_attach_again(&feed.ingest, P, PROBE_LATENCY, S);
	for (uint64_t i = 0; i < 4; i++)
		call(2 * S + 400 * MS * i, MS);
	for (uint64_t i = 0; i < 3; i++)
		call(4 * S + 100 * MS * i, 30 * MS);
	feed_round(&feed, 5 * S);
}

static void test_rate_and_latency_are_those_of_each_window(void **state)
{
	const struct snapshot_probe *probe;
	struct snapshot *snapshot;

	(void)state;
	fill();
	publisher_mark(&publisher, 2 * S, 4 * S, false);
	snapshot = publisher_fixture_make();
	probe = &snapshot->probes.list[0];
	assert_int_equal(probe->hits, 3);
	assert_true(probe->hits_per_s == 3);
	assert_int_equal(probe->latency.max_ns, 30 * MS);
	assert_true(probe->base_hits_per_s == 2);
	assert_int_equal(probe->base_latency.count, 4);
	assert_int_equal(probe->base_latency.max_ns, MS);
	snapshot_destroy(snapshot);
}

static void test_the_longest_call_is_known_after_it_was_forgotten(void **state)
{
	struct snapshot *snapshot;

	(void)state;
	fill();
	publisher_mark(&publisher, 2 * S, 4 * S, false);
	feed.ingest.hits->rows[P].peaks = (struct probe_peaks){ .second = { 0 } };
	snapshot = publisher_fixture_make();
	assert_int_equal(snapshot->probes.list[0].base_latency.max_ns, MS);
	snapshot_destroy(snapshot);
}

static void test_a_probe_that_was_not_there_has_no_rate_to_compare_with(void **state)
{
	struct snapshot *snapshot;

	(void)state;
	fill();
	publisher_mark(&publisher, 5 * S / 10, S, false);
	snapshot = publisher_fixture_make();
	assert_true(snapshot->probes.list[0].base_hits_per_s < 0);
	snapshot_destroy(snapshot);
	publisher_mark(&publisher, 2 * S, 4 * S, false);
	config.query.compare = false;
	snapshot = publisher_fixture_make();
	assert_true(snapshot->probes.list[0].base_hits_per_s < 0);
	snapshot_destroy(snapshot);
}

/* Its slot may be another one's next. */
static void test_a_removed_probe_leaves_the_baseline(void **state)
{
	struct snapshot *snapshot;

	(void)state;
	fill();
	publisher_mark(&publisher, 2 * S, 4 * S, false);
	assert_int_equal(feed.ingest.baseline.count, 2);	/* hits, and their latency */
	hit_fixture_event(&feed.ingest, ENGINE_EVENT_REMOVED, P, 5 * S, PROBE_IS_OFF);
	assert_int_equal(feed.ingest.baseline.count, 0);
	publisher_renumbered(&publisher);
	snapshot = publisher_fixture_make();
	assert_int_equal(snapshot->probes.count, 0);
	snapshot_destroy(snapshot);
}

UNIT_TESTS(test_compare_probes)
{
	const struct CMUnitTest tests[] = {
		TEST(test_rate_and_latency_are_those_of_each_window),
		TEST(test_the_longest_call_is_known_after_it_was_forgotten),
		TEST(test_a_probe_that_was_not_there_has_no_rate_to_compare_with),
		TEST(test_a_removed_probe_leaves_the_baseline),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
