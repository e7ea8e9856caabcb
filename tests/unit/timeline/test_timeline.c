/* Slices by hand: borders, cuts, roll-up, eviction. Times are seconds on a clock that began long
 * before. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "random_numbers.h"
#include "timeline/timeline.h"
#include "unit_tests.h"

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

/* Each number stands at the border of the next field's bits. */
static void test_events_cpus_and_buckets_have_all_their_numbers(void **state)
{
	struct slice_entry entry = { .count = 1, .bucket = UINT8_MAX };
	const struct slice *slice;

	(void)state;
	for (uint32_t event = 0; event < TIMELINE_NUMBERS; event++) {
		slice_entry_set_event(&entry, event);
		slice_entry_set_cpu(&entry, true, SLICE_CPU_UNKNOWN - 1);
		assert_int_equal(timeline_add(&timeline, AT(5), &entry, NULL), 0);
		slice_entry_set_cpu(&entry, event % 2, UINT32_MAX);
		assert_int_equal(timeline_add(&timeline, AT(5), &entry, NULL), 0);
	}
	cut(AT(6));
	slice = &timeline.slices[0];
	assert_int_equal(slice->count, 2 * TIMELINE_NUMBERS);
	assert_int_equal(slice->samples, 2 * EVENT_OF_SUMS);	/* sums and values are no samples */
	for (uint32_t i = 0; i < slice->count; i++) {
		assert_int_equal(slice->entries[i].event, i / 2);
		assert_int_equal(slice->entries[i].cpu, i % 2 ? SLICE_CPU_UNKNOWN
							      : SLICE_CPU_UNKNOWN - 1);
		assert_int_equal(slice->entries[i].bucket, UINT8_MAX);
	}
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
	others[2].cpu = SLICE_CPU_UNKNOWN;
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

/* 20 ticks a second: 10.150 to 10.199 is tick 3, 10.200 tick 4, nothing in 5, 10.300 tick 6. The
 * key 1 is an entry in each tick, what came late counts where the slice had come to. */
static void test_entries_are_by_ticks_of_50_ms(void **state)
{
	static const struct { double time; uint32_t stack; } samples[] = {
		{ 10.150, 1 }, { 10.199, 1 }, { 10.160, 2 }, { 10.200, 1 }, { 10.249, 3 },
		{ 10.300, 1 }, { 10.190, 1 }, { 9.9, 4 }, { 10.349, 1 },
	};
	static const uint32_t ends[] = { 2, 4, 4, 6 }, counts[] = { 2, 1, 1, 1, 3, 1 };
	const struct slice *slice = timeline.slices;

	(void)state;
	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++)
		add(AT(samples[i].time), samples[i].stack, 1);
	cut(AT(11));
	slice = timeline.slices;
	assert_int_equal(slice->first_tick, 3);
	assert_int_equal(slice->tick_count, 4);
	assert_int_equal(slice->count, 6);
	for (uint32_t i = 0; i < 4; i++)
		assert_int_equal(slice->ticks[i].end, ends[i]);
	for (uint32_t i = 0; i < 6; i++)
		assert_int_equal(slice->entries[i].count, counts[i]);
	assert_int_equal(slice->entries[5].stack, 4);
	add(AT(11.2), 1, 1);
	assert_int_equal(timeline.open_slice.first_tick, 4);
	assert_int_equal(timeline_open_count(&timeline), 1);
}

static bool is_of_stack(const void *context, const struct slice_entry *entry)
{
	return entry->stack == *(const uint32_t *)context;
}

static void drop_stack(uint32_t stack)
{
	timeline_drop(&timeline, is_of_stack, &stack);
}

/* | 1 2 | 2 | 3 1 |: without stack 2 the ticks end after 1, 1 and 3 entries; in a closed slice, in
 * the open one, and in one that goes on afterwards. */
static void test_what_is_dropped_leaves_the_ticks_right(void **state)
{
	const struct slice_entry all = { .stack = 7, .count = 1 };
	const struct stack_counts user = { .user = 1 };

	(void)state;
	for (uint32_t second = 10; second < 12; second++) {
		add(AT(second + .0), 1, 1);
		add(AT(second + .0), 2, 1);
		add(AT(second + .05), 2, 1);
		add(AT(second + .1), 3, 1);
		add(AT(second + .1), 1, 1);
	}
	drop_stack(2);
	add(AT(11.1), 3, 1);	/* is found again */
	add(AT(11.15), 5, 1);
	cut(AT(12));
	for (uint32_t s = 0; s < 2; s++) {
		const struct slice *slice = &timeline.slices[s];

		assert_int_equal(slice->ticks[0].end, 1);
		assert_int_equal(slice->ticks[1].end, 1);
		assert_int_equal(slice->ticks[2].end, 3);
		assert_int_equal(slice->entries[0].stack, 1);
		assert_int_equal(slice->entries[1].stack, 3);
		assert_int_equal(slice->entries[1].count, 1 + s);
		assert_int_equal(slice->count, 3 + s);
		assert_int_equal(slice->samples, 3 + 2 * s);
	}
	assert_int_equal(timeline_add(&timeline, AT(13), &all, &user), 0);
	drop_stack(7);
	assert_int_equal(timeline_open_count(&timeline), 0);
	assert_int_equal(timeline.open_slice.stacks.user, 0);
	add(AT(14.3), 8, 1);
	assert_true(timeline.open_slice.start_ns == AT(14.3));
	assert_int_equal(timeline.open_slice.first_tick, 6);
}

