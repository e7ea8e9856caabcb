/* The tree on the screen: what its keys do, and whole pictures compared with tests/golden. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "scene_fixture.h"
#include "tree_fixture.h"
#include "ui/keys.h"

static const struct {
	int width, height;
} sizes[] = { { 40, 12 }, { 80, 24 }, { 200, 60 } };

/* On the hottest row that is a function. */
static void open_tree(struct scene *scene)
{
	scene_press(scene, "6");
	scene_answer(scene);
}

static void test_callers_of_a_function(void **state)
{
	struct scene scene;
	char file[64];

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		scene_open(&scene, sizes[i].width, sizes[i].height);
		scene_show(&scene);
		open_tree(&scene);
		snprintf(file, sizeof(file), "tree_callers_%dx%d", sizes[i].width, sizes[i].height);
		scene_close(&scene, file);
	}
}

static void test_callees_of_all(void **state)
{
	struct scene scene;
	char file[64];

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		scene_open(&scene, sizes[i].width, sizes[i].height);
		scene_show(&scene);
		state_show_kind(&scene.state, VIEW_TREE);
		scene_answer(&scene);
		scene_press(&scene, "Ejj");
		snprintf(file, sizeof(file), "tree_callees_%dx%d", sizes[i].width, sizes[i].height);
		scene_close(&scene, file);
	}
}

static void test_ascii_and_roles(void **state)
{
	struct scene scene;

	(void)state;
	scene_open(&scene, 80, 24);
	scene_show(&scene);
	state_show_kind(&scene.state, VIEW_TREE);
	scene_answer(&scene);
	scene_press(&scene, "E%jj");
	scene_compare("tree_roles_80x24", scene_roles(&scene));
	scene.canvas.is_ascii = true;
	scene_close(&scene, "tree_ascii_80x24");
}

/* 256 calls that branch at each: the tree moves left, the names stay. */
static void test_a_deep_tree_moves_left(void **state)
{
	enum { DEPTH = 256 };
	static struct tree_fixture_line lines[2 * DEPTH];
	static struct tree_node nodes[2 * DEPTH];
	static char names[DEPTH][8];
	struct scene scene;

	(void)state;
	for (uint32_t d = 0; d < DEPTH; d++) {
		snprintf(names[d], sizeof(names[d]), "f%u", d);
		lines[d] = (struct tree_fixture_line){ d, names[d], 0, 2 * DEPTH - d,
						       MODE_USER, 0 };
		lines[2 * DEPTH - 1 - d] =
			(struct tree_fixture_line){ d + 1, "g", 1, 1, MODE_USER, 0 };
	}
	scene_open(&scene, 80, 24);
	scene_show(&scene);
	state_show_kind(&scene.state, VIEW_TREE);
	scene.snapshot.tree = tree_fixture(TREE_CALLEES, lines, 2 * DEPTH, nodes);
	scene_show(&scene);
	scene_press(&scene, "J");
	scene_press_key(&scene, UI_KEY_UP);
	scene_close(&scene, "tree_deep_80x24");
}

static void test_empty_tree(void **state)
{
	struct scene scene;

	(void)state;
	scene_open(&scene, 80, 24);
	scene_show(&scene);
	open_tree(&scene);
	scene.snapshot.tree.node_count = 0;
	scene_show(&scene);
	scene_close(&scene, "tree_nothing_80x24");
}

static void test_six_asks_for_the_callers_of_the_row(void **state)
{
	struct scene *scene = *state;
	const struct query *query;

	scene_press(scene, "j6");
	query = scene_asked(scene);
	assert_int_equal(query->tree, TREE_CALLERS);
	assert_true(query->tree_limit_pct == 0.5);
	assert_int_equal(query->filter.count, 1);
	assert_int_equal(query->filter.parts[0].field, FILTER_SYMBOL);
	assert_int_equal(state_kind(&scene->state), VIEW_TREE);
}

static void test_six_on_a_command_asks_what_it_calls(void **state)
{
	struct scene *scene = *state;

	scene_press(scene, "3");
	scene_answer(scene);
	scene_press(scene, "6");
	assert_int_equal(scene_asked(scene)->tree, TREE_CALLEES);
	assert_int_equal(scene_asked(scene)->filter.parts[0].field, FILTER_COMMAND);
}

static void test_keys_typed_behind_six_wait_for_the_tree(void **state)
{
	struct scene *scene = *state;

	scene_press(scene, "6r");
	assert_false(scene->state.prompt.is_open);
	assert_int_equal(scene_asked(scene)->tree, TREE_CALLERS);
	scene_answer(scene);
	assert_int_equal(scene_asked(scene)->tree, TREE_CALLEES);
	assert_int_equal(scene->state.trail.count, 2);
}

