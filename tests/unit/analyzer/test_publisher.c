/* Which seconds a snapshot shows, and that it says so. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>

#include <cmocka.h>

#include "analyzer/snapshot_head.h"
#include "base/clock.h"
#include "publisher_fixture.h"
#include "unit_tests.h"

static void expect(enum window_kind window, uint64_t samples, double seconds)
{
	struct snapshot *snapshot;

	config.window = window;
	snapshot = publisher_fixture_make();
	assert_int_equal(snapshot->samples, samples);
	assert_int_equal((int)(snapshot->window_s * 10 + 0.5), (int)(seconds * 10 + 0.5));
	snapshot_destroy(snapshot);
}

/*   slices  | 5 6 | 6 7 | 7 8 | 8 8.2 | 8.2 9 | 9 10 |       the last 3 s are all of 7..10 */
static void test_the_last_seconds_are_those_counted(void **state)
{
	(void)state;
	publisher_fixture_sample(50, 82);
	expect(WINDOW_ALL, 32, 3.2);
	publisher_fixture_sample(82, 100);
	expect(WINDOW_SECONDS, 30, 3.0);
}

/* At 10.3 the last 3 s begin at 7.3: the slice 7..8 is in, because most of it is. */
static void test_a_slice_across_the_beginning_is_in_if_most_of_it_is(void **state)
{
	(void)state;
	publisher_fixture_sample(50, 103);
	expect(WINDOW_SECONDS, 33, 3.3);
}

/* At 10.7 they begin at 7.7: the slice 7..8 is out, and the window says 2.7 s. */
static void test_it_is_out_if_most_of_it_is(void **state)
{
	(void)state;
	publisher_fixture_sample(50, 107);
	expect(WINDOW_SECONDS, 27, 2.7);
}

static void test_quiet_seconds_belong_to_the_window(void **state)
{
	(void)state;
	publisher_fixture_sample(50, 60);
	feed_round(&feed, 100 * S / 10);
	expect(WINDOW_SECONDS, 0, 3.0);
	expect(WINDOW_ALL, 10, 5.0);
}

static void test_intervals_show_every_sample_once(void **state)
{
	(void)state;
	publisher_fixture_sample(50, 63);
	expect(WINDOW_INTERVAL, 13, 1.3);
	expect(WINDOW_INTERVAL, 0, 0);
	publisher_fixture_sample(63, 91);
	expect(WINDOW_INTERVAL, 28, 2.8);
}

/* 3 were lost in the first five seconds, 4 more later, but for what had no time: up to now. */
static void test_the_losses_of_the_window_are_known(void **state)
{
	static const uint32_t ring = UINT32_MAX;
	const struct loss_count *count;
	struct snapshot *snapshot;

	(void)state;
	publisher_fixture_sample(50, 60);
	feed.ingest.counters.unattributed = 3;
	publisher_note_losses(&publisher);
	publisher_fixture_sample(60, 100);
	publisher_note_losses(&publisher);
	feed.ingest.counters.unattributed = 7;
	ingest_lost_total(&feed.ingest, 0, ring, 11);
	config.window = WINDOW_SECONDS;
	snapshot = publisher_fixture_make();
	assert_true(snapshot->losses.is_set);
	count = &snapshot->losses.counts[LOSS_UNATTRIBUTED];
	assert_true(count->has_start && count->has_window);
	assert_int_equal(count->since_start, 7);
	assert_int_equal(count->in_window, 4);
	assert_int_equal(snapshot->losses.counts[LOSS_READ].since_start, 11);
	assert_int_equal(snapshot->losses.counts[LOSS_RECORDED].since_start, 0);
	assert_int_equal(snapshot->lost_kernel, 11);
	assert_false(snapshot->losses.counts[LOSS_UNRESOLVED].has_start);
	assert_true(snapshot->losses.counts[LOSS_UNRESOLVED].has_window);
	snapshot_destroy(snapshot);
}