static uint32_t ticked_slices(void)
{
	uint32_t count = 0;

	for (uint32_t s = 0; s < timeline.count; s++)
		count += timeline.slices[s].ticks != NULL;
	return count;
}

/* 123..157 of 100..180 is looked at: 113..133 and 147..167 stay, | 110 113 | and the like are
 * rolled up around them; and all is once nobody looks. */
static void test_around_the_ends_of_what_is_looked_at_nothing_is_rolled_up(void **state)
{
	(void)state;
	for (uint32_t second = 100; second < 180; second++)
		add(AT(second + .5), 1, 1);
	timeline_keep_ticks(&timeline, AT(123), AT(157));
	add(AT(300), 1, 1);
	timeline_roll_up(&timeline, AT(300));
	/* 100 110 | 110 113 | ... | 133 140 | 140 147 | ... | 167 170 | 170 180 */
	assert_int_equal(timeline.count, 2 + 20 + 2 + 20 + 2);
	assert_int_equal(ticked_slices(), 40);
	assert_true(timeline.slices[2].start_ns == AT(113.5));
	assert_true(timeline.slices[22].start_ns == AT(133.5) && !timeline.slices[22].ticks);
	assert_true(timeline.slices[24].start_ns == AT(147.5) && timeline.slices[24].ticks);
	assert_int_equal(timeline.slices[45].samples, 10);
	timeline_keep_ticks(&timeline, 0, 0);
	timeline_roll_up(&timeline, AT(300));
	assert_int_equal(timeline.count, 8);
	assert_int_equal(ticked_slices(), 0);
	for (uint32_t s = 0; s < 8; s++)
		assert_int_equal(timeline.slices[s].samples, 10);
}

static void test_a_lone_second_is_rolled_up_too(void **state)
{
	(void)state;
	add(AT(100.1), 1, 1);
	add(AT(100.2), 1, 1);
	add(AT(300), 1, 1);
	assert_int_equal(timeline.slices[0].count, 2);
	timeline_roll_up(&timeline, AT(300));
	assert_int_equal(timeline.slices[0].count, 1);
	assert_null(timeline.slices[0].ticks);
}

static void assert_stacks(const struct stack_counts *counted, struct stack_counts expected)
{
	assert_memory_equal(counted, &expected, sizeof(expected));
}

