/* What the cells of a column say, in a width that holds every number. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <locale.h>
#include <string.h>

#include <cmocka.h>

#include "snapshot_fixture.h"
#include "term/canvas.h"
#include "ui/views.h"
#include "ui/term/utf8.h"
#include "unit_tests.h"

#define CELLS 30

/* The cells of @row in that column, which has @width of them. */
static const char *cells(enum column_id id, struct snapshot_row row, unsigned int keys, int width)
{
	struct canvas canvas = { .is_ascii = false };
	struct snapshot snapshot = fixture_snapshot(&row, 1);
	static char text[CELLS * UTF8_MAX_BYTES + 1];
	const struct column_row of = { &snapshot, &row, false, id };
	size_t used = 0;

	assert_int_equal(canvas_resize(&canvas, CELLS, 1), 0);
	snapshot.keys = keys;
	columns[id].put(&canvas, (struct canvas_area){ 0, 0, width }, &of);
	for (int x = 0; x < width; x++)
		used += utf8_encode(text + used, canvas.cells[x].code);
	for (int x = width; x < CELLS; x++)
		assert_int_equal(canvas.cells[x].code, ' ');
	canvas_finish(&canvas);
	return text;
}

static const char *own_cells(enum column_id id, struct snapshot_row row)
{
	return cells(id, row, 0, columns[id].min_width);
}

static void test_every_title_has_room_for_its_arrow(void **state)
{
	(void)state;
	for (int id = 0; id < COL_COUNT; id++)
		if (columns[id].compare)
			assert_true(columns[id].min_width >= (int)strlen(columns[id].title) + 1);
}

static void test_numbers_end_at_the_same_column_and_are_not_cut(void **state)
{
	(void)state;
	assert_string_equal(own_cells(COL_CPU_PCT, (struct snapshot_row){ .cpu_pct = 0 }),
			    "   0.0");
	assert_string_equal(own_cells(COL_CPU_PCT, (struct snapshot_row){ .cpu_pct = 185.7 }),
			    " 185.7");
	assert_string_equal(own_cells(COL_CPU_PCT, (struct snapshot_row){ .cpu_pct = 9999.9 }),
			    "9999.9");
	assert_string_equal(own_cells(COL_CPU_PCT, (struct snapshot_row){ .cpu_pct = 25600.4 }),
			    " 25600");
	assert_string_equal(own_cells(COL_CPU_PCT, (struct snapshot_row){ .cpu_pct = -1 }),
			    "     -");
	assert_string_equal(own_cells(COL_THREADS, (struct snapshot_row){ .threads = 32768 }),
			    "32768");
	assert_string_equal(own_cells(COL_PID, (struct snapshot_row){ .pid = 4194304 }),
			    "4194304");
	assert_string_equal(own_cells(COL_SAMPLES,
				      (struct snapshot_row){ .now.self.samples = UINT64_MAX }),
			    "   18.4E");
	assert_string_equal(own_cells(COL_PERIOD,
				      (struct snapshot_row){ .now.self.weight = 30090270812 }),
			    "   30.1G");
}

static void test_a_branch_has_both_ends(void **state)
{
	struct snapshot_row row = {
		.symbol = "f", .offset = 0x1c, .mode = MODE_USER, .from_mode = MODE_KERNEL,
		.from_dso_path = "[kernel]", .from_symbol = "schedule", .from_offset = 0x28,
		.predicted = 3, .mispredicted = 1,
	};

	(void)state;
	assert_string_equal(own_cells(COL_FROM, row), "[k] schedule+0x28       ");
	assert_string_equal(own_cells(COL_SYMBOL, row), "[.] f+0x1c             ");
	assert_string_equal(own_cells(COL_MISPREDICTED, row), "    25.00");
	row.predicted = row.mispredicted = 0;
	row.from_dso_path = row.from_symbol = "";
	assert_string_equal(own_cells(COL_FROM, row), "                        ");
	assert_string_equal(own_cells(COL_MISPREDICTED, row), "        -");
}

