/* The tree of groups on the screen: its keys, and whole screens compared with tests/golden. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "group_fixture.h"
#include "ui_fixture.h"
#include "term/keys.h"
#include "unit_tests.h"

static const struct {
	int width, height;
} sizes[] = { { 40, 12 }, { 80, 24 }, { 100, 24 }, { 200, 60 } };

static void open_groups(struct ui *ui)
{
	ui_press(ui, "9");
	ui_reply(ui);
	ui_text(ui);			/* how many lines there are */
}

static const char *cursor_text(const struct ui *ui)
{
	const struct tree_rows *rows = &groups_view_of(&ui->state)->lines.rows;

	return tree_rows_group(rows, tree_rows_cursor(rows)->first)->text;
}

static void test_the_groups_at_each_size(void **state)
{
	struct ui ui;
	char file[64];

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		ui_open(&ui, sizes[i].width, sizes[i].height);
		ui_show(&ui);
		open_groups(&ui);
		ui_press(&ui, "j");
		snprintf(file, sizeof(file), "groups_%dx%d", sizes[i].width, sizes[i].height);
		ui_close(&ui, file);
	}
}

static void test_all_open_in_ascii_and_roles(void **state)
{
	struct ui ui;

	(void)state;
	ui_open(&ui, 80, 40);
	ui_show(&ui);
	open_groups(&ui);
	ui_press(&ui, "E%jj");
	ui_compare("groups_roles_80x40", ui_roles(&ui));
	ui.canvas.is_ascii = true;
	ui_close(&ui, "groups_ascii_80x40");
}

/* What the baseline has of another event says nothing of this one's. */
static void test_what_the_baseline_lacks_has_no_change(void **state)
{
	const struct group_node nodes[] = {
		{ .id = 1, .parent = UINT32_MAX, .size = 1, .now = { { 4, 4 }, { 4, 4 } },
		  .whole_weight = 4, .text = "cycles", .dso_path = "", .name = "cycles" },
		{ .id = 2, .parent = UINT32_MAX, .size = 1, .now = { { 3, 3 }, { 3, 3 } },
		  .whole_weight = 6, .text = "faults", .dso_path = "", .name = "faults",
		  .has_base = true, .base = { { 1, 1 }, { 1, 1 } }, .base_whole_weight = 4 },
	};
	struct ui ui;

	(void)state;
	ui_open(&ui, 100, 24);
	ui_show(&ui);
	open_groups(&ui);
	ui.snapshot.groups = (struct group_tree){
		.level_count = 1, .keys = { GROUP_EVENT }, .is_compared = true, .node_count = 2,
		.nodes = nodes,
	};
	ui_show(&ui);
	ui_press_key(&ui, UI_KEY_HOME);
	assert_true(ui_has(&ui, "     -  100.0       4   cycles"));
	assert_true(ui_has(&ui, " +25.00  50.00       3   faults"));
	assert_true(ui_has(&ui, "25.00 % \u2192 50.00 % (+25.00)"));
	ui_press_key(&ui, UI_KEY_END);
	assert_string_equal(cursor_text(&ui), "cycles");
	assert_false(ui_has(&ui, "\u2192"));
	ui_finish(&ui);
}

static void test_no_group(void **state)
{
	struct ui ui;

	(void)state;
	ui_open(&ui, 80, 24);
	ui_show(&ui);
	open_groups(&ui);
	ui.snapshot.groups.node_count = 0;
	ui_show(&ui);
	ui_close(&ui, "groups_nothing_80x24");
}

static void test_what_had_no_room_in_the_snapshot_is_shown(void **state)
{
	struct ui *ui = *state;

	open_groups(ui);
	ui->snapshot.groups.hidden_samples = 1234;
	ui_show(ui);
	assert_true(ui_has(ui, "1234 samples in smaller groups"));
}

