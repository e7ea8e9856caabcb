/* Windows of time that were chosen: the same in every view, however time goes on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "analyzer/budget.h"
#include "hit_fixture.h"
#include "publisher_fixture.h"
#include "unit_tests.h"

#define PID 100
#define P   1		/* the probe */
#define SP  UINT64_C(0x7ff000)

static struct snapshot *choose(double begin_s, double end_s)
{
	publisher_freeze(&publisher, (uint64_t)(begin_s * 100 + 0.5) * (S / 100),
			 (uint64_t)(end_s * 100 + 0.5) * (S / 100));
	return publisher_fixture_make();
}

/* 5..7 of pid 1, from 7 on of pid 2: 6.5..7.2 has 5 and 2, whatever the window was before. The
 * newest second is still open when it is asked for. */
static void test_a_chosen_window_has_its_samples_in_every_view(void **state)
{
	static const enum window_kind kinds[] = { WINDOW_SECONDS, WINDOW_ALL, WINDOW_DECAY };
	struct snapshot *snapshot;

	(void)state;
	publisher_fixture_sample(50, 70);
	for (uint64_t tenth = 70; tenth < 115; tenth++)
		feed_sample(&feed, tenth * S / 10, 2, 2, 0x2000);
	feed_round(&feed, 115 * S / 10);
	config.query.keys = KEY_PID;
	config.query.tree = TREE_CALLEES;
	for (int i = 0; i < 3; i++) {
		config.window = kinds[i];
		snapshot = choose(6.5, 7.2);
		assert_true(snapshot->is_frozen && snapshot->is_selected);
		assert_true(snapshot->begin_ns == 65 * S / 10 && snapshot->time_ns == 72 * S / 10);
		assert_true(snapshot->newest_ns == 115 * S / 10 && snapshot->known_ns == 5 * S);
		assert_false(snapshot->is_history_cut);
		assert_true(snapshot->window_s > 0.6999 && snapshot->window_s < 0.7001);
		assert_int_equal(snapshot->samples, 7);
		assert_true(snapshot->weight == 7);
		assert_int_equal(snapshot->row_count, 2);
		assert_int_equal(snapshot->rows[0].pid, 1);
		assert_int_equal(snapshot->rows[0].now.self.samples, 5);
		assert_int_equal(snapshot->rows[1].now.self.samples, 2);
		assert_true(snapshot->tree.weight == 7);
		snapshot_destroy(snapshot);
	}
	snapshot = choose(11, 11.5);
	assert_int_equal(snapshot->samples, 5);
	snapshot_destroy(snapshot);
	publisher_freeze(&publisher, 0, 0);
	snapshot = publisher_fixture_make();
	assert_false(snapshot->is_frozen || snapshot->is_selected);
	snapshot_destroy(snapshot);
}

/* A chosen window stays what it is while time goes on, and history is rolled up around it. */
static void test_a_chosen_window_is_not_rolled_up_while_it_is_shown(void **state)
{
	struct snapshot *snapshot;

	(void)state;
	publisher_fixture_sample(100, 400);
	snapshot_destroy(choose(21.25, 22.75));
	timeline_roll_up(&feed.ingest.timeline, 300 * S);
	snapshot = publisher_fixture_make();
	assert_int_equal(snapshot->samples, 15);
	snapshot_destroy(snapshot);
	publisher_freeze(&publisher, 0, 0);
	timeline_roll_up(&feed.ingest.timeline, 300 * S);
	snapshot = choose(21.25, 22.75);
	assert_int_equal(snapshot->samples, 100);
	assert_true(snapshot->begin_ns == 20 * S && snapshot->time_ns == 30 * S);
	snapshot_destroy(snapshot);
}

/* Frozen at 22.5, of the last 3 s, the last 6 s, and all. */
static void test_a_frozen_window_is_not_rolled_up_at_its_ends(void **state)
{
	static const struct { enum window_kind kind; uint64_t length_s, samples; } windows[] = {
		{ WINDOW_SECONDS, 3, 35 }, { WINDOW_SECONDS, 6, 65 }, { WINDOW_ALL, 0, 125 },
	};
	struct snapshot *snapshot;

	(void)state;
	publisher_fixture_sample(100, 225);
	snapshot_destroy(publisher_fixture_make());
	publisher_freeze(&publisher, 0, 225 * S / 10);
	publisher_fixture_sample(225, 400);
	for (int i = 0; i < 3; i++) {
		config.window = windows[i].kind;
		config.window_ns = windows[i].length_s * S;
		snapshot_destroy(publisher_fixture_make());
		timeline_roll_up(&feed.ingest.timeline, 300 * S);
		snapshot = publisher_fixture_make();
		assert_true(snapshot->is_frozen && snapshot->time_ns == 225 * S / 10);
		assert_int_equal(snapshot->samples, windows[i].samples);
		snapshot_destroy(snapshot);
	}
}

