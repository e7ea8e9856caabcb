/* The flame graph on the screen: what its keys and clicks do, and whole pictures compared with
 * tests/golden. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "flame_fixture.h"
#include "scene_fixture.h"
#include "ui/keys.h"
#include "ui/widgets/flame_match.h"

static const struct {
	int width, height;
} sizes[] = { { 40, 12 }, { 80, 24 }, { 200, 60 } };
#define SIZE_COUNT (sizeof(sizes) / sizeof(sizes[0]))

static void open_flame(struct scene *scene)
{
	state_show_kind(&scene->state, VIEW_FLAME);
	scene_answer(scene);
	scene_text(scene);
}

static void open_sized(struct scene *scene, int width, int height)
{
	scene_open(scene, width, height);
	scene_show(scene);
	open_flame(scene);
}

/* "" when there is none. */
static const char *selected(const struct scene *scene)
{
	const struct snapshot_row *row = scene_cursor(scene);

	return row ? row->symbol : "";
}

static void select_frame(struct scene *scene, const char *name)
{
	const struct mouse at = scene_find(scene, name);

	scene_click(scene, MOUSE_PRESS, at.x, at.y);
	assert_string_equal(selected(scene), name);
}

static void test_all_calls_at_every_size(void **state)
{
	struct scene scene;
	char file[64];

	(void)state;
	for (size_t i = 0; i < SIZE_COUNT; i++) {
		open_sized(&scene, sizes[i].width, sizes[i].height);
		snprintf(file, sizeof(file), "flame_%dx%d", sizes[i].width, sizes[i].height);
		scene_close(&scene, file);
	}
}

static void test_zoomed_at_every_size(void **state)
{
	struct scene scene;
	char file[64];

	(void)state;
	for (size_t i = 0; i < SIZE_COUNT; i++) {
		open_sized(&scene, sizes[i].width, sizes[i].height);
		for (int line = 0; line < 4; line++)
			scene_press_key(&scene, UI_KEY_DOWN);
		assert_string_equal(selected(&scene), "ExecScan");
		scene_press_key(&scene, UI_KEY_ENTER);
		snprintf(file, sizeof(file), "flame_zoomed_%dx%d", sizes[i].width,
			 sizes[i].height);
		scene_close(&scene, file);
	}
}

static void test_searched(void **state)
{
	struct scene scene;

	(void)state;
	open_sized(&scene, 80, 24);
	scene_press(&scene, "/hash");
	scene_press_key(&scene, UI_KEY_ENTER);
	assert_string_equal(selected(&scene), "hash_search_with_hash_value");
	scene_compare("flame_searched_80x24", scene_text(&scene));
	scene_compare("flame_searched_roles_80x24", scene_roles(&scene));
	scene_finish(&scene);
}

static void test_roles_by_kind_share_and_object(void **state)
{
	static const char *const names[] = { "flame_kinds_roles_80x24", "flame_shares_roles_80x24",
					     "flame_objects_roles_80x24" };
	struct scene scene;

	(void)state;
	open_sized(&scene, 80, 24);
	for (size_t i = 0; i < 3; i++) {
		scene_compare(names[i], scene_roles(&scene));
		scene_press(&scene, "c");
	}
	scene_finish(&scene);
}

static void test_only_ascii(void **state)
{
	struct scene scene;

	(void)state;
	open_sized(&scene, 80, 24);
	scene.canvas.is_ascii = true;
	scene_close(&scene, "flame_ascii_80x24");
}

static void test_callers_at_the_bottom(void **state)
{
	struct scene scene;

	(void)state;
	open_sized(&scene, 80, 24);
	scene_press(&scene, "o");
	scene_press_key(&scene, UI_KEY_UP);
	assert_string_equal(selected(&scene), "main");
	scene_press_key(&scene, UI_KEY_DOWN);
	assert_string_equal(selected(&scene), "postgres");
	scene_close(&scene, "flame_upright_80x24");
}

