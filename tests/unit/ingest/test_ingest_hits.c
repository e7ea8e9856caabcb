/* Records of probes in, snapshots out: what is counted as a hit, with which latency and values. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/budget.h"
#include "hit_fixture.h"
#include "ingest/source.h"
#include "publisher_fixture.h"
#include "unit_tests.h"

#define PID 100
#define P   1		/* the probe in most stories */
#define SP  UINT64_C(0x7ff000)

static int set_up(void **state)
{
	publisher_fixture_set_up(state);
	feed_comm(&feed, 1, PID, PID, "prog", true);
	feed_mmap(&feed, 2, PID, 0x400000, 0x1000, 0, "/bin/prog");
	config.query.probe = P;
	return 0;
}

static int tear_down(void **state)
{
	hit_fixture_keys(NULL, NULL);
	return publisher_fixture_tear_down(state);
}

static void enter(uint64_t time_ns, uint32_t tid, uint64_t sp, int64_t size, const char *name)
{
	const struct hit_record record = {
		.time_ns = time_ns, .pid = PID, .tid = tid, .sp = sp, .number = size, .text = name,
	};

	assert_true(hit_fixture_enter(&feed.ingest, P, &record));
}

static void leave(uint64_t time_ns, uint32_t tid, uint64_t sp, int64_t ret)
{
	const struct hit_record record = {
		.time_ns = time_ns, .pid = PID, .tid = tid, .sp = sp + RETURN_BYTES, .number = ret,
	};

	assert_true(hit_fixture_leave(&feed.ingest, P, &record));
}

/* All up to @limit_ns, of both sources; P's row in it. */
static struct snapshot *frame(uint64_t limit_ns)
{
	struct snapshot *snapshot;

	feed_round(&feed, limit_ns);
	snapshot = publisher_fixture_make();
	assert_int_equal(feed.ingest.counters.malformed, 0);
	assert_int_equal(feed.ingest.counters.dropped_no_memory, 0);
	return snapshot;
}

static void test_each_entry_is_a_hit_with_its_values(void **state)
{
	const struct snapshot_probe *probe;
	const struct snapshot_value *size, *name;
	struct snapshot *snapshot;

	(void)state;
	hit_fixture_add(&feed.ingest, P, PROBE_USER, PROBE_ENTRY, "", 0);
	enter(S + 1, PID, SP, -3, "beta");
	enter(S + 2, PID, SP, 16, "alpha");
	enter(S + 3, PID, SP, 16, "alpha");
	enter(S + 4, PID, SP, 0, NULL);
	snapshot = frame(2 * S);
	assert_int_equal(snapshot->probes.count, 1);
	probe = &snapshot->probes.list[0];
	assert_int_equal(probe->hits, 4);
	assert_int_equal(probe->unpaired + probe->filtered + probe->in_flight, 0);
	assert_false(probe->has_latency);
	assert_true(probe->lease_s < 0);
	assert_string_equal(probe->name, "take");
	assert_int_equal(probe->value_count, 2);
	size = &probe->values[0];
	assert_string_equal(size->name, "size");
	assert_string_equal(size->origin, "DWARF");
	assert_int_equal(size->count, 4);
	assert_int_equal(size->numbers, 4);
	assert_true(size->is_signed);
	assert_int_equal((int64_t)size->min, -3);
	assert_int_equal(size->max, 16);
	assert_int_equal((int)(size->mean * 100), 725);		/* 29 / 4 */
	assert_int_equal(size->octaves[4], 2);
	assert_int_equal(size->octaves[1], 1);
	assert_int_equal(size->zeros, 1);
	assert_int_equal(size->negatives, 1);
	assert_int_equal(size->top_count, 3);
	assert_int_equal(size->top[0].number, 16);
	assert_string_equal(size->top[0].text, "16");
	assert_int_equal(size->top[0].count, 2);
	assert_int_equal(size->other, 0);
	name = &probe->values[1];
	assert_int_equal(name->count, 3);
	assert_int_equal(name->numbers, 0);
	assert_int_equal(name->unknown, 1);
	assert_string_equal(name->top[0].text, "alpha");
	assert_int_equal(name->top[0].count, 2);
	assert_string_equal(name->top[1].text, "beta");
	snapshot_destroy(snapshot);
}

