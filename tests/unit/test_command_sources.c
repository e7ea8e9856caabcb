/* What is asked of the source, word for word, and what its answer changes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <locale.h>

#include <cmocka.h>

#include "scene_fixture.h"
#include "ui/commands.h"

static void enter(struct scene *scene, const char *label, const char *text)
{
	assert_true(scene->state.prompt.is_open);
	assert_string_equal(scene->state.prompt.label, label);
	scene_press_key(scene, UI_KEY_CTRL('U'));
	scene_press(scene, text);
	scene_press_key(scene, UI_KEY_ENTER);
	assert_false(scene->state.prompt.is_open);
}

static void check_asked(struct scene *scene, enum source_change_kind kind, const char *text)
{
	assert_int_equal(scene->source.count, 1);
	assert_int_equal(scene->source.asked[0].kind, kind);
	assert_string_equal(scene->source.asked[0].text, text);
	assert_true(scene->state.is_source_changing);
	assert_true(scene_has(scene, "changing"));
	scene->source.count = 0;
	scene->source.is_busy = false;
	state_source_changed(&scene->state, 0, NULL);
}

static void test_an_event_of_the_menu_or_any_other(void **state)
{
	struct scene *scene = *state;

	scene_press(scene, "e");
	scene_press_key(scene, UI_KEY_ENTER);	/* the cursor is on the present one */
	check_asked(scene, SOURCE_EVENT, "cpu-clock");
	scene_press(scene, "e");
	scene_choose(scene, "page-faults");
	check_asked(scene, SOURCE_EVENT, "page-faults");
	scene_press(scene, "e");
	scene_choose(scene, "another");
	enter(scene, "event (as for -e):", "sched:sched_switch");
	check_asked(scene, SOURCE_EVENT, "sched:sched_switch");
}

static void test_the_frequency_begins_with_the_present_one(void **state)
{
	struct scene *scene = *state;

	scene_press(scene, "f");
	assert_string_equal(scene->state.prompt.text, "997");
	enter(scene, "samples a second and CPU:", "4000");
	check_asked(scene, SOURCE_FREQUENCY, "4000");
}

static void test_every_kind_of_target(void **state)
{
	struct scene *scene = *state;

	scene_press(scene, "t");
	scene_choose(scene, "everything");
	check_asked(scene, SOURCE_ALL, "");
	scene_press(scene, "t");
	scene_choose(scene, "processes");
	enter(scene, "processes (id, name, PID+):", "77,900");
	check_asked(scene, SOURCE_PROCESSES, "77,900");
	scene_press(scene, "t");
	scene_choose(scene, "threads");
	enter(scene, "thread ids:", "912");
	check_asked(scene, SOURCE_THREADS, "912");
	scene_press(scene, "t");
	scene_choose(scene, "user");
	enter(scene, "user:", "www-data");
	check_asked(scene, SOURCE_USER, "www-data");
	scene_press(scene, "t");
	scene_choose(scene, "a cgroup");
	enter(scene, "cgroup (path, unit, container):", "nginx.service");
	check_asked(scene, SOURCE_CGROUP, "nginx.service");
	scene_press(scene, "t");
	scene_choose(scene, "some cpus");
	enter(scene, "CPUs (0-3,8):", "0-3");
	check_asked(scene, SOURCE_CPUS, "0-3");
	scene_press(scene, "t");
	scene_choose(scene, "all cpus");
	check_asked(scene, SOURCE_CPUS, "");
}

static void test_the_children_of_the_target_come_first(void **state)
{
	struct scene *scene = *state;

	scene->snapshot.target_pid = 4120;
	scene->snapshot.target_children = 12;
	scene_press(scene, "t");
	scene_press_key(scene, UI_KEY_ENTER);
	check_asked(scene, SOURCE_PROCESSES, "4120+");
}

