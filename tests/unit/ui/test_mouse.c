/* Clicks on the screen that was drawn do what the keys do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <locale.h>

#include <cmocka.h>

#include "base/clock.h"
#include "ui_fixture.h"
#include "time_fixture.h"
#include "unit_tests.h"

static int open_fixture(void **state)
{
	static struct ui ui;

	ui_open(&ui, 120, 14);		/* 3 lines of header, titles, 9 rows, bottom line */
	ui_show(&ui);
	*state = &ui;
	return 0;
}

static void click(struct ui *ui, enum mouse_action action, const char *text)
{
	const struct mouse at = ui_find(ui, text);

	ui_click(ui, action, at.x, at.y);
}

static const char *cursor_symbol(const struct ui *ui)
{
	return ui_cursor(ui)->symbol;
}

static void test_what_was_drawn_last_lies_on_top(void **state)
{
	struct hits hits = { .count = 0 };

	(void)state;
	hits_add(&hits, (struct hit){ HIT_ROWS, 0, 4, 80, 10, 30 });
	hits_add(&hits, (struct hit){ HIT_TAB, 5, 4, 3, 1, 2 });
	assert_int_equal(hits_find(&hits, 4, 4).kind, HIT_ROWS);
	assert_int_equal(hits_find(&hits, 5, 4).kind, HIT_TAB);
	assert_int_equal(hits_find(&hits, 7, 4).number, 2);
	assert_int_equal(hits_find(&hits, 8, 4).kind, HIT_ROWS);
	assert_int_equal(hits_find(&hits, 0, 13).number, 39);
	assert_int_equal(hits_find(&hits, 0, 14).kind, HIT_NOTHING);
	assert_int_equal(hits_find(&hits, 80, 5).kind, HIT_NOTHING);
	assert_int_equal(hits_find(&hits, -1, 5).kind, HIT_NOTHING);
	for (int i = 0; i < 2 * HITS_MAX; i++)
		hits_add(&hits, (struct hit){ HIT_TAB, 0, 0, 1, 1, 0 });
	assert_int_equal(hits.count, HITS_MAX);
}

static void test_a_click_selects_the_row(void **state)
{
	struct ui *ui = *state;

	click(ui, MOUSE_PRESS, "ChaCha20");
	assert_string_equal(cursor_symbol(ui), "ChaCha20_4xl");
	assert_true(table_view_of(&ui->state)->rows.place.is_moved);
	assert_int_equal(ui->state.query.breadcrumbs.count, 1);
}

static void test_a_click_below_the_rows_selects_nothing(void **state)
{
	struct ui *ui = *state;

	ui->snapshot.row_count = 3;
	ui_show(ui);
	ui_click(ui, MOUSE_PRESS, 10, 10);
	assert_int_equal(table_view_of(&ui->state)->rows.place.cursor, 0);
	ui_click(ui, MOUSE_MENU, 10, 10);
	assert_false(ui->state.menu.is_open);
}

static void test_a_click_on_a_title_sorts_and_the_next_one_reverses(void **state)
{
	struct ui *ui = *state;
	const struct table_order *order = &ui->state.display.orders[VIEW_SYMBOLS];

	click(ui, MOUSE_PRESS, "TOTAL%");
	assert_int_equal(order->column, COL_TOTAL);
	assert_false(order->is_reversed);
	click(ui, MOUSE_PRESS, "TOTAL%");
	assert_true(order->is_reversed);
	click(ui, MOUSE_PRESS, "TOTAL%");
	assert_false(order->is_reversed);
	click(ui, MOUSE_PRESS, "SYMBOL");
	assert_int_equal(order->column, COL_SYMBOL);
}

static void test_the_title_of_the_bar_is_none_to_sort_by(void **state)
{
	struct ui *ui = *state;
	const struct mouse self = ui_find(ui, "SELF%");

	ui_click(ui, MOUSE_PRESS, self.x + 8, self.y);
	assert_int_equal(ui->state.display.orders[VIEW_SYMBOLS].column, COL_SELF);
}