static void test_nine_asks_for_commands_their_dsos_and_symbols(void **state)
{
	static const enum group_key keys[] = { GROUP_COMM, GROUP_DSO, GROUP_SYMBOL };
	struct ui *ui = *state;
	const struct query *query;

	ui_press(ui, "9");
	query = ui_asked(ui);
	assert_int_equal(query->group_count, 3);
	assert_memory_equal(query->groups, keys, sizeof(keys));
	assert_int_equal(state_kind(&ui->state), VIEW_GROUPS);
	ui_reply(ui);
	assert_true(ui_has(ui, "comm \u203a dso \u203a symbol"));
	ui_press(ui, "1");
	assert_int_equal(ui_asked(ui)->group_count, 0);
}

static void test_the_heavy_ones_are_open_the_others_not(void **state)
{
	struct ui *ui = *state;

	open_groups(ui);
	assert_true(ui_has(ui, "hash_search_with_hash_value"));
	assert_true(ui_has(ui, "ChaCha20_4xl") == false);	/* libcrypto has 15 % */
	assert_true(ui_has(ui, "nginx"));
}

static void test_lines_open_and_close(void **state)
{
	struct ui *ui = *state;

	open_groups(ui);
	ui_press(ui, "-");
	assert_false(ui_has(ui, "hash_search_with_hash_value"));
	ui_press(ui, "+");
	assert_true(ui_has(ui, "hash_search_with_hash_value"));
	ui_press(ui, "C");
	assert_int_equal(groups_view_of(&ui->state)->lines.rows.count, 8);
	ui_press(ui, "E");
	assert_int_equal(groups_view_of(&ui->state)->lines.rows.count,
			 ui->snapshot.groups.node_count);
	ui_press(ui, "CJ");
	assert_string_equal(cursor_text(ui), "hash_search_with_hash_value");
	ui_press_key(ui, UI_KEY_LEFT);
	assert_string_equal(cursor_text(ui), "postgres");
}

static void test_enter_opens_the_symbols_and_back_finds_the_row(void **state)
{
	struct ui *ui = *state;
	const struct filter_part *parts;
	uint64_t id;

	open_groups(ui);
	ui_press(ui, "jjj");
	assert_string_equal(cursor_text(ui), "ExecScan");
	id = ui_cursor(ui)->id;
	ui_press_key(ui, UI_KEY_ENTER);
	assert_int_equal(state_kind(&ui->state), VIEW_SYMBOLS);
	assert_int_equal(ui_asked(ui)->filter.count, 3);
	parts = ui_asked(ui)->filter.parts;
	assert_int_equal(parts[0].field, FILTER_COMMAND);
	assert_int_equal(parts[0].hash, filter_hash("postgres"));
	assert_int_equal(parts[1].field, FILTER_DSO);
	assert_int_equal(parts[1].hash, filter_hash("/usr/lib/postgresql/15/bin/postgres"));
	assert_int_equal(parts[2].field, FILTER_SYMBOL);
	assert_int_equal(parts[2].hash, filter_hash("ExecScan"));
	ui_reply(ui);
	ui_press_key(ui, UI_KEY_BACKSPACE);
	assert_int_equal(ui_asked(ui)->filter.count, 0);
	assert_int_equal(ui_asked(ui)->group_count, 3);
	ui_reply(ui);
	assert_int_equal(ui_cursor(ui)->id, id);
}

static void test_what_no_filter_tells_is_said(void **state)
{
	struct ui *ui = *state;

	ui->state.query.groups = (struct group_order){ 2, { GROUP_SOCKET, GROUP_COMM } };
	open_groups(ui);
	ui_press_key(ui, UI_KEY_ENTER);
	assert_true(ui_has(ui, "no filter tells this socket"));
	assert_int_equal(state_kind(&ui->state), VIEW_GROUPS);
	ui_press(ui, "j");
	ui_press_key(ui, UI_KEY_ENTER);
	assert_true(ui_has(ui, "no filter tells its socket: of others, too"));
	assert_int_equal(ui_asked(ui)->filter.count, 1);
}

