/* J: rows, paths, frames and times by falling heat; and what x makes of such a time. By the fixture
 * it is 5000.4 s, history begins at 4880.3 s. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <locale.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "ui_fixture.h"
#include "ui_rows.h"
#include "time_fixture.h"
#include "unit_tests.h"

#define S CLOCK_NS_PER_S

static const struct request *asked(const struct ui *ui, enum request_kind kind)
{
	for (size_t i = 0; i < ui->state.out.count; i++)
		if (ui->state.out.requests[i].kind == kind)
			return &ui->state.out.requests[i];
	return NULL;
}

static void expect_time(const struct ui *ui, double begin_s, double end_s)
{
	assert_int_equal(ui->state.query.time.begin_ns, (uint64_t)(begin_s * 1e9));
	assert_int_equal(ui->state.query.time.end_ns, (uint64_t)(end_s * 1e9));
}

/* The window that was asked for, as the analyzer replies. */
static void reply_time(struct ui *ui)
{
	ui->snapshot.asked_begin_ns = ui->snapshot.begin_ns = ui->state.query.time.begin_ns;
	ui->snapshot.asked_end_ns = ui->snapshot.time_ns = ui->state.query.time.end_ns;
	ui->snapshot.is_frozen = ui->snapshot.is_selected = true;
	ui_show(ui);
	ui->state.out.count = 0;
}

static float load[UI_ACTIVITY_POINTS];

/* 30 % but for two seconds: 4990 to 4991 has 97 %, 4950 to 4951 has 88. */
static void show_load(struct ui *ui)
{
	for (size_t i = 0; i < UI_ACTIVITY_POINTS; i++)
		load[i] = 30;
	load[UI_ACTIVITY_POINTS - 10] = 97;
	load[UI_ACTIVITY_POINTS - 50] = 88;
	ui->snapshot.activity = load;
	ui->snapshot.activity_kind = ACTIVITY_BUSY;
	ui_show(ui);
	ui_text(ui);
}

static void test_rows_come_by_their_own_share_whatever_the_order(void **state)
{
	struct ui *ui = *state;

	ui_press(ui, "SJ");	/* the coldest is first */
	assert_string_equal(ui_cursor(ui)->symbol, "hash_search_with_hash_value");
	assert_non_null(strstr(ui->state.message, "hottest row 1 of "));
	ui_press(ui, "J");
	assert_string_equal(ui_cursor(ui)->symbol, "copy_user_enhanced_fast_string");
	ui_press(ui, "J");
	assert_string_equal(ui_cursor(ui)->symbol, "ChaCha20_4xl");
	assert_non_null(strstr(ui->state.message, "hottest row 3 of "));
	ui_press(ui, "kJ");	/* from another row it begins anew */
	assert_string_equal(ui_cursor(ui)->symbol, "hash_search_with_hash_value");
}

static void test_after_the_last_row_comes_the_first(void **state)
{
	struct ui *ui = *state;
	const size_t count = table_view_of(&ui->state)->rows.count;

	for (size_t i = 0; i < count; i++)
		ui_press(ui, "J");
	assert_non_null(strstr(ui->state.message, "hottest row "));
	ui_press(ui, "J");
	assert_string_equal(ui_cursor(ui)->symbol, "hash_search_with_hash_value");
}

static void test_an_idle_row_is_not_hot(void **state)
{
	struct ui *ui = *state;

	ui_press(ui, "iJ");
	assert_string_equal(ui_cursor(ui)->symbol, "hash_search_with_hash_value");
}

static void test_after_a_key_of_time_it_is_the_busiest_second(void **state)
{
	struct ui *ui = *state;

	show_load(ui);
	ui_press(ui, "[J");
	expect_time(ui, 4990, 4991);
	assert_string_equal(ui->state.message, "97 % busy in 1 s \u00b7 J the next busiest "
						  "\u00b7 x compares with the rest");
	ui_press(ui, "J");
	expect_time(ui, 4950, 4951);
	ui_press(ui, "J");	/* the newest of all the others */
	expect_time(ui, 4999, 5000);
}

static void test_a_key_that_means_rows_ends_that(void **state)
{
	struct ui *ui = *state;

	show_load(ui);
	ui_press(ui, "[J");
	reply_time(ui);
	ui_press(ui, "jJ");
	expect_time(ui, 4990, 4991);
	assert_string_equal(ui_cursor(ui)->symbol, "hash_search_with_hash_value");
	ui_press(ui, "[J");
	expect_time(ui, 4950, 4951);		/* 4990 was visited */
}

static void test_live_again_nothing_was_visited(void **state)
{
	struct ui *ui = *state;

	show_load(ui);
	ui_press(ui, "[J0[J");
	expect_time(ui, 4990, 4991);
}

