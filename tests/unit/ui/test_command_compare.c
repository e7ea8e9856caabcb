/* m, x and X: what is asked of the analyzer, and what the screen says and keeps. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <locale.h>
#include <string.h>

#include <cmocka.h>

#include "compare_fixture.h"
#include "term/keys.h"
#include "ui/widgets/header.h"
#include "unit_tests.h"

static const struct request *asked(const struct ui *ui, enum request_kind kind)
{
	for (size_t i = 0; i < ui->state.out.count; i++)
		if (ui->state.out.requests[i].kind == kind)
			return &ui->state.out.requests[i];
	return NULL;
}

/* The symbols of a live window, not compared with anything. */
static void open_window(struct ui *ui)
{
	ui->snapshot.begin_ns = COMPARE_BEGIN_NS;
	ui->snapshot.time_ns = COMPARE_END_NS;
	ui_show(ui);
	ui->state.out.count = 0;
}

static void open_compared(struct ui *ui)
{
	open_window(ui);
	ui_press(ui, "m");
	compare_fixture_reply(ui);
	assert_true(state_is_compared(&ui->state));
	ui->state.out.count = 0;
	ui->state.message[0] = '\0';
}

static void test_m_marks_exactly_the_window_that_is_shown(void **state)
{
	struct ui *ui = *state;
	const struct request *request;

	open_window(ui);
	ui_press(ui, "m");
	request = asked(ui, REQUEST_BASELINE);
	assert_non_null(request);
	assert_true(request->begin_ns == COMPARE_BEGIN_NS && request->value_ns == COMPARE_END_NS);
	assert_true(asked(ui, REQUEST_QUERY) > request);	/* the query finds it marked */
	assert_true(ui_asked(ui)->compare);
	assert_true(ui_has(ui, "baseline A: 01:00:00\u201301:00:05"));
}

static void test_a_live_window_is_shown_without_milliseconds(void **state)
{
	struct ui *ui = *state;

	open_window(ui);
	ui->snapshot.begin_ns += 6000000;
	ui->snapshot.time_ns -= 160000000;
	ui_press(ui, "m");
	assert_true(ui_has(ui, "baseline A: 01:00:00\u201301:00:05"));
}

static void test_what_was_chosen_or_is_short_is_shown_with_milliseconds(void **state)
{
	struct ui *ui = *state;

	open_window(ui);
	ui->snapshot.time_ns = ui->snapshot.begin_ns + 509000000;
	ui_press(ui, "m");
	assert_true(ui_has(ui, "baseline A: 01:00:00.000\u201301:00:00.509"));
	ui->snapshot.time_ns = ui->snapshot.begin_ns + 1350000000;
	ui_press(ui, "m");
	assert_true(ui_has(ui, "baseline A: 01:00:00\u201301:00:01"));
	ui->snapshot.is_selected = true;
	ui_press(ui, "m");
	assert_true(ui_has(ui, "baseline A: 01:00:00.000\u201301:00:01.350"));
}

static void test_an_empty_window_is_no_baseline(void **state)
{
	struct ui *ui = *state;

	open_window(ui);
	ui->snapshot.samples = 0;
	ui_press(ui, "m");
	assert_null(asked(ui, REQUEST_BASELINE));
	assert_false(ui->state.query.compare.has_baseline);
	assert_true(ui_has(ui, "no sample in this window"));
}

static void test_a_decaying_window_is_no_baseline(void **state)
{
	struct ui *ui = *state;

	open_window(ui);
	ui->snapshot.window = WINDOW_DECAY;
	ui_show(ui);
	ui_press(ui, "m");
	assert_null(asked(ui, REQUEST_BASELINE));
	assert_true(ui_has(ui, "a decaying window can't be a baseline: w chooses another"));
}

static void test_x_needs_a_baseline(void **state)
{
	struct ui *ui = *state;

	open_window(ui);
	ui_press(ui, "x");
	assert_null(asked(ui, REQUEST_QUERY));
	assert_true(ui_has(ui, "nothing to compare with: m marks a baseline"));
	ui_press(ui, "X");
	assert_null(asked(ui, REQUEST_BASELINE));
	assert_true(ui_has(ui, "there is no baseline"));
}

