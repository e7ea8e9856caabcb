/* How many hits a second a probe had, of which time. */
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

static void enter(uint64_t time_ns)
{
	const struct hit_record record = { .time_ns = time_ns, .pid = PID, .tid = PID, .sp = SP };

	assert_true(hit_fixture_enter(&feed.ingest, P, &record));
}

static struct snapshot *frame(uint64_t limit_ns)
{
	feed_round(&feed, limit_ns);
	return publisher_fixture_make();
}

/* 1000 hits in the half second until it is switched off, then nothing for 3.5 s. */
static void test_hits_a_second_are_of_the_time_attached_alone(void **state)
{
	struct snapshot *snapshot;

	(void)state;
	hit_fixture_add(&feed.ingest, P, PROBE_USER, PROBE_ENTRY, "", 0);
	hit_fixture_attach_again(&feed.ingest, P, PROBE_ENTRY, 4 * S);
	for (uint64_t i = 0; i < 1000; i++)
		enter(4 * S + i);
	hit_fixture_event(&feed.ingest, ENGINE_EVENT_IGNORE, P, 4 * S + S / 2, PROBE_CAPPED);
	snapshot = frame(8 * S);
	assert_int_equal(snapshot->probes.list[0].hits, 1000);
	assert_true(snapshot->probes.list[0].hits_per_s == 2000);
	snapshot_destroy(snapshot);
}

/* A turn of 0.2 s begins each second, and more of them than are kept. The window of the last three
 * begins in the middle of a turn. */
static void test_the_time_attached_is_that_of_all_turns(void **state)
{
	const uint64_t count = 2 * PROBE_TURNS, fifth = S / 5;
	struct probe_turns turns = { .count = 0 };

	(void)state;
	for (uint64_t turn = 1; turn <= count; turn++) {
		probe_turns_begin(&turns, turn * S);
		probe_turns_end(&turns, turn * S + fifth);
	}
	assert_int_equal(probe_turns_between(&turns, 0, count * S + S), count * fifth);
	assert_int_equal(probe_turns_between(&turns, (count - 2) * S + fifth / 2, count * S + S),
			 2 * fifth + fifth / 2);
	assert_int_equal(probe_turns_between(&turns, count * S + fifth, count * S + S), 0);
	probe_turns_begin(&turns, count * S + S);	/* it has no end yet */
	assert_int_equal(probe_turns_between(&turns, count * S + fifth, count * S + 2 * S), S);
}

static void test_a_moment_has_no_hits_a_second(void **state)
{
	struct snapshot *snapshot;

	(void)state;
	hit_fixture_add(&feed.ingest, P, PROBE_USER, PROBE_ENTRY, "", 0);
	hit_fixture_attach_again(&feed.ingest, P, PROBE_ENTRY, 4 * S);
	enter(4 * S);
	snapshot = frame(4 * S + S / 1000);
	assert_int_equal(snapshot->probes.list[0].hits, 1);
	assert_true(snapshot->probes.list[0].hits_per_s < 0);
	snapshot_destroy(snapshot);
}

UNIT_TESTS(test_probe_rates)
{
#define RATE_TEST(test)                                                                            \
	cmocka_unit_test_setup_teardown(test, publisher_fixture_set_up, publisher_fixture_tear_down)
	const struct CMUnitTest tests[] = {
		RATE_TEST(test_hits_a_second_are_of_the_time_attached_alone),
		RATE_TEST(test_the_time_attached_is_that_of_all_turns),
		RATE_TEST(test_a_moment_has_no_hits_a_second),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
