/* Search, in rows that come and go. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <locale.h>
#include <string.h>

#include <cmocka.h>

#include "group_fixture.h"
#include "ui_fixture.h"
#include "unit_tests.h"

static void test_the_prompt_counts_the_rows_that_match(void **state)
{
	struct ui *ui = *state;

	ui_press(ui, "/qemu");
	assert_string_equal(ui->state.prompt.note, "2 of 11 rows");
	assert_string_equal(ui_cursor(ui)->symbol, "vmx_vcpu_run");
	ui_press(ui, "x");
	assert_string_equal(ui->state.prompt.note, "0 of 11 rows");
}

static void test_a_row_that_comes_while_one_types_is_found(void **state)
{
	struct ui *ui = *state;
	struct snapshot_row rows[16];

	memcpy(rows, ui->snapshot.rows, ui->snapshot.row_count * sizeof(rows[0]));
	ui_press(ui, "/newcomer");
	assert_string_equal(ui->state.prompt.note, "0 of 11 rows");
	rows[5].symbol = "newcomer";
	ui->snapshot.rows = rows;
	ui_show(ui);
	assert_string_equal(ui->state.prompt.note, "1 of 11 rows");
	assert_string_equal(ui_cursor(ui)->symbol, "newcomer");
	ui_press_key(ui, UI_KEY_ENTER);
	assert_string_equal(ui_cursor(ui)->symbol, "newcomer");
}

static void test_search_goes_on_round_the_end_both_ways(void **state)
{
	struct ui *ui = *state;

	ui_press(ui, "/qemu");
	ui_press_key(ui, UI_KEY_ENTER);
	ui_press(ui, "n");
	assert_string_equal(ui_cursor(ui)->symbol, "guest_main");
	ui_press(ui, "n");
	assert_string_equal(ui_cursor(ui)->symbol, "vmx_vcpu_run");
	ui_press(ui, "N");
	assert_string_equal(ui_cursor(ui)->symbol, "guest_main");
	ui_press(ui, "N");
	assert_string_equal(ui_cursor(ui)->symbol, "vmx_vcpu_run");
}

static void test_search_that_finds_nothing_says_so_and_stays(void **state)
{
	struct ui *ui = *state;

	ui_press(ui, "jj/nowhere");
	ui_press_key(ui, UI_KEY_ENTER);
	assert_string_equal(ui_cursor(ui)->symbol, "ChaCha20_4xl");
	ui_press(ui, "n");
	assert_string_equal(ui->state.message, "\"nowhere\" is not here");
	assert_string_equal(ui_cursor(ui)->symbol, "ChaCha20_4xl");
}

static void test_a_number_finds_the_task_that_has_it(void **state)
{
	struct ui *ui = *state;

	state_show_kind(&ui->state, VIEW_TASKS);
	ui_reply(ui);
	ui_press(ui, "/77");
	assert_string_equal(ui_cursor(ui)->comm, "nginx");
	assert_string_equal(ui->state.prompt.note, "1 of 8 rows");
}

static void test_a_search_typed_after_another_view_is_one_in_its_rows(void **state)
{
	struct ui *ui = *state;

	ui_press(ui, "4/nginx");
	ui_press_key(ui, UI_KEY_ENTER);
	ui_press_key(ui, UI_KEY_ENTER);
	assert_int_equal(ui->state.query.breadcrumbs.count, 1);
	ui_reply(ui);
	assert_int_equal(ui->state.query.breadcrumbs.count, 2);
	assert_int_equal(ui->state.query.breadcrumbs.filter.parts[0].number, 77);
}

static void test_without_a_search_n_asks_for_one(void **state)
{
	struct ui *ui = *state;

	ui_press(ui, "n");
	assert_true(ui->state.prompt.is_open);
	assert_string_equal(ui->state.prompt.label, "search:");
}

static void test_back_at_the_first_level_ends_the_search(void **state)
{
	struct ui *ui = *state;

	ui_press(ui, "/qemu");
	ui_press_key(ui, UI_KEY_ENTER);
	assert_string_equal(ui->state.message, "n next, N previous, Esc ends the search");
	ui_press_key(ui, UI_KEY_ESCAPE);
	assert_string_equal(ui->state.search, "");

	ui_press_key(ui, UI_KEY_ENTER);
	ui_reply(ui);
	ui_press(ui, "/qemu");
	ui_press_key(ui, UI_KEY_ENTER);
	assert_string_equal(ui->state.message, "n next, N previous");	/* Esc goes back */
}