static void test_x_switches_the_comparison_and_keeps_the_baseline(void **state)
{
	struct ui *ui = *state;

	open_compared(ui);
	assert_true(ui_has(ui, "A: 01:00:00\u201301:00:05"));
	ui_press(ui, "x");
	assert_false(ui_asked(ui)->compare);
	assert_null(asked(ui, REQUEST_BASELINE));
	compare_fixture_reply(ui);
	assert_false(state_is_compared(&ui->state));
	assert_true(ui_has(ui, "A marked"));
	ui_press(ui, "x");
	assert_true(ui_asked(ui)->compare);
	compare_fixture_reply(ui);
	assert_true(state_is_compared(&ui->state));
}

static void test_X_takes_the_baseline_away(void **state)
{
	struct ui *ui = *state;
	const struct request *request;

	open_compared(ui);
	ui_press(ui, "X");
	request = asked(ui, REQUEST_BASELINE);
	assert_non_null(request);
	assert_true(request->begin_ns == 0 && request->value_ns == 0);
	assert_false(ui_asked(ui)->compare);
	ui_reply(ui);
	assert_false(ui_has(ui, "A marked"));
	ui_press(ui, "x");
	assert_true(ui_has(ui, "nothing to compare with"));
}

static void test_every_question_is_compared_until_x(void **state)
{
	struct ui *ui = *state;

	open_compared(ui);
	ui_press(ui, "2");
	assert_true(ui_asked(ui)->compare);
	compare_fixture_reply(ui);
	ui_press(ui, "6");
	assert_true(ui_asked(ui)->compare);
	compare_fixture_reply(ui);
	ui_press(ui, "x");
	assert_false(ui_asked(ui)->compare);
}

static void test_changes_order_the_rows_and_the_order_of_before_comes_back(void **state)
{
	struct ui *ui = *state;

	open_window(ui);
	ui_press(ui, "sS");	/* TOTAL%, reversed */
	ui_press(ui, "m");
	assert_int_equal(state_order(&ui->state)->column, COL_TOTAL);
	compare_fixture_reply(ui);
	assert_int_equal(state_order(&ui->state)->column, COL_CHANGE);
	assert_int_equal(table_view_of(&ui->state)->rows.rows[1]->id, 777);	/* -9.80, gone */
	ui_press(ui, "S");
	assert_true(state_order(&ui->state)->is_reversed);
	ui_press(ui, "x");
	compare_fixture_reply(ui);
	assert_int_equal(state_order(&ui->state)->column, COL_TOTAL);
	assert_true(state_order(&ui->state)->is_reversed);
	ui_press(ui, "x");
	compare_fixture_reply(ui);
	assert_int_equal(state_order(&ui->state)->column, COL_CHANGE);
	assert_true(state_order(&ui->state)->is_reversed);
}

static void test_columns_of_changes_are_offered_only_while_compared(void **state)
{
	struct ui *ui = *state;

	open_window(ui);
	ui_press(ui, "c");
	assert_false(ui_has(ui, "total-change"));
	assert_false(ui_has(ui, "\u0394"));
	ui_press_key(ui, UI_KEY_ESCAPE);
	open_compared(ui);
	ui_press(ui, "c");
	assert_true(ui_has(ui, "[x] \u0394%"));
	assert_true(ui_has(ui, "[ ] \u0394TOTAL"));
	ui_choose(ui, "TOTAL%  ");
	ui_press_key(ui, UI_KEY_ESCAPE);
}

static void test_other_samples_have_no_baseline(void **state)
{
	struct ui *ui = *state;
	struct diag why = { 0 };

	open_compared(ui);
	diag_set(&why, -EACCES, "no");
	state_source_changed(&ui->state, -EACCES, &why);
	assert_true(ui->state.query.compare.has_baseline);
	state_source_changed(&ui->state, 0, NULL);
	assert_false(ui->state.query.compare.has_baseline);
	assert_true(asked(ui, REQUEST_BASELINE)->value_ns == 0);
	assert_false(ui_asked(ui)->compare);
}

static void test_a_baseline_that_left_the_history_is_shown(void **state)
{
	struct ui *ui = *state;

	open_compared(ui);
	ui->snapshot.has_baseline = ui->snapshot.is_compared = false;
	ui_show(ui);
	assert_true(ui_has(ui, "the baseline has left the history"));
	assert_false(ui->state.query.compare.is_on);
}

#define REFUSAL "no new baseline: it would take too much"

