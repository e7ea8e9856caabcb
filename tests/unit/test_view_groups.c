/* The tree of groups on the screen: its keys, and whole pictures compared with tests/golden. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "group_fixture.h"
#include "scene_fixture.h"
#include "ui/keys.h"

static const struct {
	int width, height;
} sizes[] = { { 40, 12 }, { 80, 24 }, { 100, 24 }, { 200, 60 } };

static void open_groups(struct scene *scene)
{
	scene_press(scene, "9");
	scene_answer(scene);
	scene_text(scene);		/* how many lines there are */
}

static const char *cursor_text(const struct scene *scene)
{
	const struct tree_rows *rows = &scene->state.groups_view.rows;

	return tree_rows_group(rows, tree_rows_cursor(rows)->first)->text;
}

static void test_the_groups_at_each_size(void **state)
{
	struct scene scene;
	char file[64];

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		scene_open(&scene, sizes[i].width, sizes[i].height);
		scene_show(&scene);
		open_groups(&scene);
		scene_press(&scene, "j");
		snprintf(file, sizeof(file), "groups_%dx%d", sizes[i].width, sizes[i].height);
		scene_close(&scene, file);
	}
}

static void test_all_open_in_ascii_and_roles(void **state)
{
	struct scene scene;

	(void)state;
	scene_open(&scene, 80, 40);
	scene_show(&scene);
	open_groups(&scene);
	scene_press(&scene, "E%jj");
	scene_compare("groups_roles_80x40", scene_roles(&scene));
	scene.canvas.is_ascii = true;
	scene_close(&scene, "groups_ascii_80x40");
}

/* What the baseline has of another event says nothing of this one's. */
static void test_what_the_baseline_lacks_has_no_change(void **state)
{
	const struct group_node nodes[] = {
		{ .id = 1, .parent = UINT32_MAX, .size = 1, .self_samples = 4, .total_samples = 4,
		  .self_weight = 4, .total_weight = 4, .whole_weight = 4, .text = "cycles",
		  .object_path = "", .name = "cycles" },
		{ .id = 2, .parent = UINT32_MAX, .size = 1, .self_samples = 3, .total_samples = 3,
		  .self_weight = 3, .total_weight = 3, .whole_weight = 6, .text = "faults",
		  .object_path = "", .name = "faults", .has_base = true, .base_self_samples = 1,
		  .base_total_samples = 1, .base_self_weight = 1, .base_total_weight = 1,
		  .base_whole_weight = 4 },
	};
	struct scene scene;

	(void)state;
	scene_open(&scene, 100, 24);
	scene_show(&scene);
	open_groups(&scene);
	scene.snapshot.groups = (struct group_tree){
		.level_count = 1, .keys = { GROUP_EVENT }, .is_compared = true, .node_count = 2,
		.nodes = nodes,
	};
	scene_show(&scene);
	scene_press_key(&scene, UI_KEY_HOME);
	assert_true(scene_has(&scene, "     -  100.0       4   cycles"));
	assert_true(scene_has(&scene, " +25.00  50.00       3   faults"));
	assert_true(scene_has(&scene, "25.00 % \u2192 50.00 % (+25.00)"));
	scene_press_key(&scene, UI_KEY_END);
	assert_string_equal(cursor_text(&scene), "cycles");
	assert_false(scene_has(&scene, "\u2192"));
	scene_finish(&scene);
}

static void test_no_group(void **state)
{
	struct scene scene;

	(void)state;
	scene_open(&scene, 80, 24);
	scene_show(&scene);
	open_groups(&scene);
	scene.snapshot.groups.node_count = 0;
	scene_show(&scene);
	scene_close(&scene, "groups_nothing_80x24");
}

static void test_what_had_no_room_in_the_snapshot_is_told(void **state)
{
	struct scene *scene = *state;

	open_groups(scene);
	scene->snapshot.groups.hidden_samples = 1234;
	scene_show(scene);
	assert_true(scene_has(scene, "1234 samples in smaller groups"));
}