/* 10 s on one CPU, in which every tenth tick came: 9 s but for one tick are missing. */
static void test_ticks_that_did_not_come_are_a_share_of_the_window(void **state)
{
	const struct loss_count *count;
	struct snapshot *snapshot;

	(void)state;
	snprintf(feed.event.name, sizeof(feed.event.name), "cpu-clock");
	feed.ingest.config.whole_cpus = 1;
	intake_look_at_config(&feed.ingest);
	feed.period = S / 100;
	publisher_fixture_sample(50, 150);
	snapshot = publisher_fixture_make();
	count = &snapshot->losses.counts[LOSS_TICKS];
	assert_int_equal(count->in_window, 9 * S - S / 100);
	assert_true(snapshot->missing_ticks_pct > 89.89 && snapshot->missing_ticks_pct < 89.91);
	snapshot_destroy(snapshot);
}

/* 0.99 s of one process were sampled in 10 s, for which it ran 4 s. */
static void test_ticks_that_tasks_lack_are_a_share_of_their_time(void **state)
{
	const struct queue_counted counted = { 4 * S, 11 * S, 1 };
	const struct loss_count *count;
	struct snapshot *snapshot;

	(void)state;
	snprintf(feed.event.name, sizeof(feed.event.name), "cpu-clock");
	intake_look_at_config(&feed.ingest);
	feed.period = S / 100;
	publisher_fixture_sample(50, 149);
	clock_ticks_count(&feed.ingest.losses->clock, 0, &counted, 0);
	publisher_fixture_sample(149, 150);
	snapshot = publisher_fixture_make();
	count = &snapshot->losses.counts[LOSS_TICKS];
	assert_true(count->has_start);
	assert_int_equal(count->in_window, 4 * S - 100 * (S / 100));
	assert_true(snapshot->missing_ticks_pct > 74.9 && snapshot->missing_ticks_pct < 75.1);
	assert_false(snapshot->losses.counts[LOSS_STOLEN].has_start);
	snapshot_destroy(snapshot);
}

/* Half of the ticks are missing: on a machine that is idle half of the time all of them may be idle
 * CPUs'; of one that is busy for 80 % of the time, 30 points at least are not. */
static void test_ticks_that_idle_cpus_may_lack_are_not_missing(void **state)
{
	struct snapshot idle = { .missing_ticks_pct = 50, .busy_pct = 40 };
	struct snapshot busy = { .missing_ticks_pct = 50, .busy_pct = 80 };

	(void)state;
	snapshot_head_put_window_losses(&idle);
	snapshot_head_put_window_losses(&busy);
	assert_true(idle.missing_ticks_pct == 0);
	assert_true(busy.missing_ticks_pct == 37.5);
}

/* 10 s on two CPUs, busy for 50 %: 8 s of the idle time have samples, so that of the 5 s without
 * ticks idle CPUs lack 2 at most, and 3 of 10 busy seconds are missing. */
static void test_ticks_are_missing_though_idle_cpus_tick(void **state)
{
	struct snapshot head = {
		.event = "cpu-clock", .clock_cpus = 2, .window_s = 10, .busy_pct = 50,
		.missing_ticks_pct = 25, .idle_weight = 8e9,
	};

	(void)state;
	head.losses.counts[LOSS_TICKS] = (struct loss_count){ 9 * S, 5 * S, true, true };
	snapshot_head_put_window_losses(&head);
	assert_true(head.missing_ticks_pct > 29.99 && head.missing_ticks_pct < 30.01);
	assert_int_equal(head.losses.counts[LOSS_TICKS].in_window, 3 * S);
	assert_false(head.losses.counts[LOSS_TICKS].has_start);
}

/* What is missing is less than /proc/stat and the samples may differ by. */
static void test_an_idle_machine_misses_no_tick(void **state)
{
	struct snapshot head = {
		.event = "cpu-clock", .clock_cpus = 2, .window_s = 10, .busy_pct = 0,
		.missing_ticks_pct = 3.5, .idle_weight = 19.4e9,
	};

	(void)state;
	head.losses.counts[LOSS_TICKS] = (struct loss_count){ 9 * S, 7 * S / 10, true, true };
	snapshot_head_put_window_losses(&head);
	assert_true(head.missing_ticks_pct == 0);
	assert_int_equal(head.losses.counts[LOSS_TICKS].in_window, 0);
}

