/* The tree on the screen: what its keys do, and whole screens compared with tests/golden. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "ui_fixture.h"
#include "tree_fixture.h"
#include "term/keys.h"
#include "unit_tests.h"

static const struct {
	int width, height;
} sizes[] = { { 40, 12 }, { 80, 24 }, { 200, 60 } };

/* On the hottest row that is a function. */
static void open_tree(struct ui *ui)
{
	ui_press(ui, "6");
	ui_reply(ui);
}

static void test_callers_of_a_function(void **state)
{
	struct ui ui;
	char file[64];

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		ui_open(&ui, sizes[i].width, sizes[i].height);
		ui_show(&ui);
		open_tree(&ui);
		snprintf(file, sizeof(file), "tree_callers_%dx%d", sizes[i].width, sizes[i].height);
		ui_close(&ui, file);
	}
}

static void test_callees_of_all(void **state)
{
	struct ui ui;
	char file[64];

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		ui_open(&ui, sizes[i].width, sizes[i].height);
		ui_show(&ui);
		state_show_kind(&ui.state, VIEW_TREE);
		ui_reply(&ui);
		ui_press(&ui, "Ejj");
		snprintf(file, sizeof(file), "tree_callees_%dx%d", sizes[i].width, sizes[i].height);
		ui_close(&ui, file);
	}
}

static void test_ascii_and_roles(void **state)
{
	struct ui ui;

	(void)state;
	ui_open(&ui, 80, 24);
	ui_show(&ui);
	state_show_kind(&ui.state, VIEW_TREE);
	ui_reply(&ui);
	ui_press(&ui, "E%jj");
	ui_compare("tree_roles_80x24", ui_roles(&ui));
	ui.canvas.is_ascii = true;
	ui_close(&ui, "tree_ascii_80x24");
}

/* 256 calls that branch at each: the tree moves left, the names stay. */
static void test_a_deep_tree_moves_left(void **state)
{
	enum { DEPTH = 256 };
	static struct tree_fixture_line lines[2 * DEPTH];
	static struct tree_node nodes[2 * DEPTH];
	static char names[DEPTH][8];
	struct ui ui;

	(void)state;
	for (uint32_t d = 0; d < DEPTH; d++) {
		snprintf(names[d], sizeof(names[d]), "f%u", d);
		lines[d] = (struct tree_fixture_line){ d, names[d], 0, 2 * DEPTH - d,
						       MODE_USER, 0 };
		lines[2 * DEPTH - 1 - d] =
			(struct tree_fixture_line){ d + 1, "g", 1, 1, MODE_USER, 0 };
	}
	ui_open(&ui, 80, 24);
	ui_show(&ui);
	state_show_kind(&ui.state, VIEW_TREE);
	ui.snapshot.tree = tree_fixture(TREE_CALLEES, lines, 2 * DEPTH, nodes);
	ui_show(&ui);
	ui_press(&ui, "J");
	ui_press_key(&ui, UI_KEY_UP);
	ui_close(&ui, "tree_deep_80x24");
}

static void test_empty_tree(void **state)
{
	struct ui ui;

	(void)state;
	ui_open(&ui, 80, 24);
	ui_show(&ui);
	open_tree(&ui);
	ui.snapshot.tree.node_count = 0;
	ui_show(&ui);
	ui_close(&ui, "tree_nothing_80x24");
}

static void test_six_asks_for_the_callers_of_the_row(void **state)
{
	struct ui *ui = *state;
	const struct query *query;

	ui_press(ui, "j6");
	query = ui_asked(ui);
	assert_int_equal(query->tree, TREE_CALLERS);
	assert_true(query->tree_limit_pct == 0.5);
	assert_int_equal(query->filter.count, 1);
	assert_int_equal(query->filter.parts[0].field, FILTER_SYMBOL);
	assert_int_equal(state_kind(&ui->state), VIEW_TREE);
}

static void test_six_on_a_command_asks_what_it_calls(void **state)
{
	struct ui *ui = *state;

	ui_press(ui, "3");
	ui_reply(ui);
	ui_press(ui, "6");
	assert_int_equal(ui_asked(ui)->tree, TREE_CALLEES);
	assert_int_equal(ui_asked(ui)->filter.parts[0].field, FILTER_COMMAND);
}

static void test_keys_typed_after_six_wait_for_the_tree(void **state)
{
	struct ui *ui = *state;

	ui_press(ui, "6r");
	assert_false(ui->state.prompt.is_open);
	assert_int_equal(ui_asked(ui)->tree, TREE_CALLERS);
	ui_reply(ui);
	assert_int_equal(ui_asked(ui)->tree, TREE_CALLEES);
	assert_int_equal(ui->state.query.breadcrumbs.count, 2);
}

