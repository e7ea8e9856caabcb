/* Text lands in the right cells, whatever its bytes and widths are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <locale.h>

#include <cmocka.h>

#include "term/canvas.h"
#include "ui/term/utf8.h"
#include "unit_tests.h"

/* The codes of a line, tails as '_'. */
static const char *line_text(const struct canvas *canvas, int y)
{
	static char out[512];
	size_t used = 0;

	for (int x = 0; x < canvas->width; x++) {
		const struct canvas_cell *cell = &canvas->cells[y * canvas->width + x];

		used += utf8_encode(out + used, cell->code == CANVAS_TAIL ? '_' : cell->code);
		if (cell->mark)
			used += utf8_encode(out + used, cell->mark);
	}
	return out;
}

static struct canvas make_canvas(int width, int height)
{
	struct canvas canvas = { .is_ascii = false };

	assert_int_equal(canvas_resize(&canvas, width, height), 0);
	return canvas;
}

static void test_text_is_cut_with_an_ellipsis_at_its_area(void **state)
{
	struct canvas canvas = make_canvas(12, 1);

	(void)state;
	assert_int_equal(canvas_put_text(&canvas, (struct canvas_area){ 2, 0, 5 },
					 SAFE_TEXT("abcdefgh"), ROLE_DIM),
			 5);
	assert_string_equal(line_text(&canvas, 0), "  abcd\u2026     ");
	assert_int_equal(canvas.cells[2].role, ROLE_DIM);
	assert_int_equal(canvas.cells[7].role, ROLE_TEXT);
	canvas_finish(&canvas);
}

static void test_text_that_fits_exactly_is_whole(void **state)
{
	struct canvas canvas = make_canvas(8, 1);

	(void)state;
	assert_int_equal(canvas_put_text(&canvas, (struct canvas_area){ 0, 0, 8 },
					 SAFE_TEXT("abcdefgh"), ROLE_TEXT),
			 8);
	assert_string_equal(line_text(&canvas, 0), "abcdefgh");
	canvas_finish(&canvas);
}

static void test_nothing_is_drawn_outside_the_canvas(void **state)
{
	struct canvas canvas = make_canvas(4, 2);

	(void)state;
	assert_int_equal(canvas_put_text(&canvas, (struct canvas_area){ 2, 0, 10 },
					 SAFE_TEXT("abcdef"), ROLE_TEXT),
			 2);
	canvas_put_text(&canvas, (struct canvas_area){ 0, 2, 4 }, SAFE_TEXT("below"), ROLE_TEXT);
	canvas_put_text(&canvas, (struct canvas_area){ -1, 1, 4 }, SAFE_TEXT("left"), ROLE_TEXT);
	canvas_put_text(&canvas, (struct canvas_area){ 4, 1, 4 }, SAFE_TEXT("right"), ROLE_TEXT);
	canvas_put_text(&canvas, (struct canvas_area){ 0, 1, 0 }, SAFE_TEXT("none"), ROLE_TEXT);
	canvas_set_role(&canvas, (struct canvas_area){ 3, 1, 9 }, ROLE_HOT);
	assert_string_equal(line_text(&canvas, 0), "  a\u2026");
	assert_string_equal(line_text(&canvas, 1), "    ");
	canvas_finish(&canvas);
}

static void test_wide_characters_take_two_cells_and_are_never_halved(void **state)
{
	struct canvas canvas = make_canvas(8, 1);

	(void)state;
	assert_int_equal(canvas_text_width(&canvas, "\u6f22\u5b57"), 4);
	canvas_put_text(&canvas, (struct canvas_area){ 0, 0, 4 }, SAFE_TEXT("\u6f22\u5b57\u6f22"),
			ROLE_TEXT);
	assert_string_equal(line_text(&canvas, 0), "\u6f22_ \u2026    ");
	canvas_finish(&canvas);
}

static void test_overwriting_half_of_a_wide_character_blanks_the_other(void **state)
{
	struct canvas canvas = make_canvas(6, 1);

	(void)state;
	canvas_put_text(&canvas, (struct canvas_area){ 0, 0, 6 }, SAFE_TEXT("\u6f22\u5b57"),
			ROLE_TEXT);
	canvas_put_text(&canvas, (struct canvas_area){ 1, 0, 1 }, SAFE_TEXT("x"), ROLE_TEXT);
	canvas_put_text(&canvas, (struct canvas_area){ 2, 0, 1 }, SAFE_TEXT("y"), ROLE_TEXT);
	assert_string_equal(line_text(&canvas, 0), " xy   ");
	canvas_finish(&canvas);
}

static void test_a_combining_mark_shares_the_cell_before_it(void **state)
{
	struct canvas canvas = make_canvas(5, 1);

	(void)state;
	assert_int_equal(canvas_put_text(&canvas, (struct canvas_area){ 0, 0, 5 },
					 SAFE_TEXT("cafe\u0301"), ROLE_TEXT),
			 4);
	assert_int_equal(canvas.cells[3].code, 'e');
	assert_int_equal(canvas.cells[3].mark, 0x301);
	assert_int_equal(canvas.cells[4].code, ' ');
	canvas_put_text(&canvas, (struct canvas_area){ 3, 0, 1 }, SAFE_TEXT("x"), ROLE_TEXT);
	assert_int_equal(canvas.cells[3].mark, 0);
	canvas_finish(&canvas);
}