static void test_without_a_clock_no_tick_is_missing(void **state)
{
	struct snapshot *snapshot;

	(void)state;
	publisher_fixture_sample(50, 150);
	snapshot = publisher_fixture_make();
	assert_true(snapshot->missing_ticks_pct < 0);
	assert_false(snapshot->losses.counts[LOSS_TICKS].has_start);
	snapshot_destroy(snapshot);
}

static void test_zero_begins_anew(void **state)
{
	(void)state;
	publisher_fixture_sample(50, 70);
	publisher_zero(&publisher);
	expect(WINDOW_ALL, 0, 0);
	publisher_fixture_sample(70, 75);
	expect(WINDOW_ALL, 5, 0.5);
}

/* Zeroed at 7.05: of its second 7.0 was before, 7.1..7.9 are not. The past stays as it was. */
static void test_zero_leaves_history(void **state)
{
	struct snapshot *snapshot;

	(void)state;
	publisher_fixture_sample(50, 71);
	feed_round(&feed, 705 * S / 100);
	publisher_zero(&publisher);
	publisher_fixture_sample(71, 85);
	expect(WINDOW_ALL, 14, 1.4);
	expect(WINDOW_SECONDS, 14, 1.4);
	expect(WINDOW_INTERVAL, 0, 0);
	publisher_freeze(&publisher, 6 * S, 8 * S);
	snapshot = publisher_fixture_make();
	assert_int_equal(snapshot->samples, 20);
	assert_true(snapshot->begin_ns == 6 * S && snapshot->time_ns == 8 * S);
	assert_true(snapshot->known_ns == 5 * S);
	assert_false(snapshot->is_history_cut);
	assert_int_equal(snapshot->activity_count, 4);
	assert_true(snapshot->activity[0] == 10);
	snapshot_destroy(snapshot);
	publisher_freeze(&publisher, 0, 6 * S);	/* a pause of before */
	expect(WINDOW_ALL, 0, 0);
}

/* Rolled up to 10 s, and to 60 s, and after the samples of before have left. */
static void test_zero_is_exact_as_long_as_history_is(void **state)
{
	(void)state;
	publisher_fixture_sample(50, 75);
	publisher_zero(&publisher);
	publisher_fixture_sample(75, 200);
	timeline_roll_up(&feed.ingest.timeline, 200 * S);
	expect(WINDOW_ALL, 125, 12.5);
	timeline_roll_up(&feed.ingest.timeline, 2000 * S);
	assert_int_equal(feed.ingest.timeline.count, 2);
	expect(WINDOW_ALL, 125, 12.5);
	assert_true(timeline_evict_oldest(&feed.ingest.timeline));
	assert_int_equal(feed.ingest.timeline.evicted_samples, 0);
	expect(WINDOW_ALL, 125, 12.5);
}

static struct snapshot *make(enum window_kind window, unsigned int keys)
{
	config.window = window;
	config.query.keys = keys;
	return publisher_fixture_make();
}

static void assert_same_frame(const struct snapshot *now, const struct snapshot *then)
{
	assert_true(now->is_frozen && !then->is_frozen);
	assert_true(now->time_ns == then->time_ns);
	assert_true(now->window_s == then->window_s);
	assert_int_equal(now->samples, then->samples);
	assert_true(now->weight == then->weight);
	assert_int_equal(now->row_count, then->row_count);
	for (size_t i = 0; i < now->row_count; i++) {
		assert_true(now->rows[i].id == then->rows[i].id);
		assert_int_equal(now->rows[i].now.self.samples, then->rows[i].now.self.samples);
		assert_int_equal(now->rows[i].now.total.samples, then->rows[i].now.total.samples);
		assert_true(now->rows[i].now.self.weight == then->rows[i].now.self.weight);
	}
}

