/* The exact lines of hand-made snapshots. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "export/print.h"
#include "snapshot_fixture.h"
#include "unit_tests.h"

static const struct export_options everything = { .max_rows = SIZE_MAX };

static void assert_text(const struct snapshot *snapshot, const struct export_options *options,
			const char *expected)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	text_write(out, snapshot, options);
	assert_int_equal(fclose(out), 0);
	assert_string_equal(text, expected);
	free(text);
}

static void test_a_table_has_a_head_titles_and_rows(void **state)
{
	struct snapshot_row rows[] = {
		{ .now.self.samples = 30, .now.total.samples = 40, .symbol = "main", .dso = "app",
		  .comm = "app", .mode = MODE_USER, .tasks = 1 },
		{ .now.self.samples = 10, .now.total.samples = 10, .symbol = "do_syscall_64",
		  .dso = "[kernel]", .mode = MODE_KERNEL, .tasks = 12 },
		{ .now.self.samples = 0, .now.total.samples = 10, .dso = "libx.so",
		  .state = SYMBOL_LOADING, .mode = MODE_USER },
	};
	struct snapshot snapshot = fixture_snapshot(rows, 3);

	(void)state;
	snapshot.busy_pct = 99.6;
	snapshot.own_cpu_pct = 1.25;
	assert_text(&snapshot, &everything,
		"# flametop  web-07  cpu-clock 997 Hz  8 CPUs  last 10.0 s  40 samples"
		"  busy 100 %  own 1.2 %\n"
		"  SELF%  TOTAL%  SAMPLES  COMMAND           DSO                       SYMBOL\n"
		"  75.00  100.00       30  app               app                       [.] main\n"
		"  25.00   25.00       10  12 tasks          [kernel]"
		"                  [k] do_syscall_64\n"
		"   0.00   25.00        0  several           libx.so"
		"                   [.] (loading)\n"
		"\n");
}

static void test_the_period_has_a_column_when_asked_for(void **state)
{
	const struct export_options options = { .max_rows = SIZE_MAX, .has_period = true };
	struct snapshot_row rows[] = {
		{ .now.self.samples = 30, .now.total.samples = 40, .symbol = "main", .dso = "app",
		  .comm = "app", .mode = MODE_USER, .tasks = 1 },
	};
	struct snapshot snapshot = fixture_snapshot(rows, 1);

	(void)state;
	rows[0].now.self.weight = 30090270812;
	snapshot.weight = 30090270812;
	assert_text(&snapshot, &options,
		"# flametop  web-07  cpu-clock 997 Hz  8 CPUs  last 10.0 s  30 samples  own 0.0 %\n"
		"  SELF%  TOTAL%  SAMPLES            PERIOD  COMMAND           DSO"
		"                       SYMBOL\n"
		" 100.00    0.00       30       30090270812  app               app"
		"                       [.] main\n"
		"\n");
}

/* A counted 50 samples in 5 s, the window 40 in 10 s: a row of 15 and 30 has changed by +45 points
 * and by no sample a second. */
static struct snapshot compared(struct snapshot_row rows[4])
{
	struct snapshot snapshot = fixture_snapshot(rows, 4);

	snapshot.has_baseline = snapshot.is_compared = true;
	snapshot.baseline = (struct snapshot_baseline){
		.window_s = 5, .samples = 50, .weight = 50, .label = "a.data",
	};
	row_changes_weigh_samples(&snapshot);
	return snapshot;
}

static struct snapshot_row compared_rows[4];

static void fill_compared_rows(void)
{
	static const struct snapshot_row rows[] = {
		{ .now.self.samples = 30, .now.total.samples = 40, .symbol = "main", .dso = "app",
		  .comm = "app", .mode = MODE_USER, .base = { { 15, 15 }, { 50, 50 } } },
		{ .now.self.samples = 10, .now.total.samples = 10, .symbol = "fresh", .dso = "app",
		  .comm = "app", .mode = MODE_USER },
		{ .now.self.samples = 0, .now.total.samples = 40, .symbol = "same", .dso = "app",
		  .comm = "app", .mode = MODE_USER, .base.total = { 50, 50 } },
		{ .symbol = "old", .dso = "app", .comm = "app", .mode = MODE_USER,
		  .base = { { 35, 35 }, { 40, 40 } } },
	};

	memcpy(compared_rows, rows, sizeof(rows));
}

