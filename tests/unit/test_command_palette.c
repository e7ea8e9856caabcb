/* The palette: what it lists, what a word finds first, and what choosing a line does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <locale.h>
#include <string.h>

#include <cmocka.h>

#include "scene_fixture.h"
#include "ui/commands.h"

static void test_the_palette_has_every_command_of_the_place_but_itself(void **state)
{
	struct scene *scene = *state;
	size_t in_pages = 0, in_tables = 0;

	for (size_t i = 0; i < command_count; i++) {
		in_pages += (commands[i].where & IN_PAGER) != 0;
		in_tables += (commands[i].where & IN_TABLE) != 0;
	}
	scene_press(scene, ":");
	assert_int_equal(scene->state.menu.count, in_tables - 1);
	scene_press_key(scene, UI_KEY_ESCAPE);
	scene_press(scene, "?:");
	assert_int_equal(scene->state.menu.count, in_pages - 1);
}

static void test_the_palette_runs_what_is_chosen(void **state)
{
	struct scene *scene = *state;

	scene_press(scene, ":");
	scene_choose(scene, "hide-kernel");
	assert_true(scene->state.hide_kernel);
	scene_press(scene, ":");
	scene_choose(scene, "interval");	/* it has no key */
	assert_string_equal(scene->state.prompt.label, "refresh every (s):");
	scene_press_key(scene, UI_KEY_ESCAPE);
	scene_answer(scene);
	scene_press(scene, ":");
	scene_choose(scene, "order");		/* a menu from a menu */
	assert_string_equal(scene->state.menu.title, "sort by");
}

static void test_a_row_meant_by_the_palette_is_waited_for(void **state)
{
	struct scene *scene = *state;

	scene_press(scene, "2:");
	scene_choose(scene, "open");
	assert_int_equal(scene->state.trail.count, 1);
	scene_answer(scene);
	assert_int_equal(scene->state.trail.filter.parts[0].field, FILTER_OBJECT);
}

static const char *first_found(const struct scene *scene)
{
	const struct menu *menu = &scene->state.menu;

	return menu->shown_count ? commands[menu->items[menu->shown[0]].id].name : "nothing";
}

/* What people call it, and the command that does it here or comes next to it. */
static void test_a_word_of_another_tool_finds_its_command_first(void **state)
{
	static const struct {
		const char *word, *command;
	} words[] = {
		{ "annotate", "columns" }, { "source", "columns" }, { "thread", "tasks" },
		{ "kill", "row-menu" }, { "export", "save-stacks" }, { "delay", "interval" },
		{ "baseline", "mark-baseline" }, { "syscalls", "find-target" },
		{ "functions", "symbols" }, { "libraries", "objects" }, { "cores", "cpus" },
		{ "callers", "tree" }, { "flamegraph", "flame" }, { "hierarchy", "groups" },
		{ "tracepoints", "find-target" }, { "uprobe", "probe" },
		{ "breakpoint", "probe" }, { "grep", "filter" }, { "find", "search" },
		{ "fields", "columns" }, { "freeze", "pause" }, { "history", "earlier" },
		{ "duration", "window" }, { "reset", "zero" }, { "diff", "compare" },
		{ "counters", "event" }, { "hz", "frequency" }, { "cgroup", "target" },
		{ "mangled", "raw-names" }, { "colors", "theme" }, { "lost", "losses" },
		{ "warnings", "messages" }, { "exit", "quit" }, { "shortcuts", "help" },
	};
	struct scene *scene = *state;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		scene_press(scene, ":");
		scene_press(scene, words[i].word);
		assert_string_equal(first_found(scene), words[i].command);
		scene_press_key(scene, UI_KEY_ESCAPE);
		scene_press_key(scene, UI_KEY_ESCAPE);
	}
}

/* The same word is another command's where that one is missing. */
static void test_a_word_finds_what_the_place_has(void **state)
{
	struct scene *scene = *state;

	scene_press(scene, "6");
	scene_answer(scene);
	scene_press(scene, ":annotate");
	assert_string_equal(first_found(scene), "inlined");
	scene_press_key(scene, UI_KEY_ESCAPE);
	scene_press_key(scene, UI_KEY_ESCAPE);
	scene_press(scene, "8");
	scene_answer(scene);
	scene_press(scene, ":kill");
	assert_string_equal(first_found(scene), "probe-remove");
}

/* "sampling goes on" stands in the help of one command only. */
static void test_what_a_command_does_finds_it(void **state)
{
	struct scene *scene = *state;

	scene_press(scene, ":goes sampling");
	assert_int_equal(scene->state.menu.shown_count, 1);
	assert_string_equal(first_found(scene), "pause");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE_TEST(test_the_palette_has_every_command_of_the_place_but_itself),
		SCENE_TEST(test_the_palette_runs_what_is_chosen),
		SCENE_TEST(test_a_row_meant_by_the_palette_is_waited_for),
		SCENE_TEST(test_a_word_of_another_tool_finds_its_command_first),
		SCENE_TEST(test_a_word_finds_what_the_place_has),
		SCENE_TEST(test_what_a_command_does_finds_it),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
