/* A window beside its baseline: what is in both, what is new, what is gone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/budget.h"
#include "publisher_fixture.h"
#include "unit_tests.h"

enum { MEMORY_BYTES = 16 << 20 };

static int set_up(void **state)
{
	publisher_fixture_set_up(state);
	config.memory_bytes = MEMORY_BYTES;
	config.query.compare = true;
	return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, publisher_fixture_tear_down)

static void add(uint64_t from, uint64_t to, uint32_t pid, uint64_t address)
{
	for (uint64_t tenth = from; tenth < to; tenth++)
		feed_sample(&feed, tenth * S / 10, pid, pid, address);
}

/* 5 s to 6 s: 6 of pid 1, 3 of pid 2, 1 idle. 6 s to 8 s: 2 of pid 1, 18 of pid 3. Periods of 10.
 */
static void fill(void)
{
	feed.period = 10;
	add(50, 56, 1, 0x1000);
	add(56, 59, 2, 0x2000);
	feed_sample_at(&feed, 59 * S / 10, 0, 0, PERF_RECORD_MISC_USER, 0x10, NULL, 0);
	add(60, 62, 1, 0x1000);
	add(62, 80, 3, 0x3000);
	feed_round(&feed, 8 * S);
}

static struct snapshot *make_last(uint64_t seconds)
{
	config.window = WINDOW_SECONDS;
	config.window_ns = seconds * S;
	return publisher_fixture_make();
}

static const struct snapshot_row *find(const struct snapshot *snapshot, uint64_t address)
{
	for (size_t i = 0; i < snapshot->row_count; i++)
		if (snapshot->rows[i].address == address)
			return &snapshot->rows[i];
	return NULL;
}

static void expect_row(const struct snapshot *snapshot, uint64_t address, uint64_t samples,
		       uint64_t base_samples)
{
	const struct snapshot_row *row = find(snapshot, address);

	assert_non_null(row);
	assert_int_equal(row->now.self.samples, samples);
	assert_int_equal(row->now.total.samples, samples);
	assert_true(row->now.self.weight == 10.0 * (double)samples);
	assert_true(row->now.total.weight == 10.0 * (double)samples);
	assert_int_equal(row->base.self.samples, base_samples);
	assert_int_equal(row->base.total.samples, base_samples);
	assert_true(row->base.self.weight == 10.0 * (double)base_samples);
	assert_true(row->base.total.weight == 10.0 * (double)base_samples);
}

static void test_rows_say_what_they_were_in_the_baseline(void **state)
{
	struct snapshot *snapshot;

	(void)state;
	fill();
	publisher_mark(&publisher, 5 * S, 6 * S, false);
	snapshot = make_last(2);
	assert_true(snapshot->has_baseline && snapshot->is_compared);
	assert_int_equal(snapshot->samples, 20);
	assert_true(snapshot->weight == 200);
	assert_int_equal(snapshot->baseline.begin_ns, 5 * S);
	assert_int_equal(snapshot->baseline.end_ns, 6 * S);
	assert_true(snapshot->baseline.window_s == 1.0);
	assert_int_equal(snapshot->baseline.samples, 10);
	assert_true(snapshot->baseline.weight == 90);
	assert_string_equal(snapshot->baseline.label, "");
	assert_int_equal(snapshot->row_count, 4);
	expect_row(snapshot, 0x3000, 18, 0);	/* new */
	expect_row(snapshot, 0x1000, 2, 6);
	expect_row(snapshot, 0x2000, 0, 3);	/* gone */
	expect_row(snapshot, 0x10, 0, 1);
	assert_true(find(snapshot, 0x10)->is_idle);
	assert_true(find(snapshot, 0x2000) == &snapshot->rows[2]);	/* gone ones last */
	assert_int_equal(find(snapshot, 0x2000)->pid, 2);
	snapshot_destroy(snapshot);
}