static void show_deep(struct scene *scene, uint32_t depth)
{
	scene->snapshot.tree = flame_fixture_deep(depth);
	scene_show(scene);
	scene_text(scene);
}

static void test_a_deep_stack_scrolls(void **state)
{
	struct scene scene;

	(void)state;
	open_sized(&scene, 80, 24);
	show_deep(&scene, 256);
	scene_compare("flame_deep_80x24", scene_text(&scene));
	scene_press_key(&scene, UI_KEY_END);
	assert_string_equal(selected(&scene), "f255");
	assert_true(scene_has(&scene, "240 above"));
	scene_press_key(&scene, UI_KEY_PAGE_UP);
	assert_string_equal(selected(&scene), "f240");
	scene_press_key(&scene, UI_KEY_HOME);
	assert_string_equal(selected(&scene), "f0");
	scene_click(&scene, MOUSE_WHEEL_DOWN, 5, 10);
	assert_true(scene_has(&scene, "3 above"));
	assert_true(scene_has(&scene, "237 below"));
	assert_string_equal(selected(&scene), "f0");
	for (int i = 0; i < 100; i++)
		scene_click(&scene, MOUSE_WHEEL_DOWN, 5, 10);
	scene_close(&scene, "flame_deep_end_80x24");
}

static void test_no_sample_no_box(void **state)
{
	struct scene scene;

	(void)state;
	open_sized(&scene, 80, 24);
	scene.snapshot.tree = (struct call_tree){ .direction = TREE_CALLEES };
	scene.snapshot.samples = scene.snapshot.idle_samples = 44000;
	scene.snapshot.weight = 0;
	scene_show(&scene);
	scene_close(&scene, "flame_nothing_80x24");
}

static void test_seven_asks_for_the_calls_of_the_row(void **state)
{
	struct scene *scene = *state;

	scene_press(scene, "j7");
	assert_int_equal(state_kind(&scene->state), VIEW_FLAME);
	assert_int_equal(scene_asked(scene)->tree, TREE_CALLEES);
	assert_true(scene_asked(scene)->tree_commands);
	assert_int_equal(scene_asked(scene)->filter.count, 1);
	assert_int_equal(scene_asked(scene)->filter.parts[0].field, FILTER_SYMBOL);
	assert_true(state_is_table(&scene->state));	/* until the answer is there */
	scene_answer(scene);
	assert_true(state_is_flame(&scene->state));
	scene_press(scene, "7");
	assert_int_equal(scene_asked(scene)->filter.count, 0);
	assert_int_equal(state_kind(&scene->state), VIEW_FLAME);
}

static void test_tree_and_flame_are_of_the_same_samples(void **state)
{
	struct scene *scene = *state;

	scene_press(scene, "j7");
	scene_answer(scene);
	scene_press(scene, "6");
	assert_int_equal(scene_asked(scene)->filter.count, 1);
	assert_false(scene_asked(scene)->tree_commands);
	scene_answer(scene);
	assert_true(state_is_tree(&scene->state));
	scene_press(scene, "7");
	assert_int_equal(scene_asked(scene)->filter.count, 1);
	scene_answer(scene);
	scene_press_key(scene, UI_KEY_ESCAPE);
	scene_answer(scene);
	assert_true(state_is_table(&scene->state));
}

static void test_arrows_go_among_boxes(void **state)
{
	struct scene *scene = *state;

	open_flame(scene);
	assert_string_equal(selected(scene), "postgres");
	scene_press_key(scene, UI_KEY_UP);
	assert_string_equal(selected(scene), "postgres");
	scene_press_key(scene, UI_KEY_RIGHT);
	assert_string_equal(selected(scene), "node");
	scene_press_key(scene, UI_KEY_DOWN);
	assert_string_equal(selected(scene), "node::Start");
	scene_press_key(scene, UI_KEY_LEFT);
	assert_string_equal(selected(scene), "main");
	scene_press_key(scene, UI_KEY_LEFT);
	assert_string_equal(selected(scene), "main");
	scene_press_key(scene, UI_KEY_END);
	assert_string_equal(selected(scene), "hash_bytes");
	scene_press_key(scene, UI_KEY_HOME);
	scene_press(scene, "J");	/* 5200 in itself are more than the 5000 of what it calls */
	assert_string_equal(selected(scene), "heap_getnextslot");
}

