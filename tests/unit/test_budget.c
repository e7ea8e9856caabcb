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
#include "ingest_stage.h"

enum { SAMPLES_PER_S = 500, SECONDS = 200, LIMIT_BYTES = 2 << 20 };

static struct ingest_stage stage;

/* One second in which every sample has a stack that was never seen before, and one that every
 * second has. */
static void storm(uint64_t second)
{
	const uint64_t begin_ns = second * CLOCK_NS_PER_S;

	for (uint64_t i = 0; i < SAMPLES_PER_S; i++) {
		const uint64_t unique = second * SAMPLES_PER_S + i;
		const uint64_t chain[] = { PERF_CONTEXT_USER, 0x400000 + unique, 0x800000 + unique,
					   0xc00000 + unique, 0x10 };

		stage_sample_at(&stage, begin_ns + i, 100, 100, PERF_RECORD_MISC_USER, chain[1],
				chain, COUNT_OF(chain));
	}
	stage_sample(&stage, begin_ns + SAMPLES_PER_S, 100, 100, 0x77);
	stage_round(&stage, begin_ns + CLOCK_NS_PER_S - 1);
}

static void storm_within_the_budget(bool *was_renumbered)
{
	stage_mmap(&stage, 1, 100, 0, 0x10000000, 0, "/bin/app");
	stage_comm(&stage, 1, 100, 100, "app", false);
	stage_round(&stage, 1);
	for (uint64_t second = 1; second <= SECONDS; second++) {
		storm(second);
		*was_renumbered |= budget_enforce(&stage.ingest, LIMIT_BYTES,
						  stage.ingest.watermark_ns);
		assert_true(budget_bytes(&stage.ingest) <= LIMIT_BYTES);
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
	const struct timeline *timeline = &stage.ingest.timeline;
	bool was_renumbered = false;

	(void)state;
	storm_within_the_budget(&was_renumbered);
	assert_true(timeline->evicted_samples > 0);
	assert_int_equal(stage_samples(&stage) + timeline->evicted_samples,
			 SECONDS * (SAMPLES_PER_S + 1));
	assert_true(timeline->evicted_until_ns <= timeline->slices[0].start_ns);
}

/* The newest seconds, stack by stack: leaf u was called by u + 0x400000, that by u + 0x800000. */
static void test_what_stays_is_right_after_all_renumbering(void **state)
{
	const struct stack_trie *trie = &stage.ingest.trie;
	bool was_renumbered = false;

	(void)state;
	storm_within_the_budget(&was_renumbered);
	for (uint64_t i = 0; i < SAMPLES_PER_S; i++)
		assert_int_equal(stage_counted(&stage, "app", 100, "/bin/app",
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
	const struct timeline *timeline = &stage.ingest.timeline;
	struct slice_entry entry = { .count = 1, .weight = 1 };
	size_t limit_bytes;

	(void)state;
	storm(1);
	entry.task = timeline->open.entries[0].task;
	for (uint64_t tick = 40; tick < 40 * 20; tick++)
		for (entry.cpu = 0; entry.cpu < CPUS; entry.cpu++)
			assert_int_equal(timeline_add(&stage.ingest.timeline, tick * TICK_NS,
						      &entry, NULL), 0);
	assert_int_equal(timeline_cut(&stage.ingest.timeline, 40 * SLICE_NS), 0);
	limit_bytes = budget_bytes(&stage.ingest) - 5 * 19 * CPUS * sizeof(entry);
	assert_false(budget_enforce(&stage.ingest, limit_bytes, 40 * SLICE_NS));
	assert_int_equal(timeline->evicted_samples, 0);
	assert_true(budget_bytes(&stage.ingest) <= limit_bytes);
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
	assert_false(budget_enforce(&stage.ingest, SIZE_MAX, stage.ingest.watermark_ns));
	assert_int_equal(stage.ingest.trie.stacks.count, SAMPLES_PER_S + 1);
	assert_int_equal(stage.ingest.timeline.evicted_samples, 0);
}

static void test_a_compaction_keeps_all_that_a_slice_refers_to(void **state)
{
	struct ingest *ingest = &stage.ingest;

	(void)state;
	storm(1);
	storm(2);
	assert_int_equal(timeline_cut(&ingest->timeline, ingest->watermark_ns), 0);
	assert_true(timeline_evict_oldest(&ingest->timeline));
	assert_true(budget_compact(ingest));
	assert_int_equal(ingest->trie.stacks.count, SAMPLES_PER_S + 1);
	assert_int_equal(ingest->tasks.task_count, 1);
	/* a sample of the same stack after it finds the old number */
	stage_sample(&stage, 3 * CLOCK_NS_PER_S, 100, 100, 0x77);
	stage_round(&stage, 3 * CLOCK_NS_PER_S);
	assert_int_equal(ingest->trie.stacks.count, SAMPLES_PER_S + 1);
	assert_int_equal(ingest->tasks.task_count, 1);
	assert_int_equal(stage_counted(&stage, ":100", 100, "[unknown]", 0x77), 2);
}

static void test_what_is_in_the_open_slice_survives(void **state)
{
	struct ingest *ingest = &stage.ingest;

	(void)state;
	stage_sample(&stage, CLOCK_NS_PER_S, 100, 100, 0x10);
	stage_round(&stage, CLOCK_NS_PER_S);
	assert_true(budget_compact(ingest));
	stage_sample(&stage, CLOCK_NS_PER_S, 200, 200, 0x20);
	stage_sample(&stage, CLOCK_NS_PER_S, 100, 100, 0x10);
	stage_round(&stage, 2 * CLOCK_NS_PER_S);
	assert_int_equal(stage_counted(&stage, ":100", 100, "[unknown]", 0x10), 2);
	assert_int_equal(stage_counted(&stage, ":200", 200, "[unknown]", 0x20), 1);
}

/* A program that renames itself all the time: names are part of the history, and go with it. */
static void test_a_storm_of_names_stays_within_the_budget(void **state)
{
	enum { SECONDS_OF_NAMES = 100, NAMES_PER_S = 1000 };
	const struct timeline *timeline = &stage.ingest.timeline;
	char name[16];

	(void)state;
	for (uint64_t second = 1; second <= SECONDS_OF_NAMES; second++) {
		for (uint64_t i = 0; i < NAMES_PER_S; i++) {
			const uint64_t at_ns = second * CLOCK_NS_PER_S + 2 * i;

			snprintf(name, sizeof(name), "n%u",
				 (unsigned int)(second * NAMES_PER_S + i));
			stage_comm(&stage, at_ns, 100, 100, name, false);
			stage_sample(&stage, at_ns + 1, 100, 100, 0x77);
		}
		stage_round(&stage, (second + 1) * CLOCK_NS_PER_S - 1);
		budget_enforce(&stage.ingest, LIMIT_BYTES, stage.ingest.watermark_ns);
		assert_true(budget_bytes(&stage.ingest) <= LIMIT_BYTES);
		assert_true(strpool_bytes(stage.ingest.strings) <= 2 * LIMIT_BYTES);
	}
	assert_true(timeline->evicted_samples > 0);
	assert_int_equal(stage_samples(&stage) + timeline->evicted_samples,
			 SECONDS_OF_NAMES * NAMES_PER_S);
	assert_int_equal(stage_counted(&stage, name, 100, "[unknown]", 0x77), 1);
}

/* More text than the budget has room for is no reason to forget samples: it would not help. */
static void test_a_full_text_pool_evicts_nothing(void **state)
{
	struct strpool *strings = stage.ingest.strings;
	char text[64];

	(void)state;
	storm(1);
	for (unsigned int i = 0; strpool_bytes(strings) <= LIMIT_BYTES; i++) {
		const int len = snprintf(text, sizeof(text), "a name that somebody had once %u", i);

		strpool_intern(strings, text, (size_t)len);
	}
	storm(2);
	assert_false(budget_enforce(&stage.ingest, LIMIT_BYTES, stage.ingest.watermark_ns));
	assert_int_equal(stage.ingest.timeline.evicted_samples, 0);
}

static void one_process_comes_and_goes(void)
{
	stage_fork(&stage, 10, 1, 1, 200, 200);
	stage_exit(&stage, 20, 200, 200);
}

static bool is_known_after(uint64_t time_ns)
{
	stage_round(&stage, time_ns);
	budget_enforce(&stage.ingest, SIZE_MAX, time_ns);
	return task_table_find_process(&stage.ingest.tasks, 200) != NULL;
}

static void test_live_the_dead_are_forgotten_two_seconds_later(void **state)
{
	const struct ingest_config config = { .is_replay = false };

	(void)state;
	stage_finish(&stage);
	stage_init(&stage, &config, NULL);
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
	const struct task_table *tasks = &stage.ingest.tasks;
	uint32_t most = 0;

	(void)state;
	stage_comm(&stage, 5, 100, 100, "app", false);
	for (uint32_t pid = 1000; pid < 1000 + 5 * TASK_TABLE_ROWS; pid++) {
		stage_fork(&stage, 20, 1, 1, pid, pid);
		if (pid % 1024)
			continue;
		stage_sample(&stage, 20, 100, 100, 0x77);
		stage_round(&stage, 20);
		if (budget_is_pressed(&stage.ingest))
			budget_enforce(&stage.ingest, SIZE_MAX, stage.ingest.watermark_ns);
		most = tasks->thread_count > most ? tasks->thread_count : most;
	}
	stage_round(&stage, 30);
	budget_enforce(&stage.ingest, SIZE_MAX, stage.ingest.watermark_ns);
	assert_in_range(most, 2 * TASK_TABLE_ROWS, 2 * TASK_TABLE_ROWS + 2048);
	assert_in_range(tasks->thread_count, 1, TASK_TABLE_ROWS);
	assert_in_range(tasks->process_count, 1, TASK_TABLE_ROWS);
	assert_true(tasks->forgotten >= 2 * 4 * TASK_TABLE_ROWS);
	assert_non_null(task_table_find_thread(tasks, 100));
}

/* A day of short programs: that one sleeps is no reason to forget its name. */
static void test_of_a_long_recording_the_dead_go_first(void **state)
{
	const struct task_table *tasks = &stage.ingest.tasks;

	(void)state;
	stage_comm(&stage, 5, 100, 100, "app", false);
	for (uint32_t i = 0; i <= TASK_TABLE_ROWS; i++) {
		stage_fork(&stage, 10, 1, 1, 1000 + i, 1000 + i);
		stage_exit(&stage, 20, 1000 + i, 1000 + i);
	}
	stage_round(&stage, 3 * CLOCK_NS_PER_S);
	for (int i = 0; i < 3; i++)
		budget_enforce(&stage.ingest, SIZE_MAX, stage.ingest.watermark_ns);
	assert_non_null(task_table_find_thread(tasks, 100));
	assert_in_range(tasks->thread_count, 1, 2);
	assert_int_equal(tasks->forgotten, 0);
}

#define TEST(name) STAGE_TEST(name, stage_set_up_replay)

int main(void)
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
