/* Filters and the menu of a row. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <locale.h>
#include <string.h>

#include <cmocka.h>

#include "ui_fixture.h"
#include "unit_tests.h"

static const struct filter *asked_filter(const struct ui *ui)
{
	for (size_t i = 0; i < ui->state.out.count; i++)
		if (ui->state.out.requests[i].kind == REQUEST_QUERY)
			return &ui->state.out.requests[i].query.filter;
	fail();
	return NULL;
}

static void test_the_row_menu_of_a_nameless_row_is_named_as_its_filter(void **state)
{
	struct ui *ui = *state;
	struct snapshot_row nameless;

	ui_press(ui, "5");
	ui_reply(ui);
	nameless = *ui_cursor(ui);
	nameless.comm = "";
	ui->snapshot.rows = &nameless;
	ui->snapshot.row_count = 1;
	ui_show(ui);
	ui_press(ui, ".");
	assert_string_equal(ui->state.menu.title, "CPU 0");
}

static void test_open_says_when_a_row_is_of_several(void **state)
{
	struct ui *ui = *state;
	struct snapshot_row nameless = *ui_cursor(ui);

	nameless.symbol = nameless.raw_symbol = nameless.dso_path = "";
	ui->snapshot.rows = &nameless;
	ui->snapshot.row_count = 1;
	ui_show(ui);
	ui_press_key(ui, UI_KEY_ENTER);
	assert_int_equal(ui->state.query.breadcrumbs.count, 1);
	assert_string_equal(ui->state.message,
			    "this row is of several: nothing to open it by");
	ui_press(ui, ".");
	assert_false(ui_has(ui, "open Tasks"));
	assert_true(ui_has(ui, "this row is of several: nothing to open it by"));
	assert_true(ui_has(ui, "only postgres"));
	ui_press(ui, "open");
	ui_press_key(ui, UI_KEY_ENTER);
	assert_int_equal(ui->state.query.breadcrumbs.count, 1);
	assert_true(ui->state.menu.is_open);
}

static void test_the_row_menu_opens_other_views_of_the_row(void **state)
{
	struct ui *ui = *state;

	ui_press(ui, "jj.");
	assert_string_equal(ui->state.menu.items[2].note, "Enter");
	ui_choose(ui, "open cpus");
	assert_int_equal(state_kind(&ui->state), VIEW_CPUS);
	assert_int_equal(asked_filter(ui)->count, 1);
	assert_int_equal(asked_filter(ui)->parts[0].hash, filter_hash("ChaCha20_4xl"));
	assert_false(asked_filter(ui)->parts[0].is_negated);
}

static void test_the_line_of_the_row_menu_with_enter_is_what_enter_does(void **state)
{
	for (int kind = 0; kind < VIEW_TABLES; kind++) {
		struct ui *ui = *state;
		enum view_kind opened;

		state_show_kind(&ui->state, (enum view_kind)kind);
		ui_reply(ui);
		ui_press_key(ui, UI_KEY_ENTER);
		opened = state_kind(&ui->state);
		ui_press_key(ui, UI_KEY_ESCAPE);
		ui_reply(ui);
		ui_press(ui, ".");
		ui_press_key(ui, UI_KEY_DOWN);
		ui_press_key(ui, UI_KEY_DOWN);
		ui_press_key(ui, UI_KEY_ENTER);
		assert_int_equal(state_kind(&ui->state), opened);
		assert_int_equal(ui->state.query.breadcrumbs.count, 2);
		ui_press_key(ui, UI_KEY_ESCAPE);
		ui_reply(ui);
	}
}

/* The row's own name as a filter, the way in, a probe; what the row shares with others is below. */
static void test_the_row_menu_begins_with_what_is_likely(void **state)
{
	static const char *const labels[] = {
		"only ChaCha20_4xl", "without ChaCha20_4xl", "open Tree of ChaCha20_4xl",
		"probe it: every call counted and timed",
		"list its code: source lines, instructions", "open Flame of ChaCha20_4xl",
	};
	struct ui *ui = *state;
	const struct menu *menu = &ui->state.menu;

	ui_press(ui, "jj.");
	assert_string_equal(menu->title, "ChaCha20_4xl");
	for (size_t i = 0; i < sizeof(labels) / sizeof(labels[0]); i++)
		assert_string_equal(menu->items[i].label, labels[i]);
	assert_string_equal(menu->items[2].note, "Enter");
	assert_string_equal(menu->items[3].note, "p");
	assert_true(ui_has(ui, "type to filter"));
	ui_press(ui, "user code");
	assert_int_equal(menu->shown_count, 2);
	assert_string_equal(menu->items[menu->shown[0]].label, "only user code");
	assert_string_equal(menu->items[menu->shown[1]].label, "without user code");
	ui_press_key(ui, UI_KEY_ENTER);
	assert_int_equal(asked_filter(ui)->parts[0].field, FILTER_USER);
	assert_false(asked_filter(ui)->parts[0].is_negated);
	ui_reply(ui);
	assert_true(ui_has(ui, "\u203a user code"));
}

