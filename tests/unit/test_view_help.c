/* The page of keys: what comes first, each command once, no more lines than five small screens. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <locale.h>
#include <string.h>

#include <cmocka.h>

#include "probe_fixture.h"
#include "scene_fixture.h"
#include "ui/commands.h"

static const struct pager *open_help(struct scene *scene)
{
	scene_press(scene, "?");
	scene_text(scene);
	return &scene->state.help;
}

static void open_at(struct scene *scene, enum view_kind kind, int width, int height)
{
	scene_open(scene, width, height);
	scene_show(scene);
	state_show_kind(&scene->state, kind);
	if (kind == VIEW_PROBES)
		probe_fixture_answer(scene);
	else
		scene_answer(scene);
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
	struct scene scene;
	const struct pager *pager;

	(void)state;
	open_at(&scene, VIEW_TREE, 80, 24);
	pager = open_help(&scene);
	assert_int_equal(line_of(pager, "Keys in tree"), 0);
	assert_true(line_of(pager, "Turn the tree round") < line_of(pager, "Keys in all views"));
	assert_true(line_of(pager, "Quit") > line_of(pager, "Keys in all views"));
	assert_true(line_of(pager, "Quit") < line_of(pager, "Keys in tables"));
	assert_true(line_of(pager, "Columns to show") > line_of(pager, "Keys in tables"));
	scene_finish(&scene);
	open_at(&scene, VIEW_PROBES, 80, 24);
	pager = open_help(&scene);
	assert_int_equal(line_of(pager, "Keys in probes"), 0);
	assert_true(line_of(pager, "extend its lease") < line_of(pager, "Keys in all views"));
	scene_finish(&scene);
}

/* Those of one subject share a line, of which the first key is the command's that comes first. */
static void test_each_command_is_listed_once(void **state)
{
	struct scene scene;
	const struct pager *pager;
	char keys[KEYMAP_TEXT_BYTES];

	(void)state;
	open_at(&scene, VIEW_SYMBOLS, 80, 24);
	pager = open_help(&scene);
	for (size_t i = 0; i < command_count; i++) {
		keymap_format(&scene.keymap, &commands[i], keys);
		if (keys[0] && line_of(pager, keys) == SIZE_MAX)
			fail_msg("the help lacks %s", keys);
	}
	assert_int_equal(line_of(pager, "Keys in tables"), 0);
	for (size_t i = 1; i < pager->count; i++)
		assert_null(strstr(pager->lines[i].text, "Keys in tables"));
	assert_true(line_of(pager, "Turn the tree round") != SIZE_MAX);
	for (size_t i = line_of(pager, "Turn the tree round") + 1; i < pager->count; i++)
		assert_null(strstr(pager->lines[i].text, "Turn the tree round"));
	scene_finish(&scene);
}

static void test_five_small_screens_have_it_all(void **state)
{
	struct scene scene;
	const struct pager *pager;

	(void)state;
	for (int kind = 0; kind < VIEW_COUNT; kind++) {
		open_at(&scene, (enum view_kind)kind, 80, 24);
		pager = open_help(&scene);
		if (pager->height > 5 * pager->page)
			fail_msg("view %d: %d lines, on pages of %d", kind, pager->height,
				 pager->page);
		scene_finish(&scene);
	}
}

static void test_the_bottom_line_says_which_page_it_is(void **state)
{
	struct scene scene;

	(void)state;
	open_at(&scene, VIEW_SYMBOLS, 80, 24);
	open_help(&scene);
	assert_true(scene_has(&scene, "page 1 of 5"));
	scene_press_key(&scene, UI_KEY_PAGE_DOWN);
	assert_true(scene_has(&scene, "page 2 of 5"));
	scene_press_key(&scene, UI_KEY_END);
	assert_true(scene_has(&scene, "page 5 of 5"));
	scene_finish(&scene);
}

static void test_a_wide_screen_has_two_columns(void **state)
{
	struct scene scene;
	const struct pager *pager;
	size_t narrow;

	(void)state;
	open_at(&scene, VIEW_SYMBOLS, 119, 40);
	narrow = open_help(&scene)->count;
	scene_finish(&scene);
	open_at(&scene, VIEW_SYMBOLS, 160, 60);
	pager = open_help(&scene);
	assert_true(pager->count < narrow * 2 / 3);
	assert_true(pager->lines[0].second_cell > 70);
	assert_true(scene_has(&scene, "Quit"));
	assert_true(scene_has(&scene, "hypervisor"));
	scene_finish(&scene);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_keys_of_the_view_come_first_then_those_of_all),
		cmocka_unit_test(test_each_command_is_listed_once),
		cmocka_unit_test(test_five_small_screens_have_it_all),
		cmocka_unit_test(test_the_bottom_line_says_which_page_it_is),
		cmocka_unit_test(test_a_wide_screen_has_two_columns),
	};

	setlocale(LC_ALL, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