static void test_a_double_click_opens_the_row(void **state)
{
	struct ui *ui = *state;

	click(ui, MOUSE_PRESS, "ChaCha20");
	click(ui, MOUSE_RELEASE, "ChaCha20");
	click(ui, MOUSE_DOUBLE, "ChaCha20");
	assert_int_equal(state_kind(&ui->state), VIEW_TREE);
	assert_int_equal(ui->state.query.breadcrumbs.filter.parts[0].hash,
			 filter_hash("ChaCha20_4xl"));
}

static void test_the_right_button_is_the_row_menu(void **state)
{
	struct ui *ui = *state;

	assert_int_equal(canvas_resize(&ui->canvas, 100, 30), 0);
	click(ui, MOUSE_MENU, "ChaCha20");
	assert_true(ui->state.menu.is_open);
	assert_string_equal(ui->state.menu.title, "ChaCha20_4xl");
	click(ui, MOUSE_PRESS, "only ChaCha20_4xl");
	assert_false(ui->state.menu.is_open);
	assert_int_equal(ui->state.query.breadcrumbs.filter.parts[0].hash,
			 filter_hash("ChaCha20_4xl"));
	assert_int_equal(state_kind(&ui->state), VIEW_SYMBOLS);
}

static void test_a_click_outside_of_a_menu_closes_it_and_does_no_more(void **state)
{
	struct ui *ui = *state;

	ui_press(ui, "o");
	ui_click(ui, MOUSE_PRESS, 0, 6);
	assert_false(ui->state.menu.is_open);
	assert_int_equal(table_view_of(&ui->state)->rows.place.cursor, 0);
}

static void test_the_wheel_moves_the_frame_and_keeps_the_cursor_in_sight(void **state)
{
	struct ui *ui = *state;
	const struct table_place *place = &table_view_of(&ui->state)->rows.place;

	ui_click(ui, MOUSE_WHEEL_DOWN, 10, 8);
	assert_int_equal(place->top, 2);	/* 11 rows, of which 9 are seen */
	assert_int_equal(place->cursor, 2);
	ui_click(ui, MOUSE_WHEEL_UP, 10, 8);
	assert_int_equal(place->top, 0);
	assert_int_equal(place->cursor, 2);
	assert_true(ui_has(ui, "\u25b8"));
}

static void test_the_wheel_scrolls_the_help(void **state)
{
	struct ui *ui = *state;

	ui_press(ui, "?");
	ui_click(ui, MOUSE_WHEEL_DOWN, 10, 8);
	assert_int_equal(ui_help(&ui->state)->top, 3);
	ui_click(ui, MOUSE_WHEEL_UP, 10, 8);
	assert_int_equal(ui_help(&ui->state)->top, 0);
}

static void test_a_click_on_a_view_shows_it(void **state)
{
	struct ui *ui = *state;

	click(ui, MOUSE_PRESS, "4 Tasks");
	assert_int_equal(state_kind(&ui->state), VIEW_TASKS);
	ui_reply(ui);
	click(ui, MOUSE_PRESS, "1 Symbols");
	assert_int_equal(state_kind(&ui->state), VIEW_SYMBOLS);
	assert_int_equal(ui->state.query.breadcrumbs.count, 1);
}

static void drill(struct ui *ui)
{
	ui_press(ui, "3");
	ui_reply(ui);
	ui_press_key(ui, UI_KEY_ENTER);		/* postgres */
	ui_reply(ui);
	ui_press(ui, "j");
	ui_press_key(ui, UI_KEY_ENTER);		/* [kernel] */
	ui_reply(ui);
}

static void test_a_click_on_a_crumb_goes_back_to_that_level(void **state)
{
	struct ui *ui = *state;

	drill(ui);
	assert_int_equal(ui->state.query.breadcrumbs.count, 3);
	click(ui, MOUSE_PRESS, "postgres \u203a");
	assert_int_equal(ui->state.query.breadcrumbs.count, 2);
	assert_int_equal(state_kind(&ui->state), VIEW_DSOS);
	ui_reply(ui);
	assert_string_equal(ui_cursor(ui)->dso, "[kernel]");
	click(ui, MOUSE_PRESS, "all \u203a");
	assert_int_equal(ui->state.query.breadcrumbs.count, 1);
	assert_int_equal(state_kind(&ui->state), VIEW_COMMANDS);
}

