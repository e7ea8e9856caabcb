/* Without rows the table says why, and what to do about it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <locale.h>

#include <cmocka.h>

#include "scene_fixture.h"

static void open_empty(struct scene *scene, uint64_t samples, uint64_t idle_samples)
{
	scene_open(scene, 80, 24);
	scene->snapshot.row_count = 0;
	scene->snapshot.samples = samples;
	scene->snapshot.idle_samples = idle_samples;
}

static void check_says(struct scene *scene, const char *why, const char *remedy)
{
	const struct mouse at = scene_find(scene, why);

	assert_int_equal(at.x, 2);
	assert_int_equal(at.y, 6);	/* a blank line below the titles */
	assert_string_equal(scene_line(scene, 7), remedy);
	scene_finish(scene);
}

static void test_nothing_came_yet(void **state)
{
	struct scene scene;

	(void)state;
	scene_open(&scene, 80, 24);
	check_says(&scene, "Collecting: the first picture comes with the first refresh.", "");
}

static void test_all_were_idle(void **state)
{
	struct scene scene;

	(void)state;
	open_empty(&scene, 44000, 44000);
	scene_show(&scene);
	check_says(&scene, "Nothing is hot: all 44.0k samples were idle.", "  i shows them.");
}

static void test_no_sample_at_all(void **state)
{
	struct scene scene;

	(void)state;
	open_empty(&scene, 0, 0);
	scene_show(&scene);
	check_says(&scene, "Nothing is hot: no sample, last 10 s.",
		   "  w takes a longer window, t another target, e another event.");
}

static void test_a_target_that_leaves_its_work_to_children_offers_them(void **state)
{
	struct scene scene;

	(void)state;
	open_empty(&scene, 0, 0);
	scene.snapshot.target_children = 12;
	scene_show(&scene);
	check_says(&scene, "Nothing is hot: no sample, last 10 s.",
		   "  It has 12 children: t, Enter samples them, too.");
}

static void test_right_after_zero_nothing_is_called_cold(void **state)
{
	struct scene scene;

	(void)state;
	open_empty(&scene, 0, 0);
	scene.snapshot.window_s = 0;
	scene_show(&scene);
	check_says(&scene, "Collecting: counting began anew, the next refresh has the first rows.",
		   "");
}

static void test_a_target_that_ended_was_hit_before_zero(void **state)
{
	struct scene scene;

	(void)state;
	open_empty(&scene, 0, 0);
	scene.snapshot.is_target_gone = true;
	scene.snapshot.window = WINDOW_ALL;
	scene.state.is_zeroed = true;
	scene_show(&scene);
	check_says(&scene, "The target ended, and no sample hit it since zero.",
		   "  [ goes back to what it did before, t takes another target, q quits.");
}

static void test_a_recording_has_no_other_source(void **state)
{
	struct scene scene;

	(void)state;
	open_empty(&scene, 0, 0);
	scene.state.source = NULL;
	scene.snapshot.is_replay = true;
	scene_show(&scene);
	check_says(&scene, "The recording has no sample, last 10 s.", "  w takes a longer window.");
}

static void test_the_target_ended_first(void **state)
{
	struct scene scene;

	(void)state;
	open_empty(&scene, 0, 0);
	scene.snapshot.is_target_gone = true;
	scene_show(&scene);
	check_says(&scene, "The target ended before a sample hit it.",
		   "  t takes another target, q quits.");
}

static void test_the_filter_leaves_nothing(void **state)
{
	struct scene scene;

	(void)state;
	open_empty(&scene, 1000, 100);
	scene_press(&scene, "\\none");
	scene_press_key(&scene, UI_KEY_ENTER);
	scene_show(&scene);
	check_says(&scene, "None of 900 samples passes the filter (last: \"none\").",
		   "  Enter takes it away, Esc goes back, F lists all.");
}

