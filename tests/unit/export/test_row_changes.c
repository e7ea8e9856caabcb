/* How much rows have changed, and in which order that puts them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "analyzer/snapshot.h"
#include "unit_tests.h"

/* Of 200 in the window and 50 in the baseline: 10 is 5 % now and was 20 %. */
static struct snapshot compared(const struct snapshot_row *rows, size_t count)
{
	struct snapshot snapshot = { .is_compared = true, .weight = 200, .baseline.weight = 50,
				     .rows = rows, .row_count = count };

	row_changes_weigh_samples(&snapshot);
	return snapshot;
}

static void expect_order(const struct snapshot *snapshot, bool of_total, const size_t *expected)
{
	size_t *order = row_changes_order(snapshot, of_total);

	assert_non_null(order);
	for (size_t i = 0; i < snapshot->row_count; i++)
		assert_int_equal(order[i], expected[i]);
	free(order);
}

static void test_each_window_has_its_own_whole(void **state)
{
	const struct snapshot_row row = { .now.self.weight = 10, .base.self.weight = 10,
					  .now.total.weight = 100, .base.total.weight = 10 };
	struct snapshot snapshot = compared(&row, 1);

	(void)state;
	assert_true(row_changes_points(&snapshot, &row, false) == -15);
	assert_true(row_changes_points(&snapshot, &row, true) == 30);
	assert_true(row_changes_base_pct(&snapshot, 10) == 20);
	snapshot.baseline.weight = 0;		/* nothing was counted */
	assert_true(row_changes_base_pct(&snapshot, 10) == 0);
	assert_true(row_changes_per_s(10, 4) == 2.5);
	assert_true(row_changes_per_s(10, 0) == 0);
}

/* self: 0, -40, 0, +20 points; total: +10, +1, -30, +20. */
static void test_the_largest_change_comes_first_up_or_down(void **state)
{
	static const struct snapshot_row rows[] = {
		{ .now.total.weight = 20 },
		{ .base.self.weight = 20, .now.total.weight = 2 },
		{ .base.total.weight = 15 },
		{ .now.self.weight = 40, .now.total.weight = 40 },
	};
	const struct snapshot snapshot = compared(rows, 4);

	(void)state;
	expect_order(&snapshot, false, (size_t[]){ 1, 3, 2, 0 });
	expect_order(&snapshot, true, (size_t[]){ 2, 3, 0, 1 });
}

static void test_idle_rows_and_those_without_a_change_stay_as_they_stand(void **state)
{
	static const struct snapshot_row rows[] = {
		{ .now.self.weight = 90, .now.total.weight = 90, .is_idle = true },
		{ .now.self.samples = 1 },
		{ .now.self.samples = 2 },
		{ .now.self.weight = 2, .now.total.weight = 2 },
	};
	const struct snapshot snapshot = compared(rows, 4);

	(void)state;
	expect_order(&snapshot, false, (size_t[]){ 3, 0, 1, 2 });
}

static void test_rows_are_new_gone_or_in_both(void **state)
{
	const struct snapshot_row rows[] = {
		{ .now.self.samples = 1, .now.total.samples = 1 },
		{ .now.total.samples = 1 },
		{ .base.self.samples = 1, .base.total.samples = 1 },
		{ .base.total.samples = 1 },
		{ .now.total.samples = 1, .base.total.samples = 1 },
	};

	(void)state;
	assert_int_equal(row_changes_presence(&rows[0]), ROW_NEW);
	assert_int_equal(row_changes_presence(&rows[1]), ROW_NEW);
	assert_int_equal(row_changes_presence(&rows[2]), ROW_GONE);
	assert_int_equal(row_changes_presence(&rows[3]), ROW_GONE);
	assert_int_equal(row_changes_presence(&rows[4]), ROW_IN_BOTH);
}

/* A row with @now of 1,000 samples, where the baseline has @base of @whole; a sample weighs 3 there
 * and 2 now. */
