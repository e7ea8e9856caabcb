/* Filters and the menu of a row. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <locale.h>
#include <string.h>

#include <cmocka.h>

#include "scene_fixture.h"

static const struct filter *asked_filter(const struct scene *scene)
{
	for (size_t i = 0; i < scene->state.outbox_count; i++)
		if (scene->state.outbox[i].kind == REQUEST_QUERY)
			return &scene->state.outbox[i].query.filter;
	fail();
	return NULL;
}

static void test_the_row_menu_of_a_nameless_row_is_named_as_its_filter(void **state)
{
	struct scene *scene = *state;
	struct snapshot_row nameless;

	scene_press(scene, "5");
	scene_answer(scene);
	nameless = *scene_cursor(scene);
	nameless.comm = "";
	scene->snapshot.rows = &nameless;
	scene->snapshot.row_count = 1;
	scene_show(scene);
	scene_press(scene, ".");
	assert_string_equal(scene->state.menu.title, "CPU 0");
}

static void test_open_says_when_a_row_is_of_several(void **state)
{
	struct scene *scene = *state;
	struct snapshot_row nameless = *scene_cursor(scene);

	nameless.symbol = nameless.raw_symbol = nameless.object_path = "";
	scene->snapshot.rows = &nameless;
	scene->snapshot.row_count = 1;
	scene_show(scene);
	scene_press_key(scene, UI_KEY_ENTER);
	assert_int_equal(scene->state.trail.count, 1);
	assert_string_equal(scene->state.message,
			    "this row is of several: nothing to open it by");
	scene_press(scene, ".");
	assert_false(scene_has(scene, "open Tasks"));
	assert_true(scene_has(scene, "this row is of several: nothing to open it by"));
	assert_true(scene_has(scene, "only postgres"));
	scene_press(scene, "open");
	scene_press_key(scene, UI_KEY_ENTER);
	assert_int_equal(scene->state.trail.count, 1);
	assert_true(scene->state.menu.is_open);
}

static void test_the_row_menu_opens_other_views_of_the_row(void **state)
{
	struct scene *scene = *state;

	scene_press(scene, "jj.");
	assert_string_equal(scene->state.menu.items[2].note, "Enter");
	scene_choose(scene, "open cpus");
	assert_int_equal(state_kind(&scene->state), VIEW_CPUS);
	assert_int_equal(asked_filter(scene)->count, 1);
	assert_int_equal(asked_filter(scene)->parts[0].hash, filter_hash("ChaCha20_4xl"));
	assert_false(asked_filter(scene)->parts[0].is_negated);
}

static void test_the_line_of_the_row_menu_with_enter_is_what_enter_does(void **state)
{
	for (int kind = 0; kind < VIEW_TABLES; kind++) {
		struct scene *scene = *state;
		enum view_kind opened;

		state_show_kind(&scene->state, (enum view_kind)kind);
		scene_answer(scene);
		scene_press_key(scene, UI_KEY_ENTER);
		opened = state_kind(&scene->state);
		scene_press_key(scene, UI_KEY_ESCAPE);
		scene_answer(scene);
		scene_press(scene, ".");
		scene_press_key(scene, UI_KEY_DOWN);
		scene_press_key(scene, UI_KEY_DOWN);
		scene_press_key(scene, UI_KEY_ENTER);
		assert_int_equal(state_kind(&scene->state), opened);
		assert_int_equal(scene->state.trail.count, 2);
		scene_press_key(scene, UI_KEY_ESCAPE);
		scene_answer(scene);
	}
}

/* The row's own name as a filter, the way in, a probe; what the row shares with others is below. */
static void test_the_row_menu_begins_with_what_is_likely(void **state)
{
	static const char *const labels[] = {
		"only ChaCha20_4xl", "without ChaCha20_4xl", "open Tree of ChaCha20_4xl",
		"probe it: every call counted and timed", "open Flame of ChaCha20_4xl",
	};
	struct scene *scene = *state;
	const struct menu *menu = &scene->state.menu;

	scene_press(scene, "jj.");
	assert_string_equal(menu->title, "ChaCha20_4xl");
	for (size_t i = 0; i < sizeof(labels) / sizeof(labels[0]); i++)
		assert_string_equal(menu->items[i].label, labels[i]);
	assert_string_equal(menu->items[2].note, "Enter");
	assert_string_equal(menu->items[3].note, "p");
	assert_true(scene_has(scene, "type to filter"));
	scene_press(scene, "user code");
	assert_int_equal(menu->shown_count, 2);
	assert_string_equal(menu->items[menu->shown[0]].label, "only user code");
	assert_string_equal(menu->items[menu->shown[1]].label, "without user code");
	scene_press_key(scene, UI_KEY_ENTER);
	assert_int_equal(asked_filter(scene)->parts[0].field, FILTER_USER);
	assert_false(asked_filter(scene)->parts[0].is_negated);
	scene_answer(scene);
	assert_true(scene_has(scene, "\u203a user code"));
}

