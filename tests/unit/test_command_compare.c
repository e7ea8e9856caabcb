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
#include "ui/keys.h"
#include "ui/widgets/baseline_label.h"

static const struct request *asked(const struct scene *scene, enum request_kind kind)
{
	for (size_t i = 0; i < scene->state.outbox_count; i++)
		if (scene->state.outbox[i].kind == kind)
			return &scene->state.outbox[i];
	return NULL;
}

/* The symbols of a live window, not compared with anything. */
static void open_window(struct scene *scene)
{
	scene->snapshot.begin_ns = COMPARE_BEGIN_NS;
	scene->snapshot.time_ns = COMPARE_END_NS;
	scene_show(scene);
	scene->state.outbox_count = 0;
}

static void open_compared(struct scene *scene)
{
	open_window(scene);
	scene_press(scene, "m");
	compare_fixture_answer(scene);
	assert_true(state_is_compared(&scene->state));
	scene->state.outbox_count = 0;
	scene->state.message[0] = '\0';
}

static void test_m_marks_exactly_the_window_that_is_shown(void **state)
{
	struct scene *scene = *state;
	const struct request *request;

	open_window(scene);
	scene_press(scene, "m");
	request = asked(scene, REQUEST_BASELINE);
	assert_non_null(request);
	assert_true(request->begin_ns == COMPARE_BEGIN_NS && request->value_ns == COMPARE_END_NS);
	assert_true(asked(scene, REQUEST_QUERY) > request);	/* the query finds it marked */
	assert_true(scene_asked(scene)->compare);
	assert_true(scene_has(scene, "baseline A: 01:00:00\u201301:00:05"));
}

static void test_a_live_window_is_told_without_milliseconds(void **state)
{
	struct scene *scene = *state;

	open_window(scene);
	scene->snapshot.begin_ns += 6000000;
	scene->snapshot.time_ns -= 160000000;
	scene_press(scene, "m");
	assert_true(scene_has(scene, "baseline A: 01:00:00\u201301:00:05"));
}

static void test_what_was_chosen_or_is_short_is_told_with_milliseconds(void **state)
{
	struct scene *scene = *state;

	open_window(scene);
	scene->snapshot.time_ns = scene->snapshot.begin_ns + 509000000;
	scene_press(scene, "m");
	assert_true(scene_has(scene, "baseline A: 01:00:00.000\u201301:00:00.509"));
	scene->snapshot.time_ns = scene->snapshot.begin_ns + 1350000000;
	scene_press(scene, "m");
	assert_true(scene_has(scene, "baseline A: 01:00:00\u201301:00:01"));
	scene->snapshot.is_selected = true;
	scene_press(scene, "m");
	assert_true(scene_has(scene, "baseline A: 01:00:00.000\u201301:00:01.350"));
}

static void test_an_empty_window_is_no_baseline(void **state)
{
	struct scene *scene = *state;

	open_window(scene);
	scene->snapshot.samples = 0;
	scene_press(scene, "m");
	assert_null(asked(scene, REQUEST_BASELINE));
	assert_false(scene->state.compare.has_baseline);
	assert_true(scene_has(scene, "no sample in this window"));
}

static void test_a_decaying_window_is_no_baseline(void **state)
{
	struct scene *scene = *state;

	open_window(scene);
	scene->snapshot.window = WINDOW_DECAY;
	scene_show(scene);
	scene_press(scene, "m");
	assert_null(asked(scene, REQUEST_BASELINE));
	assert_true(scene_has(scene, "a decaying window can't be a baseline: w chooses another"));
}

static void test_x_needs_a_baseline(void **state)
{
	struct scene *scene = *state;

	open_window(scene);
	scene_press(scene, "x");
	assert_null(asked(scene, REQUEST_QUERY));
	assert_true(scene_has(scene, "nothing to compare with: m marks a baseline"));
	scene_press(scene, "X");
	assert_null(asked(scene, REQUEST_BASELINE));
	assert_true(scene_has(scene, "there is no baseline"));
}