/* Stacks that are saved are compared, too: the tree has A's counts, also of what is gone. */
static void test_stacks_have_the_counts_of_the_baseline(void **state)
{
	struct snapshot *snapshot;

	(void)state;
	fill();
	publisher_mark(&publisher, 5 * S, 6 * S, false);
	publisher.wants_stacks = true;
	snapshot = make_last(2);
	assert_non_null(snapshot->folded);
	assert_true(snapshot->folded->is_compared);
	assert_int_equal(snapshot->folded->tree.samples, 20);
	assert_true(snapshot->folded->tree.base_weight == 90);
	assert_int_equal(snapshot->folded->baseline.samples, 10);
	snapshot_destroy(snapshot);
}

static void test_a_row_that_is_gone_keeps_its_identity(void **state)
{
	struct snapshot *then, *now;

	(void)state;
	fill();
	publisher_freeze(&publisher, 0, 6 * S);
	config.query.compare = false;
	then = make_last(1);
	publisher_freeze(&publisher, 0, 0);
	publisher_mark(&publisher, 5 * S, 6 * S, false);
	config.query.compare = true;
	now = make_last(2);
	assert_true(find(then, 0x2000)->id == find(now, 0x2000)->id);
	assert_string_equal(find(then, 0x2000)->symbol, find(now, 0x2000)->symbol);
	snapshot_destroy(then);
	snapshot_destroy(now);
}

static void test_without_compare_there_is_a_baseline_and_no_stats(void **state)
{
	struct snapshot *snapshot;

	(void)state;
	fill();
	publisher_mark(&publisher, 5 * S, 6 * S, false);
	config.query.compare = false;
	snapshot = make_last(2);
	assert_true(snapshot->has_baseline && !snapshot->is_compared);
	assert_int_equal(snapshot->row_count, 2);
	assert_int_equal(find(snapshot, 0x1000)->base.self.samples, 0);
	snapshot_destroy(snapshot);
}

static void test_the_baseline_can_be_taken_away(void **state)
{
	struct snapshot *snapshot;

	(void)state;
	fill();
	publisher_mark(&publisher, 5 * S, 6 * S, false);
	publisher_mark(&publisher, 0, 0, false);
	snapshot = make_last(2);
	assert_true(!snapshot->has_baseline && !snapshot->is_compared);
	assert_int_equal(snapshot->row_count, 2);
	assert_string_equal(snapshot->notice, "");
	snapshot_destroy(snapshot);
}

/* Each process's threads, and the process: of one that is gone both. */
static void test_processes_above_their_threads_are_compared(void **state)
{
	struct snapshot *snapshot;
	uint64_t sums[2] = { 0, 0 };
	size_t groups = 0;

	(void)state;
	fill();
	publisher_mark(&publisher, 5 * S, 6 * S, false);
	config.query.keys = KEY_PID | KEY_TID | KEY_GROUP;
	snapshot = make_last(2);
	assert_int_equal(snapshot->row_count, 8);
	for (size_t i = 0; i < snapshot->row_count; i++) {
		const struct snapshot_row *row = &snapshot->rows[i];

		if (row->group_id)
			continue;
		groups++;
		sums[0] += row->now.self.samples;
		sums[1] += row->base.self.samples;
		if (row->pid == 2)
			assert_true(row->now.self.samples == 0 && row->base.self.samples == 3);
	}
	assert_int_equal(groups, 4);
	assert_int_equal(sums[0], 20);
	assert_int_equal(sums[1], 10);
	snapshot_destroy(snapshot);
}

