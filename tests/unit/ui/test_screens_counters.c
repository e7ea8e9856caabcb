/* The line of counters and their view: ratios, states, what a narrow screen leaves out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "counters_fixture.h"
#include "ui_fixture.h"
#include "ui/widgets/counter_line.h"
#include "unit_tests.h"

static const struct {
	int width, height;
} sizes[] = { { 40, 12 }, { 80, 24 }, { 100, 24 }, { 200, 60 } };
#define SIZE_COUNT (sizeof(sizes) / sizeof(sizes[0]))

static void open_line(struct ui *ui, int width, int height, struct snapshot_counters *counters)
{
	ui_open(ui, width, height);
	ui->state.display.choice.counter_line = 1;
	ui->snapshot.counters = counters;
	ui_show(ui);
}

static void open_view(struct ui *ui, int width, int height, struct snapshot_counters *counters)
{
	ui_open(ui, width, height);
	ui_show(ui);
	frame_draw(&ui->state, &ui->canvas);
	ui_press(ui, "V");
	ui_prepare(ui);
	ui->snapshot.counters = counters;
	ui_show(ui);
}

static void test_the_line_at_every_size(void **state)
{
	struct ui ui;
	char name[64];

	(void)state;
	for (size_t i = 0; i < SIZE_COUNT; i++) {
		open_line(&ui, sizes[i].width, sizes[i].height, counters_fixture_machine());
		snprintf(name, sizeof(name), "counter_line_%dx%d", sizes[i].width, sizes[i].height);
		ui_close(&ui, name);
	}
}

static void test_the_view_at_every_size(void **state)
{
	struct ui ui;
	char name[64];

	(void)state;
	for (size_t i = 0; i < SIZE_COUNT; i++) {
		open_view(&ui, sizes[i].width, sizes[i].height, counters_fixture_machine());
		snprintf(name, sizeof(name), "counters_%dx%d", sizes[i].width, sizes[i].height);
		ui_close(&ui, name);
	}
}

static void test_ascii_and_roles(void **state)
{
	struct ui ui;

	(void)state;
	open_view(&ui, 100, 24, counters_fixture_machine());
	ui.state.display.choice.counter_line = 1;
	ui.canvas.is_ascii = true;
	ui_compare("counters_roles_100x24", ui_roles(&ui));
	ui_close(&ui, "counters_ascii_100x24");
}

static void test_energy_and_top_down(void **state)
{
	struct ui ui;
	char name[64];

	(void)state;
	for (size_t i = 0; i < SIZE_COUNT; i++) {
		open_view(&ui, sizes[i].width, sizes[i].height, counters_fixture_packages());
		snprintf(name, sizeof(name), "counters_packages_%dx%d", sizes[i].width,
			 sizes[i].height);
		ui_close(&ui, name);
	}
	open_view(&ui, 100, 24, counters_fixture_packages());
	ui.canvas.is_ascii = true;
	ui_compare("counters_packages_roles_100x24", ui_roles(&ui));
	ui_close(&ui, "counters_packages_ascii_100x24");
}

/* The line below the activity graph: on a wide screen number 2. */
static const char *line_of(struct ui *ui)
{
	frame_draw(&ui->state, &ui->canvas);
	return ui_line(ui, ui->canvas.width >= 100 ? 2 : 3);
}

static void assert_line_has(struct ui *ui, const char *part)
{
	if (!strstr(line_of(ui), part))
		fail_msg("\"%s\" is not in \"%s\"", part, line_of(ui));
}

/* The fixture's comment has the numbers. */
static void test_ratios_are_those_of_the_window(void **state)
{
	static const char *const parts[] = { "IPC  0.82", " 3.10 GHz", "branch-miss   0.9 %",
					     "cache-miss ~28.6 %", "faults  1.2k/s",
					     "switches  8.4k/s" };
	struct ui ui;

	(void)state;
	open_line(&ui, 200, 24, counters_fixture_machine());
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		assert_line_has(&ui, parts[i]);
	assert_null(strstr(line_of(&ui), "migrations"));	/* six at most */
	ui_finish(&ui);
}

