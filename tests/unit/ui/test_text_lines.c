/* Sentences on lines: whole words, and words that are wider than a line in pieces. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <locale.h>
#include <string.h>

#include <cmocka.h>

#include "ui/term/text_lines.h"
#include "ui/term/utf8.h"
#include "unit_tests.h"

#define LINES 6

/* What @text looks like in @width cells: its lines, '|' after each. */
static const char *wrap(const char *text, int width)
{
	static char out[LINES * 64];
	struct canvas canvas = { .is_ascii = false };
	size_t used = 0;
	int lines;

	assert_int_equal(canvas_resize(&canvas, width, LINES), 0);
	lines = text_lines_put(&canvas, (struct canvas_area){ 0, 0, width }, LINES, text,
			       ROLE_TEXT);
	assert_int_equal(lines, text_lines_count(&canvas, width, text));
	for (int y = 0; y < lines; y++) {
		for (int x = 0; x < width; x++) {
			const uint32_t code = canvas.cells[y * width + x].code;

			if (code != CANVAS_TAIL)
				used += utf8_encode(out + used, code);
		}
		used += utf8_encode(out + used, '|');
	}
	out[used] = '\0';
	canvas_finish(&canvas);
	return out;
}

static void test_lines_end_between_words(void **state)
{
	(void)state;
	assert_string_equal(wrap("one two three", 8), "one two |three   |");
	assert_string_equal(wrap("one two three", 13), "one two three|");
	assert_string_equal(wrap("", 8), "");
}

static void test_a_word_that_is_wider_than_a_line_is_broken(void **state)
{
	(void)state;
	assert_string_equal(wrap("abcdefgh", 3), "abc|def|gh |");
	assert_string_equal(wrap("a bcdefgh ij", 4), "a   |bcde|fgh |ij  |");
}

static void test_a_wide_character_is_not_cut_in_half(void **state)
{
	(void)state;
	assert_string_equal(wrap("\u65e5\u672c\u8a9e", 5), "\u65e5\u672c |\u8a9e   |");
	assert_string_equal(wrap("\u65e5\u672c", 1), "\u2026|\u2026|");
}

UNIT_TESTS(test_text_lines)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines_end_between_words),
		cmocka_unit_test(test_a_word_that_is_wider_than_a_line_is_broken),
		cmocka_unit_test(test_a_wide_character_is_not_cut_in_half),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
