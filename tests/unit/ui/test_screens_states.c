/* Whole screens: every state that the table and its header can be in. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <locale.h>

#include <cmocka.h>

#include "ui_fixture.h"
#include "unit_tests.h"

static void test_collecting(void **state)
{
	struct ui ui;

	(void)state;
	ui_open(&ui, 80, 24);
	ui_close(&ui, "collecting_80x24");
	ui_open(&ui, 40, 10);
	ui_close(&ui, "collecting_40x10");
}

static void make_empty(struct ui *ui)
{
	ui->snapshot.row_count = 0;
	ui->snapshot.samples = ui->snapshot.idle_samples = 0;
	ui->snapshot.weight = 0;
	ui->snapshot.busy_pct = 0;
	ui->snapshot.activity_count = 0;
}

static void test_nothing_hot(void **state)
{
	struct ui ui;

	(void)state;
	ui_open(&ui, 80, 24);
	make_empty(&ui);
	ui.snapshot.samples = ui.snapshot.idle_samples = 44000;
	ui_show(&ui);
	ui_close(&ui, "all_idle_80x24");

	ui_open(&ui, 80, 24);
	make_empty(&ui);
	ui_show(&ui);
	ui_close(&ui, "no_sample_80x24");

	ui_open(&ui, 40, 10);
	make_empty(&ui);
	ui_show(&ui);
	ui_close(&ui, "no_sample_40x10");
}

static void end_target(struct ui *ui)
{
	ui->snapshot.is_target_gone = true;
	ui->snapshot.target = "pid 4121";
	ui->snapshot.busy_pct = -1;
	ui->snapshot.activity_kind = ACTIVITY_RATE;
}

static void test_target_that_ended(void **state)
{
	struct ui ui;

	(void)state;
	ui_open(&ui, 80, 24);
	end_target(&ui);
	make_empty(&ui);
	ui.snapshot.busy_pct = -1;
	ui_show(&ui);
	ui_close(&ui, "target_gone_empty_80x24");

	ui_open(&ui, 80, 24);
	end_target(&ui);
	ui_show(&ui);
	ui_close(&ui, "target_gone_80x24");

	ui_open(&ui, 40, 10);
	end_target(&ui);
	ui_show(&ui);
	ui_close(&ui, "target_gone_40x10");
}

static void test_command_that_ended(void **state)
{
	struct ui ui;

	(void)state;
	ui_open(&ui, 80, 24);
	ui.state.is_command_ended = true;
	ui.snapshot.target = "pid 4121";
	ui_show(&ui);
	ui_close(&ui, "command_ended_80x24");
}

static void test_paused(void **state)
{
	struct ui ui;

	(void)state;
	ui_open(&ui, 80, 24);
	ui_show(&ui);
	ui_press(&ui, " ");
	ui_close(&ui, "paused_80x24");
}

static void test_filters_that_leave_nothing(void **state)
{
	struct ui ui;

	(void)state;
	ui_open(&ui, 80, 24);
	ui_show(&ui);
	ui_press(&ui, "\\nowhere");
	ui_press_key(&ui, UI_KEY_ENTER);
	ui_reply_part(&ui, 0, 0, 0);
	ui_close(&ui, "filter_text_nothing_80x24");

	ui_open(&ui, 80, 24);
	ui_show(&ui);
	ui_press_key(&ui, UI_KEY_ENTER);
	ui_reply_part(&ui, 0, 0, 0);
	ui_close(&ui, "drilled_nothing_80x24");

	ui_open(&ui, 80, 24);
	ui_show(&ui);
	ui_press(&ui, "KU");
	ui_reply_part(&ui, 0, 0, 0);
	ui_close(&ui, "hidden_nothing_80x24");

	ui_open(&ui, 80, 24);
	ui_show(&ui);
	ui_press(&ui, "\\nowhere");
	ui_press_key(&ui, UI_KEY_ENTER);
	ui_reply_part(&ui, 0, 0, 0);
	ui_press_key(&ui, UI_KEY_ESCAPE);
	ui_close(&ui, "rows_asked_for_80x24");
}

static void test_without_permission(void **state)
{
	struct ui ui;

	(void)state;
	ui_open(&ui, 80, 24);
	ui.snapshot.target = "own processes";
	ui.snapshot.event = "cpu-clock:u";
	ui.snapshot.busy_pct = -1;
	ui.snapshot.activity_kind = ACTIVITY_RATE;
	ui.snapshot.notice = "own processes only, user code only (kernel.perf_event_paranoid is "
				"2); for everything: run as root, or set it to -1";
	ui_show(&ui);
	ui_close(&ui, "no_permission_80x24");
}

static void test_events_that_are_not_supported(void **state)
{
	struct ui ui;

	(void)state;
	ui_open(&ui, 100, 24);
	ui.snapshot.event = "cpu-clock";
	ui.snapshot.absent_events = "cycles\nthis machine has no hardware counters\n"
				       "no:such\nno tracepoint group \"no\"\n";
	ui_show(&ui);
	assert_true(ui_has(&ui, "cycles and 1 more <not supported>"));
	ui_press(&ui, "!");
	ui_close(&ui, "not_supported_100x24");
}

static void lose(struct ui *ui)
{
	ui->snapshot.lost_kernel = 123456;
	ui->snapshot.lost_late = 7;
	ui->snapshot.throttled_ns = 2500000000;
}

static void test_losses(void **state)
{
	struct ui ui;

	(void)state;
	ui_open(&ui, 80, 24);
	ui.snapshot.lost_kernel = 12;
	ui_show(&ui);
	ui_close(&ui, "lost_80x24");

	ui_open(&ui, 120, 40);
	lose(&ui);
	ui_show(&ui);
	ui_close(&ui, "losses_120x40");
}

static void test_source_that_is_changing(void **state)
{
	struct ui ui;

	(void)state;
	ui_open(&ui, 80, 24);
	ui_show(&ui);
	ui_press(&ui, "f");
	ui_press_key(&ui, UI_KEY_ENTER);
	ui_close(&ui, "source_changing_80x24");
}

static void test_recording(void **state)
{
	struct ui ui;

	(void)state;
	ui_open(&ui, 100, 24);
	ui.state.source = NULL;
	ui.state.query.window = WINDOW_ALL;
	ui.snapshot.window = WINDOW_ALL;
	ui.snapshot.window_s = 754;
	ui.snapshot.is_replay = ui.snapshot.is_last = true;
	ui.snapshot.target = "recording perf.data";
	ui.snapshot.busy_pct = -1;
	ui.snapshot.activity_kind = ACTIVITY_RATE;
	ui_show(&ui);
	ui_close(&ui, "recording_100x24");

	ui_open(&ui, 80, 24);
	ui.state.source = NULL;
	ui.snapshot.is_replay = ui.snapshot.is_last = true;
	ui.snapshot.end_err = -EINVAL;
	ui.snapshot.end_reason = "the recording is cut short at byte 81920";
	ui.snapshot.target = "recording perf.data";
	make_empty(&ui);
	ui.snapshot.busy_pct = -1;
	ui_show(&ui);
	ui_close(&ui, "recording_broken_80x24");
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
	struct ui ui;

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		ui_open(&ui, sizes[i].width, sizes[i].height);
		ui_show(&ui);
		ui_press(&ui, "iU\\r");
		ui_press_key(&ui, UI_KEY_ENTER);
		ui_press(&ui, "zS ");
		ui_reply(&ui);
		ui.snapshot.shown_weight = ui.snapshot.weight * 0.2051;
		lose(&ui);
		ui.snapshot.event_count = 2;
		ui.snapshot.window = WINDOW_ALL;
		ui.snapshot.window_s = 754;
		ui.snapshot.notice = "kernel names are hidden: run as root";
		ui_show(&ui);
		ui_close(&ui, sizes[i].name);
	}
}

static void drill(struct ui *ui)
{
	ui_show(ui);
	ui_press(ui, "3");
	ui_reply(ui);
	ui_press(ui, "j");
	ui_press_key(ui, UI_KEY_ENTER);
	ui_reply_part(ui, 2, 2, 20.54);
	ui_press(ui, "j");
	ui_press_key(ui, UI_KEY_ENTER);
	ui_reply_part(ui, 3, 1, 14.8);
}

static void test_two_levels_down(void **state)
{
	struct ui ui;

	(void)state;
	ui_open(&ui, 80, 24);
	drill(&ui);
	ui_close(&ui, "drilled_80x24");
	ui_open(&ui, 120, 40);
	drill(&ui);
	ui_close(&ui, "drilled_120x40");
	ui_open(&ui, 40, 12);
	drill(&ui);
	ui_close(&ui, "drilled_40x12");
}

static void test_long_breadcrumb(void **state)
{
	static const struct {
		int width, height;
		const char *name;
	} sizes[] = { { 40, 12, "long_breadcrumb_40x12" }, { 80, 24, "long_breadcrumb_80x24" } };
	struct ui ui;

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		ui_open(&ui, sizes[i].width, sizes[i].height);
		drill(&ui);
		ui_press(&ui, "\\~^(do_)?sys");
		ui_press_key(&ui, UI_KEY_ENTER);
		ui_press(&ui, "K1");
		ui_reply_part(&ui, 7, 1, 2.58);
		ui_press_key(&ui, UI_KEY_ENTER);
		ui_reply_part(&ui, 2, 1, 2.58);
		ui_close(&ui, sizes[i].name);
	}
}

/* The rows wait a millisecond for each sample. */
static void make_waits(struct ui *ui)
{
	static const char *const kinds[] = { "futex, run queue", "disk", "run queue", "timer" };
	static struct snapshot_row rows[64];

	ui->snapshot.event = "off-cpu";
	ui->snapshot.is_of_waits = true;
	ui->snapshot.freq_hz = 0;
	ui->snapshot.fixed_period = 1000000;
	ui->snapshot.weight *= 1e6;
	ui->snapshot.idle_weight = 44e9;
	for (size_t i = 0; i < ui->snapshot.row_count; i++) {
		rows[i] = ui->snapshot.rows[i];
		rows[i].now.self.weight *= 1e6;
		rows[i].now.total.weight *= 1e6;
		rows[i].wait = kinds[i % 4];
		rows[i].wait_state = i % 4 == 2 ? "runnable" : "runnable, sleeping";
		rows[i].waker = i % 2 ? "postgres" : "";
	}
	rows[3].id = ROW_OF_SHORT_WAITS;
	rows[3].mode = MODE_UNKNOWN;
	rows[3].state = SYMBOL_NAMED;
	rows[3].tasks = 0;
	rows[3].symbol = rows[3].comm = "(below 1 ms)";
	rows[3].command_line = rows[3].dso = rows[3].wait = rows[3].wait_state = rows[3].waker = "";
	ui->snapshot.rows = rows;
	ui->snapshot.waits = (struct wait_sums){ .on_ns = 31200000000, .blocked_ns = 33300000000,
						 .run_queue_ns = 1560000000 };
}