/* 3 s in a record, 1 s in none. */
static void test_waits_have_times_and_the_wall_clock(void **state)
{
	struct snapshot_row rows[] = {
		{ .now = { { 2, 3e9 }, { 2, 3e9 } }, .symbol = "f", .dso = "app", .comm = "app",
		  .mode = MODE_USER, .tasks = 1, .wait = "futex" },
		{ .id = ROW_OF_SHORT_WAITS, .now = { { 0, 1e9 }, { 0, 1e9 } },
		  .symbol = "(below 1 ms)" },
	};
	struct snapshot snapshot = fixture_snapshot(rows, 2);

	(void)state;
	snapshot.event = "off-cpu";
	snapshot.is_of_waits = true;
	snapshot.freq_hz = 0;
	snapshot.fixed_period = 1000000;
	snapshot.weight = 4e9;
	snapshot.waits = (struct wait_sums){ 2000000000, 3500000000, 500000000, 1000000000 };
	assert_text(&snapshot, &everything,
		"# flametop  web-07  off-cpu from 1 ms  8 CPUs  last 10.0 s  2 samples"
		"  4.0s off CPU  own 0.0 %\n"
		"# threads: on CPU 2.0s + waited 3.5s + run queue 500.0ms = wall 6.0s\n"
		"  SELF%  TOTAL%  SAMPLES      TIME  WAIT            COMMAND           DSO"
		"                       SYMBOL\n"
		"  75.00   75.00        2      3.0s  futex           app               app"
		"                       [.] f\n"
		"  25.00   25.00        0      1.0s                  -                "
		"                               (below 1 ms)\n"
		"\n");
}

static void test_what_has_changed_most_comes_first(void **state)
{
	struct snapshot snapshot;

	(void)state;
	fill_compared_rows();
	snapshot = compared(compared_rows);
	assert_text(&snapshot, &everything,
		"# flametop  web-07  cpu-clock 997 Hz  8 CPUs  last 10.0 s  40 samples  own 0.0 %\n"
		"# compared with A: a.data  5.0 s  50 samples  (~ chance explains the "
		"change)\n"
		"  CHANGE        SELF%  A SELF%  TOTAL%  A TOTAL%  SAMPLES/s  A SAMPLES/s  CHANGE/s"
		"  COMMAND           DSO                       SYMBOL\n"
		"  -70.00  gone    0.00    70.00    0.00     80.00        0.0          7.0"
		"      -7.0  app               app                       [.] old\n"
		"  +45.00~        75.00    30.00  100.00    100.00        3.0          3.0"
		"      +0.0  app               app                       [.] main\n"
		"  +25.00~ new    25.00     0.00   25.00      0.00        1.0          0.0"
		"      +1.0  app               app                       [.] fresh\n"
		"   +0.00~         0.00     0.00  100.00    100.00        0.0          0.0"
		"      +0.0  app               app                       [.] same\n"
		"\n");
}

/* One that was marked on the screen has no name, but a time: that of the recording. */
static void test_a_baseline_without_a_name_has_its_time(void **state)
{
	const struct export_options options = { .max_rows = 1 };
	struct snapshot snapshot;

	(void)state;
	fill_compared_rows();
	snapshot = compared(compared_rows);
	snapshot.is_replay = true;
	snapshot.known_ns = 40000000000;
	snapshot.baseline.label = NULL;
	snapshot.baseline.begin_ns = 42500000000;
	snapshot.baseline.end_ns = 47500000000;
	assert_text(&snapshot, &options,
		"# flametop  web-07  cpu-clock 997 Hz  8 CPUs  last 10.0 s  40 samples  own 0.0 %\n"
		"# compared with A: 2.5 s to 7.5 s  5.0 s  50 samples  (~ chance explains the "
		"change)\n"
		"  CHANGE        SELF%  A SELF%  TOTAL%  A TOTAL%  SAMPLES/s  A SAMPLES/s  CHANGE/s"
		"  COMMAND           DSO                       SYMBOL\n"
		"  -70.00  gone    0.00    70.00    0.00     80.00        0.0          7.0"
		"      -7.0  app               app                       [.] old\n"
		"  ... 3 more rows (-E shows more)\n"
		"\n");
}