static void test_another_length_of_a_frozen_window_is_not_rolled_up(void **state)
{
	struct snapshot *snapshot;

	(void)state;
	publisher_fixture_sample(100, 405);
	snapshot_destroy(publisher_fixture_make());
	config.window = WINDOW_SECONDS;
	publisher_freeze(&publisher, 0, 405 * S / 10);
	config.window_ns = 25 * S;
	for (int i = 0; i < 2; i++) {
		snapshot = publisher_fixture_make();
		assert_int_equal(snapshot->samples, 255);	/* from 15 on */
		assert_true(snapshot->begin_ns == 15 * S);
		snapshot_destroy(snapshot);
		timeline_roll_up(&feed.ingest.timeline, 300 * S);
	}
}

static void test_a_compaction_changes_nothing_in_a_chosen_window(void **state)
{
	struct snapshot *then, *now;

	(void)state;
	for (uint64_t tenth = 50; tenth < 90; tenth++)
		feed_sample(&feed, tenth * S / 10, 1, 1, 0x1000 + tenth * 16);
	feed_round(&feed, 9 * S);
	config.query.keys = KEY_ADDRESS;
	then = choose(7.1, 8.3);
	assert_true(timeline_evict_oldest(&feed.ingest.timeline));
	assert_true(budget_compact(&feed.ingest));
	publisher_renumbered(&publisher);
	now = publisher_fixture_make();
	assert_int_equal(now->samples, 12);
	assert_int_equal(now->row_count, then->row_count);
	for (size_t i = 0; i < now->row_count; i++) {
		assert_true(now->rows[i].id == then->rows[i].id);
		assert_int_equal(now->rows[i].now.self.samples, then->rows[i].now.self.samples);
	}
	snapshot_destroy(then);
	snapshot_destroy(now);
}

static void test_a_chosen_window_that_left_the_history_is_empty_and_says_so(void **state)
{
	struct snapshot *snapshot;

	(void)state;
	publisher_fixture_sample(50, 82);
	publisher_fixture_sample(82, 92);
	publisher_fixture_sample(92, 102);
	snapshot = choose(6.1, 6.9);
	assert_int_equal(snapshot->samples, 8);
	snapshot_destroy(snapshot);
	for (int i = 0; i < 2; i++)
		assert_true(timeline_evict_oldest(&feed.ingest.timeline));
	snapshot = publisher_fixture_make();
	assert_int_equal(snapshot->samples, 0);
	assert_int_equal(snapshot->row_count, 0);
	assert_true(snapshot->is_history_cut && snapshot->is_selected);
	assert_true(snapshot->known_ns == 7 * S && snapshot->time_ns < snapshot->known_ns);
	assert_true(snapshot->window_s == 0);
	snapshot_destroy(snapshot);
}

static void call(uint32_t pid, uint64_t time_ns, uint64_t latency_ns, int64_t size)
{
	const struct hit_record enter = { .time_ns = time_ns, .pid = pid, .tid = pid, .sp = SP,
					  .number = size, .text = "a" };
	const struct hit_record leave = { .time_ns = time_ns + latency_ns, .pid = pid, .tid = pid,
					  .sp = SP + RETURN_BYTES };

	assert_true(hit_fixture_enter(&feed.ingest, P, &enter));
	assert_true(hit_fixture_leave(&feed.ingest, P, &leave));
}

/* A call each 0.1 s from 2.0 on: of 1 us, but from 3.0 to 3.3 of 1 ms with another size. */
static void make_calls(void)
{
	feed_comm(&feed, 1, PID, PID, "prog", true);
	feed_mmap(&feed, 2, PID, 0x400000, 0x1000, 0, "/bin/prog");
	config.query.probe = P;
	hit_fixture_add(&feed.ingest, P, PROBE_USER, PROBE_LATENCY, "", 0);
	hit_fixture_attach_again(&feed.ingest, P, PROBE_LATENCY, 19 * S / 10);
	for (uint64_t tenth = 20; tenth < 60; tenth++) {
		const bool is_slow = tenth >= 30 && tenth < 33;

		call(PID, tenth * S / 10, is_slow ? 1000000 : 1000, is_slow ? 77 : 5);
	}
	call(0, 595 * S / 100, 1000, 5);	/* a hit like any other */
	feed_round(&feed, 6 * S);
}

