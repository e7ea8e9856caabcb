/* The row under the cursor, uncut, below the table; and names folded in it. */
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "ui_fixture.h"
#include "ui/widgets/detail.h"
#include "unit_tests.h"

#define INSERT "std::vector<std::pair<int, std::string>, std::allocator<std::pair<int, " \
	       "std::string> > >::_M_realloc_insert(std::pair<int, std::string>&&)"

static struct ui ui;
static struct snapshot_row row;

/* A screen with the one row. */
static void open_row(int width, int height, struct snapshot_row only)
{
	ui_open(&ui, width, height);
	row = only;
	row.dso = row.dso ? row.dso : "app";
	row.dso_path = row.dso_path ? row.dso_path : "/opt/app";
	row.build_id = row.comm = row.reason = row.command_line = "";
	row.reason = only.reason ? only.reason : "";
	row.source = only.source ? only.source : "";
	row.source_reason = only.source_reason ? only.source_reason : "";
	row.raw_symbol = row.symbol = only.symbol ? only.symbol : "";
	row.id = 1;
	row.now.self.samples = 1;
	row.mode = MODE_USER;
	ui.snapshot.rows = &row;
	ui.snapshot.row_count = 1;
	ui_show(&ui);
	ui_text(&ui);
}

static const char *line_from_below(int number)
{
	return ui_line(&ui, ui.canvas.height - 1 - number);
}

static void test_only_a_screen_with_lines_to_spare_has_it(void **state)
{
	(void)state;
	ui_open(&ui, 80, 24);
	ui_show(&ui);
	assert_int_equal(detail_lines(&ui.state, 19), 0);
	assert_int_equal(detail_lines(&ui.state, 20), 1);
	assert_int_equal(detail_lines(&ui.state, 29), 1);
	assert_int_equal(detail_lines(&ui.state, 30), 3);
	ui_press(&ui, "3");
	ui_reply(&ui);
	assert_int_equal(detail_lines(&ui.state, 60), 0);
	ui_finish(&ui);
}

static void test_one_line_is_the_name_and_what_has_room(void **state)
{
	(void)state;
	open_row(80, 24, (struct snapshot_row){ .symbol = "foo(int)", .source = "a/b.c:12" });
	assert_string_equal(line_from_below(1), " ▸ foo(int) · a/b.c:12 · /opt/app");
	ui_finish(&ui);
	open_row(40, 20, (struct snapshot_row){ .symbol = "foo(int, long)",
						.source = "a/b.c:12" });
	assert_string_equal(line_from_below(1), " ▸ foo(int, long) · a/b.c:12");
	ui_finish(&ui);
	open_row(80, 24, (struct snapshot_row){ .symbol = "foo(int)",
						.source_reason = "too large" });
	assert_string_equal(line_from_below(1), " ▸ foo(int) · too large · /opt/app");
	ui_finish(&ui);
	open_row(80, 24, (struct snapshot_row){ .symbol = INSERT });
	assert_string_equal(line_from_below(1), " ▸ std::vector<std::pair<int, std::string>, "
			    "std::allocator<std::pair<int, std:…");
	ui_finish(&ui);
}

#define PILED "time with interrupts off is counted here, too: the clock cannot tick in it"

static void assert_detail(struct snapshot_row only, const char *event, const char *wanted)
{
	only.dso_path = "[kernel]";
	open_row(120, 40, only);
	row.mode = only.mode;
	ui.snapshot.event = event;
	ui_show(&ui);
	ui_text(&ui);
	assert_string_equal(line_from_below(1), wanted);
	ui_finish(&ui);
}