static const struct request *asked(const struct ui *ui, enum request_kind kind)
{
	for (size_t i = 0; i < ui->state.out.count; i++)
		if (ui->state.out.requests[i].kind == kind)
			return &ui->state.out.requests[i];
	return NULL;
}

/* As if the machine's samples were of event 1, while event 0 is shown. */
static void open_another_event(struct ui *ui)
{
	static struct group_node nodes[64];

	ui->state.query.groups = (struct group_order){ 2, { GROUP_EVENT, GROUP_COMM } };
	ui_press(ui, "9");
	ui_prepare(ui);
	memcpy(nodes, ui->snapshot.groups.nodes,
	       ui->snapshot.groups.node_count * sizeof(nodes[0]));
	nodes[0].number = 1;
	ui->snapshot.groups.nodes = nodes;
	ui_show(ui);
	ui_text(ui);
	ui->state.out.count = 0;
}

static void expect_event(const struct ui *ui, uint32_t event, uint32_t parts)
{
	assert_int_equal(ui->state.query.sample_event, event);
	assert_non_null(asked(ui, REQUEST_EVENT));
	assert_int_equal(asked(ui, REQUEST_EVENT)->value, event);
	assert_true(asked(ui, REQUEST_EVENT) < asked(ui, REQUEST_QUERY));
	assert_int_equal(ui_asked(ui)->filter.count, parts);
	assert_string_equal(ui->state.message, "");
}

static void test_a_group_of_another_event_opens_with_that_event(void **state)
{
	struct ui *ui = *state;

	open_another_event(ui);
	assert_int_equal(ui->state.query.sample_event, 0);
	ui_press(ui, "j");
	ui_press_key(ui, UI_KEY_ENTER);
	assert_int_equal(state_kind(&ui->state), VIEW_SYMBOLS);
	expect_event(ui, 1, 1);
}

static void test_an_event_opens_with_all_that_it_has(void **state)
{
	struct ui *ui = *state;

	open_another_event(ui);
	ui_press(ui, "7");
	assert_int_equal(state_kind(&ui->state), VIEW_FLAME);
	expect_event(ui, 1, 0);
}

static void test_the_menu_opens_a_group_with_its_event(void **state)
{
	struct ui *ui = *state;

	open_another_event(ui);
	ui_press(ui, ".");
	assert_true(ui_has(ui, "open Symbols of cpu-clock"));
	ui_choose(ui, "open dsos");
	assert_int_equal(state_kind(&ui->state), VIEW_DSOS);
	expect_event(ui, 1, 0);
}

/* Two events of the same parts: the periods of one are a thousandth. */
static void test_bars_of_each_event_are_measured_by_it(void **state)
{
	struct ui *ui = *state;
	struct group_node nodes[128];
	const struct group_tree *tree = &ui->snapshot.groups;
	const struct tree_rows *rows = &groups_view_of(&ui->state)->lines.rows;
	char line[1024];
	const char *bar;
	uint32_t count;
	int y;

	ui->state.query.groups = (struct group_order){ 2, { GROUP_EVENT, GROUP_COMM } };
	ui_press(ui, "9");
	ui_prepare(ui);
	count = tree->node_count;
	for (uint32_t i = 0; i < 2 * count; i++) {
		nodes[i] = tree->nodes[i % count];
		nodes[i].id += i / count;
		if (i >= count && nodes[i].parent != UINT32_MAX)
			nodes[i].parent += count;
		nodes[i].now.self.weight /= i < count ? 1 : 1000;
		nodes[i].now.total.weight /= i < count ? 1 : 1000;
		nodes[i].whole_weight /= i < count ? 1 : 1000;
	}
	ui->snapshot.groups.nodes = nodes;
	ui->snapshot.groups.node_count = 2 * count;
	ui_show(ui);
	ui_text(ui);
	ui_press(ui, "C");
	assert_int_equal(rows->count, 2);
	y = ui_find(ui, "TOTAL%").y + 1;
	snprintf(line, sizeof(line), "%s", ui_line(ui, y));
	bar = strstr(ui_line(ui, y + 1), "\u2588");
	assert_non_null(bar);
	assert_string_equal(strstr(line, "\u2588"), bar);
}

