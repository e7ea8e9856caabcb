/* The line of views, and the breadcrumbs after it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "ui_fixture.h"
#include "unit_tests.h"

static const char *tab_line(struct ui *ui)
{
	const int wide = ui->canvas.width >= 100;

	ui_text(ui);
	return ui_line(ui, wide ? 2 : ui->canvas.height >= 16 ? 3 : 2);
}

static void push(struct ui *ui, enum filter_field field, const char *text)
{
	struct filter_part part = { .field = field, .hash = filter_hash(text) };

	snprintf(part.text, sizeof(part.text), "%s", text);
	state_go(&ui->state, VIEW_SYMBOLS, &part);
	ui_show(ui);
}

static void test_names_of_views_shorten_together_and_no_further_than_needed(void **state)
{
	struct ui ui;

	(void)state;
	ui_open(&ui, 80, 24);
	ui_show(&ui);
	assert_string_equal(tab_line(&ui),
			    "  1 Sym  2 DSO 3 Cmd 4 Tasks 5 CPUs 6 Tree 7 Flame 8 Probes "
			    "9 Groups        all");
	assert_int_equal(canvas_resize(&ui.canvas, 84, 24), 0);
	assert_string_equal(tab_line(&ui),
			    "  1 Symbols  2 DSOs 3 Commands 4 Tasks 5 CPUs 6 Tree 7 Flame "
			    "8 Probes 9 Groups  all");
	assert_int_equal(canvas_resize(&ui.canvas, 92, 24), 0);
	assert_non_null(strstr(tab_line(&ui),
			       " 1 Symbols  2 DSOs  3 Commands  4 Tasks  5 CPUs  6 Tree "
			       " 7 Flame  8 Probes  9 Groups "));
	ui_finish(&ui);
}

static void test_names_without_room_are_numbers_or_one_name(void **state)
{
	struct ui ui;

	(void)state;
	ui_open(&ui, 64, 24);
	ui_show(&ui);
	assert_string_equal(tab_line(&ui),
			    "  1 Sym  2 DSO 3 Cmd 4 Task 5 CPU 6 Tree 7 Flm 8 Prb 9 Grp  all");
	assert_int_equal(canvas_resize(&ui.canvas, 50, 24), 0);
	assert_string_equal(tab_line(&ui),
			    "  1 Symbols  2  3  4  5  6  7  8  9           all");
	assert_int_equal(canvas_resize(&ui.canvas, 40, 24), 0);
	assert_string_equal(tab_line(&ui), "  1 Symbols  2 3 4 5 6 7 8 9        all");
	push(&ui, FILTER_COMMAND, "a name");
	assert_string_equal(tab_line(&ui), "  1 Symbols      all › a name ›  0.00 %");
	assert_true(state_go_back(&ui.state));
	assert_int_equal(canvas_resize(&ui.canvas, 50, 24), 0);
	state_show_kind(&ui.state, VIEW_CPUS);
	assert_string_equal(tab_line(&ui),
			    "  1  2  3  4  5 CPUs  6  7  8  9              all");
	ui_finish(&ui);
}

/* Names of views and whole path have 76 + 51 letters: the path gives way to 40. */
static void test_a_long_path_is_cut_before_the_names_of_views(void **state)
{
	struct ui ui;

	(void)state;
	ui_open(&ui, 122, 24);
	ui_show(&ui);
	push(&ui, FILTER_COMMAND, "postgres");
	push(&ui, FILTER_SYMBOL, "hash_search_with_hash_value");
	assert_string_equal(tab_line(&ui),
			    "  1 Symbols  2 DSOs 3 Commands 4 Tasks 5 CPUs 6 Tree 7 Flame "
			    "8 Probes 9 Groups  \u2026 \u203a postgres \u203a "
			    "hash_search_wit\u2026 \u203a  0.00 %");
	ui_finish(&ui);
}

static void test_a_page_of_text_has_its_own_name(void **state)
{
	struct ui ui;

	(void)state;
	ui_open(&ui, 80, 24);
	ui_show(&ui);
	ui_press(&ui, "?");
	assert_string_equal(tab_line(&ui), "  Help");
	ui_finish(&ui);
}

static void test_the_breadcrumb_ends_with_what_part_of_the_window_it_is(void **state)
{
	struct ui ui;

	(void)state;
	ui_open(&ui, 100, 24);
	ui_show(&ui);
	push(&ui, FILTER_COMMAND, "nginx");
	ui.snapshot.shown_weight = ui.snapshot.weight / 4;
	ui_show(&ui);
	assert_non_null(strstr(tab_line(&ui), "all \u203a nginx \u203a 25.00 %"));
	ui.snapshot.shown_weight = ui.snapshot.weight / 20;
	ui_show(&ui);
	assert_non_null(strstr(tab_line(&ui), "all \u203a nginx \u203a  5.00 %"));
	ui_finish(&ui);
}

