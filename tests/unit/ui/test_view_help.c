/* The page of keys: what comes first, each command once, no more lines than five small screens. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <locale.h>
#include <string.h>

#include <cmocka.h>

#include "probe_fixture.h"
#include "ui_fixture.h"

#include "ui/keymap.h"
#include "unit_tests.h"

static const struct pager *open_help(struct ui *ui)
{
	ui_press(ui, "?");
	ui_text(ui);
	return (struct pager *)ui->state.pages[PAGE_HELP];
}

static void open_at(struct ui *ui, enum view_kind kind, int width, int height)
{
	ui_open(ui, width, height);
	ui_show(ui);
	state_show_kind(&ui->state, kind);
	if (kind == VIEW_PROBES)
		probe_fixture_reply(ui);
	else
		ui_reply(ui);
}

/* The line with which the page has @text; SIZE_MAX: none. */
static size_t line_of(const struct pager *pager, const char *text)
{
	for (size_t i = 0; i < pager->count; i++)
		if (strstr(pager->lines[i].text, text))
			return i;
	return SIZE_MAX;
}

static void test_the_keys_of_the_view_come_first_then_those_of_all(void **state)
{
	struct ui ui;
	const struct pager *pager;

	(void)state;
	open_at(&ui, VIEW_TREE, 80, 24);
	pager = open_help(&ui);
	assert_int_equal(line_of(pager, "Keys in tree"), 0);
	assert_true(line_of(pager, "Turn the tree round") < line_of(pager, "Keys in all views"));
	assert_true(line_of(pager, "Quit") > line_of(pager, "Keys in all views"));
	assert_true(line_of(pager, "Quit") < line_of(pager, "Keys in tables"));
	assert_true(line_of(pager, "Columns to show") > line_of(pager, "Keys in tables"));
	ui_finish(&ui);
	open_at(&ui, VIEW_PROBES, 80, 24);
	pager = open_help(&ui);
	assert_int_equal(line_of(pager, "Keys in probes"), 0);
	assert_true(line_of(pager, "extend its lease") < line_of(pager, "Keys in all views"));
	ui_finish(&ui);
}

/* Those of one subject share a line, of which the first key is the command's that comes first. */
static void test_each_command_is_listed_once(void **state)
{
	struct ui ui;
	const struct pager *pager;
	char keys[KEYMAP_TEXT_BYTES];

	(void)state;
	open_at(&ui, VIEW_SYMBOLS, 80, 24);
	pager = open_help(&ui);
	for (size_t i = 0; i < command_count; i++) {
		keymap_format(&ui.keymap, &commands[i], keys);
		if (keys[0] && line_of(pager, keys) == SIZE_MAX)
			fail_msg("the help lacks %s", keys);
	}
	assert_int_equal(line_of(pager, "Keys in tables"), 0);
	for (size_t i = 1; i < pager->count; i++)
		assert_null(strstr(pager->lines[i].text, "Keys in tables"));
	assert_true(line_of(pager, "Turn the tree round") != SIZE_MAX);
	for (size_t i = line_of(pager, "Turn the tree round") + 1; i < pager->count; i++)
		assert_null(strstr(pager->lines[i].text, "Turn the tree round"));
	ui_finish(&ui);
}

static void test_six_small_screens_have_it_all(void **state)
{
	struct ui ui;
	const struct pager *pager;

	(void)state;
	for (int kind = 0; kind < VIEW_COUNT; kind++) {
		open_at(&ui, (enum view_kind)kind, 80, 24);
		pager = open_help(&ui);
		if (pager->height > 6 * pager->page)
			fail_msg("view %d: %d lines, on pages of %d", kind, pager->height,
				 pager->page);
		ui_finish(&ui);
	}
}

static void test_the_bottom_line_says_which_page_it_is(void **state)
{
	struct ui ui;

	(void)state;
	open_at(&ui, VIEW_SYMBOLS, 80, 24);
	open_help(&ui);
	assert_true(ui_has(&ui, "page 1 of 6"));
	ui_press_key(&ui, UI_KEY_PAGE_DOWN);
	assert_true(ui_has(&ui, "page 2 of 6"));
	ui_press_key(&ui, UI_KEY_END);
	assert_true(ui_has(&ui, "page 6 of 6"));
	ui_finish(&ui);
}

static void test_a_wide_screen_has_two_columns(void **state)
{
	struct ui ui;
	const struct pager *pager;
	size_t narrow;

	(void)state;
	open_at(&ui, VIEW_SYMBOLS, 119, 40);
	narrow = open_help(&ui)->count;
	ui_finish(&ui);
	open_at(&ui, VIEW_SYMBOLS, 160, 60);
	pager = open_help(&ui);
	assert_true(pager->count < narrow * 2 / 3);
	assert_true(pager->lines[0].second_cell > 70);
	assert_true(ui_has(&ui, "Quit"));
	assert_true(ui_has(&ui, "hypervisor"));
	ui_finish(&ui);
}

UNIT_TESTS(test_view_help)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_keys_of_the_view_come_first_then_those_of_all),
		cmocka_unit_test(test_each_command_is_listed_once),
		cmocka_unit_test(test_six_small_screens_have_it_all),
		cmocka_unit_test(test_the_bottom_line_says_which_page_it_is),
		cmocka_unit_test(test_a_wide_screen_has_two_columns),
	};

	setlocale(LC_ALL, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
