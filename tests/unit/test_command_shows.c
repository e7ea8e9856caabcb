/* Order, columns, time and looks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <locale.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "scene_fixture.h"

static const struct request *last_request(const struct scene *scene)
{
	return &scene->state.outbox[scene->state.outbox_count - 1];
}

static void test_the_order_is_chosen_from_the_columns_shown(void **state)
{
	struct scene *scene = *state;

	scene_press(scene, "o");
	assert_int_equal(scene->state.menu.count, 6);	/* of 7; the bar is none to sort by */
	scene_choose(scene, "samples how");
	assert_int_equal(scene->state.orders[VIEW_SYMBOLS].column, COL_SAMPLES);
	assert_int_equal(scene->state.orders[VIEW_OBJECTS].column, COL_SELF);
}

static void test_another_order_begins_at_its_top(void **state)
{
	struct scene *scene = *state;
	struct table_rows *rows = &scene->state.table.rows;

	table_rows_set_page(rows, 3);
	scene_press_key(scene, UI_KEY_END);
	scene_press_key(scene, UI_KEY_UP);
	assert_true(rows->place.top > 0);
	scene_press(scene, "S");	/* its row is the second now */
	assert_int_equal(rows->place.cursor, 1);
	assert_int_equal(rows->place.top, 0);
	scene_press(scene, "S");
	assert_int_equal(rows->place.cursor, rows->count - 2);
	assert_int_equal(rows->place.top, rows->count - 4);	/* no farther than it must */
}

static void test_the_columns_stay_open_while_they_are_switched(void **state)
{
	const unsigned int at_first = columns_at_first.hidden[VIEW_SYMBOLS];
	struct scene *scene = *state;

	scene_press(scene, "c");
	assert_int_equal(scene->state.menu.count, 8);	/* never the name */
	scene_press_key(scene, UI_KEY_ENTER);
	assert_true(scene->state.menu.is_open);
	assert_int_equal(scene->state.choice.hidden[VIEW_SYMBOLS],
			 at_first | 1u << COL_SELF);
	assert_true(scene_has(scene, "[ ] SELF%"));
	scene_press_key(scene, UI_KEY_DOWN);
	scene_press(scene, " ");
	assert_int_equal(scene->state.choice.hidden[VIEW_SYMBOLS],
			 at_first | 1u << COL_SELF | 1u << COL_BAR);
	scene_press_key(scene, UI_KEY_UP);
	scene_press(scene, " ");
	assert_int_equal(scene->state.choice.hidden[VIEW_SYMBOLS],
			 at_first | 1u << COL_BAR);
	scene_press_key(scene, UI_KEY_ESCAPE);
	assert_false(scene->state.menu.is_open);
	assert_int_equal(scene->state.choice.hidden[VIEW_OBJECTS],
			 columns_at_first.hidden[VIEW_OBJECTS]);
}

static void test_a_hidden_column_is_none_to_sort_by(void **state)
{
	struct scene *scene = *state;

	scene->state.choice.hidden[VIEW_SYMBOLS] = 1u << COL_TOTAL | 1u << COL_SAMPLES;
	scene_press(scene, "s");
	assert_int_equal(scene->state.orders[VIEW_SYMBOLS].column, COL_COMMAND);
	scene->state.choice.hidden[VIEW_SYMBOLS] = ~0u;
	scene_press(scene, "s");
	assert_int_equal(scene->state.orders[VIEW_SYMBOLS].column, COL_SYMBOL);
	scene_press(scene, "s");
	assert_int_equal(scene->state.orders[VIEW_SYMBOLS].column, COL_SYMBOL);
}

static void test_a_column_without_room_is_none_to_step_to(void **state)
{
	struct scene *scene = *state;

	assert_int_equal(canvas_resize(&scene->canvas, 60, 24), 0);
	frame_draw(&scene->state, &scene->canvas);
	scene_press(scene, "s");
	assert_int_equal(scene->state.orders[VIEW_SYMBOLS].column, COL_TOTAL);
	scene_press(scene, "s");	/* SAMPLES, COMMAND are not on the screen */
	assert_int_equal(scene->state.orders[VIEW_SYMBOLS].column, COL_OBJECT);
	scene_press(scene, "o");
	assert_int_equal(scene->state.menu.items[scene->state.menu.shown[scene->state.menu.cursor]]
			 .id, COL_OBJECT);
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
	struct scene *scene = *state;

	for (size_t i = 0; i < sizeof(given) / sizeof(given[0]); i++) {
		scene->state.outbox_count = 0;
		scene_press(scene, ":");
		scene_choose(scene, "interval");
		scene_press_key(scene, UI_KEY_CTRL('U'));
		scene_press(scene, given[i].text);
		scene_press_key(scene, UI_KEY_ENTER);
		assert_int_equal(scene->state.outbox_count, given[i].ms > 0);
		if (given[i].ms)
			assert_int_equal(last_request(scene)->value_ns,
					 given[i].ms * CLOCK_NS_PER_MS);
		else
			assert_non_null(strstr(scene->state.message,
					       "seconds from 0.1 to 10 are needed"));
	}
}