/* The slices are rolled up, leave, and the stacks that only they had are compacted away. */
static void test_the_baseline_outlives_its_slices(void **state)
{
	struct ingest *ingest = &feed.ingest;
	struct snapshot *snapshot;

	(void)state;
	add(30, 40, 7, 0x7000);		/* their numbers come first, and leave */
	fill();
	publisher_mark(&publisher, 5 * S, 6 * S, false);
	add(80, 100, 3, 0x3000);
	feed_round(&feed, 10 * S);
	assert_int_equal(timeline_cut(&ingest->timeline, ingest->watermark_ns), 0);
	timeline_roll_up(&ingest->timeline, 200 * S);
	while (timeline_evict_oldest(&ingest->timeline))
		;
	add(100, 110, 3, 0x3000);
	feed_round(&feed, 11 * S);
	assert_true(budget_compact(ingest));
	publisher_renumbered(&publisher);
	assert_int_equal(ingest->trie.stacks.count, 4);
	snapshot = make_last(1);
	assert_int_equal(snapshot->row_count, 4);
	expect_row(snapshot, 0x3000, 10, 0);
	expect_row(snapshot, 0x1000, 0, 6);
	expect_row(snapshot, 0x2000, 0, 3);
	snapshot_destroy(snapshot);
}

static void test_what_the_baseline_takes_counts_against_the_budget(void **state)
{
	size_t before;

	(void)state;
	fill();
	assert_int_equal(timeline_cut(&feed.ingest.timeline, feed.ingest.watermark_ns), 0);
	before = budget_bytes(&feed.ingest);
	publisher_mark(&publisher, 5 * S, 6 * S, false);
	assert_int_equal(budget_bytes(&feed.ingest), before + 3 * sizeof(struct slice_entry));
}

static void test_a_baseline_larger_than_its_share_of_memory_is_refused(void **state)
{
	struct snapshot *snapshot;

	(void)state;
	fill();
	config.memory_bytes = 8 * sizeof(struct slice_entry);	/* two entries, of three */
	publisher_mark(&publisher, 5 * S, 6 * S, false);
	snapshot = make_last(2);
	assert_false(snapshot->has_baseline);
	assert_non_null(strstr(snapshot->notice, "--history-memory"));
	assert_string_equal(snapshot->baseline.notice, snapshot->notice);
	snapshot_destroy(snapshot);
}

/* Of 5..6 there are three entries, of 6..6.2 one: the larger one is refused, and another small one
 * is taken, without a word. */
static void test_a_refused_baseline_leaves_the_one_before(void **state)
{
	struct snapshot *snapshot;

	(void)state;
	fill();
	config.memory_bytes = 8 * sizeof(struct slice_entry);
	publisher_mark(&publisher, 6 * S, 62 * S / 10, false);
	publisher_mark(&publisher, 5 * S, 6 * S, false);
	snapshot = make_last(2);
	assert_true(snapshot->has_baseline && snapshot->is_compared);
	assert_true(snapshot->baseline.begin_ns == 6 * S);
	assert_true(snapshot->baseline.end_ns == 62 * S / 10);
	expect_row(snapshot, 0x1000, 2, 2);
	assert_non_null(strstr(snapshot->baseline.notice, "no new baseline"));
	snapshot_destroy(snapshot);
	publisher_mark(&publisher, 7 * S, 8 * S, false);
	snapshot = make_last(2);
	assert_true(snapshot->baseline.begin_ns == 7 * S);
	assert_string_equal(snapshot->baseline.notice, "");
	snapshot_destroy(snapshot);
}

/* 5 s to 6 s is compared with all from 6 s on: nothing was counted before. 6 s to 7 s with 5 s to
 * 6 s and 7 s to 8 s: 6 of pid 1, 3 of pid 2, 10 of pid 3, in 2 s. */
static void test_a_second_is_compared_with_the_rest_of_history(void **state)
{
	struct snapshot *snapshot;

	(void)state;
	fill();
	publisher_freeze(&publisher, 6 * S, 7 * S);
	publisher_mark(&publisher, 6 * S, 7 * S, true);
	snapshot = publisher_fixture_make();
	assert_true(snapshot->is_compared);
	assert_true(snapshot->baseline.window_s > 1.9 && snapshot->baseline.window_s < 2.1);
	expect_row(snapshot, 0x1000, 2, 6);
	expect_row(snapshot, 0x2000, 0, 3);
	expect_row(snapshot, 0x3000, 8, 10);
	assert_true(snapshot->baseline.begin_ns == 5 * S && snapshot->baseline.end_ns == 8 * S);
	snapshot_destroy(snapshot);
	publisher_freeze(&publisher, 5 * S, 6 * S);
	publisher_mark(&publisher, 5 * S, 6 * S, true);
	snapshot = publisher_fixture_make();
	expect_row(snapshot, 0x1000, 6, 2);
	expect_row(snapshot, 0x2000, 3, 0);
	expect_row(snapshot, 0x3000, 0, 18);
	assert_true(snapshot->baseline.window_s > 1.9 && snapshot->baseline.window_s < 2.1);
	snapshot_destroy(snapshot);
}