/* The widest branches are postgres (21800), node (8160), ServerLoop (4900), nginx (4100) and
 * PortalRun (2450). Each is followed until a frame's own time is more than what it calls. */
static void test_paths_come_by_the_width_of_their_branch(void **state)
{
	static const char *const ends[] = {
		"heap_getnextslot", "LazyCompile:*render app.js:118", "vfs_read", "ChaCha20_4xl",
	};
	struct scene *scene = *state;

	open_flame(scene);
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		scene_press(scene, "J");
		assert_string_equal(selected(scene), ends[i]);
	}
}

static void test_from_a_frame_the_paths_are_those_below_it(void **state)
{
	struct scene *scene = *state;

	open_flame(scene);
	select_frame(scene, "node::Start");
	scene_press(scene, "J");
	assert_string_equal(selected(scene), "LazyCompile:*render app.js:118");
	scene_press(scene, "J");	/* there is one path */
	assert_string_equal(selected(scene), "LazyCompile:*render app.js:118");
	select_frame(scene, "PostgresMain");
	scene_press(scene, "JJ");
	assert_string_equal(selected(scene), "vfs_read");
}

static void test_selection_stays_while_the_tree_changes(void **state)
{
	static const struct flame_frame later[] = {
		{ .depth = 0, .name = "nginx", .self = 20000, .is_command = true },
		{ .depth = 0, .name = "node", .is_command = true },
		{ .depth = 1, .name = "node::Start", .self = 14860 },
	};
	struct tree_node nodes[3];
	struct scene *scene = *state;

	open_flame(scene);
	select_frame(scene, "node::Start");
	scene->snapshot.tree = flame_fixture_tree(later, 3, nodes);
	scene_show(scene);
	assert_string_equal(selected(scene), "node::Start");
	scene->snapshot.tree = flame_fixture_tree(later, 2, nodes);	/* its caller stands in, */
	scene_show(scene);
	assert_string_equal(selected(scene), "node");
	scene->snapshot.tree = flame_fixture_machine();		/* and it comes back */
	scene_show(scene);
	assert_string_equal(selected(scene), "node::Start");
}

static void test_zoom_goes_in_and_out_by_its_steps(void **state)
{
	struct scene *scene = *state;

	open_flame(scene);
	scene_press_key(scene, UI_KEY_DOWN);
	scene_press_key(scene, UI_KEY_ENTER);
	assert_true(scene_has(scene, "zoom: main"));
	select_frame(scene, "ServerLoop");
	scene_press_key(scene, UI_KEY_ENTER);
	assert_true(scene_has(scene, "zoom: ServerLoop"));
	assert_false(scene_has(scene, "ExecScan"));
	scene_press_key(scene, UI_KEY_BACKSPACE);
	assert_true(scene_has(scene, "zoom: main"));
	scene_press_key(scene, UI_KEY_BACKSPACE);
	assert_false(scene_has(scene, "zoom:"));
	assert_true(scene_has(scene, "node::Start"));
	assert_true(state_is_flame(&scene->state));
}

/* ServerLoop is 4900 of 34860 samples. */
static void test_zoom_asks_for_the_frames_that_were_too_small(void **state)
{
	struct scene *scene = *state;

	open_flame(scene);
	assert_true(scene_asked(scene)->tree_limit_pct == FLAME_LIMIT_PCT);
	scene->snapshot.tree.limit_pct = FLAME_LIMIT_PCT;
	scene_show(scene);
	select_frame(scene, "ServerLoop");
	scene_press_key(scene, UI_KEY_ENTER);
	assert_true(scene_has(scene, "zoom: ServerLoop"));
	assert_float_equal(scene_asked(scene)->tree_limit_pct, FLAME_LIMIT_PCT * 4900 / 34860,
			   1e-9);
	assert_true(state_is_waiting(&scene->state));
	scene_answer(scene);
	assert_true(scene_has(scene, "zoom: ServerLoop"));
}

