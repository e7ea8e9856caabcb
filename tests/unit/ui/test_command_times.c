/* Keys that go back in time. By the fixture it is 5000.4 s, history begins at 4880.3 s. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <locale.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "probe_fixture.h"
#include "ui_fixture.h"
#include "ui/command_list.h"
#include "unit_tests.h"

#define S CLOCK_NS_PER_S

/* NULL: no freeze, or thaw, waits to be sent. */
static const struct request *freeze_of(const struct ui *ui)
{
	for (size_t i = 0; i < ui->state.out.count; i++)
		if (ui->state.out.requests[i].kind == REQUEST_FREEZE)
			return &ui->state.out.requests[i];
	return NULL;
}

static void expect_asked(const struct ui *ui, double begin_s, double end_s)
{
	const struct request *freeze = freeze_of(ui);

	assert_non_null(freeze);
	assert_int_equal(freeze->begin_ns, (uint64_t)(begin_s * 1e9));
	assert_int_equal(freeze->value_ns, (uint64_t)(end_s * 1e9));
	assert_int_equal(ui->state.query.time.begin_ns, freeze->begin_ns);
	assert_int_equal(ui->state.query.time.end_ns, freeze->value_ns);
}

static void expect_said(const struct ui *ui, const char *part)
{
	if (!strstr(ui->state.message, part))
		print_error("said: %s\n", ui->state.message);
	assert_non_null(strstr(ui->state.message, part));
}

static void test_the_first_step_chooses_a_window_as_long_as_the_present_one(void **state)
{
	struct ui *ui = *state;

	ui_press(ui, "[");
	expect_asked(ui, 4989, 4999);
	assert_string_equal(ui->state.message, "");
	command_go_live(&ui->state);
	ui->state.query.window_ns = 60 * S;
	ui_press(ui, "[");
	expect_asked(ui, 4939, 4999);
	command_go_live(&ui->state);
	ui->state.query.window = WINDOW_ALL;
	ui_press(ui, "[");
	expect_asked(ui, 4989, 4999);
	command_go_live(&ui->state);
	ui->state.query.window = WINDOW_DECAY;
	ui_press(ui, "{");
	expect_asked(ui, 4980, 4990);
}

/* No snapshot comes between them. */
static void test_steps_add_up_while_a_key_is_held(void **state)
{
	struct ui *ui = *state;

	ui_press(ui, "[[[[");
	expect_asked(ui, 4986, 4996);
	ui_press(ui, "]");
	expect_asked(ui, 4987, 4997);
	ui_press(ui, "{");
	expect_asked(ui, 4977, 4987);
	ui_press(ui, "}");
	expect_asked(ui, 4987, 4997);
	assert_int_equal(ui->state.out.count, 1);
	assert_true(state_is_time_waiting(&ui->state));
	ui_show(ui);
	assert_false(state_is_time_waiting(&ui->state));
}

static void test_from_a_pause_the_step_is_from_what_is_shown(void **state)
{
	struct ui *ui = *state;

	ui->snapshot.time_ns = 4950 * S + S / 5;
	ui_show(ui);
	ui_press(ui, " [");
	assert_false(ui->state.query.is_paused);
	expect_asked(ui, 4939, 4949);
}

static void test_beyond_the_newest_it_is_live_and_says_so(void **state)
{
	struct ui *ui = *state;

	ui_press(ui, "[]");
	expect_asked(ui, 4990, 5000);
	ui_press(ui, "]");
	expect_asked(ui, 0, 0);
	expect_said(ui, "live again: last 10 s");
	ui_press(ui, "]");
	expect_said(ui, "this is live");
	ui_press(ui, "[[}");
	expect_asked(ui, 0, 0);
}

static void test_where_history_begins_it_says_why(void **state)
{
	struct ui *ui = *state;

	ui_press(ui, "[{{{{{{{{{{{{");
	expect_asked(ui, 4881, 4891);
	expect_said(ui, "history begins here, 2 m 00 s ago");
	ui->snapshot.is_history_cut = true;
	ui_show(ui);
	ui_press(ui, "[");
	expect_asked(ui, 4881, 4891);
	expect_said(ui, "history begins here: 64 MiB hold 2 m 00 s");
	ui->snapshot.is_history_cut = false;
	ui->snapshot.is_replay = true;
	ui_show(ui);
	ui_press(ui, "[");
	expect_said(ui, "the recording begins here");
}