static void test_the_line_has_the_power_of_the_packages(void **state)
{
	struct ui ui;

	(void)state;
	open_line(&ui, 200, 24, counters_fixture_packages());
	assert_line_has(&ui, " 41.0 W");
	ui_finish(&ui);
}

/* 410,000 MiB and 210 J in 10 s: of two energies the first is W, the other is named. */
static void test_what_was_asked_for_comes_first(void **state)
{
	struct snapshot_counters *counters = counters_fixture_packages();
	struct counter_event *events = (struct counter_event *)counters->events;
	struct ui ui;

	(void)state;
	events[14].is_asked = events[15].is_asked = true;	/* 13: energy of the package */
	snprintf(events[14].name, sizeof(events[14].name), "imc/cas/");
	events[14].unit = (struct event_unit){ 410e-9, "MiB" };
	snprintf(events[15].name, sizeof(events[15].name), "%s", "power/energy-cores/");
	events[15].unit = (struct event_unit){ 1e-9, "Joules" };
	open_line(&ui, 200, 24, counters);
	assert_line_has(&ui, " imc/cas/ 40.0 GiB/s");
	assert_line_has(&ui, "power/energy-cores/     21.0 W");
	assert_true(strstr(line_of(&ui), "imc/cas/") < strstr(line_of(&ui), "IPC"));
	ui_finish(&ui);
}

static void test_a_narrow_screen_drops_values_from_the_right(void **state)
{
	struct ui ui;

	(void)state;
	open_line(&ui, 80, 24, counters_fixture_machine());
	assert_line_has(&ui, "faults  1.2k/s");
	assert_null(strstr(line_of(&ui), "switches"));
	ui_finish(&ui);
	open_line(&ui, 44, 24, counters_fixture_machine());
	assert_line_has(&ui, "branch-miss");
	assert_null(strstr(line_of(&ui), "cache-miss"));
	ui_finish(&ui);
}

static void test_only_counters_that_exist_are_in_the_line(void **state)
{
	struct ui ui;

	(void)state;
	open_line(&ui, 100, 24, counters_fixture_software());
	assert_line_has(&ui, "faults  1.2k/s");
	assert_line_has(&ui, "migrations    61/s");
	assert_line_has(&ui, "major   0.3/s");
	assert_null(strstr(line_of(&ui), "IPC"));
	assert_null(strstr(line_of(&ui), "GHz"));
	ui_finish(&ui);
}

static void test_what_never_ran_is_a_dash(void **state)
{
	struct snapshot_counters *counters = counters_fixture_machine();
	struct counter_value *values = (struct counter_value *)counters->values;
	struct ui ui;

	(void)state;
	values[1].running_ns = 0;	/* cycles */
	open_line(&ui, 200, 24, counters);
	assert_line_has(&ui, "IPC     -");
	assert_line_has(&ui, "    - GHz");
	ui_finish(&ui);
	/* One that could not be read has no time, though others have. */
	counters = counters_fixture_machine();
	values[9] = (struct counter_value){ 0 };	/* page-faults */
	open_line(&ui, 200, 24, counters);
	assert_line_has(&ui, "faults     -/s");
	ui_finish(&ui);
}

static void test_it_says_whose_counters_they_are(void **state)
{
	struct filter_part part = { .field = FILTER_PID, .number = 4121, .text = "postgres" };
	struct ui ui;
	struct diag why;

	(void)state;
	open_line(&ui, 200, 24, counters_fixture_process());
	assert_line_has(&ui, " pid 4121   8.00 CPUs");
	ui.snapshot.target_pid = 4121;	/* the header says it */
	assert_null(strstr(line_of(&ui), "pid 4121"));
	ui_finish(&ui);
	open_line(&ui, 200, 24, counters_fixture_machine());
	assert_null(strstr(line_of(&ui), "machine"));
	part.field = FILTER_COMMAND;	/* no counters of a command */
	assert_int_equal(filter_add(&ui.state.query.breadcrumbs.filter, &part, &why), 0);
	assert_line_has(&ui, " machine  IPC");
	ui_finish(&ui);
}