static void test_with_children_the_change_is_of_totals(void **state)
{
	const struct export_options options = { .max_rows = 2, .by_total = true };
	struct snapshot snapshot;

	(void)state;
	fill_compared_rows();
	snapshot = compared(compared_rows);
	assert_text(&snapshot, &options,
		"# flametop  web-07  cpu-clock 997 Hz  8 CPUs  last 10.0 s  40 samples  own 0.0 %\n"
		"# compared with A: a.data  5.0 s  50 samples  (~ chance explains the "
		"change)\n"
		"  CHANGE        SELF%  A SELF%  TOTAL%  A TOTAL%  SAMPLES/s  A SAMPLES/s  CHANGE/s"
		"  COMMAND           DSO                       SYMBOL\n"
		"  -80.00  gone    0.00    70.00    0.00     80.00        0.0          8.0"
		"      -8.0  app               app                       [.] old\n"
		"  +25.00~ new    25.00     0.00   25.00      0.00        1.0          0.0"
		"      +1.0  app               app                       [.] fresh\n"
		"  ... 2 more rows (-E shows more)\n"
		"\n");
}

static void test_losses_and_notices_are_written_when_there_are_any(void **state)
{
	struct snapshot snapshot = fixture_snapshot(NULL, 0);

	(void)state;
	snapshot.freq_hz = 0;
	snapshot.fixed_period = 1;
	snapshot.idle_samples = 5;
	snapshot.lost_kernel = 1;
	snapshot.lost_malformed = 2;
	snapshot.lost_late = 3;
	snapshot.unattributed = 4;
	snapshot.filtered_unknown_uid = 5;
	snapshot.stalled_rounds = 6;
	snapshot.throttled_ns = 7999999;
	snapshot.missing_ticks_pct = 12.6;
	snapshot.truncated_stacks = 8;
	snapshot.evicted_samples = 9;
	snapshot.losses.counts[LOSS_PROBE_MISSED].since_start = 10;
	snapshot.losses.counts[LOSS_TASKS].since_start = 11;
	snapshot.losses.counts[LOSS_MAPPINGS].since_start = 12;
	snapshot.losses.counts[LOSS_DSOS].since_start = 13;
	snapshot.losses.counts[LOSS_NAMES].since_start = 14;
	snapshot.losses.counts[LOSS_TABLES].since_start = 15;
	snapshot.losses.counts[LOSS_OWN].since_start = 16;
	snapshot.losses.counts[LOSS_WAIT_THREADS].since_start = 17;
	snapshot.losses.counts[LOSS_WAIT_CHILDREN].since_start = 18;
	snapshot.losses.counts[LOSS_WAIT_TIME].since_start = 19999999;
	snapshot.losses.counts[LOSS_WAKEUPS].since_start = 20;
	snapshot.losses.counts[LOSS_TEXTS].since_start = 21;
	snapshot.losses.counts[LOSS_INSIDE].since_start = 22;
	snapshot.notice = "first\nsecond";
	snapshot.absent_events = "cycles\nno counters\nno:such\nno group\n";
	assert_text(&snapshot, &everything,
		"# flametop  web-07  cpu-clock every 1  8 CPUs  last 10.0 s  0 samples  idle 5"
		"  lost 1  malformed 2  late 3  unattributed 4  unknown-uid 5"
		"  refused-threads 17  unwatched-children 18  unseen-switches-ms 19"
		"  unseen-wakeups 20  absent-texts 21  inside-unheld 22  left-out-own 16"
		"  stalled-rounds 6  throttled-ms 7  ticks-missing 13 %  truncated-stacks 8"
		"  evicted 9  missed-hits 10  forgotten-tasks 11  unkept-mappings 12"
		"  unkept-dsos 13"
		"  unkept-names 14  let-go-tables 15  own 0.0 %\n"
		"# first\n"
		"# second\n"
		"# cycles  <not supported>  no counters\n"
		"# no:such  <not supported>  no group\n"
		"  SELF%  TOTAL%  SAMPLES  COMMAND           DSO                       SYMBOL\n"
		"  nothing hot\n"
		"\n");
}