static void test_kinds_of_stacks_are_counted_with_their_slice(void **state)
{
	const struct slice_entry entry = { .count = 1 };
	const struct stack_counts first = { .truncated = 1, .user = 1, .no_map = 1 };
	const struct stack_counts second = { .user = 1, .complete = 1 };
	const struct stack_counts third = { .user = 1, .cut = 1, .outgrown = 1 };

	(void)state;
	assert_int_equal(timeline_add(&timeline, AT(1), &entry, &first), 0);
	assert_int_equal(timeline_add(&timeline, AT(1), &entry, &second), 0);
	assert_int_equal(timeline_add(&timeline, AT(1), &entry, NULL), 0);
	assert_int_equal(timeline_add(&timeline, AT(2), &entry, &third), 0);
	assert_stacks(&timeline.slices[0].stacks, (struct stack_counts){ 1, 2, 1, 0, 0, 1 });
	assert_stacks(&timeline.slices[0].ticks[0].stacks,
		      (struct stack_counts){ 1, 2, 1, 0, 0, 1 });
	assert_stacks(&timeline.open_slice.stacks, (struct stack_counts){ 0, 1, 0, 1, 1, 0 });
	assert_int_equal(timeline_add(&timeline, AT(300), &entry, NULL), 0);
	timeline_roll_up(&timeline, AT(300));
	assert_int_equal(timeline.count, 1);
	assert_stacks(&timeline.slices[0].stacks, (struct stack_counts){ 1, 3, 1, 1, 1, 1 });
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

/* What had waited is of a second before: | 105.5 106 | 103.2 104 | 115 116 |. */
static void add_out_of_order(void)
{
	add(AT(105.5), 1, 1);
	cut(AT(106));
	add(AT(103.2), 1, 1);
	cut(AT(106));
	add(AT(115), 1, 1);
	cut(AT(116));
	assert_true(timeline.slices[1].end_ns == AT(104));
}

static void test_a_merged_slice_spans_all_that_is_in_it(void **state)
{
	(void)state;
	add_out_of_order();
	timeline_roll_up(&timeline, AT(300));
	assert_int_equal(timeline.count, 2);
	assert_int_equal(timeline.slices[0].samples, 2);
	assert_true(timeline.slices[0].start_ns == AT(103.2));
	assert_true(timeline.slices[0].end_ns == AT(106));
}

static void test_what_is_evicted_stays_evicted(void **state)
{
	static const double until[] = { 106, 106, 116 };

	(void)state;
	add_out_of_order();
	for (int i = 0; i < 3; i++) {
		assert_true(timeline_evict_oldest(&timeline));
		assert_true(timeline.evicted_until_ns == AT(until[i]));
	}
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

static void test_a_border_parts_what_was_from_what_comes(void **state)
{
	(void)state;
	add(AT(1), 1, 1);
	add(AT(3.3), 1, 1);
	timeline_evict_oldest(&timeline);
	timeline_set_border(&timeline, AT(3.5));
	assert_int_equal(timeline.count, 1);	/* the open slice is before it */
	assert_int_equal(timeline.evicted_samples, 0);
	add(AT(3.7), 2, 1);
	add(AT(5), 2, 1);
	cut(AT(6));
	assert_int_equal(timeline.count, 3);
	timeline_roll_up(&timeline, AT(2000));
	assert_int_equal(timeline.count, 2);
	assert_int_equal(timeline.slices[0].samples, 1);
	assert_true(timeline.slices[0].seq < timeline.border_seq);
	assert_int_equal(timeline.slices[1].samples, 2);
	assert_int_equal(timeline.slices[1].seq, timeline.border_seq);
	timeline_evict_oldest(&timeline);
	assert_int_equal(timeline.evicted_samples, 0);
	timeline_evict_oldest(&timeline);
	assert_int_equal(timeline.evicted_samples, 2);
}

static void test_a_sum_goes_on_beyond_what_32_bits_hold(void **state)
{
	const struct slice_entry much = { .stack = 1, .count = UINT32_MAX - 1, .weight = 1 };
	const struct slice_entry other = { .stack = 2, .count = 1, .weight = 1 };
	struct entry_set set = { .count = 0 };
	uint64_t count = 0, weight = 0;

	(void)state;
	for (int i = 0; i < 3; i++) {
		assert_int_equal(entry_set_add(&set, &much), 0);
		assert_int_equal(entry_set_add(&set, &other), 0);
	}
	for (uint32_t i = 0; i < set.count; i++) {
		count += set.entries[i].count;
		weight += set.entries[i].weight;
	}
	assert_int_equal(count, 3 * UINT64_C(4294967295));
	assert_int_equal(weight, 6);
	assert_int_equal(set.count, 4);
	entry_set_finish(&set);
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

UNIT_TESTS(test_timeline)
{
	const struct CMUnitTest tests[] = {
		TEST(test_events_cpus_and_buckets_have_all_their_numbers),
		TEST(test_equal_keys_are_one_entry_and_its_parts_make_others),
		TEST(test_a_sample_of_a_later_second_closes_the_slice_at_the_border),
		TEST(test_a_cut_closes_the_slice_at_that_moment),
		TEST(test_a_late_sample_counts_in_the_open_slice),
		TEST(test_entries_are_by_ticks_of_50_ms),
		TEST(test_what_is_dropped_leaves_the_ticks_right),
		TEST(test_around_the_ends_of_what_is_looked_at_nothing_is_rolled_up),
		TEST(test_a_lone_second_is_rolled_up_too),
		TEST(test_kinds_of_stacks_are_counted_with_their_slice),
		TEST(test_slices_older_than_two_minutes_are_of_10_s),
		TEST(test_slices_older_than_ten_minutes_are_of_60_s),
		TEST(test_roll_up_keeps_the_sums_of_every_key),
		TEST(test_a_merged_slice_spans_all_that_is_in_it),
		TEST(test_what_is_evicted_stays_evicted),
		TEST(test_what_is_evicted_is_counted),
		TEST(test_a_border_parts_what_was_from_what_comes),
		TEST(test_a_sum_goes_on_beyond_what_32_bits_hold),
		TEST(test_bytes_follow_what_is_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
