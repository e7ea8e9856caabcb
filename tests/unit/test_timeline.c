/* Slices by hand: borders, cuts, roll-up, eviction. Times are seconds on a clock that began long
 * before. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/timeline.h"
#include "random_numbers.h"

#define MS (SLICE_NS / 1000)
#define AT(seconds) ((uint64_t)((seconds) * 1000 + 0.5) * MS)

static struct timeline timeline;

static int set_up(void **state)
{
	(void)state;
	return timeline_init(&timeline, 2);
}

static int tear_down(void **state)
{
	(void)state;
	timeline_finish(&timeline);
	return 0;
}

static void add(uint64_t time_ns, uint32_t stack, uint64_t weight)
{
	const struct slice_entry entry = { .stack = stack, .count = 1, .weight = weight };

	assert_int_equal(timeline_add(&timeline, time_ns, &entry, NULL), 0);
}

static void cut(uint64_t time_ns)
{
	assert_int_equal(timeline_cut(&timeline, time_ns), 0);
}

static const struct slice_entry *entry_of(const struct slice *slice, uint32_t stack)
{
	for (uint32_t i = 0; i < slice->count; i++)
		if (slice->entries[i].stack == stack)
			return &slice->entries[i];
	return NULL;
}

static void test_equal_keys_are_one_entry_and_its_parts_make_others(void **state)
{
	struct slice_entry entry = { .task = 1, .stack = 2, .cpu = 3, .count = 1, .weight = 10 };
	struct slice_entry others[5];

	(void)state;
	for (int i = 0; i < 3; i++)
		assert_int_equal(timeline_add(&timeline, AT(5), &entry, NULL), 0);
	for (int i = 0; i < 5; i++)
		others[i] = entry;
	others[0].task = 9;
	others[1].stack = 9;
	others[2].cpu = UINT16_MAX;
	others[3].event = 1;
	others[4].bucket = 9;
	for (int i = 0; i < 5; i++)
		assert_int_equal(timeline_add(&timeline, AT(5), &others[i], NULL), 0);
	cut(AT(6));
	assert_int_equal(timeline.count, 1);
	assert_int_equal(timeline.slices[0].count, 6);
	assert_int_equal(timeline.slices[0].samples, 8);
	assert_int_equal(timeline.slices[0].entries[0].count, 3);
	assert_int_equal(timeline.slices[0].entries[0].weight, 30);
}

static void test_a_sample_of_a_later_second_closes_the_slice_at_the_border(void **state)
{
	(void)state;
	add(AT(10.250), 1, 1);
	add(AT(10.999), 1, 1);
	assert_int_equal(timeline.count, 0);
	add(AT(11), 1, 1);
	assert_int_equal(timeline.count, 1);
	assert_true(timeline.slices[0].start_ns == AT(10.250));
	assert_true(timeline.slices[0].end_ns == AT(11));
	assert_int_equal(timeline.slices[0].samples, 2);
	add(AT(14.5), 1, 1);	/* quiet seconds have no slices */
	assert_int_equal(timeline.count, 2);
	assert_true(timeline.slices[1].start_ns == AT(11));
	assert_int_equal(timeline.slices[1].seq, timeline.slices[0].seq + 1);
	assert_int_equal(timeline.open_slice.seq, timeline.slices[1].seq + 1);
}

static void test_a_cut_closes_the_slice_at_that_moment(void **state)
{
	(void)state;
	cut(AT(9));	/* nothing there: nothing happens */
	assert_int_equal(timeline.count, 0);
	add(AT(10.1), 1, 1);
	cut(AT(10.4));
	cut(AT(10.4));
	add(AT(10.6), 2, 1);
	cut(AT(11));
	assert_int_equal(timeline.count, 2);
	assert_true(timeline.slices[0].end_ns == AT(10.4));
	assert_non_null(entry_of(&timeline.slices[0], 1));
	assert_null(entry_of(&timeline.slices[0], 2));
	assert_true(timeline.slices[1].start_ns == AT(10.6));
	assert_non_null(entry_of(&timeline.slices[1], 2));
}

static void test_a_late_sample_counts_in_the_open_slice(void **state)
{
	(void)state;
	add(AT(10.5), 1, 1);
	add(AT(11.5), 1, 1);
	add(AT(10.9), 2, 1);
	cut(AT(12));
	assert_int_equal(timeline.count, 2);
	assert_int_equal(timeline.slices[1].samples, 2);
	assert_non_null(entry_of(&timeline.slices[1], 2));
}

/* 20 ticks a second: 10.000 to 10.049 is tick 0, 10.050 tick 1, 10.999 tick 19. */
static void test_ticks_count_each_event_in_steps_of_50_ms(void **state)
{
	static const double times[] = { 10.0, 10.049, 10.050, 10.949, 10.950, 10.999 };
	struct slice_entry other = { .event = 1, .count = 3 };
	uint32_t expected[2][SLICE_TICKS] = { { [0] = 2, [1] = 1, [18] = 1, [19] = 2 },
					      { [10] = 3 } };

	(void)state;
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
		add(AT(times[i]), 1, 1);
	assert_int_equal(timeline_add(&timeline, AT(10.5), &other, NULL), 0);
	cut(AT(11));
	assert_memory_equal(timeline.slices[0].ticks, expected, sizeof(expected));
	add(AT(11.2), 1, 1);
	assert_int_equal(timeline.open_slice.ticks[0].samples[4], 1);
	assert_int_equal(timeline.open_slice.ticks[0].samples[0], 0);
}

