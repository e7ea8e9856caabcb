/* The order in which records leave. A record here is a header, its time and its number; the number
 * says what came out. */
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ingest/reorder.h"
#include "random_numbers.h"
#include "unit_tests.h"

enum { OUT_MAX = 20000 };

struct out {
	uint64_t number, time_ns;
	uint32_t cpu;
	uint16_t event;
};

static struct out out[OUT_MAX];
static size_t out_count;
static uint64_t refused;	/* number of the record that is not taken; 0: none */

static bool take(void *context, const void *record, size_t size, uint16_t event, uint32_t cpu,
		 uint64_t time_ns)
{
	const uint64_t *words = record;
	const uint64_t filling = words[2];

	assert_ptr_equal(context, out);
	assert_true((uintptr_t)record % 8 == 0);
	assert_true(words[1] == time_ns);
	for (size_t i = 3; i < size / 8; i++)
		assert_true(words[i] == filling);
	if (refused && filling == refused)
		return false;
	assert_true(out_count < OUT_MAX);
	out[out_count++] = (struct out){ .number = filling, .time_ns = time_ns, .cpu = cpu,
					 .event = event };
	return true;
}

/* Writes one of @words, at least three. */
static void write_record(uint64_t *record, uint64_t number, uint64_t time_ns, size_t words)
{
	const struct perf_event_header header = { .type = PERF_RECORD_SAMPLE,
						  .size = (uint16_t)(words * 8) };

	memcpy(record, &header, sizeof(header));
	record[1] = time_ns;
	for (size_t i = 2; i < words; i++)
		record[i] = number;
}

static void push_long(struct reorder *reorder, uint64_t number, uint64_t time_ns, uint32_t cpu,
		      size_t words)
{
	static uint64_t record[UINT16_MAX / 8 + 1];
	const struct reorder_span span = {
		.records = record, .bytes = words * 8, .first_ns = time_ns, .last_ns = time_ns,
		.cpu = cpu, .event = (uint16_t)(number % 7), .time_word = 1,
	};

	write_record(record, number, time_ns, words);
	assert_int_equal(reorder_push(reorder, &span), 0);
}

static void push(struct reorder *reorder, uint64_t number, uint64_t time_ns, uint32_t cpu)
{
	push_long(reorder, number, time_ns, cpu, 3);
}

static bool release(struct reorder *reorder, uint64_t limit_ns)
{
	return reorder_release(reorder, limit_ns, take, out);
}

static void assert_out(const uint64_t *numbers, size_t count)
{
	assert_int_equal(out_count, count);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(out[i].number, numbers[i]);
}

static int set_up(void **state)
{
	static struct reorder reorder;

	out_count = 0;
	refused = 0;
	reorder_init(&reorder);
	*state = &reorder;
	return 0;
}

static int tear_down(void **state)
{
	reorder_finish(*state);
	return 0;
}

/* Ring by ring, each in its order:  cpu 0: 10 30 50   cpu 1: 20 40 60 */
static void test_the_rings_of_two_cpus_become_one_order(void **state)
{
	static const uint64_t expected[] = { 1, 4, 2, 5, 3, 6 };

	push(*state, 1, 10, 0);
	push(*state, 2, 30, 0);
	push(*state, 3, 50, 0);
	push(*state, 4, 20, 1);
	push(*state, 5, 40, 1);
	push(*state, 6, 60, 1);
	release(*state, 60);
	assert_out(expected, 6);
	assert_int_equal(out[1].cpu, 1);
	assert_int_equal(out[1].event, 4);
	assert_int_equal(out[1].time_ns, 20);
}

/* CPU 0 maps libfoo.so at 100, CPU 1 runs it at 101 and is read first; CPU 0's ring is reached only
 * in the next round. The round that began at 90 may not let the sample go. */
static void test_a_map_comes_before_the_sample_that_needs_it(void **state)
{
	enum { SAMPLE = 1, MAP = 2 };
	static const uint64_t expected[] = { MAP, SAMPLE };

	push(*state, SAMPLE, 101, 1);
	release(*state, 90);
	assert_int_equal(out_count, 0);
	push(*state, MAP, 100, 0);
	release(*state, 140);
	assert_out(expected, 2);
	assert_int_equal(((struct reorder *)*state)->late, 0);
}

/* @count records of @words each, one every @step_ns. */
static void push_span(struct reorder *reorder, uint64_t number, uint64_t time_ns, uint64_t step_ns,
		      size_t count, size_t words, int16_t time_word)
{
	static uint64_t records[64 * 16];
	const struct reorder_span span = {
		.records = records, .bytes = count * words * 8, .first_ns = time_ns,
		.last_ns = time_ns + (count - 1) * step_ns, .cpu = (uint32_t)(number / 100),
		.event = 3, .time_word = time_word,
	};

	for (size_t i = 0; i < count; i++)
		write_record(records + i * words, number + i, time_ns + i * step_ns, words);
	assert_int_equal(reorder_push(reorder, &span), 0);
}

