/* Windows that were chosen, against a count of the samples with begin <= time < end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "random_numbers.h"
#include "timeline/timeline.h"
#include "unit_tests.h"

#define MS (SLICE_NS / 1000)
#define AT(seconds) ((uint64_t)((seconds) * 1000 + 0.5) * MS)

enum { STACKS = 30, SAMPLES_MAX = 40000 };

struct counted {
	uint64_t time_ns;
	uint32_t stack, weight;
	bool is_user;
};

static struct timeline timeline;
static struct counted samples[SAMPLES_MAX];
static uint32_t sample_count;
static uint64_t now_ns;

static int set_up(void **state)
{
	(void)state;
	sample_count = 0;
	now_ns = 0;
	return timeline_init(&timeline, 1);
}

static int tear_down(void **state)
{
	(void)state;
	timeline_finish(&timeline);
	return 0;
}

static void add(struct counted sample)
{
	const struct slice_entry entry = { .stack = sample.stack, .count = 1,
					   .weight = sample.weight };
	const struct stack_counts stack = { .user = sample.is_user };

	assert_true(sample_count < SAMPLES_MAX);
	samples[sample_count++] = sample;
	assert_int_equal(timeline_add(&timeline, sample.time_ns, &entry, &stack), 0);
}

/* One sample each 0.1 s of [@from, @to), in tenths of a second. */
static void add_tenths(uint64_t from, uint64_t to)
{
	for (uint64_t tenth = from; tenth < to; tenth++)
		add((struct counted){ .time_ns = tenth * 100 * MS, .stack = 1, .weight = 1 });
	now_ns = to * 100 * MS;
	assert_int_equal(timeline_cut(&timeline, now_ns), 0);
}

static struct window_span choose(uint64_t begin_ns, uint64_t end_ns)
{
	const struct window_request request = {
		.kind = WINDOW_ALL, .newest_ns = now_ns, .known_ns = timeline.evicted_until_ns,
		.chosen_ns = begin_ns, .frozen_ns = end_ns,
	};

	return window_span_choose(&timeline, &request);
}

struct sums {
	uint64_t count[STACKS], weight[STACKS], user, samples;
};

static void sum_span(const struct window_span *span, struct sums *sums)
{
	struct slice *slices;
	uint32_t count;

	memset(sums, 0, sizeof(*sums));
	assert_int_equal(window_span_slices(span, &timeline, &slices, &count), 0);
	for (uint32_t s = 0; s < count; s++) {
		const struct slice *slice = &slices[s];

		for (uint32_t i = 0; i < slice->count; i++) {
			sums->count[slice->entries[i].stack] += slice->entries[i].count;
			sums->weight[slice->entries[i].stack] += slice->entries[i].weight;
		}
		sums->user += slice->stacks.user;
		sums->samples += slice->samples;
	}
	free(slices);
}

static void count_samples(uint64_t begin_ns, uint64_t end_ns, struct sums *sums)
{
	memset(sums, 0, sizeof(*sums));
	for (uint32_t i = 0; i < sample_count; i++) {
		if (samples[i].time_ns < begin_ns || samples[i].time_ns >= end_ns)
			continue;
		sums->count[samples[i].stack]++;
		sums->weight[samples[i].stack] += samples[i].weight;
		sums->user += samples[i].is_user;
		sums->samples++;
	}
}

static void assert_exact(uint64_t begin_ns, uint64_t end_ns)
{
	const struct window_span span = choose(begin_ns, end_ns);
	struct sums expected, found;

	assert_true(span.begin_ns == begin_ns && span.end_ns == end_ns);
	count_samples(begin_ns, end_ns, &expected);
	sum_span(&span, &found);
	assert_memory_equal(&found, &expected, sizeof(found));
}

/* 100 seconds with bursts, quiet times, and cuts at any moment, as keys make them. */
static void add_load(uint64_t *seed)
{
	uint64_t time_ns = 500 * SLICE_NS;

	while (time_ns < 600 * SLICE_NS) {
		const uint64_t step_ns = random_below(seed, 50) ? 1 + random_below(seed, 5 * MS)
								: random_below(seed, 3000) * MS;

		time_ns += step_ns;
		add((struct counted){ time_ns, random_below(seed, STACKS),
				      random_below(seed, 1000), random_below(seed, 2) });
		if (!random_below(seed, 40))
			assert_int_equal(timeline_cut(&timeline, time_ns + 1), 0);
	}
	now_ns = time_ns + 1;
	assert_int_equal(timeline_cut(&timeline, now_ns), 0);
}

static void test_windows_at_ticks_are_exact(void **state)
{
	uint64_t seed = 7;

	(void)state;
	add_load(&seed);
	timeline_roll_up(&timeline, now_ns);	/* not older than two minutes: nothing is */
	for (int i = 0; i < 3000; i++) {
		const uint64_t begin_ns = 500 * SLICE_NS + random_below(&seed, 1900) * TICK_NS;
		const uint64_t length_ns = (1 + random_below(&seed, 99)) * TICK_NS;

		assert_exact(begin_ns, begin_ns + length_ns);
	}
}

