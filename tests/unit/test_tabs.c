/* The line of views, and the breadcrumb behind it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "scene_fixture.h"

static const char *tab_line(struct scene *scene)
{
	const int wide = scene->canvas.width >= 100;

	scene_text(scene);
	return scene_line(scene, wide ? 2 : scene->canvas.height >= 16 ? 3 : 2);
}

static void push(struct scene *scene, enum filter_field field, const char *text)
{
	struct filter_part part = { .field = field, .hash = filter_hash(text) };

	snprintf(part.text, sizeof(part.text), "%s", text);
	state_go(&scene->state, VIEW_SYMBOLS, &part);
	scene_show(scene);
}

static void test_names_of_views_shorten_together_and_no_further_than_needed(void **state)
{
	struct scene scene;

	(void)state;
	scene_open(&scene, 80, 24);
	scene_show(&scene);
	assert_string_equal(tab_line(&scene),
			    "  1 Sym  2 Obj 3 Cmd 4 Tasks 5 CPUs 6 Tree 7 Flame 8 Probes "
			    "9 Groups        all");
	assert_int_equal(canvas_resize(&scene.canvas, 87, 24), 0);
	assert_string_equal(tab_line(&scene),
			    "  1 Symbols  2 Objects 3 Commands 4 Tasks 5 CPUs 6 Tree 7 Flame "
			    "8 Probes 9 Groups  all");
	assert_int_equal(canvas_resize(&scene.canvas, 95, 24), 0);
	assert_non_null(strstr(tab_line(&scene),
			       " 1 Symbols  2 Objects  3 Commands  4 Tasks  5 CPUs  6 Tree "
			       " 7 Flame  8 Probes  9 Groups "));
	scene_finish(&scene);
}

static void test_names_without_room_are_numbers_or_one_name(void **state)
{
	struct scene scene;

	(void)state;
	scene_open(&scene, 64, 24);
	scene_show(&scene);
	assert_string_equal(tab_line(&scene),
			    "  1 Sym  2 Obj 3 Cmd 4 Task 5 CPU 6 Tree 7 Flm 8 Prb 9 Grp  all");
	assert_int_equal(canvas_resize(&scene.canvas, 50, 24), 0);
	assert_string_equal(tab_line(&scene),
			    "  1 Symbols  2  3  4  5  6  7  8  9           all");
	assert_int_equal(canvas_resize(&scene.canvas, 40, 24), 0);
	assert_string_equal(tab_line(&scene), "  1 Symbols  2 3 4 5 6 7 8 9        all");
	push(&scene, FILTER_COMMAND, "a name");
	assert_string_equal(tab_line(&scene), "  1 Symbols      all › a name ›  0.00 %");
	assert_true(state_go_back(&scene.state));
	assert_int_equal(canvas_resize(&scene.canvas, 50, 24), 0);
	state_show_kind(&scene.state, VIEW_CPUS);
	assert_string_equal(tab_line(&scene),
			    "  1  2  3  4  5 CPUs  6  7  8  9              all");
	scene_finish(&scene);
}

/* Names of views and whole path have 79 + 51 letters: the path gives way to 40. */
static void test_a_long_path_is_cut_before_the_names_of_views(void **state)
{
	struct scene scene;

	(void)state;
	scene_open(&scene, 125, 24);
	scene_show(&scene);
	push(&scene, FILTER_COMMAND, "postgres");
	push(&scene, FILTER_SYMBOL, "hash_search_with_hash_value");
	assert_string_equal(tab_line(&scene),
			    "  1 Symbols  2 Objects 3 Commands 4 Tasks 5 CPUs 6 Tree 7 Flame "
			    "8 Probes 9 Groups  \u2026 \u203a postgres \u203a "
			    "hash_search_wit\u2026 \u203a  0.00 %");
	scene_finish(&scene);
}