/* A counter's interrupt may not be masked: there the function itself is hot. */
static void test_code_that_lets_interrupts_in_says_what_a_clock_counts_there(void **state)
{
	const struct snapshot_row unlock = { .symbol = "_raw_spin_unlock_irqrestore",
					     .mode = MODE_KERNEL };
	const struct snapshot_row part = { .symbol = "finish_task_switch.isra.0",
					   .mode = MODE_KERNEL };
	const struct snapshot_row user = { .symbol = "finish_task_switch", .mode = MODE_USER };
	const struct snapshot_row longer = { .symbol = "finish_task_switching",
					     .mode = MODE_KERNEL };

	(void)state;
	assert_detail(unlock, "cpu-clock", "   " PILED " \u00b7 [kernel]");
	assert_detail(part, "cpu-clock:k", "   " PILED " \u00b7 [kernel]");
	assert_detail(unlock, "cycles", "   [kernel]");
	assert_detail(unlock, "cpu-clocks", "   [kernel]");
	assert_detail(user, "cpu-clock", "   [kernel]");
	assert_detail(longer, "task-clock", "   [kernel]");
}

static void test_of_three_lines_a_long_name_takes_two(void **state)
{
	(void)state;
	open_row(100, 40, (struct snapshot_row){ .symbol = INSERT, .source = "a/b.c:12" });
	assert_string_equal(line_from_below(3), " ▸ std::vector<std::pair<int, std::string>, "
			    "std::allocator<std::pair<int,");
	assert_string_equal(line_from_below(2), "   std::string> > >::_M_realloc_insert("
			    "std::pair<int, std::string>&&)");
	assert_string_equal(line_from_below(1), "   a/b.c:12 · /opt/app");
	ui_finish(&ui);
}

static void test_a_short_name_and_its_path_lie_at_the_same_places(void **state)
{
	(void)state;
	open_row(100, 40, (struct snapshot_row){ .symbol = "f()" });
	assert_string_equal(line_from_below(3), "");
	assert_string_equal(line_from_below(2), " ▸ f()");
	assert_string_equal(line_from_below(1), "   /opt/app");
	ui_finish(&ui);
}

static void test_a_wide_character_is_not_torn_by_the_line(void **state)
{
	char name[3 * 60 + 2] = "x";

	(void)state;
	for (int i = 0; i < 60; i++)
		strcat(name, "字");
	open_row(82, 30, (struct snapshot_row){ .symbol = name });
	/* 78 cells: the x, 38 characters of two cells, and one cell that stays empty */
	assert_int_equal(strlen(line_from_below(3)), strlen(" ▸ x") + 3 * 38);
	assert_int_equal(strlen(line_from_below(2)), strlen("   ") + 3 * 22);
	ui_finish(&ui);
}

static void test_it_says_why_there_is_no_name(void **state)
{
	(void)state;
	open_row(100, 24, (struct snapshot_row){ .symbol = "0x12", .state = SYMBOL_UNKNOWN });
	assert_string_equal(line_from_below(1),
			    " ▸ 0x12 · no symbol covers this address · /opt/app");
	ui_finish(&ui);
	open_row(100, 24, (struct snapshot_row){ .symbol = "0x12", .state = SYMBOL_UNREADABLE,
						 .reason = "not an ELF file" });
	assert_string_equal(line_from_below(1), " ▸ 0x12 · not an ELF file · /opt/app");
	ui_finish(&ui);
	open_row(100, 24, (struct snapshot_row){ .state = SYMBOL_LOADING });
	assert_string_equal(line_from_below(1), " ▸ /opt/app · its names are being read");
	ui_finish(&ui);
	open_row(100, 24, (struct snapshot_row){ .symbol = "app!fn_1a2b", .is_synthetic = true });
	assert_string_equal(line_from_below(1),
			    " ▸ app!fn_1a2b · no symbol: named by its address · /opt/app");
	ui_finish(&ui);
}

static void test_without_rows_it_is_empty(void **state)
{
	(void)state;
	ui_open(&ui, 100, 40);
	ui.snapshot.row_count = 0;
	ui_show(&ui);
	ui_text(&ui);
	for (int number = 1; number <= 3; number++)
		assert_string_equal(line_from_below(number), "");
	ui_finish(&ui);
}

