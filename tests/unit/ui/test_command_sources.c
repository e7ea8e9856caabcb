/* What is asked of the source, word for word, and what its reply changes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <locale.h>
#include <string.h>

#include <cmocka.h>

#include "ui_fixture.h"

#include "ui/keymap.h"
#include "unit_tests.h"

static void type_and_enter(struct ui *ui, const char *label, const char *text)
{
	assert_true(ui->state.prompt.is_open);
	assert_string_equal(ui->state.prompt.label, label);
	ui_press_key(ui, UI_KEY_CTRL('U'));
	ui_press(ui, text);
	ui_press_key(ui, UI_KEY_ENTER);
}

static void enter(struct ui *ui, const char *label, const char *text)
{
	type_and_enter(ui, label, text);
	assert_false(ui->state.prompt.is_open);
}

static void check_asked(struct ui *ui, enum source_change_kind kind, const char *text)
{
	assert_int_equal(ui->source.count, 1);
	assert_int_equal(ui->source.asked[0].kind, kind);
	assert_string_equal(ui->source.asked[0].text, text);
	assert_true(ui->state.is_source_changing);
	assert_true(ui_has(ui, "changing"));
	ui->source.count = 0;
	ui->source.is_busy = false;
	state_source_changed(&ui->state, 0, NULL);
}

static void test_the_frequency_begins_with_the_present_one(void **state)
{
	struct ui *ui = *state;

	ui_press(ui, "f");
	assert_string_equal(ui->state.prompt.text, "997");
	enter(ui, "samples a second and CPU:", "4000");
	check_asked(ui, SOURCE_FREQUENCY, "4000");
}

static void test_a_recording_is_begun_with_a_name_and_ended_with_the_same_key(void **state)
{
	struct ui *ui = *state;

	ui_press(ui, "O");
	assert_false(ui->state.prompt.is_open);
	assert_true(ui_has(ui, "there is nothing to record"));
	ui->state.recording.can_record = true;
	ui_press(ui, ":record /tmp/B.svg");
	ui_press_key(ui, UI_KEY_ENTER);
	assert_false(ui->state.out.wants_record);
	assert_true(ui_has(ui, "P saves that format; the name of a recording ends in .data"));
	ui_press(ui, ":record /tmp/B.data");
	ui_press_key(ui, UI_KEY_ENTER);
	assert_true(ui->state.out.wants_record);
	assert_string_equal(ui->state.out.record_path, "/tmp/B.data");
	ui->state.out.wants_record = false;
	ui_press(ui, "O");
	assert_non_null(strstr(ui->state.prompt.text, ".data"));
	enter(ui, "record into:", "/tmp/a.data");
	assert_true(ui->state.out.wants_record);
	assert_string_equal(ui->state.out.record_path, "/tmp/a.data");
	ui->state.recording.is_there = true;
	ui->state.recording.bytes = 3 << 20;
	assert_true(ui_has(ui, "recording 3.15 MB (O)"));
	ui->state.recording.lost = 7;
	assert_true(ui_has(ui, "7 not recorded"));
	assert_false(ui->state.out.wants_record_end);
	ui_press(ui, "O");
	assert_true(ui->state.out.wants_record_end);
	ui->state.recording.is_ending = true;
	assert_true(ui_has(ui, "recording 3.15 MB ends"));
}

/* Nothing more comes of a recording that is read: O would write an empty one. */
static void test_a_recording_that_is_read_has_nothing_to_record(void **state)
{
	struct ui *ui = *state;

	ui->state.recording.can_record = true;
	ui->snapshot.is_replay = ui->snapshot.is_reading = true;
	ui_press(ui, "O");
	assert_true(ui->state.prompt.is_open);
	ui_press_key(ui, UI_KEY_ESCAPE);
	ui->snapshot.is_reading = false;
	ui_press(ui, "O");
	assert_false(ui->state.prompt.is_open);
	assert_true(ui_has(ui, "this recording is read to its end: -i and -o together copy it"));
}

