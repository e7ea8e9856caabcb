/* Clicks on the screen that was drawn do what the keys do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <locale.h>

#include <cmocka.h>

#include "scene_fixture.h"

static int open_desk(void **state)
{
	static struct scene scene;

	scene_open(&scene, 120, 14);	/* 3 lines of header, titles, 9 rows, bottom line */
	scene_show(&scene);
	*state = &scene;
	return 0;
}

static void click(struct scene *scene, enum mouse_action action, const char *text)
{
	const struct mouse at = scene_find(scene, text);

	scene_click(scene, action, at.x, at.y);
}

static const char *cursor_symbol(const struct scene *scene)
{
	return scene_cursor(scene)->symbol;
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
	struct scene *scene = *state;

	click(scene, MOUSE_PRESS, "ChaCha20");
	assert_string_equal(cursor_symbol(scene), "ChaCha20_4xl");
	assert_true(scene->state.table.rows.place.is_moved);
	assert_int_equal(scene->state.trail.count, 1);
}

static void test_a_click_below_the_rows_selects_nothing(void **state)
{
	struct scene *scene = *state;

	scene->snapshot.row_count = 3;
	scene_show(scene);
	scene_click(scene, MOUSE_PRESS, 10, 10);
	assert_int_equal(scene->state.table.rows.place.cursor, 0);
	scene_click(scene, MOUSE_MENU, 10, 10);
	assert_false(scene->state.menu.is_open);
}

static void test_a_click_on_a_title_sorts_and_the_next_one_reverses(void **state)
{
	struct scene *scene = *state;
	const struct table_order *order = &scene->state.orders[VIEW_SYMBOLS];

	click(scene, MOUSE_PRESS, "TOTAL%");
	assert_int_equal(order->column, COL_TOTAL);
	assert_false(order->is_reversed);
	click(scene, MOUSE_PRESS, "TOTAL%");
	assert_true(order->is_reversed);
	click(scene, MOUSE_PRESS, "TOTAL%");
	assert_false(order->is_reversed);
	click(scene, MOUSE_PRESS, "SYMBOL");
	assert_int_equal(order->column, COL_SYMBOL);
}

static void test_the_title_of_the_bar_is_none_to_sort_by(void **state)
{
	struct scene *scene = *state;
	const struct mouse self = scene_find(scene, "SELF%");

	scene_click(scene, MOUSE_PRESS, self.x + 8, self.y);
	assert_int_equal(scene->state.orders[VIEW_SYMBOLS].column, COL_SELF);
}

static void test_a_double_click_opens_the_row(void **state)
{
	struct scene *scene = *state;

	click(scene, MOUSE_PRESS, "ChaCha20");
	click(scene, MOUSE_RELEASE, "ChaCha20");
	click(scene, MOUSE_DOUBLE, "ChaCha20");
	assert_int_equal(state_kind(&scene->state), VIEW_TREE);
	assert_int_equal(scene->state.trail.filter.parts[0].hash, filter_hash("ChaCha20_4xl"));
}

static void test_the_right_button_is_the_row_menu(void **state)
{
	struct scene *scene = *state;

	assert_int_equal(canvas_resize(&scene->canvas, 100, 30), 0);
	click(scene, MOUSE_MENU, "ChaCha20");
	assert_true(scene->state.menu.is_open);
	assert_string_equal(scene->state.menu.title, "ChaCha20_4xl");
	click(scene, MOUSE_PRESS, "only ChaCha20_4xl");
	assert_false(scene->state.menu.is_open);
	assert_int_equal(scene->state.trail.filter.parts[0].hash, filter_hash("ChaCha20_4xl"));
	assert_int_equal(state_kind(&scene->state), VIEW_SYMBOLS);
}

static void test_a_click_outside_of_a_menu_closes_it_and_does_no_more(void **state)
{
	struct scene *scene = *state;

	scene_press(scene, "o");
	scene_click(scene, MOUSE_PRESS, 0, 6);
	assert_false(scene->state.menu.is_open);
	assert_int_equal(scene->state.table.rows.place.cursor, 0);
}

static void test_the_wheel_moves_the_picture_and_keeps_the_cursor_in_sight(void **state)
{
	struct scene *scene = *state;
	const struct table_place *place = &scene->state.table.rows.place;

	scene_click(scene, MOUSE_WHEEL_DOWN, 10, 8);
	assert_int_equal(place->top, 2);	/* 11 rows, of which 9 are seen */
	assert_int_equal(place->cursor, 2);
	scene_click(scene, MOUSE_WHEEL_UP, 10, 8);
	assert_int_equal(place->top, 0);
	assert_int_equal(place->cursor, 2);
	assert_true(scene_has(scene, "\u25b8"));
}

static void test_the_wheel_scrolls_the_help(void **state)
{
	struct scene *scene = *state;

	scene_press(scene, "?");
	scene_click(scene, MOUSE_WHEEL_DOWN, 10, 8);
	assert_int_equal(scene->state.help.top, 3);
	scene_click(scene, MOUSE_WHEEL_UP, 10, 8);
	assert_int_equal(scene->state.help.top, 0);
}

static void test_a_click_on_a_view_shows_it(void **state)
{
	struct scene *scene = *state;

	click(scene, MOUSE_PRESS, "4 Tasks");
	assert_int_equal(state_kind(&scene->state), VIEW_TASKS);
	scene_answer(scene);
	click(scene, MOUSE_PRESS, "1 Symbols");
	assert_int_equal(state_kind(&scene->state), VIEW_SYMBOLS);
	assert_int_equal(scene->state.trail.count, 1);
}