/* Every window by every key, asked again after three more seconds of other samples. */
static void test_a_frozen_frame_stays_what_it_was_however_it_is_asked(void **state)
{
	static const enum window_kind kinds[] = { WINDOW_SECONDS, WINDOW_ALL, WINDOW_DECAY };
	static const unsigned int keys[] = { KEY_DSO | KEY_SYMBOL, KEY_COMM, KEY_ADDRESS };
	struct snapshot *then[3][3];

	(void)state;
	publisher_fixture_sample(50, 82);
	for (size_t i = 0; i < 9; i++)
		then[i / 3][i % 3] = make(kinds[i / 3], keys[i % 3]);
	for (uint64_t tenth = 82; tenth < 110; tenth++)
		feed_sample(&feed, tenth * S / 10, 2, 2, 0x2000);
	feed_round(&feed, 11 * S);
	expect(WINDOW_ALL, 60, 6.0);
	publisher_freeze(&publisher, 0, then[0][0]->time_ns);
	for (size_t i = 0; i < 9; i++) {
		struct snapshot *now = make(kinds[i / 3], keys[i % 3]);

		assert_same_frame(now, then[i / 3][i % 3]);
		snapshot_destroy(now);
		snapshot_destroy(then[i / 3][i % 3]);
	}
	publisher_freeze(&publisher, 0, 0);
	expect(WINDOW_ALL, 60, 6.0);
}

/* Of before the end, counted after it: the samples of a process that had to be looked up. */
static void test_samples_counted_later_are_not_in_a_frozen_frame(void **state)
{
	(void)state;
	publisher_fixture_sample(50, 82);
	expect(WINDOW_ALL, 32, 3.2);
	feed_sample(&feed, 79 * S / 10, 1, 1, 0x1000);
	feed_sample(&feed, 83 * S / 10, 1, 1, 0x1000);
	feed_round(&feed, 9 * S);
	publisher_freeze(&publisher, 0, 82 * S / 10);
	expect(WINDOW_ALL, 32, 3.2);
	publisher_freeze(&publisher, 0, 0);
	expect(WINDOW_ALL, 34, 4.0);
}

/* The same when nothing ended there, because the time before was quiet. */
/* They had waited for a table, and time has not moved since. */
static void test_a_frozen_frame_has_all_snapshots_of_its_moment(void **state)
{
	struct timeline *timeline = &feed.ingest.timeline;
	struct slice_entry entry;

	(void)state;
	publisher_fixture_sample(50, 82);
	expect(WINDOW_ALL, 32, 3.2);
	entry = timeline->slices[0].entries[0];
	entry.count = 1;
	assert_int_equal(timeline_add(timeline, 81 * S / 10, &entry, NULL), 0);
	expect(WINDOW_ALL, 33, 3.2);
	publisher_freeze(&publisher, 0, 82 * S / 10);
	expect(WINDOW_ALL, 33, 3.2);
}

static void test_samples_counted_later_are_not_in_a_frozen_quiet_second(void **state)
{
	(void)state;
	publisher_fixture_sample(50, 70);
	feed_round(&feed, 82 * S / 10);
	expect(WINDOW_ALL, 20, 3.2);
	feed_sample(&feed, 80 * S / 10, 1, 1, 0x1000);
	feed_round(&feed, 83 * S / 10);
	expect(WINDOW_ALL, 21, 3.3);
	publisher_freeze(&publisher, 0, 82 * S / 10);
	expect(WINDOW_ALL, 20, 3.2);
}

/* Rolled up meanwhile to | 10 20 | 20 30 | 30 40 |: at 25.3 most of the second was before the end,
 * at 24.3 it was not. */