static void test_hits_a_second_count_from_when_the_probe_was_attached(void **state)
{
	struct snapshot *snapshot;

	(void)state;
	hit_fixture_add(&feed.ingest, P, PROBE_USER, PROBE_ENTRY, "", 0);
	hit_fixture_attach_again(&feed.ingest, P, PROBE_ENTRY, 4 * S);
	for (uint64_t i = 0; i < 10; i++)
		enter(4 * S + i, PID, SP, 0, NULL);
	snapshot = frame(6 * S);
	assert_int_equal(snapshot->probes.list[0].hits, 10);
	assert_true(snapshot->probes.list[0].hits_per_s == 5);
	snapshot_destroy(snapshot);
}

/* 1 ms and 3 ms: octaves 19 (524 us to 1049 us) and 21 (2.1 to 4.2 ms). */
static void test_an_entry_and_its_return_are_one_hit_with_a_latency(void **state)
{
	const struct snapshot_probe *probe;
	struct snapshot *snapshot;

	(void)state;
	hit_fixture_add(&feed.ingest, P, PROBE_USER, PROBE_LATENCY, "", 0);
	enter(S, PID, SP, 1, "a");
	enter(S + 100, 101, SP, 2, "b");
	leave(S + 1000000, PID, SP, 7);
	leave(S + 3000100, 101, SP, -8);
	enter(S + 4000000, PID, SP, 3, "c");
	snapshot = frame(2 * S);
	probe = &snapshot->probes.list[0];
	assert_int_equal(probe->hits, 2);
	assert_int_equal(probe->in_flight, 1);
	assert_int_equal(probe->unpaired, 0);
	assert_int_equal(probe->latency.count, 2);
	assert_int_equal(probe->latency.octaves[19], 1);
	assert_int_equal(probe->latency.octaves[21], 1);
	assert_int_equal(probe->latency.max_ns, 3000000);
	assert_int_equal(probe->values[0].count, 2);
	assert_string_equal(probe->values[2].name, "ret");
	assert_int_equal((int64_t)probe->values[2].min, -8);
	assert_int_equal(probe->values[2].max, 7);
	snapshot_destroy(snapshot);
}

/* The second that a call ends in is the one it counts in; whose it is says its entry. */
static void test_a_hit_counts_when_it_returns(void **state)
{
	struct snapshot *snapshot;

	(void)state;
	hit_fixture_add(&feed.ingest, P, PROBE_USER, PROBE_LATENCY, "", 0);
	publisher.history_ns = S;
	enter(S + 900000000, PID, SP, 1, "a");
	leave(2 * S + 100000000, PID, SP, 0);
	snapshot = frame(3 * S + 1);
	assert_int_equal(snapshot->probes.heat.seconds, 3);	/* 1, 2, and 3 just begun */
	assert_int_equal(snapshot->probes.heat.counts[0][27], 0);
	assert_int_equal(snapshot->probes.heat.counts[1][27], 1);
	assert_int_equal(snapshot->probes.list[0].spark_count, 2);
	assert_true(snapshot->probes.list[0].spark[1] == 1);
	snapshot_destroy(snapshot);
	assert_int_equal(feed_counted(&feed, "prog", PID, "/bin/prog", 0x10), 1);
}

static void test_returns_without_entries_and_entries_without_returns_are_unpaired(void **state)
{
	struct snapshot *snapshot;

	(void)state;
	hit_fixture_add(&feed.ingest, P, PROBE_USER, PROBE_LATENCY, "", 0);
	leave(S, PID, SP, 0);
	enter(S + 1, PID, SP, 1, "a");
	enter(S + 2, PID, SP + 64, 1, "b");	/* a's frame is gone */
	feed_exit(&feed, S + 3, PID, PID);
	snapshot = frame(2 * S);
	assert_int_equal(snapshot->probes.list[0].hits, 0);
	assert_int_equal(snapshot->probes.list[0].unpaired, 3);
	assert_int_equal(snapshot->probes.list[0].in_flight, 0);
	snapshot_destroy(snapshot);
}

