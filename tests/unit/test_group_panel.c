/* The panel of the keys that groups are by: what keys and mouse do in it to the tree behind it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "scene_fixture.h"
#include "ui/keys.h"

static void open_panel(struct scene *scene)
{
	scene_press(scene, "g");
	scene_answer(scene);
}

static void expect_order(const struct scene *scene, const char *written)
{
	char text[GROUP_ORDER_BYTES];
	const struct query *query = scene_asked(scene);

	assert_string_equal(group_order_format(scene->state.groups.keys,
					       scene->state.groups.count, text), written);
	assert_string_equal(group_order_format(query->groups, query->group_count, text), written);
}

static void expect_cursor(const struct scene *scene, int key)
{
	assert_int_equal(scene->state.group_panel.cursor, key);
}

static void test_the_panel_at_each_size(void **state)
{
	static const struct {
		int width, height;
	} sizes[] = { { 40, 12 }, { 80, 24 }, { 100, 24 }, { 200, 60 } };
	struct scene scene;
	char file[64];

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		scene_open(&scene, sizes[i].width, sizes[i].height);
		scene_show(&scene);
		open_panel(&scene);
		scene_press(&scene, "j");
		snprintf(file, sizeof(file), "group_panel_%dx%d", sizes[i].width, sizes[i].height);
		scene_close(&scene, file);
	}
}

static void test_ascii_and_roles(void **state)
{
	struct scene scene;

	(void)state;
	scene_open(&scene, 80, 24);
	scene_show(&scene);
	open_panel(&scene);
	scene_press_key(&scene, UI_KEY_END);
	scene_compare("group_panel_roles_80x24", scene_roles(&scene));
	scene.canvas.is_ascii = true;
	scene_close(&scene, "group_panel_ascii_80x24");
}

static void test_g_leads_to_the_groups_with_the_panel_open(void **state)
{
	struct scene *scene = *state;

	scene_press(scene, "g");
	assert_int_equal(state_kind(&scene->state), VIEW_GROUPS);
	assert_true(scene->state.group_panel.is_open);
	scene_press_key(scene, UI_KEY_ESCAPE);		/* before the answer */
	assert_false(scene->state.group_panel.is_open);
	scene_answer(scene);
	scene_press(scene, "g");
	assert_true(scene->state.group_panel.is_open);
	scene_press(scene, "g");
	assert_false(scene->state.group_panel.is_open);
	assert_true(state_is_groups(&scene->state));
}

static void test_space_takes_a_key_in_and_out_at_once(void **state)
{
	struct scene *scene = *state;

	open_panel(scene);
	scene_press(scene, "j ");
	expect_order(scene, "comm \u203a symbol");
	expect_cursor(scene, GROUP_OBJECT);
	scene_answer(scene);
	assert_true(scene_has(scene, "comm \u203a symbol"));
	assert_true(scene->state.group_panel.is_open);
	scene_press_key(scene, UI_KEY_ENTER);
	expect_order(scene, "comm \u203a symbol \u203a dso");
}

static void test_a_key_moves_up_and_down_the_order(void **state)
{
	struct scene *scene = *state;
	static const int up[] = { '<', '-', UI_KEY_LEFT }, down[] = { '>', '+', UI_KEY_RIGHT };

	open_panel(scene);
	scene_press(scene, "jj");
	expect_cursor(scene, GROUP_SYMBOL);
	for (size_t i = 0; i < 3; i++) {
		scene_press_key(scene, up[i]);
		expect_order(scene, "comm \u203a symbol \u203a dso");
		expect_cursor(scene, GROUP_SYMBOL);
		scene_press_key(scene, down[i]);
		expect_order(scene, "comm \u203a dso \u203a symbol");
		scene_press_key(scene, down[i]);	/* it is the last */
		expect_order(scene, "comm \u203a dso \u203a symbol");
	}
	scene_press(scene, "<<<<");
	expect_order(scene, "symbol \u203a comm \u203a dso");
}

static void test_a_digit_puts_the_key_at_that_level(void **state)
{
	struct scene *scene = *state;

	open_panel(scene);
	scene_press_key(scene, UI_KEY_END);
	scene_press_key(scene, UI_KEY_UP);
	expect_cursor(scene, GROUP_PARENT);
	scene_press(scene, "2");
	expect_order(scene, "comm \u203a parent \u203a dso \u203a symbol");
	scene_press(scene, "8");
	expect_order(scene, "comm \u203a dso \u203a symbol \u203a parent");
	scene_press(scene, "9");	/* no level: nothing */
	expect_order(scene, "comm \u203a dso \u203a symbol \u203a parent");
}

static void test_what_is_not_in_can_not_be_moved(void **state)
{
	struct scene *scene = *state;

	open_panel(scene);
	scene_press(scene, "jjj<");
	assert_true(scene_has(scene, "Space takes it in first"));
	expect_order(scene, "comm \u203a dso \u203a symbol");
}

static void test_limits_are_told(void **state)
{
	struct scene *scene = *state;

	open_panel(scene);
	scene_press(scene, " ");
	scene_press_key(scene, UI_KEY_HOME);
	scene_press(scene, " ");
	expect_order(scene, "symbol");
	scene_press_key(scene, UI_KEY_HOME);
	scene_press(scene, " ");
	assert_true(scene_has(scene, "a tree has one level at least"));
	for (int i = 0; i < 8; i++) {
		scene_press_key(scene, UI_KEY_END);
		scene_press_key(scene, UI_KEY_UP);
		scene_press(scene, " ");
	}
	assert_int_equal(scene->state.groups.count, GROUP_LEVELS);
	assert_true(scene_has(scene, "no more than 8 levels: take one out first"));
}

