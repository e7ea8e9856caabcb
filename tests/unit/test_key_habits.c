/* A key that means something else now, elsewhere, or in other programs says what to press. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "probe_fixture.h"
#include "scene_fixture.h"

static void open_view(struct scene *scene, enum view_kind kind)
{
	state_show_kind(&scene->state, kind);
	scene_answer(scene);
	frame_draw(&scene->state, &scene->canvas);
}

static struct scene *probes_of(void **state)
{
	struct scene *scene = *state;

	scene_press(scene, "8");
	probe_fixture_answer(scene);
	frame_draw(&scene->state, &scene->canvas);
	return scene;
}

static void test_e_opens_the_events_and_says_where_the_hottest_path_is(void **state)
{
	struct scene *scene = *state;

	open_view(scene, VIEW_TREE);
	scene_press(scene, "e");
	assert_true(scene->state.menu.is_open);
	assert_string_equal(scene->state.message, "e: events; the hottest path is J");
	assert_true(scene_has(scene, "e: events; the hottest path is J"));
}

static void test_what_an_old_key_meant_is_said_once_where_it_runs_another_command(void **state)
{
	struct scene *scene = *state;

	probes_of(state);
	scene_press(scene, "L");
	assert_string_equal(scene->state.message, "L: the log; the lease is extended by +");
	probe_fixture_answer(scene);
	scene_press(scene, "h");
	probe_fixture_answer(scene);
	scene_press(scene, "L");
	assert_int_equal(state_probe_here(&scene->state), PROBE_ALL);
	assert_string_equal(scene->state.message, "");
}

static void test_where_e_always_was_the_events_it_says_nothing(void **state)
{
	struct scene *scene = *state;

	scene_press(scene, "e");
	assert_true(scene->state.menu.is_open);
	assert_string_equal(scene->state.message, "");
}

static void test_in_a_recording_e_says_both(void **state)
{
	struct scene *scene = *state;

	scene->state.source = NULL;
	open_view(scene, VIEW_FLAME);
	scene_press(scene, "e");
	assert_string_equal(scene->state.message, "a recording stays what was recorded \u00b7 "
						  "e: events; the hottest path is J");
}

static void test_other_old_keys_name_the_new_ones(void **state)
{
	struct scene *scene = *state;

	scene_press(scene, "r");
	assert_string_equal(scene->state.message,
			    "r: turns the tree round; the refresh is faster by >");
	probes_of(state);
	scene_press(scene, "c");
	assert_string_equal(scene->state.message,
			    "c: columns, colours; what is being attached is cancelled by d");
	scene_press_key(scene, UI_KEY_INSERT);
	assert_string_equal(scene->state.message,
			    "Insert: marks lines of a list; a new probe is found by Ctrl-P");
}

static void test_the_new_key_is_the_one_of_the_configuration(void **state)
{
	struct scene *scene = *state;
	struct diag why;

	assert_int_equal(keymap_bind(&scene->keymap, "hottest", "Ctrl-E", &why), 0);
	open_view(scene, VIEW_TREE);
	scene_press(scene, "e");
	assert_string_equal(scene->state.message, "e: events; the hottest path is Ctrl-E");
	scene_press_key(scene, UI_KEY_ESCAPE);
	assert_int_equal(keymap_bind(&scene->keymap, "hottest", "e", &why), 0);
	scene_press(scene, "e");	/* the old key again: nothing to say */
	assert_string_equal(scene->state.message, "");
}

static void test_a_key_of_another_view_says_where_it_works(void **state)
{
	struct scene *scene = *state;

	scene_press(scene, "E");
	assert_string_equal(scene->state.message, "E does nothing here \u00b7 in tree, groups: "
						  "Open all lines of the tree");
}

static void test_a_key_of_no_view_names_the_nearest(void **state)
{
	struct scene *scene = *state;

	scene_press(scene, "Q");
	assert_string_equal(scene->state.message,
			    "Q does nothing here \u00b7 nearest is q: Quit");
	scene_press_key(scene, UI_KEY_F9);
	assert_string_equal(scene->state.message,
			    "F9: flametop sends no signal \u00b7 nearest is .: What can be done "
			    "with this row: only it, not it, open it as ...");
	scene_press(scene, ";");
	assert_string_equal(scene->state.message, "; does nothing here \u00b7 ? shows all keys");
}

static void test_the_keys_of_htop_do_what_they_do_there(void **state)
{
	struct scene *scene = *state;

	scene_press_key(scene, UI_KEY_F1);
	assert_ptr_equal(scene->state.view, &scene->state.help.view);
	scene_press_key(scene, UI_KEY_ESCAPE);
	scene_press_key(scene, UI_KEY_F3);
	assert_string_equal(scene->state.prompt_use->label, "search:");
	scene_press_key(scene, UI_KEY_ESCAPE);
	scene_press_key(scene, UI_KEY_F4);
	assert_string_equal(scene->state.prompt_use->label, "filter:");
	scene_press_key(scene, UI_KEY_ESCAPE);
	scene_show(scene);
	scene_press_key(scene, UI_KEY_F6);
	assert_true(scene->state.menu.is_open);		/* the columns to sort by */
	scene_press_key(scene, UI_KEY_ESCAPE);
	scene_press_key(scene, UI_KEY_F5);
	assert_int_equal(state_kind(&scene->state), VIEW_TREE);
	scene_press_key(scene, UI_KEY_F10);
	assert_true(scene->state.wants_quit);
}

static void test_d_cancels_what_is_still_being_attached(void **state)
{
	struct scene *scene = probes_of(state);

	scene->state.adding = 9;
	scene_press(scene, "d");	/* this one is attached: the others go on */
	assert_int_equal(probe_fixture_order(scene, PROBE_REMOVE)->probe, 3);
	probe_fixture_send(scene);
	scene_press(scene, "Gd");
	assert_int_equal(probe_fixture_order(scene, PROBE_CANCEL)->number, 9);
	assert_string_equal(scene->state.message, "what is not attached yet will not be");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE_TEST(test_e_opens_the_events_and_says_where_the_hottest_path_is),
		SCENE_TEST(test_what_an_old_key_meant_is_said_once_where_it_runs_another_command),
		SCENE_TEST(test_where_e_always_was_the_events_it_says_nothing),
		SCENE_TEST(test_in_a_recording_e_says_both),
		SCENE_TEST(test_other_old_keys_name_the_new_ones),
		SCENE_TEST(test_the_new_key_is_the_one_of_the_configuration),
		SCENE_TEST(test_a_key_of_another_view_says_where_it_works),
		SCENE_TEST(test_a_key_of_no_view_names_the_nearest),
		SCENE_TEST(test_the_keys_of_htop_do_what_they_do_there),
		SCENE_TEST(test_d_cancels_what_is_still_being_attached),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