static void test_what_is_hidden_is_everything(void **state)
{
	struct scene scene;

	(void)state;
	open_empty(&scene, 1000, 100);
	scene_press(&scene, "K");
	scene_show(&scene);
	check_says(&scene, "Kernel code is hidden, and 900 samples are nothing else.",
		   "  K or Enter shows it.");

	open_empty(&scene, 1000, 100);
	scene_press(&scene, "U");
	scene_show(&scene);
	check_says(&scene, "User code is hidden, and 900 samples are nothing else.",
		   "  U or Enter shows it.");

	open_empty(&scene, 1000, 100);
	scene_press(&scene, "KU");
	scene_show(&scene);
	check_says(&scene, "Kernel and user code are hidden, and 900 samples are nothing else.",
		   "  K and U show it, Enter user code.");
}

static void test_filtered_and_hidden_both_are_named(void **state)
{
	struct scene scene;

	(void)state;
	open_empty(&scene, 1000, 100);
	scene_press(&scene, "\\none");
	scene_press_key(&scene, UI_KEY_ENTER);
	scene_press(&scene, "K");
	scene_show(&scene);
	check_says(&scene, "None of 900 samples passes the filter (last: \"none\").",
		   "  Enter takes it away, Esc goes back, F lists all, "
		   "K and U show what is hidden.");
}

static void answer_nothing(struct scene *scene)
{
	scene_prepare(scene);
	scene->snapshot.row_count = 0;
	scene->snapshot.tree.node_count = 0;
	scene->snapshot.groups.node_count = 0;
	scene_show(scene);
}

static void test_enter_takes_the_innermost_filter_away(void **state)
{
	static const enum view_kind kinds[] = {
		VIEW_SYMBOLS, VIEW_OBJECTS, VIEW_COMMANDS, VIEW_TASKS, VIEW_CPUS, VIEW_TREE,
		VIEW_FLAME, VIEW_GROUPS,
	};

	(void)state;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct scene scene;

		scene_open(&scene, 80, 24);
		scene_answer(&scene);
		scene_press(&scene, "U\\one");
		scene_press_key(&scene, UI_KEY_ENTER);
		state_show_kind(&scene.state, kinds[i]);
		answer_nothing(&scene);
		assert_int_equal(scene.state.trail.filter.count, 1);
		scene_press_key(&scene, UI_KEY_ENTER);
		assert_int_equal(scene.state.trail.filter.count, 0);
		assert_int_equal(state_kind(&scene.state), kinds[i]);
		assert_string_equal(scene.state.message, "taken away: \"one\"");
		answer_nothing(&scene);
		assert_true(scene.state.hide_user);
		scene_press_key(&scene, UI_KEY_ENTER);
		assert_false(scene.state.hide_user);
		scene_finish(&scene);
	}
}

/* The empty rows are the answer to the filter that has just been taken away. */
static void test_while_rows_are_asked_for_nothing_is_blamed(void **state)
{
	struct scene scene;

	(void)state;
	open_empty(&scene, 1000, 100);
	scene_press(&scene, "K");
	scene_show(&scene);
	scene_press(&scene, "K");
	check_says(&scene, "Counting\u2026", "");
}

static void test_sentences_wrap_at_spaces_on_narrow_screens(void **state)
{
	struct scene scene;

	(void)state;
	scene_open(&scene, 40, 12);
	scene_find(&scene, "Collecting: the first picture comes");
	assert_string_equal(scene_line(&scene, 5), "  Collecting: the first picture comes");
	assert_string_equal(scene_line(&scene, 6), "  with the first refresh.");
	scene_finish(&scene);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing_came_yet),
		cmocka_unit_test(test_all_were_idle),
		cmocka_unit_test(test_no_sample_at_all),
		cmocka_unit_test(test_a_target_that_leaves_its_work_to_children_offers_them),
		cmocka_unit_test(test_right_after_zero_nothing_is_called_cold),
		cmocka_unit_test(test_a_target_that_ended_was_hit_before_zero),
		cmocka_unit_test(test_a_recording_has_no_other_source),
		cmocka_unit_test(test_the_target_ended_first),
		cmocka_unit_test(test_the_filter_leaves_nothing),
		cmocka_unit_test(test_what_is_hidden_is_everything),
		cmocka_unit_test(test_filtered_and_hidden_both_are_named),
		cmocka_unit_test(test_enter_takes_the_innermost_filter_away),
		cmocka_unit_test(test_while_rows_are_asked_for_nothing_is_blamed),
		cmocka_unit_test(test_sentences_wrap_at_spaces_on_narrow_screens),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
