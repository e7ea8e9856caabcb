/* Rows in the order of what has changed most. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compare_fixture.h"
#include "snapshot_fixture.h"
#include "ui/views.h"
#include "ui/widgets/table_rows.h"
#include "unit_tests.h"

/* Both windows have 1000 samples, so that 10 of them are a point. */
static struct snapshot_row rows[] = {
	{ .id = 1, .now.self.samples = 500, .now.total.samples = 500,
	  .base = { { 490, 490 }, { 490, 490 } } },
	{ .id = 2, .now.self.samples = 300, .now.total.samples = 300,
	  .base = { { 100, 100 }, { 100, 100 } } },
	{ .id = 3, .now.self.samples = 200, .now.total.samples = 200 },
	{ .id = 4, .base = { { 250, 250 }, { 250, 250 } } },
	{ .id = 5, .now.total.samples = 900, .base.total.weight = 200, .base.total.samples = 200 },
	{ .id = 6, .now.self.samples = 7000, .now.total.samples = 7000, .is_idle = true },
};
#define ROWS (sizeof(rows) / sizeof(rows[0]))

static struct snapshot compared(void)
{
	struct snapshot snapshot = fixture_snapshot(rows, ROWS);

	snapshot.is_compared = snapshot.has_baseline = true;
	snapshot.baseline.weight = 1000;
	snapshot.baseline.window_s = snapshot.window_s;
	return snapshot;
}

static void check_order(enum column_id id, bool is_reversed, const uint64_t *ids, size_t count)
{
	const struct snapshot snapshot = compared();
	struct table_rows table = { .page = 10 };

	assert_true(columns_is_order(id));
	table_rows_collect(&table, &snapshot, true, (struct table_order){ id, is_reversed });
	assert_int_equal(table.count, ROWS);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(table.rows[i]->id, ids[i]);
	table_rows_finish(&table);
}

/* -25, +20 and +20 (the heavier first), +1; without a self of its own the total decides. */
static void test_the_largest_change_comes_first_whatever_its_sign(void **state)
{
	static const uint64_t ids[] = { 4, 2, 3, 1, 5, 6 };
	static const uint64_t reversed[] = { 6, 5, 1, 3, 2, 4 };

	(void)state;
	check_order(COL_CHANGE, false, ids, ROWS);
	check_order(COL_CHANGE, true, reversed, ROWS);
	check_order(COL_CHANGE_BAR, false, ids, ROWS);
}

static void test_totals_have_an_order_of_their_own(void **state)
{
	static const uint64_t ids[] = { 5, 4, 2, 3, 1 };

	(void)state;
	check_order(COL_TOTAL_CHANGE, false, ids, 5);
}

static void test_rates_have_an_order_of_their_own(void **state)
{
	static const uint64_t ids[] = { 6, 4, 2, 3, 1, 5 };	/* idle comes and goes, too */

	(void)state;
	check_order(COL_RATE_CHANGE, false, ids, ROWS);
}

/* 0.004 points more or less is the same to who reads it: the heavier one stays above. */
static void test_what_nobody_sees_orders_no_rows(void **state)
{
	const struct snapshot snapshot = { .weight = 100000, .is_compared = true,
					   .baseline.weight = 100000 };
	const struct snapshot_row heavy = { .now.self.weight = 5000, .base.self.weight = 5001 };
	const struct snapshot_row light = { .now.self.weight = 50, .base.self.weight = 46 };

	(void)state;
	assert_true(columns_compare(COL_CHANGE, &snapshot, &heavy, &light) < 0);
	assert_true(columns_compare(COL_CHANGE, &snapshot, &light, &heavy) > 0);
}

static void test_every_column_has_a_name_of_its_own(void **state)
{
	(void)state;
	for (int id = 0; id < COL_COUNT; id++) {
		assert_true(columns_name((enum column_id)id)[0] != '\0');
		for (int other = 0; other < id; other++)
			assert_string_not_equal(columns_name((enum column_id)id),
						columns_name((enum column_id)other));
	}
}

UNIT_TESTS(test_column_changes)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_largest_change_comes_first_whatever_its_sign),
		cmocka_unit_test(test_totals_have_an_order_of_their_own),
		cmocka_unit_test(test_rates_have_an_order_of_their_own),
		cmocka_unit_test(test_what_nobody_sees_orders_no_rows),
		cmocka_unit_test(test_every_column_has_a_name_of_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