static void test_children_that_are_not_sampled_are_offered(void **state)
{
	struct snapshot snapshot = fixture_snapshot(NULL, 0);

	(void)state;
	snapshot.target_pid = 4121;
	snapshot.target_children = 12;
	assert_text(&snapshot, &everything,
		"# flametop  web-07  cpu-clock 997 Hz  8 CPUs  last 10.0 s  0 samples  own 0.0 %\n"
		"# process 4121 does next to nothing itself; children: 12 (-p 4121+ samples them,"
		" too)\n"
		"  SELF%  TOTAL%  SAMPLES  COMMAND           DSO                       SYMBOL\n"
		"  nothing hot\n\n");
}

/* One table: its head names them all, and counts their samples together. */
static void test_events_that_are_groups_are_one_table(void **state)
{
	const struct export_options options = { .max_rows = SIZE_MAX, .has_groups = true };
	const struct group_node nodes[] = {
		{ .id = 1, .parent = UINT32_MAX, .size = 1, .now = { { 40, 40 }, { 40, 40 } },
		  .whole_weight = 40, .text = "cpu-clock" },
		{ .id = 2, .parent = UINT32_MAX, .size = 1, .now = { { 2, 2 }, { 2, 2 } },
		  .whole_weight = 2, .text = "faults" },
	};
	struct snapshot first = fixture_snapshot(NULL, 0), second = fixture_snapshot(NULL, 0);

	(void)state;
	first.samples = 40;
	first.groups = (struct group_tree){ .level_count = 1, .keys = { GROUP_EVENT },
					    .node_count = 2, .nodes = nodes };
	first.next_event = &second;
	second.event = "faults";
	second.freq_hz = 0;
	second.fixed_period = 1;
	second.samples = 2;
	assert_true(text_has_all_events(&first, &options));
	assert_text(&first, &options,
		"# flametop  web-07  cpu-clock 997 Hz, faults every 1  8 CPUs  last 10.0 s"
		"  42 samples  own 0.0 %\n"
		"  SELF%  TOTAL%  SAMPLES  event\n"
		" 100.00  100.00       40  cpu-clock\n"
		" 100.00  100.00        2  faults\n"
		"\n");
	first.groups.keys[0] = GROUP_COMM;
	assert_false(text_has_all_events(&first, &options));
}

/* One table, too: a share is one of the samples of the row's event. */
static void test_rows_by_event_are_one_table(void **state)
{
	struct snapshot_row rows[] = {
		{ .now.self = { 3, 300 }, .now.total = { 4, 400 }, .whole = 400,
		  .event = "sched:sched_switch", .comm = "sh" },
		{ .now.self = { 2, 2 }, .now.total = { 2, 2 }, .whole = 2, .event = "faults",
		  .comm = "ls" },
	};
	struct snapshot first = fixture_snapshot(rows, 2), second = fixture_snapshot(NULL, 0);

	(void)state;
	first.keys = KEY_EVENT | KEY_COMM;
	first.next_event = &second;
	second.event = "faults";
	assert_true(text_has_all_events(&first, &everything));
	assert_text(&first, &everything,
		"# flametop  web-07  cpu-clock 997 Hz, faults 997 Hz  8 CPUs  last 10.0 s"
		"  5 samples  own 0.0 %\n"
		"  SELF%  TOTAL%  SAMPLES  EVENT                         COMMAND         \n"
		"  75.00  100.00        3  sched:sched_switch            sh              \n"
		" 100.00  100.00        2  faults                        ls              \n"
		"\n");
}