/* Three at once of each CPU; the mark lies amidst both. */
static void test_records_that_came_at_once_leave_one_by_one(void **state)
{
	static const uint64_t expected[] = { 100, 200, 201, 101, 202, 102 };

	push_span(*state, 100, 10, 20, 3, 4, 1);	/* 10 30 50 */
	push_span(*state, 200, 15, 10, 3, 9, 1);	/* 15 25 35 */
	release(*state, 25);
	assert_out(expected, 3);
	release(*state, 60);
	assert_out(expected, 6);
	assert_int_equal(out[2].cpu, 2);
	assert_int_equal(out[2].time_ns, 25);
	assert_int_equal(out[3].cpu, 1);
}

/* Of a record of three words the second is the same one, counted from either end. */
static void test_a_time_may_be_counted_from_the_end_of_a_record(void **state)
{
	static const uint64_t expected[] = { 100, 200, 101, 201 };

	push_span(*state, 100, 10, 20, 2, 3, -2);
	push_span(*state, 200, 20, 20, 2, 3, 1);
	release(*state, 40);
	assert_out(expected, 4);
}

/* As a ring's do that is read in parts: one run, not as many as there were parts. */
static void test_parts_of_one_ring_are_one_run(void **state)
{
	struct reorder *reorder = *state;

	push_span(reorder, 100, 10, 10, 3, 5, 1);
	push_span(reorder, 103, 30, 10, 2, 5, 1);
	assert_int_equal(reorder->run_count, 1);
	push_span(reorder, 105, 39, 10, 2, 5, 1);	/* older than the last */
	assert_int_equal(reorder->run_count, 2);
	push_span(reorder, 107, 50, 10, 2, 5, -4);	/* its time lies elsewhere */
	assert_int_equal(reorder->run_count, 3);
	push_span(reorder, 200, 70, 10, 2, 5, 1);	/* another CPU's */
	assert_int_equal(reorder->run_count, 4);
}

static void test_equal_times_keep_the_order_of_arrival(void **state)
{
	uint64_t expected[100];

	for (uint64_t i = 0; i < 100; i++) {
		expected[i] = i;
		push(*state, i, i < 50 ? 7 : 8, (uint32_t)i % 3);
	}
	release(*state, 7);	/* and those that stay keep it too */
	release(*state, 8);
	assert_out(expected, 100);
}

static void test_a_lone_record_leaves_at_the_mark_that_reaches_it(void **state)
{
	static const uint64_t expected[] = { 1 };

	push(*state, 1, 1000, 0);
	release(*state, 999);
	assert_int_equal(out_count, 0);
	release(*state, 1000);
	assert_out(expected, 1);
	release(*state, 5000);
	assert_out(expected, 1);
}

static void test_what_is_newer_than_the_mark_waits(void **state)
{
	static const uint64_t expected[] = { 2, 1, 3 };

	push(*state, 1, 20, 0);
	push(*state, 2, 10, 1);
	push(*state, 3, 30, 1);
	release(*state, 25);
	assert_out(expected, 2);
	release(*state, UINT64_MAX);
	assert_out(expected, 3);
}

static void test_a_late_record_leaves_and_is_counted(void **state)
{
	static const uint64_t expected[] = { 1, 2, 3 };
	struct reorder *reorder = *state;

	push(reorder, 1, 100, 0);
	release(reorder, 100);
	push(reorder, 2, 99, 1);
	push(reorder, 3, 100, 1);	/* as new as the newest: in order */
	release(reorder, 200);
	assert_out(expected, 3);
	assert_int_equal(reorder->late, 1);
	assert_int_equal(reorder->last_out_ns, 100);
}

static void test_the_largest_records_pass_whole(void **state)
{
	static const uint64_t expected[] = { 9, 8, 7, 6, 5, 4, 3, 2, 1, 0 };

	for (uint64_t i = 0; i < 10; i++)	/* 640 KiB: several chunks */
		push_long(*state, i, 100 - i, 0, UINT16_MAX / 8);
	release(*state, 95);
	release(*state, 100);
	assert_out(expected, 10);
}

static void test_the_memory_of_what_left_is_given_back(void **state)
{
	size_t quiet_bytes;

	push(*state, 0, 1, 0);
	release(*state, 1);
	quiet_bytes = reorder_bytes(*state);
	for (uint64_t i = 0; i < 100; i++)
		push_long(*state, i, 10 + i, 0, 8000);
	assert_true(reorder_bytes(*state) >= 100 * 64000);
	release(*state, 108);
	assert_int_equal(out_count, 100);
	assert_true(reorder_bytes(*state) <= quiet_bytes + REORDER_SPARE_BYTES);
}