static void test_ascii_has_stand_ins_and_question_marks(void **state)
{
	struct canvas canvas = make_canvas(10, 1);

	(void)state;
	canvas.is_ascii = true;
	canvas_put_text(&canvas, (struct canvas_area){ 0, 0, 10 },
			SAFE_TEXT("\u25b8a\u00b7\u6f22\u2588\u2026"), ROLE_TEXT);
	assert_string_equal(line_text(&canvas, 0), ">a-?#~    ");
	canvas_put_text(&canvas, (struct canvas_area){ 0, 0, 3 }, SAFE_TEXT("abcdef"), ROLE_TEXT);
	assert_string_equal(line_text(&canvas, 0), "ab~?#~    ");
	canvas_finish(&canvas);
}

static void test_control_and_invalid_bytes_never_reach_a_cell(void **state)
{
	struct canvas canvas = make_canvas(8, 1);

	(void)state;
	canvas_put_text(&canvas, (struct canvas_area){ 0, 0, 8 }, SAFE_TEXT("a\033[b\x9b\xffz"),
			ROLE_TEXT);
	assert_string_equal(line_text(&canvas, 0), "a?[b\ufffd\ufffdz ");
	canvas_finish(&canvas);
}

static void test_right_alignment_counts_cells_not_bytes(void **state)
{
	struct canvas canvas = make_canvas(6, 1);

	(void)state;
	canvas_put_right(&canvas, (struct canvas_area){ 0, 0, 6 }, SAFE_TEXT("\u25bc\u00b7x"),
			 ROLE_TEXT);
	assert_string_equal(line_text(&canvas, 0), "   \u25bc\u00b7x");
	canvas_finish(&canvas);
}

static void test_of_several_marks_the_first_stays_and_columns_are_straight(void **state)
{
	struct canvas canvas = make_canvas(6, 1);

	(void)state;
	assert_int_equal(canvas_put_text(&canvas, (struct canvas_area){ 0, 0, 6 },
					 SAFE_TEXT("\u0308a\u0301\u0302\u0303\u6f22\u3099b"),
					 ROLE_TEXT),
			 4);
	assert_string_equal(line_text(&canvas, 0), "a\u0301\u6f22\u3099_b  ");
	canvas_finish(&canvas);
}

/* Joiners, direction marks and overrides, a selector, a byte order mark: one cell each. */
static void test_characters_that_nobody_sees_never_reach_a_cell(void **state)
{
	const struct safe_text hidden[] = {
		SAFE_TEXT("a\u200db"), SAFE_TEXT("a\u200bb"), SAFE_TEXT("a\u200eb"),
		SAFE_TEXT("a\u200fb"), SAFE_TEXT("a\u202eb"), SAFE_TEXT("a\u2066b"),
		SAFE_TEXT("a\u061cb"), SAFE_TEXT("a\ufeffb"), SAFE_TEXT("a\ufe0fb"),
		SAFE_TEXT("a\u2028b"), SAFE_TEXT("a\u00adb"),
	};
	struct canvas canvas = make_canvas(3, 1);

	(void)state;
	for (size_t i = 0; i < sizeof(hidden) / sizeof(hidden[0]); i++) {
		assert_int_equal(canvas_put_text(&canvas, (struct canvas_area){ 0, 0, 3 },
						 hidden[i], ROLE_TEXT),
				 3);
		assert_string_equal(line_text(&canvas, 0), "a?b");
	}
	canvas_finish(&canvas);
}

static void test_a_line_is_drawn_as_it_is_or_cleaned(void **state)
{
	static const char clean[] = "\u6f22 e\u0301";

	(void)state;
	assert_ptr_equal(canvas_clean(clean).chars, clean);
	assert_string_equal(canvas_clean("a\xe6\xbc").chars, "a\\xe6\\xbc");	/* a cut end */
	assert_string_equal(canvas_clean("a\033[2Jb\u202e").chars, "a\\x1b[2Jb<U+202E>");
	assert_string_equal(canvas_clean("\u0301\u0302ab").chars, "ab");	/* scrolled */
	assert_string_equal(canvas_clean("\u200da").chars, "<U+200D>a");
	assert_string_equal(canvas_clean("").chars, "");
}

static void test_a_box_is_empty_inside_and_cuts_wide_characters_right(void **state)
{
	struct canvas canvas = make_canvas(8, 3);

	(void)state;
	for (int y = 0; y < 3; y++)
		canvas_put_text(&canvas, (struct canvas_area){ 0, y, 8 },
				SAFE_TEXT("a\u6f22\u5b57\u6f22b"), ROLE_HOT);
	canvas_put_box(&canvas, 2, 0, 4, 3, ROLE_BOX);
	assert_string_equal(line_text(&canvas, 0), "a \u256d\u2500\u2500\u256e b");
	assert_string_equal(line_text(&canvas, 1), "a \u2502  \u2502 b");
	assert_string_equal(line_text(&canvas, 2), "a \u2570\u2500\u2500\u256f b");
	assert_int_equal(canvas.cells[1].role, ROLE_HOT);
	assert_int_equal(canvas.cells[8 + 3].role, ROLE_BOX);
	canvas_finish(&canvas);
}