/* The format is the end of the name, which Tab changes; the next name begins with the same. */
static void test_the_end_of_a_name_says_what_is_saved(void **state)
{
	struct ui *ui = *state;
	const struct outbox *out = &ui->state.out;

	ui_press(ui, "P");
	assert_non_null(strstr(ui->state.prompt.text, ".folded"));
	assert_true(ui_has(ui, ".folded"));
	ui_press_key(ui, UI_KEY_TAB);
	assert_null(strstr(ui->state.prompt.text, ".folded"));
	assert_non_null(strstr(ui->state.prompt.text, ".txt"));
	enter(ui, "save as:", "a.json");
	assert_true(out->wants_stacks);
	assert_int_equal(out->save_format, SHARED_JSON);
	assert_string_equal(out->save_path, "a.json");
	assert_true(ui_has(ui, "writing a.json"));
	ui_press(ui, "P");
	assert_non_null(strstr(ui->state.prompt.text, ".json"));
	enter(ui, "save as:", "a.out");
	assert_int_equal(out->save_format, SHARED_FOLDED);
	assert_true(ui_has(ui, "writing folded stacks to a.out: its end names no format"));
	ui_press(ui, "P");
	assert_non_null(strstr(ui->state.prompt.text, ".json"));
	ui_press_key(ui, UI_KEY_CTRL('U'));
	ui_press(ui, "a");
	ui_press_key(ui, UI_KEY_TAB);
	assert_string_equal(ui->state.prompt.text, "a.svg");
	ui_press_key(ui, UI_KEY_BACKTAB);
	assert_string_equal(ui->state.prompt.text, "a.md");
	ui_press_key(ui, UI_KEY_TAB);
	assert_string_equal(ui->state.prompt.text, "a.svg");
	ui_press_key(ui, UI_KEY_ESCAPE);
}

static bool save_nothing(void *owner, const char *path)
{
	snprintf(owner, PROMPT_BYTES, "%s", path);
	return true;
}

/* Without --keep-last there are no records of the last seconds: Tab does not lead to them, and a
 * name that is typed for them leads to the reason, not to the next prompt. */
static void test_records_are_offered_only_where_they_are_kept(void **state)
{
	struct ui *ui = *state;
	char saved[PROMPT_BYTES] = "";
	const struct keep_control keep = { .owner = saved, .save = save_nothing };

	ui->state.recording.can_record = true;
	ui_press(ui, "P");
	assert_true(ui_has(ui, ".md .data (needs --keep-last)"));
	type_and_enter(ui, "save as:", "a.data");
	assert_true(ui->state.prompt.is_open);
	assert_string_equal(ui->state.prompt.text, "a.data");
	assert_true(ui_has(ui, "start with --keep-last 60s"));
	ui_press_key(ui, UI_KEY_LEFT);
	assert_true(ui_has(ui, "a.data   O records from now on"));
	ui_press_key(ui, UI_KEY_TAB);
	assert_string_equal(ui->state.prompt.text, "a.svg");
	ui_press_key(ui, UI_KEY_ESCAPE);
	ui_press(ui, "P");
	assert_null(strstr(ui->state.prompt.text, ".data"));
	ui_press_key(ui, UI_KEY_ESCAPE);

	ui->state.keep_control = &keep;
	ui_press(ui, "P");
	assert_false(ui_has(ui, "needs"));
	enter(ui, "save as:", "a.md");
	ui_press(ui, "P");
	ui_press_key(ui, UI_KEY_TAB);
	assert_non_null(strstr(ui->state.prompt.text, ".data"));
	enter(ui, "save as:", "b.data");
	assert_string_equal(saved, "b.data");
	ui_press(ui, "P");
	assert_non_null(strstr(ui->state.prompt.text, ".data"));
	ui_press_key(ui, UI_KEY_ESCAPE);
	ui->state.keep_control = NULL;
}

static void test_every_kind_of_target(void **state)
{
	struct ui *ui = *state;

	ui_press(ui, "t");
	ui_choose(ui, "everything");
	check_asked(ui, SOURCE_ALL, "");
	ui_press(ui, "t");
	ui_choose(ui, "processes");
	enter(ui, "processes (id, name, PID+):", "77,900");
	check_asked(ui, SOURCE_PROCESSES, "77,900");
	ui_press(ui, "t");
	ui_choose(ui, "threads");
	enter(ui, "thread ids:", "912");
	check_asked(ui, SOURCE_THREADS, "912");
	ui_press(ui, "t");
	ui_choose(ui, "user");
	enter(ui, "user:", "www-data");
	check_asked(ui, SOURCE_USER, "www-data");
	ui_press(ui, "t");
	ui_choose(ui, "a cgroup");
	enter(ui, "cgroup (path, unit, container):", "nginx.service");
	check_asked(ui, SOURCE_CGROUP, "nginx.service");
	ui_press(ui, "t");
	ui_choose(ui, "some cpus");
	enter(ui, "CPUs (0-3,8):", "0-3");
	check_asked(ui, SOURCE_CPUS, "0-3");
	ui_press(ui, "t");
	ui_choose(ui, "all cpus");
	check_asked(ui, SOURCE_CPUS, "");
}