static void test_an_entry_before_lost_records_is_not_guessed_to_go_on(void **state)
{
	struct snapshot *snapshot;

	(void)state;
	hit_fixture_add(&feed.ingest, P, PROBE_USER, PROBE_LATENCY, "", 0);
	enter(S, PID, SP, 1, "a");
	hit_fixture_lost(&feed.ingest, P, S + 5);
	leave(S + 10, PID, SP, 0);
	enter(S + 20, PID, SP, 1, "a");
	leave(S + 30, PID, SP, 0);
	snapshot = frame(2 * S);
	assert_int_equal(snapshot->probes.list[0].hits, 1);
	assert_int_equal(snapshot->probes.list[0].unpaired, 2);
	assert_int_equal(snapshot->lost_kernel, 5);	/* by a kernel that tells it nowhere else */
	snapshot_destroy(snapshot);
}

static void test_an_entry_from_before_it_was_off_and_a_return_since_are_two_unpaired(void **state)
{
	const struct hit_record back = { .time_ns = S + 10, .pid = PID, .tid = PID,
					 .sp = SP + RETURN_BYTES };
	struct snapshot *snapshot;
	struct record_bytes record;

	(void)state;
	hit_fixture_add(&feed.ingest, P, PROBE_USER, PROBE_LATENCY, "", 0);
	enter(S, PID, SP, 1, "a");
	hit_fixture_attach_again(&feed.ingest, P, PROBE_LATENCY, S);
	hit_fixture_write(&record, 100 * P + 52, true, &back);
	assert_true(probe_records_push(&feed.ingest, record.words, record.count * 8, 0));
	snapshot = frame(2 * S);
	assert_int_equal(snapshot->probes.list[0].hits, 0);
	assert_int_equal(snapshot->probes.list[0].unpaired, 2);
	snapshot_destroy(snapshot);
}

static void test_a_condition_sees_values_latency_and_names(void **state)
{
	struct snapshot *snapshot;

	(void)state;
	hit_fixture_add(&feed.ingest, P, PROBE_USER, PROBE_LATENCY,
			"size > 10 and lat >= 1us and comm == prog and ret == 0", 0);
	for (uint64_t i = 0; i < 5; i++) {	/* sizes 9 to 13, 1 us each but for the last */
		enter(S + i * 10000, PID, SP, 9 + (int64_t)i, "a");
		leave(S + i * 10000 + (i == 4 ? 999 : 1000), PID, SP, i == 3);
	}
	snapshot = frame(2 * S);
	assert_int_equal(snapshot->probes.list[0].hits, 1);
	assert_int_equal(snapshot->probes.list[0].filtered, 4);
	assert_int_equal(snapshot->probes.list[0].values[0].count, 1);
	assert_int_equal(snapshot->probes.list[0].values[0].top[0].number, 11);
	snapshot_destroy(snapshot);
}

static void test_another_process_is_not_counted_but_a_child_is(void **state)
{
	const struct hit_record stranger = { .time_ns = S + 1, .pid = 300, .tid = 300 };
	const struct hit_record child = { .time_ns = S + 2, .pid = 200, .tid = 200 };
	struct snapshot *snapshot;

	(void)state;
	hit_fixture_add(&feed.ingest, P, PROBE_USER, PROBE_ENTRY, "", PID);
	feed_fork(&feed, S, PID, PID, 200, 200);
	enter(S + 1, PID, SP, 1, "a");
	assert_true(hit_fixture_enter(&feed.ingest, P, &stranger));
	assert_true(hit_fixture_enter(&feed.ingest, P, &child));
	snapshot = frame(2 * S);
	assert_int_equal(snapshot->probes.list[0].hits, 2);
	snapshot_destroy(snapshot);
}