static void test_what_cannot_be_probed_is_there_with_the_reason(void **state)
{
	struct scene *scene = *state;

	state_show_kind(&scene->state, VIEW_TASKS);
	scene_answer(scene);
	scene_press(scene, ".probe it");
	assert_int_equal(scene->state.menu.shown_count, 1);
	scene_press_key(scene, UI_KEY_ENTER);
	assert_true(scene->state.menu.is_open);
	assert_string_equal(scene->state.message, "this row is no function: Enter leads to its "
			    "functions, p probes one");
	assert_int_equal(state_kind(&scene->state), VIEW_TASKS);
}

static void test_only_and_not_stay_in_the_view(void **state)
{
	struct scene *scene = *state;

	scene_press(scene, "jj.");
	scene_choose(scene, "only nginx");
	assert_int_equal(state_kind(&scene->state), VIEW_SYMBOLS);
	assert_int_equal(asked_filter(scene)->parts[0].field, FILTER_COMMAND);
	scene_answer(scene);
	scene_press(scene, "jj.");
	scene_choose(scene, "not cpu");
	assert_int_equal(asked_filter(scene)->count, 2);
	assert_int_equal(asked_filter(scene)->parts[1].field, FILTER_CPU);
	assert_int_equal(asked_filter(scene)->parts[1].number, 0);
	assert_true(asked_filter(scene)->parts[1].is_negated);
}

static void test_an_exclamation_mark_leaves_out_what_has_the_text(void **state)
{
	struct scene *scene = *state;

	scene_press(scene, "\\!hash");
	scene_press_key(scene, UI_KEY_ENTER);
	assert_int_equal(asked_filter(scene)->count, 1);
	assert_string_equal(asked_filter(scene)->parts[0].text, "hash");
	assert_true(asked_filter(scene)->parts[0].is_negated);
	scene_answer(scene);
	assert_true(scene_has(scene, "without \"hash\""));
	/* It can be edited, and is one filter still. */
	scene_press(scene, "\\_");
	scene_press_key(scene, UI_KEY_ENTER);
	assert_int_equal(asked_filter(scene)->count, 1);
	assert_string_equal(asked_filter(scene)->parts[0].text, "hash_");
	assert_true(asked_filter(scene)->parts[0].is_negated);
}

static void test_names_that_are_equal_say_of_what(void **state)
{
	struct scene *scene = *state;

	scene_press(scene, ".");
	scene_choose(scene, "only postgres");	/* the object was added first */
	assert_int_equal(asked_filter(scene)->parts[0].field, FILTER_OBJECT);
	scene_answer(scene);
	scene_press(scene, ".");
	scene_press(scene, "only postgres");
	assert_int_equal(scene->state.menu.shown_count, 2);
	assert_string_equal(scene->state.menu.items[scene->state.menu.shown[0]].note, "object");
	assert_string_equal(scene->state.menu.items[scene->state.menu.shown[1]].note, "command");
}

static void test_only_its_unit_container_and_cgroup(void **state)
{
	struct scene *scene = *state;

	state_show_kind(&scene->state, VIEW_TASKS);
	scene_answer(scene);
	scene_press(scene, "j.");
	assert_false(scene_has(scene, "only pod"));	/* it is in none */
	scene_choose(scene, "only container web");
	assert_int_equal(state_kind(&scene->state), VIEW_TASKS);
	assert_int_equal(asked_filter(scene)->parts[0].field, FILTER_CONTAINER);
	assert_int_equal(asked_filter(scene)->parts[0].hash, filter_hash("web"));
	scene_answer(scene);
	scene_press(scene, "j.");
	scene_choose(scene, "without nginx.service");
	assert_int_equal(asked_filter(scene)->parts[1].field, FILTER_UNIT);
	assert_true(asked_filter(scene)->parts[1].is_negated);
	scene_answer(scene);
	scene_press(scene, "j.");
	scene_choose(scene, "only cgroup /lxc");
	assert_int_equal(asked_filter(scene)->parts[2].hash,
			 filter_hash("/lxc.payload.web/nginx.service"));
}

static void test_sample_only_this_process(void **state)
{
	struct scene *scene = *state;

	scene_press(scene, "jj.");
	scene_choose(scene, "sample");
	assert_int_equal(scene->source.count, 1);
	assert_int_equal(scene->source.asked[0].kind, SOURCE_PROCESSES);
	assert_string_equal(scene->source.asked[0].text, "77");

	scene->state.source = NULL;	/* a recording has no source to change */
	scene_press(scene, ".sample");
	assert_int_equal(scene->state.menu.shown_count, 1);
	scene_press_key(scene, UI_KEY_ENTER);
	assert_true(scene->state.menu.is_open);
	assert_int_equal(scene->source.count, 1);
	assert_string_equal(scene->state.message,
			    "a recording samples nothing: start flametop without -i");
}

