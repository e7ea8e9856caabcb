/* Search, in rows that come and go. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <locale.h>
#include <string.h>

#include <cmocka.h>

#include "group_fixture.h"
#include "scene_fixture.h"

static void test_the_prompt_counts_the_rows_that_match(void **state)
{
	struct scene *scene = *state;

	scene_press(scene, "/qemu");
	assert_string_equal(scene->state.prompt.note, "2 of 11 rows");
	assert_string_equal(scene_cursor(scene)->symbol, "vmx_vcpu_run");
	scene_press(scene, "x");
	assert_string_equal(scene->state.prompt.note, "0 of 11 rows");
}

static void test_a_row_that_comes_while_one_types_is_found(void **state)
{
	struct scene *scene = *state;
	struct snapshot_row rows[16];

	memcpy(rows, scene->snapshot.rows, scene->snapshot.row_count * sizeof(rows[0]));
	scene_press(scene, "/newcomer");
	assert_string_equal(scene->state.prompt.note, "0 of 11 rows");
	rows[5].symbol = "newcomer";
	scene->snapshot.rows = rows;
	scene_show(scene);
	assert_string_equal(scene->state.prompt.note, "1 of 11 rows");
	assert_string_equal(scene_cursor(scene)->symbol, "newcomer");
	scene_press_key(scene, UI_KEY_ENTER);
	assert_string_equal(scene_cursor(scene)->symbol, "newcomer");
}

static void test_search_goes_on_round_the_end_both_ways(void **state)
{
	struct scene *scene = *state;

	scene_press(scene, "/qemu");
	scene_press_key(scene, UI_KEY_ENTER);
	scene_press(scene, "n");
	assert_string_equal(scene_cursor(scene)->symbol, "guest_main");
	scene_press(scene, "n");
	assert_string_equal(scene_cursor(scene)->symbol, "vmx_vcpu_run");
	scene_press(scene, "N");
	assert_string_equal(scene_cursor(scene)->symbol, "guest_main");
	scene_press(scene, "N");
	assert_string_equal(scene_cursor(scene)->symbol, "vmx_vcpu_run");
}

static void test_search_that_finds_nothing_says_so_and_stays(void **state)
{
	struct scene *scene = *state;

	scene_press(scene, "jj/nowhere");
	scene_press_key(scene, UI_KEY_ENTER);
	assert_string_equal(scene_cursor(scene)->symbol, "ChaCha20_4xl");
	scene_press(scene, "n");
	assert_string_equal(scene->state.message, "\"nowhere\" is not here");
	assert_string_equal(scene_cursor(scene)->symbol, "ChaCha20_4xl");
}

static void test_a_number_finds_the_task_that_has_it(void **state)
{
	struct scene *scene = *state;

	state_show_kind(&scene->state, VIEW_TASKS);
	scene_answer(scene);
	scene_press(scene, "/77");
	assert_string_equal(scene_cursor(scene)->comm, "nginx");
	assert_string_equal(scene->state.prompt.note, "1 of 8 rows");
}

static void test_a_search_typed_behind_another_view_is_one_in_its_rows(void **state)
{
	struct scene *scene = *state;

	scene_press(scene, "4/nginx");
	scene_press_key(scene, UI_KEY_ENTER);
	scene_press_key(scene, UI_KEY_ENTER);
	assert_int_equal(scene->state.trail.count, 1);
	scene_answer(scene);
	assert_int_equal(scene->state.trail.count, 2);
	assert_int_equal(scene->state.trail.filter.parts[0].number, 77);
}

static void test_without_a_search_n_asks_for_one(void **state)
{
	struct scene *scene = *state;

	scene_press(scene, "n");
	assert_true(scene->state.prompt.is_open);
	assert_string_equal(scene->state.prompt.label, "search:");
}

static void test_back_at_the_first_level_ends_the_search(void **state)
{
	struct scene *scene = *state;

	scene_press(scene, "/qemu");
	scene_press_key(scene, UI_KEY_ENTER);
	assert_string_equal(scene->state.message, "n next, N previous, Esc ends the search");
	scene_press_key(scene, UI_KEY_ESCAPE);
	assert_string_equal(scene->state.search, "");

	scene_press_key(scene, UI_KEY_ENTER);
	scene_answer(scene);
	scene_press(scene, "/qemu");
	scene_press_key(scene, UI_KEY_ENTER);
	assert_string_equal(scene->state.message, "n next, N previous");	/* Esc goes back */
}

static void test_back_from_help_keeps_the_search_of_the_table(void **state)
{
	struct scene *scene = *state;

	scene_press(scene, "/qemu");
	scene_press_key(scene, UI_KEY_ENTER);
	scene_press(scene, "?");
	scene_press_key(scene, UI_KEY_ESCAPE);
	assert_true(state_is_table(&scene->state));
	assert_string_equal(scene->state.search, "qemu");

	scene_press(scene, "?/sort");	/* in what was opened: that one ends first */
	scene_press_key(scene, UI_KEY_ENTER);
	scene_press_key(scene, UI_KEY_ESCAPE);
	assert_false(state_is_table(&scene->state));
	assert_string_equal(scene->state.search, "");
}

/* Compared, the groups stand by their change: not as the snapshot has them. */
static void test_search_goes_to_the_group_that_has_the_text(void **state)
{
	struct scene *scene = *state;
	struct group_node nodes[64];
	const struct group_tree *tree = &scene->snapshot.groups;
	const struct tree_rows *rows = &scene->state.groups_view.rows;

	scene->state.compare = (struct comparing){ .has_baseline = true, .is_on = true };
	scene_press(scene, "9");
	scene_prepare(scene);
	scene->snapshot.has_baseline = scene->snapshot.is_compared = true;
	memcpy(nodes, tree->nodes, tree->node_count * sizeof(nodes[0]));
	for (uint32_t i = 0; i < tree->node_count; i++) {	/* the first did not change */
		nodes[i].has_base = true;
		nodes[i].base_whole_weight = nodes[i].whole_weight;
		nodes[i].base_self_weight = i < nodes[0].size ? nodes[i].self_weight : 0;
	}
	scene->snapshot.groups.nodes = nodes;
	scene->snapshot.groups.is_compared = true;
	scene_show(scene);
	assert_string_equal(tree_rows_group(rows, 0)->text, "nginx");
	scene_press(scene, "/chacha");
	assert_string_equal(scene->state.prompt.note, "1 of 34 groups");
	assert_string_equal(tree_rows_group(rows, tree_rows_cursor(rows)->first)->text,
			    "ChaCha20_4xl");
	scene_press_key(scene, UI_KEY_ENTER);
	scene_press(scene, "n");
	assert_string_equal(tree_rows_group(rows, tree_rows_cursor(rows)->first)->text,
			    "ChaCha20_4xl");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE_TEST(test_the_prompt_counts_the_rows_that_match),
		SCENE_TEST(test_a_row_that_comes_while_one_types_is_found),
		SCENE_TEST(test_search_goes_on_round_the_end_both_ways),
		SCENE_TEST(test_search_that_finds_nothing_says_so_and_stays),
		SCENE_TEST(test_a_number_finds_the_task_that_has_it),
		SCENE_TEST(test_a_search_typed_behind_another_view_is_one_in_its_rows),
		SCENE_TEST(test_without_a_search_n_asks_for_one),
		SCENE_TEST(test_back_at_the_first_level_ends_the_search),
		SCENE_TEST(test_search_goes_to_the_group_that_has_the_text),
		SCENE_TEST(test_back_from_help_keeps_the_search_of_the_table),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