static void test_a_gap_is_said(void **state)
{
	struct snapshot_counters *counters = counters_fixture_machine();
	struct ui ui;

	(void)state;
	counters->counted_s = 7;
	open_line(&ui, 200, 24, counters);
	assert_line_has(&ui, "7 s of 10 s");
	ui_finish(&ui);
}

static void test_states_of_the_line(void **state)
{
	static const struct {
		enum counters_state state;
		const char *reason, *line;
	} states[] = {
		{ COUNTERS_OPENING, "", " opening the counters\u2026" },
		{ COUNTERS_NOT_THEN, "", " not counted at that time" },
		{ COUNTERS_REFUSED, "kernel.perf_event_paranoid is 2: run as root",
		  " no counters: kernel.perf_event_paranoid is 2: run as root" },
	};
	struct ui ui;

	(void)state;
	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
		open_line(&ui, 100, 24, counters_fixture_state(states[i].state, states[i].reason));
		assert_string_equal(line_of(&ui), states[i].line);
		ui_finish(&ui);
	}
}

static void test_states_of_the_view(void **state)
{
	struct ui ui;

	(void)state;
	open_view(&ui, 80, 24, counters_fixture_state(
		COUNTERS_REFUSED, "not permitted to count every process: "
		"kernel.perf_event_paranoid is 2; run as root, or set it to 0"));
	ui_close(&ui, "counters_refused_80x24");
	open_view(&ui, 80, 24, counters_fixture_state(COUNTERS_NOT_THEN, ""));
	assert_true(ui_has(&ui, "not counted at that time"));
	assert_true(ui_has(&ui, "0 goes back to live"));
	ui_finish(&ui);
	open_view(&ui, 80, 24, NULL);
	assert_true(ui_has(&ui, "opening the counters"));
	ui.state.source = NULL;
	assert_true(ui_has(&ui, "a recording has no counters"));
	ui_finish(&ui);
}

/* CPU 0 has half of all. */
static void test_a_counter_opens_into_its_cpus(void **state)
{
	struct ui ui;

	(void)state;
	open_view(&ui, 100, 30, counters_fixture_machine());
	ui_press(&ui, "jjjjjjjjj");
	assert_true(ui_has(&ui, "▸ context-switches"));
	ui_press_key(&ui, UI_KEY_ENTER);
	assert_true(ui_has(&ui, "  CPU 0"));
	assert_true(ui_has(&ui, "of all CPUs"));
	assert_true(ui_has(&ui, "50.0 %"));
	assert_true(ui_has(&ui, "4.20 k/s"));
	ui_compare("counters_by_cpu_100x30", ui_text(&ui));
	ui_press(&ui, "j");
	assert_true(ui_has(&ui, "▸   CPU 0"));
	ui_press(&ui, "h");
	assert_true(ui_has(&ui, "▸ context-switches"));
	assert_false(ui_has(&ui, "CPU 0"));
	ui_finish(&ui);
}