static void test_a_chosen_time_that_left_history_is_not_called_short(void **state)
{
	struct ui *ui = *state;

	ui_press(ui, "[{{");
	ui->snapshot.is_history_cut = true;
	ui->snapshot.known_ns = 4980 * S;
	ui_show(ui);
	ui_press(ui, "(");
	expect_said(ui, "history begins here: 64 MiB hold 20 s");
	ui_press(ui, ")");
	expect_said(ui, "history begins here: 64 MiB hold 20 s");
	expect_asked(ui, 4969, 4979);
}

/* Of 0.5 s, and no whole one. */
static void test_a_short_recording_is_all_that_can_be_chosen(void **state)
{
	struct ui *ui = *state;

	ui->snapshot.is_replay = true;
	ui->snapshot.known_ns = 4999 * S + S / 2;
	ui->snapshot.newest_ns = 5000 * S;
	ui_show(ui);
	ui_press(ui, "(");
	expect_asked(ui, 4999.8, 5000);
	ui_press(ui, "0[");
	expect_asked(ui, 4999.5, 5000);
	expect_said(ui, "the recording begins here");
	ui_press(ui, "0");
	ui->snapshot.newest_ns = ui->snapshot.known_ns = 0;
	ui_show(ui);
	ui_press(ui, "[");
	expect_said(ui, "the recording has no time to choose");
}

static void test_without_history_there_is_no_going_back(void **state)
{
	struct ui *ui = *state;
	static struct ui fresh;

	ui->snapshot.known_ns = 4999 * S + S / 2;
	ui_show(ui);
	ui_press(ui, "[");
	expect_said(ui, "no whole second of history yet");
	assert_null(freeze_of(ui));
	ui_open(&fresh, 80, 24);
	ui_press(&fresh, "[({0]})");
	assert_null(freeze_of(&fresh));
	ui_press(&fresh, "[");
	expect_said(&fresh, "no whole second of history yet");
	ui_finish(&fresh);
}

static void test_the_length_goes_by_about_halves(void **state)
{
	struct ui *ui = *state;

	ui_press(ui, "(");	/* the 10 s that were live */
	expect_asked(ui, 4995, 5000);
	expect_said(ui, "5 s of history");
	ui_press(ui, "(((((((");
	expect_asked(ui, 4999.95, 5000);
	ui_press(ui, "(");
	expect_said(ui, "50 ms");
	ui_press(ui, "))))))))))");
	expect_asked(ui, 4880.3, 5000.3);
	ui_press(ui, "))");
	expect_said(ui, "as long as it gets");
}

static void test_keys_that_lead_back_to_live(void **state)
{
	static const char *const keys[] = { "0", " ", "w", "z" };
	struct ui *ui = *state;

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		ui_press(ui, "[");
		ui_show(ui);
		ui->state.out.count = 0;
		ui_press(ui, keys[i]);
		assert_int_equal(ui->state.query.time.end_ns, 0);
		assert_false(ui->state.query.is_paused);
		expect_asked(ui, 0, 0);
	}
	assert_int_equal(ui->state.query.window_ns, 60 * S);		/* w chose it */
	ui_press(ui, " 0");
	assert_false(ui->state.query.is_paused);
	expect_asked(ui, 0, 0);
	ui_press(ui, "0");
	expect_said(ui, "this is live");
}

static void test_another_source_is_live(void **state)
{
	struct ui *ui = *state;
	const struct diag why = { 0 };

	ui_press(ui, "z[");
	assert_true(ui->state.query.is_zeroed);
	state_source_changed(&ui->state, 0, &why);
	assert_int_equal(ui->state.query.time.end_ns, 0);
	assert_false(ui->state.query.is_zeroed);
	expect_asked(ui, 0, 0);
}

/* Made before the analyzer heard of it. */
static void test_what_was_made_live_is_not_shown_in_the_past(void **state)
{
	struct ui *ui = *state;
	struct snapshot late = ui_snapshot(VIEW_SYMBOLS);

	ui_press(ui, "[");
	late.query = ui->state.query.number;
	assert_ptr_equal(input_offer_snapshot(&ui->state, &late), &late);
	late.is_frozen = true;
	assert_ptr_equal(input_offer_snapshot(&ui->state, &late), &late);
	late.is_selected = true;	/* another window on the way there */
	assert_ptr_equal(input_offer_snapshot(&ui->state, &late), &ui->snapshot);
	assert_true(state_is_time_waiting(&ui->state));
}

