/* What is looked for is found in text and in the same places on the screen. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <locale.h>
#include <string.h>

#include <cmocka.h>

#include "ui/widgets/search.h"
#include "unit_tests.h"

#define CELLS 20

/* Draws @text on a line of CELLS cells and returns which of them a search marks: '^'. */
static const char *marked(const char *text, const char *search)
{
	static char out[CELLS + 1];
	struct canvas canvas = { .is_ascii = false };
	const struct canvas_area line = { 0, 0, CELLS };

	assert_int_equal(canvas_resize(&canvas, CELLS, 1), 0);
	canvas_put_text(&canvas, line, canvas_clean(text), ROLE_TEXT);
	search_highlight(&canvas, line, search);
	for (int x = 0; x < CELLS; x++)
		out[x] = canvas.cells[x].role == ROLE_MATCH ? '^' : '.';
	canvas_finish(&canvas);
	return out;
}

static void test_small_letters_find_any_case_and_capitals_only_themselves(void **state)
{
	(void)state;
	assert_true(search_matches("hash", "get_Hash_entry"));
	assert_true(search_matches("Hash", "get_Hash_entry"));
	assert_false(search_matches("HASH", "get_Hash_entry"));
	assert_false(search_matches("hAsh", "get_hash_entry"));
	assert_true(search_matches("\u00e4rger", "\u00c4RGER"));
	assert_false(search_matches("\u00c4rger", "\u00e4rger"));
}

static void test_nothing_is_nowhere(void **state)
{
	(void)state;
	assert_false(search_matches("", "text"));
	assert_false(search_matches("", ""));
	assert_false(search_matches("a", ""));
	assert_false(search_matches("a\ufffd", "a"));	/* decoding gives this at the end */
	assert_string_equal(marked("text", ""), "....................");
}

static void test_find_gives_the_first_occurrence_even_after_a_false_start(void **state)
{
	static const char text[] = "aab\u6f22aab";

	(void)state;
	assert_ptr_equal(search_find("ab", text), text + 1);
	assert_ptr_equal(search_find("\u6f22", text), text + 3);
	assert_ptr_equal(search_find("aab", text + 1), text + 6);
	assert_null(search_find("aabb", text));
}

static void test_every_occurrence_on_the_line_is_marked(void **state)
{
	(void)state;
	assert_string_equal(marked("do_x do_DO do", "do"), "^^...^^.^^.^^.......");
	assert_string_equal(marked("aaaaa", "aa"), "^^^^................");
}

static void test_wide_characters_are_marked_in_both_cells(void **state)
{
	(void)state;
	/* a  wide wide  b: cells 0, 1-2, 3-4, 5 */
	assert_string_equal(marked("a\u6f22\u5b57b", "\u5b57"), "...^^...............");
	assert_string_equal(marked("a\u6f22\u5b57b", "\u5b57b"), "...^^^..............");
	assert_string_equal(marked("a\u6f22\u5b57b", "a\u6f22"), "^^^.................");
}

static void test_an_accent_belongs_to_its_letter(void **state)
{
	(void)state;
	assert_string_equal(marked("cafe\u0301s", "cafe"), "^^^^................");
	assert_string_equal(marked("cafe\u0301s", "e\u0301s"), "...^^...............");
	assert_string_equal(marked("cafe\u0301s", "es"), "....................");
	assert_false(search_matches("es", "cafe\u0301s"));
}

static void test_marks_stay_within_their_area(void **state)
{
	struct canvas canvas = { .is_ascii = false };

	(void)state;
	assert_int_equal(canvas_resize(&canvas, 6, 2), 0);
	canvas_put_text(&canvas, (struct canvas_area){ 0, 0, 6 }, SAFE_TEXT("ababab"), ROLE_TEXT);
	search_highlight(&canvas, (struct canvas_area){ 1, 0, 3 }, "ab");
	for (int x = 0; x < 6; x++)
		assert_int_equal(canvas.cells[x].role == ROLE_MATCH, x == 2 || x == 3);
	search_highlight(&canvas, (struct canvas_area){ 4, 0, 90 }, "ab");
	assert_int_equal(canvas.cells[5].role, ROLE_MATCH);
	canvas_put_text(&canvas, (struct canvas_area){ 0, 1, 6 }, SAFE_TEXT("cd"), ROLE_TEXT);
	canvas_put_text(&canvas, (struct canvas_area){ 5, 0, 1 }, SAFE_TEXT("x"), ROLE_TEXT);
	search_highlight(&canvas, (struct canvas_area){ 4, 0, 90 }, "xc");	/* two lines */
	assert_int_equal(canvas.cells[5].role, ROLE_TEXT);
	search_highlight(&canvas, (struct canvas_area){ 0, 2, 6 }, "ab");
	search_highlight(&canvas, (struct canvas_area){ 9, 0, 6 }, "ab");
	search_highlight(&canvas, (struct canvas_area){ -1, 0, 6 }, "ab");
	canvas_finish(&canvas);
}

UNIT_TESTS(test_search)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_small_letters_find_any_case_and_capitals_only_themselves),
		cmocka_unit_test(test_nothing_is_nowhere),
		cmocka_unit_test(test_find_gives_the_first_occurrence_even_after_a_false_start),
		cmocka_unit_test(test_every_occurrence_on_the_line_is_marked),
		cmocka_unit_test(test_wide_characters_are_marked_in_both_cells),
		cmocka_unit_test(test_an_accent_belongs_to_its_letter),
		cmocka_unit_test(test_marks_stay_within_their_area),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