static void test_a_click_on_the_last_crumb_stays(void **state)
{
	struct ui *ui = *state;

	drill(ui);
	click(ui, MOUSE_PRESS, "[kernel] \u203a");
	assert_int_equal(ui->state.query.breadcrumbs.count, 3);
}

static void test_a_click_on_the_bottom_line_is_its_key(void **state)
{
	struct ui *ui = *state;

	click(ui, MOUSE_PRESS, "Space pause");
	assert_true(ui->state.query.is_paused);
	click(ui, MOUSE_PRESS, "pause");
	assert_false(ui->state.query.is_paused);
	click(ui, MOUSE_PRESS, "? help");
	assert_ptr_equal(ui->state.view, ui->state.pages[PAGE_HELP]);
	click(ui, MOUSE_PRESS, "Esc back");
	assert_true(ui_is(ui, VIEW_SYMBOLS));
	click(ui, MOUSE_PRESS, "q quit");
	assert_true(ui->state.out.wants_quit);
}

static void test_clicks_in_the_help_do_nothing_bad(void **state)
{
	struct ui *ui = *state;

	ui_press(ui, "?");
	for (int y = 2; y < 13; y++) {
		ui_click(ui, MOUSE_PRESS, 30, y);
		ui_click(ui, MOUSE_DOUBLE, 30, y);
		ui_click(ui, MOUSE_MENU, 30, y);
	}
	assert_ptr_equal(ui->state.view, ui->state.pages[PAGE_HELP]);
	assert_int_equal(ui->state.query.breadcrumbs.count, 1);
	assert_false(ui->state.menu.is_open);
	click(ui, MOUSE_PRESS, "Help");	/* its name leads back to the table */
	assert_true(ui_is(ui, VIEW_SYMBOLS));
}

/* The rows under the mouse are not those that were asked for. */
static void test_while_rows_are_waited_for_clicks_on_them_do_nothing(void **state)
{
	struct ui *ui = *state;

	ui_press(ui, "2");
	click(ui, MOUSE_PRESS, "ChaCha20");
	assert_int_equal(table_view_of(&ui->state)->rows.place.cursor, 0);
	click(ui, MOUSE_DOUBLE, "ChaCha20");
	assert_int_equal(ui->state.query.breadcrumbs.count, 1);
	click(ui, MOUSE_MENU, "ChaCha20");
	assert_false(ui->state.menu.is_open);
}

static void test_a_label_that_means_a_row_waits_for_the_rows(void **state)
{
	struct ui *ui = *state;

	ui_press(ui, "2");
	click(ui, MOUSE_PRESS, "Enter open");
	assert_int_equal(ui->state.query.breadcrumbs.count, 1);
	ui_reply(ui);
	assert_int_equal(ui->state.query.breadcrumbs.count, 2);
	assert_int_equal(ui->state.query.breadcrumbs.filter.parts[0].field, FILTER_DSO);
}

/* 120 cells: the activity graph is on the columns 1..111, its last point the second before 5000 s;
 * [live] begins at column 113. */
static void click_activity(struct ui *ui, enum mouse_action action, int x)
{
	ui_click(ui, action, x, 1);
}

static void expect_time(const struct ui *ui, uint64_t begin_ms, uint64_t end_ms)
{
	assert_int_equal(ui->state.query.time.begin_ns, begin_ms * CLOCK_NS_PER_MS);
	assert_int_equal(ui->state.query.time.end_ns, end_ms * CLOCK_NS_PER_MS);
}

static void test_a_click_on_the_activity_graph_shows_that_second(void **state)
{
	struct ui *ui = *state;

	click_activity(ui, MOUSE_PRESS, 111);
	expect_time(ui, 0, 0);		/* not before it is let go */
	assert_true(ui_has(ui, "[\u2584]"));
	click_activity(ui, MOUSE_RELEASE, 111);
	expect_time(ui, 4999000, 5000000);
	click_activity(ui, MOUSE_PRESS, 50);
	click_activity(ui, MOUSE_RELEASE, 50);
	expect_time(ui, 4938000, 4939000);
	assert_int_equal(ui->state.out.requests[ui->state.out.count - 1].kind, REQUEST_FREEZE);
}