static void test_back_from_help_keeps_the_search_of_the_table(void **state)
{
	struct ui *ui = *state;

	ui_press(ui, "/qemu");
	ui_press_key(ui, UI_KEY_ENTER);
	ui_press(ui, "?");
	ui_press_key(ui, UI_KEY_ESCAPE);
	assert_true(ui_is(ui, VIEW_SYMBOLS));
	assert_string_equal(ui->state.search, "qemu");

	ui_press(ui, "?/sort");	/* in what was opened: that one ends first */
	ui_press_key(ui, UI_KEY_ENTER);
	ui_press_key(ui, UI_KEY_ESCAPE);
	assert_false(ui_is(ui, VIEW_SYMBOLS));
	assert_string_equal(ui->state.search, "");
}

/* Compared, the groups stand by their change: not as the snapshot has them. */
static void test_search_goes_to_the_group_that_has_the_text(void **state)
{
	struct ui *ui = *state;
	struct group_node nodes[64];
	const struct group_tree *tree = &ui->snapshot.groups;
	const struct tree_rows *rows = &groups_view_of(&ui->state)->lines.rows;

	ui->state.query.compare = (struct comparing){ .has_baseline = true, .is_on = true };
	ui_press(ui, "9");
	ui_prepare(ui);
	ui->snapshot.has_baseline = ui->snapshot.is_compared = true;
	memcpy(nodes, tree->nodes, tree->node_count * sizeof(nodes[0]));
	for (uint32_t i = 0; i < tree->node_count; i++) {	/* the first did not change */
		nodes[i].has_base = true;
		nodes[i].base_whole_weight = nodes[i].whole_weight;
		nodes[i].base.self.weight = i < nodes[0].size ? nodes[i].now.self.weight : 0;
	}
	ui->snapshot.groups.nodes = nodes;
	ui->snapshot.groups.is_compared = true;
	ui_show(ui);
	assert_string_equal(tree_rows_group(rows, 0)->text, "nginx");
	ui_press(ui, "/chacha");
	assert_string_equal(ui->state.prompt.note, "1 of 34 groups");
	assert_string_equal(tree_rows_group(rows, tree_rows_cursor(rows)->first)->text,
			    "ChaCha20_4xl");
	ui_press_key(ui, UI_KEY_ENTER);
	ui_press(ui, "n");
	assert_string_equal(tree_rows_group(rows, tree_rows_cursor(rows)->first)->text,
			    "ChaCha20_4xl");
}

UNIT_TESTS(test_command_finds)
{
	const struct CMUnitTest tests[] = {
		UI_TEST(test_the_prompt_counts_the_rows_that_match),
		UI_TEST(test_a_row_that_comes_while_one_types_is_found),
		UI_TEST(test_search_goes_on_round_the_end_both_ways),
		UI_TEST(test_search_that_finds_nothing_says_so_and_stays),
		UI_TEST(test_a_number_finds_the_task_that_has_it),
		UI_TEST(test_a_search_typed_after_another_view_is_one_in_its_rows),
		UI_TEST(test_without_a_search_n_asks_for_one),
		UI_TEST(test_back_at_the_first_level_ends_the_search),
		UI_TEST(test_search_goes_to_the_group_that_has_the_text),
		UI_TEST(test_back_from_help_keeps_the_search_of_the_table),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
