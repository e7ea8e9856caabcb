/* Memory stays bounded under a storm of new stacks, and what stays is still right. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/budget.h"
#include "base/clock.h"
#include "ingest_fixture.h"
#include "unit_tests.h"

enum { SAMPLES_PER_S = 500, SECONDS = 200, LIMIT_BYTES = 2 << 20 };

static struct ingest_fixture feed;

/* One second in which every sample has a stack that was never seen before, and one that every
 * second has. */
static void storm(uint64_t second)
{
	const uint64_t begin_ns = second * CLOCK_NS_PER_S;

	for (uint64_t i = 0; i < SAMPLES_PER_S; i++) {
		const uint64_t unique = second * SAMPLES_PER_S + i;
		const uint64_t chain[] = { PERF_CONTEXT_USER, 0x400000 + unique, 0x800000 + unique,
					   0xc00000 + unique, 0x10 };

		feed_sample_at(&feed, begin_ns + i, 100, 100, PERF_RECORD_MISC_USER, chain[1],
			       chain, COUNT_OF(chain));
	}
	feed_sample(&feed, begin_ns + SAMPLES_PER_S, 100, 100, 0x77);
	feed_round(&feed, begin_ns + CLOCK_NS_PER_S - 1);
}

static void storm_within_the_budget(bool *was_renumbered)
{
	feed_mmap(&feed, 1, 100, 0, 0x10000000, 0, "/bin/app");
	feed_comm(&feed, 1, 100, 100, "app", false);
	feed_round(&feed, 1);
	for (uint64_t second = 1; second <= SECONDS; second++) {
		storm(second);
		*was_renumbered |= budget_enforce(&feed.ingest, LIMIT_BYTES,
						  feed.ingest.watermark_ns);
		assert_true(budget_bytes(&feed.ingest) <= LIMIT_BYTES);
	}
}

static void test_a_storm_of_new_stacks_stays_within_the_budget(void **state)
{
	bool was_renumbered = false;

	(void)state;
	storm_within_the_budget(&was_renumbered);
	assert_true(was_renumbered);
}

static void test_every_sample_is_held_or_counted_as_evicted(void **state)
{
	const struct timeline *timeline = &feed.ingest.timeline;
	bool was_renumbered = false;

	(void)state;
	storm_within_the_budget(&was_renumbered);
	assert_true(timeline->evicted_samples > 0);
	assert_int_equal(feed_samples(&feed) + timeline->evicted_samples,
			 SECONDS * (SAMPLES_PER_S + 1));
	assert_true(timeline->evicted_until_ns <= timeline->slices[0].start_ns);
}

/* The newest seconds, stack by stack: leaf u was called by u + 0x400000, that by u + 0x800000. */
static void test_what_stays_is_right_after_all_renumbering(void **state)
{
	const struct stack_trie *trie = &feed.ingest.trie;
	bool was_renumbered = false;

	(void)state;
	storm_within_the_budget(&was_renumbered);
	for (uint64_t i = 0; i < SAMPLES_PER_S; i++)
		assert_int_equal(feed_counted(&feed, "app", 100, "/bin/app",
					      0x400000 + SECONDS * SAMPLES_PER_S + i), 1);
	for (uint32_t s = 0; s < trie->stacks.count; s++) {
		const uint64_t leaf = trie->frames.address[trie->stacks.frame[s]];
		const uint32_t node = trie->stacks.node[s];

		if (leaf == 0x77)
			continue;
		assert_int_equal(trie->frames.address[trie->nodes.frame[node]], leaf + 0x400000);
		assert_int_equal(trie->frames.address[trie->nodes.frame[trie->nodes.parent[node]]],
				 leaf + 0x800000);
	}
}

/* One stack on each of many CPUs, all the time: in ticks 40 s take 20 times as much as in seconds,
 * and what has no room goes without ticks before it goes. */
static void test_ticks_go_before_history_does(void **state)
{
	enum { CPUS = 100 };
	const struct timeline *timeline = &feed.ingest.timeline;
	struct slice_entry entry = { .count = 1, .weight = 1 };
	size_t limit_bytes;

	(void)state;
	storm(1);
	entry.task = timeline->open.entries[0].task;
	for (uint64_t tick = 40; tick < 40 * 20; tick++)
		for (entry.cpu = 0; entry.cpu < CPUS; entry.cpu++)
			assert_int_equal(timeline_add(&feed.ingest.timeline, tick * TICK_NS,
						      &entry, NULL), 0);
	assert_int_equal(timeline_cut(&feed.ingest.timeline, 40 * SLICE_NS), 0);
	limit_bytes = budget_bytes(&feed.ingest) - 5 * 19 * CPUS * sizeof(entry);
	assert_false(budget_enforce(&feed.ingest, limit_bytes, 40 * SLICE_NS));
	assert_int_equal(timeline->evicted_samples, 0);
	assert_true(budget_bytes(&feed.ingest) <= limit_bytes);
	for (uint32_t s = 0; s < timeline->count; s++) {
		assert_int_equal(timeline->slices[s].ticks != NULL,
				 timeline->slices[s].end_ns >= 10 * SLICE_NS);
		assert_true(timeline->slices[s].end_ns - timeline->slices[s].start_ns <= SLICE_NS);
	}
}