static void test_dragging_over_the_activity_graph_shows_the_seconds_between(void **state)
{
	struct ui *ui = *state;

	click_activity(ui, MOUSE_PRESS, 100);
	ui_click(ui, MOUSE_DRAG, 97, 3);	/* off the line: its columns count */
	assert_true(ui->state.display.drag.is_on);
	expect_time(ui, 0, 0);
	ui_click(ui, MOUSE_DRAG, 91, 0);
	ui_click(ui, MOUSE_RELEASE, 91, 0);
	expect_time(ui, 4979000, 4989000);
	click_activity(ui, MOUSE_PRESS, 105);
	click_activity(ui, MOUSE_DRAG, 119);	/* beyond its end */
	click_activity(ui, MOUSE_RELEASE, 119);
	expect_time(ui, 4993000, 5000000);
}

/* The second press chooses the same again, the right button nothing. */
static void test_a_double_click_is_a_click_and_other_buttons_are_none(void **state)
{
	struct ui *ui = *state;

	click_activity(ui, MOUSE_PRESS, 111);
	click_activity(ui, MOUSE_RELEASE, 111);
	click_activity(ui, MOUSE_DOUBLE, 111);
	click_activity(ui, MOUSE_RELEASE, 111);
	expect_time(ui, 4999000, 5000000);
	ui->state.out.count = 0;
	click_activity(ui, MOUSE_MENU, 50);
	click_activity(ui, MOUSE_RELEASE, 50);
	click_activity(ui, MOUSE_DRAG, 40);
	assert_int_equal(ui->state.out.count, 0);
	assert_false(ui->state.menu.is_open);
	expect_time(ui, 4999000, 5000000);
}

static void test_a_key_ends_a_drag_without_a_choice(void **state)
{
	struct ui *ui = *state;

	click_activity(ui, MOUSE_PRESS, 100);
	ui_press_key(ui, UI_KEY_ESCAPE);
	click_activity(ui, MOUSE_RELEASE, 90);
	expect_time(ui, 0, 0);
	click_activity(ui, MOUSE_PRESS, 100);		/* its release is lost */
	click(ui, MOUSE_PRESS, "ChaCha20");
	click(ui, MOUSE_RELEASE, "ChaCha20");
	expect_time(ui, 0, 0);
}

static void test_where_nothing_was_counted_nothing_is_chosen(void **state)
{
	struct ui *ui = *state;

	ui->snapshot.known_ns = 4990 * CLOCK_NS_PER_S;
	ui_show(ui);
	click_activity(ui, MOUSE_PRESS, 50);
	click_activity(ui, MOUSE_RELEASE, 50);
	expect_time(ui, 0, 0);
	assert_true(ui_has(ui, "history does not reach so far"));
	click_activity(ui, MOUSE_PRESS, 50);
	click_activity(ui, MOUSE_DRAG, 105);
	click_activity(ui, MOUSE_RELEASE, 105);
	expect_time(ui, 4990000, 4994000);	/* the part that exists */
}

static void test_a_click_on_live_leads_back(void **state)
{
	struct ui *ui = *state;

	ui_press(ui, "[");
	click(ui, MOUSE_PRESS, " live ");
	expect_time(ui, 0, 0);
	assert_true(ui_has(ui, "live again"));
	ui_press(ui, " ");
	click(ui, MOUSE_PRESS, " live ");
	assert_false(ui->state.query.is_paused);
	click(ui, MOUSE_PRESS, "[live]");
	assert_true(ui_has(ui, "this is live"));
}