static void test_hits_after_the_order_to_stop_are_nobodys(void **state)
{
	struct snapshot *snapshot;

	(void)state;
	hit_fixture_add(&feed.ingest, P, PROBE_USER, PROBE_ENTRY, "", 0);
	enter(S + 1, PID, SP, 1, "a");
	enter(S + 9, PID, SP, 1, "a");
	hit_fixture_event(&feed.ingest, ENGINE_EVENT_IGNORE, P, S + 5, PROBE_IS_OFF);
	snapshot = frame(2 * S);
	assert_int_equal(snapshot->probes.list[0].hits, 1);
	snapshot_destroy(snapshot);
}

/* Records of the first turn are still on their way when the second begins. */
static void test_each_turn_of_a_probe_is_read_by_its_own_ids(void **state)
{
	const struct hit_record late = { .time_ns = S + 20, .pid = PID, .tid = PID };
	struct record_bytes again;
	struct snapshot *snapshot;

	(void)state;
	hit_fixture_add(&feed.ingest, P, PROBE_USER, PROBE_ENTRY, "", 0);
	hit_fixture_event(&feed.ingest, ENGINE_EVENT_IGNORE, P, S + 5, PROBE_IS_OFF);
	hit_fixture_attach_again(&feed.ingest, P, PROBE_ENTRY, S);
	enter(S + 1, PID, SP, 1, "of the first turn");
	enter(S + 9, PID, SP, 1, "after its end");
	hit_fixture_write(&again, 100 * P + 51, false, &late);
	assert_true(probe_records_push(&feed.ingest, again.words, again.count * 8, 0));
	snapshot = frame(2 * S);
	assert_int_equal(snapshot->probes.list[0].hits, 2);
	snapshot_destroy(snapshot);
}

static void test_an_unknown_id_is_refused(void **state)
{
	const struct hit_record record = { .time_ns = S, .pid = PID, .tid = PID };

	(void)state;
	assert_false(hit_fixture_enter(&feed.ingest, 7, &record));
	hit_fixture_add(&feed.ingest, P, PROBE_USER, PROBE_ENTRY, "", 0);
	assert_false(hit_fixture_enter(&feed.ingest, 7, &record));
	assert_int_equal(feed.ingest.counters.malformed, 0);	/* its event may come */
}

/* 5, 2^63, 2^64 - 1 and 2^64 - 1: as signed numbers the largest would be the smallest. */
static void test_unsigned_values_keep_their_whole_range(void **state)
{
	const struct snapshot_value *size;
	struct snapshot *snapshot;

	(void)state;
	hit_fixture_unsigned();
	hit_fixture_add(&feed.ingest, P, PROBE_USER, PROBE_ENTRY, "size >= 5", 0);
	enter(S, PID, SP, INT64_MIN, "a");
	enter(S + 1, PID, SP, 5, "a");
	enter(S + 2, PID, SP, -1, "a");
	enter(S + 3, PID, SP, -1, "a");
	snapshot = frame(2 * S);
	size = &snapshot->probes.list[0].values[0];
	assert_int_equal(size->count, 4);
	assert_false(size->is_signed);
	assert_true(size->min == 5);
	assert_true(size->max == UINT64_MAX);
	assert_true(size->mean > 1.1529e19 && size->mean < 1.1530e19);	/* 2.5 times 2^62 */
	assert_int_equal(size->negatives, 0);
	assert_int_equal(size->octaves[63], 3);
	assert_string_equal(size->top[0].text, "18446744073709551615");
	snapshot_destroy(snapshot);
}