static void test_below_the_budget_nothing_is_touched(void **state)
{
	(void)state;
	storm(1);
	assert_false(budget_enforce(&feed.ingest, SIZE_MAX, feed.ingest.watermark_ns));
	assert_int_equal(feed.ingest.trie.stacks.count, SAMPLES_PER_S + 1);
	assert_int_equal(feed.ingest.timeline.evicted_samples, 0);
}

static void test_a_compaction_keeps_all_that_a_slice_refers_to(void **state)
{
	struct ingest *ingest = &feed.ingest;

	(void)state;
	storm(1);
	storm(2);
	assert_int_equal(timeline_cut(&ingest->timeline, ingest->watermark_ns), 0);
	assert_true(timeline_evict_oldest(&ingest->timeline));
	assert_true(budget_compact(ingest));
	assert_int_equal(ingest->trie.stacks.count, SAMPLES_PER_S + 1);
	assert_int_equal(ingest->tasks.task_count, 1);
	/* a sample of the same stack after it finds the old number */
	feed_sample(&feed, 3 * CLOCK_NS_PER_S, 100, 100, 0x77);
	feed_round(&feed, 3 * CLOCK_NS_PER_S);
	assert_int_equal(ingest->trie.stacks.count, SAMPLES_PER_S + 1);
	assert_int_equal(ingest->tasks.task_count, 1);
	assert_int_equal(feed_counted(&feed, ":100", 100, "[unknown]", 0x77), 2);
}

static void test_what_is_in_the_open_slice_survives(void **state)
{
	struct ingest *ingest = &feed.ingest;

	(void)state;
	feed_sample(&feed, CLOCK_NS_PER_S, 100, 100, 0x10);
	feed_round(&feed, CLOCK_NS_PER_S);
	assert_true(budget_compact(ingest));
	feed_sample(&feed, CLOCK_NS_PER_S, 200, 200, 0x20);
	feed_sample(&feed, CLOCK_NS_PER_S, 100, 100, 0x10);
	feed_round(&feed, 2 * CLOCK_NS_PER_S);
	assert_int_equal(feed_counted(&feed, ":100", 100, "[unknown]", 0x10), 2);
	assert_int_equal(feed_counted(&feed, ":200", 200, "[unknown]", 0x20), 1);
}

/* A program that renames itself all the time: names are part of the history, and go with it. */
static void test_a_storm_of_names_stays_within_the_budget(void **state)
{
	enum { SECONDS_OF_NAMES = 100, NAMES_PER_S = 1000 };
	const struct timeline *timeline = &feed.ingest.timeline;
	char name[16];

	(void)state;
	for (uint64_t second = 1; second <= SECONDS_OF_NAMES; second++) {
		for (uint64_t i = 0; i < NAMES_PER_S; i++) {
			const uint64_t at_ns = second * CLOCK_NS_PER_S + 2 * i;

			snprintf(name, sizeof(name), "n%u",
				 (unsigned int)(second * NAMES_PER_S + i));
			feed_comm(&feed, at_ns, 100, 100, name, false);
			feed_sample(&feed, at_ns + 1, 100, 100, 0x77);
		}
		feed_round(&feed, (second + 1) * CLOCK_NS_PER_S - 1);
		budget_enforce(&feed.ingest, LIMIT_BYTES, feed.ingest.watermark_ns);
		assert_true(budget_bytes(&feed.ingest) <= LIMIT_BYTES);
		assert_true(strpool_bytes(feed.ingest.strings) <= 2 * LIMIT_BYTES);
	}
	assert_true(timeline->evicted_samples > 0);
	assert_int_equal(feed_samples(&feed) + timeline->evicted_samples,
			 SECONDS_OF_NAMES * NAMES_PER_S);
	assert_int_equal(feed_counted(&feed, name, 100, "[unknown]", 0x77), 1);
}

/* More text than the budget has room for is no reason to forget samples: it would not help. */
static void test_a_full_text_pool_evicts_nothing(void **state)
{
	struct strpool *strings = feed.ingest.strings;
	char text[64];

	(void)state;
	storm(1);
	for (unsigned int i = 0; strpool_bytes(strings) <= LIMIT_BYTES; i++) {
		const int len = snprintf(text, sizeof(text), "a name that somebody had once %u", i);

		strpool_intern(strings, text, (size_t)len);
	}
	storm(2);
	assert_false(budget_enforce(&feed.ingest, LIMIT_BYTES, feed.ingest.watermark_ns));
	assert_int_equal(feed.ingest.timeline.evicted_samples, 0);
}