static void test_what_cannot_be_probed_is_there_with_the_reason(void **state)
{
	struct ui *ui = *state;

	state_show_kind(&ui->state, VIEW_TASKS);
	ui_reply(ui);
	ui_press(ui, ".probe it");
	assert_int_equal(ui->state.menu.shown_count, 1);
	ui_press_key(ui, UI_KEY_ENTER);
	assert_true(ui->state.menu.is_open);
	assert_string_equal(ui->state.message, "this row is no function: Enter leads to its "
			    "functions, p probes one");
	assert_int_equal(state_kind(&ui->state), VIEW_TASKS);
}

static void test_only_and_not_stay_in_the_view(void **state)
{
	struct ui *ui = *state;

	ui_press(ui, "jj.");
	ui_choose(ui, "only nginx");
	assert_int_equal(state_kind(&ui->state), VIEW_SYMBOLS);
	assert_int_equal(asked_filter(ui)->parts[0].field, FILTER_COMMAND);
	ui_reply(ui);
	ui_press(ui, "jj.");
	ui_choose(ui, "not cpu");
	assert_int_equal(asked_filter(ui)->count, 2);
	assert_int_equal(asked_filter(ui)->parts[1].field, FILTER_CPU);
	assert_int_equal(asked_filter(ui)->parts[1].number, 0);
	assert_true(asked_filter(ui)->parts[1].is_negated);
}

static void test_an_exclamation_mark_leaves_out_what_has_the_text(void **state)
{
	struct ui *ui = *state;

	ui_press(ui, "\\!hash");
	ui_press_key(ui, UI_KEY_ENTER);
	assert_int_equal(asked_filter(ui)->count, 1);
	assert_string_equal(asked_filter(ui)->parts[0].text, "hash");
	assert_true(asked_filter(ui)->parts[0].is_negated);
	ui_reply(ui);
	assert_true(ui_has(ui, "without \"hash\""));
	/* It can be edited, and is one filter still. */
	ui_press(ui, "\\_");
	ui_press_key(ui, UI_KEY_ENTER);
	assert_int_equal(asked_filter(ui)->count, 1);
	assert_string_equal(asked_filter(ui)->parts[0].text, "hash_");
	assert_true(asked_filter(ui)->parts[0].is_negated);
}

static void test_names_that_are_equal_say_of_what(void **state)
{
	struct ui *ui = *state;

	ui_press(ui, ".");
	ui_choose(ui, "only postgres");	/* the DSO was added first */
	assert_int_equal(asked_filter(ui)->parts[0].field, FILTER_DSO);
	ui_reply(ui);
	ui_press(ui, ".");
	ui_press(ui, "only postgres");
	assert_int_equal(ui->state.menu.shown_count, 2);
	assert_string_equal(ui->state.menu.items[ui->state.menu.shown[0]].note, "DSO");
	assert_string_equal(ui->state.menu.items[ui->state.menu.shown[1]].note, "command");
}

static void test_only_its_unit_container_and_cgroup(void **state)
{
	struct ui *ui = *state;

	state_show_kind(&ui->state, VIEW_TASKS);
	ui_reply(ui);
	ui_press(ui, "j.");
	assert_false(ui_has(ui, "only pod"));	/* it is in none */
	ui_choose(ui, "only container web");
	assert_int_equal(state_kind(&ui->state), VIEW_TASKS);
	assert_int_equal(asked_filter(ui)->parts[0].field, FILTER_CONTAINER);
	assert_int_equal(asked_filter(ui)->parts[0].hash, filter_hash("web"));
	ui_reply(ui);
	ui_press(ui, "j.");
	ui_choose(ui, "without nginx.service");
	assert_int_equal(asked_filter(ui)->parts[1].field, FILTER_UNIT);
	assert_true(asked_filter(ui)->parts[1].is_negated);
	ui_reply(ui);
	ui_press(ui, "j.");
	ui_choose(ui, "only cgroup /lxc");
	assert_int_equal(asked_filter(ui)->parts[2].hash,
			 filter_hash("/lxc.payload.web/nginx.service"));
}

static void test_sample_only_this_process(void **state)
{
	struct ui *ui = *state;

	ui_press(ui, "jj.");
	ui_choose(ui, "sample");
	assert_int_equal(ui->source.count, 1);
	assert_int_equal(ui->source.asked[0].kind, SOURCE_PROCESSES);
	assert_string_equal(ui->source.asked[0].text, "77");

	ui->state.source = NULL;	/* a recording has no source to change */
	ui_press(ui, ".sample");
	assert_int_equal(ui->state.menu.shown_count, 1);
	ui_press_key(ui, UI_KEY_ENTER);
	assert_true(ui->state.menu.is_open);
	assert_int_equal(ui->source.count, 1);
	assert_string_equal(ui->state.message,
			    "a recording samples nothing: start flametop without -i");
}

