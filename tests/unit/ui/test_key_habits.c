/* A key that means something else now, elsewhere, or in other programs says what to press. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "probe_fixture.h"
#include "ui_fixture.h"
#include "unit_tests.h"

static void open_view(struct ui *ui, enum view_kind kind)
{
	state_show_kind(&ui->state, kind);
	ui_reply(ui);
	frame_draw(&ui->state, &ui->canvas);
}

static struct ui *probes_of(void **state)
{
	struct ui *ui = *state;

	ui_press(ui, "8");
	probe_fixture_reply(ui);
	frame_draw(&ui->state, &ui->canvas);
	return ui;
}

static void test_e_opens_the_events_and_says_where_the_hottest_path_is(void **state)
{
	struct ui *ui = *state;

	open_view(ui, VIEW_TREE);
	ui_press(ui, "e");
	assert_true(finder_of(&ui->state)->is_open);
	assert_string_equal(ui->state.message, "e: events; the hottest path is J");
	assert_true(ui_has(ui, "e: events; the hottest path is J"));
}

static void test_what_an_old_key_meant_is_said_once_where_it_runs_another_command(void **state)
{
	struct ui *ui = *state;

	probes_of(state);
	ui_press(ui, "L");
	assert_string_equal(ui->state.message, "L: the log; the lease is extended by +");
	probe_fixture_reply(ui);
	ui_press(ui, "h");
	probe_fixture_reply(ui);
	ui_press(ui, "L");
	assert_int_equal(state_probe_here(&ui->state), PROBE_ALL);
	assert_string_equal(ui->state.message, "");
}

static void test_where_e_always_was_the_events_it_says_nothing(void **state)
{
	struct ui *ui = *state;

	ui_press(ui, "e");
	assert_true(finder_of(&ui->state)->is_open);
	assert_string_equal(ui->state.message, "");
}

static void test_in_a_recording_e_says_both(void **state)
{
	struct ui *ui = *state;

	ui->state.source = NULL;
	open_view(ui, VIEW_FLAME);
	ui_press(ui, "e");
	assert_string_equal(ui->state.message, "a recording stays what was recorded \u00b7 "
						  "e: events; the hottest path is J");
}

static void test_other_old_keys_name_the_new_ones(void **state)
{
	struct ui *ui = *state;

	ui_press(ui, "r");
	assert_string_equal(ui->state.message,
			    "r: turns the tree round; the refresh is faster by >");
	probes_of(state);
	ui_press(ui, "c");
	assert_string_equal(ui->state.message,
			    "c: columns, colours; what is being attached is cancelled by d");
	ui_press_key(ui, UI_KEY_INSERT);
	assert_string_equal(ui->state.message,
			    "Insert: marks lines of a list; a new probe is found by Ctrl-P");
}

static void test_the_new_key_is_the_one_of_the_configuration(void **state)
{
	struct ui *ui = *state;
	struct diag why;

	assert_int_equal(keymap_bind(&ui->keymap, "hottest", "Ctrl-E", &why), 0);
	open_view(ui, VIEW_TREE);
	ui_press(ui, "e");
	assert_string_equal(ui->state.message, "e: events; the hottest path is Ctrl-E");
	ui_press_key(ui, UI_KEY_ESCAPE);
	assert_int_equal(keymap_bind(&ui->keymap, "hottest", "e", &why), 0);
	ui_press(ui, "e");	/* the old key again: nothing to say */
	assert_string_equal(ui->state.message, "");
}

static void test_a_key_of_another_view_says_where_it_works(void **state)
{
	struct ui *ui = *state;

	ui_press(ui, "E");
	assert_string_equal(ui->state.message, "E does nothing here \u00b7 in tree, groups, "
						  "listing: "
						  "Open all lines of the tree");
}

static void test_a_key_of_no_view_names_the_nearest(void **state)
{
	struct ui *ui = *state;

	ui_press(ui, "Q");
	assert_string_equal(ui->state.message,
			    "Q does nothing here \u00b7 nearest is q: Quit");
	ui_press_key(ui, UI_KEY_F9);
	assert_string_equal(ui->state.message,
			    "F9: flametop sends no signal \u00b7 nearest is .: What can be done "
			    "with this row: only it, not it, open it as ...");
	ui_press(ui, ";");
	assert_string_equal(ui->state.message, "; does nothing here \u00b7 ? shows all keys");
}

static void test_the_keys_of_htop_do_what_they_do_there(void **state)
{
	struct ui *ui = *state;

	ui_press_key(ui, UI_KEY_F1);
	assert_ptr_equal(ui->state.view, ui->state.pages[PAGE_HELP]);
	ui_press_key(ui, UI_KEY_ESCAPE);
	ui_press_key(ui, UI_KEY_F3);
	assert_string_equal(ui->state.prompt_use->label, "search:");
	ui_press_key(ui, UI_KEY_ESCAPE);
	ui_press_key(ui, UI_KEY_F4);
	assert_string_equal(ui->state.prompt_use->label, "filter:");
	ui_press_key(ui, UI_KEY_ESCAPE);
	ui_show(ui);
	ui_press_key(ui, UI_KEY_F6);
	assert_true(ui->state.menu.is_open);		/* the columns to sort by */
	ui_press_key(ui, UI_KEY_ESCAPE);
	ui_press_key(ui, UI_KEY_F5);
	assert_int_equal(state_kind(&ui->state), VIEW_TREE);
	ui_press_key(ui, UI_KEY_F10);
	assert_true(ui->state.out.wants_quit);
}

static void test_d_cancels_what_is_still_being_attached(void **state)
{
	struct ui *ui = probes_of(state);

	ui->state.out.adding = 9;
	ui_press(ui, "d");	/* this one is attached: the others go on */
	assert_int_equal(probe_fixture_request(ui, PROBE_REMOVE)->probe, 3);
	probe_fixture_send(ui);
	ui_press(ui, "Gd");
	assert_int_equal(probe_fixture_request(ui, PROBE_CANCEL)->number, 9);
	assert_string_equal(ui->state.message, "what is not attached yet will not be");
}

UNIT_TESTS(test_key_habits)
{
	const struct CMUnitTest tests[] = {
		UI_TEST(test_e_opens_the_events_and_says_where_the_hottest_path_is),
		UI_TEST(test_what_an_old_key_meant_is_said_once_where_it_runs_another_command),
		UI_TEST(test_where_e_always_was_the_events_it_says_nothing),
		UI_TEST(test_in_a_recording_e_says_both),
		UI_TEST(test_other_old_keys_name_the_new_ones),
		UI_TEST(test_the_new_key_is_the_one_of_the_configuration),
		UI_TEST(test_a_key_of_another_view_says_where_it_works),
		UI_TEST(test_a_key_of_no_view_names_the_nearest),
		UI_TEST(test_the_keys_of_htop_do_what_they_do_there),
		UI_TEST(test_d_cancels_what_is_still_being_attached),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