static void test_the_children_of_the_target_come_first(void **state)
{
	struct ui *ui = *state;

	ui->snapshot.target_pid = 4120;
	ui->snapshot.target_children = 12;
	ui_press(ui, "t");
	ui_press_key(ui, UI_KEY_ENTER);
	check_asked(ui, SOURCE_PROCESSES, "4120+");
}

static void test_the_target_of_the_row_under_the_cursor(void **state)
{
	struct ui *ui = *state;

	ui_press(ui, "t");
	ui_choose(ui, "this row's process: pid 4121");
	check_asked(ui, SOURCE_PROCESSES, "4121");
	ui_press(ui, "jt");	/* a row of 12 tasks */
	assert_false(ui_has(ui, "this row's process"));
}

static void test_one_change_at_a_time(void **state)
{
	struct ui *ui = *state;

	ui_press(ui, "t");
	ui_choose(ui, "everything");
	ui_press(ui, "t");
	ui_choose(ui, "all cpus");
	assert_int_equal(ui->source.count, 1);
	assert_string_equal(ui->state.message, "the change before is still under way");
	assert_true(ui->state.is_source_changing);
}

static void test_a_recording_stays_what_it_is(void **state)
{
	static const char keys[] = "eft";
	struct ui *ui = *state;

	ui->state.source = NULL;
	for (size_t i = 0; keys[i]; i++) {
		const char key[] = { keys[i], '\0' };

		ui_press(ui, key);
		assert_false(ui->state.menu.is_open);
		assert_false(ui->state.prompt.is_open);
		assert_string_equal(ui->state.message, "a recording stays what was recorded");
	}
}

static void test_what_a_change_failed_by_is_said(void **state)
{
	struct ui *ui = *state;
	struct diag why;

	diag_set(&why, -EACCES, "pid 1 is another user's: run as root");
	ui->state.query.is_paused = ui->state.is_source_changing = true;
	ui->state.is_command_ended = true;
	state_source_changed(&ui->state, -EACCES, &why);
	assert_string_equal(ui->state.message, "pid 1 is another user's: run as root");
	assert_false(ui->state.is_source_changing);
	assert_true(ui->state.query.is_paused);	/* the old source goes on, and what was frozen */
	assert_true(ui->state.is_command_ended);
}

static void test_a_change_that_worked_goes_live(void **state)
{
	struct ui *ui = *state;
	const struct request *last;

	ui_press(ui, " ");
	ui->state.is_command_ended = true;
	state_source_changed(&ui->state, 0, NULL);
	assert_false(ui->state.query.is_paused);
	assert_false(ui->state.is_command_ended);
	assert_string_equal(ui->state.message, "changed: the window begins now");
	last = &ui->state.out.requests[ui->state.out.count - 1];
	assert_int_equal(last->kind, REQUEST_REFRESH);
	assert_int_equal(last[-1].kind, REQUEST_FREEZE);
	assert_int_equal(last[-1].value_ns, 0);
}

static void test_the_next_event_of_several(void **state)
{
	struct ui *ui = *state;

	ui_press(ui, "v");
	assert_string_equal(ui->state.message, "there is only one event");
	ui->snapshot.event_count = 2;
	ui->snapshot.event_index = 1;
	ui_show(ui);
	ui_press(ui, "v");
	assert_int_equal(ui->state.out.requests[0].kind, REQUEST_EVENT);
	assert_int_equal(ui->state.out.requests[0].value, 0);
	ui->snapshot.event_count = 360;
	ui->snapshot.next_shown = 77;
	ui_show(ui);
	ui_press(ui, "v");
	assert_string_equal(ui->state.message, "events without samples are passed over");
	assert_int_equal(ui->state.out.requests[ui->state.out.count - 1].value, 77);
}

UNIT_TESTS(test_command_sources)
{
	const struct CMUnitTest tests[] = {
		UI_TEST(test_the_frequency_begins_with_the_present_one),
		UI_TEST(test_a_recording_is_begun_with_a_name_and_ended_with_the_same_key),
		UI_TEST(test_the_end_of_a_name_says_what_is_saved),
		UI_TEST(test_a_recording_that_is_read_has_nothing_to_record),
		UI_TEST(test_records_are_offered_only_where_they_are_kept),
		UI_TEST(test_every_kind_of_target),
		UI_TEST(test_the_children_of_the_target_come_first),
		UI_TEST(test_the_target_of_the_row_under_the_cursor),
		UI_TEST(test_one_change_at_a_time),
		UI_TEST(test_a_recording_stays_what_it_is),
		UI_TEST(test_what_a_change_failed_by_is_said),
		UI_TEST(test_a_change_that_worked_goes_live),
		UI_TEST(test_the_next_event_of_several),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