static void test_zero_leaves_the_baseline(void **state)
{
	struct snapshot *snapshot;

	(void)state;
	fill();
	publisher_mark(&publisher, 5 * S, 6 * S, false);
	publisher_zero(&publisher);
	snapshot = make_last(2);
	assert_true(snapshot->is_compared);
	expect_row(snapshot, 0x1000, 0, 6);
	snapshot_destroy(snapshot);
}

static void test_another_source_takes_the_baseline_away_and_says_so(void **state)
{
	struct snapshot *snapshot;

	(void)state;
	fill();
	config.notice = "first";
	publisher_mark(&publisher, 5 * S, 6 * S, false);
	timeline_finish(&feed.ingest.timeline);
	assert_int_equal(timeline_init(&feed.ingest.timeline, 1), 0);
	publisher_switch(&publisher, 8 * S, true);
	snapshot = make_last(2);
	assert_false(snapshot->has_baseline);
	assert_non_null(strstr(snapshot->notice, "first\nthe baseline is gone"));
	snapshot_destroy(snapshot);
	publisher_mark(&publisher, 8 * S, 9 * S, false);
	snapshot = make_last(2);
	assert_string_equal(snapshot->notice, "first");
	snapshot_destroy(snapshot);
}

/* In the open slice still, which the window would cut. */
static void test_the_newest_time_can_be_marked(void **state)
{
	struct snapshot *snapshot;

	(void)state;
	add(50, 55, 1, 0x1000);
	feed_round(&feed, 55 * S / 10);
	publisher_mark(&publisher, 5 * S, 55 * S / 10, false);
	snapshot = make_last(1);
	assert_int_equal(snapshot->baseline.samples, 5);
	snapshot_destroy(snapshot);
}

static bool has_node(const struct call_tree *tree, uint64_t address)
{
	for (uint32_t i = 0; i < tree->node_count; i++)
		if (tree->nodes[i].address == address)
			return true;
	return false;
}

/* pid 2 is a third of the baseline and nothing now: 5 % of either is enough to stay. */
static void test_a_path_that_was_large_stays_in_the_tree(void **state)
{
	struct snapshot *snapshot;

	(void)state;
	fill();
	publisher_mark(&publisher, 5 * S, 6 * S, false);
	config.query.tree = TREE_CALLERS;
	config.query.tree_limit_pct = 5;
	snapshot = make_last(2);
	assert_true(snapshot->tree.base_weight == 90 && snapshot->tree.weight == 200);
	assert_int_equal(snapshot->tree.node_count, 3);
	assert_true(has_node(&snapshot->tree, 0x2000));
	assert_int_equal(snapshot->tree.nodes[2].address, 0x2000);	/* gone ones last */
	snapshot_destroy(snapshot);
	config.query.tree_limit_pct = 40;
	snapshot = make_last(2);
	assert_int_equal(snapshot->tree.node_count, 2);	/* 90 % now, and 67 % then */
	assert_false(has_node(&snapshot->tree, 0x2000));
	snapshot_destroy(snapshot);
}