/* What costs most in all comes first, not what is always mispredicted but seldom taken. */
static void test_mispredicted_branches_are_sorted_by_their_number(void **state)
{
	const struct snapshot_row seldom = { .mispredicted = 1, .now.self.weight = 1 };
	const struct snapshot_row often = { .mispredicted = 2, .predicted = 98 };

	(void)state;
	assert_true(columns[COL_MISPREDICTED].compare(&often, &seldom) < 0);
	assert_true(columns[COL_MISPREDICTED].compare(&seldom, &often) > 0);
	assert_int_equal(columns[COL_MISPREDICTED].compare(&often, &often), 0);
}

static void test_what_is_absent_is_not_zero(void **state)
{
	(void)state;
	assert_string_equal(own_cells(COL_THREADS, (struct snapshot_row){ .threads = 0 }),
			    "    -");
	assert_string_equal(own_cells(COL_BUSY, (struct snapshot_row){ .busy_pct = -1 }),
			    "     -");
	assert_string_equal(own_cells(COL_BUSY, (struct snapshot_row){ .busy_pct = 0 }), "     0");
	assert_string_equal(own_cells(COL_PID, (struct snapshot_row){ .pid = -1 }), "      -");
	assert_string_equal(own_cells(COL_STATE, (struct snapshot_row){ .task_state = 0 }), "- ");
	assert_string_equal(own_cells(COL_SELF, (struct snapshot_row){ .is_idle = true }),
			    "  idle");
}

/* In no container; and of a process whose cgroup nobody has read. */
static void test_in_none_is_not_unknown(void **state)
{
	const struct snapshot_row in = { .cgroup = "/a.service", .unit = "a.service" };

	(void)state;
	assert_string_equal(cells(COL_UNIT, in, 0, 10), "a.service ");
	assert_string_equal(cells(COL_CONTAINER, in, 0, 4), "none");
	assert_string_equal(cells(COL_POD, in, 0, 4), "none");
	assert_string_equal(cells(COL_CGROUP, (struct snapshot_row){ .pid = 1 }, 0, 4), "-   ");
	assert_string_equal(cells(COL_UNIT, (struct snapshot_row){ .pid = 1 }, 0, 4), "-   ");
}

static void test_of_a_long_cgroup_the_end_is_shown(void **state)
{
	const struct snapshot_row deep = { .cgroup = "/user.slice/user-1.slice/a.scope" };
	const struct snapshot_row flat = { .cgroup = "/a.scope" };

	(void)state;
	assert_string_equal(cells(COL_CGROUP, flat, 0, 8), "/a.scope");
	assert_string_equal(cells(COL_CGROUP, deep, 0, 30), "\u2026/user-1.slice/a.scope        ");
	assert_string_equal(cells(COL_CGROUP, deep, 0, 12), "\u2026/a.scope   ");
	assert_string_equal(cells(COL_CGROUP, deep, 0, 6), "\u2026/a.s\u2026");
}

/* 1452 samples of 10 s. */
static void test_the_rate_is_of_the_window(void **state)
{
	(void)state;
	assert_string_equal(own_cells(COL_RATE, (struct snapshot_row){ .now.self.samples = 14520 }),
			    "   1452");
}

static void test_without_a_command_line_there_is_the_name(void **state)
{
	(void)state;
	assert_string_equal(cells(COL_COMMAND_LINE,
				  (struct snapshot_row){ .comm = "sh", .command_line = "sh -c x" },
				  0, 10), "sh -c x   ");
	assert_string_equal(cells(COL_COMMAND_LINE, (struct snapshot_row){ .comm = "kswapd0" }, 0,
				  10), "[kswapd0] ");
	assert_string_equal(cells(COL_COMMAND_LINE,
				  (struct snapshot_row){ .comm = "GC", .group_id = 3 }, 0, 10),
			    "\u00b7 GC      ");
	assert_string_equal(cells(COL_COMMAND_LINE, (struct snapshot_row){ .comm = "" }, 0, 10),
			    "-         ");
}