static bool drop(void *context, const void *record, size_t size, uint16_t event, uint32_t cpu,
		 uint64_t time_ns)
{
	(void)context, (void)record, (void)size, (void)event, (void)cpu, (void)time_ns;
	return true;
}

/* Each record is a run of its own. */
static void test_the_memory_of_runs_is_given_back(void **state)
{
	struct reorder *reorder = *state;

	for (int round = 0; round < 20; round++)
		for (uint64_t i = 0; i < OUT_MAX; i++)
			push(reorder, i, (uint64_t)(20 - round) * OUT_MAX - i, 0);
	assert_int_equal(reorder->run_count, 20 * OUT_MAX);
	reorder_flush(reorder, 7, drop, NULL);	/* no record's */
	assert_int_equal(reorder->run_count, 0);
	assert_true(reorder_bytes(reorder) <= REORDER_SPARE_BYTES);
}

/* Rounds of random records: those stamped after the mark of the round before. Expected: everything
 * once, sorted by (time, arrival), and after each mark exactly what is not newer. */
static void test_random_rounds_leave_complete_and_sorted(void **state)
{
	static uint64_t time_of[OUT_MAX];
	uint64_t seed = 11, mark = 0, number = 0;

	for (int round = 0; round < 200; round++) {
		size_t due = 0;

		for (uint32_t i = random_below(&seed, 90); i > 0; i--) {
			time_of[number] = mark + 1 + random_below(&seed, 40);
			push_long(*state, number, time_of[number], number % 2,
				  3 + random_below(&seed, 600));
			number++;
		}
		mark += random_below(&seed, 20);
		release(*state, mark);
		for (uint64_t i = 0; i < number; i++)
			due += time_of[i] <= mark;
		assert_int_equal(out_count, due);
	}
	release(*state, UINT64_MAX);
	assert_int_equal(out_count, number);
	for (size_t i = 0; i < out_count; i++) {
		assert_int_equal(out[i].time_ns, time_of[out[i].number]);
		assert_int_equal(out[i].cpu, out[i].number % 2);
		assert_true(i == 0 || out[i - 1].time_ns < out[i].time_ns ||
			    (out[i - 1].time_ns == out[i].time_ns &&
			     out[i - 1].number < out[i].number));
	}
	assert_int_equal(((struct reorder *)*state)->late, 0);
}

static void test_a_refused_record_stays_with_all_after_it(void **state)
{
	static const uint64_t expected[] = { 1, 2, 5, 3, 4 };
	struct reorder *reorder = *state;

	for (uint64_t number = 1; number <= 4; number++)
		push_long(reorder, number, 10 * number, 0, 6000);
	refused = 2;
	assert_false(release(reorder, 40));
	assert_out(expected, 1);
	assert_false(release(reorder, 40));
	assert_out(expected, 1);
	assert_int_equal(reorder->last_out_ns, 10);
	push(reorder, 5, 25, 1);
	refused = 0;
	assert_true(release(reorder, 50));
	assert_out(expected, 5);
	assert_int_equal(reorder->late, 0);
}

/* The plain way: all that came and has not left, oldest first, of equal times the first to come. */
struct plain {
	struct out waiting[OUT_MAX], left[OUT_MAX];
	size_t waiting_count, left_count;
	uint64_t last_out_ns, late;
};

static int by_time_and_number(const void *a, const void *b)
{
	const struct out *left = a, *right = b;

	if (left->time_ns != right->time_ns)
		return left->time_ns < right->time_ns ? -1 : 1;
	return left->number < right->number ? -1 : left->number > right->number;
}

static void plain_release(struct plain *plain, uint64_t limit_ns)
{
	size_t gone = 0;

	qsort(plain->waiting, plain->waiting_count, sizeof(*plain->waiting), by_time_and_number);
	for (; gone < plain->waiting_count && plain->waiting[gone].time_ns <= limit_ns; gone++) {
		const struct out *next = &plain->waiting[gone];

		if (refused && next->number == refused)
			break;
		plain->left[plain->left_count++] = *next;
		plain->late += next->time_ns < plain->last_out_ns;
		if (next->time_ns > plain->last_out_ns)
			plain->last_out_ns = next->time_ns;
	}
	plain->waiting_count -= gone;
	memmove(plain->waiting, plain->waiting + gone,
		plain->waiting_count * sizeof(*plain->waiting));
}

static void plain_flush(struct plain *plain, uint16_t event)
{
	static struct out kept[OUT_MAX];
	size_t kept_count = 0, others = 0;

	for (size_t i = 0; i < plain->waiting_count; i++) {
		if (plain->waiting[i].event == event)
			kept[kept_count++] = plain->waiting[i];
		else
			plain->waiting[others++] = plain->waiting[i];
	}
	plain->waiting_count = others;
	plain_release(plain, UINT64_MAX);
	memcpy(plain->waiting, kept, kept_count * sizeof(*kept));
	plain->waiting_count = kept_count;
	plain->last_out_ns = 0;
}