static void test_a_box_is_clipped_and_ascii_where_that_is_asked_for(void **state)
{
	struct canvas canvas = make_canvas(5, 3);

	(void)state;
	canvas.is_ascii = true;
	canvas_put_box(&canvas, -1, 1, 4, 9, ROLE_BOX);
	canvas_put_box(&canvas, 3, -2, 9, 4, ROLE_BOX);
	canvas_put_box(&canvas, 0, 0, 1, 3, ROLE_BOX);
	canvas_put_box(&canvas, 0, 0, 3, 1, ROLE_BOX);
	assert_string_equal(line_text(&canvas, 0), "   | ");
	assert_string_equal(line_text(&canvas, 1), "--++-");
	assert_string_equal(line_text(&canvas, 2), "  |  ");
	canvas_finish(&canvas);
}

/* Half cells 3 to 8 of 12: the right half of cell 1, cells 2 and 3, the left half of cell 4. */
static void test_a_fill_ends_in_half_cells(void **state)
{
	struct canvas canvas = make_canvas(6, 2);

	(void)state;
	canvas_put_fill(&canvas, 3, 9, 0, ROLE_FILL_USER);
	assert_string_equal(line_text(&canvas, 0), " \u2590  \u258c ");
	for (int x = 0; x < 6; x++) {
		assert_int_equal(canvas.cells[x].role,
				 x >= 1 && x <= 4 ? ROLE_FILL_USER : ROLE_TEXT);
		assert_int_equal(canvas.cells[x].ink, x == 1 || x == 4 ? INK_FILL : INK_TEXT);
	}
	canvas_put_fill(&canvas, 0, 1, 1, ROLE_FILL_USER);
	canvas_put_fill(&canvas, 10, 40, 1, ROLE_FILL_USER);	/* beyond the right edge */
	canvas_put_fill(&canvas, 0, 4, 2, ROLE_FILL_USER);	/* and below the last line */
	assert_string_equal(line_text(&canvas, 1), "\u258c     ");
	assert_int_equal(canvas.cells[11].role, ROLE_FILL_USER);
	canvas_finish(&canvas);
}

static void test_in_ascii_only_whole_cells_are_filled(void **state)
{
	struct canvas canvas = make_canvas(4, 1);

	(void)state;
	canvas.is_ascii = true;
	canvas_put_fill(&canvas, 1, 5, 0, ROLE_FILL_USER);
	assert_string_equal(line_text(&canvas, 0), "    ");
	for (int x = 0; x < 4; x++)
		assert_int_equal(canvas.cells[x].role, x == 1 ? ROLE_FILL_USER : ROLE_TEXT);
	canvas_finish(&canvas);
}

static void test_ascii_eighths_grow_in_ink(void **state)
{
	struct canvas canvas = make_canvas(8, 1);

	(void)state;
	canvas.is_ascii = true;
	canvas_put_text(&canvas, (struct canvas_area){ 0, 0, 8 },
			SAFE_TEXT("\u2581\u2582\u2583\u2584\u2585\u2586\u2587\u2588"),
			ROLE_ACTIVITY);
	assert_string_equal(line_text(&canvas, 0), ".:-=+*%#");
	canvas_finish(&canvas);
}

UNIT_TESTS(test_canvas)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text_is_cut_with_an_ellipsis_at_its_area),
		cmocka_unit_test(test_text_that_fits_exactly_is_whole),
		cmocka_unit_test(test_nothing_is_drawn_outside_the_canvas),
		cmocka_unit_test(test_wide_characters_take_two_cells_and_are_never_halved),
		cmocka_unit_test(test_overwriting_half_of_a_wide_character_blanks_the_other),
		cmocka_unit_test(test_a_combining_mark_shares_the_cell_before_it),
		cmocka_unit_test(test_ascii_has_stand_ins_and_question_marks),
		cmocka_unit_test(test_control_and_invalid_bytes_never_reach_a_cell),
		cmocka_unit_test(test_right_alignment_counts_cells_not_bytes),
		cmocka_unit_test(test_of_several_marks_the_first_stays_and_columns_are_straight),
		cmocka_unit_test(test_characters_that_nobody_sees_never_reach_a_cell),
		cmocka_unit_test(test_a_line_is_drawn_as_it_is_or_cleaned),
		cmocka_unit_test(test_a_box_is_empty_inside_and_cuts_wide_characters_right),
		cmocka_unit_test(test_a_box_is_clipped_and_ascii_where_that_is_asked_for),
		cmocka_unit_test(test_a_fill_ends_in_half_cells),
		cmocka_unit_test(test_in_ascii_only_whole_cells_are_filled),
		cmocka_unit_test(test_ascii_eighths_grow_in_ink),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