static void test_when_all_was_visited_the_busiest_comes_again(void **state)
{
	struct ui *ui = *state;

	show_load(ui);
	for (size_t i = 0; i < UI_ACTIVITY_POINTS; i++)
		load[i] = i == UI_ACTIVITY_POINTS - 10 ? 97 : 0;
	ui_press(ui, "[JJ");
	expect_time(ui, 4990, 4991);
}

/* Cells of the heat map as they are drawn: the fullest 50 ms, or what a line holds. */
static void test_on_the_heat_map_it_is_the_busiest_cell(void **state)
{
	static float heat[UI_ACTIVITY_POINTS * HEAT_ROWS];
	struct ui *ui = *state;
	unsigned int ticks;

	show_load(ui);
	for (size_t i = 0; i < UI_ACTIVITY_POINTS * HEAT_ROWS; i++)
		heat[i] = 10;
	heat[(UI_ACTIVITY_POINTS - 20) * HEAT_ROWS + 12] = 300;		/* in 4980.6 to 4980.65 */
	ui_press(ui, "H");
	ui->snapshot.heat = heat;
	ui->snapshot.heat_most = 300;
	ui_show(ui);
	ui_text(ui);
	ticks = HEAT_ROWS / (unsigned int)ui->state.display.heat.height;
	ui_press(ui, "J");
	assert_int_equal(ui->state.query.time.end_ns - ui->state.query.time.begin_ns,
			 ticks * TIME_TICK_NS);
	assert_true(ui->state.query.time.begin_ns <= 49806 * S / 10);
	assert_true(ui->state.query.time.end_ns >= 498065 * (S / 100));
	assert_non_null(strstr(ui->state.message, "busy samples in "));
}

static void test_x_compares_that_time_with_the_rest_of_history(void **state)
{
	struct ui *ui = *state;
	const struct request *request;

	show_load(ui);
	ui_press(ui, "[J");
	reply_time(ui);
	ui_press(ui, "x");
	request = asked(ui, REQUEST_BASELINE);
	assert_non_null(request);
	assert_int_equal(request->value, 1);
	assert_true(request->begin_ns == 4990 * S && request->value_ns == 4991 * S);
	assert_true(ui_asked(ui)->compare);
	assert_non_null(strstr(ui->state.message, "compared with the rest of history"));
	ui->snapshot.has_baseline = ui->snapshot.is_compared = true;
	reply_time(ui);
	assert_true(ui_has(ui, "A: the rest of history"));
	ui_press(ui, "[J");	/* the next is compared with its own rest */
	request = asked(ui, REQUEST_BASELINE);
	assert_non_null(request);
	assert_true(request->value == 1);
	reply_time(ui);
	ui_press(ui, "x");
	request = asked(ui, REQUEST_BASELINE);
	assert_true(request->value_ns == 0);	/* forgotten */
	assert_false(ui_asked(ui)->compare);
}

static void test_x_live_says_what_can_be_compared(void **state)
{
	struct ui *ui = *state;

	ui_press(ui, "x");
	assert_non_null(strstr(ui->state.message, "nothing to compare with: m marks"));
	assert_null(asked(ui, REQUEST_BASELINE));
}

static void test_a_baseline_that_was_marked_stays_the_one_of_x(void **state)
{
	struct ui *ui = *state;

	show_load(ui);
	ui->snapshot.begin_ns = 4980 * S;
	ui->snapshot.time_ns = 4985 * S;
	ui_show(ui);
	ui_press(ui, "m");
	ui->snapshot.has_baseline = ui->snapshot.is_compared = true;
	ui_show(ui);
	ui->state.out.count = 0;
	ui_press(ui, "[J");
	reply_time(ui);
	ui_press(ui, "xx");
	assert_null(asked(ui, REQUEST_BASELINE));
}

UNIT_TESTS(test_command_hottest)
{
	const struct CMUnitTest tests[] = {
		UI_TEST(test_rows_come_by_their_own_share_whatever_the_order),
		UI_TEST(test_after_the_last_row_comes_the_first),
		UI_TEST(test_an_idle_row_is_not_hot),
		UI_TEST(test_after_a_key_of_time_it_is_the_busiest_second),
		UI_TEST(test_a_key_that_means_rows_ends_that),
		UI_TEST(test_live_again_nothing_was_visited),
		UI_TEST(test_when_all_was_visited_the_busiest_comes_again),
		UI_TEST(test_on_the_heat_map_it_is_the_busiest_cell),
		UI_TEST(test_x_compares_that_time_with_the_rest_of_history),
		UI_TEST(test_x_live_says_what_can_be_compared),
		UI_TEST(test_a_baseline_that_was_marked_stays_the_one_of_x),
	};

	setlocale(LC_ALL, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
