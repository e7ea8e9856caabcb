/* Clicks on the screen that was drawn do what the keys do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <locale.h>

#include <cmocka.h>

#include "base/clock.h"
#include "scene_fixture.h"
#include "time_fixture.h"

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

/* 120 cells: the strip is on the columns 1..111, its last point the second before 5000 s; [live]
 * begins at column 113. */
static void click_strip(struct scene *scene, enum mouse_action action, int x)
{
	scene_click(scene, action, x, 1);
}

static void expect_time(const struct scene *scene, uint64_t begin_ms, uint64_t end_ms)
{
	assert_int_equal(scene->state.time.begin_ns, begin_ms * CLOCK_NS_PER_MS);
	assert_int_equal(scene->state.time.end_ns, end_ms * CLOCK_NS_PER_MS);
}

static void test_a_click_on_the_strip_shows_that_second(void **state)
{
	struct scene *scene = *state;

	click_strip(scene, MOUSE_PRESS, 111);
	expect_time(scene, 0, 0);	/* not before it is let go */
	assert_true(scene_has(scene, "[\u2584]"));
	click_strip(scene, MOUSE_RELEASE, 111);
	expect_time(scene, 4999000, 5000000);
	click_strip(scene, MOUSE_PRESS, 50);
	click_strip(scene, MOUSE_RELEASE, 50);
	expect_time(scene, 4938000, 4939000);
	assert_int_equal(scene->state.outbox[scene->state.outbox_count - 1].kind, REQUEST_FREEZE);
}

static void test_dragging_over_the_strip_shows_the_seconds_between(void **state)
{
	struct scene *scene = *state;

	click_strip(scene, MOUSE_PRESS, 100);
	scene_click(scene, MOUSE_DRAG, 97, 3);	/* off the line: its columns count */
	assert_true(scene->state.drag.is_on);
	expect_time(scene, 0, 0);
	scene_click(scene, MOUSE_DRAG, 91, 0);
	scene_click(scene, MOUSE_RELEASE, 91, 0);
	expect_time(scene, 4979000, 4989000);
	click_strip(scene, MOUSE_PRESS, 105);
	click_strip(scene, MOUSE_DRAG, 119);	/* beyond its end */
	click_strip(scene, MOUSE_RELEASE, 119);
	expect_time(scene, 4993000, 5000000);
}

/* The second press chooses the same again, the right button nothing. */
static void test_a_double_click_is_a_click_and_other_buttons_are_none(void **state)
{
	struct scene *scene = *state;

	click_strip(scene, MOUSE_PRESS, 111);
	click_strip(scene, MOUSE_RELEASE, 111);
	click_strip(scene, MOUSE_DOUBLE, 111);
	click_strip(scene, MOUSE_RELEASE, 111);
	expect_time(scene, 4999000, 5000000);
	scene->state.outbox_count = 0;
	click_strip(scene, MOUSE_MENU, 50);
	click_strip(scene, MOUSE_RELEASE, 50);
	click_strip(scene, MOUSE_DRAG, 40);
	assert_int_equal(scene->state.outbox_count, 0);
	assert_false(scene->state.menu.is_open);
	expect_time(scene, 4999000, 5000000);
}

static void test_a_key_ends_a_drag_without_a_choice(void **state)
{
	struct scene *scene = *state;

	click_strip(scene, MOUSE_PRESS, 100);
	scene_press_key(scene, UI_KEY_ESCAPE);
	click_strip(scene, MOUSE_RELEASE, 90);
	expect_time(scene, 0, 0);
	click_strip(scene, MOUSE_PRESS, 100);	/* whose release is lost */
	click(scene, MOUSE_PRESS, "ChaCha20");
	click(scene, MOUSE_RELEASE, "ChaCha20");
	expect_time(scene, 0, 0);
}