static void test_nine_asks_for_commands_their_objects_and_symbols(void **state)
{
	static const enum group_key keys[] = { GROUP_COMM, GROUP_OBJECT, GROUP_SYMBOL };
	struct scene *scene = *state;
	const struct query *query;

	scene_press(scene, "9");
	query = scene_asked(scene);
	assert_int_equal(query->group_count, 3);
	assert_memory_equal(query->groups, keys, sizeof(keys));
	assert_int_equal(state_kind(&scene->state), VIEW_GROUPS);
	scene_answer(scene);
	assert_true(scene_has(scene, "comm \u203a dso \u203a symbol"));
	scene_press(scene, "1");
	assert_int_equal(scene_asked(scene)->group_count, 0);
}

static void test_the_heavy_ones_are_open_the_others_not(void **state)
{
	struct scene *scene = *state;

	open_groups(scene);
	assert_true(scene_has(scene, "hash_search_with_hash_value"));
	assert_true(scene_has(scene, "ChaCha20_4xl") == false);	/* libcrypto has 15 % */
	assert_true(scene_has(scene, "nginx"));
}

static void test_lines_open_and_close(void **state)
{
	struct scene *scene = *state;

	open_groups(scene);
	scene_press(scene, "-");
	assert_false(scene_has(scene, "hash_search_with_hash_value"));
	scene_press(scene, "+");
	assert_true(scene_has(scene, "hash_search_with_hash_value"));
	scene_press(scene, "C");
	assert_int_equal(scene->state.groups_view.rows.count, 8);
	scene_press(scene, "E");
	assert_int_equal(scene->state.groups_view.rows.count,
			 scene->snapshot.groups.node_count);
	scene_press(scene, "CJ");
	assert_string_equal(cursor_text(scene), "hash_search_with_hash_value");
	scene_press_key(scene, UI_KEY_LEFT);
	assert_string_equal(cursor_text(scene), "postgres");
}

static void test_enter_opens_the_symbols_and_back_finds_the_row(void **state)
{
	struct scene *scene = *state;
	const struct filter_part *parts;
	uint64_t id;

	open_groups(scene);
	scene_press(scene, "jjj");
	assert_string_equal(cursor_text(scene), "ExecScan");
	id = scene_cursor(scene)->id;
	scene_press_key(scene, UI_KEY_ENTER);
	assert_int_equal(state_kind(&scene->state), VIEW_SYMBOLS);
	assert_int_equal(scene_asked(scene)->filter.count, 3);
	parts = scene_asked(scene)->filter.parts;
	assert_int_equal(parts[0].field, FILTER_COMMAND);
	assert_int_equal(parts[0].hash, filter_hash("postgres"));
	assert_int_equal(parts[1].field, FILTER_OBJECT);
	assert_int_equal(parts[1].hash, filter_hash("/usr/lib/postgresql/15/bin/postgres"));
	assert_int_equal(parts[2].field, FILTER_SYMBOL);
	assert_int_equal(parts[2].hash, filter_hash("ExecScan"));
	scene_answer(scene);
	scene_press_key(scene, UI_KEY_BACKSPACE);
	assert_int_equal(scene_asked(scene)->filter.count, 0);
	assert_int_equal(scene_asked(scene)->group_count, 3);
	scene_answer(scene);
	assert_int_equal(scene_cursor(scene)->id, id);
}

static void test_what_no_filter_tells_is_said(void **state)
{
	struct scene *scene = *state;

	scene->state.groups = (struct group_order){ 2, { GROUP_SOCKET, GROUP_COMM } };
	open_groups(scene);
	scene_press_key(scene, UI_KEY_ENTER);
	assert_true(scene_has(scene, "no filter tells this socket"));
	assert_int_equal(state_kind(&scene->state), VIEW_GROUPS);
	scene_press(scene, "j");
	scene_press_key(scene, UI_KEY_ENTER);
	assert_true(scene_has(scene, "no filter tells its socket: of others, too"));
	assert_int_equal(scene_asked(scene)->filter.count, 1);
}

