/* The flame graph on the screen: what its keys and clicks do, and whole screens compared with
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
#include "term/keys.h"
#include "ui/widgets/flame_layout.h"
#include "ui_fixture.h"
#include "unit_tests.h"

static const struct {
	int width, height;
} sizes[] = { { 40, 12 }, { 80, 24 }, { 200, 60 } };
#define SIZE_COUNT (sizeof(sizes) / sizeof(sizes[0]))

static void open_flame(struct ui *ui)
{
	state_show_kind(&ui->state, VIEW_FLAME);
	ui_reply(ui);
	ui_text(ui);
}

static void open_sized(struct ui *ui, int width, int height)
{
	ui_open(ui, width, height);
	ui_show(ui);
	open_flame(ui);
}

/* "" when there is none. */
static const char *selected(const struct ui *ui)
{
	const struct snapshot_row *row = ui_cursor(ui);

	return row ? row->symbol : "";
}

static void select_frame(struct ui *ui, const char *name)
{
	const struct mouse at = ui_find(ui, name);

	ui_click(ui, MOUSE_PRESS, at.x, at.y);
	assert_string_equal(selected(ui), name);
}

static void test_all_calls_at_every_size(void **state)
{
	struct ui ui;
	char file[64];

	(void)state;
	for (size_t i = 0; i < SIZE_COUNT; i++) {
		open_sized(&ui, sizes[i].width, sizes[i].height);
		snprintf(file, sizeof(file), "flame_%dx%d", sizes[i].width, sizes[i].height);
		ui_close(&ui, file);
	}
}

static void test_zoomed_at_every_size(void **state)
{
	struct ui ui;
	char file[64];

	(void)state;
	for (size_t i = 0; i < SIZE_COUNT; i++) {
		open_sized(&ui, sizes[i].width, sizes[i].height);
		for (int line = 0; line < 4; line++)
			ui_press_key(&ui, UI_KEY_DOWN);
		assert_string_equal(selected(&ui), "ExecScan");
		ui_press_key(&ui, UI_KEY_ENTER);
		snprintf(file, sizeof(file), "flame_zoomed_%dx%d", sizes[i].width,
			 sizes[i].height);
		ui_close(&ui, file);
	}
}

static void test_searched(void **state)
{
	struct ui ui;

	(void)state;
	open_sized(&ui, 80, 24);
	ui_press(&ui, "/hash");
	ui_press_key(&ui, UI_KEY_ENTER);
	assert_string_equal(selected(&ui), "hash_search_with_hash_value");
	ui_compare("flame_searched_80x24", ui_text(&ui));
	ui_compare("flame_searched_roles_80x24", ui_roles(&ui));
	ui_finish(&ui);
}

static void test_roles_by_kind_share_and_dso(void **state)
{
	static const char *const names[] = { "flame_kinds_roles_80x24", "flame_shares_roles_80x24",
					     "flame_dsos_roles_80x24" };
	struct ui ui;

	(void)state;
	open_sized(&ui, 80, 24);
	for (size_t i = 0; i < 3; i++) {
		ui_compare(names[i], ui_roles(&ui));
		ui_press(&ui, "c");
	}
	ui_finish(&ui);
}

static void test_only_ascii(void **state)
{
	struct ui ui;

	(void)state;
	open_sized(&ui, 80, 24);
	ui.canvas.is_ascii = true;
	ui_close(&ui, "flame_ascii_80x24");
}

static void test_callers_at_the_bottom(void **state)
{
	struct ui ui;

	(void)state;
	open_sized(&ui, 80, 24);
	ui_press(&ui, "o");
	ui_press_key(&ui, UI_KEY_UP);
	assert_string_equal(selected(&ui), "main");
	ui_press_key(&ui, UI_KEY_DOWN);
	assert_string_equal(selected(&ui), "postgres");
	ui_close(&ui, "flame_upright_80x24");
}

static void show_deep(struct ui *ui, uint32_t depth)
{
	ui->snapshot.tree = flame_fixture_deep(depth);
	ui_show(ui);
	ui_text(ui);
}

static void test_a_deep_stack_scrolls(void **state)
{
	struct ui ui;

	(void)state;
	open_sized(&ui, 80, 24);
	show_deep(&ui, 256);
	ui_compare("flame_deep_80x24", ui_text(&ui));
	ui_press_key(&ui, UI_KEY_END);
	assert_string_equal(selected(&ui), "f255");
	assert_true(ui_has(&ui, "240 above"));
	ui_press_key(&ui, UI_KEY_PAGE_UP);
	assert_string_equal(selected(&ui), "f240");
	ui_press_key(&ui, UI_KEY_HOME);
	assert_string_equal(selected(&ui), "f0");
	ui_click(&ui, MOUSE_WHEEL_DOWN, 5, 10);
	assert_true(ui_has(&ui, "3 above"));
	assert_true(ui_has(&ui, "237 below"));
	assert_string_equal(selected(&ui), "f0");
	for (int i = 0; i < 100; i++)
		ui_click(&ui, MOUSE_WHEEL_DOWN, 5, 10);
	ui_close(&ui, "flame_deep_end_80x24");
}