/* Row 1 has half of the machine's. */
static void test_g_is_for_rows_by_cgroup(void **state)
{
	struct snapshot_counters *counters = counters_fixture_machine();
	struct ui ui;

	(void)state;
	open_view(&ui, 100, 30, counters);
	ui_press(&ui, "jjjjjjjjjg");
	assert_true(ui_has(&ui, "Enter opens a counter by cgroup"));
	assert_true(ui_asked(&ui)->counter_rows);
	assert_true(ui_asked(&ui)->counters_by_cgroup);
	counters->rows_are = COUNTER_PER_CGROUP;
	for (uint32_t row = 0; row < counters->row_count; row++)
		snprintf(((struct counter_row *)counters->rows)[row].text,
			 sizeof(counters->rows[0].text), "job-%u", (unsigned int)row);
	ui_show(&ui);
	ui_press_key(&ui, UI_KEY_ENTER);
	assert_true(ui_has(&ui, "  job-0"));
	assert_true(ui_has(&ui, "of the machine"));
	assert_true(ui_has(&ui, "50.0 %"));
	ui_compare("counters_by_cgroup_100x30", ui_text(&ui));
	ui_press(&ui, "g");
	assert_true(ui_has(&ui, "Enter opens a counter by CPU"));
	assert_false(ui_asked(&ui)->counters_by_cgroup);
	ui_finish(&ui);
	open_view(&ui, 100, 30, counters_fixture_process());
	ui_press(&ui, "g");
	assert_true(ui_has(&ui, "the counters of a process are by thread"));
	ui_finish(&ui);
}

static void test_only_the_cpu_that_counts_a_package_has_a_row(void **state)
{
	struct ui ui;

	(void)state;
	open_view(&ui, 120, 40, counters_fixture_packages());
	ui_press(&ui, "/power\r");
	assert_true(ui_has(&ui, "▸ power/energy-pkg/"));
	ui_press_key(&ui, UI_KEY_ENTER);
	assert_true(ui_has(&ui, "  CPU 0"));
	assert_true(ui_has(&ui, "of all packages"));
	assert_true(ui_has(&ui, "100.0 %"));
	assert_false(ui_has(&ui, "CPU 1"));
	ui_finish(&ui);
}

static void test_threads_have_their_names(void **state)
{
	struct ui ui;

	(void)state;
	open_view(&ui, 100, 30, counters_fixture_process());
	assert_true(ui_has(&ui, "8.00 CPUs"));
	ui_press(&ui, "l");
	assert_true(ui_has(&ui, "  postgres 4121"));
	assert_true(ui_has(&ui, "  worker 4122"));
	ui_finish(&ui);
}

static void test_the_watchdog_is_named(void **state)
{
	struct snapshot_counters *counters = counters_fixture_machine();
	struct ui ui;

	(void)state;
	open_view(&ui, 100, 30, counters);
	assert_true(ui_has(&ui, "never ran: others hold the counters"));
	counters->has_nmi_watchdog = true;
	assert_true(ui_has(&ui, "never ran: the NMI watchdog holds a counter"));
	ui_finish(&ui);
}

static void test_the_cursor_stays_on_its_counter(void **state)
{
	struct snapshot_counters *counters = counters_fixture_machine();
	struct ui ui;

	(void)state;
	open_view(&ui, 100, 30, counters);
	ui_press(&ui, "jj");
	assert_true(ui_has(&ui, "▸ branches"));
	((struct counter_event *)counters->events)[1].absent.err = -1;	/* cycles go to the end */
	ui_show(&ui);
	assert_true(ui_has(&ui, "▸ branches"));
	ui_press(&ui, "/cpu-mig");
	ui_press_key(&ui, UI_KEY_ENTER);
	assert_true(ui_has(&ui, "▸ cpu-migrations"));
	ui_finish(&ui);
}

/* What the analyzer is asked: whose counters, and whether by row. */
static void test_counters_are_asked_for_only_where_they_are_shown(void **state)
{
	struct ui *ui = *state;

	state_ask(&ui->state);
	assert_int_equal(ui_asked(ui)->counters, COUNTERS_NONE);
	ui_press(ui, "=");
	assert_string_equal(ui->state.message, "counter line on");
	assert_int_equal(ui_asked(ui)->counters, COUNTERS_OF_ALL);
	assert_false(ui_asked(ui)->counter_rows);
	ui_press(ui, "=");
	assert_int_equal(ui_asked(ui)->counters, COUNTERS_NONE);
	ui_press(ui, "V");
	assert_int_equal(ui_asked(ui)->counters, COUNTERS_OF_ALL);
	assert_true(ui_asked(ui)->counter_rows);
}