static void test_a_page_of_text_has_its_own_name(void **state)
{
	struct scene scene;

	(void)state;
	scene_open(&scene, 80, 24);
	scene_show(&scene);
	scene_press(&scene, "?");
	assert_string_equal(tab_line(&scene), "  Help");
	scene_finish(&scene);
}

static void test_the_breadcrumb_ends_with_what_part_of_the_window_it_is(void **state)
{
	struct scene scene;

	(void)state;
	scene_open(&scene, 100, 24);
	scene_show(&scene);
	push(&scene, FILTER_COMMAND, "nginx");
	scene.snapshot.shown_weight = scene.snapshot.weight / 4;
	scene_show(&scene);
	assert_non_null(strstr(tab_line(&scene), "all \u203a nginx \u203a 25.00 %"));
	scene.snapshot.shown_weight = scene.snapshot.weight / 20;
	scene_show(&scene);
	assert_non_null(strstr(tab_line(&scene), "all \u203a nginx \u203a  5.00 %"));
	scene_finish(&scene);
}

/* It was opened before its name was demangled. */
static void test_a_mangled_name_in_the_path_gets_the_demangled_one(void **state)
{
	struct scene scene;
	struct snapshot_row *row;

	(void)state;
	scene_open(&scene, 140, 24);
	scene_show(&scene);
	row = &((struct snapshot_row *)scene.snapshot.rows)[0];
	row->raw_symbol = row->symbol = "_ZN4pool3runEv";
	scene_show(&scene);
	push(&scene, FILTER_SYMBOL, "_ZN4pool3runEv");
	assert_non_null(strstr(tab_line(&scene), "all \u203a _ZN4pool3runEv \u203a"));
	row->symbol = "pool::run()";
	scene_show(&scene);
	assert_non_null(strstr(tab_line(&scene), "all \u203a pool::run() \u203a"));
	scene_finish(&scene);
}

/* The rows on the screen are those of the filter before. */
static void test_no_share_is_shown_while_it_is_counted(void **state)
{
	struct scene scene;

	(void)state;
	scene_open(&scene, 140, 24);
	scene_show(&scene);
	scene_press_key(&scene, UI_KEY_ENTER);
	assert_non_null(strstr(tab_line(&scene),
			       "hash_search_with_hash_value \u203a     \u2026 %"));
	scene_finish(&scene);
}

static void test_what_is_hidden_is_a_crumb(void **state)
{
	struct scene scene;

	(void)state;
	scene_open(&scene, 140, 24);
	scene_show(&scene);
	scene_press(&scene, "KU");
	scene_answer(&scene);
	assert_non_null(strstr(tab_line(&scene), "all \u203a no kernel \u203a no user \u203a "));
	scene_finish(&scene);
}

static void test_without_is_not_where_the_name_would_have_no_room(void **state)
{
	static const struct {
		int width;
		const char *crumb;
	} tests[] = {
		{ 160, "all \u203a without \"hash\" \u203a " },
		{ 80, "not \"hash\" \u203a " },
	};
	struct scene scene;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		scene_open(&scene, tests[i].width, 24);
		scene_show(&scene);
		scene_press(&scene, "\\!hash");
		scene_press_key(&scene, UI_KEY_ENTER);
		scene_answer(&scene);
		assert_non_null(strstr(tab_line(&scene), tests[i].crumb));
		scene_finish(&scene);
	}
}

static void test_the_beginning_of_a_long_way_is_an_ellipsis(void **state)
{
	struct scene scene;

	(void)state;
	scene_open(&scene, 60, 12);
	scene_show(&scene);
	push(&scene, FILTER_COMMAND, "postgres");
	push(&scene, FILTER_OBJECT, "libcrypto.so.3");
	push(&scene, FILTER_SYMBOL, "ChaCha20_4xl");
	assert_string_equal(tab_line(&scene),
			    "  1 Symbols  2  3  4  5  6  7  8  9  "
			    "ChaCha20_4xl \u203a  0.00 %");
	scene_finish(&scene);
}