static void test_the_head_says_how_stacks_are_known(void **state)
{
	struct snapshot snapshot = fixture_snapshot(NULL, 0);
	static const char rows[] =
		"  SELF%  TOTAL%  SAMPLES  COMMAND           DSO                       SYMBOL\n"
		"  nothing hot\n\n";
	char expected[300];

	(void)state;
	snapshot.stacks = STACKS_COPIED;
	snapshot.user_stacks = 1000;
	snapshot.complete_stacks = 976;
	snprintf(expected, sizeof(expected), "# flametop  web-07  cpu-clock 997 Hz  8 CPUs"
		 "  last 10.0 s  0 samples  stacks 97 %%  own 0.0 %%\n%s", rows);
	assert_text(&snapshot, &everything, expected);
	snapshot.stacks = STACKS_OFF;
	snprintf(expected, sizeof(expected), "# flametop  web-07  cpu-clock 997 Hz  8 CPUs"
		 "  last 10.0 s  0 samples  no stacks  own 0.0 %%\n%s", rows);
	assert_text(&snapshot, &everything, expected);
}

static void test_each_key_has_its_column(void **state)
{
	struct snapshot_row row = {
		.now.self.samples = 1, .now.total.samples = 1, .comm = "sh", .pid = 123,
		.tid = 4567, .cpu = 3, .address = 0x10, .mode = MODE_USER, .dso = "app",
		.symbol = "f",
	};
	struct snapshot snapshot = fixture_snapshot(&row, 1);
	static const char head[] =
		"# flametop  web-07  cpu-clock 997 Hz  8 CPUs  last 10.0 s  1 samples  own 0.0 %\n"
		"  SELF%  TOTAL%  SAMPLES  COMMAND         ";
	char expected[500];

	(void)state;
	snapshot.keys = KEY_COMM | KEY_PID | KEY_TID | KEY_CPU;
	snprintf(expected, sizeof(expected), "%s%s%s", head, "     PID     TID  CPU\n",
		 " 100.00  100.00        1  sh                   123    4567    3\n\n");
	assert_text(&snapshot, &everything, expected);

	snapshot.keys = KEY_ADDRESS;
	snprintf(expected, sizeof(expected), "%s%s%s", head, "  ADDRESS\n",
		 " 100.00  100.00        1  sh                [.] 0x10\n\n");
	assert_text(&snapshot, &everything, expected);

	snapshot.keys = KEY_SYMBOL | KEY_ADDRESS;
	snprintf(expected, sizeof(expected), "%s%s%s", head, "  SYMBOL\n",
		 " 100.00  100.00        1  sh                [.] f 0x10\n\n");
	assert_text(&snapshot, &everything, expected);

	row.cpu = row.pid = -1;		/* unknown, and the kernel's "none" */
	snapshot.keys = KEY_CPU | KEY_PID;
	snprintf(expected, sizeof(expected), "%s%s%s", head, "     PID  CPU\n",
		 " 100.00  100.00        1  sh                     -    -\n\n");
	assert_text(&snapshot, &everything, expected);
}