static void test_a_drilled_task_is_asked_for(void **state)
{
	struct filter_part part = { .field = FILTER_PID, .number = 4121, .text = "postgres" };
	struct ui *ui = *state;

	ui->state.display.choice.counter_line = 1;
	state_go(&ui->state, VIEW_SYMBOLS, &part);
	assert_int_equal(ui_asked(ui)->counters, COUNTERS_OF_PROCESS);
	assert_int_equal(ui_asked(ui)->counters_id, 4121);
	part = (struct filter_part){ .field = FILTER_TID, .number = 4122 };
	ui_reply(ui);
	state_go(&ui->state, VIEW_SYMBOLS, &part);
	assert_int_equal(ui_asked(ui)->counters, COUNTERS_OF_THREAD);
	assert_int_equal(ui_asked(ui)->counters_id, 4122);
}

static void test_low_screens_and_recordings_have_no_line(void **state)
{
	struct ui ui;

	(void)state;
	ui_open(&ui, 80, 15);
	ui_show(&ui);
	frame_draw(&ui.state, &ui.canvas);
	ui_press(&ui, "=");
	assert_string_equal(ui.state.message, "no room: the counter line needs 16 lines");
	ui.state.source = NULL;
	ui_press(&ui, "=");
	assert_string_equal(ui.state.message, "a recording has no counters");
	ui_finish(&ui);
}

static void test_numbers_have_four_cells(void **state)
{
	static const struct {
		double number;
		const char *text;
	} numbers[] = { { 0, "0" }, { 0.04, "0" }, { 0.3, "0.3" }, { 9.94, "9.9" }, { 61, "61" },
			{ 999.4, "999" }, { 999.5, "1.0k" }, { 8400, "8.4k" }, { 84000, "84k" },
			{ 999400, "999k" }, { 6.29e8, "629M" }, { 2.48e10, "25G" } };
	char text[32];

	(void)state;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		assert_string_equal(counter_line_format_number(text, numbers[i].number, 2),
				    numbers[i].text);
	assert_string_equal(counter_line_format_number(text, 2.48e10, 3), "24.8G");
	assert_string_equal(counter_line_format_number(text, 8400, 3), "8.40k");
	assert_string_equal(counter_line_format_number(text, 61, 3), "61");
}

UNIT_TESTS(test_screens_counters)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_line_at_every_size),
		cmocka_unit_test(test_the_view_at_every_size),
		cmocka_unit_test(test_ascii_and_roles),
		cmocka_unit_test(test_energy_and_top_down),
		cmocka_unit_test(test_the_line_has_the_power_of_the_packages),
		cmocka_unit_test(test_ratios_are_those_of_the_window),
		cmocka_unit_test(test_what_was_asked_for_comes_first),
		cmocka_unit_test(test_a_narrow_screen_drops_values_from_the_right),
		cmocka_unit_test(test_only_counters_that_exist_are_in_the_line),
		cmocka_unit_test(test_what_never_ran_is_a_dash),
		cmocka_unit_test(test_it_says_whose_counters_they_are),
		cmocka_unit_test(test_a_gap_is_said),
		cmocka_unit_test(test_states_of_the_line),
		cmocka_unit_test(test_states_of_the_view),
		cmocka_unit_test(test_a_counter_opens_into_its_cpus),
		cmocka_unit_test(test_g_is_for_rows_by_cgroup),
		cmocka_unit_test(test_only_the_cpu_that_counts_a_package_has_a_row),
		cmocka_unit_test(test_threads_have_their_names),
		cmocka_unit_test(test_the_watchdog_is_named),
		cmocka_unit_test(test_the_cursor_stays_on_its_counter),
		UI_TEST(test_counters_are_asked_for_only_where_they_are_shown),
		UI_TEST(test_a_drilled_task_is_asked_for),
		cmocka_unit_test(test_low_screens_and_recordings_have_no_line),
		cmocka_unit_test(test_numbers_have_four_cells),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