static void test_six_and_seven_open_the_calls_of_the_group(void **state)
{
	struct ui *ui = *state;

	open_groups(ui);
	ui_press(ui, "j6");
	assert_int_equal(state_kind(&ui->state), VIEW_TREE);
	assert_int_equal(ui_asked(ui)->filter.count, 2);
	ui_reply(ui);
	ui_press_key(ui, UI_KEY_BACKSPACE);
	ui_reply(ui);
	ui_press(ui, "7");
	assert_int_equal(state_kind(&ui->state), VIEW_FLAME);
	assert_int_equal(ui_asked(ui)->filter.count, 2);
}

static void test_six_and_seven_refuse_what_no_filter_tells(void **state)
{
	struct ui *ui = *state;

	ui->state.query.groups = (struct group_order){ 2, { GROUP_SOCKET, GROUP_COMM } };
	open_groups(ui);
	ui_press(ui, "6");
	assert_true(ui_has(ui, "no filter tells this socket"));
	assert_int_equal(state_kind(&ui->state), VIEW_GROUPS);
	ui_press(ui, "7");
	assert_true(ui_has(ui, "no filter tells this socket"));
	assert_int_equal(state_kind(&ui->state), VIEW_GROUPS);
}

static void test_percent_of_the_group_it_belongs_to(void **state)
{
	struct ui *ui = *state;

	open_groups(ui);
	assert_true(ui_has(ui, "30.18"));		/* 10520 of 34860 */
	ui_press(ui, "%");
	assert_true(ui_has(ui, "PARENT"));
	assert_true(ui_has(ui, "72.45"));		/* % of 14520 */
	assert_false(ui_has(ui, "30.18"));
}

static void test_search_opens_what_it_finds(void **state)
{
	struct ui *ui = *state;

	open_groups(ui);
	ui_press(ui, "C/chacha");
	assert_true(ui_has(ui, "1 of "));
	assert_true(ui_has(ui, "groups"));
	assert_string_equal(cursor_text(ui), "ChaCha20_4xl");
	ui_press_key(ui, UI_KEY_ENTER);
	ui_press(ui, "/copy_user");
	ui_press_key(ui, UI_KEY_ENTER);
	assert_string_equal(cursor_text(ui), "copy_user_enhanced_fast_string");
	ui_press(ui, "n");
	assert_string_equal(cursor_text(ui), "copy_user_enhanced_fast_string");
	ui_press(ui, "N");
	ui_press_key(ui, UI_KEY_ESCAPE);
	ui_press(ui, "/nosuch");
	assert_true(ui_has(ui, "not here"));
}

static void test_the_menu_of_a_group(void **state)
{
	struct ui *ui = *state;

	open_groups(ui);
	ui_press(ui, "jj.");
	assert_true(ui_has(ui, "open Symbols of hash_search_with_hash_value"));
	assert_true(ui_has(ui, "without postgres"));
	ui_choose(ui, "open dsos");
	assert_int_equal(state_kind(&ui->state), VIEW_DSOS);
	assert_int_equal(ui_asked(ui)->filter.count, 3);
}

static void test_a_function_of_the_tree_can_be_probed(void **state)
{
	struct ui *ui = *state;

	open_groups(ui);
	ui_press(ui, "p");
	assert_true(ui_has(ui, "this row is no function"));
	ui_press(ui, "jjp");
	assert_true(probe_panel_of(&ui->state)->is_open);
	assert_string_equal(probe_panel_of(&ui->state)->name, "hash_search_with_hash_value");
}

