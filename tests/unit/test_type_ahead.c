/* Keys typed faster than rows come do what they would have done had one waited. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <locale.h>

#include <cmocka.h>

#include "scene_fixture.h"
#include "snapshot_fixture.h"

struct desk {
	struct scene scene;
	struct ui_state *state;		/* the scene's */
	struct snapshot_row rows[2];
	struct snapshot symbols, objects;
};

static int open_desk(void **state)
{
	static struct desk desk;

	scene_open(&desk.scene, 80, 24);
	desk.state = &desk.scene.state;
	for (size_t i = 0; i < 2; i++)
		desk.rows[i] = (struct snapshot_row){
			.id = i + 1, .symbol = i ? "square" : "sum",
			.object = i ? "sqlite" : "prog",
			.object_path = i ? "/usr/bin/sqlite" : "/usr/bin/prog",
			.comm = "prog", .tasks = 1, .mode = MODE_USER, .self_samples = 2 - i,
		};
	desk.symbols = desk.objects = fixture_snapshot(desk.rows, 2);
	desk.objects.keys = KEY_OBJECT;
	state_offer_snapshot(desk.state, &desk.symbols);
	frame_draw(desk.state, &desk.scene.canvas);
	*state = &desk;
	return 0;
}

static int close_desk(void **state)
{
	struct desk *desk = *state;

	scene_finish(&desk->scene);
	return 0;
}

static void press(struct desk *desk, const char *keys)
{
	scene_press(&desk->scene, keys);
	frame_draw(desk->state, &desk->scene.canvas);
}

static void answer(struct desk *desk, struct snapshot *snapshot)
{
	snapshot->query = desk->state->query;
	state_offer_snapshot(desk->state, snapshot);
	frame_draw(desk->state, &desk->scene.canvas);
}

static void test_q_behind_a_waiting_search_is_a_letter_of_it(void **state)
{
	struct desk *desk = *state;

	press(desk, "2j/sq");
	assert_false(desk->state->wants_quit);
	answer(desk, &desk->objects);
	assert_false(desk->state->wants_quit);
	assert_true(desk->state->prompt.is_open);
	assert_string_equal(desk->state->prompt.text, "sq");
	assert_string_equal(scene_cursor(&desk->scene)->object, "sqlite");
}

static void test_q_behind_a_waiting_row_menu_is_a_letter_of_it(void **state)
{
	struct desk *desk = *state;

	press(desk, "2j.q");
	answer(desk, &desk->objects);
	assert_false(desk->state->wants_quit);
	assert_true(desk->state->menu.is_open);
	assert_string_equal(desk->state->menu.typed, "q");
}

static void test_escape_behind_a_waiting_filter_closes_it_and_forgets_nothing(void **state)
{
	struct desk *desk = *state;

	press(desk, "2j\\x");
	scene_press_key(&desk->scene, UI_KEY_ESCAPE);
	assert_int_equal(desk->state->deferred_count, 1);
	answer(desk, &desk->objects);
	assert_false(desk->state->prompt.is_open);
	assert_int_equal(desk->state->trail.filter.count, 0);
	assert_int_equal(state_kind(desk->state), VIEW_OBJECTS);
	assert_int_equal(desk->state->table.rows.place.cursor, 1);
}

/* Each view has an order and columns of its own. */
static void test_order_and_columns_behind_another_view_are_of_that_view(void **state)
{
	struct desk *desk = *state;
	const struct table_order symbols = desk->state->orders[VIEW_SYMBOLS];
	const unsigned int hidden = desk->state->choice.hidden[VIEW_SYMBOLS];

	press(desk, "2s");
	assert_int_equal(desk->state->orders[VIEW_SYMBOLS].column, symbols.column);
	answer(desk, &desk->objects);
	assert_int_not_equal(desk->state->orders[VIEW_OBJECTS].column,
			     table_specs[VIEW_OBJECTS].order);
	press(desk, "1S");
	assert_false(desk->state->orders[VIEW_OBJECTS].is_reversed);
	answer(desk, &desk->symbols);
	assert_true(desk->state->orders[VIEW_SYMBOLS].is_reversed);
	press(desk, "2");
	answer(desk, &desk->objects);
	press(desk, "1o");
	assert_false(desk->state->menu.is_open);
	answer(desk, &desk->symbols);
	assert_true(desk->state->menu.is_open);
	scene_press_key(&desk->scene, UI_KEY_ESCAPE);
	press(desk, "2c ");
	answer(desk, &desk->objects);
	assert_true(desk->state->menu.is_open);
	assert_int_equal(desk->state->choice.hidden[VIEW_SYMBOLS], hidden);
	assert_int_not_equal(desk->state->choice.hidden[VIEW_OBJECTS],
			     columns_at_first.hidden[VIEW_OBJECTS]);
}

static void test_ctrl_c_leaves_even_from_behind_a_waiting_search(void **state)
{
	struct desk *desk = *state;

	press(desk, "2j/s");
	scene_press_key(&desk->scene, UI_KEY_CTRL('C'));
	assert_true(desk->state->wants_quit);
}

static void test_rows_of_a_view_that_was_left_before_they_came_are_not_shown(void **state)
{
	struct desk *desk = *state;

	press(desk, "2");
	desk->objects.query = desk->state->query;
	press(desk, "3");
	assert_ptr_equal(state_offer_snapshot(desk->state, &desk->objects), &desk->objects);
	assert_ptr_equal(desk->state->shown, &desk->symbols);
}

#define DESK_TEST(test) cmocka_unit_test_setup_teardown(test, open_desk, close_desk)

int main(void)
{
	const struct CMUnitTest tests[] = {
		DESK_TEST(test_q_behind_a_waiting_search_is_a_letter_of_it),
		DESK_TEST(test_q_behind_a_waiting_row_menu_is_a_letter_of_it),
		DESK_TEST(test_escape_behind_a_waiting_filter_closes_it_and_forgets_nothing),
		DESK_TEST(test_order_and_columns_behind_another_view_are_of_that_view),
		DESK_TEST(test_ctrl_c_leaves_even_from_behind_a_waiting_search),
		DESK_TEST(test_rows_of_a_view_that_was_left_before_they_came_are_not_shown),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
