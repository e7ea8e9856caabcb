/* What a row says to filter by: each field, and nothing where the row is of several. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "snapshot_fixture.h"
#include "ui/views.h"
#include "unit_tests.h"

static struct snapshot_row whole = {
	.symbol = "main", .dso = "libc.so.6", .dso_path = "/usr/lib/libc.so.6",
	.comm = "nginx", .pid = 77, .tid = 80, .cpu = 3, .mode = MODE_KERNEL, .tasks = 1,
	.cgroup = "/lxc/web/nginx.service", .unit = "nginx.service", .container = "web",
	.pod = "ff49d0be",
};
/* Of several tasks and levels: only "several" can be said of it. */
static struct snapshot_row mixed = {
	.pid = -1, .tid = -1, .cpu = -1, .mode = MODE_UNKNOWN, .tasks = 5,
};

static struct filter_part part_of(enum filter_field field, const struct snapshot_row *row)
{
	struct filter_part part;

	assert_true(views_row_part(field, row, &part));
	assert_int_equal(part.field, field);
	assert_false(part.is_negated);
	return part;
}

/* Trees, flame graphs and pages of probes would have them folded at every refresh, for nobody. */
static void test_views_without_columns_ask_for_no_rows(void **state)
{
	(void)state;
	for (int kind = 0; kind < VIEW_COUNT; kind++)
		assert_int_equal(view_specs[kind].keys != 0, view_specs[kind].columns != NULL);
}

static void test_names_are_compared_whole_and_shown_short(void **state)
{
	(void)state;
	assert_int_equal(part_of(FILTER_SYMBOL, &whole).hash, filter_hash("main"));
	assert_string_equal(part_of(FILTER_SYMBOL, &whole).text, "main");
	assert_int_equal(part_of(FILTER_DSO, &whole).hash, filter_hash("/usr/lib/libc.so.6"));
	assert_string_equal(part_of(FILTER_DSO, &whole).text, "libc.so.6");
	assert_int_equal(part_of(FILTER_COMMAND, &whole).hash, filter_hash("nginx"));
	assert_string_equal(part_of(FILTER_COMMAND, &whole).text, "nginx");
	assert_int_equal(part_of(FILTER_CGROUP, &whole).hash,
			 filter_hash("/lxc/web/nginx.service"));
	assert_int_equal(part_of(FILTER_UNIT, &whole).hash, filter_hash("nginx.service"));
	assert_int_equal(part_of(FILTER_CONTAINER, &whole).hash, filter_hash("web"));
	assert_string_equal(part_of(FILTER_CONTAINER, &whole).text, "web");
	assert_int_equal(part_of(FILTER_POD, &whole).hash, filter_hash("ff49d0be"));
}

static void test_numbers_and_levels(void **state)
{
	struct snapshot_row user = whole;
	struct filter_part part;

	(void)state;
	assert_int_equal(part_of(FILTER_PID, &whole).number, 77);
	assert_int_equal(part_of(FILTER_TID, &whole).number, 80);
	assert_int_equal(part_of(FILTER_CPU, &whole).number, 3);
	part_of(FILTER_KERNEL, &whole);
	assert_false(views_row_part(FILTER_USER, &whole, &part));
	user.mode = MODE_USER;
	part_of(FILTER_USER, &user);
	assert_false(views_row_part(FILTER_KERNEL, &user, &part));
	assert_false(views_row_part(FILTER_TEXT, &whole, &part));
}

static void test_the_idle_task_and_the_first_cpu_are_numbers_too(void **state)
{
	struct snapshot_row idle = whole;

	(void)state;
	idle.pid = idle.tid = idle.cpu = 0;
	assert_int_equal(part_of(FILTER_PID, &idle).number, 0);
	assert_int_equal(part_of(FILTER_CPU, &idle).number, 0);
}

static void test_a_row_of_several_says_nothing(void **state)
{
	static const enum filter_field fields[] = {
		FILTER_SYMBOL, FILTER_DSO, FILTER_COMMAND, FILTER_PID, FILTER_TID, FILTER_CPU,
		FILTER_KERNEL, FILTER_USER, FILTER_TEXT, FILTER_CGROUP, FILTER_UNIT,
		FILTER_CONTAINER, FILTER_POD,
	};
	struct filter_part part;

	(void)state;
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		assert_false(views_row_part(fields[i], &mixed, &part));
	for (int kind = 0; kind < VIEW_TABLES; kind++)
		assert_false(views_opening_part((enum view_kind)kind, &mixed, &part));
}