/* The rows of the baseline are kept; other keys, or another filter, are another question. */
static void test_another_question_is_folded_anew(void **state)
{
	struct filter_part part = { .field = FILTER_PID, .number = 2 };
	struct snapshot *snapshot;

	(void)state;
	fill();
	publisher_mark(&publisher, 5 * S, 6 * S, false);
	snapshot_destroy(make_last(2));
	config.query.keys = KEY_PID;
	snapshot = make_last(2);
	assert_int_equal(snapshot->row_count, 4);
	assert_int_equal(snapshot->rows[1].pid, 1);
	assert_int_equal(snapshot->rows[1].base.self.samples, 6);
	snapshot_destroy(snapshot);
	config.query.keys = KEY_DSO | KEY_SYMBOL;
	assert_int_equal(filter_add(&config.query.filter, &part, NULL), 0);
	snapshot = make_last(2);
	assert_int_equal(snapshot->row_count, 1);
	expect_row(snapshot, 0x2000, 0, 3);
	snapshot_destroy(snapshot);
	publisher_mark(&publisher, 6 * S, 8 * S, false);
	snapshot = make_last(2);
	assert_int_equal(snapshot->row_count, 0);
	snapshot_destroy(snapshot);
}

/* The cgroup of a task of the baseline is read when its rows were folded already. */
static void test_a_cgroup_that_is_read_later_is_folded_anew(void **state)
{
	struct task_table *tasks = &feed.ingest.tasks;
	struct filter_part part = { .field = FILTER_CGROUP, .hash = filter_hash("/b") };
	struct slice_entry entry;
	struct thread *thread;
	struct snapshot *snapshot;

	(void)state;
	snprintf(part.text, sizeof(part.text), "/b");
	fill();
	assert_int_equal(timeline_cut(&feed.ingest.timeline, 8 * S), 0);
	entry = feed.ingest.timeline.slices[0].entries[0];
	thread = task_table_thread(tasks, 7, 7);
	thread_set_cgroup(thread, 0, true);
	entry.task = task_table_task(tasks, thread);
	assert_int_equal(timeline_add(&feed.ingest.timeline, 85 * S / 10, &entry, NULL), 0);
	feed_round(&feed, 9 * S);
	publisher_mark(&publisher, 5 * S, 9 * S, false);
	assert_int_equal(filter_add(&config.query.filter, &part, NULL), 0);
	snapshot = make_last(1);
	assert_int_equal(snapshot->row_count, 0);
	snapshot_destroy(snapshot);
	assert_true(task_table_settle(tasks, task_table_process(tasks, 7),
				      cgroup_table_intern(&tasks->cgroups, "/b", 2)));
	snapshot = make_last(1);
	assert_int_equal(snapshot->row_count, 1);
	assert_int_equal(snapshot->rows[0].base.self.samples, entry.count);
	snapshot_destroy(snapshot);
}

static bool stop_always(void *owner)
{
	++*(unsigned int *)owner;
	return true;
}

/* Of the window itself there is too little to be asked. */
static void test_a_baseline_that_was_stopped_is_whole_the_next_time(void **state)
{
	struct snapshot *snapshot;
	unsigned int asked = 0;

	(void)state;
	for (uint64_t i = 0; i < 40000; i++)
		feed_sample(&feed, 5 * S + i, 1, 1, 0x1000 + i);
	feed_sample(&feed, 6 * S, 1, 1, 0x1000);
	feed_round(&feed, 7 * S);
	publisher_mark(&publisher, 5 * S, 6 * S, false);
	publisher.stop = (struct fold_stop){ stop_always, &asked };
	config.window = WINDOW_SECONDS;
	config.window_ns = S;
	assert_null(publisher_make(&publisher, false, NULL));
	assert_int_equal(asked, 1);
	publisher.stop.is_due = NULL;
	snapshot = make_last(1);
	assert_int_equal(snapshot->baseline.samples, 40000);
	assert_int_equal(snapshot->samples, 1);
	/* a file with more has the rest in one row */
	assert_in_range(snapshot->row_count, (SYMBOL_NAMES_ROWS - SYMBOL_NAMES_RESERVE) / 9, 40000);
	snapshot_destroy(snapshot);
}