static void test_backspace_finds_the_row_again(void **state)
{
	struct ui *ui = *state;
	uint64_t id;

	ui_press(ui, "jj");
	id = ui_cursor(ui)->id;
	open_tree(ui);
	ui_press(ui, "j");
	ui_press_key(ui, UI_KEY_BACKSPACE);
	assert_int_equal(ui_asked(ui)->tree, TREE_NONE);
	assert_int_equal(ui_asked(ui)->filter.count, 0);
	ui_reply(ui);
	assert_int_equal(ui_cursor(ui)->id, id);
}

static void test_enter_opens_the_tree_of_that_function_and_back_returns(void **state)
{
	struct ui *ui = *state;
	uint64_t before, id;

	open_tree(ui);
	before = ui_asked(ui)->filter.parts[0].hash;
	ui_press(ui, "j");
	id = ui_cursor(ui)->id;
	ui_press_key(ui, UI_KEY_ENTER);
	assert_int_equal(ui_asked(ui)->filter.count, 1);
	assert_int_equal(ui_asked(ui)->filter.parts[0].hash, filter_hash("BufTableLookup"));
	assert_int_equal(ui_asked(ui)->tree, TREE_CALLERS);
	ui_reply(ui);
	ui_press_key(ui, UI_KEY_BACKSPACE);
	assert_int_equal(ui_asked(ui)->filter.count, 1);
	assert_int_equal(ui_asked(ui)->filter.parts[0].hash, before);
	ui_reply(ui);
	assert_int_equal(ui_cursor(ui)->id, id);
}

static void test_six_again_is_the_tree_of_all(void **state)
{
	struct ui *ui = *state;

	open_tree(ui);
	ui_press(ui, "6");
	assert_int_equal(ui_asked(ui)->tree, TREE_CALLEES);
	assert_int_equal(ui_asked(ui)->filter.count, 0);
	ui_reply(ui);
	ui_press(ui, "6");
	assert_true(ui_has(ui, "this is the tree of all samples"));
}

static void test_search_opens_what_it_finds(void **state)
{
	struct ui *ui = *state;

	open_tree(ui);
	ui_press(ui, "C/seqn");
	assert_true(ui_has(ui, "1 of 13 calls"));
	assert_true(ui_has(ui, "SeqNext"));
	assert_string_equal(ui_cursor(ui)->symbol, "heapgetpage");
	ui_press_key(ui, UI_KEY_ESCAPE);
	assert_string_equal(ui_cursor(ui)->symbol, "hash_search_with_hash_value");
	ui_press(ui, "/_bt_");
	ui_press_key(ui, UI_KEY_ENTER);
	assert_string_equal(ui_cursor(ui)->symbol, "_bt_getbuf");
}

static void test_the_limit_is_asked_for(void **state)
{
	struct ui *ui = *state;

	open_tree(ui);
	ui_press(ui, "#");
	ui_press_key(ui, UI_KEY_CTRL('U'));
	ui_press(ui, "2.5");
	ui_press_key(ui, UI_KEY_ENTER);
	assert_true(ui_asked(ui)->tree_limit_pct == 2.5);
	ui_reply(ui);
	ui_press(ui, "#x");
	ui_press_key(ui, UI_KEY_ENTER);
	assert_true(ui_has(ui, "a limit is 0 to 50 percent"));
	assert_true(ui_asked(ui)->tree_limit_pct == 2.5);
}

static void test_inlined_functions_are_asked_for_and_lines_with_them(void **state)
{
	const unsigned int lines = 1u << COL_SOURCE;
	struct ui *ui = *state;

	open_tree(ui);
	assert_true(ui->state.display.choice.hidden[VIEW_SYMBOLS] & lines);
	ui_press(ui, "I");
	assert_true(ui_asked(ui)->tree_inlined);
	assert_true(ui_has(ui, "source lines on"));
	assert_false(ui->state.display.choice.hidden[VIEW_SYMBOLS] & lines);
	ui_reply(ui);
	ui_press(ui, "I");
	assert_false(ui_asked(ui)->tree_inlined);
	assert_true(ui_has(ui, "source lines off"));
	ui_reply(ui);
	/* As --source does, or the menu of columns. */
	ui->state.display.choice.hidden[VIEW_SYMBOLS] = 0;
	ui_press(ui, "r");
	assert_true(ui_asked(ui)->tree_inlined);
}

static void test_an_inlined_function_has_no_samples_to_open(void **state)
{
	static const struct tree_fixture_line lines[] = {
		{ 0, "outer", 0, 8, MODE_UNKNOWN, 0 }, { 1, "inner", 5, 5, MODE_UNKNOWN, 0 },
		{ 1, "other", 3, 3, MODE_UNKNOWN, 0 },
	};
	static struct tree_node nodes[3];
	struct ui *ui = *state;
	uint32_t parts;

	state_show_kind(&ui->state, VIEW_TREE);
	ui->snapshot.tree = tree_fixture(TREE_CALLEES, lines, 3, nodes);
	nodes[1].is_inlined = true;
	ui_show(ui);
	parts = ui->state.query.breadcrumbs.filter.count;
	ui_press(ui, "j");
	assert_true(ui_has(ui, "inner (inlined)"));
	ui_press_key(ui, UI_KEY_ENTER);
	assert_true(ui_has(ui, "it is inlined: open the function that it is in"));
	assert_int_equal(ui->state.query.breadcrumbs.filter.count, parts);
	ui_press(ui, ".");
	assert_false(ui_has(ui, "only inner"));
}