static void test_a_branch_has_both_ends(void **state)
{
	struct snapshot_row row = {
		.now.self.samples = 4, .now.total.samples = 4, .comm = "sh", .mode = MODE_USER,
		.dso = "app", .symbol = "f", .offset = 0x1c, .address = 0x101c,
		.from_mode = MODE_KERNEL, .from_dso_path = "[kernel]", .from_symbol = "schedule",
		.from_offset = 0x28, .predicted = 3, .mispredicted = 1,
	};
	struct snapshot snapshot = fixture_snapshot(&row, 1);
	static const char head[] =
		"# flametop  web-07  cpu-clock 997 Hz  8 CPUs  last 10.0 s  4 samples  own 0.0 %\n"
		"  SELF%  TOTAL%  SAMPLES  MISPRED%  COMMAND           FROM"
		"                                          DSO                       SYMBOL\n"
		" 100.00  100.00        4";
	char expected[500];

	(void)state;
	snapshot.keys = KEYS_BRANCH;
	snprintf(expected, sizeof(expected), "%s%s", head, "     25.00  sh                "
		 "[k] schedule+0x28                             app                       "
		 "[.] f+0x1c\n\n");
	assert_text(&snapshot, &everything, expected);

	row.predicted = row.mispredicted = 0;
	row.from_dso_path = row.from_symbol = "";
	row.from_mode = MODE_UNKNOWN;
	snprintf(expected, sizeof(expected), "%s%s", head, "         -  sh                "
		 "-                                             app                       "
		 "[.] f+0x1c\n\n");
	assert_text(&snapshot, &everything, expected);
}

static void test_what_the_limit_leaves_out_is_said(void **state)
{
	struct snapshot_row rows[] = {
		{ .now.self.samples = 2, .now.total.samples = 2, .comm = "a", .symbol = "x" },
		{ .now.self.samples = 1, .now.total.samples = 1, .comm = "a", .symbol = "y" },
		{ .now.self.samples = 1, .now.total.samples = 1, .comm = "a", .symbol = "z" },
		{ .now.self.samples = 9, .now.total.samples = 9, .comm = "a", .is_idle = true },
	};
	const struct export_options options = { .max_rows = 1 };
	struct snapshot snapshot = fixture_snapshot(rows, 4);

	(void)state;
	snapshot.keys = KEY_COMM;
	assert_text(&snapshot, &options,
		"# flametop  web-07  cpu-clock 997 Hz  8 CPUs  last 10.0 s  13 samples  idle 9"
		"  own 0.0 %\n"
		"  SELF%  TOTAL%  SAMPLES  COMMAND         \n"
		"  50.00   50.00        2  a               \n"
		"  ... 2 more rows (-E shows more)\n"
		"\n");
}

/* Idle is not part of 100 %. */
static void test_an_idle_row_has_no_share(void **state)
{
	struct snapshot_row rows[] = {
		{ .now.self.samples = 2, .now.total.samples = 2, .comm = "a" },
		{ .now.self.samples = 9, .now.total.samples = 9, .comm = "b", .is_idle = true },
	};
	const struct export_options options = { .max_rows = SIZE_MAX, .show_idle = true };
	struct snapshot snapshot = fixture_snapshot(rows, 2);

	(void)state;
	snapshot.keys = KEY_COMM;
	assert_text(&snapshot, &options,
		"# flametop  web-07  cpu-clock 997 Hz  8 CPUs  last 10.0 s  11 samples  idle 9"
		"  own 0.0 %\n"
		"  SELF%  TOTAL%  SAMPLES  COMMAND         \n"
		" 100.00  100.00        2  a               \n"
		"   idle    idle        9  b               \n"
		"\n");
	snapshot.row_count = 1;
	snapshot.rows = &rows[1];
	snapshot.has_baseline = snapshot.is_compared = true;
	snapshot.baseline = (struct snapshot_baseline){ .window_s = 5, .label = "a.data" };
	assert_text(&snapshot, &options,
		"# flametop  web-07  cpu-clock 997 Hz  8 CPUs  last 10.0 s  11 samples  idle 9"
		"  own 0.0 %\n"
		"# compared with A: a.data  5.0 s  0 samples  (~ chance explains the "
		"change)\n"
		"  CHANGE        SELF%  A SELF%  TOTAL%  A TOTAL%  SAMPLES/s  A SAMPLES/s"
		"  CHANGE/s  COMMAND         \n"
		"       -  new     idle     idle    idle      idle        0.9          0.0"
		"      +0.9  b               \n"
		"\n");
}