static void test_a_thread_among_its_process_has_its_own_number(void **state)
{
	const struct snapshot_row thread = { .pid = 900, .tid = 912, .group_id = 900 };

	(void)state;
	assert_string_equal(own_cells(COL_PID, thread), "    912");
	assert_string_equal(own_cells(COL_THREADS, thread), "     ");
}

/* The code of a row without one of them is nobody's, or /proc was not read. */
static void test_what_is_unknown_is_a_dash(void **state)
{
	static const enum column_id ids[] = {
		COL_DSO, COL_COMMAND, COL_COMMAND_LINE, COL_SOURCE, COL_UNIT, COL_CONTAINER,
		COL_POD, COL_STATE,
	};
	const struct snapshot_row unknown = {
		.dso = "", .comm = "", .command_line = "", .source = "", .source_reason = "",
		.cgroup = "", .unit = "", .container = "", .pod = "", .wait = "",
		.wait_state = "", .waker = "", .symbol = "", .tasks = 1,
		.pid = -1, .tid = -1, .cpu = -1, .cpu_pct = -1, .busy_pct = -1,
	};
	const struct snapshot_row rootless = { .cgroup = "/", .unit = "" };

	(void)state;
	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++)
		assert_string_equal(cells(ids[i], unknown, 0, 3), "-  ");
	assert_string_equal(cells(COL_PID, unknown, 0, 3), "  -");
	assert_string_equal(cells(COL_CPU_PCT, unknown, 0, 3), "  -");
	assert_string_equal(cells(COL_BUSY, unknown, 0, 3), "  -");
	assert_string_equal(cells(COL_THREADS, unknown, 0, 3), "  -");
	assert_string_equal(cells(COL_UNIT, rootless, 0, 4), "none");
}

static void test_ended_processes_are_counted_by_name(void **state)
{
	const struct snapshot_row ended = { .comm = "cc1", .ended_processes = 87, .tasks = 87,
					    .pid = -1, .tid = -1 };

	(void)state;
	assert_string_equal(cells(COL_COMMAND, ended, KEY_GROUP, 18),
			    "\u25b8 cc1 \u00d787, ended  ");
	assert_string_equal(cells(COL_COMMAND, ended, KEY_GROUP, 10), "\u25b8 cc1 \u00d787 ");
	assert_string_equal(cells(COL_COMMAND, ended, KEY_GROUP, 8), "\u25b8 c\u2026 \u00d787");
	assert_string_equal(cells(COL_COMMAND_LINE, ended, KEY_GROUP, 20), "87 processes, ended ");
	assert_string_equal(own_cells(COL_PID, ended), "      -");
}

static void test_marks_say_what_folds_out(void **state)
{
	(void)state;
	assert_string_equal(cells(COL_COMMAND, (struct snapshot_row){ .comm = "java", .tasks = 3 },
				  KEY_GROUP, 8), "\u25b8 java  ");
	assert_string_equal(cells(COL_COMMAND, (struct snapshot_row){ .comm = "sh", .tasks = 1 },
				  KEY_GROUP, 8), "  sh    ");
	assert_string_equal(cells(COL_COMMAND, (struct snapshot_row){ .comm = "sh", .tasks = 2 },
				  0, 8), "sh      ");
	assert_string_equal(cells(COL_COMMAND, (struct snapshot_row){ .tasks = 12 }, 0, 8),
			    "12 tasks");
	assert_string_equal(cells(COL_COMMAND, (struct snapshot_row){ .tasks = 0 }, 0, 8),
			    "several ");
}