/* Backspace leads out of a zoom, so a caller that is zoomed forgets the steps further in. */
static void test_zoom_into_a_caller_is_a_step_out(void **state)
{
	struct scene *scene = *state;

	open_flame(scene);
	select_frame(scene, "PostgresMain");
	scene_press_key(scene, UI_KEY_ENTER);
	select_frame(scene, "ServerLoop");
	scene_press_key(scene, UI_KEY_ENTER);
	select_frame(scene, "main");
	scene_press_key(scene, UI_KEY_ENTER);
	assert_true(scene_has(scene, "zoom: main"));
	scene_press_key(scene, UI_KEY_BACKSPACE);
	assert_false(scene_has(scene, "zoom:"));
}

static void test_another_filter_forgets_the_zoom(void **state)
{
	struct scene *scene = *state;

	open_flame(scene);
	scene_press_key(scene, UI_KEY_DOWN);
	scene_press_key(scene, UI_KEY_ENTER);
	scene_press(scene, "\\main");
	scene_press_key(scene, UI_KEY_ENTER);
	scene_answer(scene);
	assert_false(scene_has(scene, "zoom:"));
}

static void test_others_can_be_selected_but_not_zoomed(void **state)
{
	static const struct flame_frame frames[] = {	/* of 200: half a cell for each of 1 */
		{ .depth = 0, .name = "main", .self = 180 },
		{ .depth = 0, .name = "a", .self = 1 }, { .depth = 0, .name = "b", .self = 1 },
		{ .depth = 0, .name = "c", .self = 1 }, { .depth = 0, .name = "d", .self = 1 },
		{ .depth = 0, .name = "e", .self = 1 }, { .depth = 0, .name = "f", .self = 1 },
		{ .depth = 0, .name = "g", .self = 1 },
	};
	struct tree_node nodes[8];
	struct scene *scene = *state;

	open_flame(scene);
	scene->snapshot.tree = flame_fixture_tree(frames, 8, nodes);
	scene->snapshot.tree.hidden_weight = 13;
	scene->snapshot.tree.weight += 13;
	scene_show(scene);
	scene_text(scene);
	scene_press_key(scene, UI_KEY_RIGHT);
	assert_true(scene_has(scene, "8 others"));
	assert_true(scene_has(scene, "narrower than a cell"));
	assert_null(scene_cursor(scene));
	scene_press_key(scene, UI_KEY_ENTER);
	assert_true(scene_has(scene, "zoom into their caller"));
	scene_show(scene);		/* and they stay selected */
	assert_null(scene_cursor(scene));
	scene_press_key(scene, UI_KEY_LEFT);
	assert_string_equal(selected(scene), "main");
}

static void test_matches_within_matches_count_once(void **state)
{
	const struct call_tree tree = flame_fixture_machine();
	struct flame_matches found;

	(void)state;
	found = flame_match_sum(&tree, FLAME_NONE, "hash");	/* hash_bytes is within it */
	assert_int_equal(found.count, 2);
	assert_true(found.weight == 5000);
	found = flame_match_sum(&tree, FLAME_NONE, "exec");	/* ExecScan, ExecQual within */
	assert_int_equal(found.count, 3);
	assert_true(found.weight == 16480);
	found = flame_match_sum(&tree, FLAME_NONE, "Exec");	/* as typed */
	assert_int_equal(found.count, 2);
	assert_true(found.weight == 14030);
	found = flame_match_sum(&tree, FLAME_NONE, "[kernel]");
	assert_true(found.weight == 5460);
	found = flame_match_sum(&tree, 0, "node");		/* of postgres alone */
	assert_int_equal(found.count, 0);
}