static void test_x_switches_the_comparison_and_keeps_the_baseline(void **state)
{
	struct scene *scene = *state;

	open_compared(scene);
	assert_true(scene_has(scene, "A: 01:00:00\u201301:00:05"));
	scene_press(scene, "x");
	assert_false(scene_asked(scene)->compare);
	assert_null(asked(scene, REQUEST_BASELINE));
	compare_fixture_answer(scene);
	assert_false(state_is_compared(&scene->state));
	assert_true(scene_has(scene, "A marked"));
	scene_press(scene, "x");
	assert_true(scene_asked(scene)->compare);
	compare_fixture_answer(scene);
	assert_true(state_is_compared(&scene->state));
}

static void test_X_takes_the_baseline_away(void **state)
{
	struct scene *scene = *state;
	const struct request *request;

	open_compared(scene);
	scene_press(scene, "X");
	request = asked(scene, REQUEST_BASELINE);
	assert_non_null(request);
	assert_true(request->begin_ns == 0 && request->value_ns == 0);
	assert_false(scene_asked(scene)->compare);
	scene_answer(scene);
	assert_false(scene_has(scene, "A marked"));
	scene_press(scene, "x");
	assert_true(scene_has(scene, "nothing to compare with"));
}

static void test_every_question_is_compared_until_x(void **state)
{
	struct scene *scene = *state;

	open_compared(scene);
	scene_press(scene, "2");
	assert_true(scene_asked(scene)->compare);
	compare_fixture_answer(scene);
	scene_press(scene, "6");
	assert_true(scene_asked(scene)->compare);
	compare_fixture_answer(scene);
	scene_press(scene, "x");
	assert_false(scene_asked(scene)->compare);
}

static void test_changes_order_the_rows_and_the_order_of_before_comes_back(void **state)
{
	struct scene *scene = *state;

	open_window(scene);
	scene_press(scene, "sS");	/* TOTAL%, reversed */
	scene_press(scene, "m");
	assert_int_equal(state_order(&scene->state)->column, COL_TOTAL);
	compare_fixture_answer(scene);
	assert_int_equal(state_order(&scene->state)->column, COL_CHANGE);
	assert_int_equal(scene->state.table.rows.rows[1]->id, 777);	/* -9.80, gone */
	scene_press(scene, "S");
	assert_true(state_order(&scene->state)->is_reversed);
	scene_press(scene, "x");
	compare_fixture_answer(scene);
	assert_int_equal(state_order(&scene->state)->column, COL_TOTAL);
	assert_true(state_order(&scene->state)->is_reversed);
	scene_press(scene, "x");
	compare_fixture_answer(scene);
	assert_int_equal(state_order(&scene->state)->column, COL_CHANGE);
	assert_true(state_order(&scene->state)->is_reversed);
}

static void test_columns_of_changes_are_offered_only_while_compared(void **state)
{
	struct scene *scene = *state;

	open_window(scene);
	scene_press(scene, "c");
	assert_false(scene_has(scene, "total-change"));
	assert_false(scene_has(scene, "\u0394"));
	scene_press_key(scene, UI_KEY_ESCAPE);
	open_compared(scene);
	scene_press(scene, "c");
	assert_true(scene_has(scene, "[x] \u0394%"));
	assert_true(scene_has(scene, "[ ] \u0394TOTAL"));
	scene_choose(scene, "TOTAL%  ");
	scene_press_key(scene, UI_KEY_ESCAPE);
}

static void test_other_samples_have_no_baseline(void **state)
{
	struct scene *scene = *state;
	struct diag why = { 0 };

	open_compared(scene);
	diag_set(&why, -EACCES, "no");
	state_source_changed(&scene->state, -EACCES, &why);
	assert_true(scene->state.compare.has_baseline);
	state_source_changed(&scene->state, 0, NULL);
	assert_false(scene->state.compare.has_baseline);
	assert_true(asked(scene, REQUEST_BASELINE)->value_ns == 0);
	assert_false(scene_asked(scene)->compare);
}

static void test_a_baseline_that_left_the_history_is_told(void **state)
{
	struct scene *scene = *state;

	open_compared(scene);
	scene->snapshot.has_baseline = scene->snapshot.is_compared = false;
	scene_show(scene);
	assert_true(scene_has(scene, "the baseline has left the history"));
	assert_false(scene->state.compare.is_on);
}

#define REFUSAL "no new baseline: it would take too much"

