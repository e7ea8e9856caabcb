/* Pieces leave by rank, one at a time, and never all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <locale.h>

#include <cmocka.h>

#include "ui/widgets/pieces.h"
#include "unit_tests.h"

#define CELLS 40

/* What is left of "aaaa:1 bbbb:3 cccc:2 dddd:3", a letter each; 4 cells with 2 between. */
static const char *fitted(int width)
{
	static char left[8];
	struct canvas canvas = { .is_ascii = true };
	struct pieces pieces = { .gap = ", " };
	size_t i;
	int used;

	pieces_add(&pieces, 1, ROLE_TEXT, "%s", "aaaa");
	pieces_add(&pieces, 3, ROLE_TEXT, "%s", "bbbb");
	pieces_add(&pieces, 2, ROLE_TEXT, "%s", "cccc");
	pieces_add(&pieces, 3, ROLE_TEXT, "%s", "dddd");
	assert_int_equal(pieces_width(&canvas, &pieces), 22);
	used = pieces_fit(&canvas, &pieces, width);
	assert_int_equal(used, pieces.count * 6 - 2);
	for (i = 0; i < pieces.count; i++)
		left[i] = pieces.list[i].text[0];
	left[i] = '\0';
	return left;
}

static void test_the_largest_rank_leaves_first_and_of_equal_ones_the_last(void **state)
{
	(void)state;
	assert_string_equal(fitted(22), "abcd");
	assert_string_equal(fitted(21), "abc");
	assert_string_equal(fitted(15), "ac");
	assert_string_equal(fitted(10), "ac");
	assert_string_equal(fitted(9), "a");
	assert_string_equal(fitted(1), "a");
}

static void test_pieces_of_one_rank_do_not_leave_together(void **state)
{
	struct canvas canvas = { .is_ascii = true };
	struct pieces pieces = { .gap = " " };

	(void)state;
	pieces_add(&pieces, 1, ROLE_TEXT, "paused");
	pieces_add(&pieces, 1, ROLE_TEXT, "lost");
	assert_int_equal(pieces_fit(&canvas, &pieces, 8), 6);
	assert_int_equal(pieces.count, 1);
	assert_string_equal(pieces.list[0].text, "paused");
}

static void test_they_are_drawn_in_their_area_with_the_gap_between(void **state)
{
	struct canvas canvas = { .is_ascii = false };
	struct pieces pieces = { .gap = " \u00b7 " };

	(void)state;
	assert_int_equal(canvas_resize(&canvas, CELLS, 1), 0);
	pieces_add(&pieces, 1, ROLE_STATE, "one");
	pieces_add(&pieces, 1, ROLE_LOSS, "two");
	assert_int_equal(pieces_put(&canvas, (struct canvas_area){ 5, 0, 20 }, &pieces), 14);
	assert_int_equal(canvas.cells[5].code, 'o');
	assert_int_equal(canvas.cells[5].role, ROLE_STATE);
	assert_int_equal(canvas.cells[9].code, 0xb7);
	assert_int_equal(canvas.cells[9].role, ROLE_DIM);
	assert_int_equal(canvas.cells[13].code, 'o');
	assert_int_equal(canvas.cells[13].role, ROLE_LOSS);
	canvas_clear(&canvas);
	assert_int_equal(pieces_put(&canvas, (struct canvas_area){ 5, 0, 8 }, &pieces), 13);
	assert_int_equal(canvas.cells[12].code, 0x2026);
	assert_int_equal(canvas.cells[13].code, ' ');
	canvas_finish(&canvas);
}

static void test_more_than_there_is_room_for_is_left_out(void **state)
{
	static struct pieces pieces = { .gap = "" };

	(void)state;
	for (int i = 0; i < PIECE_COUNT + 3; i++)
		pieces_add(&pieces, i, ROLE_TEXT, "%d", i);
	assert_int_equal(pieces.count, PIECE_COUNT);
	assert_string_equal(pieces.list[PIECE_COUNT - 1].text, "31");
}

UNIT_TESTS(test_pieces)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_largest_rank_leaves_first_and_of_equal_ones_the_last),
		cmocka_unit_test(test_pieces_of_one_rank_do_not_leave_together),
		cmocka_unit_test(test_they_are_drawn_in_their_area_with_the_gap_between),
		cmocka_unit_test(test_more_than_there_is_room_for_is_left_out),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
