/* Without rows the table says why, and what to do about it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <locale.h>

#include <cmocka.h>

#include "ui_fixture.h"
#include "unit_tests.h"

static void open_empty(struct ui *ui, uint64_t samples, uint64_t idle_samples)
{
	ui_open(ui, 80, 24);
	ui->snapshot.row_count = 0;
	ui->snapshot.samples = samples;
	ui->snapshot.idle_samples = idle_samples;
}

static void check_says(struct ui *ui, const char *why, const char *remedy)
{
	const struct mouse at = ui_find(ui, why);

	assert_int_equal(at.x, 2);
	assert_int_equal(at.y, 6);	/* a blank line below the titles */
	assert_string_equal(ui_line(ui, 7), remedy);
	ui_finish(ui);
}

static void test_nothing_came_yet(void **state)
{
	struct ui ui;

	(void)state;
	ui_open(&ui, 80, 24);
	check_says(&ui, "Collecting samples\u2026", "");
}

static void test_all_were_idle(void **state)
{
	struct ui ui;

	(void)state;
	open_empty(&ui, 44000, 44000);
	ui_show(&ui);
	check_says(&ui, "Nothing is hot: all 44.0k samples were idle.", "  i shows them.");
}

static void test_no_sample_at_all(void **state)
{
	struct ui ui;

	(void)state;
	open_empty(&ui, 0, 0);
	ui_show(&ui);
	check_says(&ui, "Nothing is hot: no sample, last 10 s.",
		   "  w takes a longer window, t another target, e another event.");
}

static void test_a_target_that_leaves_its_work_to_children_offers_them(void **state)
{
	struct ui ui;

	(void)state;
	open_empty(&ui, 0, 0);
	ui.snapshot.target_children = 12;
	ui_show(&ui);
	check_says(&ui, "Nothing is hot: no sample, last 10 s.",
		   "  It has 12 children: t, Enter samples them, too.");
}

static void test_right_after_zero_nothing_is_called_cold(void **state)
{
	struct ui ui;

	(void)state;
	open_empty(&ui, 0, 0);
	ui.snapshot.window_s = 0;
	ui_show(&ui);
	check_says(&ui, "Collecting: counting began anew, the next refresh has the first rows.",
		   "");
}

static void test_a_target_that_ended_was_hit_before_zero(void **state)
{
	struct ui ui;

	(void)state;
	open_empty(&ui, 0, 0);
	ui.snapshot.is_target_gone = true;
	ui.snapshot.window = WINDOW_ALL;
	ui.state.query.is_zeroed = true;
	ui_show(&ui);
	check_says(&ui, "The target ended, and no sample hit it since zero.",
		   "  [ goes back to what it did before, t takes another target, q quits.");
}

static void test_a_recording_has_no_other_source(void **state)
{
	struct ui ui;

	(void)state;
	open_empty(&ui, 0, 0);
	ui.state.source = NULL;
	ui.snapshot.is_replay = true;
	ui_show(&ui);
	check_says(&ui, "The recording has no sample, last 10 s.", "  w takes a longer window.");
}

static void test_the_target_ended_first(void **state)
{
	struct ui ui;

	(void)state;
	open_empty(&ui, 0, 0);
	ui.snapshot.is_target_gone = true;
	ui_show(&ui);
	check_says(&ui, "The target ended before a sample hit it.",
		   "  t takes another target, q quits.");
}

static void test_the_filter_leaves_nothing(void **state)
{
	struct ui ui;

	(void)state;
	open_empty(&ui, 1000, 100);
	ui_press(&ui, "\\none");
	ui_press_key(&ui, UI_KEY_ENTER);
	ui_show(&ui);
	check_says(&ui, "None of 900 samples passes the filter (last: \"none\").",
		   "  Enter takes it away, Esc goes back, F lists all.");
}

static void test_what_is_hidden_is_everything(void **state)
{
	struct ui ui;

	(void)state;
	open_empty(&ui, 1000, 100);
	ui_press(&ui, "K");
	ui_show(&ui);
	check_says(&ui, "Kernel code is hidden, and 900 samples are nothing else.",
		   "  K or Enter shows it.");

	open_empty(&ui, 1000, 100);
	ui_press(&ui, "U");
	ui_show(&ui);
	check_says(&ui, "User code is hidden, and 900 samples are nothing else.",
		   "  U or Enter shows it.");

	open_empty(&ui, 1000, 100);
	ui_press(&ui, "KU");
	ui_show(&ui);
	check_says(&ui, "Kernel and user code are hidden, and 900 samples are nothing else.",
		   "  K and U show it, Enter user code.");
}

static void test_filtered_and_hidden_both_are_named(void **state)
{
	struct ui ui;

	(void)state;
	open_empty(&ui, 1000, 100);
	ui_press(&ui, "\\none");
	ui_press_key(&ui, UI_KEY_ENTER);
	ui_press(&ui, "K");
	ui_show(&ui);
	check_says(&ui, "None of 900 samples passes the filter (last: \"none\").",
		   "  Enter takes it away, Esc goes back, F lists all, "
		   "K and U show what is hidden.");
}

static void reply_nothing(struct ui *ui)
{
	ui_prepare(ui);
	ui->snapshot.row_count = 0;
	ui->snapshot.tree.node_count = 0;
	ui->snapshot.groups.node_count = 0;
	ui_show(ui);
}

static void test_enter_takes_the_innermost_filter_away(void **state)
{
	static const enum view_kind kinds[] = {
		VIEW_SYMBOLS, VIEW_DSOS, VIEW_COMMANDS, VIEW_TASKS, VIEW_CPUS, VIEW_TREE,
		VIEW_FLAME, VIEW_GROUPS,
	};

	(void)state;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct ui ui;

		ui_open(&ui, 80, 24);
		ui_reply(&ui);
		ui_press(&ui, "U\\one");
		ui_press_key(&ui, UI_KEY_ENTER);
		state_show_kind(&ui.state, kinds[i]);
		reply_nothing(&ui);
		assert_int_equal(ui.state.query.breadcrumbs.filter.count, 1);
		ui_press_key(&ui, UI_KEY_ENTER);
		assert_int_equal(ui.state.query.breadcrumbs.filter.count, 0);
		assert_int_equal(state_kind(&ui.state), kinds[i]);
		assert_string_equal(ui.state.message, "taken away: \"one\"");
		reply_nothing(&ui);
		assert_true(ui.state.query.hide_user);
		ui_press_key(&ui, UI_KEY_ENTER);
		assert_false(ui.state.query.hide_user);
		ui_finish(&ui);
	}
}

/* The empty rows are the reply to the filter that has just been taken away. */
static void test_while_rows_are_asked_for_nothing_is_blamed(void **state)
{
	struct ui ui;

	(void)state;
	open_empty(&ui, 1000, 100);
	ui_press(&ui, "K");
	ui_show(&ui);
	ui_press(&ui, "K");
	check_says(&ui, "Counting\u2026", "");
}

static void test_sentences_wrap_at_spaces_on_narrow_screens(void **state)
{
	struct ui ui;

	(void)state;
	ui_open(&ui, 40, 12);
	ui.snapshot.row_count = 0;
	ui.snapshot.samples = ui.snapshot.idle_samples = 0;
	ui.snapshot.window_s = 0;
	ui_show(&ui);
	ui_find(&ui, "Collecting: counting began anew");
	assert_string_equal(ui_line(&ui, 5), "  Collecting: counting began anew, the");
	assert_string_equal(ui_line(&ui, 6), "  next refresh has the first rows.");
	ui_finish(&ui);
}

UNIT_TESTS(test_empty)
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