static void test_a_moment_is_written_in_milliseconds(void **state)
{
	struct snapshot_row row = { .now.self.samples = 1, .now.total.samples = 1, .comm = "a" };
	struct snapshot snapshot = fixture_snapshot(&row, 1);

	(void)state;
	snapshot.keys = KEY_COMM;
	snapshot.window_s = 0.0123;
	assert_text(&snapshot, &everything,
		"# flametop  web-07  cpu-clock 997 Hz  8 CPUs  last 0.012 s  1 samples"
		"  own 0.0 %\n"
		"  SELF%  TOTAL%  SAMPLES  COMMAND         \n"
		" 100.00  100.00        1  a               \n"
		"\n");
}

static void test_a_filter_is_written_with_what_it_leaves(void **state)
{
	struct snapshot_row row = { .now.self.samples = 10, .now.total.samples = 10, .comm = "sh",
				    .symbol = "f", .dso = "app" };
	const struct export_options options = {
		.max_rows = SIZE_MAX,
		.filter = {
			.count = 2,
			.parts = {
				{ .field = FILTER_TEXT, .text = "a\x1b" },
				{ .field = FILTER_KERNEL, .is_negated = true },
			},
		},
	};
	struct snapshot snapshot = fixture_snapshot(&row, 1);

	(void)state;
	snapshot.samples = 45;
	snapshot.idle_samples = 5;
	snapshot.shown_samples = 10;
	snapshot.weight = 40;
	snapshot.keys = KEY_COMM;
	assert_text(&snapshot, &options,
		"# flametop  web-07  cpu-clock 997 Hz  8 CPUs  last 10.0 s  45 samples  idle 5"
		"  own 0.0 %\n"
		"# filter \"a\\x1b\", no kernel  10 of 40 samples\n"
		"  SELF%  TOTAL%  SAMPLES  COMMAND         \n"
		"  25.00   25.00       10  sh              \n"
		"\n");
	snapshot.is_relative = true;
	snapshot.shown_weight = 10;
	assert_text(&snapshot, &options,
		"# flametop  web-07  cpu-clock 997 Hz  8 CPUs  last 10.0 s  45 samples  idle 5"
		"  own 0.0 %\n"
		"# filter \"a\\x1b\", no kernel  10 of 40 samples, these are 100 %\n"
		"  SELF%  TOTAL%  SAMPLES  COMMAND         \n"
		" 100.00  100.00       10  sh              \n"
		"\n");
	snapshot.is_relative = false;
	snapshot.row_count = 0;
	snapshot.shown_samples = 0;
	assert_text(&snapshot, &options,
		"# flametop  web-07  cpu-clock 997 Hz  8 CPUs  last 10.0 s  45 samples  idle 5"
		"  own 0.0 %\n"
		"# filter \"a\\x1b\", no kernel  0 of 40 samples\n"
		"  SELF%  TOTAL%  SAMPLES  COMMAND         \n"
		"  nothing matches the filter\n"
		"\n");
}

UNIT_TESTS(test_text)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_table_has_a_head_titles_and_rows),
		cmocka_unit_test(test_the_period_has_a_column_when_asked_for),
		cmocka_unit_test(test_waits_have_times_and_the_wall_clock),
		cmocka_unit_test(test_what_has_changed_most_comes_first),
		cmocka_unit_test(test_a_baseline_without_a_name_has_its_time),
		cmocka_unit_test(test_with_children_the_change_is_of_totals),
		cmocka_unit_test(test_losses_and_notices_are_written_when_there_are_any),
		cmocka_unit_test(test_children_that_are_not_sampled_are_offered),
		cmocka_unit_test(test_events_that_are_groups_are_one_table),
		cmocka_unit_test(test_rows_by_event_are_one_table),
		cmocka_unit_test(test_the_head_says_how_stacks_are_known),
		cmocka_unit_test(test_each_key_has_its_column),
		cmocka_unit_test(test_a_branch_has_both_ends),
		cmocka_unit_test(test_what_the_limit_leaves_out_is_said),
		cmocka_unit_test(test_an_idle_row_has_no_share),
		cmocka_unit_test(test_a_moment_is_written_in_milliseconds),
		cmocka_unit_test(test_a_filter_is_written_with_what_it_leaves),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