static const struct request *asked(const struct scene *scene, enum request_kind kind)
{
	for (size_t i = 0; i < scene->state.outbox_count; i++)
		if (scene->state.outbox[i].kind == kind)
			return &scene->state.outbox[i];
	return NULL;
}

/* As if the machine's samples were of event 1, while event 0 is shown. */
static void open_another_event(struct scene *scene)
{
	static struct group_node nodes[64];

	scene->state.groups = (struct group_order){ 2, { GROUP_EVENT, GROUP_COMM } };
	scene_press(scene, "9");
	scene_prepare(scene);
	memcpy(nodes, scene->snapshot.groups.nodes,
	       scene->snapshot.groups.node_count * sizeof(nodes[0]));
	nodes[0].number = 1;
	scene->snapshot.groups.nodes = nodes;
	scene_show(scene);
	scene_text(scene);
	scene->state.outbox_count = 0;
}

static void expect_event(const struct scene *scene, uint32_t event, uint32_t parts)
{
	assert_int_equal(scene->state.sample_event, event);
	assert_non_null(asked(scene, REQUEST_EVENT));
	assert_int_equal(asked(scene, REQUEST_EVENT)->value, event);
	assert_true(asked(scene, REQUEST_EVENT) < asked(scene, REQUEST_QUERY));
	assert_int_equal(scene_asked(scene)->filter.count, parts);
	assert_string_equal(scene->state.message, "");
}

static void test_a_group_of_another_event_opens_with_that_event(void **state)
{
	struct scene *scene = *state;

	open_another_event(scene);
	assert_int_equal(scene->state.sample_event, 0);
	scene_press(scene, "j");
	scene_press_key(scene, UI_KEY_ENTER);
	assert_int_equal(state_kind(&scene->state), VIEW_SYMBOLS);
	expect_event(scene, 1, 1);
}

static void test_an_event_opens_with_all_that_it_has(void **state)
{
	struct scene *scene = *state;

	open_another_event(scene);
	scene_press(scene, "7");
	assert_int_equal(state_kind(&scene->state), VIEW_FLAME);
	expect_event(scene, 1, 0);
}

static void test_the_menu_opens_a_group_with_its_event(void **state)
{
	struct scene *scene = *state;

	open_another_event(scene);
	scene_press(scene, ".");
	assert_true(scene_has(scene, "open Symbols of cpu-clock"));
	scene_choose(scene, "open objects");
	assert_int_equal(state_kind(&scene->state), VIEW_OBJECTS);
	expect_event(scene, 1, 0);
}

/* Two events of the same parts: the periods of one are a thousandth. */
static void test_bars_of_each_event_are_measured_by_it(void **state)
{
	struct scene *scene = *state;
	struct group_node nodes[128];
	const struct group_tree *tree = &scene->snapshot.groups;
	const struct tree_rows *rows = &scene->state.groups_view.rows;
	char line[1024];
	const char *bar;
	uint32_t count;
	int y;

	scene->state.groups = (struct group_order){ 2, { GROUP_EVENT, GROUP_COMM } };
	scene_press(scene, "9");
	scene_prepare(scene);
	count = tree->node_count;
	for (uint32_t i = 0; i < 2 * count; i++) {
		nodes[i] = tree->nodes[i % count];
		nodes[i].id += i / count;
		if (i >= count && nodes[i].parent != UINT32_MAX)
			nodes[i].parent += count;
		nodes[i].self_weight /= i < count ? 1 : 1000;
		nodes[i].total_weight /= i < count ? 1 : 1000;
		nodes[i].whole_weight /= i < count ? 1 : 1000;
	}
	scene->snapshot.groups.nodes = nodes;
	scene->snapshot.groups.node_count = 2 * count;
	scene_show(scene);
	scene_text(scene);
	scene_press(scene, "C");
	assert_int_equal(rows->count, 2);
	y = scene_find(scene, "TOTAL%").y + 1;
	snprintf(line, sizeof(line), "%s", scene_line(scene, y));
	bar = strstr(scene_line(scene, y + 1), "\u2588");
	assert_non_null(bar);
	assert_string_equal(strstr(line, "\u2588"), bar);
}

