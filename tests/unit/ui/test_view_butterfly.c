/* The butterfly: a function, its callers above, its callees below; numbers worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <locale.h>
#include <string.h>

#include <cmocka.h>

#include "ui/term/keys.h"
#include "ui_fixture.h"
#include "unit_tests.h"

static void open_at(struct ui *ui, int width, int height)
{
	ui_open(ui, width, height);
	ui_show(ui);
	ui_press(ui, "b");
	ui_reply(ui);
}

/* Asserts that the line with @name has these numbers before it. */
static void expect(struct ui *ui, const char *name, const char *numbers)
{
	const char *line = ui_line(ui, ui_find(ui, name).y);

	if (!strstr(line, numbers))
		fail_msg("%s is not in: %s", numbers, line);
}

/* Of 34860 samples: BufTableLookup 7913 + get_hash_entry 2893 = 10806, the function's own total. */
static void test_each_sample_has_one_caller_and_counts_once(void **state)
{
	struct ui ui;

	(void)state;
	open_at(&ui, 110, 28);
	assert_true(ui_is(&ui, VIEW_BUTTERFLY));
	expect(&ui, "BufTableLookup", "       22.70 ");
	expect(&ui, "get_hash_entry", "        8.30 ");
	ui_find(&ui, "\u25b8  18.42  31.00    [.] hash_search_with_hash_value");
	/* 6400 + 4200 + 176 + 22 + 8 of 10806; the recursive call is a callee and in no total. */
	expect(&ui, "[.] hash_bytes", " 11.47  12.05 ");
	expect(&ui, "[k] asm_exc_page_fault", "         0.50 ");
	expect(&ui, "others, each below 0.1 %", "         0.02 ");
	ui_finish(&ui);
}

static void test_screens(void **state)
{
	struct ui ui;

	(void)state;
	open_at(&ui, 80, 24);
	ui_close(&ui, "butterfly_80x24");
	open_at(&ui, 110, 28);
	ui_close(&ui, "butterfly_110x28");
	open_at(&ui, 40, 12);
	ui_close(&ui, "butterfly_40x12");
}

static const struct filter_part *last_part(const struct ui *ui)
{
	const struct filter *filter = &ui->state.query.breadcrumbs.filter;

	return &filter->parts[filter->count - 1];
}

static void test_enter_makes_a_callee_the_middle_and_back_returns(void **state)
{
	struct ui ui;

	(void)state;
	open_at(&ui, 100, 30);
	ui_press(&ui, "j");
	ui_press_key(&ui, UI_KEY_ENTER);
	assert_string_equal(last_part(&ui)->text, "hash_bytes");
	assert_int_equal(ui.state.query.breadcrumbs.filter.count, 1);
	assert_true(ui_is(&ui, VIEW_BUTTERFLY));
	ui_reply(&ui);
	ui_press_key(&ui, UI_KEY_LEFT);
	assert_string_equal(last_part(&ui)->text, "hash_search_with_hash_value");
	ui_reply(&ui);
	ui_press_key(&ui, UI_KEY_ESCAPE);
	ui_reply(&ui);
	assert_true(ui_is(&ui, VIEW_SYMBOLS));
	ui_finish(&ui);
}

static void test_rows_that_are_no_function_have_the_outermost_functions_below(void **state)
{
	struct ui ui;

	(void)state;
	ui_open(&ui, 100, 30);
	ui_show(&ui);
	ui_press(&ui, "3");
	ui_reply(&ui);
	ui_press(&ui, "b");
	ui_reply(&ui);
	ui_find(&ui, "all that is shown");
	expect(&ui, "_start", "   86.06 ");
	ui_finish(&ui);
}

static void test_the_lines_stay_until_those_of_the_next_query_come(void **state)
{
	struct ui ui;

	(void)state;
	ui_open(&ui, 100, 30);
	ui_show(&ui);
	ui_press(&ui, "3");
	ui_reply(&ui);
	ui_press(&ui, "b");
	ui_reply(&ui);
	ui_press(&ui, "j");
	ui_press_key(&ui, UI_KEY_ENTER);
	state_refresh_view(&ui.state);
	ui_find(&ui, "all that is shown");
	ui_finish(&ui);
}

static void test_the_tree_and_the_flame_graph_are_of_the_same_function(void **state)
{
	struct ui ui;

	(void)state;
	for (const char *key = "67"; *key; key++) {
		open_at(&ui, 100, 30);
		ui_press(&ui, (char[]){ *key, '\0' });
		assert_true(state_kind(&ui.state) == (*key == '6' ? VIEW_TREE : VIEW_FLAME));
		assert_int_equal(ui.state.query.breadcrumbs.filter.count, 1);
		ui_finish(&ui);
	}
}

static void test_the_hottest_caller_or_callee_is_a_key_away(void **state)
{
	static const char *const names[] = { "BufTableLookup", "hash_bytes", "get_hash_entry" };
	struct ui ui;

	(void)state;
	open_at(&ui, 100, 30);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		ui_press(&ui, "J");
		assert_non_null(strstr(ui_line(&ui, ui_find(&ui, "\u25b8").y), names[i]));
	}
	ui_finish(&ui);
}

static void test_a_search_finds_callers_and_callees(void **state)
{
	struct ui ui;

	(void)state;
	open_at(&ui, 100, 30);
	ui_press(&ui, "/page_fault");
	ui_press_key(&ui, UI_KEY_ENTER);
	assert_true(strstr(ui_line(&ui, ui_find(&ui, "asm_exc").y), "\u25b8") != NULL);
	ui_finish(&ui);
}

UNIT_TESTS(test_view_butterfly)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_sample_has_one_caller_and_counts_once),
		cmocka_unit_test(test_screens),
		cmocka_unit_test(test_enter_makes_a_callee_the_middle_and_back_returns),
		cmocka_unit_test(test_rows_that_are_no_function_have_the_outermost_functions_below),
		cmocka_unit_test(test_the_lines_stay_until_those_of_the_next_query_come),
		cmocka_unit_test(test_the_tree_and_the_flame_graph_are_of_the_same_function),
		cmocka_unit_test(test_the_hottest_caller_or_callee_is_a_key_away),
		cmocka_unit_test(test_a_search_finds_callers_and_callees),
	};

	setlocale(LC_ALL, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
