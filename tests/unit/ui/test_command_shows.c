/* Order, columns, time and looks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <locale.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "ui_fixture.h"
#include "unit_tests.h"

static const struct request *last_request(const struct ui *ui)
{
	return &ui->state.out.requests[ui->state.out.count - 1];
}

static void test_the_order_is_chosen_from_the_columns_shown(void **state)
{
	struct ui *ui = *state;

	ui_press(ui, "o");
	assert_int_equal(ui->state.menu.count, 6);	/* 6 of 7; the bar is none to sort by */
	ui_choose(ui, "samples how");
	assert_int_equal(ui->state.display.orders[VIEW_SYMBOLS].column, COL_SAMPLES);
	assert_int_equal(ui->state.display.orders[VIEW_DSOS].column, COL_SELF);
}

static void test_another_order_begins_at_its_top(void **state)
{
	struct ui *ui = *state;
	struct table_rows *rows = &table_view_of(&ui->state)->rows;

	table_rows_set_page(rows, 3);
	ui_press_key(ui, UI_KEY_END);
	ui_press_key(ui, UI_KEY_UP);
	assert_true(rows->place.top > 0);
	ui_press(ui, "S");	/* its row is the second now */
	assert_int_equal(rows->place.cursor, 1);
	assert_int_equal(rows->place.top, 0);
	ui_press(ui, "S");
	assert_int_equal(rows->place.cursor, rows->count - 2);
	assert_int_equal(rows->place.top, rows->count - 4);	/* no farther than it must */
}

static void test_the_columns_stay_open_while_they_are_switched(void **state)
{
	const uint64_t at_first = columns_at_first.hidden[VIEW_SYMBOLS];
	struct ui *ui = *state;

	ui_press(ui, "c");
	assert_int_equal(ui->state.menu.count, 8);	/* never the name */
	ui_press_key(ui, UI_KEY_ENTER);
	assert_true(ui->state.menu.is_open);
	assert_int_equal(ui->state.display.choice.hidden[VIEW_SYMBOLS],
			 at_first | COLUMN_BIT(COL_SELF));
	assert_true(ui_has(ui, "[ ] SELF%"));
	ui_press_key(ui, UI_KEY_DOWN);
	ui_press(ui, " ");
	assert_int_equal(ui->state.display.choice.hidden[VIEW_SYMBOLS],
			 at_first | COLUMN_BIT(COL_SELF) | COLUMN_BIT(COL_BAR));
	ui_press_key(ui, UI_KEY_UP);
	ui_press(ui, " ");
	assert_int_equal(ui->state.display.choice.hidden[VIEW_SYMBOLS],
			 at_first | COLUMN_BIT(COL_BAR));
	ui_press_key(ui, UI_KEY_ESCAPE);
	assert_false(ui->state.menu.is_open);
	assert_int_equal(ui->state.display.choice.hidden[VIEW_DSOS],
			 columns_at_first.hidden[VIEW_DSOS]);
}

static void test_a_hidden_column_is_none_to_sort_by(void **state)
{
	struct ui *ui = *state;

	ui->state.display.choice.hidden[VIEW_SYMBOLS] =
		COLUMN_BIT(COL_TOTAL) | COLUMN_BIT(COL_SAMPLES);
	ui_press(ui, "s");
	assert_int_equal(ui->state.display.orders[VIEW_SYMBOLS].column, COL_COMMAND);
	ui->state.display.choice.hidden[VIEW_SYMBOLS] = UINT64_MAX;
	ui_press(ui, "s");
	assert_int_equal(ui->state.display.orders[VIEW_SYMBOLS].column, COL_SYMBOL);
	ui_press(ui, "s");
	assert_int_equal(ui->state.display.orders[VIEW_SYMBOLS].column, COL_SYMBOL);
}

static void test_a_column_without_room_is_none_to_step_to(void **state)
{
	struct ui *ui = *state;

	assert_int_equal(canvas_resize(&ui->canvas, 60, 24), 0);
	frame_draw(&ui->state, &ui->canvas);
	ui_press(ui, "s");
	assert_int_equal(ui->state.display.orders[VIEW_SYMBOLS].column, COL_TOTAL);
	ui_press(ui, "s");	/* SAMPLES, COMMAND are not on the screen */
	assert_int_equal(ui->state.display.orders[VIEW_SYMBOLS].column, COL_DSO);
	ui_press(ui, "o");
	assert_int_equal(ui->state.menu.items[ui->state.menu.shown[ui->state.menu.cursor]]
			 .id, COL_DSO);
}