static void test_backspace_finds_the_row_again(void **state)
{
	struct scene *scene = *state;
	uint64_t id;

	scene_press(scene, "jj");
	id = scene_cursor(scene)->id;
	open_tree(scene);
	scene_press(scene, "j");
	scene_press_key(scene, UI_KEY_BACKSPACE);
	assert_int_equal(scene_asked(scene)->tree, TREE_NONE);
	assert_int_equal(scene_asked(scene)->filter.count, 0);
	scene_answer(scene);
	assert_int_equal(scene_cursor(scene)->id, id);
}

static void test_enter_opens_the_tree_of_that_function_and_back_returns(void **state)
{
	struct scene *scene = *state;
	uint64_t before, id;

	open_tree(scene);
	before = scene_asked(scene)->filter.parts[0].hash;
	scene_press(scene, "j");
	id = scene_cursor(scene)->id;
	scene_press_key(scene, UI_KEY_ENTER);
	assert_int_equal(scene_asked(scene)->filter.count, 1);
	assert_int_equal(scene_asked(scene)->filter.parts[0].hash, filter_hash("BufTableLookup"));
	assert_int_equal(scene_asked(scene)->tree, TREE_CALLERS);
	scene_answer(scene);
	scene_press_key(scene, UI_KEY_BACKSPACE);
	assert_int_equal(scene_asked(scene)->filter.count, 1);
	assert_int_equal(scene_asked(scene)->filter.parts[0].hash, before);
	scene_answer(scene);
	assert_int_equal(scene_cursor(scene)->id, id);
}

static void test_six_again_is_the_tree_of_all(void **state)
{
	struct scene *scene = *state;

	open_tree(scene);
	scene_press(scene, "6");
	assert_int_equal(scene_asked(scene)->tree, TREE_CALLEES);
	assert_int_equal(scene_asked(scene)->filter.count, 0);
	scene_answer(scene);
	scene_press(scene, "6");
	assert_true(scene_has(scene, "this is the tree of all samples"));
}

static void test_search_opens_what_it_finds(void **state)
{
	struct scene *scene = *state;

	open_tree(scene);
	scene_press(scene, "C/seqn");
	assert_true(scene_has(scene, "1 of 13 calls"));
	assert_true(scene_has(scene, "SeqNext"));
	assert_string_equal(scene_cursor(scene)->symbol, "heapgetpage");
	scene_press_key(scene, UI_KEY_ESCAPE);
	assert_string_equal(scene_cursor(scene)->symbol, "hash_search_with_hash_value");
	scene_press(scene, "/_bt_");
	scene_press_key(scene, UI_KEY_ENTER);
	assert_string_equal(scene_cursor(scene)->symbol, "_bt_getbuf");
}

static void test_the_limit_is_asked_for(void **state)
{
	struct scene *scene = *state;

	open_tree(scene);
	scene_press(scene, "#");
	scene_press_key(scene, UI_KEY_CTRL('U'));
	scene_press(scene, "2.5");
	scene_press_key(scene, UI_KEY_ENTER);
	assert_true(scene_asked(scene)->tree_limit_pct == 2.5);
	scene_answer(scene);
	scene_press(scene, "#x");
	scene_press_key(scene, UI_KEY_ENTER);
	assert_true(scene_has(scene, "a limit is 0 to 50 percent"));
	assert_true(scene_asked(scene)->tree_limit_pct == 2.5);
}

static void test_inlined_functions_are_asked_for_and_lines_with_them(void **state)
{
	const unsigned int lines = 1u << COL_SOURCE;
	struct scene *scene = *state;

	open_tree(scene);
	assert_true(scene->state.choice.hidden[VIEW_SYMBOLS] & lines);
	scene_press(scene, "I");
	assert_true(scene_asked(scene)->tree_inlined);
	assert_true(scene_has(scene, "source lines on"));
	assert_false(scene->state.choice.hidden[VIEW_SYMBOLS] & lines);
	scene_answer(scene);
	scene_press(scene, "I");
	assert_false(scene_asked(scene)->tree_inlined);
	assert_true(scene_has(scene, "source lines off"));
	scene_answer(scene);
	scene->state.choice.hidden[VIEW_SYMBOLS] = 0;	/* as --source, or the menu of columns */
	scene_press(scene, "r");
	assert_true(scene_asked(scene)->tree_inlined);
}

static void test_an_inlined_function_has_no_samples_to_open(void **state)
{
	static const struct tree_fixture_line lines[] = {
		{ 0, "outer", 0, 8, MODE_UNKNOWN, 0 }, { 1, "inner", 5, 5, MODE_UNKNOWN, 0 },
		{ 1, "other", 3, 3, MODE_UNKNOWN, 0 },
	};
	static struct tree_node nodes[3];
	struct scene *scene = *state;
	uint32_t parts;

	state_show_kind(&scene->state, VIEW_TREE);
	scene->snapshot.tree = tree_fixture(TREE_CALLEES, lines, 3, nodes);
	nodes[1].is_inlined = true;
	scene_show(scene);
	parts = scene->state.trail.filter.count;
	scene_press(scene, "j");
	assert_true(scene_has(scene, "inner (inlined)"));
	scene_press_key(scene, UI_KEY_ENTER);
	assert_true(scene_has(scene, "it is inlined: open the function that it is in"));
	assert_int_equal(scene->state.trail.filter.count, parts);
	scene_press(scene, ".");
	assert_false(scene_has(scene, "only inner"));
}