static void test_waits(void **state)
{
	static const struct {
		int width, height;
		enum view_kind kind;
		const char *name;
	} screens[] = {
		{ 80, 24, VIEW_SYMBOLS, "waits_80x24" },
		{ 120, 40, VIEW_SYMBOLS, "waits_120x40" },
		{ 200, 60, VIEW_SYMBOLS, "waits_200x60" },
		{ 80, 24, VIEW_TREE, "waits_tree_80x24" },
		{ 120, 40, VIEW_TASKS, "waits_tasks_120x40" },
	};
	struct ui ui;

	(void)state;
	for (size_t i = 0; i < sizeof(screens) / sizeof(screens[0]); i++) {
		ui_open(&ui, screens[i].width, screens[i].height);
		ui.state.display.choice.hidden[VIEW_SYMBOLS] &= ~COLUMNS_OF_WAITS;
		ui_show(&ui);
		state_show_kind(&ui.state, screens[i].kind);
		ui_prepare(&ui);
		make_waits(&ui);
		if (screens[i].kind == VIEW_TREE)	/* its nodes have a ns for each sample */
			ui.snapshot.weight /= 1e6;
		ui_show(&ui);
		ui_close(&ui, screens[i].name);
	}
}

UNIT_TESTS(test_screens_states)
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
		cmocka_unit_test(test_waits),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