static void assert_stacks(const struct stack_counts *counted, struct stack_counts expected)
{
	assert_memory_equal(counted, &expected, sizeof(expected));
}

static void test_kinds_of_stacks_are_counted_with_their_slice(void **state)
{
	const struct slice_entry entry = { .count = 1 };
	const struct stack_counts first = { .truncated = 1, .user = 1 };
	const struct stack_counts second = { .user = 1, .complete = 1 };
	const struct stack_counts third = { .user = 1, .cut = 1, .outgrown = 1 };

	(void)state;
	assert_int_equal(timeline_add(&timeline, AT(1), &entry, &first), 0);
	assert_int_equal(timeline_add(&timeline, AT(1), &entry, &second), 0);
	assert_int_equal(timeline_add(&timeline, AT(1), &entry, NULL), 0);
	assert_int_equal(timeline_add(&timeline, AT(2), &entry, &third), 0);
	assert_stacks(&timeline.slices[0].stacks, (struct stack_counts){ 1, 2, 1, 0, 0 });
	assert_stacks(&timeline.open_slice.stacks, (struct stack_counts){ 0, 1, 0, 1, 1 });
	assert_int_equal(timeline_add(&timeline, AT(300), &entry, NULL), 0);
	timeline_roll_up(&timeline, AT(300));
	assert_int_equal(timeline.count, 1);
	assert_stacks(&timeline.slices[0].stacks, (struct stack_counts){ 1, 3, 1, 1, 1 });
}

static uint64_t samples_of(uint32_t stack)
{
	uint64_t sum = 0;

	for (uint32_t s = 0; s < timeline.count; s++)
		for (uint32_t i = 0; i < timeline.slices[s].count; i++)
			if (timeline.slices[s].entries[i].stack == stack)
				sum += timeline.slices[s].entries[i].count;
	return sum;
}

static uint64_t weight_of(uint32_t stack)
{
	uint64_t sum = 0;

	for (uint32_t s = 0; s < timeline.count; s++)
		for (uint32_t i = 0; i < timeline.slices[s].count; i++)
			if (timeline.slices[s].entries[i].stack == stack)
				sum += timeline.slices[s].entries[i].weight;
	return sum;
}

/* One slice a second from 100 to 299. At 300, what ended by 180 is in stretches of 10 s: 8 of them
 * (100, 110, ... 170), and the 120 single ones from 180 on. */
static void test_slices_older_than_two_minutes_are_of_10_s(void **state)
{
	(void)state;
	for (uint64_t s = 100; s < 300; s++)
		add(s * SLICE_NS, (uint32_t)(s % 3), s);
	cut(AT(300));
	assert_int_equal(timeline.count, 200);
	timeline_roll_up(&timeline, AT(300));
	assert_int_equal(timeline.count, 8 + 120);
	assert_true(timeline.slices[0].start_ns == AT(100));
	assert_true(timeline.slices[0].end_ns == AT(110));
	assert_true(timeline.slices[7].start_ns == AT(170));
	assert_true(timeline.slices[8].start_ns == AT(180));
	assert_int_equal(timeline.slices[0].samples, 10);
	assert_int_equal(timeline.slices[0].count, 3);
	/* 100, 103, 106, 109 have stack 1 */
	assert_int_equal(entry_of(&timeline.slices[0], 1)->count, 4);
	assert_int_equal(entry_of(&timeline.slices[0], 1)->weight, 100 + 103 + 106 + 109);
	assert_null(timeline.slices[0].ticks);
	assert_non_null(timeline.slices[8].ticks);
	assert_int_equal(timeline.slices[1].seq - timeline.slices[0].seq, 10);

	timeline_roll_up(&timeline, AT(300));	/* once more: nothing left to do */
	assert_int_equal(timeline.count, 8 + 120);
}

/* From 600 to 1399. At 1400: up to 800 in minutes (600, 660, 720; the one of 780 is not over by
 * then), from 780 to 1280 in tens, then 120 single ones. */
static void test_slices_older_than_ten_minutes_are_of_60_s(void **state)
{
	(void)state;
	for (uint64_t s = 600; s < 1400; s++) {
		add(s * SLICE_NS, 1, 2);
		timeline_roll_up(&timeline, s * SLICE_NS);	/* as it happens in use */
	}
	cut(AT(1400));
	timeline_roll_up(&timeline, AT(1400));
	assert_int_equal(timeline.count, 3 + 50 + 120);
	assert_true(timeline.slices[0].start_ns == AT(600));
	assert_true(timeline.slices[0].end_ns == AT(660));
	assert_int_equal(timeline.slices[0].samples, 60);
	assert_true(timeline.slices[3].start_ns == AT(780));
	assert_true(timeline.slices[3].end_ns == AT(790));
	assert_int_equal(samples_of(1), 800);
	assert_int_equal(weight_of(1), 1600);
}

