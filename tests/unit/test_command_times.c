/* Keys that go back in time. By the scene it is 5000.4 s, history begins at 4880.3 s. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <locale.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "probe_fixture.h"
#include "scene_fixture.h"
#include "ui/command_list.h"

#define S CLOCK_NS_PER_S

/* NULL: no freeze, or thaw, waits to be sent. */
static const struct request *freeze_of(const struct scene *scene)
{
	for (size_t i = 0; i < scene->state.outbox_count; i++)
		if (scene->state.outbox[i].kind == REQUEST_FREEZE)
			return &scene->state.outbox[i];
	return NULL;
}

static void expect_asked(const struct scene *scene, double begin_s, double end_s)
{
	const struct request *freeze = freeze_of(scene);

	assert_non_null(freeze);
	assert_int_equal(freeze->begin_ns, (uint64_t)(begin_s * 1e9));
	assert_int_equal(freeze->value_ns, (uint64_t)(end_s * 1e9));
	assert_int_equal(scene->state.time.begin_ns, freeze->begin_ns);
	assert_int_equal(scene->state.time.end_ns, freeze->value_ns);
}

static void expect_said(const struct scene *scene, const char *part)
{
	if (!strstr(scene->state.message, part))
		print_error("said: %s\n", scene->state.message);
	assert_non_null(strstr(scene->state.message, part));
}

static void test_the_first_step_chooses_a_window_as_long_as_the_present_one(void **state)
{
	struct scene *scene = *state;

	scene_press(scene, "[");
	expect_asked(scene, 4989, 4999);
	assert_string_equal(scene->state.message, "");
	command_go_live(&scene->state);
	scene->state.window_ns = 60 * S;
	scene_press(scene, "[");
	expect_asked(scene, 4939, 4999);
	command_go_live(&scene->state);
	scene->state.window = WINDOW_ALL;
	scene_press(scene, "[");
	expect_asked(scene, 4989, 4999);
	command_go_live(&scene->state);
	scene->state.window = WINDOW_DECAY;
	scene_press(scene, "{");
	expect_asked(scene, 4980, 4990);
}

/* No picture comes between them. */
static void test_steps_add_up_while_a_key_is_held(void **state)
{
	struct scene *scene = *state;

	scene_press(scene, "[[[[");
	expect_asked(scene, 4986, 4996);
	scene_press(scene, "]");
	expect_asked(scene, 4987, 4997);
	scene_press(scene, "{");
	expect_asked(scene, 4977, 4987);
	scene_press(scene, "}");
	expect_asked(scene, 4987, 4997);
	assert_int_equal(scene->state.outbox_count, 1);
	assert_true(state_is_time_waiting(&scene->state));
	scene_show(scene);
	assert_false(state_is_time_waiting(&scene->state));
}

static void test_from_a_pause_the_step_is_from_what_is_shown(void **state)
{
	struct scene *scene = *state;

	scene->snapshot.time_ns = 4950 * S + S / 5;
	scene_show(scene);
	scene_press(scene, " [");
	assert_false(scene->state.is_paused);
	expect_asked(scene, 4939, 4949);
}

static void test_beyond_the_newest_it_is_live_and_says_so(void **state)
{
	struct scene *scene = *state;

	scene_press(scene, "[]");
	expect_asked(scene, 4990, 5000);
	scene_press(scene, "]");
	expect_asked(scene, 0, 0);
	expect_said(scene, "live again: last 10 s");
	scene_press(scene, "]");
	expect_said(scene, "this is live");
	scene_press(scene, "[[}");
	expect_asked(scene, 0, 0);
}

static void test_where_history_begins_it_says_why(void **state)
{
	struct scene *scene = *state;

	scene_press(scene, "[{{{{{{{{{{{{");
	expect_asked(scene, 4881, 4891);
	expect_said(scene, "history begins here, 2 m 00 s ago");
	scene->snapshot.is_history_cut = true;
	scene_show(scene);
	scene_press(scene, "[");
	expect_asked(scene, 4881, 4891);
	expect_said(scene, "history begins here: 64 MiB hold 2 m 00 s");
	scene->snapshot.is_history_cut = false;
	scene->snapshot.is_replay = true;
	scene_show(scene);
	scene_press(scene, "[");
	expect_said(scene, "the recording begins here");
}