static void drill(struct scene *scene)
{
	scene_press(scene, "3");
	scene_answer(scene);
	scene_press_key(scene, UI_KEY_ENTER);	/* postgres */
	scene_answer(scene);
	scene_press(scene, "j");
	scene_press_key(scene, UI_KEY_ENTER);	/* [kernel] */
	scene_answer(scene);
}

static void test_a_click_on_a_crumb_goes_back_to_that_level(void **state)
{
	struct scene *scene = *state;

	drill(scene);
	assert_int_equal(scene->state.trail.count, 3);
	click(scene, MOUSE_PRESS, "postgres \u203a");
	assert_int_equal(scene->state.trail.count, 2);
	assert_int_equal(state_kind(&scene->state), VIEW_OBJECTS);
	scene_answer(scene);
	assert_string_equal(scene_cursor(scene)->object, "[kernel]");
	click(scene, MOUSE_PRESS, "all \u203a");
	assert_int_equal(scene->state.trail.count, 1);
	assert_int_equal(state_kind(&scene->state), VIEW_COMMANDS);
}

static void test_a_click_on_the_last_crumb_stays(void **state)
{
	struct scene *scene = *state;

	drill(scene);
	click(scene, MOUSE_PRESS, "[kernel] \u203a");
	assert_int_equal(scene->state.trail.count, 3);
}

static void test_a_click_on_the_bottom_line_is_its_key(void **state)
{
	struct scene *scene = *state;

	click(scene, MOUSE_PRESS, "Space pause");
	assert_true(scene->state.is_paused);
	click(scene, MOUSE_PRESS, "pause");
	assert_false(scene->state.is_paused);
	click(scene, MOUSE_PRESS, "? help");
	assert_ptr_equal(scene->state.view, &scene->state.help.view);
	click(scene, MOUSE_PRESS, "Esc back");
	assert_true(state_is_table(&scene->state));
	click(scene, MOUSE_PRESS, "q quit");
	assert_true(scene->state.wants_quit);
}

static void test_clicks_in_the_help_do_nothing_bad(void **state)
{
	struct scene *scene = *state;

	scene_press(scene, "?");
	for (int y = 2; y < 13; y++) {
		scene_click(scene, MOUSE_PRESS, 30, y);
		scene_click(scene, MOUSE_DOUBLE, 30, y);
		scene_click(scene, MOUSE_MENU, 30, y);
	}
	assert_ptr_equal(scene->state.view, &scene->state.help.view);
	assert_int_equal(scene->state.trail.count, 1);
	assert_false(scene->state.menu.is_open);
	click(scene, MOUSE_PRESS, "Help");	/* its name leads back to the table */
	assert_true(state_is_table(&scene->state));
}

/* The rows under the mouse are not those that were asked for. */
static void test_while_rows_are_waited_for_clicks_on_them_do_nothing(void **state)
{
	struct scene *scene = *state;

	scene_press(scene, "2");
	click(scene, MOUSE_PRESS, "ChaCha20");
	assert_int_equal(scene->state.table.rows.place.cursor, 0);
	click(scene, MOUSE_DOUBLE, "ChaCha20");
	assert_int_equal(scene->state.trail.count, 1);
	click(scene, MOUSE_MENU, "ChaCha20");
	assert_false(scene->state.menu.is_open);
}

static void test_a_label_that_means_a_row_waits_for_the_rows(void **state)
{
	struct scene *scene = *state;

	scene_press(scene, "2");
	click(scene, MOUSE_PRESS, "Enter open");
	assert_int_equal(scene->state.trail.count, 1);
	scene_answer(scene);
	assert_int_equal(scene->state.trail.count, 2);
	assert_int_equal(scene->state.trail.filter.parts[0].field, FILTER_OBJECT);
}

#define DESK_TEST(test) cmocka_unit_test_setup_teardown(test, open_desk, scene_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_was_drawn_last_lies_on_top),
		DESK_TEST(test_a_click_selects_the_row),
		DESK_TEST(test_a_click_below_the_rows_selects_nothing),
		DESK_TEST(test_a_click_on_a_title_sorts_and_the_next_one_reverses),
		DESK_TEST(test_the_title_of_the_bar_is_none_to_sort_by),
		DESK_TEST(test_a_double_click_opens_the_row),
		DESK_TEST(test_the_right_button_is_the_row_menu),
		DESK_TEST(test_a_click_outside_of_a_menu_closes_it_and_does_no_more),
		DESK_TEST(test_the_wheel_moves_the_picture_and_keeps_the_cursor_in_sight),
		DESK_TEST(test_the_wheel_scrolls_the_help),
		DESK_TEST(test_a_click_on_a_view_shows_it),
		DESK_TEST(test_a_click_on_a_crumb_goes_back_to_that_level),
		DESK_TEST(test_a_click_on_the_last_crumb_stays),
		DESK_TEST(test_a_click_on_the_bottom_line_is_its_key),
		DESK_TEST(test_clicks_in_the_help_do_nothing_bad),
		DESK_TEST(test_while_rows_are_waited_for_clicks_on_them_do_nothing),
		DESK_TEST(test_a_label_that_means_a_row_waits_for_the_rows),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