static void test_the_interval_is_from_a_tenth_to_ten_seconds(void **state)
{
	static const struct {
		const char *text;
		uint64_t ms;	/* 0: refused */
	} given[] = {
		{ "0.1", 100 }, { "10", 10000 }, { "0.5", 500 }, { "2.5", 2500 }, { "0.09", 0 },
		{ "10.1", 0 }, { "", 0 }, { "x", 0 }, { "1x", 0 }, { "nan", 0 }, { "-1", 0 },
	};
	struct ui *ui = *state;

	for (size_t i = 0; i < sizeof(given) / sizeof(given[0]); i++) {
		ui->state.out.count = 0;
		ui_press(ui, ":");
		ui_choose(ui, "interval");
		ui_press_key(ui, UI_KEY_CTRL('U'));
		ui_press(ui, given[i].text);
		ui_press_key(ui, UI_KEY_ENTER);
		assert_int_equal(ui->state.out.count, given[i].ms > 0);
		if (given[i].ms)
			assert_int_equal(last_request(ui)->value_ns,
					 given[i].ms * CLOCK_NS_PER_MS);
		else
			assert_non_null(strstr(ui->state.message,
					       "seconds from 0.1 to 10 are needed"));
	}
}

/* A frozen screen takes no reply that is not of the frozen time: there must be one. */
static void test_nothing_can_be_frozen_before_there_is_a_frame(void **state)
{
	struct ui *fixture = *state;
	static struct ui fresh;

	(void)fixture;
	ui_open(&fresh, 80, 24);
	ui_press(&fresh, " ");
	assert_false(fresh.state.query.is_paused);
	assert_int_equal(fresh.state.out.count, 0);
	ui_show(&fresh);
	ui_press(&fresh, "2j");
	ui_reply(&fresh);
	assert_false(state_is_waiting(&fresh.state));
	ui_finish(&fresh);
}

/* Zero goes live; a freeze after it must reach the analyzer after it, too. */
static void test_the_last_of_each_kind_is_asked_in_the_order_of_the_keys(void **state)
{
	struct ui *ui = *state;

	ui->snapshot.time_ns = 77;
	ui_press(ui, " z ");
	assert_int_equal(ui->state.out.count, 2);
	assert_int_equal(ui->state.out.requests[0].kind, REQUEST_ZERO);
	assert_int_equal(ui->state.out.requests[1].kind, REQUEST_FREEZE);
	assert_int_equal(ui->state.out.requests[1].value_ns, 77);
	assert_true(ui->state.query.is_paused);
	ui_press(ui, "z");
	assert_int_equal(last_request(ui)->kind, REQUEST_ZERO);
	assert_false(ui->state.query.is_paused);
}

static void test_zero_needs_a_frame(void **state)
{
	struct ui ui;

	(void)state;
	ui_open(&ui, 100, 24);
	ui.state.out.count = 0;
	ui_press(&ui, "z");
	assert_int_equal(ui.state.out.count, 0);
	assert_false(ui.state.query.is_zeroed);
	assert_true(ui_has(&ui, "nothing is shown yet"));
	ui_finish(&ui);
}

static void test_windows_go_round(void **state)
{
	static const enum window_kind kinds[] = { WINDOW_SECONDS, WINDOW_ALL, WINDOW_DECAY,
						  WINDOW_SECONDS };
	static const uint64_t seconds[] = { 60, 0, 0, 10 };
	struct ui *ui = *state;

	for (size_t i = 0; i < 4; i++) {
		ui_press(ui, "w");
		assert_int_equal(last_request(ui)->value, kinds[i]);
		assert_int_equal(last_request(ui)->value_ns, seconds[i] * CLOCK_NS_PER_S);
	}
}

static void test_themes_go_round(void **state)
{
	struct ui *ui = *state;

	for (unsigned int i = 0; i < theme_count; i++) {
		assert_ptr_equal(ui->state.display.theme, &themes[i]);
		ui_press(ui, "T");
	}
	assert_ptr_equal(ui->state.display.theme, &themes[0]);
}

static void test_the_mouse_is_given_away_and_taken_back(void **state)
{
	struct ui *ui = *state;

	ui_press(ui, "M");
	assert_true(ui->state.display.is_mouse_off);
	ui_press(ui, "M");
	assert_false(ui->state.display.is_mouse_off);
}

static void test_views_go_round_both_ways(void **state)
{
	struct ui *ui = *state;

	for (int i = 1; i <= VIEW_BUTTERFLY; i++) {
		ui_press_key(ui, UI_KEY_TAB);
		assert_int_equal(state_kind(&ui->state), i % VIEW_BUTTERFLY);
	}
	for (int i = VIEW_BUTTERFLY - 1; i >= 0; i--) {
		ui_press_key(ui, UI_KEY_BACKTAB);
		assert_int_equal(state_kind(&ui->state), i);
	}
}