/* It was opened before its name was demangled. */
static void test_a_mangled_name_in_the_path_gets_the_demangled_one(void **state)
{
	struct ui ui;
	struct snapshot_row *row;

	(void)state;
	ui_open(&ui, 140, 24);
	ui_show(&ui);
	row = &((struct snapshot_row *)ui.snapshot.rows)[0];
	row->raw_symbol = row->symbol = "_ZN4pool3runEv";
	ui_show(&ui);
	push(&ui, FILTER_SYMBOL, "_ZN4pool3runEv");
	assert_non_null(strstr(tab_line(&ui), "all \u203a _ZN4pool3runEv \u203a"));
	row->symbol = "pool::run()";
	ui_show(&ui);
	assert_non_null(strstr(tab_line(&ui), "all \u203a pool::run() \u203a"));
	ui_finish(&ui);
}

/* The rows on the screen are those of the filter before. */
static void test_no_share_is_shown_while_it_is_counted(void **state)
{
	struct ui ui;

	(void)state;
	ui_open(&ui, 140, 24);
	ui_show(&ui);
	ui_press_key(&ui, UI_KEY_ENTER);
	assert_non_null(strstr(tab_line(&ui),
			       "hash_search_with_hash_value \u203a     \u2026 %"));
	ui_finish(&ui);
}

static void test_what_is_hidden_is_a_crumb(void **state)
{
	struct ui ui;

	(void)state;
	ui_open(&ui, 140, 24);
	ui_show(&ui);
	ui_press(&ui, "KU");
	ui_reply(&ui);
	assert_non_null(strstr(tab_line(&ui), "all \u203a no kernel \u203a no user \u203a "));
	ui_finish(&ui);
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
	struct ui ui;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		ui_open(&ui, tests[i].width, 24);
		ui_show(&ui);
		ui_press(&ui, "\\!hash");
		ui_press_key(&ui, UI_KEY_ENTER);
		ui_reply(&ui);
		assert_non_null(strstr(tab_line(&ui), tests[i].crumb));
		ui_finish(&ui);
	}
}

static void test_the_beginning_of_a_long_way_is_an_ellipsis(void **state)
{
	struct ui ui;

	(void)state;
	ui_open(&ui, 60, 12);
	ui_show(&ui);
	push(&ui, FILTER_COMMAND, "postgres");
	push(&ui, FILTER_DSO, "libcrypto.so.3");
	push(&ui, FILTER_SYMBOL, "ChaCha20_4xl");
	assert_string_equal(tab_line(&ui),
			    "  1 Symbols  2  3  4  5  6  7  8  9  "
			    "ChaCha20_4xl \u203a  0.00 %");
	ui_finish(&ui);
}

static void test_one_long_name_leaves_room_for_the_others(void **state)
{
	struct ui ui;

	(void)state;
	ui_open(&ui, 60, 12);
	ui_show(&ui);
	push(&ui, FILTER_SYMBOL, "std::vector<std::pair<int, std::string> >::_M_realloc_insert");
	assert_string_equal(tab_line(&ui),
			    "  1 Symbols  2  3  4  5  6  7  8  9  "
			    "std::vector\u2026 \u203a  0.00 %");
	ui_finish(&ui);
}

static void test_between_states_and_names_no_number_is_cut(void **state)
{
	struct ui ui;

	(void)state;
	ui_open(&ui, 40, 12);
	ui_show(&ui);
	push(&ui, FILTER_COMMAND, "nginx");
	ui.snapshot.shown_weight = ui.snapshot.weight / 4;
	ui.snapshot.truncated_stacks = 123;
	ui_show(&ui);
	assert_string_equal(tab_line(&ui),
			    "  1 Symbols  \u2026 \u203a nginx \u203a 25.00 % ! more");
	ui.snapshot.is_target_gone = true;
	ui_show(&ui);
	assert_string_equal(tab_line(&ui), "  1 Symbols  ngi\u2026 target ended \u00b7 ! more");
	ui_finish(&ui);
}

static void test_the_last_name_matters_more_than_the_ellipsis_before_it(void **state)
{
	struct ui ui;

	(void)state;
	ui_open(&ui, 40, 12);
	ui_show(&ui);
	push(&ui, FILTER_COMMAND, "pg-writer");
	ui.snapshot.shown_weight = ui.snapshot.weight / 4;
	ui.snapshot.truncated_stacks = 123;
	ui_show(&ui);
	assert_string_equal(tab_line(&ui), "  1 Symbols  pg-writer \u203a 25.00 % ! more");
	ui_finish(&ui);
}

/* It never reaches into the names, and its end is the end of the line. */
static void test_the_breadcrumb_stays_in_its_room_at_every_width(void **state)
{
	struct ui ui;

	(void)state;
	ui_open(&ui, 40, 12);
	ui_show(&ui);
	push(&ui, FILTER_COMMAND, "postgres");
	push(&ui, FILTER_SYMBOL, "std::vector<std::pair<int, std::string> >::_M_realloc_insert");
	ui_press(&ui, "K");
	ui_show(&ui);
	for (int width = 40; width <= 260; width++) {
		const char *line;

		assert_int_equal(canvas_resize(&ui.canvas, width, 12), 0);
		line = tab_line(&ui);
		assert_int_equal(canvas_text_width(&ui.canvas, line), width - 1);
		assert_non_null(strstr(line, " 1 Sym"));
		assert_non_null(strstr(line, "no kernel \u203a  0.00 %"));
	}
	ui_finish(&ui);
}

UNIT_TESTS(test_tabs)
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