static void test_a_chosen_time_that_left_history_is_not_called_short(void **state)
{
	struct scene *scene = *state;

	scene_press(scene, "[{{");
	scene->snapshot.is_history_cut = true;
	scene->snapshot.known_ns = 4980 * S;
	scene_show(scene);
	scene_press(scene, "(");
	expect_said(scene, "history begins here: 64 MiB hold 20 s");
	scene_press(scene, ")");
	expect_said(scene, "history begins here: 64 MiB hold 20 s");
	expect_asked(scene, 4969, 4979);
}

/* Of 0.5 s, and no whole one. */
static void test_a_short_recording_is_all_that_can_be_chosen(void **state)
{
	struct scene *scene = *state;

	scene->snapshot.is_replay = true;
	scene->snapshot.known_ns = 4999 * S + S / 2;
	scene->snapshot.newest_ns = 5000 * S;
	scene_show(scene);
	scene_press(scene, "(");
	expect_asked(scene, 4999.8, 5000);
	scene_press(scene, "0[");
	expect_asked(scene, 4999.5, 5000);
	expect_said(scene, "the recording begins here");
	scene_press(scene, "0");
	scene->snapshot.newest_ns = scene->snapshot.known_ns = 0;
	scene_show(scene);
	scene_press(scene, "[");
	expect_said(scene, "the recording has no time to choose");
}

static void test_without_history_there_is_no_going_back(void **state)
{
	struct scene *scene = *state;
	static struct scene fresh;

	scene->snapshot.known_ns = 4999 * S + S / 2;
	scene_show(scene);
	scene_press(scene, "[");
	expect_said(scene, "no whole second of history yet");
	assert_null(freeze_of(scene));
	scene_open(&fresh, 80, 24);
	scene_press(&fresh, "[({0]})");
	assert_null(freeze_of(&fresh));
	scene_press(&fresh, "[");
	expect_said(&fresh, "no whole second of history yet");
	scene_finish(&fresh);
}

static void test_the_length_goes_by_about_halves(void **state)
{
	struct scene *scene = *state;

	scene_press(scene, "(");	/* of the 10 s that were live */
	expect_asked(scene, 4995, 5000);
	expect_said(scene, "5 s of history");
	scene_press(scene, "(((((((");
	expect_asked(scene, 4999.95, 5000);
	scene_press(scene, "(");
	expect_said(scene, "50 ms");
	scene_press(scene, "))))))))))");
	expect_asked(scene, 4880.3, 5000.3);
	scene_press(scene, "))");
	expect_said(scene, "as long as it gets");
}

static void test_keys_that_lead_back_to_live(void **state)
{
	static const char *const keys[] = { "0", " ", "w", "z" };
	struct scene *scene = *state;

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		scene_press(scene, "[");
		scene_show(scene);
		scene->state.outbox_count = 0;
		scene_press(scene, keys[i]);
		assert_int_equal(scene->state.time.end_ns, 0);
		assert_false(scene->state.is_paused);
		expect_asked(scene, 0, 0);
	}
	assert_int_equal(scene->state.window_ns, 60 * S);	/* w chose it */
	scene_press(scene, " 0");
	assert_false(scene->state.is_paused);
	expect_asked(scene, 0, 0);
	scene_press(scene, "0");
	expect_said(scene, "this is live");
}

static void test_another_source_is_live(void **state)
{
	struct scene *scene = *state;
	const struct diag why = { 0 };

	scene_press(scene, "z[");
	assert_true(scene->state.is_zeroed);
	state_source_changed(&scene->state, 0, &why);
	assert_int_equal(scene->state.time.end_ns, 0);
	assert_false(scene->state.is_zeroed);
	expect_asked(scene, 0, 0);
}

