/* The load by twentieths of a second: known counts, known steps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "ui/widgets/activity_graph.h"
#include "unit_tests.h"

#define CELLS 6
#define LINES 20

static float heat[4][HEAT_ROWS];	/* the seconds 96..99 */

/* On the columns 1..4 of @lines lines. */
static struct time_scale scale_of(int lines)
{
	return (struct time_scale){ 1, 0, 4, lines, 96 * (int64_t)CLOCK_NS_PER_S, CLOCK_NS_PER_S,
				    TIME_TICK_NS * (unsigned int)(HEAT_ROWS / lines) };
}

static void draw(int lines, struct time_range marked, struct canvas *canvas)
{
	struct snapshot snapshot = { .activity_count = 4, .activity_step_s = 1, .heat = heat[0],
				     .activity_end_ns = 100 * CLOCK_NS_PER_S, .heat_most = 100 };
	const struct time_scale scale = scale_of(lines);

	canvas->is_ascii = true;
	assert_int_equal(canvas_resize(canvas, CELLS, LINES), 0);
	time_heat_draw(&snapshot, &scale, marked, false, canvas);
}

static void expect_line(const struct canvas *canvas, int y, const char *text)
{
	char got[CELLS + 1] = "";

	for (int x = 0; x < CELLS; x++)
		got[x] = (char)canvas->cells[y * CELLS + x].code;
	assert_string_equal(got, text);
}

static void test_it_takes_the_lines_that_divide_a_second(void **state)
{
	(void)state;
	assert_int_equal(time_heat_lines(50), 20);
	assert_int_equal(time_heat_lines(20), 20);
	assert_int_equal(time_heat_lines(19), 10);
	assert_int_equal(time_heat_lines(9), 5);
	assert_int_equal(time_heat_lines(4), 4);
	assert_int_equal(time_heat_lines(3), 2);
	assert_int_equal(time_heat_lines(1), 0);
	assert_int_equal(time_heat_lines(-7), 0);
}

/* Fifths of the most, 100; one is more than nothing. */
static void test_darker_is_more(void **state)
{
	const struct time_range none = { 0, 0 };
	struct canvas canvas = { .width = 0 };

	(void)state;
	memset(heat, 0, sizeof(heat));
	heat[0][0] = 1;
	heat[1][0] = 20;
	heat[2][0] = 40;
	heat[3][0] = 100;
	heat[0][19] = 19;
	heat[1][19] = -1;
	heat[2][19] = 60;
	heat[3][19] = 80;
	draw(20, none, &canvas);
	expect_line(&canvas, 0, " .:+@ ");
	expect_line(&canvas, 1, "      ");
	expect_line(&canvas, 19, " . #@ ");
	assert_int_equal(canvas.cells[4].role, ROLE_HOT);
	canvas_finish(&canvas);
}

/* Two ticks a line: 50 + 50 is the most, 50 half of it; what is not known adds nothing. */
static void test_a_line_of_several_ticks_has_their_sum(void **state)
{
	const struct time_range none = { 0, 0 };
	struct canvas canvas = { .width = 0 };

	(void)state;
	memset(heat, 0, sizeof(heat));
	heat[0][2] = heat[0][3] = 50;
	heat[1][2] = 50;
	heat[2][2] = 20;
	heat[2][3] = -1;
	heat[3][2] = heat[3][3] = -1;
	draw(10, none, &canvas);
	expect_line(&canvas, 1, " @+:  ");
	canvas_finish(&canvas);
}

/* 97.9..98.1 s: the last two ticks of a second, and the first two of the next. */
static void test_the_chosen_ticks_are_between_brackets(void **state)
{
	const struct time_range marked = { 97900 * CLOCK_NS_PER_MS, 98100 * CLOCK_NS_PER_MS };
	struct canvas canvas = { .width = 0 };

	(void)state;
	for (int point = 0; point < 4; point++)
		for (int tick = 0; tick < HEAT_ROWS; tick++)
			heat[point][tick] = 100;
	draw(20, marked, &canvas);
	expect_line(&canvas, 0, " @[@] ");
	expect_line(&canvas, 1, " @[@] ");
	expect_line(&canvas, 2, " @@@@ ");
	expect_line(&canvas, 17, " @@@@ ");
	expect_line(&canvas, 18, " [@]@ ");
	expect_line(&canvas, 19, " [@]@ ");
	assert_int_equal(canvas.cells[18 * CELLS + 2].role, ROLE_FILL_SELECTED);
	draw(20, (struct time_range){ 96 * CLOCK_NS_PER_S, 100 * CLOCK_NS_PER_S }, &canvas);
	expect_line(&canvas, 7, "[@@@@]");
	canvas_finish(&canvas);
}

UNIT_TESTS(test_time_heat)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_it_takes_the_lines_that_divide_a_second),
		cmocka_unit_test(test_darker_is_more),
		cmocka_unit_test(test_a_line_of_several_ticks_has_their_sum),
		cmocka_unit_test(test_the_chosen_ticks_are_between_brackets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