static void test_no_sample_no_box(void **state)
{
	struct ui ui;

	(void)state;
	open_sized(&ui, 80, 24);
	ui.snapshot.tree = (struct call_tree){ .direction = TREE_CALLEES };
	ui.snapshot.samples = ui.snapshot.idle_samples = 44000;
	ui.snapshot.weight = 0;
	ui_show(&ui);
	ui_close(&ui, "flame_nothing_80x24");
}

static void test_seven_asks_for_the_calls_of_the_row(void **state)
{
	struct ui *ui = *state;

	ui_press(ui, "j7");
	assert_int_equal(state_kind(&ui->state), VIEW_FLAME);
	assert_int_equal(ui_asked(ui)->tree, TREE_CALLEES);
	assert_true(ui_asked(ui)->tree_commands);
	assert_int_equal(ui_asked(ui)->filter.count, 1);
	assert_int_equal(ui_asked(ui)->filter.parts[0].field, FILTER_SYMBOL);
	assert_true(ui_is(ui, VIEW_SYMBOLS));	/* until the reply is there */
	ui_reply(ui);
	assert_true(ui_is(ui, VIEW_FLAME));
	ui_press(ui, "7");
	assert_int_equal(ui_asked(ui)->filter.count, 0);
	assert_int_equal(state_kind(&ui->state), VIEW_FLAME);
}

static void test_tree_and_flame_are_of_the_same_samples(void **state)
{
	struct ui *ui = *state;

	ui_press(ui, "j7");
	ui_reply(ui);
	ui_press(ui, "6");
	assert_int_equal(ui_asked(ui)->filter.count, 1);
	assert_false(ui_asked(ui)->tree_commands);
	ui_reply(ui);
	assert_true(ui_is(ui, VIEW_TREE));
	ui_press(ui, "7");
	assert_int_equal(ui_asked(ui)->filter.count, 1);
	ui_reply(ui);
	ui_press_key(ui, UI_KEY_ESCAPE);
	ui_reply(ui);
	assert_true(ui_is(ui, VIEW_SYMBOLS));
}

static void test_arrows_go_among_boxes(void **state)
{
	struct ui *ui = *state;

	open_flame(ui);
	assert_string_equal(selected(ui), "postgres");
	ui_press_key(ui, UI_KEY_UP);
	assert_string_equal(selected(ui), "postgres");
	ui_press_key(ui, UI_KEY_RIGHT);
	assert_string_equal(selected(ui), "node");
	ui_press_key(ui, UI_KEY_DOWN);
	assert_string_equal(selected(ui), "node::Start");
	ui_press_key(ui, UI_KEY_LEFT);
	assert_string_equal(selected(ui), "main");
	ui_press_key(ui, UI_KEY_LEFT);
	assert_string_equal(selected(ui), "main");
	ui_press_key(ui, UI_KEY_END);
	assert_string_equal(selected(ui), "hash_bytes");
	ui_press_key(ui, UI_KEY_HOME);
	ui_press(ui, "J");	/* 5200 in itself are more than the 5000 of what it calls */
	assert_string_equal(selected(ui), "heap_getnextslot");
}

/* The widest branches are postgres (21800), node (8160), ServerLoop (4900), nginx (4100) and
 * PortalRun (2450). Each is followed until a frame's own time is more than what it calls. */
static void test_paths_come_by_the_width_of_their_branch(void **state)
{
	static const char *const ends[] = {
		"heap_getnextslot", "LazyCompile:*render app.js:118", "vfs_read", "ChaCha20_4xl",
	};
	struct ui *ui = *state;

	open_flame(ui);
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		ui_press(ui, "J");
		assert_string_equal(selected(ui), ends[i]);
	}
}

static void test_from_a_frame_the_paths_are_those_below_it(void **state)
{
	struct ui *ui = *state;

	open_flame(ui);
	select_frame(ui, "node::Start");
	ui_press(ui, "J");
	assert_string_equal(selected(ui), "LazyCompile:*render app.js:118");
	ui_press(ui, "J");	/* there is one path */
	assert_string_equal(selected(ui), "LazyCompile:*render app.js:118");
	select_frame(ui, "PostgresMain");
	ui_press(ui, "JJ");
	assert_string_equal(selected(ui), "vfs_read");
}

