/* The columns of several events: which there are, what they are called, what their cells say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "snapshot_fixture.h"
#include "term/canvas.h"
#include "ui/term/utf8.h"
#include "ui/views.h"
#include "unit_tests.h"

#define CELLS 9

static struct snapshot_row rows[2];
static struct snapshot snapshot;

/* Cycles, instructions and faults, with the loads of each in two rows. */
static int set_up(void **state)
{
	static const struct stats hot[] = { { .self = { 100, 4000 } }, { .self = { 100, 1000 } },
					    { .self = { 0, 0 } } };
	static const struct stats cold[] = { { .self = { 50, 1000 } }, { .self = { 4, 1500 } },
					     { .self = { 90, 300 } } };

	(void)state;
	memset(rows, 0, sizeof(rows));
	rows[0].by_event = hot;
	rows[1].by_event = cold;
	snapshot = fixture_snapshot(rows, 2);
	snapshot.event_columns = (struct event_columns){
		.count = 3, .has_loads = true, .ratio_count = 2,
		.events = { { "cycles", "CYCLES%", 5000 }, { "instructions", "INSTRUC%", 2500 },
			    { "page-faults", "PAGE-FA%", 300 } },
		.ratios = { { .part = 1, .whole = 0, .factor = 1, .is_ipc = true, .title = "IPC",
			      .help = "instructions per cycle" },
			    { .part = 2, .whole = 0, .factor = 1e6, .title = "FAULTS/S",
			      .help = "faults" } },
	};
	return 0;
}

static const char *cell(enum column_id id, size_t row)
{
	const struct column_row of = { .snapshot = &snapshot, .row = &rows[row], .id = id };
	static char text[CELLS * UTF8_MAX_BYTES + 1];
	struct canvas canvas = { .is_ascii = false };
	size_t used = 0;

	assert_int_equal(canvas_resize(&canvas, CELLS, 1), 0);
	columns[id].put(&canvas, (struct canvas_area){ 0, 0, CELLS }, &of);
	for (int x = 0; x < CELLS; x++)
		used += utf8_encode(text + used, canvas.cells[x].code);
	text[used] = '\0';
	canvas_finish(&canvas);
	return text;
}

static void test_columns_are_those_that_the_events_have(void **state)
{
	const uint64_t all = COLUMNS_OF_EVENTS;
	char help[COLUMN_HELP_BYTES];

	(void)state;
	assert_true((all & ~columns_of_absent_events(&snapshot)) ==
		    (COLUMN_BIT(COL_IPC) | COLUMN_BIT(COL_RATIO_1) | COLUMN_BIT(COL_EVENT_2) |
		     COLUMN_BIT(COL_EVENT_3)));	/* SELF% is the first event's */
	snapshot.event_index = 1;
	assert_true((all & ~columns_of_absent_events(&snapshot)) ==
		    (COLUMN_BIT(COL_IPC) | COLUMN_BIT(COL_RATIO_1) | COLUMN_BIT(COL_EVENT_1) |
		     COLUMN_BIT(COL_EVENT_3)));
	assert_string_equal(columns_title(COL_RATIO_1, &snapshot), "FAULTS/S");
	assert_string_equal(columns_title(COL_EVENT_3, &snapshot), "PAGE-FA%");
	assert_string_equal(columns_help(COL_EVENT_3, &snapshot, help),
			    "self samples of page-faults, in % of its samples");
	snapshot.event_columns.ratios[0] = snapshot.event_columns.ratios[1];
	snapshot.event_columns.ratio_count = 1;	/* without IPC the first ratio is another */
	assert_true(columns_of_absent_events(&snapshot) & COLUMN_BIT(COL_IPC));
	assert_string_equal(columns_title(COL_RATIO_1, &snapshot), "FAULTS/S");
	assert_true(columns_of_absent_events(NULL) == all);
	snapshot.event_columns.count = snapshot.event_columns.ratio_count = 0;
	assert_true(columns_of_absent_events(&snapshot) == all);
}

static void test_cells_say_ratios_and_shares(void **state)
{
	(void)state;
	assert_string_equal(cell(COL_IPC, 0), "    0.25 ");
	assert_string_equal(cell(COL_IPC, 1), "    1.50~");	/* there are few samples */
	assert_string_equal(cell(COL_RATIO_1, 0), "       0 ");
	assert_string_equal(cell(COL_RATIO_1, 1), "    300k ");
	assert_string_equal(cell(COL_EVENT_2, 0), "    40.00");
	assert_string_equal(cell(COL_EVENT_3, 1), "    100.0");
	rows[0].by_event = NULL;	/* not counted yet */
	assert_string_equal(cell(COL_IPC, 0), "       - ");
	assert_string_equal(cell(COL_EVENT_2, 0), "        -");
}

static void test_rows_can_be_sorted_by_them(void **state)
{
	(void)state;
	assert_true(columns_is_order(COL_IPC));
	assert_true(columns_compare(COL_IPC, &snapshot, &rows[1], &rows[0]) < 0);
	assert_true(columns_compare(COL_EVENT_2, &snapshot, &rows[1], &rows[0]) < 0);
	assert_true(columns_compare(COL_EVENT_3, &snapshot, &rows[0], &rows[1]) > 0);
	assert_int_equal(columns_compare(COL_RATIO_5, &snapshot, &rows[0], &rows[1]), 0);
}

UNIT_TESTS(test_event_cells)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_columns_are_those_that_the_events_have, set_up),
		cmocka_unit_test_setup(test_cells_say_ratios_and_shares, set_up),
		cmocka_unit_test_setup(test_rows_can_be_sorted_by_them, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