/* A frozen screen takes no answer that is not of the frozen time: there must be one. */
static void test_nothing_can_be_frozen_before_there_is_a_picture(void **state)
{
	struct scene *desk = *state;
	static struct scene fresh;

	(void)desk;
	scene_open(&fresh, 80, 24);
	scene_press(&fresh, " ");
	assert_false(fresh.state.is_paused);
	assert_int_equal(fresh.state.outbox_count, 0);
	scene_show(&fresh);
	scene_press(&fresh, "2j");
	scene_answer(&fresh);
	assert_false(state_is_waiting(&fresh.state));
	scene_finish(&fresh);
}

/* Zero goes live; a freeze behind it must reach the analyzer behind it, too. */
static void test_the_last_of_each_kind_is_asked_in_the_order_of_the_keys(void **state)
{
	struct scene *scene = *state;

	scene->snapshot.time_ns = 77;
	scene_press(scene, " z ");
	assert_int_equal(scene->state.outbox_count, 2);
	assert_int_equal(scene->state.outbox[0].kind, REQUEST_ZERO);
	assert_int_equal(scene->state.outbox[1].kind, REQUEST_FREEZE);
	assert_int_equal(scene->state.outbox[1].value_ns, 77);
	assert_true(scene->state.is_paused);
	scene_press(scene, "z");
	assert_int_equal(last_request(scene)->kind, REQUEST_ZERO);
	assert_false(scene->state.is_paused);
}

static void test_zero_needs_a_picture(void **state)
{
	struct scene scene;

	(void)state;
	scene_open(&scene, 100, 24);
	scene.state.outbox_count = 0;
	scene_press(&scene, "z");
	assert_int_equal(scene.state.outbox_count, 0);
	assert_false(scene.state.is_zeroed);
	assert_true(scene_has(&scene, "nothing is shown yet"));
	scene_finish(&scene);
}

static void test_windows_go_round(void **state)
{
	static const enum window_kind kinds[] = { WINDOW_SECONDS, WINDOW_ALL, WINDOW_DECAY,
						  WINDOW_SECONDS };
	static const uint64_t seconds[] = { 60, 0, 0, 10 };
	struct scene *scene = *state;

	for (size_t i = 0; i < 4; i++) {
		scene_press(scene, "w");
		assert_int_equal(last_request(scene)->value, kinds[i]);
		assert_int_equal(last_request(scene)->value_ns, seconds[i] * CLOCK_NS_PER_S);
	}
}

static void test_themes_go_round(void **state)
{
	struct scene *scene = *state;

	for (unsigned int i = 0; i < theme_count; i++) {
		assert_ptr_equal(scene->state.theme, &themes[i]);
		scene_press(scene, "T");
	}
	assert_ptr_equal(scene->state.theme, &themes[0]);
}

static void test_the_mouse_is_given_away_and_taken_back(void **state)
{
	struct scene *scene = *state;

	scene_press(scene, "M");
	assert_true(scene->state.is_mouse_off);
	scene_press(scene, "M");
	assert_false(scene->state.is_mouse_off);
}

static void test_views_go_round_both_ways(void **state)
{
	struct scene *scene = *state;

	for (int i = 1; i <= VIEW_COUNT; i++) {
		scene_press_key(scene, UI_KEY_TAB);
		assert_int_equal(state_kind(&scene->state), i % VIEW_COUNT);
	}
	for (int i = VIEW_COUNT - 1; i >= 0; i--) {
		scene_press_key(scene, UI_KEY_BACKTAB);
		assert_int_equal(state_kind(&scene->state), i);
	}
}

static void test_threads_fold_out_and_in_from_any_of_them(void **state)
{
	struct scene *scene = *state;

	scene_press(scene, "+");
	assert_string_equal(scene->state.message, "threads fold out in the view of tasks");
	scene_press(scene, "4");
	scene_answer(scene);
	scene_press(scene, "+");
	assert_string_equal(scene->state.message, "it has one thread");
	assert_int_equal(scene->state.table.rows.count, 8);
	scene_press(scene, "jj+");
	assert_int_equal(scene->state.table.rows.count, 11);
	scene_press(scene, "jj");
	assert_int_equal(scene_cursor(scene)->tid, 901);
	scene_press(scene, "-");
	assert_int_equal(scene->state.table.rows.count, 8);
	assert_int_equal(scene_cursor(scene)->pid, 900);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE_TEST(test_the_order_is_chosen_from_the_columns_shown),
		SCENE_TEST(test_another_order_begins_at_its_top),
		SCENE_TEST(test_the_columns_stay_open_while_they_are_switched),
		SCENE_TEST(test_a_hidden_column_is_none_to_sort_by),
		SCENE_TEST(test_a_column_without_room_is_none_to_step_to),
		SCENE_TEST(test_the_interval_is_from_a_tenth_to_ten_seconds),
		SCENE_TEST(test_nothing_can_be_frozen_before_there_is_a_picture),
		SCENE_TEST(test_the_last_of_each_kind_is_asked_in_the_order_of_the_keys),
		cmocka_unit_test(test_zero_needs_a_picture),
		SCENE_TEST(test_windows_go_round),
		SCENE_TEST(test_themes_go_round),
		SCENE_TEST(test_the_mouse_is_given_away_and_taken_back),
		SCENE_TEST(test_views_go_round_both_ways),
		SCENE_TEST(test_threads_fold_out_and_in_from_any_of_them),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
