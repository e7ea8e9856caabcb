/* Whole screens: every state that the table and its header can be in. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <locale.h>

#include <cmocka.h>

#include "scene_fixture.h"

static void test_collecting(void **state)
{
	struct scene scene;

	(void)state;
	scene_open(&scene, 80, 24);
	scene_close(&scene, "collecting_80x24");
	scene_open(&scene, 40, 10);
	scene_close(&scene, "collecting_40x10");
}

static void make_empty(struct scene *scene)
{
	scene->snapshot.row_count = 0;
	scene->snapshot.samples = scene->snapshot.idle_samples = 0;
	scene->snapshot.weight = 0;
	scene->snapshot.busy_pct = 0;
	scene->snapshot.strip_count = 0;
}

static void test_nothing_hot(void **state)
{
	struct scene scene;

	(void)state;
	scene_open(&scene, 80, 24);
	make_empty(&scene);
	scene.snapshot.samples = scene.snapshot.idle_samples = 44000;
	scene_show(&scene);
	scene_close(&scene, "all_idle_80x24");

	scene_open(&scene, 80, 24);
	make_empty(&scene);
	scene_show(&scene);
	scene_close(&scene, "no_sample_80x24");

	scene_open(&scene, 40, 10);
	make_empty(&scene);
	scene_show(&scene);
	scene_close(&scene, "no_sample_40x10");
}

static void end_target(struct scene *scene)
{
	scene->snapshot.is_target_gone = true;
	scene->snapshot.target = "pid 4121";
	scene->snapshot.busy_pct = -1;
	scene->snapshot.strip_kind = STRIP_RATE;
}

static void test_target_that_ended(void **state)
{
	struct scene scene;

	(void)state;
	scene_open(&scene, 80, 24);
	end_target(&scene);
	make_empty(&scene);
	scene.snapshot.busy_pct = -1;
	scene_show(&scene);
	scene_close(&scene, "target_gone_empty_80x24");

	scene_open(&scene, 80, 24);
	end_target(&scene);
	scene_show(&scene);
	scene_close(&scene, "target_gone_80x24");

	scene_open(&scene, 40, 10);
	end_target(&scene);
	scene_show(&scene);
	scene_close(&scene, "target_gone_40x10");
}

static void test_command_that_ended(void **state)
{
	struct scene scene;

	(void)state;
	scene_open(&scene, 80, 24);
	scene.state.is_command_ended = true;
	scene.snapshot.target = "pid 4121";
	scene_show(&scene);
	scene_close(&scene, "command_ended_80x24");
}

static void test_paused(void **state)
{
	struct scene scene;

	(void)state;
	scene_open(&scene, 80, 24);
	scene_show(&scene);
	scene_press(&scene, " ");
	scene_close(&scene, "paused_80x24");
}

static void test_filters_that_leave_nothing(void **state)
{
	struct scene scene;

	(void)state;
	scene_open(&scene, 80, 24);
	scene_show(&scene);
	scene_press(&scene, "\\nowhere");
	scene_press_key(&scene, UI_KEY_ENTER);
	scene_answer_part(&scene, 0, 0, 0);
	scene_close(&scene, "filter_text_nothing_80x24");

	scene_open(&scene, 80, 24);
	scene_show(&scene);
	scene_press_key(&scene, UI_KEY_ENTER);
	scene_answer_part(&scene, 0, 0, 0);
	scene_close(&scene, "drilled_nothing_80x24");

	scene_open(&scene, 80, 24);
	scene_show(&scene);
	scene_press(&scene, "KU");
	scene_answer_part(&scene, 0, 0, 0);
	scene_close(&scene, "hidden_nothing_80x24");

	scene_open(&scene, 80, 24);
	scene_show(&scene);
	scene_press(&scene, "\\nowhere");
	scene_press_key(&scene, UI_KEY_ENTER);
	scene_answer_part(&scene, 0, 0, 0);
	scene_press_key(&scene, UI_KEY_ESCAPE);
	scene_close(&scene, "rows_asked_for_80x24");
}

static void test_without_permission(void **state)
{
	struct scene scene;

	(void)state;
	scene_open(&scene, 80, 24);
	scene.snapshot.target = "own processes";
	scene.snapshot.event = "cpu-clock:u";
	scene.snapshot.busy_pct = -1;
	scene.snapshot.strip_kind = STRIP_RATE;
	scene.snapshot.notice = "own processes only, user code only (kernel.perf_event_paranoid is "
				"2); for everything: run as root, or set it to -1";
	scene_show(&scene);
	scene_close(&scene, "no_permission_80x24");
}

static void test_events_that_are_not_supported(void **state)
{
	struct scene scene;

	(void)state;
	scene_open(&scene, 100, 24);
	scene.snapshot.event = "cpu-clock";
	scene.snapshot.absent_events = "cycles\nthis machine has no hardware counters\n"
				       "no:such\nno tracepoint group \"no\"\n";
	scene_show(&scene);
	assert_true(scene_has(&scene, "cycles and 1 more <not supported>"));
	scene_press(&scene, "!");
	scene_close(&scene, "not_supported_100x24");
}

static void lose(struct scene *scene)
{
	scene->snapshot.lost_kernel = 123456;
	scene->snapshot.lost_late = 7;
	scene->snapshot.throttled_ns = 2500000000;
}

static void test_losses(void **state)
{
	struct scene scene;

	(void)state;
	scene_open(&scene, 80, 24);
	scene.snapshot.lost_kernel = 12;
	scene_show(&scene);
	scene_close(&scene, "lost_80x24");

	scene_open(&scene, 120, 40);
	lose(&scene);
	scene_show(&scene);
	scene_close(&scene, "losses_120x40");
}

static void test_source_that_is_changing(void **state)
{
	struct scene scene;

	(void)state;
	scene_open(&scene, 80, 24);
	scene_show(&scene);
	scene_press(&scene, "e");
	scene_press_key(&scene, UI_KEY_ENTER);
	scene_close(&scene, "source_changing_80x24");
}

static void test_recording(void **state)
{
	struct scene scene;

	(void)state;
	scene_open(&scene, 100, 24);
	scene.state.source = NULL;
	scene.state.window = WINDOW_ALL;
	scene.snapshot.window = WINDOW_ALL;
	scene.snapshot.window_s = 754;
	scene.snapshot.is_replay = scene.snapshot.is_last = true;
	scene.snapshot.target = "recording perf.data";
	scene.snapshot.busy_pct = -1;
	scene.snapshot.strip_kind = STRIP_RATE;
	scene_show(&scene);
	scene_close(&scene, "recording_100x24");

	scene_open(&scene, 80, 24);
	scene.state.source = NULL;
	scene.snapshot.is_replay = scene.snapshot.is_last = true;
	scene.snapshot.end_err = -EINVAL;
	scene.snapshot.end_reason = "the recording is cut short at byte 81920";
	scene.snapshot.target = "recording perf.data";
	make_empty(&scene);
	scene.snapshot.busy_pct = -1;
	scene_show(&scene);
	scene_close(&scene, "recording_broken_80x24");
}

static void test_everything_happens_at_once(void **state)
{
	static const struct {
		int width, height;
		const char *name;
	} sizes[] = {
		{ 40, 10, "all_states_40x10" },	  { 40, 12, "all_states_40x12" },
		{ 80, 24, "all_states_80x24" },	  { 100, 24, "all_states_100x24" },
		{ 200, 60, "all_states_200x60" },
	};
	struct scene scene;

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		scene_open(&scene, sizes[i].width, sizes[i].height);
		scene_show(&scene);
		scene_press(&scene, "iU\\r");
		scene_press_key(&scene, UI_KEY_ENTER);
		scene_press(&scene, "zS ");
		scene_answer(&scene);
		scene.snapshot.shown_weight = scene.snapshot.weight * 0.2051;
		lose(&scene);
		scene.snapshot.event_count = 2;
		scene.snapshot.window = WINDOW_ALL;
		scene.snapshot.window_s = 754;
		scene.snapshot.notice = "kernel names are hidden: run as root";
		scene_show(&scene);
		scene_close(&scene, sizes[i].name);
	}
}

static void drill(struct scene *scene)
{
	scene_show(scene);
	scene_press(scene, "3");
	scene_answer(scene);
	scene_press(scene, "j");
	scene_press_key(scene, UI_KEY_ENTER);
	scene_answer_part(scene, 2, 2, 20.54);
	scene_press(scene, "j");
	scene_press_key(scene, UI_KEY_ENTER);
	scene_answer_part(scene, 3, 1, 14.8);
}

static void test_two_levels_down(void **state)
{
	struct scene scene;

	(void)state;
	scene_open(&scene, 80, 24);
	drill(&scene);
	scene_close(&scene, "drilled_80x24");
	scene_open(&scene, 120, 40);
	drill(&scene);
	scene_close(&scene, "drilled_120x40");
	scene_open(&scene, 40, 12);
	drill(&scene);
	scene_close(&scene, "drilled_40x12");
}

static void test_long_breadcrumb(void **state)
{
	static const struct {
		int width, height;
		const char *name;
	} sizes[] = { { 40, 12, "long_breadcrumb_40x12" }, { 80, 24, "long_breadcrumb_80x24" } };
	struct scene scene;

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		scene_open(&scene, sizes[i].width, sizes[i].height);
		drill(&scene);
		scene_press(&scene, "\\~^(do_)?sys");
		scene_press_key(&scene, UI_KEY_ENTER);
		scene_press(&scene, "K1");
		scene_answer_part(&scene, 7, 1, 2.58);
		scene_press_key(&scene, UI_KEY_ENTER);
		scene_answer_part(&scene, 2, 1, 2.58);
		scene_close(&scene, sizes[i].name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_events_that_are_not_supported),
		cmocka_unit_test(test_collecting),
		cmocka_unit_test(test_nothing_hot),
		cmocka_unit_test(test_target_that_ended),
		cmocka_unit_test(test_command_that_ended),
		cmocka_unit_test(test_paused),
		cmocka_unit_test(test_filters_that_leave_nothing),
		cmocka_unit_test(test_without_permission),
		cmocka_unit_test(test_losses),
		cmocka_unit_test(test_source_that_is_changing),
		cmocka_unit_test(test_recording),
		cmocka_unit_test(test_everything_happens_at_once),
		cmocka_unit_test(test_two_levels_down),
		cmocka_unit_test(test_long_breadcrumb),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
