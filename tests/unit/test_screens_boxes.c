/* Whole screens: menus and prompts over the table, and the pages of text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <locale.h>

#include <cmocka.h>

#include "scene_fixture.h"

static void open_table(struct scene *scene, int width, int height)
{
	scene_open(scene, width, height);
	scene_show(scene);
	frame_draw(&scene->state, &scene->canvas);
}

static void test_row_menu(void **state)
{
	struct scene scene;

	(void)state;
	open_table(&scene, 80, 24);
	scene_press(&scene, ".");
	scene_close(&scene, "row_menu_80x24");
	open_table(&scene, 40, 12);
	scene_press(&scene, "jjjjjj.");
	scene_close(&scene, "row_menu_40x12");
}

static void test_order_and_columns(void **state)
{
	struct scene scene;

	(void)state;
	open_table(&scene, 80, 24);
	scene_press(&scene, "o");
	scene_close(&scene, "order_menu_80x24");
	open_table(&scene, 100, 24);
	scene_press(&scene, "c");
	scene_press_key(&scene, UI_KEY_DOWN);
	scene_press(&scene, " ");
	scene_close(&scene, "columns_menu_100x24");
	open_table(&scene, 40, 12);
	scene_press(&scene, "c");
	scene_close(&scene, "columns_menu_40x12");
}

/* Where tasks are: hidden at first. */
static void test_columns_of_places(void **state)
{
	struct scene scene;

	(void)state;
	open_table(&scene, 140, 24);
	state_show_kind(&scene.state, VIEW_TASKS);
	scene.state.choice.hidden[VIEW_TASKS] = 1u << COL_TOTAL | 1u << COL_POD;
	scene_answer(&scene);
	scene_close(&scene, "places_140x24");
}

static void test_palette(void **state)
{
	struct scene scene;

	(void)state;
	open_table(&scene, 80, 24);
	scene_press(&scene, ":");
	scene_close(&scene, "palette_80x24");
	open_table(&scene, 80, 24);
	scene_press(&scene, ":hide");
	scene_close(&scene, "palette_typed_80x24");
	open_table(&scene, 40, 10);
	scene_press(&scene, ":");
	scene_close(&scene, "palette_40x10");
}

static void test_filters_menu(void **state)
{
	struct scene scene;

	(void)state;
	open_table(&scene, 80, 24);
	scene_press_key(&scene, UI_KEY_ENTER);
	scene_answer(&scene);
	scene_press(&scene, "\\lock");
	scene_press_key(&scene, UI_KEY_ENTER);
	scene_press(&scene, "K");
	scene_answer(&scene);
	scene_press(&scene, "F");
	scene_close(&scene, "filters_menu_80x24");
}

static void test_source_menus(void **state)
{
	struct scene scene;

	(void)state;
	open_table(&scene, 80, 24);
	scene_press(&scene, "e");
	scene_close(&scene, "event_menu_80x24");
	open_table(&scene, 80, 24);
	scene_press(&scene, "t");
	scene_close(&scene, "target_menu_80x24");
	open_table(&scene, 80, 24);
	scene_press(&scene, "f");
	scene_close(&scene, "frequency_prompt_80x24");
}

static void test_search_prompt(void **state)
{
	struct scene scene;

	(void)state;
	open_table(&scene, 100, 24);
	scene_press(&scene, "/post");
	scene_close(&scene, "search_prompt_100x24");
	open_table(&scene, 40, 10);
	scene_press(&scene, "/post");
	scene_close(&scene, "search_prompt_40x10");
}

static void test_filter_prompt(void **state)
{
	struct scene scene;

	(void)state;
	open_table(&scene, 80, 24);
	scene_press(&scene, "\\~^hash_[");
	scene_close(&scene, "filter_error_80x24");
}

static void test_messages_at_the_bottom(void **state)
{
	struct scene scene;

	(void)state;
	open_table(&scene, 80, 24);
	scene_press(&scene, "W");
	scene_close(&scene, "no_such_key_80x24");
	open_table(&scene, 80, 24);
	scene_press(&scene, "w");
	scene_close(&scene, "window_key_80x24");
}

static void test_help(void **state)
{
	struct scene scene;

	(void)state;
	open_table(&scene, 80, 24);
	scene_press(&scene, "?");
	scene_close(&scene, "help_top_80x24");
	open_table(&scene, 80, 24);
	scene_press(&scene, "?");
	frame_draw(&scene.state, &scene.canvas);
	scene_press_key(&scene, UI_KEY_END);
	scene_close(&scene, "help_end_80x24");
	open_table(&scene, 120, 100);
	scene_press(&scene, "?");
	scene_close(&scene, "help_120x100");
	open_table(&scene, 40, 12);
	scene_press(&scene, "?");
	scene_close(&scene, "help_40x12");
}

static void test_messages(void **state)
{
	struct scene scene;

	(void)state;
	open_table(&scene, 80, 24);
	scene_press(&scene, "!");
	scene_close(&scene, "messages_none_80x24");

	scene_open(&scene, 80, 24);
	scene.snapshot.lost_kernel = 123456;
	scene.snapshot.throttled_ns = 2500000000;
	scene.snapshot.notice = "cycles cannot be sampled here (no PMU): cpu-clock instead\n"
				"kernel names are hidden: kernel.kptr_restrict is 2; run as root, "
				"or sysctl kernel.kptr_restrict=1";
	scene_show(&scene);
	scene_press(&scene, "!");
	scene_close(&scene, "messages_80x24");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_row_menu),
		cmocka_unit_test(test_order_and_columns),
		cmocka_unit_test(test_columns_of_places),
		cmocka_unit_test(test_palette),
		cmocka_unit_test(test_filters_menu),
		cmocka_unit_test(test_source_menus),
		cmocka_unit_test(test_search_prompt),
		cmocka_unit_test(test_filter_prompt),
		cmocka_unit_test(test_messages_at_the_bottom),
		cmocka_unit_test(test_help),
		cmocka_unit_test(test_messages),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