static void test_a_symbol_says_its_level_and_why_it_has_no_name(void **state)
{
	(void)state;
	assert_string_equal(cells(COL_SYMBOL,
				  (struct snapshot_row){ .symbol = "do_idle",
							 .mode = MODE_KERNEL }, 0, 12),
			    "[k] do_idle ");
	assert_string_equal(cells(COL_SYMBOL,
				  (struct snapshot_row){ .dso = "libc.so.6", .mode = MODE_USER,
							 .state = SYMBOL_LOADING }, 0, 24),
			    "[.] libc.so.6 (loading) ");
	assert_string_equal(cells(COL_SYMBOL,
				  (struct snapshot_row){ .address = 0x12, .mode = MODE_USER,
							 .state = SYMBOL_UNKNOWN }, 0, 24),
			    "[.] 0x12 (no symbol)    ");
	assert_string_equal(cells(COL_SYMBOL,
				  (struct snapshot_row){ .symbol = "0x12", .mode = MODE_USER,
							 .state = SYMBOL_UNREADABLE,
							 .reason = "not an ELF file" }, 0, 18),
			    "[.] 0x12 (not an\u2026)");
	assert_string_equal(cells(COL_SYMBOL,
				  (struct snapshot_row){ .symbol = "[anon] JIT of node, no map",
							 .mode = MODE_USER,
							 .state = SYMBOL_NO_MAP }, 0, 30),
			    "[.] [anon] JIT of node, no map");
}

/* A probe is of a symbol in a DSO: another's malloc is none of its business. */
static void test_a_probe_stands_beside_its_own_function_only(void **state)
{
	const struct snapshot_probe probe = {
		.name = "lat:libc.so.6:malloc", .dso = "libc.so.6", .kind = PROBE_USER,
		.state = PROBE_ATTACHED, .hits_per_s = 12400, .has_latency = true,
		.latency = { .count = 1, .p99_ns = 48000 },
	};
	struct snapshot_row rows[] = {
		{ .symbol = "malloc", .dso = "libc.so.6" },
		{ .symbol = "malloc", .dso = "libjemalloc.so" },
		{ .symbol = "mallocx", .dso = "libc.so.6" },
		{ .symbol = "shown", .raw_symbol = "malloc", .dso = "libc.so.6" },
	};
	static const bool is_there[] = { true, false, false, true };
	struct snapshot snapshot = fixture_snapshot(rows, 4);
	struct canvas canvas = { .is_ascii = false };

	(void)state;
	snapshot.probes = (struct snapshot_probes){ .count = 1, .list = &probe };
	for (size_t i = 0; i < 4; i++) {
		const struct column_row of = { &snapshot, &rows[i], false, COL_PROBE };

		assert_int_equal(canvas_resize(&canvas, 14, 1), 0);
		columns[COL_PROBE].put(&canvas, (struct canvas_area){ 0, 0, 14 }, &of);
		assert_int_equal(canvas.cells[0].code, is_there[i] ? '1' : ' ');
		assert_int_equal(canvas.cells[13].code, is_there[i] ? 's' : ' ');
	}
	canvas_finish(&canvas);
}

UNIT_TESTS(test_column_cells)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_title_has_room_for_its_arrow),
		cmocka_unit_test(test_numbers_end_at_the_same_column_and_are_not_cut),
		cmocka_unit_test(test_a_branch_has_both_ends),
		cmocka_unit_test(test_mispredicted_branches_are_sorted_by_their_number),
		cmocka_unit_test(test_what_is_absent_is_not_zero),
		cmocka_unit_test(test_in_none_is_not_unknown),
		cmocka_unit_test(test_of_a_long_cgroup_the_end_is_shown),
		cmocka_unit_test(test_the_rate_is_of_the_window),
		cmocka_unit_test(test_without_a_command_line_there_is_the_name),
		cmocka_unit_test(test_a_thread_among_its_process_has_its_own_number),
		cmocka_unit_test(test_what_is_unknown_is_a_dash),
		cmocka_unit_test(test_ended_processes_are_counted_by_name),
		cmocka_unit_test(test_marks_say_what_folds_out),
		cmocka_unit_test(test_a_symbol_says_its_level_and_why_it_has_no_name),
		cmocka_unit_test(test_a_probe_stands_beside_its_own_function_only),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
