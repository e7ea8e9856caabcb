/* The symbol is visible at every width, and columns never overlap. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "snapshot_fixture.h"
#include "ui/views.h"
#include "unit_tests.h"

#define EVERY_KEY (KEY_DSO | KEY_SYMBOL | KEY_COMM | KEY_PID | KEY_TID | KEY_CPU)

static struct column_set set_of(enum view_kind kind, unsigned int keys)
{
	return (struct column_set){ .ids = view_specs[kind].columns,
				    .hidden = COLUMNS_OF_EVENTS | COLUMNS_OF_WAITS,
				    .fill = view_specs[kind].fill, .keys = keys };
}

static void check_layout(int width, enum view_kind kind, unsigned int keys, enum column_id fill)
{
	const struct column_set set = set_of(kind, keys);
	struct column_layout layout;
	int x = 2;

	columns_fit(&layout, 2, width - 2, &set);
	assert_true(layout.count > 0);
	for (size_t i = 0; i < layout.count; i++) {
		assert_int_equal(layout.places[i].x, x);
		assert_true(layout.places[i].width >= columns[layout.places[i].id].min_width ||
			    layout.places[i].id == fill);
		x += layout.places[i].width + 1;
	}
	assert_int_equal(x - 1, width);		/* the whole line is used, nothing more */
	assert_true(columns_has(&layout, fill));
	assert_int_equal(layout.places[layout.count - 1].id, fill);
	assert_true(layout.places[layout.count - 1].width >= COLUMNS_FILL_CELLS);
}

static void test_the_symbol_is_visible_at_every_width(void **state)
{
	(void)state;
	for (int width = 40; width <= 400; width++) {
		check_layout(width, VIEW_SYMBOLS, KEY_DSO | KEY_SYMBOL, COL_SYMBOL);
		check_layout(width, VIEW_SYMBOLS, EVERY_KEY, COL_SYMBOL);
	}
}

static void test_every_view_has_its_name_column_at_every_width(void **state)
{
	(void)state;
	for (int kind = 0; kind < VIEW_TABLES; kind++)
		for (int width = 40; width <= 400; width++)
			check_layout(width, (enum view_kind)kind, view_specs[kind].keys,
				     view_specs[kind].fill);
}

static void test_hidden_columns_are_gone_but_never_the_name(void **state)
{
	struct column_set set = set_of(VIEW_SYMBOLS, KEY_DSO | KEY_SYMBOL);
	struct column_layout layout;

	(void)state;
	set.hidden = UINT64_MAX;
	columns_fit(&layout, 0, 100, &set);
	assert_int_equal(layout.count, 1);
	assert_int_equal(layout.places[0].id, COL_SYMBOL);
	set.hidden = COLUMN_BIT(COL_BAR) | COLUMN_BIT(COL_PROBE) | COLUMN_CHANGES |
		     COLUMNS_OF_EVENTS | COLUMNS_OF_WAITS;
	columns_fit(&layout, 0, 100, &set);
	assert_false(columns_has(&layout, COL_BAR));
	assert_true(columns_has(&layout, COL_SAMPLES));
}

static void test_without_symbols_the_dso_fills_then_the_command(void **state)
{
	(void)state;
	for (int width = 40; width <= 400; width++) {
		check_layout(width, VIEW_SYMBOLS, KEY_DSO | KEY_PID, COL_DSO);
		check_layout(width, VIEW_SYMBOLS, KEY_COMM, COL_COMMAND);
	}
}

static void test_columns_leave_in_the_stated_order(void **state)
{
	static const enum column_id order[] = { COL_SAMPLES, COL_BAR, COL_COMMAND, COL_DSO };
	struct column_layout layout;
	struct column_set set = set_of(VIEW_SYMBOLS, KEY_DSO | KEY_SYMBOL);
	int widest[sizeof(order) / sizeof(order[0])] = { 0 };

	(void)state;
	set.hidden = COLUMN_CHANGES | COLUMNS_OF_EVENTS | COLUMNS_OF_WAITS;
	for (int width = 38; width <= 200; width++) {
		columns_fit(&layout, 0, width, &set);
		for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++)
			if (!columns_has(&layout, order[i]))
				widest[i] = width;
		assert_true(columns_has(&layout, COL_SELF));
		assert_true(columns_has(&layout, COL_TOTAL));
	}
	for (size_t i = 1; i < sizeof(order) / sizeof(order[0]); i++)
		assert_true(widest[i - 1] > widest[i]);
}