static void test_threads_fold_out_and_in_from_any_of_them(void **state)
{
	struct ui *ui = *state;

	ui_press(ui, "+");
	assert_string_equal(ui->state.message, "threads fold out in the view of tasks");
	ui_press(ui, "4");
	ui_reply(ui);
	ui_press(ui, "+");
	assert_string_equal(ui->state.message, "it has one thread");
	assert_int_equal(table_view_of(&ui->state)->rows.count, 8);
	ui_press(ui, "jj+");
	assert_int_equal(table_view_of(&ui->state)->rows.count, 11);
	ui_press(ui, "jj");
	assert_int_equal(ui_cursor(ui)->tid, 901);
	ui_press(ui, "-");
	assert_int_equal(table_view_of(&ui->state)->rows.count, 8);
	assert_int_equal(ui_cursor(ui)->pid, 900);
}

/* The rows of the view, of two events in turns, each half of what its event has. */
static void reply_by_event(struct ui *ui)
{
	struct snapshot_row *rows;

	ui_prepare(ui);
	ui->snapshot.keys |= KEY_EVENT;
	ui->snapshot.event_count = 2;
	rows = (struct snapshot_row *)(uintptr_t)ui->snapshot.rows;
	for (size_t i = 0; i < ui->snapshot.row_count; i++) {
		rows[i].event_index = i % 2;
		rows[i].event = i % 2 ? "page-faults" : "cpu-clock";
		rows[i].whole = 2 * rows[i].now.self.weight;
	}
	ui_show(ui);
}

/* The column EVENT adds the key: rows are sorted by samples, as weights of different events can't
 * be compared, and opening a row shows its event. */
static void test_rows_may_be_by_event(void **state)
{
	struct ui *ui = *state;
	const struct table_rows *table = &table_view_of(&ui->state)->rows;

	ui_press(ui, "c");
	assert_false(ui_has(ui, "EVENT "));	/* there is only one */
	ui_press_key(ui, UI_KEY_ESCAPE);
	ui_press(ui, "3");
	ui_prepare(ui);
	ui->snapshot.event_count = 2;
	ui_show(ui);
	ui_press(ui, "c");
	ui->state.out.count = 0;
	ui_choose(ui, "EVENT");
	assert_int_equal(ui_asked(ui)->keys, KEY_COMM | KEY_EVENT);
	assert_false(ui_asked(ui)->event_columns);
	ui_press_key(ui, UI_KEY_ESCAPE);
	ui_press_key(ui, UI_KEY_ESCAPE);
	reply_by_event(ui);
	assert_true(ui_has(ui, "EVENT"));
	assert_true(ui_has(ui, "50.00"));
	assert_int_equal(state_order(&ui->state)->column, COL_SAMPLES);
	ui_press(ui, "o");
	assert_false(ui_has(ui, "samples in the row itself"));
	ui_press_key(ui, UI_KEY_ESCAPE);
	ui_press_key(ui, UI_KEY_HOME);
	for (size_t i = 1; i < table->count && !ui_cursor(ui)->event_index; i++)
		ui_press_key(ui, UI_KEY_DOWN);
	assert_int_equal(ui_cursor(ui)->event_index, 1);
	ui->state.out.count = 0;
	ui_press_key(ui, UI_KEY_ENTER);
	assert_int_equal(ui->state.query.sample_event, 1);
	assert_int_equal(ui->state.out.requests[0].kind, REQUEST_EVENT);
	assert_int_equal(ui_asked(ui)->keys, KEY_DSO);
	ui_press_key(ui, UI_KEY_BACKSPACE);
	reply_by_event(ui);
	ui_press(ui, "c");
	ui_choose(ui, "EVENT");	/* it is off again */
	assert_int_equal(last_request(ui)->query.keys, KEY_COMM);
}

UNIT_TESTS(test_command_shows)
{
	const struct CMUnitTest tests[] = {
		UI_TEST(test_the_order_is_chosen_from_the_columns_shown),
		UI_TEST(test_another_order_begins_at_its_top),
		UI_TEST(test_the_columns_stay_open_while_they_are_switched),
		UI_TEST(test_a_hidden_column_is_none_to_sort_by),
		UI_TEST(test_a_column_without_room_is_none_to_step_to),
		UI_TEST(test_the_interval_is_from_a_tenth_to_ten_seconds),
		UI_TEST(test_nothing_can_be_frozen_before_there_is_a_frame),
		UI_TEST(test_the_last_of_each_kind_is_asked_in_the_order_of_the_keys),
		cmocka_unit_test(test_zero_needs_a_frame),
		UI_TEST(test_windows_go_round),
		UI_TEST(test_themes_go_round),
		UI_TEST(test_the_mouse_is_given_away_and_taken_back),
		UI_TEST(test_views_go_round_both_ways),
		UI_TEST(test_threads_fold_out_and_in_from_any_of_them),
		UI_TEST(test_rows_may_be_by_event),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