static void test_where_nothing_was_counted_nothing_is_chosen(void **state)
{
	struct scene *scene = *state;

	scene->snapshot.known_ns = 4990 * CLOCK_NS_PER_S;
	scene_show(scene);
	click_strip(scene, MOUSE_PRESS, 50);
	click_strip(scene, MOUSE_RELEASE, 50);
	expect_time(scene, 0, 0);
	assert_true(scene_has(scene, "history does not reach so far"));
	click_strip(scene, MOUSE_PRESS, 50);
	click_strip(scene, MOUSE_DRAG, 105);
	click_strip(scene, MOUSE_RELEASE, 105);
	expect_time(scene, 4990000, 4994000);	/* what there is of it */
}

static void test_a_click_on_live_leads_back(void **state)
{
	struct scene *scene = *state;

	scene_press(scene, "[");
	click(scene, MOUSE_PRESS, " live ");
	expect_time(scene, 0, 0);
	assert_true(scene_has(scene, "live again"));
	scene_press(scene, " ");
	click(scene, MOUSE_PRESS, " live ");
	assert_false(scene->state.is_paused);
	click(scene, MOUSE_PRESS, "[live]");
	assert_true(scene_has(scene, "this is live"));
}

/* 120 x 40: twenty lines from line 2 on, columns 9..111 */
static void test_cells_of_the_heat_map_are_ticks(void **state)
{
	struct scene *scene = *state;

	assert_int_equal(canvas_resize(&scene->canvas, 120, 40), 0);
	frame_draw(&scene->state, &scene->canvas);
	scene_press(scene, "H");
	scene->snapshot.heat = time_fixture_heat();
	scene->snapshot.heat_most = TIME_FIXTURE_MOST;
	scene_show(scene);
	scene_click(scene, MOUSE_PRESS, 111, 2 + 7);
	scene_click(scene, MOUSE_RELEASE, 111, 2 + 7);
	expect_time(scene, 4999350, 4999400);
	scene_click(scene, MOUSE_PRESS, 101, 2 + 8);	/* up, within the second */
	scene_click(scene, MOUSE_DRAG, 101, 2 + 6);
	scene_click(scene, MOUSE_RELEASE, 101, 2 + 6);
	expect_time(scene, 4989300, 4989450);
	scene_click(scene, MOUSE_PRESS, 101, 2 + 19);	/* from one second into another */
	scene_click(scene, MOUSE_DRAG, 103, 2);
	scene_click(scene, MOUSE_RELEASE, 103, 2);
	expect_time(scene, 4989950, 4991050);
	scene_click(scene, MOUSE_PRESS, 103, 22);	/* the strip below it */
	scene_click(scene, MOUSE_RELEASE, 103, 22);
	expect_time(scene, 4991000, 4992000);
}

/* With a key comes what the mouse did last. */
static void test_a_key_after_a_click_takes_the_answer_away(void **state)
{
	static const struct mouse last = { MOUSE_RELEASE, 5, 5 };
	struct scene *scene = *state;

	state_say(&scene->state, "an answer");
	state_press_key(&scene->state, UI_KEY_MOUSE, &last);
	assert_string_equal(scene->state.message, "an answer");
	state_press_key(&scene->state, 'j', &last);
	assert_string_equal(scene->state.message, "");
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
		DESK_TEST(test_a_click_on_the_strip_shows_that_second),
		DESK_TEST(test_dragging_over_the_strip_shows_the_seconds_between),
		DESK_TEST(test_a_double_click_is_a_click_and_other_buttons_are_none),
		DESK_TEST(test_a_key_ends_a_drag_without_a_choice),
		DESK_TEST(test_where_nothing_was_counted_nothing_is_chosen),
		DESK_TEST(test_a_click_on_live_leads_back),
		DESK_TEST(test_a_key_after_a_click_takes_the_answer_away),
		DESK_TEST(test_cells_of_the_heat_map_are_ticks),
		DESK_TEST(test_a_label_that_means_a_row_waits_for_the_rows),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
