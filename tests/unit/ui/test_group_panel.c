/* The panel of the keys that groups are by: what keys and mouse do in it to the tree after it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "ui_fixture.h"
#include "term/keys.h"
#include "unit_tests.h"

static void open_panel(struct ui *ui)
{
	ui_press(ui, "g");
	ui_reply(ui);
}

static void expect_order(const struct ui *ui, const char *written)
{
	char text[GROUP_ORDER_BYTES];
	const struct query *query = ui_asked(ui);

	assert_string_equal(group_order_format(ui->state.query.groups.keys,
					       ui->state.query.groups.count, NULL, text), written);
	assert_string_equal(group_order_format(query->groups, query->group_count, NULL, text),
			    written);
}

static void expect_cursor(const struct ui *ui, int key)
{
	assert_int_equal(group_panel_of(&ui->state)->cursor, key);
}

static void test_the_panel_at_each_size(void **state)
{
	static const struct {
		int width, height;
	} sizes[] = { { 40, 12 }, { 80, 24 }, { 100, 24 }, { 200, 60 } };
	struct ui ui;
	char file[64];

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		ui_open(&ui, sizes[i].width, sizes[i].height);
		ui_show(&ui);
		open_panel(&ui);
		ui_press(&ui, "j");
		snprintf(file, sizeof(file), "group_panel_%dx%d", sizes[i].width, sizes[i].height);
		ui_close(&ui, file);
	}
}

static void test_ascii_and_roles(void **state)
{
	struct ui ui;

	(void)state;
	ui_open(&ui, 80, 24);
	ui_show(&ui);
	open_panel(&ui);
	ui_press_key(&ui, UI_KEY_END);
	ui_compare("group_panel_roles_80x24", ui_roles(&ui));
	ui.canvas.is_ascii = true;
	ui_close(&ui, "group_panel_ascii_80x24");
}

static void test_g_leads_to_the_groups_with_the_panel_open(void **state)
{
	struct ui *ui = *state;

	ui_press(ui, "g");
	assert_int_equal(state_kind(&ui->state), VIEW_GROUPS);
	assert_true(group_panel_of(&ui->state)->is_open);
	ui_press_key(ui, UI_KEY_ESCAPE);		/* before the reply */
	assert_false(group_panel_of(&ui->state)->is_open);
	ui_reply(ui);
	ui_press(ui, "g");
	assert_true(group_panel_of(&ui->state)->is_open);
	ui_press(ui, "g");
	assert_false(group_panel_of(&ui->state)->is_open);
	assert_true(ui_is(ui, VIEW_GROUPS));
}

static void test_space_takes_a_key_in_and_out_at_once(void **state)
{
	struct ui *ui = *state;

	open_panel(ui);
	ui_press(ui, "j ");
	expect_order(ui, "comm \u203a symbol");
	expect_cursor(ui, GROUP_DSO);
	ui_reply(ui);
	assert_true(ui_has(ui, "comm \u203a symbol"));
	assert_true(group_panel_of(&ui->state)->is_open);
	ui_press_key(ui, UI_KEY_ENTER);
	expect_order(ui, "comm \u203a symbol \u203a dso");
}

static void test_a_key_moves_up_and_down_the_order(void **state)
{
	struct ui *ui = *state;
	static const int up[] = { '<', '-', UI_KEY_LEFT }, down[] = { '>', '+', UI_KEY_RIGHT };

	open_panel(ui);
	ui_press(ui, "jj");
	expect_cursor(ui, GROUP_SYMBOL);
	for (size_t i = 0; i < 3; i++) {
		ui_press_key(ui, up[i]);
		expect_order(ui, "comm \u203a symbol \u203a dso");
		expect_cursor(ui, GROUP_SYMBOL);
		ui_press_key(ui, down[i]);
		expect_order(ui, "comm \u203a dso \u203a symbol");
		ui_press_key(ui, down[i]);		/* it is the last */
		expect_order(ui, "comm \u203a dso \u203a symbol");
	}
	ui_press(ui, "<<<<");
	expect_order(ui, "symbol \u203a comm \u203a dso");
}

static void test_a_digit_puts_the_key_at_that_level(void **state)
{
	struct ui *ui = *state;

	open_panel(ui);
	ui_press_key(ui, UI_KEY_END);
	ui_press_key(ui, UI_KEY_UP);
	expect_cursor(ui, GROUP_PARENT);
	ui_press(ui, "2");
	expect_order(ui, "comm \u203a parent \u203a dso \u203a symbol");
	ui_press(ui, "8");
	expect_order(ui, "comm \u203a dso \u203a symbol \u203a parent");
	ui_press(ui, "9");	/* no level: nothing */
	expect_order(ui, "comm \u203a dso \u203a symbol \u203a parent");
}

static void test_what_is_not_in_can_not_be_moved(void **state)
{
	struct ui *ui = *state;

	open_panel(ui);
	ui_press(ui, "jjj<");
	assert_true(ui_has(ui, "Space takes it in first"));
	expect_order(ui, "comm \u203a dso \u203a symbol");
}

static void test_limits_are_shown(void **state)
{
	struct ui *ui = *state;

	open_panel(ui);
	ui_press(ui, " ");
	ui_press_key(ui, UI_KEY_HOME);
	ui_press(ui, " ");
	expect_order(ui, "symbol");
	ui_press_key(ui, UI_KEY_HOME);
	ui_press(ui, " ");
	assert_true(ui_has(ui, "a tree has one level at least"));
	for (int i = 0; i < 8; i++) {
		ui_press_key(ui, UI_KEY_END);
		ui_press_key(ui, UI_KEY_UP);
		ui_press(ui, " ");
	}
	assert_int_equal(ui->state.query.groups.count, GROUP_LEVELS);
	assert_true(ui_has(ui, "no more than 8 levels: take one out first"));
}