/* 120 x 40: twenty lines from line 2 on, columns 9..111 */
static void test_cells_of_the_heat_map_are_ticks(void **state)
{
	struct ui *ui = *state;

	assert_int_equal(canvas_resize(&ui->canvas, 120, 40), 0);
	frame_draw(&ui->state, &ui->canvas);
	ui_press(ui, "H");
	ui->snapshot.heat = time_fixture_heat();
	ui->snapshot.heat_most = TIME_FIXTURE_MOST;
	ui_show(ui);
	ui_click(ui, MOUSE_PRESS, 111, 2 + 7);
	ui_click(ui, MOUSE_RELEASE, 111, 2 + 7);
	expect_time(ui, 4999350, 4999400);
	ui_click(ui, MOUSE_PRESS, 101, 2 + 8);		/* up, within the second */
	ui_click(ui, MOUSE_DRAG, 101, 2 + 6);
	ui_click(ui, MOUSE_RELEASE, 101, 2 + 6);
	expect_time(ui, 4989300, 4989450);
	ui_click(ui, MOUSE_PRESS, 101, 2 + 19);		/* from one second into another */
	ui_click(ui, MOUSE_DRAG, 103, 2);
	ui_click(ui, MOUSE_RELEASE, 103, 2);
	expect_time(ui, 4989950, 4991050);
	ui_click(ui, MOUSE_PRESS, 103, 22);		/* the activity graph below it */
	ui_click(ui, MOUSE_RELEASE, 103, 22);
	expect_time(ui, 4991000, 4992000);
}

/* With a key comes what the mouse did last. */
static void test_a_key_after_a_click_takes_the_message_away(void **state)
{
	static const struct mouse last = { MOUSE_RELEASE, 5, 5 };
	struct ui *ui = *state;

	state_say(&ui->state, "a message");
	input_press_key(&ui->state, UI_KEY_MOUSE, &last);
	assert_string_equal(ui->state.message, "a message");
	input_press_key(&ui->state, 'j', &last);
	assert_string_equal(ui->state.message, "");
}

#define FIXTURE_TEST(test) cmocka_unit_test_setup_teardown(test, open_fixture, ui_tear_down)

UNIT_TESTS(test_mouse)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_was_drawn_last_lies_on_top),
		FIXTURE_TEST(test_a_click_selects_the_row),
		FIXTURE_TEST(test_a_click_below_the_rows_selects_nothing),
		FIXTURE_TEST(test_a_click_on_a_title_sorts_and_the_next_one_reverses),
		FIXTURE_TEST(test_the_title_of_the_bar_is_none_to_sort_by),
		FIXTURE_TEST(test_a_double_click_opens_the_row),
		FIXTURE_TEST(test_the_right_button_is_the_row_menu),
		FIXTURE_TEST(test_a_click_outside_of_a_menu_closes_it_and_does_no_more),
		FIXTURE_TEST(test_the_wheel_moves_the_frame_and_keeps_the_cursor_in_sight),
		FIXTURE_TEST(test_the_wheel_scrolls_the_help),
		FIXTURE_TEST(test_a_click_on_a_view_shows_it),
		FIXTURE_TEST(test_a_click_on_a_crumb_goes_back_to_that_level),
		FIXTURE_TEST(test_a_click_on_the_last_crumb_stays),
		FIXTURE_TEST(test_a_click_on_the_bottom_line_is_its_key),
		FIXTURE_TEST(test_clicks_in_the_help_do_nothing_bad),
		FIXTURE_TEST(test_while_rows_are_waited_for_clicks_on_them_do_nothing),
		FIXTURE_TEST(test_a_click_on_the_activity_graph_shows_that_second),
		FIXTURE_TEST(test_dragging_over_the_activity_graph_shows_the_seconds_between),
		FIXTURE_TEST(test_a_double_click_is_a_click_and_other_buttons_are_none),
		FIXTURE_TEST(test_a_key_ends_a_drag_without_a_choice),
		FIXTURE_TEST(test_where_nothing_was_counted_nothing_is_chosen),
		FIXTURE_TEST(test_a_click_on_live_leads_back),
		FIXTURE_TEST(test_a_key_after_a_click_takes_the_message_away),
		FIXTURE_TEST(test_cells_of_the_heat_map_are_ticks),
		FIXTURE_TEST(test_a_label_that_means_a_row_waits_for_the_rows),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
