/* The history of losses: what came within a window, and what is not known of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "ingest/losses.h"
#include "unit_tests.h"

#define S CLOCK_NS_PER_S

static struct loss_history history;

static int tear_down(void **state)
{
	(void)state;
	loss_history_finish(&history);
	return 0;
}

/* @lost records in all, as of @second. */
static void note(uint64_t second, uint64_t lost)
{
	const uint64_t sums[SUMS] = { [LOSS_RING_FULL] = lost, [LOSS_LATE] = 2 * lost };

	loss_history_note(&history, second * S, sums);
}

static uint64_t between(uint64_t begin, uint64_t end, uint64_t lost_now)
{
	const uint64_t now[SUMS] = { [LOSS_RING_FULL] = lost_now,
					    [LOSS_LATE] = 2 * lost_now };
	uint64_t out[SUMS];

	assert_true(loss_history_between(&history, begin * S, end * S, now, out));
	assert_int_equal(out[LOSS_LATE], 2 * out[LOSS_RING_FULL]);
	assert_int_equal(out[LOSS_NO_MEMORY], 0);
	return out[LOSS_RING_FULL];
}

static void test_a_window_has_what_came_in_it(void **state)
{
	(void)state;
	for (uint64_t second = 100; second <= 120; second++)
		note(second, second < 110 ? 0 : second < 112 ? 5 : 12);
	assert_int_equal(between(100, 120, 12), 12);
	assert_int_equal(between(105, 111, 12), 5);
	assert_int_equal(between(110, 112, 12), 7);
	assert_int_equal(between(112, 119, 12), 0);
	assert_int_equal(between(115, 121, 20), 8);	/* live: up to now */
	assert_int_equal(between(0, 121, 20), 20);	/* since before the first */
}

static void test_the_first_second_is_known_without_a_point(void **state)
{
	(void)state;
	assert_int_equal(between(100, 101, 3), 3);
}

static void test_points_are_a_second_apart(void **state)
{
	const uint64_t sums[SUMS] = { 0 };

	(void)state;
	for (uint64_t ms = 0; ms < 10000; ms += 100)
		loss_history_note(&history, 50 * S + ms * CLOCK_NS_PER_MS, sums);
	assert_int_equal(history.count, 10);
}

/* What is not known is not called 0. */
static void test_what_has_left_is_not_known(void **state)
{
	const uint64_t now[SUMS] = { [LOSS_RING_FULL] = 9000 };
	uint64_t out[SUMS];

	(void)state;
	for (uint64_t second = 1; second <= LOSS_POINTS + 10; second++)
		note(second, second);
	assert_int_equal(history.count, LOSS_POINTS);
	assert_false(loss_history_between(&history, 5 * S, 20 * S, now, out));
	assert_true(loss_history_between(&history, 11 * S, 20 * S, now, out));
	assert_int_equal(out[LOSS_RING_FULL], 9);
	loss_history_clear(&history);
	assert_int_equal(between(5, 20, 4), 4);
}

static void test_every_cause_is_described(void **state)
{
	(void)state;
	for (size_t cause = 0; cause < LOSS_CAUSES; cause++) {
		const struct loss_description *text = &loss_descriptions[cause];

		assert_non_null(text->name);
		assert_in_range(strlen(text->title), 4, LOSS_TITLE_CELLS);
		assert_true(strlen(text->meaning) > 10);
		assert_non_null(text->remedy);
		assert_true(text->remedy[0] || text->is_part);
		for (size_t other = 0; other < cause; other++)
			assert_string_not_equal(loss_descriptions[other].name, text->name);
	}
}

#define TEST(test) cmocka_unit_test_teardown(test, tear_down)

UNIT_TESTS(test_losses)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_window_has_what_came_in_it),
		TEST(test_the_first_second_is_known_without_a_point),
		TEST(test_points_are_a_second_apart),
		TEST(test_what_has_left_is_not_known),
		TEST(test_every_cause_is_described),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