static void test_one_long_name_leaves_room_for_the_others(void **state)
{
	struct scene scene;

	(void)state;
	scene_open(&scene, 60, 12);
	scene_show(&scene);
	push(&scene, FILTER_SYMBOL, "std::vector<std::pair<int, std::string> >::_M_realloc_insert");
	assert_string_equal(tab_line(&scene),
			    "  1 Symbols  2  3  4  5  6  7  8  9  "
			    "std::vector\u2026 \u203a  0.00 %");
	scene_finish(&scene);
}

static void test_between_states_and_names_no_number_is_cut(void **state)
{
	struct scene scene;

	(void)state;
	scene_open(&scene, 40, 12);
	scene_show(&scene);
	push(&scene, FILTER_COMMAND, "nginx");
	scene.snapshot.shown_weight = scene.snapshot.weight / 4;
	scene.snapshot.truncated_stacks = 123;
	scene_show(&scene);
	assert_string_equal(tab_line(&scene),
			    "  1 Symbols  \u2026 \u203a nginx \u203a 25.00 % ! more");
	scene.snapshot.is_target_gone = true;
	scene_show(&scene);
	assert_string_equal(tab_line(&scene), "  1 Symbols  ngi\u2026 target ended \u00b7 ! more");
	scene_finish(&scene);
}

static void test_the_last_name_matters_more_than_the_ellipsis_before_it(void **state)
{
	struct scene scene;

	(void)state;
	scene_open(&scene, 40, 12);
	scene_show(&scene);
	push(&scene, FILTER_COMMAND, "pg-writer");
	scene.snapshot.shown_weight = scene.snapshot.weight / 4;
	scene.snapshot.truncated_stacks = 123;
	scene_show(&scene);
	assert_string_equal(tab_line(&scene), "  1 Symbols  pg-writer \u203a 25.00 % ! more");
	scene_finish(&scene);
}

/* It never reaches into the names, and its end is the end of the line. */
static void test_the_breadcrumb_stays_in_its_room_at_every_width(void **state)
{
	struct scene scene;

	(void)state;
	scene_open(&scene, 40, 12);
	scene_show(&scene);
	push(&scene, FILTER_COMMAND, "postgres");
	push(&scene, FILTER_SYMBOL, "std::vector<std::pair<int, std::string> >::_M_realloc_insert");
	scene_press(&scene, "K");
	scene_show(&scene);
	for (int width = 40; width <= 260; width++) {
		const char *line;

		assert_int_equal(canvas_resize(&scene.canvas, width, 12), 0);
		line = tab_line(&scene);
		assert_int_equal(canvas_text_width(&scene.canvas, line), width - 1);
		assert_non_null(strstr(line, " 1 Sym"));
		assert_non_null(strstr(line, "no kernel \u203a  0.00 %"));
	}
	scene_finish(&scene);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_of_views_shorten_together_and_no_further_than_needed),
		cmocka_unit_test(test_names_without_room_are_numbers_or_one_name),
		cmocka_unit_test(test_a_long_path_is_cut_before_the_names_of_views),
		cmocka_unit_test(test_a_page_of_text_has_its_own_name),
		cmocka_unit_test(test_the_breadcrumb_ends_with_what_part_of_the_window_it_is),
		cmocka_unit_test(test_a_mangled_name_in_the_path_gets_the_demangled_one),
		cmocka_unit_test(test_no_share_is_shown_while_it_is_counted),
		cmocka_unit_test(test_what_is_hidden_is_a_crumb),
		cmocka_unit_test(test_without_is_not_where_the_name_would_have_no_room),
		cmocka_unit_test(test_the_beginning_of_a_long_way_is_an_ellipsis),
		cmocka_unit_test(test_one_long_name_leaves_room_for_the_others),
		cmocka_unit_test(test_between_states_and_names_no_number_is_cut),
		cmocka_unit_test(test_the_last_name_matters_more_than_the_ellipsis_before_it),
		cmocka_unit_test(test_the_breadcrumb_stays_in_its_room_at_every_width),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
