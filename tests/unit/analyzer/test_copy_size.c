/* When stack copies get larger and smaller: a second per call, as the analyzer does it. */
#include "analyzer/copy_size.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "unit_tests.h"

#define STACKS 1000u	/* in a second */

static struct copy_size size;
static uint64_t now_ns;

static int begin(void **state)
{
	(void)state;
	size = (struct copy_size){ .bytes = 0 };
	now_ns = 1000 * CLOCK_NS_PER_S;
	copy_size_begin(&size, 16384, now_ns);
	return 0;
}

/* A second with @cut of @stacks cut: what is requested then. */
static uint32_t pass_second(uint64_t stacks, uint64_t cut)
{
	const struct stack_counts counts = { .user = stacks, .cut = cut,
					     .outgrown = cut };

	now_ns += CLOCK_NS_PER_S;
	return copy_size_observe(&size, &counts, now_ns);
}

/* Seconds until something is requested, @limit + 1 if nothing is; *@requested is what. */
static unsigned int wait_for_request(uint64_t cut, unsigned int limit, uint32_t *requested)
{
	unsigned int seconds = 0;

	do
		*requested = pass_second(STACKS, cut);
	while (!*requested && ++seconds <= limit);
	return seconds;
}

static void test_more_than_4_in_a_hundred_cut_double_the_copy(void **state)
{
	(void)state;
	assert_int_equal(pass_second(STACKS, 41), 0);	/* one second is too short */
	assert_int_equal(pass_second(STACKS, 41), 32768);
	copy_size_begin(&size, 32768, now_ns);
	pass_second(STACKS, 41);
	assert_int_equal(pass_second(STACKS, 41), 65528);	/* the kernel's largest */
	copy_size_begin(&size, 65528, now_ns);
	for (int i = 0; i < 10; i++)
		assert_int_equal(pass_second(STACKS, STACKS), 0);
}

static void test_4_in_a_hundred_cut_are_borne(void **state)
{
	(void)state;
	for (int i = 0; i < 10; i++)
		assert_int_equal(pass_second(STACKS, 40), 0);
}

/* At a page that was never touched, whatever the size is. */
static void test_copies_that_end_early_are_not_enlarged(void **state)
{
	const struct stack_counts counts = { .user = STACKS, .cut = STACKS };

	(void)state;
	for (int i = 0; i < 10; i++) {
		now_ns += CLOCK_NS_PER_S;
		assert_int_equal(copy_size_observe(&size, &counts, now_ns), 0);
	}
}

static void test_few_stacks_say_nothing(void **state)
{
	(void)state;
	for (int i = 0; i < 7; i++)
		assert_int_equal(pass_second(25, 25), 0);
	assert_int_equal(pass_second(25, 25), 32768);	/* the 200th */
}

static void test_a_calm_minute_tries_less_but_never_less_than_at_first(void **state)
{
	uint32_t requested;

	(void)state;
	copy_size_begin(&size, 65528, now_ns);
	assert_in_range(wait_for_request(0, 100, &requested), 59, 62);
	assert_int_equal(requested, 32768);
	copy_size_begin(&size, 32768, now_ns);
	assert_in_range(wait_for_request(9, 100, &requested), 59, 62);	/* 0.9 % */
	assert_int_equal(requested, 16384);
	copy_size_begin(&size, 16384, now_ns);
	assert_int_equal(wait_for_request(0, 300, &requested), 301);
}

static void test_two_in_a_hundred_cut_are_no_calm(void **state)
{
	uint32_t requested;

	(void)state;
	copy_size_begin(&size, 32768, now_ns);
	assert_int_equal(wait_for_request(20, 300, &requested), 301);
}

static void test_a_trial_that_fails_makes_the_next_one_wait_twice_as_long(void **state)
{
	uint32_t requested;

	(void)state;
	copy_size_begin(&size, 32768, now_ns);
	wait_for_request(0, 100, &requested);
	assert_int_equal(requested, 16384);
	copy_size_begin(&size, 16384, now_ns);
	assert_in_range(wait_for_request(500, 10, &requested), 1, 3);
	assert_int_equal(requested, 32768);
	copy_size_begin(&size, 32768, now_ns);
	assert_in_range(wait_for_request(0, 300, &requested), 119, 122);
	assert_int_equal(requested, 16384);
}

static void test_a_request_without_a_reply_is_repeated_ever_less_often(void **state)
{
	uint32_t requested;

	(void)state;
	wait_for_request(500, 10, &requested);
	assert_in_range(wait_for_request(500, 300, &requested), 29, 32);
	assert_in_range(wait_for_request(500, 300, &requested), 59, 62);
	assert_in_range(wait_for_request(500, 300, &requested), 119, 122);
	assert_int_equal(requested, 32768);
}

