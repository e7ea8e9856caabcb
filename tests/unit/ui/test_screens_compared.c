/* Whole screens while the window is compared with a baseline. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <locale.h>
#include <stdio.h>

#include <cmocka.h>

#include "compare_fixture.h"
#include "unit_tests.h"

static const struct {
	int width, height;
} sizes[] = { { 40, 12 }, { 80, 24 }, { 100, 24 }, { 200, 60 } };
#define SIZE_COUNT (sizeof(sizes) / sizeof(sizes[0]))

static void check_at_every_size(enum view_kind kind, const char *name)
{
	struct ui ui;
	char file[64];

	for (size_t i = 0; i < SIZE_COUNT; i++) {
		compare_fixture_open(&ui, sizes[i].width, sizes[i].height, kind);
		snprintf(file, sizeof(file), "compared_%s_%dx%d", name, sizes[i].width,
			 sizes[i].height);
		ui_close(&ui, file);
	}
}

static void test_symbols_at_every_size(void **state)
{
	(void)state;
	check_at_every_size(VIEW_SYMBOLS, "symbols");
}

static void test_the_tree_at_every_size(void **state)
{
	(void)state;
	check_at_every_size(VIEW_TREE, "tree");
}

static void test_the_flame_graph_at_every_size(void **state)
{
	(void)state;
	check_at_every_size(VIEW_FLAME, "flame");
}

static void test_probes_at_every_size(void **state)
{
	(void)state;
	check_at_every_size(VIEW_PROBES, "probes");
}

static void check_roles(enum view_kind kind, const char *name)
{
	struct ui ui;

	compare_fixture_open(&ui, 80, 24, kind);
	ui_press(&ui, "j");
	ui_compare(name, ui_roles(&ui));
	ui_finish(&ui);
}

static void test_meaning_of_every_cell(void **state)
{
	(void)state;
	check_roles(VIEW_SYMBOLS, "compared_symbols_roles_80x24");
	check_roles(VIEW_TREE, "compared_tree_roles_80x24");
	check_roles(VIEW_FLAME, "compared_flame_roles_80x24");
	check_roles(VIEW_PROBES, "compared_probes_roles_80x24");
}

static void check_ascii(enum view_kind kind, const char *name)
{
	struct ui ui;

	compare_fixture_open(&ui, 80, 24, kind);
	ui.canvas.is_ascii = true;
	ui_close(&ui, name);
}

static void test_signs_and_words_tell_it_without_colours_and_unicode(void **state)
{
	(void)state;
	check_ascii(VIEW_SYMBOLS, "compared_symbols_ascii_80x24");
	check_ascii(VIEW_TREE, "compared_tree_ascii_80x24");
	check_ascii(VIEW_FLAME, "compared_flame_ascii_80x24");
}

static void test_the_other_tables(void **state)
{
	struct ui ui;

	(void)state;
	compare_fixture_open(&ui, 100, 24, VIEW_DSOS);
	ui_close(&ui, "compared_dsos_100x24");
	compare_fixture_open(&ui, 80, 24, VIEW_COMMANDS);
	ui_close(&ui, "compared_commands_80x24");
	compare_fixture_open(&ui, 120, 40, VIEW_TASKS);
	ui_close(&ui, "compared_tasks_120x40");
	compare_fixture_open(&ui, 100, 24, VIEW_CPUS);
	ui_press(&ui, "i");
	ui_close(&ui, "compared_cpus_100x24");
}

static void test_stats_of_a_probe(void **state)
{
	struct ui ui;

	(void)state;
	compare_fixture_open(&ui, 120, 40, VIEW_PROBES);
	ui_press_key(&ui, UI_KEY_ENTER);
	compare_fixture_reply(&ui);
	ui_close(&ui, "compared_probe_120x40");
}

static void test_a_baseline_that_waits_is_shown(void **state)
{
	struct ui ui;

	(void)state;
	compare_fixture_open(&ui, 80, 24, VIEW_SYMBOLS);
	ui_press(&ui, "x");
	compare_fixture_reply(&ui);
	ui_close(&ui, "compared_off_80x24");
}

UNIT_TESTS(test_screens_compared)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_symbols_at_every_size),
		cmocka_unit_test(test_the_tree_at_every_size),
		cmocka_unit_test(test_the_flame_graph_at_every_size),
		cmocka_unit_test(test_probes_at_every_size),
		cmocka_unit_test(test_meaning_of_every_cell),
		cmocka_unit_test(test_signs_and_words_tell_it_without_colours_and_unicode),
		cmocka_unit_test(test_the_other_tables),
		cmocka_unit_test(test_stats_of_a_probe),
		cmocka_unit_test(test_a_baseline_that_waits_is_shown),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