static void test_reset_is_the_order_at_first(void **state)
{
	struct scene *scene = *state;

	open_panel(scene);
	scene_press(scene, "  ");
	expect_order(scene, "dso \u203a symbol \u203a comm");
	scene_press(scene, "r");
	expect_order(scene, "comm \u203a dso \u203a symbol");
	expect_cursor(scene, GROUP_PANEL_RESET);
	scene_press(scene, "k ");
	scene_press_key(scene, UI_KEY_END);
	scene_press_key(scene, UI_KEY_ENTER);
	expect_order(scene, "comm \u203a dso \u203a symbol");
}

static void test_the_cursor_goes_through_all_lines(void **state)
{
	struct scene *scene = *state;

	open_panel(scene);
	expect_cursor(scene, GROUP_COMM);
	scene_press_key(scene, UI_KEY_UP);
	expect_cursor(scene, GROUP_COMM);
	for (int i = 0; i < GROUP_KEY_COUNT; i++)
		scene_press_key(scene, UI_KEY_DOWN);
	expect_cursor(scene, GROUP_PANEL_RESET);
	scene_press_key(scene, UI_KEY_DOWN);
	expect_cursor(scene, GROUP_PANEL_RESET);
	scene_press_key(scene, UI_KEY_HOME);
	expect_cursor(scene, GROUP_COMM);
	assert_int_equal(canvas_resize(&scene->canvas, 40, 12), 0);
	scene_text(scene);
	scene_press_key(scene, UI_KEY_PAGE_DOWN);
	expect_cursor(scene, GROUP_THREAD);	/* six lines of keys on such a screen */
	assert_true(scene_has(scene, "thread"));
	scene_press_key(scene, UI_KEY_PAGE_UP);
	expect_cursor(scene, GROUP_COMM);
}

static void test_keys_of_the_table_do_nothing_in_the_panel(void **state)
{
	struct scene *scene = *state;

	open_panel(scene);
	scene_press(scene, "p.:/\\");
	assert_true(scene->state.group_panel.is_open);
	assert_false(scene->state.menu.is_open || scene->state.prompt.is_open);
	scene_press_key(scene, UI_KEY_CTRL('C'));
	assert_true(scene->state.wants_quit);
}

static void test_a_click_takes_in_and_the_marks_move(void **state)
{
	struct scene *scene = *state;
	struct mouse line;

	open_panel(scene);
	line = scene_find(scene, "CPU it ran on");
	scene_click(scene, MOUSE_PRESS, line.x, line.y);
	expect_order(scene, "comm \u203a dso \u203a symbol \u203a cpu");
	line = scene_find(scene, "4 cpu");
	scene_click(scene, MOUSE_PRESS, 96, line.y);		/* its mark that leads up */
	expect_order(scene, "comm \u203a dso \u203a cpu \u203a symbol");
	line = scene_find(scene, "3 cpu");
	scene_click(scene, MOUSE_PRESS, 97, line.y);		/* and down */
	expect_order(scene, "comm \u203a dso \u203a symbol \u203a cpu");
	scene_click(scene, MOUSE_WHEEL_UP, 90, line.y);
	expect_cursor(scene, GROUP_SYMBOL);
	scene_click(scene, MOUSE_WHEEL_DOWN, 90, line.y);
	expect_cursor(scene, GROUP_CPU);
	scene_click(scene, MOUSE_PRESS, 99, line.y);		/* the frame */
	scene_click(scene, MOUSE_PRESS, 5, 10);
	assert_false(scene->state.group_panel.is_open);
	line = scene_find(scene, "postgres");
	scene_click(scene, MOUSE_DOUBLE, line.x, line.y);	/* it began on the panel */
	assert_int_equal(scene->state.groups_view.rows.place.cursor, 0);
	assert_true(scene_has(scene, "hash_search"));
}

static void test_another_order_begins_at_the_top_and_a_longer_one_stays(void **state)
{
	struct scene *scene = *state;
	uint64_t id;

	scene_press(scene, "9");
	scene_answer(scene);
	scene_press(scene, "jjj");
	id = scene_cursor(scene)->id;
	scene_press(scene, "gG");
	scene_press_key(scene, UI_KEY_END);
	scene_press_key(scene, UI_KEY_UP);
	scene_press(scene, " ");
	scene_answer(scene);
	assert_int_equal(scene_cursor(scene)->id, id);		/* comm > dso > symbol > parent */
	scene_press(scene, "1");
	scene_answer(scene);
	assert_int_equal(scene->state.groups_view.rows.place.cursor, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_panel_at_each_size),
		cmocka_unit_test(test_ascii_and_roles),
		SCENE_TEST(test_g_leads_to_the_groups_with_the_panel_open),
		SCENE_TEST(test_space_takes_a_key_in_and_out_at_once),
		SCENE_TEST(test_a_key_moves_up_and_down_the_order),
		SCENE_TEST(test_a_digit_puts_the_key_at_that_level),
		SCENE_TEST(test_what_is_not_in_can_not_be_moved),
		SCENE_TEST(test_limits_are_told),
		SCENE_TEST(test_reset_is_the_order_at_first),
		SCENE_TEST(test_the_cursor_goes_through_all_lines),
		SCENE_TEST(test_keys_of_the_table_do_nothing_in_the_panel),
		SCENE_TEST(test_a_click_takes_in_and_the_marks_move),
		SCENE_TEST(test_another_order_begins_at_the_top_and_a_longer_one_stays),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
