/* Whole screens through the real views, compared with tests/golden: every view at every size. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <locale.h>
#include <stdio.h>

#include <cmocka.h>

#include "ui_fixture.h"
#include "unit_tests.h"

static const struct {
	int width, height;
} sizes[] = { { 40, 10 }, { 40, 12 }, { 80, 24 }, { 100, 24 }, { 120, 40 }, { 200, 60 } };
#define SIZE_COUNT (sizeof(sizes) / sizeof(sizes[0]))

static void open_view(struct ui *ui, int width, int height, enum view_kind kind)
{
	ui_open(ui, width, height);
	ui_show(ui);
	state_show_kind(&ui->state, kind);
	ui_reply(ui);
	frame_draw(&ui->state, &ui->canvas);
}

static void check_view_at_every_size(enum view_kind kind, const char *name)
{
	struct ui ui;
	char file[64];

	for (size_t i = 0; i < SIZE_COUNT; i++) {
		open_view(&ui, sizes[i].width, sizes[i].height, kind);
		snprintf(file, sizeof(file), "%s_%dx%d", name, sizes[i].width, sizes[i].height);
		ui_close(&ui, file);
	}
}

static void test_symbols_at_every_size(void **state)
{
	(void)state;
	check_view_at_every_size(VIEW_SYMBOLS, "symbols");
}

static void test_dsos_at_every_size(void **state)
{
	(void)state;
	check_view_at_every_size(VIEW_DSOS, "dsos");
}

static void test_commands_at_every_size(void **state)
{
	(void)state;
	check_view_at_every_size(VIEW_COMMANDS, "commands");
}

static void test_tasks_at_every_size(void **state)
{
	(void)state;
	check_view_at_every_size(VIEW_TASKS, "tasks");
}

static void test_cpus_at_every_size(void **state)
{
	(void)state;
	check_view_at_every_size(VIEW_CPUS, "cpus");
}

static void test_tasks_with_their_threads_folded_out(void **state)
{
	struct ui ui;

	(void)state;
	for (size_t i = 0; i < SIZE_COUNT; i++) {
		char file[64];

		open_view(&ui, sizes[i].width, sizes[i].height, VIEW_TASKS);
		ui_press(&ui, "jj+j");
		snprintf(file, sizeof(file), "threads_%dx%d", sizes[i].width, sizes[i].height);
		ui_close(&ui, file);
	}
}

static void test_ascii_only(void **state)
{
	struct ui ui;

	(void)state;
	ui_open(&ui, 80, 24);
	ui.canvas.is_ascii = true;
	ui_show(&ui);
	ui_close(&ui, "ascii_80x24");

	open_view(&ui, 100, 24, VIEW_TASKS);
	ui.canvas.is_ascii = true;
	ui_press(&ui, "jj+.");
	ui_close(&ui, "ascii_threads_100x24");
}

static void test_meaning_of_every_cell(void **state)
{
	struct ui ui;

	(void)state;
	ui_open(&ui, 100, 24);
	ui.snapshot.lost_kernel = 12;
	ui_show(&ui);
	ui_press(&ui, "jjjjjjj");
	ui_compare("cursor_roles_100x24", ui_roles(&ui));
	ui_close(&ui, "cursor_100x24");

	open_view(&ui, 80, 24, VIEW_TASKS);
	ui_press(&ui, "jj+/j");
	ui_compare("search_roles_80x24", ui_roles(&ui));
	ui_close(&ui, "search_80x24");

	open_view(&ui, 80, 24, VIEW_DSOS);
	ui_press(&ui, ".");
	ui_compare("row_menu_roles_80x24", ui_roles(&ui));
	ui_finish(&ui);
}

static void test_symbols_keyed_by_more_or_less(void **state)
{
	struct ui ui;

	(void)state;
	ui_open(&ui, 100, 24);
	ui.snapshot.keys |= KEY_PID | KEY_CPU;
	ui_show(&ui);
	ui_close(&ui, "pid_cpu_100x24");

	ui_open(&ui, 80, 24);
	ui.snapshot.keys = KEY_DSO;
	ui_show(&ui);
	ui_close(&ui, "dso_80x24");
}

static void test_too_small(void **state)
{
	struct ui ui;

	(void)state;
	ui_open(&ui, 39, 9);
	ui_show(&ui);
	ui_close(&ui, "too_small_39x9");
	ui_open(&ui, 12, 3);
	ui_show(&ui);
	ui_close(&ui, "too_small_12x3");
}

UNIT_TESTS(test_screens)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_symbols_at_every_size),
		cmocka_unit_test(test_dsos_at_every_size),
		cmocka_unit_test(test_commands_at_every_size),
		cmocka_unit_test(test_tasks_at_every_size),
		cmocka_unit_test(test_cpus_at_every_size),
		cmocka_unit_test(test_tasks_with_their_threads_folded_out),
		cmocka_unit_test(test_ascii_only),
		cmocka_unit_test(test_meaning_of_every_cell),
		cmocka_unit_test(test_symbols_keyed_by_more_or_less),
		cmocka_unit_test(test_too_small),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