/* Ends that are no multiples of a tick: whatever goes where, nothing is lost and nothing twice. */
static void test_windows_that_touch_share_every_sample_out(void **state)
{
	uint64_t seed = 8;
	struct sums expected, found, sum;

	(void)state;
	add_load(&seed);
	count_samples(0, UINT64_MAX, &expected);
	memset(&sum, 0, sizeof(sum));
	for (uint64_t at_ns = 500 * SLICE_NS, next_ns; at_ns < now_ns; at_ns = next_ns) {
		struct window_span span;

		next_ns = at_ns + 1 + random_below(&seed, 700 * MS);
		span = choose(at_ns, next_ns);
		sum_span(&span, &found);
		for (uint32_t s = 0; s < STACKS; s++) {
			sum.count[s] += found.count[s];
			sum.weight[s] += found.weight[s];
		}
		sum.user += found.user;
		sum.samples += found.samples;
	}
	assert_memory_equal(&sum, &expected, sizeof(sum));
}

static void expect(double begin, double end, uint64_t count, double real_begin, double real_end)
{
	const struct window_span span = choose(AT(begin), AT(end));
	struct sums found;

	sum_span(&span, &found);
	assert_int_equal(found.samples, count);
	assert_true(span.begin_ns == AT(real_begin));
	assert_true(span.end_ns == AT(real_end));
}

/* The tick 10.20..10.25 has a sample at 10.20 and none after it. */
static void test_a_tick_goes_in_by_its_larger_part(void **state)
{
	(void)state;
	add_tenths(100, 110);
	add_tenths(110, 120);
	expect(10.224, 10.5, 3, 10.224, 10.5);
	expect(10.226, 10.5, 2, 10.226, 10.5);
	expect(10.225, 10.5, 3, 10.225, 10.5);	/* a half: after the border */
	expect(10.1, 10.225, 1, 10.1, 10.225);
	expect(10.1, 10.224, 1, 10.1, 10.224);
	expect(10.1, 10.226, 2, 10.1, 10.226);
}

/* A snapshot ended at 10.23: what was counted up to there is known to be, without the larger part
 * of the tick. */
static void test_the_ends_of_slices_are_exact_too(void **state)
{
	(void)state;
	add((struct counted){ .time_ns = AT(10.21), .stack = 1 });
	assert_int_equal(timeline_cut(&timeline, AT(10.22)), 0);
	add((struct counted){ .time_ns = AT(10.221), .stack = 1 });
	add((struct counted){ .time_ns = AT(10.24), .stack = 1 });
	now_ns = AT(11);
	assert_int_equal(timeline_cut(&timeline, now_ns), 0);
	expect(10.0, 10.22, 1, 10.0, 10.22);
	expect(10.22, 10.5, 2, 10.22, 10.5);
	/* What is known of the tick 12.20 begins at 12.24. */
	add((struct counted){ .time_ns = AT(12.24), .stack = 1 });
	now_ns = AT(13);
	assert_int_equal(timeline_cut(&timeline, now_ns), 0);
	expect(12.23, 12.5, 1, 12.23, 12.5);
}

/* | 10 20 | 20 30 | 30 40 | rolled up, with 100 samples each. */
static void test_rolled_up_slices_are_whole(void **state)
{
	(void)state;
	add_tenths(100, 400);
	add_tenths(2000, 2010);
	timeline_roll_up(&timeline, AT(201));
	assert_int_equal(timeline.count, 4);
	expect(14.9, 33, 200, 10, 30);
	expect(15.1, 36, 200, 20, 40);
	expect(20, 30, 100, 20, 30);
	/* In one slice, however short: that slice, never nothing. */
	expect(21, 24, 100, 20, 30);
	expect(26, 29, 100, 20, 30);
	expect(28, 31, 100, 20, 30);
	/* From a rolled-up one into one with ticks. */
	expect(32, 200.5, 105, 30, 200.5);
	/* Time without samples is no slice, and stays what was asked for. */
	expect(100, 103, 0, 100, 103);
}

static void test_what_left_the_history_is_empty(void **state)
{
	(void)state;
	add_tenths(100, 130);
	assert_true(timeline_evict_oldest(&timeline));
	expect(10, 10.5, 0, 10.5, 10.5);
	expect(10.5, 11.5, 5, 11, 11.5);
	expect(12.5, 20, 5, 12.5, 13);	/* no further than to now */
	expect(14, 20, 0, 13, 13);
}

/* The 10.3 of a process that had to be looked up: counted after a snapshot that ended at 10.5, but
 * at its time. */
static void test_a_sample_counted_later_is_in_its_window(void **state)
{
	(void)state;
	add_tenths(100, 105);
	add((struct counted){ .time_ns = AT(10.3), .stack = 2 });
	add_tenths(106, 110);
	expect(10.3, 10.4, 2, 10.3, 10.4);
	expect(10.5, 11, 4, 10.5, 11);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

UNIT_TESTS(test_window_span)
{
	const struct CMUnitTest tests[] = {
		TEST(test_windows_at_ticks_are_exact),
		TEST(test_windows_that_touch_share_every_sample_out),
		TEST(test_a_tick_goes_in_by_its_larger_part),
		TEST(test_the_ends_of_slices_are_exact_too),
		TEST(test_rolled_up_slices_are_whole),
		TEST(test_what_left_the_history_is_empty),
		TEST(test_a_sample_counted_later_is_in_its_window),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
