/* Whole screens while the window is compared with a baseline. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <locale.h>
#include <stdio.h>

#include <cmocka.h>

#include "compare_fixture.h"

static const struct {
	int width, height;
} sizes[] = { { 40, 12 }, { 80, 24 }, { 100, 24 }, { 200, 60 } };
#define SIZE_COUNT (sizeof(sizes) / sizeof(sizes[0]))

static void check_at_every_size(enum view_kind kind, const char *name)
{
	struct scene scene;
	char file[64];

	for (size_t i = 0; i < SIZE_COUNT; i++) {
		compare_fixture_open(&scene, sizes[i].width, sizes[i].height, kind);
		snprintf(file, sizeof(file), "compared_%s_%dx%d", name, sizes[i].width,
			 sizes[i].height);
		scene_close(&scene, file);
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
	struct scene scene;

	compare_fixture_open(&scene, 80, 24, kind);
	scene_press(&scene, "j");
	scene_compare(name, scene_roles(&scene));
	scene_finish(&scene);
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
	struct scene scene;

	compare_fixture_open(&scene, 80, 24, kind);
	scene.canvas.is_ascii = true;
	scene_close(&scene, name);
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
	struct scene scene;

	(void)state;
	compare_fixture_open(&scene, 100, 24, VIEW_OBJECTS);
	scene_close(&scene, "compared_objects_100x24");
	compare_fixture_open(&scene, 80, 24, VIEW_COMMANDS);
	scene_close(&scene, "compared_commands_80x24");
	compare_fixture_open(&scene, 120, 40, VIEW_TASKS);
	scene_close(&scene, "compared_tasks_120x40");
	compare_fixture_open(&scene, 100, 24, VIEW_CPUS);
	scene_press(&scene, "i");
	scene_close(&scene, "compared_cpus_100x24");
}

static void test_figures_of_a_probe(void **state)
{
	struct scene scene;

	(void)state;
	compare_fixture_open(&scene, 120, 40, VIEW_PROBES);
	scene_press_key(&scene, UI_KEY_ENTER);
	compare_fixture_answer(&scene);
	scene_close(&scene, "compared_probe_120x40");
}

static void test_a_baseline_that_waits_is_told(void **state)
{
	struct scene scene;

	(void)state;
	compare_fixture_open(&scene, 80, 24, VIEW_SYMBOLS);
	scene_press(&scene, "x");
	compare_fixture_answer(&scene);
	scene_close(&scene, "compared_off_80x24");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_symbols_at_every_size),
		cmocka_unit_test(test_the_tree_at_every_size),
		cmocka_unit_test(test_the_flame_graph_at_every_size),
		cmocka_unit_test(test_probes_at_every_size),
		cmocka_unit_test(test_meaning_of_every_cell),
		cmocka_unit_test(test_signs_and_words_tell_it_without_colours_and_unicode),
		cmocka_unit_test(test_the_other_tables),
		cmocka_unit_test(test_figures_of_a_probe),
		cmocka_unit_test(test_a_baseline_that_waits_is_told),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