static double sigmas_of(uint64_t now, uint64_t base, double whole)
{
	const struct snapshot_row rows[] = {
		{ .now.self = { .samples = now, .weight = 2 * (double)now },
		  .base.self = { .samples = base, .weight = 3 * (double)base } },
		{ .now.self = { .samples = 7, .weight = 14 },
		  .base.self = { .samples = 7, .weight = 21 } },
	};
	struct snapshot snapshot = compared(rows, 2);

	snapshot.weight = 2000;
	snapshot.baseline.weight = 3 * whole;
	return row_changes_sigmas(&snapshot, &rows[0], false);
}

/* 2 (sqrt(n + 3/8) - sqrt(r (b + 3/8))) / sqrt(1 + r), as a pocket calculator has it. */
static void test_sigmas_are_those_of_poisson_counts(void **state)
{
	struct snapshot_row row = { .now.self = { 10, 10 }, .base.self = { 9, 9 } };
	struct snapshot snapshot = compared(&row, 1);

	(void)state;
	assert_true(fabs(sigmas_of(110, 100, 1000) - 0.6890) < 0.0001);
	assert_true(fabs(sigmas_of(200, 100, 1000) - 5.8501) < 0.0001);
	assert_true(fabs(sigmas_of(100, 200, 1000) + 5.8501) < 0.0001);
	assert_true(fabs(sigmas_of(100, 200, 2000)) < 0.02);
	assert_true(fabs(sigmas_of(20, 0, 1000) - 5.5175) < 0.0001);
	assert_true(sigmas_of(1, 0, 1000) < 1);
	snapshot.is_of_waits = true;
	assert_true(isnan(row_changes_sigmas(&snapshot, &row, false)));
	assert_false(row_changes_is_noise(&snapshot, &row, false));
	snapshot.is_of_waits = false;
	assert_true(row_changes_is_noise(&snapshot, &row, false));
	snapshot.baseline.weight = 0;
	assert_true(isnan(row_changes_sigmas(&snapshot, &row, false)));
}

/* Of 1,000 samples then and 1,150 now: one row grew from 100 to 250. The other has the same number
 * and a smaller share. */
static void test_the_worst_row_has_grown_in_share_and_in_weight(void **state)
{
	const struct snapshot_row rows[] = {
		{ .now.self = { 900, 900 }, .base.self = { 900, 900 } },
		{ .now.self = { 250, 250 }, .base.self = { 100, 100 } },
	};
	struct snapshot snapshot = compared(rows, 2);
	size_t count;

	(void)state;
	snapshot.weight = 1150;
	snapshot.baseline.weight = 1000;
	assert_ptr_equal(row_changes_worst(&snapshot, 5, false, &count), &rows[1]);
	assert_int_equal(count, 1);
	assert_null(row_changes_worst(&snapshot, 12, false, &count));	/* 11.7 points */
	assert_null(row_changes_worst(&snapshot, 5, true, &count));
}

/* What got faster makes all other shares rise: no row is worse. */
static void test_a_row_that_shrinks_makes_no_other_one_worse(void **state)
{
	const struct snapshot_row rows[] = {
		{ .now.self = { 500, 500 }, .base.self = { 500, 500 } },
		{ .now.self = { 100, 100 }, .base.self = { 500, 500 } },
	};
	struct snapshot snapshot = compared(rows, 2);
	size_t count;

	(void)state;
	snapshot.weight = 600;
	snapshot.baseline.weight = 1000;
	assert_true(row_changes_sigmas(&snapshot, &rows[0], false) > ROW_CHANGES_SIGMAS);
	assert_null(row_changes_worst(&snapshot, 1, false, &count));
	assert_int_equal(count, 0);
}

UNIT_TESTS(test_row_changes)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_window_has_its_own_whole),
		cmocka_unit_test(test_the_largest_change_comes_first_up_or_down),
		cmocka_unit_test(test_idle_rows_and_those_without_a_change_stay_as_they_stand),
		cmocka_unit_test(test_rows_are_new_gone_or_in_both),
		cmocka_unit_test(test_sigmas_are_those_of_poisson_counts),
		cmocka_unit_test(test_the_worst_row_has_grown_in_share_and_in_weight),
		cmocka_unit_test(test_a_row_that_shrinks_makes_no_other_one_worse),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
