/* A cursor among numbered rows, and what of them is on the screen. All with pages of 5 rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ui/widgets/table_rows.h"
#include "unit_tests.h"

static const struct table_extent twenty = { .rows = 20, .page = 5 };
static const struct table_extent three = { .rows = 3, .page = 5 };
static const struct table_extent none = { .rows = 0, .page = 5 };

#define assert_place(place, its_cursor, its_top)                \
	do {                                                    \
		assert_int_equal((place).cursor, (its_cursor)); \
		assert_int_equal((place).top, (its_top));       \
	} while (0)

static void test_the_frame_moves_only_when_the_cursor_would_leave_it(void **state)
{
	struct table_place place = { .cursor = 0 };

	(void)state;
	for (int i = 0; i < 4; i++)
		table_place_move(&place, twenty, MOVE_DOWN);
	assert_place(place, 4, 0);
	table_place_move(&place, twenty, MOVE_DOWN);
	assert_place(place, 5, 1);
	for (int i = 0; i < 4; i++)
		table_place_move(&place, twenty, MOVE_UP);
	assert_place(place, 1, 1);
	table_place_move(&place, twenty, MOVE_UP);
	assert_place(place, 0, 0);
	table_place_move(&place, twenty, MOVE_UP);
	assert_place(place, 0, 0);
}

static void test_pages_and_ends_stop_at_the_rows_there_are(void **state)
{
	struct table_place place = { .cursor = 1 };

	(void)state;
	table_place_move(&place, twenty, MOVE_PAGE_DOWN);
	assert_place(place, 6, 2);
	table_place_move(&place, twenty, MOVE_PAGE_UP);
	assert_place(place, 1, 1);
	table_place_move(&place, twenty, MOVE_PAGE_UP);
	assert_place(place, 0, 0);
	table_place_move(&place, twenty, MOVE_LAST);
	assert_place(place, 19, 15);
	table_place_move(&place, twenty, MOVE_PAGE_DOWN);
	assert_place(place, 19, 15);
	table_place_move(&place, twenty, MOVE_FIRST);
	assert_place(place, 0, 0);
	table_place_move(&place, three, MOVE_LAST);
	assert_place(place, 2, 0);
	table_place_move(&place, none, MOVE_DOWN);
	assert_place(place, 0, 0);
}

static void test_the_wheel_takes_the_cursor_along_only_at_the_edges(void **state)
{
	struct table_place place = { .cursor = 4 };

	(void)state;
	table_place_scroll(&place, twenty, 3);
	assert_place(place, 4, 3);
	table_place_scroll(&place, twenty, 3);
	assert_place(place, 6, 6);
	table_place_scroll(&place, twenty, 100);
	assert_place(place, 15, 15);
	table_place_scroll(&place, twenty, -6);
	assert_place(place, 13, 9);
	table_place_scroll(&place, twenty, -100);
	assert_place(place, 4, 0);
	place.cursor = 1;
	table_place_scroll(&place, three, 3);
	assert_place(place, 1, 0);
}

static void test_there_are_no_blank_lines_while_there_are_rows_above(void **state)
{
	const struct table_extent seventeen = { .rows = 17, .page = 5 };
	const struct table_extent taller = { .rows = 20, .page = 12 };
	struct table_place place = { .cursor = 16, .top = 15 };

	(void)state;
	table_place_fit(&place, seventeen);
	assert_place(place, 16, 12);
	table_place_fit(&place, taller);
	assert_place(place, 16, 8);
	table_place_set(&place, three, 16);
	assert_place(place, 2, 0);
}

static void test_a_screen_that_was_never_drawn_is_one_row_high(void **state)
{
	const struct table_extent not_drawn = { .rows = 20 };
	struct table_place place = { .cursor = 0 };

	(void)state;
	table_place_set(&place, not_drawn, 7);
	assert_place(place, 7, 7);
	table_place_move(&place, not_drawn, MOVE_PAGE_UP);
	assert_place(place, 6, 6);
}

static void test_a_row_with_another_number_keeps_its_line_of_the_screen(void **state)
{
	struct table_place place = { .cursor = 7, .top = 5 };

	(void)state;
	table_place_carry(&place, twenty, 12);
	assert_place(place, 12, 10);
	table_place_carry(&place, twenty, 1);
	assert_place(place, 1, 0);
	place = (struct table_place){ .cursor = 7, .top = 7 };
	table_place_carry(&place, twenty, 18);
	assert_place(place, 18, 15);
}

static void test_the_cursor_follows_its_row_once_it_was_moved(void **state)
{
	struct table_place place = { .cursor = 0 };

	(void)state;
	assert_int_equal(table_place_follow(&place, 1), 0);
	assert_int_equal(table_place_follow(&place, 19), 0);
	table_place_move(&place, twenty, MOVE_DOWN);
	assert_int_equal(table_place_follow(&place, 5), 5);
	table_place_move(&place, twenty, MOVE_FIRST);
	assert_int_equal(table_place_follow(&place, 5), 0);
	table_place_scroll(&place, twenty, 1);
	assert_int_equal(table_place_follow(&place, 19), 19);
}

static void test_half_a_page_is_rounded_up(void **state)
{
	struct table_place place = { .cursor = 1 };

	(void)state;
	table_place_move(&place, twenty, MOVE_HALF_DOWN);
	assert_place(place, 4, 0);
	table_place_move(&place, twenty, MOVE_HALF_DOWN);
	assert_place(place, 7, 3);
	table_place_move(&place, twenty, MOVE_HALF_UP);
	assert_place(place, 4, 3);
	table_place_move(&place, twenty, MOVE_HALF_UP);
	table_place_move(&place, twenty, MOVE_HALF_UP);
	assert_place(place, 0, 0);
}

UNIT_TESTS(test_table_place)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_frame_moves_only_when_the_cursor_would_leave_it),
		cmocka_unit_test(test_pages_and_ends_stop_at_the_rows_there_are),
		cmocka_unit_test(test_the_wheel_takes_the_cursor_along_only_at_the_edges),
		cmocka_unit_test(test_there_are_no_blank_lines_while_there_are_rows_above),
		cmocka_unit_test(test_a_screen_that_was_never_drawn_is_one_row_high),
		cmocka_unit_test(test_a_row_with_another_number_keeps_its_line_of_the_screen),
		cmocka_unit_test(test_the_cursor_follows_its_row_once_it_was_moved),
		cmocka_unit_test(test_half_a_page_is_rounded_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