static void test_each_view_opens_by_what_its_rows_are(void **state)
{
	static const enum filter_field by[VIEW_COUNT] = {
		[VIEW_SYMBOLS] = FILTER_SYMBOL, [VIEW_DSOS] = FILTER_DSO,
		[VIEW_COMMANDS] = FILTER_COMMAND, [VIEW_TASKS] = FILTER_PID,
		[VIEW_CPUS] = FILTER_CPU,
	};
	struct filter_part part;

	(void)state;
	for (int kind = 0; kind < VIEW_TABLES; kind++) {
		assert_true(views_opening_part((enum view_kind)kind, &whole, &part));
		assert_int_equal(part.field, by[kind]);
	}
}

static void test_a_folded_out_thread_opens_by_its_own_number(void **state)
{
	struct snapshot_row thread = whole;
	struct filter_part part;

	(void)state;
	thread.group_id = 9;
	assert_true(views_opening_part(VIEW_TASKS, &thread, &part));
	assert_int_equal(part.field, FILTER_TID);
	assert_int_equal(part.number, 80);
}

static void test_ended_processes_open_by_their_name(void **state)
{
	const struct snapshot_row ended = { .comm = "cc1", .ended_processes = 2, .tasks = 2,
					    .pid = -1, .tid = -1, .cpu = -1 };
	struct filter_part part;

	(void)state;
	assert_true(views_opening_part(VIEW_TASKS, &ended, &part));
	assert_int_equal(part.field, FILTER_COMMAND);
	assert_string_equal(part.text, "cc1");
}

/* 0x12 names nothing, and a row that is loading stands for its DSO. */
static void test_without_a_name_the_dso_is_opened(void **state)
{
	static const enum symbol_state unnamed[] = { SYMBOL_LOADING, SYMBOL_UNKNOWN,
						     SYMBOL_UNREADABLE };
	struct snapshot_row row = whole;
	struct filter_part part;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		row.state = unnamed[i];
		row.symbol = "0x12";
		assert_false(views_row_part(FILTER_SYMBOL, &row, &part));
		assert_true(views_opening_part(VIEW_SYMBOLS, &row, &part));
		assert_int_equal(part.field, FILTER_DSO);
	}
}

static void test_code_without_a_map_is_opened_by_its_name(void **state)
{
	struct snapshot_row row = whole;
	struct filter_part part;

	(void)state;
	row.state = SYMBOL_NO_MAP;
	row.symbol = row.raw_symbol = "[anon] JIT of node, no map";
	assert_true(views_opening_part(VIEW_SYMBOLS, &row, &part));
	assert_int_equal(part.field, FILTER_SYMBOL);
	assert_int_equal(part.hash, filter_hash(row.symbol));
}

static void test_a_long_name_is_cut_for_the_eye_alone(void **state)
{
	char name[2 * FILTER_TEXT_BYTES];
	struct snapshot_row row = whole;
	struct filter_part part;

	(void)state;
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	row.symbol = row.raw_symbol = name;
	part = part_of(FILTER_SYMBOL, &row);
	assert_int_equal(strlen(part.text), FILTER_TEXT_BYTES - 1);
	assert_int_equal(part.hash, filter_hash(name));
}

static void test_a_symbol_is_compared_by_the_name_in_its_file(void **state)
{
	struct snapshot_row row = whole;
	struct filter_part part;

	(void)state;
	row.symbol = "foo()";
	row.raw_symbol = "_Z3foov";
	part = part_of(FILTER_SYMBOL, &row);
	assert_string_equal(part.text, "foo()");
	assert_int_equal(part.hash, filter_hash("_Z3foov"));
}

static int complete_rows(void **state)
{
	(void)state;
	fixture_snapshot(&whole, 1);
	fixture_snapshot(&mixed, 1);
	return 0;
}

UNIT_TESTS(test_views)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_views_without_columns_ask_for_no_rows),
		cmocka_unit_test(test_names_are_compared_whole_and_shown_short),
		cmocka_unit_test(test_numbers_and_levels),
		cmocka_unit_test(test_the_idle_task_and_the_first_cpu_are_numbers_too),
		cmocka_unit_test(test_a_row_of_several_says_nothing),
		cmocka_unit_test(test_each_view_opens_by_what_its_rows_are),
		cmocka_unit_test(test_a_folded_out_thread_opens_by_its_own_number),
		cmocka_unit_test(test_ended_processes_open_by_their_name),
		cmocka_unit_test(test_without_a_name_the_dso_is_opened),
		cmocka_unit_test(test_code_without_a_map_is_opened_by_its_name),
		cmocka_unit_test(test_a_long_name_is_cut_for_the_eye_alone),
		cmocka_unit_test(test_a_symbol_is_compared_by_the_name_in_its_file),
	};

	return cmocka_run_group_tests(tests, complete_rows, NULL);
}
