/* How much rows have changed, and in which order that puts them. */
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
	return (struct snapshot){ .is_compared = true, .weight = 200, .baseline.weight = 50,
				  .rows = rows, .row_count = count };
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

UNIT_TESTS(test_row_changes)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_window_has_its_own_whole),
		cmocka_unit_test(test_the_largest_change_comes_first_up_or_down),
		cmocka_unit_test(test_idle_rows_and_those_without_a_change_stay_as_they_stand),
		cmocka_unit_test(test_rows_are_new_gone_or_in_both),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
