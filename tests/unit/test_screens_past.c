/* Whole screens of the past: what is chosen is between brackets, with words and without colours,
 * and the heat map beside the table. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <locale.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/clock.h"
#include "scene_fixture.h"
#include "time_fixture.h"

static void open_past(struct scene *scene, int width, int height, const char *keys)
{
	scene_open(scene, width, height);
	scene->state.wall_offset_ns = SCENE_WALL_OFFSET_S * CLOCK_NS_PER_S;
	scene_show(scene);
	frame_draw(&scene->state, &scene->canvas);
	scene_press(scene, keys);
	scene_show(scene);
}

static void test_a_minute_ago(void **state)
{
	static const int sizes[][2] = { { 80, 24 }, { 100, 24 }, { 200, 60 }, { 40, 12 } };
	struct scene scene;
	char name[64];

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		open_past(&scene, sizes[i][0], sizes[i][1], "[{{");
		snprintf(name, sizeof(name), "past_%dx%d", sizes[i][0], sizes[i][1]);
		scene_close(&scene, name);
	}
}

static void test_what_it_means_without_colours(void **state)
{
	struct scene scene;

	(void)state;
	open_past(&scene, 80, 24, "[{{");
	scene_compare("past_roles_80x24", scene_roles(&scene));
	scene.canvas.is_ascii = true;
	scene_close(&scene, "past_ascii_80x24");
}

/* The clock on the wall is at .527 where a second of the strip begins. */
static void test_wide_screens_tell_where_a_second_begins(void **state)
{
	static const int widths[] = { 40, 80, 100, 119, 120, 200 };
	struct scene scene;

	(void)state;
	for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
		open_past(&scene, widths[i], 40, "");
		scene.state.wall_offset_ns += 527 * CLOCK_NS_PER_MS;
		scene_press(&scene, "[{{");
		scene_show(&scene);
		assert_true(scene_has(&scene, widths[i] < 120
						      ? "14:05:02\u201314:05:12"
						      : "14:05:02.527\u201314:05:12.527"));
		assert_true(scene_has(&scene, "(\u221221 s)"));
		assert_true(widths[i] < 80 || scene_has(&scene, "78.9k samples"));
		scene_finish(&scene);
	}
}

static void test_asked_for_and_not_there_yet(void **state)
{
	struct scene scene;

	(void)state;
	open_past(&scene, 100, 24, "[{{");
	scene_press(&scene, "{");
	scene_close(&scene, "past_asked_100x24");
}

/* 71 s of 120 have room: it moves. */
static void test_further_back_than_the_screen_is_wide(void **state)
{
	struct scene scene;

	(void)state;
	open_past(&scene, 80, 24, "[{{{{{{{{");
	scene_close(&scene, "past_far_80x24");

	open_past(&scene, 80, 24, "[");
	scene.snapshot.known_ns = 4000 * CLOCK_NS_PER_S;	/* more than the strip has */
	scene_show(&scene);
	scene.state.time = (struct time_range){ 4500 * CLOCK_NS_PER_S, 4510 * CLOCK_NS_PER_S };
	scene_show(&scene);
	scene_close(&scene, "past_beyond_80x24");
}

static void test_history_that_was_cut(void **state)
{
	struct scene scene;

	(void)state;
	open_past(&scene, 100, 24, "");
	scene.snapshot.is_history_cut = true;
	scene.snapshot.known_ns = 4940 * CLOCK_NS_PER_S;
	scene.snapshot.strip = scene.snapshot.strip + 60;
	scene.snapshot.strip_count = 60;
	scene_show(&scene);
	scene_compare("history_cut_100x24", scene_text(&scene));
	scene_press(&scene, "[{{{{{{");
	scene_show(&scene);
	scene_press(&scene, "[");
	scene_close(&scene, "history_begins_100x24");
}

static void test_nothing_was_counted_then(void **state)
{
	struct scene scene;

	(void)state;
	open_past(&scene, 80, 24, "[{{");
	scene.snapshot.row_count = 0;
	scene.snapshot.samples = scene.snapshot.idle_samples = 0;
	scene.snapshot.weight = 0;
	scene_show(&scene);
	scene_close(&scene, "past_nothing_80x24");
}

static void test_of_a_recording(void **state)
{
	struct scene scene;

	(void)state;
	open_past(&scene, 100, 24, "");
	scene.snapshot.is_replay = true;
	scene.snapshot.window = WINDOW_ALL;
	scene.snapshot.busy_pct = -1;
	scene.snapshot.strip_kind = STRIP_RATE;
	scene_show(&scene);
	scene_press(&scene, "[{((((");
	scene_show(&scene);
	scene_close(&scene, "past_recording_100x24");
}

static void open_heat(struct scene *scene, int width, int height, const char *keys)
{
	open_past(scene, width, height, "H");
	scene->snapshot.heat = time_fixture_heat();
	scene->snapshot.heat_most = TIME_FIXTURE_MOST;
	scene_show(scene);
	scene_press(scene, keys);
	scene_show(scene);
}

static void test_the_heat_map(void **state)
{
	static const int sizes[][2] = { { 80, 24 }, { 100, 24 }, { 120, 40 }, { 200, 60 } };
	struct scene scene;
	char name[64];

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		open_heat(&scene, sizes[i][0], sizes[i][1], "");
		snprintf(name, sizeof(name), "heat_%dx%d", sizes[i][0], sizes[i][1]);
		scene_close(&scene, name);
	}
}

static void test_the_heat_map_of_the_past(void **state)
{
	struct scene scene;

	(void)state;
	open_heat(&scene, 120, 40, "[{((((((");
	scene_compare("heat_past_roles_120x40", scene_roles(&scene));
	scene_close(&scene, "heat_past_120x40");
	open_heat(&scene, 80, 24, "[{");
	scene.canvas.is_ascii = true;
	scene_close(&scene, "heat_past_ascii_80x24");
}

static void test_points_longer_than_a_second_have_no_heat_map(void **state)
{
	struct scene scene;

	(void)state;
	open_past(&scene, 80, 24, "H");
	scene.snapshot.strip_step_s = 3;
	scene_show(&scene);
	scene_close(&scene, "heat_none_80x24");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_minute_ago),
		cmocka_unit_test(test_what_it_means_without_colours),
		cmocka_unit_test(test_wide_screens_tell_where_a_second_begins),
		cmocka_unit_test(test_asked_for_and_not_there_yet),
		cmocka_unit_test(test_further_back_than_the_screen_is_wide),
		cmocka_unit_test(test_history_that_was_cut),
		cmocka_unit_test(test_nothing_was_counted_then),
		cmocka_unit_test(test_of_a_recording),
		cmocka_unit_test(test_the_heat_map),
		cmocka_unit_test(test_the_heat_map_of_the_past),
		cmocka_unit_test(test_points_longer_than_a_second_have_no_heat_map),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