static void test_rolled_up_slices_are_whole_in_a_frozen_frame(void **state)
{
	(void)state;
	publisher_fixture_sample(100, 243);
	expect(WINDOW_ALL, 143, 14.3);
	publisher_fixture_sample(243, 253);
	expect(WINDOW_ALL, 153, 15.3);
	publisher_fixture_sample(253, 400);
	expect(WINDOW_ALL, 300, 30.0);
	timeline_roll_up(&feed.ingest.timeline, 300 * S);
	publisher_freeze(&publisher, 0, 253 * S / 10);
	expect(WINDOW_ALL, 200, 20.0);
	publisher_freeze(&publisher, 0, 243 * S / 10);
	expect(WINDOW_ALL, 100, 10.0);
}

static void test_a_frozen_frame_that_left_the_history_is_empty(void **state)
{
	struct snapshot *snapshot;

	(void)state;
	publisher_fixture_sample(50, 82);
	expect(WINDOW_ALL, 32, 3.2);
	publisher_fixture_sample(82, 110);
	expect(WINDOW_ALL, 60, 6.0);
	for (int i = 0; i < 5; i++)	/* 5..6, 6..7, 7..8, 8..8.2, 8.2..9 */
		assert_true(timeline_evict_oldest(&feed.ingest.timeline));
	publisher_freeze(&publisher, 0, 82 * S / 10);
	expect(WINDOW_ALL, 0, 0);
	snapshot = make(WINDOW_SECONDS, KEY_COMM);
	assert_true(snapshot->time_ns == 82 * S / 10);
	snapshot_destroy(snapshot);
}

static void test_zero_ends_the_freeze(void **state)
{
	(void)state;
	publisher_fixture_sample(50, 70);
	expect(WINDOW_ALL, 20, 2.0);
	publisher_freeze(&publisher, 0, 7 * S);
	publisher_zero(&publisher);
	publisher_fixture_sample(70, 75);
	expect(WINDOW_ALL, 5, 0.5);
}

/* 20 samples of pid 1 and 10 of pid 2: the filter leaves the 10, and the window stays. */
static void test_a_query_says_what_is_in_the_rows(void **state)
{
	struct filter_part part = { .field = FILTER_PID, .number = 2 };
	struct snapshot *snapshot;

	(void)state;
	publisher_fixture_sample(50, 70);
	for (uint64_t tenth = 70; tenth < 80; tenth++)
		feed_sample(&feed, tenth * S / 10, 2, 2, 0x2000);
	feed_round(&feed, 8 * S);
	config.query.number = 77;
	assert_int_equal(filter_add(&config.query.filter, &part, NULL), 0);
	snapshot = make(WINDOW_ALL, KEY_PID);
	assert_int_equal(snapshot->query, 77);
	assert_int_equal(snapshot->keys, KEY_PID);
	assert_int_equal(snapshot->samples, 30);
	assert_int_equal(snapshot->shown_samples, 10);
	assert_true(snapshot->shown_weight == 10 && snapshot->weight == 30);
	assert_int_equal(snapshot->row_count, 1);
	assert_int_equal(snapshot->rows[0].pid, 2);
	snapshot_destroy(snapshot);
}

/* A window of 1.5 s: no second of the source before is in it, however it was set. */
static void test_another_source_begins_anew_and_goes_on(void **state)
{
	(void)state;
	publisher_fixture_sample(50, 70);
	publisher_freeze(&publisher, 0, 60 * S / 10);
	publisher.event = 3;
	publisher.is_ended = true;
	timeline_finish(&feed.ingest.timeline);
	assert_int_equal(timeline_init(&feed.ingest.timeline, 1), 0);
	publisher_switch(&publisher, 70 * S / 10, true);
	expect(WINDOW_ALL, 0, 0);
	publisher_fixture_sample(70, 85);
	expect(WINDOW_ALL, 15, 1.5);
	expect(WINDOW_SECONDS, 15, 1.5);
	assert_int_equal(publisher.event, 0);
	assert_false(publisher.is_ended);
}

static double own_cpu_pct(void)
{
	struct snapshot *snapshot = publisher_fixture_make();
	const double pct = snapshot->own_cpu_pct;

	snapshot_destroy(snapshot);
	return pct;
}