/* Made before the analyzer heard of it. */
static void test_what_was_made_live_is_not_shown_in_the_past(void **state)
{
	struct scene *scene = *state;
	struct snapshot late = scene_snapshot(VIEW_SYMBOLS);

	scene_press(scene, "[");
	late.query = scene->state.query;
	assert_ptr_equal(state_offer_snapshot(&scene->state, &late), &late);
	late.is_frozen = true;
	assert_ptr_equal(state_offer_snapshot(&scene->state, &late), &late);
	late.is_selected = true;	/* another window on the way there */
	assert_ptr_equal(state_offer_snapshot(&scene->state, &late), &scene->snapshot);
	assert_true(state_is_time_waiting(&scene->state));
}

static void test_in_the_past_the_bottom_line_leads_out_of_it(void **state)
{
	struct scene *scene = *state;

	assert_false(scene_has(scene, "0 live"));
	assert_true(scene_has(scene, "Space pause"));
	scene_press(scene, "[");
	assert_true(scene_has(scene, "[ earlier"));
	assert_true(scene_has(scene, "] later"));
	assert_true(scene_has(scene, "0 live"));
	assert_false(scene_has(scene, "Space pause"));
}

static void test_the_heat_map_is_asked_for_only_while_it_is_shown(void **state)
{
	struct scene *scene = *state;

	assert_true(scene->state.heat_room);
	scene_press(scene, "H");
	assert_true(scene_asked(scene)->heat);
	scene_press(scene, "2");
	assert_true(scene_asked(scene)->heat);
	scene_press(scene, "H");
	assert_false(scene_asked(scene)->heat);
}

static void test_a_low_screen_has_no_room_for_the_heat_map(void **state)
{
	struct scene *scene = *state;

	assert_int_equal(canvas_resize(&scene->canvas, 80, 16), 0);
	frame_draw(&scene->state, &scene->canvas);
	scene_press(scene, "H");
	assert_false(scene->state.wants_heat);
	expect_said(scene, "a screen of 17 lines");
	assert_int_equal(canvas_resize(&scene->canvas, 80, 17), 0);
	frame_draw(&scene->state, &scene->canvas);
	scene_press(scene, "H");
	assert_true(scene->state.wants_heat);
}

/* Its window ended long before the order, but it was made after it. */
static void test_in_the_past_it_is_told_what_came_of_an_order(void **state)
{
	struct scene *scene = *state;
	struct snapshot_probe probe = probe_fixture(0).list[0];

	scene_press(scene, "8");
	scene_answer(scene);
	scene->snapshot.probes = (struct snapshot_probes){ .count = 1, .list = &probe };
	scene_show(scene);
	scene_press(scene, "[t");
	scene->snapshot.newest_ns = 1;
	scene_show(scene);
	assert_non_null(state_probe_ordered(&scene->state, &probe));
	scene->snapshot.newest_ns = UINT64_MAX;
	scene_show(scene);
	assert_null(state_probe_ordered(&scene->state, &probe));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE_TEST(test_the_first_step_chooses_a_window_as_long_as_the_present_one),
		SCENE_TEST(test_steps_add_up_while_a_key_is_held),
		SCENE_TEST(test_from_a_pause_the_step_is_from_what_is_shown),
		SCENE_TEST(test_beyond_the_newest_it_is_live_and_says_so),
		SCENE_TEST(test_where_history_begins_it_says_why),
		SCENE_TEST(test_a_chosen_time_that_left_history_is_not_called_short),
		SCENE_TEST(test_a_short_recording_is_all_that_can_be_chosen),
		SCENE_TEST(test_without_history_there_is_no_going_back),
		SCENE_TEST(test_the_length_goes_by_about_halves),
		SCENE_TEST(test_keys_that_lead_back_to_live),
		SCENE_TEST(test_another_source_is_live),
		SCENE_TEST(test_what_was_made_live_is_not_shown_in_the_past),
		SCENE_TEST(test_in_the_past_it_is_told_what_came_of_an_order),
		SCENE_TEST(test_in_the_past_the_bottom_line_leads_out_of_it),
		SCENE_TEST(test_the_heat_map_is_asked_for_only_while_it_is_shown),
		SCENE_TEST(test_a_low_screen_has_no_room_for_the_heat_map),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