static void test_a_removed_probe_takes_its_counts_along(void **state)
{
	struct snapshot *snapshot;

	(void)state;
	hit_fixture_add(&feed.ingest, P, PROBE_USER, PROBE_ENTRY, "", 0);
	hit_fixture_add(&feed.ingest, 2, PROBE_USER, PROBE_ENTRY, "", 0);
	feed_sample(&feed, S, PID, PID, 0x400020);
	enter(S + 1, PID, SP, 1, "a");
	assert_true(hit_fixture_enter(&feed.ingest, 2, &(struct hit_record){
		.time_ns = S + 2, .pid = PID, .tid = PID, .number = 5 }));
	snapshot_destroy(frame(2 * S));
	enter(2 * S + 1, PID, SP, 1, "in the open slice");
	feed_round(&feed, 2 * S + 5);
	assert_true(hit_fixture_event(&feed.ingest, ENGINE_EVENT_REMOVED, P, 0, PROBE_IS_OFF));
	publisher_renumbered(&publisher);
	snapshot = frame(3 * S);
	assert_int_equal(snapshot->probes.count, 1);
	assert_int_equal(snapshot->probes.list[0].id, 2);
	assert_int_equal(snapshot->probes.list[0].hits, 1);
	assert_int_equal(snapshot->samples, 1);
	assert_int_equal(feed_samples(&feed), 2);
	snapshot_destroy(snapshot);
	hit_fixture_add(&feed.ingest, P, PROBE_USER, PROBE_ENTRY, "", 0);
	snapshot = frame(3 * S);
	assert_int_equal(snapshot->probes.list[0].hits, 0);
	snapshot_destroy(snapshot);
}

/* Its hits are the samples of its event. */
static void test_a_probes_event_is_shown_as_a_table(void **state)
{
	struct snapshot *snapshot;

	(void)state;
	hit_fixture_add(&feed.ingest, P, PROBE_USER, PROBE_ENTRY, "", 0);
	feed_sample(&feed, S, PID, PID, 0x400020);
	enter(S + 1, PID, SP, 1, "a");
	enter(S + 2, PID, SP, 2, "b");
	publisher.event = PROBE_EVENT_FIRST + P;
	snapshot = frame(2 * S);
	assert_int_equal(tick_totals_second(&feed.ingest.timeline.totals,
					    PROBE_EVENT_FIRST + P, 1), 2);
	assert_string_equal(snapshot->event, "take");
	assert_int_equal(snapshot->event_index, PROBE_EVENT_FIRST + P);
	assert_int_equal(snapshot->event_count, 1);
	assert_int_equal(snapshot->freq_hz + snapshot->fixed_period, 0);
	assert_int_equal(snapshot->samples, 2);
	assert_int_equal((int)snapshot->weight, 2);
	assert_int_equal(snapshot->row_count, 1);
	assert_int_equal(snapshot->stacks, STACKS_OFF);
	snapshot_destroy(snapshot);
	hit_fixture_event(&feed.ingest, ENGINE_EVENT_REMOVED, P, 0, PROBE_IS_OFF);
	snapshot = frame(2 * S);
	assert_int_equal(snapshot->event_index, 0);
	assert_int_equal(snapshot->samples, 1);
	assert_int_equal(tick_totals_second(&feed.ingest.timeline.totals,
					    PROBE_EVENT_FIRST + P, 1), 0);
	snapshot_destroy(snapshot);
}

static void test_where_only_probes_are_sampled_rows_are_the_firsts_hits(void **state)
{
	struct snapshot *snapshot;

	(void)state;
	feed.event.is_sideband = true;
	config.wants_all_events = true;
	snapshot = frame(S);
	assert_string_equal(snapshot->event, "");
	assert_int_equal(snapshot->event_count, 0);
	assert_int_equal(snapshot->probes.count, 0);
	snapshot_destroy(snapshot);
	hit_fixture_add(&feed.ingest, 2, PROBE_USER, PROBE_ENTRY, "", 0);
	hit_fixture_add(&feed.ingest, 3, PROBE_USER, PROBE_ENTRY, "", 0);
	assert_true(hit_fixture_enter(&feed.ingest, 2, &(struct hit_record){
		.time_ns = S + 2, .pid = PID, .tid = PID, .number = 5 }));
	snapshot = frame(2 * S);
	assert_int_equal(snapshot->event_index, PROBE_EVENT_FIRST + 2);
	assert_int_equal(snapshot->samples, 1);
	assert_null(snapshot->next_event);
	assert_int_equal(snapshot->probes.list[0].value_count, 2);	/* batch: of all */
	assert_int_equal(snapshot->probes.list[1].value_count, 2);
	snapshot_destroy(snapshot);
}