static void test_click_double_click_and_wheel(void **state)
{
	struct ui *ui = *state;
	struct mouse line;

	open_groups(ui);
	line = ui_find(ui, "java");
	ui_click(ui, MOUSE_PRESS, line.x, line.y);
	assert_string_equal(cursor_text(ui), "java");
	ui_click(ui, MOUSE_DOUBLE, line.x, line.y);
	assert_true(ui_has(ui, "libjvm.so"));
	ui_click(ui, MOUSE_DOUBLE, line.x, line.y);
	assert_false(ui_has(ui, "libjvm.so"));
	ui_click(ui, MOUSE_MENU, line.x, line.y);
	assert_true(ui_has(ui, "only java"));
	ui_press_key(ui, UI_KEY_ESCAPE);
	ui_press_key(ui, UI_KEY_HOME);
	assert_int_equal(canvas_resize(&ui->canvas, 100, 12), 0);
	ui_click(ui, MOUSE_WHEEL_DOWN, line.x, 5);
	assert_int_equal(groups_view_of(&ui->state)->lines.rows.place.top, 3);
}

static void test_the_cursor_stays_on_its_group_while_others_grow(void **state)
{
	struct ui *ui = *state;
	struct group_node nodes[64];
	const struct group_tree *tree = &ui->snapshot.groups;

	open_groups(ui);
	ui_press(ui, "Cj");
	assert_string_equal(cursor_text(ui), "nginx");
	/* The same in another order: the second root is now the first. */
	memcpy(nodes, tree->nodes + tree->nodes[0].size,
	       (tree->node_count - tree->nodes[0].size) * sizeof(nodes[0]));
	for (uint32_t i = 0; i < tree->node_count - tree->nodes[0].size; i++)
		if (nodes[i].parent != UINT32_MAX)
			nodes[i].parent -= tree->nodes[0].size;
	ui->snapshot.groups.node_count -= tree->nodes[0].size;
	ui->snapshot.groups.nodes = nodes;
	ui_show(ui);
	assert_string_equal(cursor_text(ui), "nginx");
	assert_int_equal(groups_view_of(&ui->state)->lines.rows.place.cursor, 0);
}

/* Until the reply to the new view is there, a late one to the old must not blank it. */
static void test_a_reply_without_groups_does_not_empty_them(void **state)
{
	struct ui *ui = *state;
	static struct snapshot late;

	open_groups(ui);
	late = ui_snapshot(VIEW_DSOS);
	late.query = ui->state.query.number - 1;
	assert_ptr_equal(input_offer_snapshot(&ui->state, &late), &late);
	assert_int_not_equal(groups_view_of(&ui->state)->lines.rows.count, 0);
}

UNIT_TESTS(test_view_groups)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_groups_at_each_size),
		cmocka_unit_test(test_all_open_in_ascii_and_roles),
		cmocka_unit_test(test_what_the_baseline_lacks_has_no_change),
		cmocka_unit_test(test_no_group),
		UI_TEST(test_what_had_no_room_in_the_snapshot_is_shown),
		UI_TEST(test_nine_asks_for_commands_their_dsos_and_symbols),
		UI_TEST(test_the_heavy_ones_are_open_the_others_not),
		UI_TEST(test_lines_open_and_close),
		UI_TEST(test_enter_opens_the_symbols_and_back_finds_the_row),
		UI_TEST(test_what_no_filter_tells_is_said),
		UI_TEST(test_a_group_of_another_event_opens_with_that_event),
		UI_TEST(test_an_event_opens_with_all_that_it_has),
		UI_TEST(test_the_menu_opens_a_group_with_its_event),
		UI_TEST(test_bars_of_each_event_are_measured_by_it),
		UI_TEST(test_six_and_seven_open_the_calls_of_the_group),
		UI_TEST(test_six_and_seven_refuse_what_no_filter_tells),
		UI_TEST(test_percent_of_the_group_it_belongs_to),
		UI_TEST(test_search_opens_what_it_finds),
		UI_TEST(test_the_menu_of_a_group),
		UI_TEST(test_a_function_of_the_tree_can_be_probed),
		UI_TEST(test_click_double_click_and_wheel),
		UI_TEST(test_the_cursor_stays_on_its_group_while_others_grow),
		UI_TEST(test_a_reply_without_groups_does_not_empty_them),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