static void test_a_size_that_is_not_to_be_adapted_stays(void **state)
{
	(void)state;
	copy_size_begin(&size, 0, now_ns);
	for (int i = 0; i < 100; i++)
		assert_int_equal(pass_second(STACKS, STACKS), 0);
}

static struct copied_hits hits;

/* @count hits are copied and @lost records are lost: are copies too much? */
static bool pass_hits(uint64_t count, uint64_t lost)
{
	hits.count += count;
	hits.lost += lost;
	return copy_size_is_too_much(&size, &hits, now_ns);
}

static void begin_hits(uint32_t bytes)
{
	copy_size_begin(&size, bytes, now_ns);
	pass_hits(0, 0);
}

static void pass_second_of_hits(void)
{
	now_ns += CLOCK_NS_PER_S;
	hits.second++;
}

static void test_more_than_4000_copied_hits_in_a_second_are_too_many(void **state)
{
	(void)state;
	begin_hits(8192);
	for (int i = 0; i < 10; i++) {
		pass_second_of_hits();
		assert_false(pass_hits(0, 0));
		assert_false(pass_hits(4000, 0));
	}
	pass_second_of_hits();
	pass_hits(0, 0);
	assert_true(pass_hits(4001, 0));
}

static void test_a_flood_in_the_first_second_is_seen_before_it_ends(void **state)
{
	(void)state;
	begin_hits(16384);
	assert_true(pass_hits(4001, 0));
}

static void test_more_than_200_mb_of_copied_hits_in_a_second_are_too_many(void **state)
{
	(void)state;
	begin_hits(65528);
	assert_false(pass_hits(3052, 0));
	assert_true(pass_hits(1, 0));
}

static void test_a_loss_ends_the_copies_of_hits(void **state)
{
	(void)state;
	begin_hits(16384);
	assert_false(pass_hits(10, 0));
	assert_true(pass_hits(0, 1));
}

static void test_a_loss_of_before_or_without_copied_hits_ends_nothing(void **state)
{
	(void)state;
	hits.lost += 7;
	begin_hits(16384);
	assert_false(pass_hits(10, 0));
	begin_hits(16384);
	assert_false(pass_hits(0, 7));	/* the event is not one whose hits are all copied */
}

static void test_a_source_that_does_not_change_is_asked_again_after_30_seconds(void **state)
{
	(void)state;
	begin_hits(16384);
	assert_true(pass_hits(5000, 0));
	assert_false(pass_hits(5000, 0));
	now_ns += 31 * CLOCK_NS_PER_S;
	assert_true(pass_hits(5000, 0));
}

static void test_hits_of_a_source_that_is_not_to_be_adapted_are_never_too_many(void **state)
{
	(void)state;
	begin_hits(0);
	assert_false(pass_hits(100000, 100));
}

static void test_copies_grow_only_as_far_as_the_rate_of_hits_allows(void **state)
{
	uint32_t requested;

	(void)state;
	begin_hits(32768);
	pass_hits(3100, 0);	/* 203 MB a second of 65528 bytes each */
	pass_second_of_hits();
	pass_hits(0, 0);
	assert_int_equal(wait_for_request(500, 10, &requested), 11);
	pass_hits(3000, 0);
	pass_second_of_hits();
	pass_hits(0, 0);
	assert_in_range(wait_for_request(500, 10, &requested), 0, 3);
	assert_int_equal(requested, 65528);
}

#define TEST(name) cmocka_unit_test_setup(name, begin)

UNIT_TESTS(test_copy_size)
{
	const struct CMUnitTest tests[] = {
		TEST(test_more_than_4_in_a_hundred_cut_double_the_copy),
		TEST(test_4_in_a_hundred_cut_are_borne),
		TEST(test_copies_that_end_early_are_not_enlarged),
		TEST(test_few_stacks_say_nothing),
		TEST(test_a_calm_minute_tries_less_but_never_less_than_at_first),
		TEST(test_two_in_a_hundred_cut_are_no_calm),
		TEST(test_a_trial_that_fails_makes_the_next_one_wait_twice_as_long),
		TEST(test_a_request_without_a_reply_is_repeated_ever_less_often),
		TEST(test_a_size_that_is_not_to_be_adapted_stays),
		TEST(test_more_than_4000_copied_hits_in_a_second_are_too_many),
		TEST(test_a_flood_in_the_first_second_is_seen_before_it_ends),
		TEST(test_more_than_200_mb_of_copied_hits_in_a_second_are_too_many),
		TEST(test_a_loss_ends_the_copies_of_hits),
		TEST(test_a_loss_of_before_or_without_copied_hits_ends_nothing),
		TEST(test_a_source_that_does_not_change_is_asked_again_after_30_seconds),
		TEST(test_hits_of_a_source_that_is_not_to_be_adapted_are_never_too_many),
		TEST(test_copies_grow_only_as_far_as_the_rate_of_hits_allows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