static void test_a_refused_first_baseline_says_why(void **state)
{
	struct scene *scene = *state;

	open_window(scene);
	scene_press(scene, "m");
	scene->snapshot.baseline.notice = REFUSAL;
	scene_show(scene);
	assert_true(scene_has(scene, REFUSAL));
	assert_false(scene->state.compare.has_baseline || scene->state.compare.is_on);
	scene->state.message[0] = '\0';
	scene_show(scene);
	assert_false(scene_has(scene, REFUSAL));	/* once is enough */
}

/* A later window: A is what it was, in the header and in what x says. */
static void test_a_refused_baseline_leaves_the_one_before(void **state)
{
	struct scene *scene = *state;

	open_compared(scene);
	scene->snapshot.begin_ns = COMPARE_BEGIN_NS + 10000000000;
	scene->snapshot.time_ns = COMPARE_END_NS + 10000000000;
	scene_show(scene);
	scene_press(scene, "m");
	assert_true(scene_has(scene, "baseline A: 01:00:10\u201301:00:15"));
	assert_true(scene_has(scene, "A: 01:00:00\u201301:00:05"));	/* as the rows are still */
	scene->snapshot.baseline.notice = REFUSAL;
	scene_show(scene);
	assert_true(scene_has(scene, REFUSAL));
	assert_true(scene_has(scene, "A: 01:00:00\u201301:00:05"));
	assert_true(scene->state.compare.has_baseline && scene->state.compare.is_on);
	scene_press(scene, "xx");
	assert_true(scene_has(scene, "compared with A: 01:00:00\u201301:00:05"));
}

/* A was chosen, the live window after it is refused. */
static void test_a_refused_baseline_leaves_the_milliseconds_of_the_one_before(void **state)
{
	static const char expected[] = "01:00:00.000\u201301:00:04.500";
	struct scene *scene = *state;
	char label[BASELINE_LABEL_BYTES];

	open_window(scene);
	scene->snapshot.is_selected = true;
	scene_press(scene, "m");
	compare_fixture_answer(scene);
	scene->snapshot.baseline.end_ns -= 500000000;
	assert_string_equal(baseline_label(&scene->state, label), expected);
	scene_press(scene, "m");
	scene->snapshot.baseline.notice = REFUSAL;
	scene_show(scene);
	assert_string_equal(baseline_label(&scene->state, label), expected);
}

static void test_another_recording_is_compared_from_the_start(void **state)
{
	struct scene scene;

	(void)state;
	scene_open(&scene, 100, 24);
	scene.snapshot.has_baseline = scene.snapshot.is_compared = true;
	scene.snapshot.baseline = (struct snapshot_baseline){ .weight = 1000, .window_s = 10,
							      .label = "before.data" };
	scene_show(&scene);
	assert_true(scene_has(&scene, "A: before.data"));
	scene_press(&scene, "2");
	assert_true(scene_asked(&scene)->compare);
	scene_finish(&scene);
}

/* Others may be in both. */
static void test_it_is_also_if_it_lacks_the_first_event(void **state)
{
	struct scene scene;

	(void)state;
	scene_open(&scene, 100, 24);
	scene.snapshot.has_baseline = true;
	scene_show(&scene);
	assert_false(state_is_compared(&scene.state));
	scene_press(&scene, "2");
	assert_true(scene_asked(&scene)->compare);
	scene_finish(&scene);
}

static void test_a_recording_tells_times_from_its_begin(void **state)
{
	struct scene *scene = *state;

	scene->snapshot.is_replay = true;
	scene->snapshot.known_ns = 3588000000000;
	open_compared(scene);
	scene->snapshot.is_replay = true;
	scene->snapshot.known_ns = 3588000000000;
	scene_show(scene);
	assert_true(scene_has(scene, "A: 0:12\u20130:17"));
}

static void test_saving_says_which_of_the_two_windows_it_saves(void **state)
{
	struct scene *scene = *state;

	open_window(scene);
	scene_press(scene, "P");
	assert_true(scene_has(scene, "folded stacks to:"));
	scene_press_key(scene, UI_KEY_ESCAPE);
	open_compared(scene);
	scene_press(scene, "P");
	assert_true(scene_has(scene, "stacks of this window, not of A, to:"));
}

/* What is said of the row under the cursor. */
static void test_the_line_below_tells_both_windows(void **state)
{
	struct scene *scene = *state;

	open_compared(scene);
	scene_text(scene);
	assert_true(scene_has(scene, "27.35 % \u2192 41.65 % (+14.30), 1094/s \u2192 1452/s"));
	scene_press(scene, "3");
	compare_fixture_answer(scene);
	assert_true(scene_has(scene, " % \u2192 "));	/* also where there is none else */
}

