/* Whose source lines the screen asks for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "scene_fixture.h"
#include "ui/source_wishes.h"

#define ROWS 6

static struct snapshot_row rows[ROWS];

/* The rows of the scene, each of an object of its own. */
static void show_rows(struct scene *scene)
{
	for (uint32_t i = 0; i < ROWS; i++) {
		rows[i] = scene->snapshot.rows[i];
		rows[i].object_id = 10 + i;
		rows[i].address = 0x1000 * i;
		rows[i].is_idle = false;
		rows[i].self_weight = 100 - i;
		rows[i].mode = MODE_USER;
		rows[i].state = SYMBOL_NAMED;
		rows[i].source = rows[i].source_reason = "";
	}
	scene->snapshot.rows = rows;
	scene->snapshot.row_count = ROWS;
	scene_show(scene);
	scene_press_key(scene, UI_KEY_HOME);
}

static int set_up(void **state)
{
	int err = scene_set_up(state);

	if (!err)
		show_rows(*state);
	return err;
}

/* What the picture that is drawn now asks for; NULL: nothing. */
static const struct request *asked(struct scene *scene)
{
	const struct ui_state *state = &scene->state;

	scene->state.outbox_count = 0;
	scene_text(scene);
	source_wishes_update(&scene->state);
	for (size_t i = 0; i < state->outbox_count; i++)
		if (state->outbox[i].kind == REQUEST_SOURCES)
			return &state->outbox[i];
	return NULL;
}

static void test_the_row_under_the_cursor_is_asked_for(void **state)
{
	const struct request *request = asked(*state);

	assert_non_null(request);
	assert_int_equal(request->value, 1);
	assert_int_equal(request->wishes[0].object, 10);
	assert_int_equal(request->wishes[0].address, 0);
	scene_press_key(*state, UI_KEY_DOWN);
	request = asked(*state);
	assert_non_null(request);
	assert_int_equal(request->wishes[0].object, 11);
}

static void test_it_is_asked_for_once(void **state)
{
	assert_non_null(asked(*state));
	assert_null(asked(*state));
	scene_show(*state);
	assert_null(asked(*state));
}

static void test_what_is_known_or_never_will_be_is_not_asked_for(void **state)
{
	rows[0].source = "a.c:3";
	assert_null(asked(*state));
	rows[0].source = "";
	rows[0].source_reason = "no debug information";
	assert_null(asked(*state));
	rows[0].source_reason = "";
	rows[0].state = SYMBOL_LOADING;
	assert_null(asked(*state));
	rows[0].state = SYMBOL_NAMED;
	rows[0].mode = MODE_KERNEL;
	assert_null(asked(*state));
	rows[0].mode = MODE_USER;
	rows[0].object_id = UINT32_MAX;
	assert_null(asked(*state));
}

/* The cursor's row first. */
static void test_with_the_column_all_rows_on_the_screen_are_asked_for(void **state)
{
	struct scene *scene = *state;
	const struct request *request;

	scene->state.choice.hidden[VIEW_SYMBOLS] = 0;
	scene_press_key(scene, UI_KEY_DOWN);
	request = asked(scene);
	assert_non_null(request);
	assert_int_equal(request->value, ROWS);
	assert_int_equal(request->wishes[0].object, 11);
	assert_int_equal(request->wishes[1].object, 10);
	assert_int_equal(request->wishes[ROWS - 1].object, 10 + ROWS - 1);
}

static void test_the_column_says_the_line_or_why_there_is_none(void **state)
{
	struct scene *scene = *state;
	const char *text;

	scene->state.choice.hidden[VIEW_SYMBOLS] = 0;
	rows[0].source = "main.c:31";
	rows[1].source_reason = "no debug";
	text = scene_text(scene);
	assert_non_null(strstr(text, "SOURCE"));
	assert_non_null(strstr(text, "main.c:31"));
	assert_non_null(strstr(text, "no debug"));
}

static void test_other_views_ask_for_nothing(void **state)
{
	scene_press(*state, "?");
	assert_null(asked(*state));
}

/* A tree asks for its own, and the analyzer keeps the newest wishes alone. */
static void test_after_another_view_they_are_asked_for_again(void **state)
{
	assert_non_null(asked(*state));
	assert_null(asked(*state));
	scene_press(*state, "?");
	assert_null(asked(*state));
	scene_press_key(*state, UI_KEY_ESCAPE);
	assert_non_null(asked(*state));
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, set_up, scene_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_the_row_under_the_cursor_is_asked_for),
		TEST(test_it_is_asked_for_once),
		TEST(test_what_is_known_or_never_will_be_is_not_asked_for),
		TEST(test_with_the_column_all_rows_on_the_screen_are_asked_for),
		TEST(test_the_column_says_the_line_or_why_there_is_none),
		TEST(test_other_views_ask_for_nothing),
		TEST(test_after_another_view_they_are_asked_for_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