/* outer's 670 samples of its own are 30 and 640 that are inlined into it; other's 330 have 130 and
 * 200. */
static void open_inlined(struct ui *ui, struct tree_node nodes[4])
{
	static const struct tree_fixture_line lines[] = {
		{ 0, "outer", 30, 1000, MODE_UNKNOWN, 0 },
		{ 1, "inner", 640, 640, MODE_UNKNOWN, 0 },
		{ 1, "other", 130, 330, MODE_UNKNOWN, 0 },
		{ 2, "inner", 200, 200, MODE_UNKNOWN, 0 },
	};

	state_show_kind(&ui->state, VIEW_TREE);
	ui->snapshot.tree = tree_fixture(TREE_CALLEES, lines, 4, nodes);
	nodes[1].is_inlined = nodes[3].is_inlined = true;
	nodes[0].inlined_weight = 640;
	nodes[2].inlined_weight = 200;
	ui_show(ui);
}

static void test_a_root_says_what_of_its_self_is_inlined(void **state)
{
	static const struct { int width, height; } sizes_here[] = { { 40, 12 }, { 80, 24 } };
	static struct tree_node nodes[4];
	struct ui ui;
	char file[64];

	(void)state;
	for (size_t i = 0; i < sizeof(sizes_here) / sizeof(sizes_here[0]); i++) {
		ui_open(&ui, sizes_here[i].width, sizes_here[i].height);
		open_inlined(&ui, nodes);
		snprintf(file, sizeof(file), "tree_inlined_%dx%d", sizes_here[i].width,
			 sizes_here[i].height);
		ui_close(&ui, file);
	}
}

static void test_percent_of_the_parent(void **state)
{
	struct ui *ui = *state;

	open_tree(ui);
	assert_true(ui_has(ui, "22.70"));
	ui_press(ui, "%%");
	assert_true(ui_has(ui, "73.23"));
	assert_false(ui_has(ui, "22.70"));
}

static void test_a_click_selects_and_a_double_click_opens(void **state)
{
	struct ui *ui = *state;
	struct mouse line;

	open_tree(ui);
	line = ui_find(ui, "BufTableLookup");
	ui_click(ui, MOUSE_PRESS, line.x, line.y);
	assert_string_equal(ui_cursor(ui)->symbol, "BufTableLookup");
	ui_click(ui, MOUSE_DOUBLE, line.x, line.y);
	assert_false(ui_has(ui, "heapgetpage"));
	ui_click(ui, MOUSE_DOUBLE, line.x, line.y);
	assert_true(ui_has(ui, "heapgetpage"));
	ui_click(ui, MOUSE_MENU, line.x, line.y);
	assert_true(ui_has(ui, "only BufTableLookup"));
}

/* A refresh while help lies over the tree must not leave it with nodes that are gone. */
static void test_a_tree_beneath_help_follows(void **state)
{
	struct ui *ui = *state;

	open_tree(ui);
	ui_press(ui, "?");
	ui->snapshot.tree = (struct call_tree){ .direction = TREE_CALLERS };
	ui_show(ui);
	assert_int_equal(tree_view_of(&ui->state)->lines.rows.count, 0);
	ui_press_key(ui, UI_KEY_ESCAPE);
	assert_true(ui_is(ui, VIEW_TREE));
}

UNIT_TESTS(test_view_tree)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_callers_of_a_function),
		cmocka_unit_test(test_callees_of_all),
		cmocka_unit_test(test_ascii_and_roles),
		cmocka_unit_test(test_a_deep_tree_moves_left),
		cmocka_unit_test(test_empty_tree),
		UI_TEST(test_six_asks_for_the_callers_of_the_row),
		UI_TEST(test_six_on_a_command_asks_what_it_calls),
		UI_TEST(test_keys_typed_after_six_wait_for_the_tree),
		UI_TEST(test_backspace_finds_the_row_again),
		UI_TEST(test_enter_opens_the_tree_of_that_function_and_back_returns),
		UI_TEST(test_six_again_is_the_tree_of_all),
		UI_TEST(test_search_opens_what_it_finds),
		UI_TEST(test_the_limit_is_asked_for),
		UI_TEST(test_inlined_functions_are_asked_for_and_lines_with_them),
		UI_TEST(test_an_inlined_function_has_no_samples_to_open),
		cmocka_unit_test(test_a_root_says_what_of_its_self_is_inlined),
		UI_TEST(test_percent_of_the_parent),
		UI_TEST(test_a_click_selects_and_a_double_click_opens),
		UI_TEST(test_a_tree_beneath_help_follows),
	};

	setlocale(LC_ALL, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