/* The row may be gone when its menu is used. */
static void test_the_menu_means_the_row_it_was_opened_on(void **state)
{
	struct ui *ui = *state;

	ui_press(ui, "jj.");
	ui->snapshot.rows++;
	ui->snapshot.row_count = 2;
	ui_show(ui);
	ui_choose(ui, "only chacha");
	assert_int_equal(asked_filter(ui)->parts[0].hash, filter_hash("ChaCha20_4xl"));
}

static void filter_twice(struct ui *ui)
{
	ui_press_key(ui, UI_KEY_ENTER);
	ui_reply(ui);
	ui_press(ui, "\\lock");
	ui_press_key(ui, UI_KEY_ENTER);
	ui_reply(ui);
	ui_press(ui, "K");
	ui_reply(ui);
}

static void test_filters_takes_one_away_and_all_levels_follow(void **state)
{
	struct ui *ui = *state;

	filter_twice(ui);
	assert_int_equal(asked_filter(ui)->count, 3);
	ui_press(ui, "F");
	ui_choose(ui, "hash_search");
	assert_int_equal(asked_filter(ui)->count, 2);
	assert_int_equal(asked_filter(ui)->parts[0].field, FILTER_TEXT);
	assert_int_equal(asked_filter(ui)->parts[1].field, FILTER_KERNEL);
	assert_int_equal(state_kind(&ui->state), VIEW_TREE);
	ui_reply(ui);
	ui_press(ui, "F");
	ui_choose(ui, "no kernel");
	assert_false(ui->state.query.hide_kernel);
	assert_int_equal(asked_filter(ui)->count, 1);
	ui_reply(ui);
	ui_press_key(ui, UI_KEY_ESCAPE);
	assert_int_equal(asked_filter(ui)->count, 0);
}

static void test_without_a_way_back_the_cursor_stays(void **state)
{
	struct ui *ui = *state;
	uint64_t id;

	ui_press(ui, "K");
	ui_reply(ui);
	ui_press(ui, "U");
	ui_reply(ui);
	ui_press(ui, "jj");
	id = ui_cursor(ui)->id;
	ui_press(ui, "F");
	ui_choose(ui, "all");
	assert_false(ui->state.query.hide_kernel || ui->state.query.hide_user);
	ui_reply(ui);
	assert_int_equal(ui_cursor(ui)->id, id);
}

static void test_all_of_them_is_all_of_them(void **state)
{
	struct ui *ui = *state;

	ui_press(ui, "jj");
	filter_twice(ui);
	ui_press(ui, "F");
	ui_choose(ui, "all");
	assert_int_equal(asked_filter(ui)->count, 0);
	assert_int_equal(ui->state.query.breadcrumbs.count, 1);
	ui_reply(ui);
	assert_string_equal(ui_cursor(ui)->symbol, "ChaCha20_4xl");
}

static void test_without_a_filter_filters_says_how_to_make_one(void **state)
{
	struct ui *ui = *state;

	ui_press(ui, "F");
	assert_false(ui->state.menu.is_open);
	assert_non_null(strstr(ui->state.message, "there is no filter"));
}

/* K and U always have their place in the query, however many filters there are. */
static void test_hiding_works_with_full_breadcrumbs(void **state)
{
	struct ui *ui = *state;
	struct filter_part part = { .field = FILTER_PID };

	for (part.number = 1; part.number <= FILTER_PARTS; part.number++)
		state_go(&ui->state, VIEW_SYMBOLS, &part);
	assert_string_equal(ui->state.message, "no more than 14 filters: F takes some away");
	ui_press(ui, "KU");
	assert_int_equal(asked_filter(ui)->count, FILTER_PARTS);
	assert_int_equal(asked_filter(ui)->parts[14].field, FILTER_KERNEL);
	assert_int_equal(asked_filter(ui)->parts[15].field, FILTER_USER);
}

UNIT_TESTS(test_command_filters)
{
	const struct CMUnitTest tests[] = {
		UI_TEST(test_the_row_menu_of_a_nameless_row_is_named_as_its_filter),
		UI_TEST(test_open_says_when_a_row_is_of_several),
		UI_TEST(test_the_row_menu_opens_other_views_of_the_row),
		UI_TEST(test_the_line_of_the_row_menu_with_enter_is_what_enter_does),
		UI_TEST(test_the_row_menu_begins_with_what_is_likely),
		UI_TEST(test_what_cannot_be_probed_is_there_with_the_reason),
		UI_TEST(test_only_and_not_stay_in_the_view),
		UI_TEST(test_an_exclamation_mark_leaves_out_what_has_the_text),
		UI_TEST(test_names_that_are_equal_say_of_what),
		UI_TEST(test_only_its_unit_container_and_cgroup),
		UI_TEST(test_sample_only_this_process),
		UI_TEST(test_the_menu_means_the_row_it_was_opened_on),
		UI_TEST(test_filters_takes_one_away_and_all_levels_follow),
		UI_TEST(test_without_a_way_back_the_cursor_stays),
		UI_TEST(test_all_of_them_is_all_of_them),
		UI_TEST(test_without_a_filter_filters_says_how_to_make_one),
		UI_TEST(test_hiding_works_with_full_breadcrumbs),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