static void test_selection_stays_while_the_tree_changes(void **state)
{
	static const struct flame_frame later[] = {
		{ .depth = 0, .name = "nginx", .self = 20000, .is_command = true },
		{ .depth = 0, .name = "node", .is_command = true },
		{ .depth = 1, .name = "node::Start", .self = 14860 },
	};
	struct tree_node nodes[3];
	struct ui *ui = *state;

	open_flame(ui);
	select_frame(ui, "node::Start");
	ui->snapshot.tree = flame_fixture_tree(later, 3, nodes);
	ui_show(ui);
	assert_string_equal(selected(ui), "node::Start");
	ui->snapshot.tree = flame_fixture_tree(later, 2, nodes);	/* its caller stands in, */
	ui_show(ui);
	assert_string_equal(selected(ui), "node");
	ui->snapshot.tree = flame_fixture_machine();		/* and it comes back */
	ui_show(ui);
	assert_string_equal(selected(ui), "node::Start");
}

static void test_zoom_goes_in_and_out_by_its_steps(void **state)
{
	struct ui *ui = *state;

	open_flame(ui);
	ui_press_key(ui, UI_KEY_DOWN);
	ui_press_key(ui, UI_KEY_ENTER);
	assert_true(ui_has(ui, "zoom: main"));
	select_frame(ui, "ServerLoop");
	ui_press_key(ui, UI_KEY_ENTER);
	assert_true(ui_has(ui, "zoom: ServerLoop"));
	assert_false(ui_has(ui, "ExecScan"));
	ui_press_key(ui, UI_KEY_BACKSPACE);
	assert_true(ui_has(ui, "zoom: main"));
	ui_press_key(ui, UI_KEY_BACKSPACE);
	assert_false(ui_has(ui, "zoom:"));
	assert_true(ui_has(ui, "node::Start"));
	assert_true(ui_is(ui, VIEW_FLAME));
}

/* ServerLoop is 4900 of 34860 samples. */
static void test_zoom_asks_for_the_frames_that_were_too_small(void **state)
{
	struct ui *ui = *state;

	open_flame(ui);
	assert_true(ui_asked(ui)->tree_limit_pct == FLAME_LIMIT_PCT);
	ui->snapshot.tree.limit_pct = FLAME_LIMIT_PCT;
	ui_show(ui);
	select_frame(ui, "ServerLoop");
	ui_press_key(ui, UI_KEY_ENTER);
	assert_true(ui_has(ui, "zoom: ServerLoop"));
	assert_float_equal(ui_asked(ui)->tree_limit_pct, FLAME_LIMIT_PCT * 4900 / 34860,
			   1e-9);
	assert_true(state_is_waiting(&ui->state));
	ui_reply(ui);
	assert_true(ui_has(ui, "zoom: ServerLoop"));
}

/* Backspace leads out of a zoom, so a caller that is zoomed forgets the steps further in. */
static void test_zoom_into_a_caller_is_a_step_out(void **state)
{
	struct ui *ui = *state;

	open_flame(ui);
	select_frame(ui, "PostgresMain");
	ui_press_key(ui, UI_KEY_ENTER);
	select_frame(ui, "ServerLoop");
	ui_press_key(ui, UI_KEY_ENTER);
	select_frame(ui, "main");
	ui_press_key(ui, UI_KEY_ENTER);
	assert_true(ui_has(ui, "zoom: main"));
	ui_press_key(ui, UI_KEY_BACKSPACE);
	assert_false(ui_has(ui, "zoom:"));
}

static void test_another_filter_forgets_the_zoom(void **state)
{
	struct ui *ui = *state;

	open_flame(ui);
	ui_press_key(ui, UI_KEY_DOWN);
	ui_press_key(ui, UI_KEY_ENTER);
	ui_press(ui, "\\main");
	ui_press_key(ui, UI_KEY_ENTER);
	ui_reply(ui);
	assert_false(ui_has(ui, "zoom:"));
}

static void test_others_can_be_selected_but_not_zoomed(void **state)
{
	static const struct flame_frame frames[] = {	/* 200 in all: half a cell for each of 1 */
		{ .depth = 0, .name = "main", .self = 180 },
		{ .depth = 0, .name = "a", .self = 1 }, { .depth = 0, .name = "b", .self = 1 },
		{ .depth = 0, .name = "c", .self = 1 }, { .depth = 0, .name = "d", .self = 1 },
		{ .depth = 0, .name = "e", .self = 1 }, { .depth = 0, .name = "f", .self = 1 },
		{ .depth = 0, .name = "g", .self = 1 },
	};
	struct tree_node nodes[8];
	struct ui *ui = *state;

	open_flame(ui);
	ui->snapshot.tree = flame_fixture_tree(frames, 8, nodes);
	ui->snapshot.tree.hidden_weight = 13;
	ui->snapshot.tree.weight += 13;
	ui_show(ui);
	ui_text(ui);
	ui_press_key(ui, UI_KEY_RIGHT);
	assert_true(ui_has(ui, "8 others"));
	assert_true(ui_has(ui, "narrower than a cell"));
	assert_null(ui_cursor(ui));
	ui_press_key(ui, UI_KEY_ENTER);
	assert_true(ui_has(ui, "zoom into their caller"));
	ui_show(ui);			/* and they stay selected */
	assert_null(ui_cursor(ui));
	ui_press_key(ui, UI_KEY_LEFT);
	assert_string_equal(selected(ui), "main");
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
	found = flame_match_sum(&tree, 0, "node");		/* postgres alone */
	assert_int_equal(found.count, 0);
}