static void test_six_and_seven_open_the_calls_of_the_group(void **state)
{
	struct scene *scene = *state;

	open_groups(scene);
	scene_press(scene, "j6");
	assert_int_equal(state_kind(&scene->state), VIEW_TREE);
	assert_int_equal(scene_asked(scene)->filter.count, 2);
	scene_answer(scene);
	scene_press_key(scene, UI_KEY_BACKSPACE);
	scene_answer(scene);
	scene_press(scene, "7");
	assert_int_equal(state_kind(&scene->state), VIEW_FLAME);
	assert_int_equal(scene_asked(scene)->filter.count, 2);
}

static void test_six_and_seven_refuse_what_no_filter_tells(void **state)
{
	struct scene *scene = *state;

	scene->state.groups = (struct group_order){ 2, { GROUP_SOCKET, GROUP_COMM } };
	open_groups(scene);
	scene_press(scene, "6");
	assert_true(scene_has(scene, "no filter tells this socket"));
	assert_int_equal(state_kind(&scene->state), VIEW_GROUPS);
	scene_press(scene, "7");
	assert_true(scene_has(scene, "no filter tells this socket"));
	assert_int_equal(state_kind(&scene->state), VIEW_GROUPS);
}

static void test_percent_of_the_group_it_belongs_to(void **state)
{
	struct scene *scene = *state;

	open_groups(scene);
	assert_true(scene_has(scene, "30.18"));		/* 10520 of 34860 */
	scene_press(scene, "%");
	assert_true(scene_has(scene, "PARENT"));
	assert_true(scene_has(scene, "72.45"));		/* of 14520 */
	assert_false(scene_has(scene, "30.18"));
}

static void test_search_opens_what_it_finds(void **state)
{
	struct scene *scene = *state;

	open_groups(scene);
	scene_press(scene, "C/chacha");
	assert_true(scene_has(scene, "1 of "));
	assert_true(scene_has(scene, "groups"));
	assert_string_equal(cursor_text(scene), "ChaCha20_4xl");
	scene_press_key(scene, UI_KEY_ENTER);
	scene_press(scene, "/copy_user");
	scene_press_key(scene, UI_KEY_ENTER);
	assert_string_equal(cursor_text(scene), "copy_user_enhanced_fast_string");
	scene_press(scene, "n");
	assert_string_equal(cursor_text(scene), "copy_user_enhanced_fast_string");
	scene_press(scene, "N");
	scene_press_key(scene, UI_KEY_ESCAPE);
	scene_press(scene, "/nosuch");
	assert_true(scene_has(scene, "not here"));
}

static void test_the_menu_of_a_group(void **state)
{
	struct scene *scene = *state;

	open_groups(scene);
	scene_press(scene, "jj.");
	assert_true(scene_has(scene, "open Symbols of hash_search_with_hash_value"));
	assert_true(scene_has(scene, "without postgres"));
	scene_choose(scene, "open objects");
	assert_int_equal(state_kind(&scene->state), VIEW_OBJECTS);
	assert_int_equal(scene_asked(scene)->filter.count, 3);
}

static void test_a_function_of_the_tree_can_be_probed(void **state)
{
	struct scene *scene = *state;

	open_groups(scene);
	scene_press(scene, "p");
	assert_true(scene_has(scene, "this row is no function"));
	scene_press(scene, "jjp");
	assert_true(scene->state.panel.is_open);
	assert_string_equal(scene->state.panel.name, "hash_search_with_hash_value");
}