static void test_columns_that_were_asked_for_leave_last(void **state)
{
	struct column_set set = set_of(VIEW_SYMBOLS, KEY_DSO | KEY_SYMBOL);
	struct column_layout layout;

	(void)state;
	set.hidden = COLUMN_CHANGES | COLUMNS_OF_EVENTS | COLUMNS_OF_WAITS;
	columns_fit(&layout, 0, 70, &set);
	assert_false(columns_has(&layout, COL_SAMPLES) || columns_has(&layout, COL_PERIOD));
	set.asked = COLUMN_BIT(COL_SAMPLES) | COLUMN_BIT(COL_PERIOD);
	columns_fit(&layout, 0, 70, &set);
	assert_true(columns_has(&layout, COL_SAMPLES) && columns_has(&layout, COL_PERIOD));
	assert_false(columns_has(&layout, COL_COMMAND));
}

/* Compared, what has changed and the share that it is of are the last to leave. */
static void test_changes_are_there_at_every_width(void **state)
{
	struct column_set set = set_of(VIEW_SYMBOLS, KEY_DSO | KEY_SYMBOL);
	struct column_layout layout;

	(void)state;
	set.hidden = columns_at_first.hidden[VIEW_SYMBOLS] | COLUMNS_OF_EVENTS |
		     COLUMNS_OF_WAITS;
	for (int width = 38; width <= 200; width++) {
		columns_fit(&layout, 0, width, &set);
		assert_true(columns_has(&layout, COL_CHANGE));
		assert_true(columns_has(&layout, COL_SELF));
		assert_int_equal(columns_has(&layout, COL_CHANGE_BAR), width >= 44);
		assert_false(columns_has(&layout, COL_TOTAL_CHANGE));
	}
}

static void test_key_columns_are_there_only_when_keyed(void **state)
{
	struct column_set set = set_of(VIEW_SYMBOLS, KEY_DSO | KEY_SYMBOL);
	struct column_layout layout;

	(void)state;
	columns_fit(&layout, 0, 200, &set);
	assert_false(columns_has(&layout, COL_PID));
	set.keys |= KEY_PID;
	columns_fit(&layout, 0, 200, &set);
	assert_true(columns_has(&layout, COL_PID));
	assert_false(columns_has(&layout, COL_TID));
}

static void test_natural_order_is_hottest_first_and_a_to_z(void **state)
{
	struct snapshot_row rows[] = {
		{ .symbol = "Alpha", .now.self.samples = 1, .now.total.samples = 9, .pid = 7 },
		{ .symbol = "beta", .now.self.samples = 2, .now.total.samples = 3, .pid = 5 },
	};

	(void)state;
	fixture_snapshot(rows, 2);
	assert_true(columns[COL_SELF].compare(&rows[1], &rows[0]) < 0);
	assert_true(columns[COL_TOTAL].compare(&rows[0], &rows[1]) < 0);
	assert_true(columns[COL_SYMBOL].compare(&rows[0], &rows[1]) < 0);
	assert_true(columns[COL_PID].compare(&rows[1], &rows[0]) < 0);
	assert_int_equal(columns[COL_PID].compare(&rows[1], &rows[1]), 0);
}

UNIT_TESTS(test_columns)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_symbol_is_visible_at_every_width),
		cmocka_unit_test(test_every_view_has_its_name_column_at_every_width),
		cmocka_unit_test(test_hidden_columns_are_gone_but_never_the_name),
		cmocka_unit_test(test_without_symbols_the_dso_fills_then_the_command),
		cmocka_unit_test(test_columns_leave_in_the_stated_order),
		cmocka_unit_test(test_columns_that_were_asked_for_leave_last),
		cmocka_unit_test(test_changes_are_there_at_every_width),
		cmocka_unit_test(test_key_columns_are_there_only_when_keyed),
		cmocka_unit_test(test_natural_order_is_hottest_first_and_a_to_z),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