/* So many that the fold asks on the way whether to go on. */
static void test_a_large_baseline_has_the_same_rows(void **state)
{
	struct ingest *ingest = &feed.ingest;
	struct snapshot *snapshot;
	struct slice_entry entry;

	(void)state;
	fill();
	assert_int_equal(timeline_cut(&ingest->timeline, ingest->watermark_ns), 0);
	entry = ingest->timeline.slices[0].entries[0];	/* pid 1's */
	for (uint32_t cpu = 0; cpu < 8000; cpu++) {
		slice_entry_set_cpu(&entry, true, cpu);
		entry.count = cpu < 4000 ? 1 : 2;	/* so that no part is like another */
		entry.weight = 10 * entry.count;
		for (entry.bucket = 1; entry.bucket < 31; entry.bucket++)
			assert_int_equal(timeline_add(&ingest->timeline, 9 * S, &entry, NULL), 0);
	}
	feed_round(&feed, 10 * S);
	config.memory_bytes = 4 * MEMORY_BYTES;
	publisher_mark(&publisher, 9 * S, 10 * S, false);
	assert_int_equal(ingest->baseline.count, 30 * 8000);
	publisher_freeze(&publisher, 0, 8 * S);
	snapshot = make_last(2);
	assert_int_equal(snapshot->row_count, 2);
	expect_row(snapshot, 0x3000, 18, 0);
	expect_row(snapshot, 0x1000, 2, 30 * (4000 + 2 * 4000));
	snapshot_destroy(snapshot);
}

/* "z" while the first is read zeroes at its clock, which is not the second's. */
static void test_another_recording_begins_with_a_clock_of_its_own(void **state)
{
	const struct ingest_config next = feed.ingest.config;
	struct snapshot *snapshot;

	(void)state;
	add(50, 60, 1, 0x1000);
	feed_round(&feed, 6 * S);
	publisher_zero(&publisher);
	add(60, 70, 1, 0x1000);
	feed_round(&feed, 7 * S);
	assert_int_equal(publisher_mark_all(&publisher, "first"), 0);
	assert_int_equal(ingest_next_recording(&feed.ingest, &next), 0);
	publisher_next_recording(&publisher);
	add(10, 15, 1, 0x1000);
	feed_round(&feed, 15 * S / 10);
	config.window = WINDOW_ALL;
	snapshot = publisher_fixture_make();
	assert_int_equal(snapshot->samples, 5);
	assert_int_equal(snapshot->begin_ns, 1 * S);
	assert_int_equal(snapshot->baseline.samples, 10);
	assert_string_equal(snapshot->baseline.label, "first");
	snapshot_destroy(snapshot);
}

UNIT_TESTS(test_compare)
{
	const struct CMUnitTest tests[] = {
		TEST(test_rows_say_what_they_were_in_the_baseline),
		TEST(test_stacks_have_the_counts_of_the_baseline),
		TEST(test_a_row_that_is_gone_keeps_its_identity),
		TEST(test_without_compare_there_is_a_baseline_and_no_stats),
		TEST(test_the_baseline_can_be_taken_away),
		TEST(test_processes_above_their_threads_are_compared),
		TEST(test_the_baseline_outlives_its_slices),
		TEST(test_what_the_baseline_takes_counts_against_the_budget),
		TEST(test_a_baseline_larger_than_its_share_of_memory_is_refused),
		TEST(test_a_refused_baseline_leaves_the_one_before),
		TEST(test_a_second_is_compared_with_the_rest_of_history),
		TEST(test_zero_leaves_the_baseline),
		TEST(test_another_source_takes_the_baseline_away_and_says_so),
		TEST(test_the_newest_time_can_be_marked),
		TEST(test_a_path_that_was_large_stays_in_the_tree),
		TEST(test_another_question_is_folded_anew),
		TEST(test_a_cgroup_that_is_read_later_is_folded_anew),
		TEST(test_a_baseline_that_was_stopped_is_whole_the_next_time),
		TEST(test_a_large_baseline_has_the_same_rows),
		TEST(test_another_recording_begins_with_a_clock_of_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