static void one_process_comes_and_goes(void)
{
	feed_fork(&feed, 10, 1, 1, 200, 200);
	feed_exit(&feed, 20, 200, 200);
}

static bool is_known_after(uint64_t time_ns)
{
	feed_round(&feed, time_ns);
	budget_enforce(&feed.ingest, SIZE_MAX, time_ns);
	return task_table_find_process(&feed.ingest.tasks, 200) != NULL;
}

static void test_live_the_dead_are_forgotten_two_seconds_later(void **state)
{
	const struct ingest_config config = { .is_replay = false };

	(void)state;
	feed_finish(&feed);
	feed_init(&feed, &config, NULL);
	one_process_comes_and_goes();
	assert_true(is_known_after(2 * CLOCK_NS_PER_S + 20));
	assert_false(is_known_after(2 * CLOCK_NS_PER_S + 21));
}

static void test_in_a_recording_the_dead_stay(void **state)
{
	(void)state;
	one_process_comes_and_goes();
	assert_true(is_known_after(100 * CLOCK_NS_PER_S));
}

/* No second goes by between them, and nobody is sampled but the one that was there before. */
static void test_a_recording_of_forks_without_end_stays_small(void **state)
{
	const struct task_table *tasks = &feed.ingest.tasks;
	uint32_t most = 0;

	(void)state;
	feed_comm(&feed, 5, 100, 100, "app", false);
	for (uint32_t pid = 1000; pid < 1000 + 5 * TASK_TABLE_ROWS; pid++) {
		feed_fork(&feed, 20, 1, 1, pid, pid);
		if (pid % 1024)
			continue;
		feed_sample(&feed, 20, 100, 100, 0x77);
		feed_round(&feed, 20);
		if (budget_is_pressed(&feed.ingest))
			budget_enforce(&feed.ingest, SIZE_MAX, feed.ingest.watermark_ns);
		most = tasks->thread_count > most ? tasks->thread_count : most;
	}
	feed_round(&feed, 30);
	budget_enforce(&feed.ingest, SIZE_MAX, feed.ingest.watermark_ns);
	assert_in_range(most, 2 * TASK_TABLE_ROWS, 2 * TASK_TABLE_ROWS + 2048);
	assert_in_range(tasks->thread_count, 1, TASK_TABLE_ROWS);
	assert_in_range(tasks->process_count, 1, TASK_TABLE_ROWS);
	assert_true(tasks->forgotten >= 2 * 4 * TASK_TABLE_ROWS);
	assert_non_null(task_table_find_thread(tasks, 100));
}

/* A day of short programs: that one sleeps is no reason to forget its name. */
static void test_of_a_long_recording_the_dead_go_first(void **state)
{
	const struct task_table *tasks = &feed.ingest.tasks;

	(void)state;
	feed_comm(&feed, 5, 100, 100, "app", false);
	for (uint32_t i = 0; i <= TASK_TABLE_ROWS; i++) {
		feed_fork(&feed, 10, 1, 1, 1000 + i, 1000 + i);
		feed_exit(&feed, 20, 1000 + i, 1000 + i);
	}
	feed_round(&feed, 3 * CLOCK_NS_PER_S);
	for (int i = 0; i < 3; i++)
		budget_enforce(&feed.ingest, SIZE_MAX, feed.ingest.watermark_ns);
	assert_non_null(task_table_find_thread(tasks, 100));
	assert_in_range(tasks->thread_count, 1, 2);
	assert_int_equal(tasks->forgotten, 0);
}

#define TEST(name) FEED_TEST(name, feed_set_up_replay)

UNIT_TESTS(test_budget)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_storm_of_new_stacks_stays_within_the_budget),
		TEST(test_every_sample_is_held_or_counted_as_evicted),
		TEST(test_what_stays_is_right_after_all_renumbering),
		TEST(test_ticks_go_before_history_does),
		TEST(test_below_the_budget_nothing_is_touched),
		TEST(test_a_compaction_keeps_all_that_a_slice_refers_to),
		TEST(test_what_is_in_the_open_slice_survives),
		TEST(test_a_full_text_pool_evicts_nothing),
		TEST(test_a_storm_of_names_stays_within_the_budget),
		TEST(test_live_the_dead_are_forgotten_two_seconds_later),
		TEST(test_in_a_recording_the_dead_stay),
		TEST(test_a_recording_of_forks_without_end_stays_small),
		TEST(test_of_a_long_recording_the_dead_go_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