/* One that follows at once, on a key or with the last names, would say what its own fold takes:
 * about 100 %. */
static void test_own_cost_is_not_that_of_one_frame(void **state)
{
	const uint64_t now_ns = clock_now_ns();

	(void)state;
	publisher.own_cost.at_ns = 1;	/* as long as the machine is up */
	publisher.own_cost.cpu_ns = 0;
	assert_true(own_cpu_pct() < 50);
	publisher.own_cost.pct = 12.5;
	publisher.own_cost.at_ns = now_ns + 1000 * S;	/* no time has passed since */
	publisher.own_cost.cpu_ns = 0;
	assert_true(own_cpu_pct() == 12.5);
	publisher.own_cost.at_ns = 1;	/* as long as the machine is up */
	assert_true(own_cpu_pct() != 12.5);
}

static void test_load_is_known_from_when_it_is_read_again(void **state)
{
	(void)state;
	busy_add(&publisher.busy, 1 * S, "cpu 10 0 0 90 0 0 0 0\n");
	publisher_switch(&publisher, 70 * S / 10, true);
	assert_int_equal(publisher.busy.points[0].time_ns, 1 * S);	/* read all the time */
	publisher_switch(&publisher, 70 * S / 10, false);
	assert_int_equal(publisher.busy.count, 1);
	assert_true(publisher.busy.points[0].time_ns > 1 * S);
}

static bool stop_always(void *owner)
{
	++*(unsigned int *)owner;
	return true;
}

static void test_a_frame_that_was_stopped_is_whole_the_next_time(void **state)
{
	struct snapshot *snapshot;
	unsigned int asked = 0;

	(void)state;
	for (uint64_t i = 0; i < 300; i++)
		feed_sample(&feed, 5 * S + i, 1, 1, 0x1000 + i);
	feed_round(&feed, 6 * S);
	config.query.tree = TREE_CALLEES;
	publisher.stop = (struct fold_stop){ stop_always, &asked };
	assert_null(publisher_make(&publisher, false, NULL));
	assert_int_equal(asked, 1);
	publisher.stop.is_due = NULL;
	snapshot = publisher_fixture_make();
	assert_int_equal(snapshot->samples, 300);
	assert_int_equal(snapshot->tree.samples, 300);
	snapshot_destroy(snapshot);
}

/* The same without a tree: rows of as many samples as take some milliseconds. */
static void test_a_long_fold_of_rows_can_be_stopped(void **state)
{
	struct snapshot *snapshot;
	unsigned int asked = 0;

	(void)state;
	for (uint64_t i = 0; i < 40000; i++)
		feed_sample(&feed, 5 * S + i, 1, 1, 0x1000 + i);
	feed_round(&feed, 6 * S);
	publisher.stop = (struct fold_stop){ stop_always, &asked };
	assert_null(publisher_make(&publisher, false, NULL));
	assert_int_equal(asked, 1);
	publisher.stop.is_due = NULL;
	snapshot = publisher_fixture_make();
	assert_int_equal(snapshot->samples, 40000);
	snapshot_destroy(snapshot);
}

/* The tree is of the window that the rows are of, whichever it is. */
static void test_a_tree_is_of_the_same_samples_as_the_rows(void **state)
{
	static const enum window_kind windows[] = { WINDOW_ALL, WINDOW_SECONDS, WINDOW_DECAY };

	(void)state;
	publisher_fixture_sample(50, 103);
	config.query.tree = TREE_CALLEES;
	for (size_t i = 0; i < sizeof(windows) / sizeof(windows[0]); i++) {
		struct snapshot *snapshot = make(windows[i], KEY_DSO | KEY_SYMBOL);

		assert_int_equal(snapshot->tree.direction, TREE_CALLEES);
		assert_int_equal(snapshot->tree.samples, snapshot->samples);
		assert_true(fabs(snapshot->tree.weight - snapshot->weight) < 1e-6);
		snapshot_destroy(snapshot);
	}
}