static void test_rows_never_lie_under_it(void **state)
{
	const struct snapshot_row *cursor;

	(void)state;
	ui_open(&ui, 80, 20);
	ui_show(&ui);
	ui_press_key(&ui, UI_KEY_END);
	cursor = ui_cursor(&ui);
	assert_true(ui_has(&ui, cursor->symbol));
	assert_int_equal(table_view_of(&ui.state)->rows.page, 20 - 5 - 1 - 1);
	ui_finish(&ui);
}

static void test_what_is_searched_for_is_found_in_it(void **state)
{
	const char *found;

	(void)state;
	open_row(80, 24, (struct snapshot_row){ .symbol = INSERT });
	ui_press(&ui, "/pair<");
	found = ui_roles(&ui);
	for (int line = 0; line < 22; line++)
		found = strchr(found, '\n') + 1;
	assert_non_null(strstr(found, "mmmmm"));
	ui_finish(&ui);
}

static void test_folded_names_and_their_detail(void **state)
{
	static const struct { int width, height; } sizes[] = {
		{ 40, 12 }, { 80, 24 }, { 120, 40 },
	};
	char file[64];

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		ui_open(&ui, sizes[i].width, sizes[i].height);
		ui_show(&ui);
		ui_press(&ui, "jjjjjj");
		snprintf(file, sizeof(file), "long_name_%dx%d", sizes[i].width, sizes[i].height);
		ui_close(&ui, file);
	}
}

static void test_names_made_of_addresses_are_dim_and_say_so(void **state)
{
	struct snapshot_row rows[] = {
		{ .symbol = "main", .dso = "app", .dso_path = "/opt/app", .tasks = 1,
		  .mode = MODE_USER, .now.self.samples = 60 },
		{ .symbol = "libfoo.so!fn_1a2b30", .dso = "libfoo.so",
		  .dso_path = "/lib/libfoo.so", .tasks = 1, .mode = MODE_USER,
		  .now.self.samples = 30, .is_synthetic = true },
		{ .symbol = "memcpy@plt", .dso = "app", .dso_path = "/opt/app", .tasks = 1,
		  .mode = MODE_USER, .now.self.samples = 10 },
	};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		rows[i].raw_symbol = rows[i].symbol;
		rows[i].comm = rows[i].reason = rows[i].source = rows[i].build_id =
			rows[i].source_reason = rows[i].command_line = "";
		rows[i].id = i + 1;
		rows[i].now.self.weight = rows[i].now.total.weight =
			(double)rows[i].now.self.samples;
	}
	ui_open(&ui, 80, 24);
	ui.snapshot.rows = rows;
	ui.snapshot.row_count = 3;
	ui.snapshot.weight = 100;
	ui_show(&ui);
	ui_press(&ui, "j");
	ui_compare("synthetic_80x24", ui_text(&ui));
	ui_press(&ui, "j");
	ui_compare("synthetic_roles_80x24", ui_roles(&ui));
	ui_finish(&ui);
}

UNIT_TESTS(test_detail)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_only_a_screen_with_lines_to_spare_has_it),
		cmocka_unit_test(test_one_line_is_the_name_and_what_has_room),
		cmocka_unit_test(test_code_that_lets_interrupts_in_says_what_a_clock_counts_there),
		cmocka_unit_test(test_of_three_lines_a_long_name_takes_two),
		cmocka_unit_test(test_a_short_name_and_its_path_lie_at_the_same_places),
		cmocka_unit_test(test_a_wide_character_is_not_torn_by_the_line),
		cmocka_unit_test(test_it_says_why_there_is_no_name),
		cmocka_unit_test(test_without_rows_it_is_empty),
		cmocka_unit_test(test_rows_never_lie_under_it),
		cmocka_unit_test(test_what_is_searched_for_is_found_in_it),
		cmocka_unit_test(test_folded_names_and_their_detail),
		cmocka_unit_test(test_names_made_of_addresses_are_dim_and_say_so),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