static void assert_as_plain(const struct reorder *reorder, const struct plain *plain)
{
	assert_int_equal(out_count, plain->left_count);
	for (size_t i = 0; i < out_count; i++) {
		assert_int_equal(out[i].number, plain->left[i].number);
		assert_int_equal(out[i].time_ns, plain->left[i].time_ns);
		assert_int_equal(out[i].event, plain->left[i].event);
		assert_int_equal(out[i].cpu, plain->left[i].cpu);
	}
	assert_int_equal(!reorder->run_count, !plain->waiting_count);
	assert_int_equal(reorder->late, plain->late);
	assert_int_equal(reorder->last_out_ns, plain->last_out_ns);
}

/* Up to @rings rings of one round, from @begin_ns on, each in its order but for one record in
 * @order_of; times collide often. @number: of the last record. */
static void push_round(struct reorder *reorder, struct plain *plain, uint64_t *seed,
		       uint64_t *number, uint64_t begin_ns, uint32_t rings, uint32_t order_of)
{
	for (uint32_t cpu = 0; cpu < rings; cpu++) {
		uint64_t time_ns = begin_ns;

		for (uint32_t i = random_below(seed, 12); i > 0; i--) {
			time_ns += random_below(seed, 4);
			if (!random_below(seed, order_of))
				time_ns = begin_ns - random_below(seed, 30);
			plain->waiting[plain->waiting_count++] = (struct out){
				++*number, time_ns, cpu, (uint16_t)(*number % 7)
			};
			push_long(reorder, *number, time_ns, cpu, 3 + random_below(seed, 900));
		}
	}
}

/* Rounds as the sampler makes them, and others: the mark goes backwards, the sink refuses for a
 * while, all but one event's leave. */
static void compare_with_plain(uint64_t seed, uint32_t rings, uint32_t order_of)
{
	static struct plain plain;
	struct reorder reorder;
	uint64_t number = 0, begin_ns = 1000;

	out_count = 0;
	plain = (struct plain){ .waiting_count = 0 };
	reorder_init(&reorder);
	for (int round = 0; round < 120; round++, begin_ns += random_below(&seed, 30)) {
		const uint64_t limit_ns = begin_ns + random_below(&seed, 40) - 20;

		push_round(&reorder, &plain, &seed, &number, begin_ns, rings, order_of);
		refused = random_below(&seed, 4) ? 0 : number - random_below(&seed, 20);
		release(&reorder, limit_ns);
		plain_release(&plain, limit_ns);
		assert_as_plain(&reorder, &plain);
		if (!random_below(&seed, 30)) {
			refused = 0;
			reorder_flush(&reorder, 3, take, out);
			plain_flush(&plain, 3);
			assert_as_plain(&reorder, &plain);
		}
	}
	refused = 0;
	release(&reorder, UINT64_MAX);
	plain_release(&plain, UINT64_MAX);
	assert_as_plain(&reorder, &plain);
	reorder_finish(&reorder);
}

static void test_the_order_is_that_of_a_plain_sort(void **state)
{
	static const uint32_t rings[] = { 1, 2, 3, 5, 17 };

	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++)
		for (size_t i = 0; i < sizeof(rings) / sizeof(rings[0]); i++) {
			compare_with_plain(seed, rings[i], UINT32_MAX);
			compare_with_plain(seed, rings[i], 10);
			compare_with_plain(seed, rings[i], 1);
		}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

UNIT_TESTS(test_reorder)
{
	const struct CMUnitTest tests[] = {
		TEST(test_the_rings_of_two_cpus_become_one_order),
		TEST(test_a_map_comes_before_the_sample_that_needs_it),
		TEST(test_records_that_came_at_once_leave_one_by_one),
		TEST(test_a_time_may_be_counted_from_the_end_of_a_record),
		TEST(test_parts_of_one_ring_are_one_run),
		TEST(test_equal_times_keep_the_order_of_arrival),
		TEST(test_a_lone_record_leaves_at_the_mark_that_reaches_it),
		TEST(test_what_is_newer_than_the_mark_waits),
		TEST(test_a_late_record_leaves_and_is_counted),
		TEST(test_the_largest_records_pass_whole),
		TEST(test_the_memory_of_what_left_is_given_back),
		TEST(test_the_memory_of_runs_is_given_back),
		TEST(test_a_refused_record_stays_with_all_after_it),
		TEST(test_random_rounds_leave_complete_and_sorted),
		TEST(test_the_order_is_that_of_a_plain_sort),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