/* Newest last; of the slowest the longest first, with its stack. */
static void test_single_hits_are_logged_and_the_slowest_kept(void **state)
{
	const struct snapshot_probes *probes;
	struct snapshot *snapshot;

	(void)state;
	hit_fixture_add(&feed.ingest, P, PROBE_USER, PROBE_LATENCY, "", 0);
	for (uint64_t i = 0; i < PROBE_LOG_LINES + 30; i++) {
		enter(S + i * 1000, PID, SP, (int64_t)i, "t\x1b[2J");
		leave(S + i * 1000 + 100 + i % 500, PID, SP, -1);
	}
	snapshot = frame(2 * S);
	probes = &snapshot->probes;
	assert_int_equal(probes->detail, P);
	assert_int_equal(probes->log_count, PROBE_LOG_LINES);
	assert_int_equal(probes->log_dropped, 30);
	assert_int_equal(probes->log[0].number, 31);
	assert_string_equal(probes->log[0].values, "size=30 name=t\\x1b[2J ret=-1");
	assert_int_equal(probes->log[PROBE_LOG_LINES - 1].number, PROBE_LOG_LINES + 30);
	assert_int_equal(probes->log[0].latency_ns, 130);
	assert_string_equal(probes->log[0].comm, "prog");
	assert_int_equal(probes->slowest_count, PROBE_SLOWEST);
	assert_int_equal(probes->slowest[0].latency_ns, 599);	/* i = 499 and 999 */
	assert_int_equal(probes->slowest[0].number, 500);
	assert_int_equal(probes->slowest[1].latency_ns, 599);
	assert_int_equal(probes->slowest[PROBE_SLOWEST - 1].latency_ns, 590);
	assert_string_equal(probes->slowest[0].stack, "0x10\n");
	snapshot_destroy(snapshot);
	config.query.probe = 0;
	snapshot = frame(2 * S);
	assert_int_equal(snapshot->probes.log_count, 0);
	assert_int_equal(snapshot->probes.list[0].value_count, 0);
	snapshot_destroy(snapshot);
}

static void test_what_is_kept_survives_a_compaction(void **state)
{
	struct snapshot *snapshot;

	(void)state;
	hit_fixture_add(&feed.ingest, P, PROBE_USER, PROBE_LATENCY, "", 0);
	for (uint64_t i = 0; i < 10; i++)
		feed_sample(&feed, S + i, PID, PID, 0x400100 + i);
	enter(S + 20, PID, SP, 41, "goes");
	leave(S + 120, PID, SP, 0);
	enter(3 * S, PID, SP, 42, "stays");
	leave(3 * S + 700, PID, SP, 1);
	snapshot_destroy(frame(4 * S));
	assert_true(timeline_evict_oldest(&feed.ingest.timeline));	/* the samples */
	assert_true(budget_compact(&feed.ingest));
	publisher_renumbered(&publisher);
	for (uint64_t i = 0; i < 20; i++)	/* take the old numbers */
		feed_sample(&feed, 4 * S + i, PID, PID, 0x400200 + i);
	snapshot = frame(5 * S);
	assert_int_equal(snapshot->probes.list[0].hits, 1);
	assert_string_equal(snapshot->probes.list[0].values[1].top[0].text, "stays");
	assert_string_equal(snapshot->probes.slowest[0].stack, "0x10\n");
	snapshot_destroy(snapshot);
	while (timeline_evict_oldest(&feed.ingest.timeline))	/* the hit, too */
		;
	assert_true(budget_compact(&feed.ingest));
	publisher_renumbered(&publisher);
	assert_int_equal(feed.ingest.hits->values.count, 0);
	snapshot = frame(6 * S);
	assert_int_equal(snapshot->probes.list[0].hits, 0);
	assert_string_equal(snapshot->probes.slowest[0].stack, "0x10\n");
	snapshot_destroy(snapshot);
}