static void open_flame(struct scene *scene)
{
	state_show_kind(&scene->state, VIEW_FLAME);
	scene_prepare(scene);
	open_window(scene);
}

static void test_frames_are_coloured_by_change_while_compared(void **state)
{
	struct scene *scene = *state;

	open_flame(scene);
	scene_press(scene, "cc");
	assert_true(scene_has(scene, "coloured by object"));
	scene_press(scene, "m");
	compare_fixture_answer(scene);
	assert_true(scene_has(scene, "+ sort"));
	scene_press(scene, "c");
	assert_true(scene_has(scene, "coloured by kind"));
	assert_false(scene_has(scene, "+ sort"));
	scene_press(scene, "ccc");
	assert_true(scene_has(scene, "coloured by change"));
	scene_press(scene, "x");
	compare_fixture_answer(scene);
	scene_press(scene, "c");
	assert_true(scene_has(scene, "coloured by kind"));	/* object was before */
}

static void test_what_is_gone_has_no_box_and_is_not_found(void **state)
{
	struct scene *scene = *state;

	open_flame(scene);
	scene_press(scene, "m");
	compare_fixture_answer(scene);
	assert_false(scene_has(scene, "deflate_slow"));
	assert_false(scene_has(scene, "others"));
	assert_true(scene_has(scene, "2 gone"));
	scene_press(scene, "/deflate_slow");
	assert_true(scene_has(scene, "not here"));
}

/* A delta is two bytes, and one cell. */
static void test_menus_have_the_words_on_changes_below_the_others(void **state)
{
	struct scene *scene = *state;
	int x;

	open_compared(scene);
	scene_press(scene, "c");
	x = scene_find(scene, columns[COL_TOTAL].help).x;
	assert_int_equal(scene_find(scene, columns[COL_CHANGE].help).x, x);
	assert_int_equal(scene_find(scene, columns[COL_TOTAL_CHANGE].help).x, x);
	assert_int_equal(scene_find(scene, columns[COL_RATE_CHANGE].help).x, x);
	scene_press_key(scene, UI_KEY_ESCAPE);
	scene_press(scene, "o");
	x = scene_find(scene, columns[COL_TOTAL].help).x;
	assert_int_equal(scene_find(scene, columns[COL_CHANGE].help).x, x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE_TEST(test_m_marks_exactly_the_window_that_is_shown),
		SCENE_TEST(test_a_live_window_is_told_without_milliseconds),
		SCENE_TEST(test_what_was_chosen_or_is_short_is_told_with_milliseconds),
		SCENE_TEST(test_an_empty_window_is_no_baseline),
		SCENE_TEST(test_a_decaying_window_is_no_baseline),
		SCENE_TEST(test_x_needs_a_baseline),
		SCENE_TEST(test_x_switches_the_comparison_and_keeps_the_baseline),
		SCENE_TEST(test_X_takes_the_baseline_away),
		SCENE_TEST(test_every_question_is_compared_until_x),
		SCENE_TEST(test_changes_order_the_rows_and_the_order_of_before_comes_back),
		SCENE_TEST(test_columns_of_changes_are_offered_only_while_compared),
		SCENE_TEST(test_other_samples_have_no_baseline),
		SCENE_TEST(test_a_baseline_that_left_the_history_is_told),
		SCENE_TEST(test_a_refused_first_baseline_says_why),
		SCENE_TEST(test_a_refused_baseline_leaves_the_one_before),
		SCENE_TEST(test_a_refused_baseline_leaves_the_milliseconds_of_the_one_before),
		SCENE_TEST(test_another_recording_is_compared_from_the_start),
		SCENE_TEST(test_it_is_also_if_it_lacks_the_first_event),
		SCENE_TEST(test_a_recording_tells_times_from_its_begin),
		SCENE_TEST(test_saving_says_which_of_the_two_windows_it_saves),
		SCENE_TEST(test_the_line_below_tells_both_windows),
		SCENE_TEST(test_frames_are_coloured_by_change_while_compared),
		SCENE_TEST(test_what_is_gone_has_no_box_and_is_not_found),
		SCENE_TEST(test_menus_have_the_words_on_changes_below_the_others),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