/* The callers of the samples and the callees: two trees, each of all samples. */
static void test_both_trees_are_of_the_same_samples(void **state)
{
	struct snapshot *snapshot;

	(void)state;
	publisher_fixture_sample(50, 103);
	config.query.tree = TREE_BOTH;
	snapshot = make(WINDOW_ALL, KEY_DSO | KEY_SYMBOL);
	assert_int_equal(snapshot->tree.direction, TREE_CALLERS);
	assert_int_equal(snapshot->callees.direction, TREE_CALLEES);
	assert_int_equal(snapshot->tree.samples, snapshot->samples);
	assert_int_equal(snapshot->callees.samples, snapshot->samples);
	assert_true(snapshot->tree.node_count && snapshot->callees.node_count);
	snapshot_destroy(snapshot);
}

static void test_stacks_come_along_once_when_they_are_asked_for(void **state)
{
	struct snapshot *snapshot;

	(void)state;
	publisher_fixture_sample(50, 60);
	publisher.wants_stacks = true;
	snapshot = publisher_fixture_make();
	assert_int_equal(snapshot->tree.direction, TREE_NONE);
	assert_non_null(snapshot->folded);
	assert_int_equal(snapshot->folded->tree.direction, TREE_CALLEES);
	assert_int_equal(snapshot->folded->tree.samples, 10);
	assert_true(snapshot->folded->tree.nodes[0].is_command);
	assert_int_equal(snapshot->folded->query, snapshot->query);
	snapshot_destroy(snapshot);
	snapshot = publisher_fixture_make();
	assert_null(snapshot->folded);
	snapshot_destroy(snapshot);
}

static void test_what_is_shown_comes_along_whole(void **state)
{
	struct snapshot *snapshot;

	(void)state;
	publisher_fixture_sample(50, 60);
	publisher.wants_stacks = true;
	publisher.stacks_wanted = STACKS_AS_SHOWN;
	snapshot = publisher_fixture_make();
	assert_non_null(snapshot->folded);
	assert_int_equal(snapshot->folded->tree.direction, TREE_NONE);
	assert_int_equal(snapshot->folded->keys, snapshot->keys);
	assert_int_equal(snapshot->folded->row_count, snapshot->row_count);
	assert_true(snapshot->row_count > 0);
	assert_int_equal(snapshot->folded->query, snapshot->query);
	snapshot_destroy(snapshot);
}

/* Without a line server there is nothing to wait for. */
static void test_samples_by_task_come_along(void **state)
{
	struct snapshot *snapshot;

	(void)state;
	publisher_fixture_sample(50, 60);
	assert_true(publisher_want_stacks(&publisher, STACKS_BY_TASK));
	snapshot = publisher_fixture_make();
	assert_non_null(snapshot->folded);
	assert_non_null(snapshot->folded->stack_samples);
	assert_int_equal(snapshot->folded->tree.direction, TREE_NONE);
	assert_int_equal(snapshot->folded->stack_samples->load.now.samples,
			 snapshot->samples - snapshot->idle_samples);
	assert_int_equal(snapshot->folded->query, snapshot->query);
	snapshot_destroy(snapshot);
}

/* A page has the stacks, the rows and the load of the same moment, whatever the screen shows. */
static void test_rows_come_along_beside_stacks(void **state)
{
	struct snapshot *snapshot;

	(void)state;
	publisher_fixture_sample(50, 60);
	config.query.keys = KEY_PID;
	config.query.is_relative = true;
	publisher.wants_stacks = true;
	publisher.stacks_wanted = STACKS_WITH_ROWS;
	snapshot = publisher_fixture_make();
	assert_non_null(snapshot->folded);
	assert_int_equal(snapshot->folded->keys, KEY_DSO | KEY_SYMBOL);
	assert_true(snapshot->folded->is_relative);
	assert_true(snapshot->folded->row_count > 0);
	assert_int_equal(snapshot->folded->tree.samples, 10);
	assert_int_equal(snapshot->folded->activity_count, snapshot->activity_count);
	snapshot_destroy(snapshot);
}

