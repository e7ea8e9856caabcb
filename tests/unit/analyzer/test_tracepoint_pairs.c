/* Latencies between two places, most of them tracepoints: which record ends which. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

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

/* A hit of the second place by another process than PID. */
static void end(uint64_t time_ns, uint32_t tid, int64_t size, int32_t next)
{
	const struct hit_record record = {
		.time_ns = time_ns, .pid = tid, .tid = tid, .number = size, .next = next,
	};

	assert_true(hit_fixture_leave(&feed.ingest, P, &record));
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

/* Two functions have two stacks: the thread alone says what belongs together. It begins at 10 and
 * anew at 20, ends at 25, and ends at 30 without a begin; another thread ends what it never began.
 */
static void test_two_functions_are_paired_by_the_thread_and_its_newest_begin(void **state)
{
	struct hit_record record = { .time_ns = S + 10, .pid = PID, .tid = PID, .sp = 0x7f00 };
	const struct snapshot_probe *probe;
	struct snapshot *snapshot;

	(void)state;
	hit_fixture_pair(NULL, NULL);
	hit_fixture_add(&feed.ingest, P, PROBE_USER, PROBE_LATENCY, "", 0);
	assert_true(hit_fixture_enter(&feed.ingest, P, &record));
	record.time_ns = S + 20;
	record.sp = 0x7e00;
	record.number = 2;
	assert_true(hit_fixture_enter(&feed.ingest, P, &record));
	record.sp = 0x7000;
	for (record.time_ns = S + 25; record.time_ns <= S + 30; record.time_ns += 5)
		assert_true(hit_fixture_leave(&feed.ingest, P, &record));
	end(S + 40, 101, 0, 0);
	snapshot = frame(2 * S);
	probe = &snapshot->probes.list[0];
	assert_int_equal(probe->hits, 1);
	assert_int_equal(probe->latency.max_ns, 5);
	assert_int_equal(probe->values[0].top[0].number, 2);
	assert_int_equal(probe->unpaired, 3);
	assert_int_equal(probe->in_flight, 0);
	snapshot_destroy(snapshot);
}

/* Numbers of 64 bits at the first place, of 32 at the second, where they are called otherwise; the
 * value is the first place's. */
static void test_fields_of_other_names_and_widths_join_by_their_values(void **state)
{
	const struct snapshot_probe *probe;
	struct snapshot *snapshot;

	(void)state;
	hit_fixture_pair("size", "next");
	hit_fixture_add(&feed.ingest, P, PROBE_TRACEPOINT, PROBE_LATENCY, "", 0);
	enter(S + 10, PID, 77, "a");
	enter(S + 11, PID, -5, "b");
	enter(S + 12, PID, 0xfffffffb, "c");	/* the same 32 bits as -5, another value */
	end(S + 20, 9, 1, 77);
	end(S + 31, 9, 1, -5);
	end(S + 40, 9, 77, 1);
	snapshot = frame(2 * S);
	probe = &snapshot->probes.list[0];
	assert_int_equal(probe->hits, 2);
	assert_int_equal(probe->latency.octaves[3], 1);		/* 10 ns */
	assert_int_equal(probe->latency.max_ns, 20);
	assert_int_equal((int64_t)probe->values[0].min, -5);
	assert_int_equal(probe->values[0].max, 77);
	assert_int_equal(probe->unpaired, 1);
	assert_int_equal(probe->in_flight, 1);
	snapshot_destroy(snapshot);
}

/* 0x0201 and 0x0101 have the same first byte. */
static void test_arrays_join_by_all_of_their_bytes(void **state)
{
	struct snapshot *snapshot;

	(void)state;
	hit_fixture_pair("bytes", "bytes");
	hit_fixture_add(&feed.ingest, P, PROBE_TRACEPOINT, PROBE_LATENCY, "", 0);
	enter(S + 10, PID, 0x0201, "a");
	end(S + 20, 9, 0x0101, 0);
	end(S + 40, 9, 0x0201, 0);
	snapshot = frame(2 * S);
	assert_int_equal(snapshot->probes.list[0].hits, 1);
	assert_int_equal(snapshot->probes.list[0].latency.max_ns, 30);
	assert_int_equal(snapshot->probes.list[0].unpaired, 1);
	snapshot_destroy(snapshot);
}

/* Who begins is asked for: another process may end it, and what others begin is not known. */
static void test_a_pair_belongs_to_the_process_that_begins_it(void **state)
{
	const struct hit_record other = { .time_ns = S + 12, .pid = 9, .tid = 9, .number = 2 };
	struct snapshot *snapshot;

	(void)state;
	hit_fixture_pair("size", "next");
	hit_fixture_add(&feed.ingest, P, PROBE_TRACEPOINT, PROBE_LATENCY, "", PID);
	enter(S + 10, PID, 1, "a");
	assert_true(hit_fixture_enter(&feed.ingest, P, &other));
	end(S + 20, 9, 0, 1);
	end(S + 30, 9, 0, 2);
	snapshot = frame(2 * S);
	assert_int_equal(snapshot->probes.list[0].hits, 1);
	assert_int_equal(snapshot->probes.list[0].latency.max_ns, 10);
	assert_int_equal(snapshot->probes.list[0].unpaired, 0);
	assert_int_equal(snapshot->probes.list[0].in_flight, 0);
	snapshot_destroy(snapshot);
}

/* The end of what began at 10 may be lost, and that at 60 another's. */
static void test_what_began_before_lost_records_is_not_paired(void **state)
{
	struct snapshot *snapshot;

	(void)state;
	hit_fixture_pair("size", "next");
	hit_fixture_add(&feed.ingest, P, PROBE_USDT, PROBE_LATENCY, "", 0);
	enter(S + 10, PID, 1, "a");
	hit_fixture_lost(&feed.ingest, P, S + 50);
	end(S + 60, 9, 0, 1);
	enter(S + 70, PID, 1, "a");
	end(S + 74, 9, 0, 1);
	snapshot = frame(2 * S);
	assert_int_equal(snapshot->probes.list[0].hits, 1);
	assert_int_equal(snapshot->probes.list[0].latency.max_ns, 4);
	assert_int_equal(snapshot->probes.list[0].unpaired, 2);
	snapshot_destroy(snapshot);
}

static void pass(uint64_t time_ns, uint32_t middle, int32_t next)
{
	const struct hit_record record = { .time_ns = time_ns, .pid = 9, .tid = 9, .next = next };

	assert_true(hit_fixture_pass(&feed.ingest, P, middle, &record));
}

/* A latency through @middles points, joined by size and next. */
static void add_stages(uint32_t middles, const char *condition)
{
	hit_fixture_pair("size", "next");
	hit_fixture_middles(middles);
	hit_fixture_add(&feed.ingest, P, PROBE_TRACEPOINT, PROBE_LATENCY, condition, 0);
}

static const struct snapshot_value *stage_of(const struct snapshot *snapshot, uint32_t stage)
{
	const struct snapshot_probe *probe = &snapshot->probes.list[0];
	const struct snapshot_value *value = &probe->values[probe->value_count - 1];

	while (strcmp(value->type, "ns") != 0 || value->name[3] != (char)('0' + stage))
		value--;
	return value;
}

/* 1: begins at 10, 13, 17, ends at 30; 2 begins between and takes 4, 5 and 6 ns. */
static void test_each_stage_has_its_own_time(void **state)
{
	const struct snapshot_probe *probe;
	struct snapshot *snapshot;

	(void)state;
	add_stages(2, "");
	enter(S + 10, PID, 1, "a");
	enter(S + 11, PID, 2, "b");
	pass(S + 13, 1, 1);
	pass(S + 15, 1, 2);
	pass(S + 17, 2, 1);
	pass(S + 20, 2, 2);
	end(S + 26, 9, 0, 2);
	end(S + 30, 9, 0, 1);
	snapshot = frame(2 * S);
	probe = &snapshot->probes.list[0];
	assert_int_equal(probe->hits, 2);
	assert_int_equal(probe->unpaired + probe->in_flight, 0);
	assert_int_equal(probe->latency.max_ns, 20);
	for (uint32_t stage = 1; stage <= 3; stage++)
		assert_int_equal(stage_of(snapshot, stage)->count, 2);
	assert_int_equal(stage_of(snapshot, 1)->min, 3);
	assert_int_equal(stage_of(snapshot, 1)->max, 4);
	assert_int_equal(stage_of(snapshot, 2)->min, 4);
	assert_int_equal(stage_of(snapshot, 2)->max, 5);
	assert_int_equal(stage_of(snapshot, 3)->min, 6);
	assert_int_equal(stage_of(snapshot, 3)->max, 13);
	snapshot_destroy(snapshot);
}

/* Of the hits of each key, in order: what is measured and what is counted as unpaired. */
static void test_a_hit_out_of_order_is_unpaired(void **state)
{
	const struct snapshot_probe *probe;
	struct snapshot *snapshot;

	(void)state;
	add_stages(1, "");
	enter(S + 1, PID, 1, "a");	/* A B B C: the first B counts, the second is left over */
	pass(S + 2, 1, 1);
	pass(S + 4, 1, 1);
	end(S + 8, 9, 0, 1);
	enter(S + 11, PID, 2, "a");	/* A C B C: without its B, A and all that follows */
	end(S + 12, 9, 0, 2);
	pass(S + 13, 1, 2);
	end(S + 14, 9, 0, 2);
	enter(S + 21, PID, 3, "a");	/* A B A B C: the newest A is measured */
	pass(S + 22, 1, 3);
	enter(S + 23, PID, 3, "a");
	pass(S + 40, 1, 3);
	end(S + 41, 9, 0, 3);
	pass(S + 51, 1, 4);		/* B C: nothing began */
	end(S + 52, 9, 0, 4);
	enter(S + 61, PID, 5, "a");	/* A B: may still end */
	pass(S + 62, 1, 5);
	snapshot = frame(2 * S);
	probe = &snapshot->probes.list[0];
	assert_int_equal(probe->hits, 2);
	assert_int_equal(probe->unpaired, 1 + 4 + 1 + 2);
	assert_int_equal(probe->in_flight, 1);
	assert_int_equal(stage_of(snapshot, 1)->min, 1);
	assert_int_equal(stage_of(snapshot, 1)->max, 17);
	assert_int_equal(stage_of(snapshot, 2)->min, 1);
	assert_int_equal(stage_of(snapshot, 2)->max, 6);
	snapshot_destroy(snapshot);
}

/* A -> B -> C -> D that leaves out C: at D it is over, and an earlier B can't be passed. */
static void test_a_stage_that_is_left_out_ends_the_path(void **state)
{
	struct snapshot *snapshot;

	(void)state;
	add_stages(2, "");
	enter(S + 1, PID, 1, "a");
	pass(S + 2, 2, 1);		/* C before B: A is over */
	pass(S + 3, 1, 1);
	pass(S + 4, 2, 1);
	end(S + 5, 9, 0, 1);
	snapshot = frame(2 * S);
	assert_int_equal(snapshot->probes.list[0].hits, 0);
	assert_int_equal(snapshot->probes.list[0].unpaired, 5);
	assert_int_equal(snapshot->probes.list[0].in_flight, 0);
	snapshot_destroy(snapshot);
}

static void test_a_condition_asks_for_the_time_of_a_stage(void **state)
{
	struct snapshot *snapshot;

	(void)state;
	add_stages(1, "lat2 > 5ns and lat < 1us");
	for (uint64_t i = 1; i <= 10; i++) {
		enter(S + 100 * i, PID, 1, "a");
		pass(S + 100 * i + 20, 1, 1);
		end(S + 100 * i + 20 + i, 9, 0, 1);
	}
	snapshot = frame(2 * S);
	assert_int_equal(snapshot->probes.list[0].hits, 5);
	assert_int_equal(snapshot->probes.list[0].filtered, 5);
	assert_int_equal(stage_of(snapshot, 2)->min, 6);
	snapshot_destroy(snapshot);
}

/* The gap may hide a second hit of the first place. */
static void test_no_stage_is_measured_across_lost_records(void **state)
{
	struct snapshot *snapshot;

	(void)state;
	add_stages(1, "");
	enter(S + 10, PID, 1, "a");
	hit_fixture_lost(&feed.ingest, P, S + 50);
	pass(S + 60, 1, 1);
	end(S + 70, 9, 0, 1);
	enter(S + 80, PID, 1, "a");
	pass(S + 85, 1, 1);
	end(S + 87, 9, 0, 1);
	snapshot = frame(2 * S);
	assert_int_equal(snapshot->probes.list[0].hits, 1);
	assert_int_equal(snapshot->probes.list[0].unpaired, 3);
	assert_int_equal(snapshot->probes.list[0].latency.max_ns, 7);
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
		PAIRS_TEST(test_two_functions_are_paired_by_the_thread_and_its_newest_begin),
		PAIRS_TEST(test_fields_of_other_names_and_widths_join_by_their_values),
		PAIRS_TEST(test_arrays_join_by_all_of_their_bytes),
		PAIRS_TEST(test_a_pair_belongs_to_the_process_that_begins_it),
		PAIRS_TEST(test_what_began_before_lost_records_is_not_paired),
		PAIRS_TEST(test_each_stage_has_its_own_time),
		PAIRS_TEST(test_a_hit_out_of_order_is_unpaired),
		PAIRS_TEST(test_a_stage_that_is_left_out_ends_the_path),
		PAIRS_TEST(test_a_condition_asks_for_the_time_of_a_stage),
		PAIRS_TEST(test_no_stage_is_measured_across_lost_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