static void test_click_double_click_and_wheel(void **state)
{
	struct scene *scene = *state;
	struct mouse line;

	open_groups(scene);
	line = scene_find(scene, "java");
	scene_click(scene, MOUSE_PRESS, line.x, line.y);
	assert_string_equal(cursor_text(scene), "java");
	scene_click(scene, MOUSE_DOUBLE, line.x, line.y);
	assert_true(scene_has(scene, "libjvm.so"));
	scene_click(scene, MOUSE_DOUBLE, line.x, line.y);
	assert_false(scene_has(scene, "libjvm.so"));
	scene_click(scene, MOUSE_MENU, line.x, line.y);
	assert_true(scene_has(scene, "only java"));
	scene_press_key(scene, UI_KEY_ESCAPE);
	scene_press_key(scene, UI_KEY_HOME);
	assert_int_equal(canvas_resize(&scene->canvas, 100, 12), 0);
	scene_click(scene, MOUSE_WHEEL_DOWN, line.x, 5);
	assert_int_equal(scene->state.groups_view.rows.place.top, 3);
}

static void test_the_cursor_stays_on_its_group_while_others_grow(void **state)
{
	struct scene *scene = *state;
	struct group_node nodes[64];
	const struct group_tree *tree = &scene->snapshot.groups;

	open_groups(scene);
	scene_press(scene, "Cj");
	assert_string_equal(cursor_text(scene), "nginx");
	/* The same in another order: the second root is now the first. */
	memcpy(nodes, tree->nodes + tree->nodes[0].size,
	       (tree->node_count - tree->nodes[0].size) * sizeof(nodes[0]));
	for (uint32_t i = 0; i < tree->node_count - tree->nodes[0].size; i++)
		if (nodes[i].parent != UINT32_MAX)
			nodes[i].parent -= tree->nodes[0].size;
	scene->snapshot.groups.node_count -= tree->nodes[0].size;
	scene->snapshot.groups.nodes = nodes;
	scene_show(scene);
	assert_string_equal(cursor_text(scene), "nginx");
	assert_int_equal(scene->state.groups_view.rows.place.cursor, 0);
}

/* Until the answer to the new view is there, a late one to the old must not blank it. */
static void test_an_answer_without_groups_does_not_empty_them(void **state)
{
	struct scene *scene = *state;
	static struct snapshot late;

	open_groups(scene);
	late = scene_snapshot(VIEW_OBJECTS);
	late.query = scene->state.query - 1;
	assert_ptr_equal(state_offer_snapshot(&scene->state, &late), &late);
	assert_int_not_equal(scene->state.groups_view.rows.count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_groups_at_each_size),
		cmocka_unit_test(test_all_open_in_ascii_and_roles),
		cmocka_unit_test(test_what_the_baseline_lacks_has_no_change),
		cmocka_unit_test(test_no_group),
		SCENE_TEST(test_what_had_no_room_in_the_snapshot_is_told),
		SCENE_TEST(test_nine_asks_for_commands_their_objects_and_symbols),
		SCENE_TEST(test_the_heavy_ones_are_open_the_others_not),
		SCENE_TEST(test_lines_open_and_close),
		SCENE_TEST(test_enter_opens_the_symbols_and_back_finds_the_row),
		SCENE_TEST(test_what_no_filter_tells_is_said),
		SCENE_TEST(test_a_group_of_another_event_opens_with_that_event),
		SCENE_TEST(test_an_event_opens_with_all_that_it_has),
		SCENE_TEST(test_the_menu_opens_a_group_with_its_event),
		SCENE_TEST(test_bars_of_each_event_are_measured_by_it),
		SCENE_TEST(test_six_and_seven_open_the_calls_of_the_group),
		SCENE_TEST(test_six_and_seven_refuse_what_no_filter_tells),
		SCENE_TEST(test_percent_of_the_group_it_belongs_to),
		SCENE_TEST(test_search_opens_what_it_finds),
		SCENE_TEST(test_the_menu_of_a_group),
		SCENE_TEST(test_a_function_of_the_tree_can_be_probed),
		SCENE_TEST(test_click_double_click_and_wheel),
		SCENE_TEST(test_the_cursor_stays_on_its_group_while_others_grow),
		SCENE_TEST(test_an_answer_without_groups_does_not_empty_them),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