static void test_search_goes_round_and_ends(void **state)
{
	struct scene *scene = *state;

	open_flame(scene);
	scene_press(scene, "/Exec");
	assert_string_equal(selected(scene), "ExecScan");
	scene_press_key(scene, UI_KEY_ENTER);
	assert_true(scene_has(scene, "matched \"Exec\": 40.25 %"));
	scene_press(scene, "n");
	assert_string_equal(selected(scene), "ExecQual");
	scene_press(scene, "n");
	assert_string_equal(selected(scene), "ExecScan");
	scene_press(scene, "N");
	assert_string_equal(selected(scene), "ExecQual");
	scene_press_key(scene, UI_KEY_ESCAPE);
	assert_false(scene_has(scene, "matched"));
	assert_true(state_is_flame(&scene->state));
}

static void test_cancelled_search_leads_back(void **state)
{
	struct scene *scene = *state;

	open_flame(scene);
	scene_press_key(scene, UI_KEY_RIGHT);
	scene_press(scene, "/Exec");
	scene_press_key(scene, UI_KEY_ESCAPE);
	assert_string_equal(selected(scene), "node");
}

static void test_a_click_selects_and_a_double_click_zooms(void **state)
{
	struct scene *scene = *state;
	struct mouse at;

	open_flame(scene);
	at = scene_find(scene, "ServerLoop");
	scene_click(scene, MOUSE_PRESS, at.x, at.y);
	assert_string_equal(selected(scene), "ServerLoop");
	scene_click(scene, MOUSE_DOUBLE, at.x, at.y);
	assert_true(scene_has(scene, "zoom: ServerLoop"));
	at = scene_find(scene, "vfs_read");
	scene_click(scene, MOUSE_MENU, at.x, at.y);
	assert_true(scene_has(scene, "only vfs_read"));
}

static void test_a_flame_graph_beneath_help_follows(void **state)
{
	struct scene *scene = *state;

	open_flame(scene);
	scene_press(scene, "?");
	scene->snapshot.tree = (struct call_tree){ .direction = TREE_CALLEES };
	scene_show(scene);
	assert_int_equal(scene->state.flame.layout.count, 0);
	scene_press_key(scene, UI_KEY_ESCAPE);
	assert_true(state_is_flame(&scene->state));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_calls_at_every_size),
		cmocka_unit_test(test_zoomed_at_every_size),
		cmocka_unit_test(test_searched),
		cmocka_unit_test(test_roles_by_kind_share_and_object),
		cmocka_unit_test(test_only_ascii),
		cmocka_unit_test(test_callers_at_the_bottom),
		cmocka_unit_test(test_a_deep_stack_scrolls),
		cmocka_unit_test(test_no_sample_no_box),
		SCENE_TEST(test_seven_asks_for_the_calls_of_the_row),
		SCENE_TEST(test_tree_and_flame_are_of_the_same_samples),
		SCENE_TEST(test_arrows_go_among_boxes),
		SCENE_TEST(test_paths_come_by_the_width_of_their_branch),
		SCENE_TEST(test_from_a_frame_the_paths_are_those_below_it),
		SCENE_TEST(test_selection_stays_while_the_tree_changes),
		SCENE_TEST(test_zoom_goes_in_and_out_by_its_steps),
		SCENE_TEST(test_zoom_asks_for_the_frames_that_were_too_small),
		SCENE_TEST(test_zoom_into_a_caller_is_a_step_out),
		SCENE_TEST(test_another_filter_forgets_the_zoom),
		SCENE_TEST(test_others_can_be_selected_but_not_zoomed),
		cmocka_unit_test(test_matches_within_matches_count_once),
		SCENE_TEST(test_search_goes_round_and_ends),
		SCENE_TEST(test_cancelled_search_leads_back),
		SCENE_TEST(test_a_click_selects_and_a_double_click_zooms),
		SCENE_TEST(test_a_flame_graph_beneath_help_follows),
	};

	setlocale(LC_ALL, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
