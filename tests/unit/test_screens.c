/* Whole screens through the real views, compared with tests/golden: every view at every size. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <locale.h>
#include <stdio.h>

#include <cmocka.h>

#include "scene_fixture.h"

static const struct {
	int width, height;
} sizes[] = { { 40, 10 }, { 40, 12 }, { 80, 24 }, { 100, 24 }, { 120, 40 }, { 200, 60 } };
#define SIZE_COUNT (sizeof(sizes) / sizeof(sizes[0]))

static void open_view(struct scene *scene, int width, int height, enum view_kind kind)
{
	scene_open(scene, width, height);
	scene_show(scene);
	state_show_kind(&scene->state, kind);
	scene_answer(scene);
	frame_draw(&scene->state, &scene->canvas);
}

static void check_view_at_every_size(enum view_kind kind, const char *name)
{
	struct scene scene;
	char file[64];

	for (size_t i = 0; i < SIZE_COUNT; i++) {
		open_view(&scene, sizes[i].width, sizes[i].height, kind);
		snprintf(file, sizeof(file), "%s_%dx%d", name, sizes[i].width, sizes[i].height);
		scene_close(&scene, file);
	}
}

static void test_symbols_at_every_size(void **state)
{
	(void)state;
	check_view_at_every_size(VIEW_SYMBOLS, "symbols");
}

static void test_objects_at_every_size(void **state)
{
	(void)state;
	check_view_at_every_size(VIEW_OBJECTS, "objects");
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
	struct scene scene;

	(void)state;
	for (size_t i = 0; i < SIZE_COUNT; i++) {
		char file[64];

		open_view(&scene, sizes[i].width, sizes[i].height, VIEW_TASKS);
		scene_press(&scene, "jj+j");
		snprintf(file, sizeof(file), "threads_%dx%d", sizes[i].width, sizes[i].height);
		scene_close(&scene, file);
	}
}

static void test_ascii_only(void **state)
{
	struct scene scene;

	(void)state;
	scene_open(&scene, 80, 24);
	scene.canvas.is_ascii = true;
	scene_show(&scene);
	scene_close(&scene, "ascii_80x24");

	open_view(&scene, 100, 24, VIEW_TASKS);
	scene.canvas.is_ascii = true;
	scene_press(&scene, "jj+.");
	scene_close(&scene, "ascii_threads_100x24");
}

static void test_meaning_of_every_cell(void **state)
{
	struct scene scene;

	(void)state;
	scene_open(&scene, 100, 24);
	scene.snapshot.lost_kernel = 12;
	scene_show(&scene);
	scene_press(&scene, "jjjjjjj");
	scene_compare("cursor_roles_100x24", scene_roles(&scene));
	scene_close(&scene, "cursor_100x24");

	open_view(&scene, 80, 24, VIEW_TASKS);
	scene_press(&scene, "jj+/j");
	scene_compare("search_roles_80x24", scene_roles(&scene));
	scene_close(&scene, "search_80x24");

	open_view(&scene, 80, 24, VIEW_OBJECTS);
	scene_press(&scene, ".");
	scene_compare("row_menu_roles_80x24", scene_roles(&scene));
	scene_finish(&scene);
}

static void test_symbols_keyed_by_more_or_less(void **state)
{
	struct scene scene;

	(void)state;
	scene_open(&scene, 100, 24);
	scene.snapshot.keys |= KEY_PID | KEY_CPU;
	scene_show(&scene);
	scene_close(&scene, "pid_cpu_100x24");

	scene_open(&scene, 80, 24);
	scene.snapshot.keys = KEY_OBJECT;
	scene_show(&scene);
	scene_close(&scene, "object_80x24");
}

static void test_too_small(void **state)
{
	struct scene scene;

	(void)state;
	scene_open(&scene, 39, 9);
	scene_show(&scene);
	scene_close(&scene, "too_small_39x9");
	scene_open(&scene, 12, 3);
	scene_show(&scene);
	scene_close(&scene, "too_small_12x3");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_symbols_at_every_size),
		cmocka_unit_test(test_objects_at_every_size),
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