static void test_a_refused_first_baseline_says_why(void **state)
{
	struct ui *ui = *state;

	open_window(ui);
	ui_press(ui, "m");
	ui->snapshot.baseline.notice = REFUSAL;
	ui_show(ui);
	assert_true(ui_has(ui, REFUSAL));
	assert_false(ui->state.query.compare.has_baseline || ui->state.query.compare.is_on);
	ui->state.message[0] = '\0';
	ui_show(ui);
	assert_false(ui_has(ui, REFUSAL));		/* once is enough */
}

/* A later window: A is what it was, in the header and in what x says. */
static void test_a_refused_baseline_leaves_the_one_before(void **state)
{
	struct ui *ui = *state;

	open_compared(ui);
	ui->snapshot.begin_ns = COMPARE_BEGIN_NS + 10000000000;
	ui->snapshot.time_ns = COMPARE_END_NS + 10000000000;
	ui_show(ui);
	ui_press(ui, "m");
	assert_true(ui_has(ui, "baseline A: 01:00:10\u201301:00:15"));
	assert_true(ui_has(ui, "A: 01:00:00\u201301:00:05"));	/* as the rows are still */
	ui->snapshot.baseline.notice = REFUSAL;
	ui_show(ui);
	assert_true(ui_has(ui, REFUSAL));
	assert_true(ui_has(ui, "A: 01:00:00\u201301:00:05"));
	assert_true(ui->state.query.compare.has_baseline && ui->state.query.compare.is_on);
	ui_press(ui, "xx");
	assert_true(ui_has(ui, "compared with A: 01:00:00\u201301:00:05"));
}

/* A was chosen, the live window after it is refused. */
static void test_a_refused_baseline_leaves_the_milliseconds_of_the_one_before(void **state)
{
	static const char expected[] = "01:00:00.000\u201301:00:04.500";
	struct ui *ui = *state;
	char label[BASELINE_TEXT_BYTES];

	open_window(ui);
	ui->snapshot.is_selected = true;
	ui_press(ui, "m");
	compare_fixture_reply(ui);
	ui->snapshot.baseline.end_ns -= 500000000;
	assert_string_equal(baseline_label(&ui->state, label), expected);
	ui_press(ui, "m");
	ui->snapshot.baseline.notice = REFUSAL;
	ui_show(ui);
	assert_string_equal(baseline_label(&ui->state, label), expected);
}

static void test_another_recording_is_compared_from_the_start(void **state)
{
	struct ui ui;

	(void)state;
	ui_open(&ui, 100, 24);
	ui.snapshot.has_baseline = ui.snapshot.is_compared = true;
	ui.snapshot.baseline = (struct snapshot_baseline){ .weight = 1000, .window_s = 10,
							      .label = "before.data" };
	ui_show(&ui);
	assert_true(ui_has(&ui, "A: before.data"));
	ui_press(&ui, "2");
	assert_true(ui_asked(&ui)->compare);
	ui_finish(&ui);
}

/* Others may be in both. */
static void test_it_is_also_if_it_lacks_the_first_event(void **state)
{
	struct ui ui;

	(void)state;
	ui_open(&ui, 100, 24);
	ui.snapshot.has_baseline = true;
	ui_show(&ui);
	assert_false(state_is_compared(&ui.state));
	ui_press(&ui, "2");
	assert_true(ui_asked(&ui)->compare);
	ui_finish(&ui);
}

static void test_a_recording_tells_times_from_its_begin(void **state)
{
	struct ui *ui = *state;

	ui->snapshot.is_replay = true;
	ui->snapshot.known_ns = 3588000000000;
	open_compared(ui);
	ui->snapshot.is_replay = true;
	ui->snapshot.known_ns = 3588000000000;
	ui_show(ui);
	assert_true(ui_has(ui, "A: 0:12\u20130:17"));
}

static void test_saving_says_that_it_saves_both_windows(void **state)
{
	struct ui *ui = *state;

	open_window(ui);
	ui_press(ui, "P");
	assert_true(ui_has(ui, "save as:"));
	ui_press_key(ui, UI_KEY_ESCAPE);
	open_compared(ui);
	ui_press(ui, "P");
	assert_true(ui_has(ui, "save with A as:"));
}

/* What is said of the row under the cursor. */
static void test_the_line_below_tells_both_windows(void **state)
{
	struct ui *ui = *state;

	open_compared(ui);
	ui_text(ui);
	assert_true(ui_has(ui, "27.35 % \u2192 41.65 % (+14.30), 1094/s \u2192 1452/s"));
	ui_press(ui, "3");
	compare_fixture_reply(ui);
	assert_true(ui_has(ui, " % \u2192 "));	/* also where there is none else */
}