/* 25 hits in the seconds 10 to 19, which are one slice after two minutes: 3, 3, 3, 3, 3, 2, ... */
static void test_a_rolled_up_slice_is_spread_over_its_seconds(void **state)
{
	struct snapshot *snapshot;

	(void)state;
	publisher.history_ns = 10 * S;
	hit_fixture_add(&feed.ingest, P, PROBE_USER, PROBE_LATENCY, "", 0);
	for (uint64_t i = 0; i < 25; i++) {
		enter(10 * S + i * (2 * S / 5), PID, SP, 1, "a");
		leave(10 * S + i * (2 * S / 5) + 1000, PID, SP, 1);
	}
	snapshot_destroy(frame(20 * S));
	timeline_roll_up(&feed.ingest.timeline, 200 * S);
	assert_int_equal(feed.ingest.timeline.count, 1);
	snapshot = frame(200 * S);
	assert_int_equal(snapshot->probes.list[0].hits, 25);
	assert_int_equal(snapshot->probes.heat.seconds, 191);
	for (uint32_t second = 0; second < 11; second++)
		assert_int_equal(snapshot->probes.heat.counts[second][9],
				 second < 5 ? 3 : second < 10 ? 2 : 0);
	assert_true(snapshot->probes.list[0].spark[0] == 0);
	snapshot_destroy(snapshot);
}

/* A window of the last 3 s, kept incrementally, against the same counted anew. */
static void test_windows_hold_for_hits_and_values(void **state)
{
	struct snapshot *snapshot;

	(void)state;
	hit_fixture_add(&feed.ingest, P, PROBE_USER, PROBE_ENTRY, "", 0);
	config.window = WINDOW_SECONDS;
	for (uint64_t second = 1; second <= 12; second++) {
		const uint64_t in_window = second < 3 ? second : 3;

		for (uint64_t i = 0; i < second; i++)
			enter(second * S + i, PID, SP, (int64_t)second, "a");
		snapshot = frame((second + 1) * S);
		/* (s - 2) + (s - 1) + s */
		assert_int_equal(snapshot->probes.list[0].hits,
				 in_window * second - in_window * (in_window - 1) / 2);
		assert_int_equal(snapshot->probes.list[0].values[0].min,
				 second - in_window + 1);
		assert_int_equal(snapshot->probes.list[0].values[0].top_count, in_window);
		snapshot_destroy(snapshot);
	}
}

/* Both ways: whoever is late holds the other's records back. */
static void test_two_sources_are_one_order(void **state)
{
	(void)state;
	hit_fixture_event(&feed.ingest, ENGINE_EVENT_RINGS, 0, S, PROBE_ATTACHED);
	hit_fixture_add(&feed.ingest, P, PROBE_USER, PROBE_ENTRY, "", 0);
	enter(S + 30, PID, SP, 1, "a");
	feed_sample(&feed, S + 20, PID, PID, 0x400020);
	feed_round(&feed, S + 50);
	assert_int_equal(feed_samples(&feed), 0);	/* no mark of the probes' yet */
	hit_fixture_round(&feed.ingest, S + 25);
	assert_int_equal(feed_samples(&feed), 1);
	hit_fixture_round(&feed.ingest, S + 40);
	assert_int_equal(feed_samples(&feed), 2);
	enter(S + 60, PID, SP, 1, "b");
	hit_fixture_round(&feed.ingest, S + 90);
	assert_int_equal(feed_samples(&feed), 2);
	feed_round(&feed, UINT64_MAX);			/* the first has ended */
	assert_int_equal(feed_samples(&feed), 3);
	enter(S + 95, PID, SP, 1, "c");
	hit_fixture_round(&feed.ingest, S + 100);
	assert_int_equal(feed_samples(&feed), 4);
	assert_true(feed.ingest.watermark_ns == S + 100);
	assert_int_equal(feed.ingest.reorder->late, 0);
}

static void switch_source(bool keeps_counts)
{
	static struct source source;

	source = (struct source){ .ingest = feed.ingest.config, .keeps_tasks = true,
				  .keeps_counts = keeps_counts };
	if (!keeps_counts)
		assert_int_equal(timeline_init(&source.timeline, 1), 0);
	feed_round(&feed, S + 50);
	hit_fixture_round(&feed.ingest, S + 50);
	ingest_switch(&feed.ingest, &source, S + 50);
	timeline_finish(&source.timeline);
}