/* Without a screen every event has stacks. */
static void test_a_batch_has_the_stacks_of_all_events(void **state)
{
	const struct event_desc *events[] = { config.ingest.events[0], config.ingest.events[0] };
	struct snapshot *snapshot;

	(void)state;
	publisher_fixture_sample(50, 60);
	config.wants_all_events = true;
	config.ingest.events = events;
	config.ingest.event_count = 2;
	publisher.wants_stacks = true;
	snapshot = publisher_fixture_make();
	assert_non_null(snapshot->folded);
	assert_int_equal(snapshot->folded->tree.samples, 10);
	assert_non_null(snapshot->folded->next_event);
	assert_int_equal(snapshot->folded->next_event->tree.samples, 0);
	assert_null(snapshot->folded->next_event->next_event);
	snapshot_destroy(snapshot);
}

UNIT_TESTS(test_publisher)
{
	const struct CMUnitTest tests[] = {
		PUBLISHER_TEST(test_the_last_seconds_are_those_counted),
		PUBLISHER_TEST(test_a_slice_across_the_beginning_is_in_if_most_of_it_is),
		PUBLISHER_TEST(test_it_is_out_if_most_of_it_is),
		PUBLISHER_TEST(test_quiet_seconds_belong_to_the_window),
		PUBLISHER_TEST(test_intervals_show_every_sample_once),
		PUBLISHER_TEST(test_the_losses_of_the_window_are_known),
		PUBLISHER_TEST(test_ticks_that_did_not_come_are_a_share_of_the_window),
		PUBLISHER_TEST(test_ticks_that_tasks_lack_are_a_share_of_their_time),
		PUBLISHER_TEST(test_ticks_that_idle_cpus_may_lack_are_not_missing),
		PUBLISHER_TEST(test_ticks_are_missing_though_idle_cpus_tick),
		PUBLISHER_TEST(test_an_idle_machine_misses_no_tick),
		PUBLISHER_TEST(test_without_a_clock_no_tick_is_missing),
		PUBLISHER_TEST(test_zero_begins_anew),
		PUBLISHER_TEST(test_zero_leaves_history),
		PUBLISHER_TEST(test_zero_is_exact_as_long_as_history_is),
		PUBLISHER_TEST(test_another_source_begins_anew_and_goes_on),
		PUBLISHER_TEST(test_load_is_known_from_when_it_is_read_again),
		PUBLISHER_TEST(test_own_cost_is_not_that_of_one_frame),
		PUBLISHER_TEST(test_a_frozen_frame_stays_what_it_was_however_it_is_asked),
		PUBLISHER_TEST(test_samples_counted_later_are_not_in_a_frozen_frame),
		PUBLISHER_TEST(test_a_frozen_frame_has_all_snapshots_of_its_moment),
		PUBLISHER_TEST(test_samples_counted_later_are_not_in_a_frozen_quiet_second),
		PUBLISHER_TEST(test_rolled_up_slices_are_whole_in_a_frozen_frame),
		PUBLISHER_TEST(test_a_frozen_frame_that_left_the_history_is_empty),
		PUBLISHER_TEST(test_zero_ends_the_freeze),
		PUBLISHER_TEST(test_a_query_says_what_is_in_the_rows),
		PUBLISHER_TEST(test_a_frame_that_was_stopped_is_whole_the_next_time),
		PUBLISHER_TEST(test_a_long_fold_of_rows_can_be_stopped),
		PUBLISHER_TEST(test_a_tree_is_of_the_same_samples_as_the_rows),
		PUBLISHER_TEST(test_both_trees_are_of_the_same_samples),
		PUBLISHER_TEST(test_stacks_come_along_once_when_they_are_asked_for),
		PUBLISHER_TEST(test_what_is_shown_comes_along_whole),
		PUBLISHER_TEST(test_samples_by_task_come_along),
		PUBLISHER_TEST(test_rows_come_along_beside_stacks),
		PUBLISHER_TEST(test_a_batch_has_the_stacks_of_all_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
