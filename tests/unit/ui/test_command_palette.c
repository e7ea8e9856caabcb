/* The palette: what it lists, what a word finds first, and what choosing a line does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <locale.h>
#include <string.h>

#include <cmocka.h>

#include "ui_fixture.h"

#include "ui/keymap.h"
#include "unit_tests.h"

static void test_the_palette_has_every_command_of_the_place_but_itself(void **state)
{
	struct ui *ui = *state;
	size_t in_pages = 0, in_tables = 0;

	for (size_t i = 0; i < command_count; i++) {
		in_pages += (commands[i].where & IN_PAGER) != 0;
		in_tables += (commands[i].where & IN_TABLE) != 0;
	}
	ui_press(ui, ":");
	assert_int_equal(ui->state.menu.count, in_tables - 1);
	ui_press_key(ui, UI_KEY_ESCAPE);
	ui_press(ui, "?:");
	assert_int_equal(ui->state.menu.count, in_pages - 1);
}

static void test_the_palette_runs_what_is_chosen(void **state)
{
	struct ui *ui = *state;

	ui_press(ui, ":");
	ui_choose(ui, "hide-kernel");
	assert_true(ui->state.query.hide_kernel);
	ui_press(ui, ":");
	ui_choose(ui, "interval");	/* it has no key */
	assert_string_equal(ui->state.prompt.label, "refresh every (s):");
	ui_press_key(ui, UI_KEY_ESCAPE);
	ui_reply(ui);
	ui_press(ui, ":");
	ui_choose(ui, "order");		/* a menu from a menu */
	assert_string_equal(ui->state.menu.title, "sort by");
}

static void ask_nothing(void *owner, uint64_t number, const char *text, pid_t pid)
{
	(void)number;
	(void)pid;
	snprintf(owner, PROMPT_BYTES, "%s", text);
}

/* After all commands, by name or by another tool's; the finder goes on with it. */
static void test_the_palette_has_presets(void **state)
{
	struct ui *ui = *state;
	char asked[PROMPT_BYTES] = "";
	struct finder_control control = { .owner = asked, .ask = ask_nothing, .fd = -1 };
	struct presets *presets;

	assert_int_equal(presets_create(&presets), 0);
	control.presets = presets;
	ui->state.finder_control = &control;
	ui_press(ui, ":");
	assert_string_equal(ui->state.menu.items[ui->state.menu.count - 1].note, "preset");
	ui_choose(ui, "iolatency");
	assert_string_equal(asked, "biolatency");
	ui->state.finder_control = NULL;
	presets_destroy(presets);
}

static void test_a_row_meant_by_the_palette_is_waited_for(void **state)
{
	struct ui *ui = *state;

	ui_press(ui, "2:");
	ui_choose(ui, "open");
	assert_int_equal(ui->state.query.breadcrumbs.count, 1);
	ui_reply(ui);
	assert_int_equal(ui->state.query.breadcrumbs.filter.parts[0].field, FILTER_DSO);
}

static const char *first_found(const struct ui *ui)
{
	const struct menu *menu = &ui->state.menu;

	return menu->shown_count ? commands[menu->items[menu->shown[0]].id].name : "nothing";
}

/* What people call it, and the command that does it here or comes next to it. */
static void test_a_word_of_another_tool_finds_its_command_first(void **state)
{
	static const struct {
		const char *word, *command;
	} words[] = {
		{ "annotate", "listing" }, { "source", "listing" }, { "thread", "tasks" },
		{ "disassemble", "listing" },
		{ "kill", "row-menu" }, { "export", "save-stacks" }, { "delay", "interval" },
		{ "baseline", "mark-baseline" }, { "syscalls", "find-target" },
		{ "functions", "symbols" }, { "libraries", "dsos" }, { "cores", "cpus" },
		{ "callers", "tree" }, { "flamegraph", "flame" }, { "hierarchy", "groups" },
		{ "tracepoints", "find-target" }, { "uprobe", "probe" },
		{ "breakpoint", "probe" }, { "grep", "filter" }, { "find", "search" },
		{ "fields", "columns" }, { "freeze", "pause" }, { "history", "earlier" },
		{ "duration", "window" }, { "reset", "zero" }, { "diff", "compare" },
		{ "pmu", "event" }, { "ipc", "counters" }, { "hz", "frequency" },
		{ "cgroup", "target" },
		{ "mangled", "raw-names" }, { "colors", "theme" }, { "lost", "losses" },
		{ "warnings", "messages" }, { "exit", "quit" }, { "shortcuts", "help" },
	};
	struct ui *ui = *state;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		ui_press(ui, ":");
		ui_press(ui, words[i].word);
		assert_string_equal(first_found(ui), words[i].command);
		ui_press_key(ui, UI_KEY_ESCAPE);
		ui_press_key(ui, UI_KEY_ESCAPE);
	}
}

/* The same word is another command's where that one is missing. */
static void test_a_word_finds_what_the_place_has(void **state)
{
	struct ui *ui = *state;

	ui_press(ui, "a");
	ui_reply(ui);
	ui_press(ui, ":annotate");
	assert_string_equal(first_found(ui), "next-layer");
	ui_press_key(ui, UI_KEY_ESCAPE);
	ui_press_key(ui, UI_KEY_ESCAPE);
	ui_press(ui, "8");
	ui_reply(ui);
	ui_press(ui, ":kill");
	assert_string_equal(first_found(ui), "probe-remove");
}

/* "sampling goes on" stands in the help of one command only. */
static void test_what_a_command_does_finds_it(void **state)
{
	struct ui *ui = *state;

	ui_press(ui, ":goes sampling");
	assert_int_equal(ui->state.menu.shown_count, 1);
	assert_string_equal(first_found(ui), "pause");
}

UNIT_TESTS(test_command_palette)
{
	const struct CMUnitTest tests[] = {
		UI_TEST(test_the_palette_has_every_command_of_the_place_but_itself),
		UI_TEST(test_the_palette_runs_what_is_chosen),
		UI_TEST(test_a_row_meant_by_the_palette_is_waited_for),
		UI_TEST(test_the_palette_has_presets),
		UI_TEST(test_a_word_of_another_tool_finds_its_command_first),
		UI_TEST(test_a_word_finds_what_the_place_has),
		UI_TEST(test_what_a_command_does_finds_it),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