static void test_search_goes_round_and_ends(void **state)
{
	struct ui *ui = *state;

	open_flame(ui);
	ui_press(ui, "/Exec");
	assert_string_equal(selected(ui), "ExecScan");
	ui_press_key(ui, UI_KEY_ENTER);
	assert_true(ui_has(ui, "matched \"Exec\": 40.25 %"));
	ui_press(ui, "n");
	assert_string_equal(selected(ui), "ExecQual");
	ui_press(ui, "n");
	assert_string_equal(selected(ui), "ExecScan");
	ui_press(ui, "N");
	assert_string_equal(selected(ui), "ExecQual");
	ui_press_key(ui, UI_KEY_ESCAPE);
	assert_false(ui_has(ui, "matched"));
	assert_true(ui_is(ui, VIEW_FLAME));
}

static void test_cancelled_search_leads_back(void **state)
{
	struct ui *ui = *state;

	open_flame(ui);
	ui_press_key(ui, UI_KEY_RIGHT);
	ui_press(ui, "/Exec");
	ui_press_key(ui, UI_KEY_ESCAPE);
	assert_string_equal(selected(ui), "node");
}

static void test_a_click_selects_and_a_double_click_zooms(void **state)
{
	struct ui *ui = *state;
	struct mouse at;

	open_flame(ui);
	at = ui_find(ui, "ServerLoop");
	ui_click(ui, MOUSE_PRESS, at.x, at.y);
	assert_string_equal(selected(ui), "ServerLoop");
	ui_click(ui, MOUSE_DOUBLE, at.x, at.y);
	assert_true(ui_has(ui, "zoom: ServerLoop"));
	at = ui_find(ui, "vfs_read");
	ui_click(ui, MOUSE_MENU, at.x, at.y);
	assert_true(ui_has(ui, "only vfs_read"));
}

static void test_a_flame_graph_beneath_help_follows(void **state)
{
	struct ui *ui = *state;

	open_flame(ui);
	ui_press(ui, "?");
	ui->snapshot.tree = (struct call_tree){ .direction = TREE_CALLEES };
	ui_show(ui);
	assert_int_equal(flame_of(&ui->state)->layout.count, 0);
	ui_press_key(ui, UI_KEY_ESCAPE);
	assert_true(ui_is(ui, VIEW_FLAME));
}

UNIT_TESTS(test_view_flame)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_calls_at_every_size),
		cmocka_unit_test(test_zoomed_at_every_size),
		cmocka_unit_test(test_searched),
		cmocka_unit_test(test_roles_by_kind_share_and_dso),
		cmocka_unit_test(test_only_ascii),
		cmocka_unit_test(test_callers_at_the_bottom),
		cmocka_unit_test(test_a_deep_stack_scrolls),
		cmocka_unit_test(test_no_sample_no_box),
		UI_TEST(test_seven_asks_for_the_calls_of_the_row),
		UI_TEST(test_tree_and_flame_are_of_the_same_samples),
		UI_TEST(test_arrows_go_among_boxes),
		UI_TEST(test_paths_come_by_the_width_of_their_branch),
		UI_TEST(test_from_a_frame_the_paths_are_those_below_it),
		UI_TEST(test_selection_stays_while_the_tree_changes),
		UI_TEST(test_zoom_goes_in_and_out_by_its_steps),
		UI_TEST(test_zoom_asks_for_the_frames_that_were_too_small),
		UI_TEST(test_zoom_into_a_caller_is_a_step_out),
		UI_TEST(test_another_filter_forgets_the_zoom),
		UI_TEST(test_others_can_be_selected_but_not_zoomed),
		cmocka_unit_test(test_matches_within_matches_count_once),
		UI_TEST(test_search_goes_round_and_ends),
		UI_TEST(test_cancelled_search_leads_back),
		UI_TEST(test_a_click_selects_and_a_double_click_zooms),
		UI_TEST(test_a_flame_graph_beneath_help_follows),
	};

	setlocale(LC_ALL, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
