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
#include "ui_fixture.h"
#include "time_fixture.h"
#include "unit_tests.h"

static void open_past(struct ui *ui, int width, int height, const char *keys)
{
	ui_open(ui, width, height);
	ui->state.display.wall_offset_ns = UI_WALL_OFFSET_S * CLOCK_NS_PER_S;
	ui_show(ui);
	frame_draw(&ui->state, &ui->canvas);
	ui_press(ui, keys);
	ui_show(ui);
}

static void test_a_minute_ago(void **state)
{
	static const int sizes[][2] = { { 80, 24 }, { 100, 24 }, { 200, 60 }, { 40, 12 } };
	struct ui ui;
	char name[64];

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		open_past(&ui, sizes[i][0], sizes[i][1], "[{{");
		snprintf(name, sizeof(name), "past_%dx%d", sizes[i][0], sizes[i][1]);
		ui_close(&ui, name);
	}
}

static void test_what_it_means_without_colours(void **state)
{
	struct ui ui;

	(void)state;
	open_past(&ui, 80, 24, "[{{");
	ui_compare("past_roles_80x24", ui_roles(&ui));
	ui.canvas.is_ascii = true;
	ui_close(&ui, "past_ascii_80x24");
}

/* The clock on the wall is at .527 where a second of the activity graph begins. */
static void test_wide_screens_tell_where_a_second_begins(void **state)
{
	static const int widths[] = { 40, 80, 100, 119, 120, 200 };
	struct ui ui;

	(void)state;
	for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
		open_past(&ui, widths[i], 40, "");
		ui.state.display.wall_offset_ns += 527 * CLOCK_NS_PER_MS;
		ui_press(&ui, "[{{");
		ui_show(&ui);
		assert_true(ui_has(&ui, widths[i] < 120
						      ? "14:05:02\u201314:05:12"
						      : "14:05:02.527\u201314:05:12.527"));
		assert_true(ui_has(&ui, "(\u221221 s)"));
		assert_true(widths[i] < 80 || ui_has(&ui, "78.9k samples"));
		ui_finish(&ui);
	}
}

static void test_asked_for_and_not_there_yet(void **state)
{
	struct ui ui;

	(void)state;
	open_past(&ui, 100, 24, "[{{");
	ui_press(&ui, "{");
	ui_close(&ui, "past_asked_100x24");
}

/* 71 s of 120 have room: it moves. */
static void test_further_back_than_the_screen_is_wide(void **state)
{
	struct ui ui;

	(void)state;
	open_past(&ui, 80, 24, "[{{{{{{{{");
	ui_close(&ui, "past_far_80x24");

	open_past(&ui, 80, 24, "[");
	ui.snapshot.known_ns = 4000 * CLOCK_NS_PER_S;	/* more than the activity graph has */
	ui_show(&ui);
	ui.state.query.time = (struct time_range){ 4500 * CLOCK_NS_PER_S, 4510 * CLOCK_NS_PER_S };
	ui_show(&ui);
	ui_close(&ui, "past_beyond_80x24");
}

static void test_history_that_was_cut(void **state)
{
	struct ui ui;

	(void)state;
	open_past(&ui, 100, 24, "");
	ui.snapshot.is_history_cut = true;
	ui.snapshot.known_ns = 4940 * CLOCK_NS_PER_S;
	ui.snapshot.activity = ui.snapshot.activity + 60;
	ui.snapshot.activity_count = 60;
	ui_show(&ui);
	ui_compare("history_cut_100x24", ui_text(&ui));
	ui_press(&ui, "[{{{{{{");
	ui_show(&ui);
	ui_press(&ui, "[");
	ui_close(&ui, "history_begins_100x24");
}

static void test_nothing_was_counted_then(void **state)
{
	struct ui ui;

	(void)state;
	open_past(&ui, 80, 24, "[{{");
	ui.snapshot.row_count = 0;
	ui.snapshot.samples = ui.snapshot.idle_samples = 0;
	ui.snapshot.weight = 0;
	ui_show(&ui);
	ui_close(&ui, "past_nothing_80x24");
}

static void test_of_a_recording(void **state)
{
	struct ui ui;

	(void)state;
	open_past(&ui, 100, 24, "");
	ui.snapshot.is_replay = true;
	ui.snapshot.window = WINDOW_ALL;
	ui.snapshot.busy_pct = -1;
	ui.snapshot.activity_kind = ACTIVITY_RATE;
	ui_show(&ui);
	ui_press(&ui, "[{((((");
	ui_show(&ui);
	ui_close(&ui, "past_recording_100x24");
}

static void open_heat(struct ui *ui, int width, int height, const char *keys)
{
	open_past(ui, width, height, "H");
	ui->snapshot.heat = time_fixture_heat();
	ui->snapshot.heat_most = TIME_FIXTURE_MOST;
	ui_show(ui);
	ui_press(ui, keys);
	ui_show(ui);
}

static void test_the_heat_map(void **state)
{
	static const int sizes[][2] = { { 80, 24 }, { 100, 24 }, { 120, 40 }, { 200, 60 } };
	struct ui ui;
	char name[64];

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		open_heat(&ui, sizes[i][0], sizes[i][1], "");
		snprintf(name, sizeof(name), "heat_%dx%d", sizes[i][0], sizes[i][1]);
		ui_close(&ui, name);
	}
}

static void test_the_heat_map_of_the_past(void **state)
{
	struct ui ui;

	(void)state;
	open_heat(&ui, 120, 40, "[{((((((");
	ui_compare("heat_past_roles_120x40", ui_roles(&ui));
	ui_close(&ui, "heat_past_120x40");
	open_heat(&ui, 80, 24, "[{");
	ui.canvas.is_ascii = true;
	ui_close(&ui, "heat_past_ascii_80x24");
}

static void test_points_longer_than_a_second_have_no_heat_map(void **state)
{
	struct ui ui;

	(void)state;
	open_past(&ui, 80, 24, "H");
	ui.snapshot.activity_step_s = 3;
	ui_show(&ui);
	ui_close(&ui, "heat_none_80x24");
}

UNIT_TESTS(test_screens_past)
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