/* The row may be gone when its menu is used. */
static void test_the_menu_means_the_row_it_was_opened_on(void **state)
{
	struct scene *scene = *state;

	scene_press(scene, "jj.");
	scene->snapshot.rows++;
	scene->snapshot.row_count = 2;
	scene_show(scene);
	scene_choose(scene, "only chacha");
	assert_int_equal(asked_filter(scene)->parts[0].hash, filter_hash("ChaCha20_4xl"));
}

static void filter_twice(struct scene *scene)
{
	scene_press_key(scene, UI_KEY_ENTER);
	scene_answer(scene);
	scene_press(scene, "\\lock");
	scene_press_key(scene, UI_KEY_ENTER);
	scene_answer(scene);
	scene_press(scene, "K");
	scene_answer(scene);
}

static void test_filters_takes_one_away_and_all_levels_follow(void **state)
{
	struct scene *scene = *state;

	filter_twice(scene);
	assert_int_equal(asked_filter(scene)->count, 3);
	scene_press(scene, "F");
	scene_choose(scene, "hash_search");
	assert_int_equal(asked_filter(scene)->count, 2);
	assert_int_equal(asked_filter(scene)->parts[0].field, FILTER_TEXT);
	assert_int_equal(asked_filter(scene)->parts[1].field, FILTER_KERNEL);
	assert_int_equal(state_kind(&scene->state), VIEW_TREE);
	scene_answer(scene);
	scene_press(scene, "F");
	scene_choose(scene, "no kernel");
	assert_false(scene->state.hide_kernel);
	assert_int_equal(asked_filter(scene)->count, 1);
	scene_answer(scene);
	scene_press_key(scene, UI_KEY_ESCAPE);
	assert_int_equal(asked_filter(scene)->count, 0);
}

static void test_without_a_way_back_the_cursor_stays(void **state)
{
	struct scene *scene = *state;
	uint64_t id;

	scene_press(scene, "K");
	scene_answer(scene);
	scene_press(scene, "U");
	scene_answer(scene);
	scene_press(scene, "jj");
	id = scene_cursor(scene)->id;
	scene_press(scene, "F");
	scene_choose(scene, "all");
	assert_false(scene->state.hide_kernel || scene->state.hide_user);
	scene_answer(scene);
	assert_int_equal(scene_cursor(scene)->id, id);
}

static void test_all_of_them_is_all_of_them(void **state)
{
	struct scene *scene = *state;

	scene_press(scene, "jj");
	filter_twice(scene);
	scene_press(scene, "F");
	scene_choose(scene, "all");
	assert_int_equal(asked_filter(scene)->count, 0);
	assert_int_equal(scene->state.trail.count, 1);
	scene_answer(scene);
	assert_string_equal(scene_cursor(scene)->symbol, "ChaCha20_4xl");
}

static void test_without_a_filter_filters_says_how_to_make_one(void **state)
{
	struct scene *scene = *state;

	scene_press(scene, "F");
	assert_false(scene->state.menu.is_open);
	assert_non_null(strstr(scene->state.message, "there is no filter"));
}

/* K and U always have their place in the query, however many filters there are. */
static void test_hiding_works_with_a_full_trail(void **state)
{
	struct scene *scene = *state;
	struct filter_part part = { .field = FILTER_PID };

	for (part.number = 1; part.number <= FILTER_PARTS; part.number++)
		state_go(&scene->state, VIEW_SYMBOLS, &part);
	assert_string_equal(scene->state.message, "no more than 14 filters: F takes some away");
	scene_press(scene, "KU");
	assert_int_equal(asked_filter(scene)->count, FILTER_PARTS);
	assert_int_equal(asked_filter(scene)->parts[14].field, FILTER_KERNEL);
	assert_int_equal(asked_filter(scene)->parts[15].field, FILTER_USER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE_TEST(test_the_row_menu_of_a_nameless_row_is_named_as_its_filter),
		SCENE_TEST(test_open_says_when_a_row_is_of_several),
		SCENE_TEST(test_the_row_menu_opens_other_views_of_the_row),
		SCENE_TEST(test_the_line_of_the_row_menu_with_enter_is_what_enter_does),
		SCENE_TEST(test_the_row_menu_begins_with_what_is_likely),
		SCENE_TEST(test_what_cannot_be_probed_is_there_with_the_reason),
		SCENE_TEST(test_only_and_not_stay_in_the_view),
		SCENE_TEST(test_an_exclamation_mark_leaves_out_what_has_the_text),
		SCENE_TEST(test_names_that_are_equal_say_of_what),
		SCENE_TEST(test_only_its_unit_container_and_cgroup),
		SCENE_TEST(test_sample_only_this_process),
		SCENE_TEST(test_the_menu_means_the_row_it_was_opened_on),
		SCENE_TEST(test_filters_takes_one_away_and_all_levels_follow),
		SCENE_TEST(test_without_a_way_back_the_cursor_stays),
		SCENE_TEST(test_all_of_them_is_all_of_them),
		SCENE_TEST(test_without_a_filter_filters_says_how_to_make_one),
		SCENE_TEST(test_hiding_works_with_a_full_trail),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