/* Random samples of an hour, cut at random, rolled up all the while. */
static void test_roll_up_keeps_the_sums_of_every_key(void **state)
{
	uint64_t samples[50] = { 0 }, weights[50] = { 0 }, seed = 5, total = 0;
	uint64_t time_ns = AT(77);

	(void)state;
	while (time_ns < AT(3677)) {
		const uint32_t stack = random_below(&seed, 50);
		const uint64_t weight = random_below(&seed, 1000);

		add(time_ns, stack, weight);
		samples[stack]++;
		weights[stack] += weight;
		time_ns += random_below(&seed, 400) * MS;
		if (random_below(&seed, 10) == 0)
			cut(time_ns);
		timeline_roll_up(&timeline, time_ns);
	}
	cut(time_ns);
	timeline_roll_up(&timeline, time_ns);
	assert_true(timeline.count < 60 + 50 + 2 * 130);
	for (uint32_t stack = 0; stack < 50; stack++) {
		assert_int_equal(samples_of(stack), samples[stack]);
		assert_int_equal(weight_of(stack), weights[stack]);
	}
	for (uint32_t s = 0; s < timeline.count; s++) {
		total += timeline.slices[s].samples;
		assert_true(s == 0 ||
			    timeline.slices[s - 1].start_ns <= timeline.slices[s].start_ns);
		assert_true(s == 0 || timeline.slices[s - 1].seq < timeline.slices[s].seq);
	}
	for (uint32_t stack = 0; stack < 50; stack++)
		total -= samples[stack];
	assert_int_equal(total, 0);
}

static void test_what_is_evicted_is_counted(void **state)
{
	(void)state;
	add(AT(1), 1, 1);
	add(AT(1), 2, 1);
	add(AT(2), 3, 1);
	cut(AT(3));
	assert_true(timeline_evict_oldest(&timeline));
	assert_int_equal(timeline.evicted_samples, 2);
	assert_true(timeline.evicted_until_ns == AT(2));
	assert_int_equal(timeline.count, 1);
	assert_non_null(entry_of(&timeline.slices[0], 3));
	assert_true(timeline_evict_oldest(&timeline));
	assert_false(timeline_evict_oldest(&timeline));
	assert_int_equal(timeline.evicted_samples, 3);
}

static void test_zero_forgets_all_and_counts_on(void **state)
{
	uint64_t seq;

	(void)state;
	add(AT(1), 1, 1);
	add(AT(2), 1, 1);
	add(AT(3.3), 1, 1);
	timeline_evict_oldest(&timeline);
	seq = timeline.open_slice.seq;
	timeline_zero(&timeline);
	cut(AT(4));	/* the open slice was emptied too */
	assert_int_equal(timeline.count, 0);
	assert_int_equal(timeline.evicted_samples, 0);
	add(AT(5), 2, 1);
	cut(AT(6));
	assert_int_equal(timeline.count, 1);
	assert_int_equal(timeline.slices[0].samples, 1);
	assert_true(timeline.slices[0].start_ns == AT(5));
	assert_int_equal(timeline.slices[0].ticks[0].samples[6], 0);
	assert_true(timeline.slices[0].seq >= seq);	/* a number is never used again */
}

static void test_bytes_follow_what_is_there(void **state)
{
	size_t empty, full;

	(void)state;
	add(AT(1), 0, 1);
	cut(AT(1.5));
	empty = timeline_bytes(&timeline);
	for (uint32_t stack = 0; stack < 1000; stack++)
		add(AT(2), stack, 1);
	cut(AT(3));
	full = timeline_bytes(&timeline);
	assert_true(full >= empty + 1000 * sizeof(struct slice_entry));
	timeline_evict_oldest(&timeline);
	timeline_evict_oldest(&timeline);
	assert_true(timeline_bytes(&timeline) <= full - 1000 * sizeof(struct slice_entry));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_equal_keys_are_one_entry_and_its_parts_make_others),
		TEST(test_a_sample_of_a_later_second_closes_the_slice_at_the_border),
		TEST(test_a_cut_closes_the_slice_at_that_moment),
		TEST(test_a_late_sample_counts_in_the_open_slice),
		TEST(test_ticks_count_each_event_in_steps_of_50_ms),
		TEST(test_kinds_of_stacks_are_counted_with_their_slice),
		TEST(test_slices_older_than_two_minutes_are_of_10_s),
		TEST(test_slices_older_than_ten_minutes_are_of_60_s),
		TEST(test_roll_up_keeps_the_sums_of_every_key),
		TEST(test_what_is_evicted_is_counted),
		TEST(test_zero_forgets_all_and_counts_on),
		TEST(test_bytes_follow_what_is_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