static void test_probes_of_a_chosen_window_have_its_hits_latencies_and_values(void **state)
{
	const struct snapshot_probe *probe;
	struct snapshot *snapshot;

	(void)state;
	make_calls();
	snapshot = choose(2.9, 3.4);
	probe = &snapshot->probes.list[0];
	assert_int_equal(probe->hits, 5);
	assert_true(probe->hits_per_s > 9.99 && probe->hits_per_s < 10.01);
	assert_int_equal(probe->latency.count, 5);
	assert_int_equal(probe->latency.octaves[9], 2);
	assert_int_equal(probe->latency.octaves[19], 3);
	assert_int_equal(probe->values[0].count, 5);
	assert_int_equal(probe->values[0].max, 77);
	assert_int_equal(snapshot->probes.log_count, 5);
	assert_int_equal(snapshot->probes.log[0].number, 10);
	snapshot_destroy(snapshot);
	snapshot = choose(3.35, 5);
	probe = &snapshot->probes.list[0];
	assert_int_equal(probe->hits, 16);
	assert_int_equal(probe->latency.octaves[19], 0);
	assert_int_equal(probe->values[0].max, 5);
	snapshot_destroy(snapshot);
}

/* Busy is the machine's, hits are the probe's. It was attached at 1.9, which second is not over. */
static void test_the_activity_graph_of_a_probes_event_is_its_hits(void **state)
{
	struct snapshot *snapshot;

	(void)state;
	make_calls();
	config.ingest.is_replay = false;
	config.has_busy = true;
	config.query.heat = true;
	publisher.history_ns = S;
	busy_add(&publisher.busy, S, "cpu 0 0 0 0\n");
	busy_add(&publisher.busy, 5 * S, "cpu 4 0 0 4\n");
	publisher.is_ended = true;	/* no other reading */
	publisher.event = PROBE_EVENT_FIRST + P;
	snapshot = choose(3, 3.3);
	assert_int_equal(snapshot->activity_kind, ACTIVITY_RATE);
	assert_int_equal(snapshot->activity_count, 5);
	assert_true(snapshot->activity_end_ns == 6 * S);
	assert_true(snapshot->activity[0] == 0);
	for (uint32_t i = 1; i < 5; i++)
		assert_true(snapshot->activity[i] == (i < 4 ? 10 : 11));
	assert_non_null(snapshot->heat);
	assert_true(snapshot->heat[0] == -1 && snapshot->heat[18] == 0);
	assert_true(snapshot->heat[20] == 1 && snapshot->heat[21] == 0 && snapshot->heat[22] == 1);
	assert_true(snapshot->heat[4 * HEAT_ROWS + 19] == 1);
	assert_true(snapshot->heat_most == 1);
	snapshot_destroy(snapshot);
	publisher.event = 0;
	config.query.heat = false;
	snapshot = publisher_fixture_make();
	assert_int_equal(snapshot->activity_kind, ACTIVITY_BUSY);
	assert_int_equal(snapshot->activity_count, 4);
	assert_true(snapshot->activity_end_ns == 5 * S);
	assert_true(snapshot->activity[3] == 50);
	assert_null(snapshot->heat);
	snapshot_destroy(snapshot);
}

/* 5.0 .. 7.5, without the idle task's of 6.25. */
static void test_the_heat_of_an_event_leaves_the_idle_task_out(void **state)
{
	struct snapshot *snapshot;

	(void)state;
	publisher_fixture_sample(50, 62);
	feed_sample(&feed, 625 * S / 100, 0, 0, 0x1000);
	publisher_fixture_sample(63, 75);
	config.query.heat = true;
	snapshot = publisher_fixture_make();
	assert_int_equal(snapshot->activity_count, 3);
	for (uint32_t tick = 0; tick < 3 * HEAT_ROWS; tick++)
		if (snapshot->heat[tick] != (tick >= 50 ? -1 : tick == 24 ? 0 : tick % 2 == 0))
			fail_msg("tick %u: %f", tick, snapshot->heat[tick]);
	snapshot_destroy(snapshot);
}

UNIT_TESTS(test_publisher_chosen)
{
	const struct CMUnitTest tests[] = {
		PUBLISHER_TEST(test_a_chosen_window_has_its_samples_in_every_view),
		PUBLISHER_TEST(test_a_chosen_window_is_not_rolled_up_while_it_is_shown),
		PUBLISHER_TEST(test_a_frozen_window_is_not_rolled_up_at_its_ends),
		PUBLISHER_TEST(test_another_length_of_a_frozen_window_is_not_rolled_up),
		PUBLISHER_TEST(test_a_compaction_changes_nothing_in_a_chosen_window),
		PUBLISHER_TEST(test_a_chosen_window_that_left_the_history_is_empty_and_says_so),
		PUBLISHER_TEST(test_probes_of_a_chosen_window_have_its_hits_latencies_and_values),
		PUBLISHER_TEST(test_the_activity_graph_of_a_probes_event_is_its_hits),
		PUBLISHER_TEST(test_the_heat_of_an_event_leaves_the_idle_task_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