/* outer's 670 samples of its own are 30 and 640 that are inlined into it; other's 330 have 130 and
 * 200. */
static void open_inlined(struct scene *scene, struct tree_node nodes[4])
{
	static const struct tree_fixture_line lines[] = {
		{ 0, "outer", 30, 1000, MODE_UNKNOWN, 0 },
		{ 1, "inner", 640, 640, MODE_UNKNOWN, 0 },
		{ 1, "other", 130, 330, MODE_UNKNOWN, 0 },
		{ 2, "inner", 200, 200, MODE_UNKNOWN, 0 },
	};

	state_show_kind(&scene->state, VIEW_TREE);
	scene->snapshot.tree = tree_fixture(TREE_CALLEES, lines, 4, nodes);
	nodes[1].is_inlined = nodes[3].is_inlined = true;
	nodes[0].inlined_weight = 640;
	nodes[2].inlined_weight = 200;
	scene_show(scene);
}

static void test_a_root_says_what_of_its_self_is_inlined(void **state)
{
	static const struct { int width, height; } sizes_here[] = { { 40, 12 }, { 80, 24 } };
	static struct tree_node nodes[4];
	struct scene scene;
	char file[64];

	(void)state;
	for (size_t i = 0; i < sizeof(sizes_here) / sizeof(sizes_here[0]); i++) {
		scene_open(&scene, sizes_here[i].width, sizes_here[i].height);
		open_inlined(&scene, nodes);
		snprintf(file, sizeof(file), "tree_inlined_%dx%d", sizes_here[i].width,
			 sizes_here[i].height);
		scene_close(&scene, file);
	}
}

static void test_percent_of_the_parent(void **state)
{
	struct scene *scene = *state;

	open_tree(scene);
	assert_true(scene_has(scene, "22.70"));
	scene_press(scene, "%%");
	assert_true(scene_has(scene, "73.23"));
	assert_false(scene_has(scene, "22.70"));
}

static void test_a_click_selects_and_a_double_click_opens(void **state)
{
	struct scene *scene = *state;
	struct mouse line;

	open_tree(scene);
	line = scene_find(scene, "BufTableLookup");
	scene_click(scene, MOUSE_PRESS, line.x, line.y);
	assert_string_equal(scene_cursor(scene)->symbol, "BufTableLookup");
	scene_click(scene, MOUSE_DOUBLE, line.x, line.y);
	assert_false(scene_has(scene, "heapgetpage"));
	scene_click(scene, MOUSE_DOUBLE, line.x, line.y);
	assert_true(scene_has(scene, "heapgetpage"));
	scene_click(scene, MOUSE_MENU, line.x, line.y);
	assert_true(scene_has(scene, "only BufTableLookup"));
}

/* A refresh while help lies over the tree must not leave it with nodes that are gone. */
static void test_a_tree_beneath_help_follows(void **state)
{
	struct scene *scene = *state;

	open_tree(scene);
	scene_press(scene, "?");
	scene->snapshot.tree = (struct call_tree){ .direction = TREE_CALLERS };
	scene_show(scene);
	assert_int_equal(scene->state.tree.rows.count, 0);
	scene_press_key(scene, UI_KEY_ESCAPE);
	assert_true(state_is_tree(&scene->state));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_callers_of_a_function),
		cmocka_unit_test(test_callees_of_all),
		cmocka_unit_test(test_ascii_and_roles),
		cmocka_unit_test(test_a_deep_tree_moves_left),
		cmocka_unit_test(test_empty_tree),
		SCENE_TEST(test_six_asks_for_the_callers_of_the_row),
		SCENE_TEST(test_six_on_a_command_asks_what_it_calls),
		SCENE_TEST(test_keys_typed_behind_six_wait_for_the_tree),
		SCENE_TEST(test_backspace_finds_the_row_again),
		SCENE_TEST(test_enter_opens_the_tree_of_that_function_and_back_returns),
		SCENE_TEST(test_six_again_is_the_tree_of_all),
		SCENE_TEST(test_search_opens_what_it_finds),
		SCENE_TEST(test_the_limit_is_asked_for),
		SCENE_TEST(test_inlined_functions_are_asked_for_and_lines_with_them),
		SCENE_TEST(test_an_inlined_function_has_no_samples_to_open),
		cmocka_unit_test(test_a_root_says_what_of_its_self_is_inlined),
		SCENE_TEST(test_percent_of_the_parent),
		SCENE_TEST(test_a_click_selects_and_a_double_click_opens),
		SCENE_TEST(test_a_tree_beneath_help_follows),
	};

	setlocale(LC_ALL, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