static void open_flame(struct ui *ui)
{
	state_show_kind(&ui->state, VIEW_FLAME);
	ui_prepare(ui);
	open_window(ui);
}

static void test_frames_are_coloured_by_change_while_compared(void **state)
{
	struct ui *ui = *state;

	open_flame(ui);
	ui_press(ui, "cc");
	assert_true(ui_has(ui, "coloured by DSO"));
	ui_press(ui, "m");
	compare_fixture_reply(ui);
	assert_true(ui_has(ui, "+ sort"));
	ui_press(ui, "c");
	assert_true(ui_has(ui, "coloured by kind"));
	assert_false(ui_has(ui, "+ sort"));
	ui_press(ui, "ccc");
	assert_true(ui_has(ui, "coloured by change"));
	ui_press(ui, "x");
	compare_fixture_reply(ui);
	ui_press(ui, "c");
	assert_true(ui_has(ui, "coloured by kind"));	/* DSO was before */
}

static void test_what_is_gone_has_no_box_and_is_not_found(void **state)
{
	struct ui *ui = *state;

	open_flame(ui);
	ui_press(ui, "m");
	compare_fixture_reply(ui);
	assert_false(ui_has(ui, "deflate_slow"));
	assert_false(ui_has(ui, "others"));
	assert_true(ui_has(ui, "2 gone"));
	ui_press(ui, "/deflate_slow");
	assert_true(ui_has(ui, "not here"));
}

/* A delta is two bytes, and one cell. */
static void test_menus_have_the_words_on_changes_below_the_others(void **state)
{
	struct ui *ui = *state;
	int x;

	open_compared(ui);
	ui_press(ui, "c");
	x = ui_find(ui, columns[COL_TOTAL].help).x;
	assert_int_equal(ui_find(ui, columns[COL_CHANGE].help).x, x);
	assert_int_equal(ui_find(ui, columns[COL_TOTAL_CHANGE].help).x, x);
	assert_int_equal(ui_find(ui, columns[COL_RATE_CHANGE].help).x, x);
	ui_press_key(ui, UI_KEY_ESCAPE);
	ui_press(ui, "o");
	x = ui_find(ui, columns[COL_TOTAL].help).x;
	assert_int_equal(ui_find(ui, columns[COL_CHANGE].help).x, x);
}

UNIT_TESTS(test_command_compare)
{
	const struct CMUnitTest tests[] = {
		UI_TEST(test_m_marks_exactly_the_window_that_is_shown),
		UI_TEST(test_a_live_window_is_shown_without_milliseconds),
		UI_TEST(test_what_was_chosen_or_is_short_is_shown_with_milliseconds),
		UI_TEST(test_an_empty_window_is_no_baseline),
		UI_TEST(test_a_decaying_window_is_no_baseline),
		UI_TEST(test_x_needs_a_baseline),
		UI_TEST(test_x_switches_the_comparison_and_keeps_the_baseline),
		UI_TEST(test_X_takes_the_baseline_away),
		UI_TEST(test_every_question_is_compared_until_x),
		UI_TEST(test_changes_order_the_rows_and_the_order_of_before_comes_back),
		UI_TEST(test_columns_of_changes_are_offered_only_while_compared),
		UI_TEST(test_other_samples_have_no_baseline),
		UI_TEST(test_a_baseline_that_left_the_history_is_shown),
		UI_TEST(test_a_refused_first_baseline_says_why),
		UI_TEST(test_a_refused_baseline_leaves_the_one_before),
		UI_TEST(test_a_refused_baseline_leaves_the_milliseconds_of_the_one_before),
		UI_TEST(test_another_recording_is_compared_from_the_start),
		UI_TEST(test_it_is_also_if_it_lacks_the_first_event),
		UI_TEST(test_a_recording_tells_times_from_its_begin),
		UI_TEST(test_saving_says_that_it_saves_both_windows),
		UI_TEST(test_the_line_below_tells_both_windows),
		UI_TEST(test_frames_are_coloured_by_change_while_compared),
		UI_TEST(test_what_is_gone_has_no_box_and_is_not_found),
		UI_TEST(test_menus_have_the_words_on_changes_below_the_others),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