static void test_in_the_past_the_bottom_line_leads_out_of_it(void **state)
{
	struct ui *ui = *state;

	assert_false(ui_has(ui, "0 live"));
	assert_true(ui_has(ui, "Space pause"));
	ui_press(ui, "[");
	assert_true(ui_has(ui, "[ earlier"));
	assert_true(ui_has(ui, "] later"));
	assert_true(ui_has(ui, "0 live"));
	assert_false(ui_has(ui, "Space pause"));
	assert_int_equal(canvas_resize(&ui->canvas, 60, 16), 0);
	assert_true(ui_has(ui, "0 live"));
	assert_int_equal(canvas_resize(&ui->canvas, 40, 12), 0);
	assert_true(ui_has(ui, "0 live"));
	ui_press_key(ui, UI_KEY_ENTER);
	ui_reply(ui);
	assert_true(ui_has(ui, "Esc back"));
	assert_true(ui_has(ui, "0 live"));
}

static void test_the_heat_map_is_asked_for_only_while_it_is_shown(void **state)
{
	struct ui *ui = *state;

	assert_true(ui->state.display.heat_room);
	ui_press(ui, "H");
	assert_true(ui_asked(ui)->heat);
	ui_press(ui, "2");
	assert_true(ui_asked(ui)->heat);
	ui_press(ui, "H");
	assert_false(ui_asked(ui)->heat);
}

static void test_a_low_screen_has_no_room_for_the_heat_map(void **state)
{
	struct ui *ui = *state;

	assert_int_equal(canvas_resize(&ui->canvas, 80, 16), 0);
	frame_draw(&ui->state, &ui->canvas);
	ui_press(ui, "H");
	assert_false(ui->state.query.wants_heat);
	expect_said(ui, "no room: the heat map needs 17 lines");
	assert_int_equal(canvas_resize(&ui->canvas, 80, 17), 0);
	frame_draw(&ui->state, &ui->canvas);
	ui_press(ui, "H");
	assert_true(ui->state.query.wants_heat);
	/* It stays asked for while there is none to see. */
	assert_int_equal(canvas_resize(&ui->canvas, 40, 10), 0);
	frame_draw(&ui->state, &ui->canvas);
	ui_press(ui, "H");
	assert_true(ui->state.query.wants_heat);
	assert_true(ui_has(ui, "no room: the heat map needs 17 lines"));
}

/* Its window ended long before the order, but it was made after it. */
static void test_in_the_past_the_result_of_a_request_is_shown(void **state)
{
	struct ui *ui = *state;
	struct snapshot_probe probe = probe_fixture(0).list[0];

	ui_press(ui, "8");
	ui_reply(ui);
	ui->snapshot.probes = (struct snapshot_probes){ .count = 1, .list = &probe };
	ui_show(ui);
	ui_press(ui, "[t");
	ui->snapshot.newest_ns = 1;
	ui_show(ui);
	assert_non_null(state_probe_sent(&ui->state, &probe));
	ui->snapshot.newest_ns = UINT64_MAX;
	ui_show(ui);
	assert_null(state_probe_sent(&ui->state, &probe));
}

UNIT_TESTS(test_command_times)
{
	const struct CMUnitTest tests[] = {
		UI_TEST(test_the_first_step_chooses_a_window_as_long_as_the_present_one),
		UI_TEST(test_steps_add_up_while_a_key_is_held),
		UI_TEST(test_from_a_pause_the_step_is_from_what_is_shown),
		UI_TEST(test_beyond_the_newest_it_is_live_and_says_so),
		UI_TEST(test_where_history_begins_it_says_why),
		UI_TEST(test_a_chosen_time_that_left_history_is_not_called_short),
		UI_TEST(test_a_short_recording_is_all_that_can_be_chosen),
		UI_TEST(test_without_history_there_is_no_going_back),
		UI_TEST(test_the_length_goes_by_about_halves),
		UI_TEST(test_keys_that_lead_back_to_live),
		UI_TEST(test_another_source_is_live),
		UI_TEST(test_what_was_made_live_is_not_shown_in_the_past),
		UI_TEST(test_in_the_past_the_result_of_a_request_is_shown),
		UI_TEST(test_in_the_past_the_bottom_line_leads_out_of_it),
		UI_TEST(test_the_heat_map_is_asked_for_only_while_it_is_shown),
		UI_TEST(test_a_low_screen_has_no_room_for_the_heat_map),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