/* What the old source queued after the line is counted at the switch; hits go on in their order. */
static void test_a_switch_of_the_source_drops_no_hit_that_comes_after_it(void **state)
{
	(void)state;
	hit_fixture_event(&feed.ingest, ENGINE_EVENT_RINGS, 0, S, PROBE_ATTACHED);
	hit_fixture_add(&feed.ingest, P, PROBE_USER, PROBE_LATENCY, "", 0);
	enter(S + 10, PID, SP, 1, "a");
	leave(S + 70, PID, SP, 1);
	feed_sample(&feed, S + 60, PID, PID, 0x400020);
	switch_source(true);
	hit_fixture_round(&feed.ingest, S + 100);
	assert_int_equal(feed_samples(&feed), 1);
	feed_round(&feed, S + 100);
	assert_int_equal(feed_samples(&feed), 2);
	assert_int_equal(feed_counted(&feed, "prog", PID, "/bin/prog", 0x10), 1);
}

static void test_a_switch_that_clears_counts_clears_hits_but_not_probes(void **state)
{
	struct snapshot *snapshot;

	(void)state;
	hit_fixture_event(&feed.ingest, ENGINE_EVENT_RINGS, 0, S, PROBE_ATTACHED);
	hit_fixture_add(&feed.ingest, P, PROBE_USER, PROBE_ENTRY, "", PID);
	enter(S + 10, PID, SP, 1, "a");
	switch_source(false);
	enter(S + 60, PID, SP, 1, "b");
	hit_fixture_round(&feed.ingest, 2 * S);
	snapshot = frame(2 * S);
	assert_int_equal(snapshot->probes.count, 1);
	assert_int_equal(snapshot->probes.list[0].hits, 1);
	snapshot_destroy(snapshot);
}

#define HITS_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

UNIT_TESTS(test_ingest_hits)
{
	const struct CMUnitTest tests[] = {
		HITS_TEST(test_each_entry_is_a_hit_with_its_values),
		HITS_TEST(test_hits_a_second_count_from_when_the_probe_was_attached),
		HITS_TEST(test_an_entry_and_its_return_are_one_hit_with_a_latency),
		HITS_TEST(test_a_hit_counts_when_it_returns),
		HITS_TEST(test_returns_without_entries_and_entries_without_returns_are_unpaired),
		HITS_TEST(test_an_entry_before_lost_records_is_not_guessed_to_go_on),
		HITS_TEST(test_an_entry_from_before_it_was_off_and_a_return_since_are_two_unpaired),
		HITS_TEST(test_a_condition_sees_values_latency_and_names),
		HITS_TEST(test_another_process_is_not_counted_but_a_child_is),
		HITS_TEST(test_hits_after_the_order_to_stop_are_nobodys),
		HITS_TEST(test_each_turn_of_a_probe_is_read_by_its_own_ids),
		HITS_TEST(test_an_unknown_id_is_refused),
		HITS_TEST(test_unsigned_values_keep_their_whole_range),
		HITS_TEST(test_a_removed_probe_takes_its_counts_along),
		HITS_TEST(test_a_probes_event_is_shown_as_a_table),
		HITS_TEST(test_where_only_probes_are_sampled_rows_are_the_firsts_hits),
		HITS_TEST(test_single_hits_are_logged_and_the_slowest_kept),
		HITS_TEST(test_what_is_kept_survives_a_compaction),
		HITS_TEST(test_a_rolled_up_slice_is_spread_over_its_seconds),
		HITS_TEST(test_windows_hold_for_hits_and_values),
		HITS_TEST(test_two_sources_are_one_order),
		HITS_TEST(test_a_switch_of_the_source_drops_no_hit_that_comes_after_it),
		HITS_TEST(test_a_switch_that_clears_counts_clears_hits_but_not_probes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