static void test_the_target_of_the_row_under_the_cursor(void **state)
{
	struct scene *scene = *state;

	scene_press(scene, "t");
	scene_choose(scene, "this row's process: pid 4121");
	check_asked(scene, SOURCE_PROCESSES, "4121");
	scene_press(scene, "jt");	/* a row of 12 tasks */
	assert_false(scene_has(scene, "this row's process"));
}

static void test_one_change_at_a_time(void **state)
{
	struct scene *scene = *state;

	scene_press(scene, "t");
	scene_choose(scene, "everything");
	scene_press(scene, "t");
	scene_choose(scene, "all cpus");
	assert_int_equal(scene->source.count, 1);
	assert_string_equal(scene->state.message, "the change before is still under way");
	assert_true(scene->state.is_source_changing);
}

static void test_a_recording_stays_what_it_is(void **state)
{
	static const char keys[] = "eft";
	struct scene *scene = *state;

	scene->state.source = NULL;
	for (size_t i = 0; keys[i]; i++) {
		const char key[] = { keys[i], '\0' };

		scene_press(scene, key);
		assert_false(scene->state.menu.is_open);
		assert_false(scene->state.prompt.is_open);
		assert_string_equal(scene->state.message, "a recording stays what was recorded");
	}
}

static void test_what_a_change_failed_by_is_said(void **state)
{
	struct scene *scene = *state;
	struct diag why;

	diag_set(&why, -EACCES, "pid 1 is another user's: run as root");
	scene->state.is_paused = scene->state.is_source_changing = true;
	scene->state.is_command_ended = true;
	state_source_changed(&scene->state, -EACCES, &why);
	assert_string_equal(scene->state.message, "pid 1 is another user's: run as root");
	assert_false(scene->state.is_source_changing);
	assert_true(scene->state.is_paused);	/* the old source goes on, and what was frozen */
	assert_true(scene->state.is_command_ended);
}

static void test_a_change_that_worked_goes_live(void **state)
{
	struct scene *scene = *state;
	const struct request *last;

	scene_press(scene, " ");
	scene->state.is_command_ended = true;
	state_source_changed(&scene->state, 0, NULL);
	assert_false(scene->state.is_paused);
	assert_false(scene->state.is_command_ended);
	assert_string_equal(scene->state.message, "changed: the window begins now");
	last = &scene->state.outbox[scene->state.outbox_count - 1];
	assert_int_equal(last->kind, REQUEST_REFRESH);
	assert_int_equal(last[-1].kind, REQUEST_FREEZE);
	assert_int_equal(last[-1].value_ns, 0);
}

static void test_the_next_event_of_several(void **state)
{
	struct scene *scene = *state;

	scene_press(scene, "v");
	assert_string_equal(scene->state.message, "there is only one event");
	scene->snapshot.event_count = 2;
	scene->snapshot.event_index = 1;
	scene_show(scene);
	scene_press(scene, "v");
	assert_int_equal(scene->state.outbox[0].kind, REQUEST_EVENT);
	assert_int_equal(scene->state.outbox[0].value, 0);
	scene->snapshot.event_count = 360;
	scene->snapshot.next_shown = 77;
	scene_show(scene);
	scene_press(scene, "v");
	assert_string_equal(scene->state.message, "events without samples are passed over");
	assert_int_equal(scene->state.outbox[scene->state.outbox_count - 1].value, 77);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE_TEST(test_an_event_of_the_menu_or_any_other),
		SCENE_TEST(test_the_frequency_begins_with_the_present_one),
		SCENE_TEST(test_every_kind_of_target),
		SCENE_TEST(test_the_children_of_the_target_come_first),
		SCENE_TEST(test_the_target_of_the_row_under_the_cursor),
		SCENE_TEST(test_one_change_at_a_time),
		SCENE_TEST(test_a_recording_stays_what_it_is),
		SCENE_TEST(test_what_a_change_failed_by_is_said),
		SCENE_TEST(test_a_change_that_worked_goes_live),
		SCENE_TEST(test_the_next_event_of_several),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