static void test_reset_is_the_order_at_first(void **state)
{
	struct ui *ui = *state;

	open_panel(ui);
	ui_press(ui, "  ");
	expect_order(ui, "dso \u203a symbol \u203a comm");
	ui_press(ui, "r");
	expect_order(ui, "comm \u203a dso \u203a symbol");
	expect_cursor(ui, GROUP_PANEL_RESET);
	ui_press(ui, "k ");
	ui_press_key(ui, UI_KEY_END);
	ui_press_key(ui, UI_KEY_ENTER);
	expect_order(ui, "comm \u203a dso \u203a symbol");
}

static void test_the_cursor_goes_through_all_lines(void **state)
{
	struct ui *ui = *state;

	open_panel(ui);
	expect_cursor(ui, GROUP_COMM);
	ui_press_key(ui, UI_KEY_UP);
	expect_cursor(ui, GROUP_COMM);
	for (int i = 0; i < GROUP_KEY_COUNT; i++)
		ui_press_key(ui, UI_KEY_DOWN);
	expect_cursor(ui, GROUP_PANEL_RESET);
	ui_press_key(ui, UI_KEY_DOWN);
	expect_cursor(ui, GROUP_PANEL_RESET);
	ui_press_key(ui, UI_KEY_HOME);
	expect_cursor(ui, GROUP_COMM);
	assert_int_equal(canvas_resize(&ui->canvas, 40, 12), 0);
	ui_text(ui);
	ui_press_key(ui, UI_KEY_PAGE_DOWN);
	expect_cursor(ui, GROUP_THREAD);	/* six lines of keys on such a screen */
	assert_true(ui_has(ui, "thread"));
	ui_press_key(ui, UI_KEY_PAGE_UP);
	expect_cursor(ui, GROUP_COMM);
}

static void test_keys_of_the_table_do_nothing_in_the_panel(void **state)
{
	struct ui *ui = *state;

	open_panel(ui);
	ui_press(ui, "p.:/\\");
	assert_true(group_panel_of(&ui->state)->is_open);
	assert_false(ui->state.menu.is_open || ui->state.prompt.is_open);
	ui_press_key(ui, UI_KEY_CTRL('C'));
	assert_true(ui->state.out.wants_quit);
}

static void test_a_click_takes_in_and_the_marks_move(void **state)
{
	struct ui *ui = *state;
	struct mouse line;

	open_panel(ui);
	line = ui_find(ui, "CPU it ran on");
	ui_click(ui, MOUSE_PRESS, line.x, line.y);
	expect_order(ui, "comm \u203a dso \u203a symbol \u203a cpu");
	line = ui_find(ui, "4 cpu");
	ui_click(ui, MOUSE_PRESS, 96, line.y);			/* its mark that leads up */
	expect_order(ui, "comm \u203a dso \u203a cpu \u203a symbol");
	line = ui_find(ui, "3 cpu");
	ui_click(ui, MOUSE_PRESS, 97, line.y);			/* and down */
	expect_order(ui, "comm \u203a dso \u203a symbol \u203a cpu");
	ui_click(ui, MOUSE_WHEEL_UP, 90, line.y);
	expect_cursor(ui, GROUP_SYMBOL);
	ui_click(ui, MOUSE_WHEEL_DOWN, 90, line.y);
	expect_cursor(ui, GROUP_CPU);
	ui_click(ui, MOUSE_PRESS, 99, line.y);			/* the frame */
	ui_click(ui, MOUSE_PRESS, 5, 10);
	assert_false(group_panel_of(&ui->state)->is_open);
	ui_reply(ui);
	line = ui_find(ui, "postgres");
	ui_click(ui, MOUSE_DOUBLE, line.x, line.y);		/* it began on the panel */
	assert_int_equal(groups_view_of(&ui->state)->lines.rows.place.cursor, 0);
	assert_true(ui_has(ui, "hash_search"));
}

static void test_another_order_begins_at_the_top_and_a_longer_one_stays(void **state)
{
	struct ui *ui = *state;
	uint64_t id;

	ui_press(ui, "9");
	ui_reply(ui);
	ui_press(ui, "jjj");
	id = ui_cursor(ui)->id;
	ui_press(ui, "g");
	ui_press_key(ui, UI_KEY_END);
	ui_press_key(ui, UI_KEY_UP);
	ui_press(ui, " ");
	ui_reply(ui);
	assert_int_equal(ui_cursor(ui)->id, id);		/* comm > dso > symbol > parent */
	ui_press(ui, "1");
	ui_reply(ui);
	assert_int_equal(groups_view_of(&ui->state)->lines.rows.place.cursor, 0);
}

UNIT_TESTS(test_group_panel)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_panel_at_each_size),
		cmocka_unit_test(test_ascii_and_roles),
		UI_TEST(test_g_leads_to_the_groups_with_the_panel_open),
		UI_TEST(test_space_takes_a_key_in_and_out_at_once),
		UI_TEST(test_a_key_moves_up_and_down_the_order),
		UI_TEST(test_a_digit_puts_the_key_at_that_level),
		UI_TEST(test_what_is_not_in_can_not_be_moved),
		UI_TEST(test_limits_are_shown),
		UI_TEST(test_reset_is_the_order_at_first),
		UI_TEST(test_the_cursor_goes_through_all_lines),
		UI_TEST(test_keys_of_the_table_do_nothing_in_the_panel),
		UI_TEST(test_a_click_takes_in_and_the_marks_move),
		UI_TEST(test_another_order_begins_at_the_top_and_a_longer_one_stays),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
