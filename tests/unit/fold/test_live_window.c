/* The window that is kept by adding and subtracting, against the sum of its slices. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/window_fold.h"
#include "random_numbers.h"
#include "unit_tests.h"

enum { STACKS = 40, TASKS = 3 };

static struct timeline timeline;
static struct live_window window;
static uint64_t now_ns;

static int set_up(void **state)
{
	(void)state;
	memset(&window, 0, sizeof(window));
	now_ns = 1000 * SLICE_NS;
	return timeline_init(&timeline, 1);
}

static int tear_down(void **state)
{
	(void)state;
	live_window_finish(&window);
	timeline_finish(&timeline);
	return 0;
}

/* One second with these samples, as a closed slice. */
static void add_second(uint64_t *seed, uint32_t samples)
{
	for (uint32_t i = 0; i < samples; i++) {
		const struct slice_entry entry = {
			.task = random_below(seed, TASKS), .stack = random_below(seed, STACKS),
			.count = 1, .weight = random_below(seed, 1000),
		};
		const struct stack_counts stack = {
			.truncated = random_below(seed, 9) == 0, .user = random_below(seed, 2),
			.complete = random_below(seed, 3), .cut = random_below(seed, 5),
		};

		assert_int_equal(timeline_add(&timeline, now_ns, &entry, &stack), 0);
	}
	now_ns += SLICE_NS;
	assert_int_equal(timeline_cut(&timeline, now_ns), 0);
}

struct sum {
	uint64_t count[TASKS][STACKS], weight[TASKS][STACKS];
};

static void sum_entries(struct sum *sum, const struct slice_entry *entries, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		sum->count[entries[i].task][entries[i].stack] += entries[i].count;
		sum->weight[entries[i].task][entries[i].stack] += entries[i].weight;
	}
}

static void assert_window_is(uint64_t first_seq)
{
	static struct sum full, kept;
	struct stack_counts stacks = { 0 };

	memset(&full, 0, sizeof(full));
	memset(&kept, 0, sizeof(kept));
	assert_int_equal(live_window_update(&window, &timeline, first_seq), 0);
	sum_entries(&kept, window.sum.entries, window.sum.count);
	for (uint32_t s = 0; s < timeline.count; s++) {
		const struct slice *slice = &timeline.slices[s];

		if (slice->seq < first_seq)
			continue;
		sum_entries(&full, slice->entries, slice->count);
		stack_counts_add(&stacks, &slice->stacks);
	}
	assert_memory_equal(&kept, &full, sizeof(kept));
	assert_memory_equal(&window.stacks, &stacks, sizeof(stacks));
}

static uint64_t seq_of_newest(uint64_t slices)
{
	return timeline.open_slice.seq - slices;
}

static void test_a_moving_window_is_the_sum_of_its_slices(void **state)
{
	uint64_t seed = 21;

	(void)state;
	for (int second = 0; second < 60; second++) {
		add_second(&seed, 1 + random_below(&seed, 60));
		if (second >= 10)
			assert_window_is(seq_of_newest(10));
	}
}

static void test_a_window_may_grow_and_shrink_at_will(void **state)
{
	uint64_t seed = 22;

	(void)state;
	for (int second = 0; second < 300; second++) {
		add_second(&seed, 1 + random_below(&seed, 30));
		if (second >= 100 && random_below(&seed, 3))
			assert_window_is(seq_of_newest(1 + random_below(&seed, 99)));
	}
}

static void test_a_window_that_missed_more_than_its_length_starts_over(void **state)
{
	uint64_t seed = 23;

	(void)state;
	for (int second = 0; second < 20; second++)
		add_second(&seed, 20);
	assert_window_is(seq_of_newest(5));
	for (int second = 0; second < 10; second++)
		add_second(&seed, 20);
	assert_window_is(seq_of_newest(5));
}

/* Not looked at for 50 s, meanwhile its oldest slices became one of 10 s that also holds seconds
 * from before the window. */
static void test_slices_that_were_rolled_up_meanwhile_are_not_left_in(void **state)
{
	uint64_t seed = 24;

	(void)state;
	for (int second = 0; second < 200; second++)
		add_second(&seed, 20);
	assert_window_is(seq_of_newest(95));
	for (int second = 0; second < 50; second++)
		add_second(&seed, 20);
	timeline_roll_up(&timeline, now_ns);
	assert_window_is(seq_of_newest(95));
}

static void test_slices_that_were_evicted_meanwhile_are_not_left_in(void **state)
{
	uint64_t seed = 25;

	(void)state;
	for (int second = 0; second < 20; second++)
		add_second(&seed, 20);
	assert_window_is(seq_of_newest(10));
	for (int i = 0; i < 15; i++)
		timeline_evict_oldest(&timeline);
	add_second(&seed, 20);
	assert_window_is(seq_of_newest(11));
	assert_window_is(seq_of_newest(6));
}

static void test_entries_that_count_nothing_do_not_pile_up(void **state)
{
	struct slice_entry entry = { .count = 1 };

	(void)state;
	for (uint32_t stack = 0; stack < 3000; stack++) {	/* another one each second */
		entry.stack = stack;
		assert_int_equal(timeline_add(&timeline, now_ns, &entry, NULL), 0);
		now_ns += SLICE_NS;
		assert_int_equal(timeline_cut(&timeline, now_ns), 0);
		if (stack < 10)
			continue;
		assert_int_equal(live_window_update(&window, &timeline, seq_of_newest(10)), 0);
		assert_true(window.sum.count <= 20);
	}
}

static void test_after_a_reset_it_starts_over(void **state)
{
	uint64_t seed = 26;

	(void)state;
	add_second(&seed, 20);
	assert_window_is(0);
	live_window_reset(&window);
	timeline_finish(&timeline);
	assert_int_equal(timeline_init(&timeline, 1), 0);
	assert_window_is(seq_of_newest(0));
	assert_int_equal(window.sum.count, 0);
	add_second(&seed, 20);
	assert_window_is(seq_of_newest(1));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

UNIT_TESTS(test_live_window)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_moving_window_is_the_sum_of_its_slices),
		TEST(test_a_window_may_grow_and_shrink_at_will),
		TEST(test_a_window_that_missed_more_than_its_length_starts_over),
		TEST(test_slices_that_were_rolled_up_meanwhile_are_not_left_in),
		TEST(test_slices_that_were_evicted_meanwhile_are_not_left_in),
		TEST(test_entries_that_count_nothing_do_not_pile_up),
		TEST(test_after_a_reset_it_starts_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
