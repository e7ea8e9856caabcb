/* The heat map: steps by the logarithm, the newest second at the right. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <locale.h>

#include <cmocka.h>

#include "ui/widgets/charts.h"
#include "unit_tests.h"

static void test_steps_are_of_the_logarithm_and_ends_are_exact(void **state)
{
	(void)state;
	assert_int_equal(heat_map_level(0, 10000), 0);
	assert_int_equal(heat_map_level(1, 10000), 1);
	assert_int_equal(heat_map_level(9, 10000), 1);
	assert_int_equal(heat_map_level(10, 10000), 2);
	assert_int_equal(heat_map_level(99, 10000), 2);
	assert_int_equal(heat_map_level(100, 10000), 3);
	assert_int_equal(heat_map_level(1000, 10000), 4);
	assert_int_equal(heat_map_level(9999, 10000), 4);
	assert_int_equal(heat_map_level(10000, 10000), 5);
	assert_int_equal(heat_map_level(UINT32_MAX - 1, UINT32_MAX), 4);
	assert_int_equal(heat_map_level(1, 1), 5);
	assert_int_equal(heat_map_level(1, 2), 1);
}

static uint32_t counts[5][LATENCY_OCTAVES] = {
	{ [3] = 9000 }, { [3] = 1 }, { [3] = 16 }, { [4] = 2 }, { [3] = 4 },
};
static const struct snapshot_heat heat = { 0, 5, counts };

static void test_the_most_is_of_what_is_shown(void **state)
{
	(void)state;
	assert_int_equal(heat_map_most(&heat, 4), 16);
	assert_int_equal(heat_map_most(&heat, 5), 9000);
	assert_int_equal(heat_map_most(&heat, 100), 9000);
	assert_int_equal(heat_map_most(&heat, 0), 0);
}

/* Of 16: 1 is step 1, 4 step 3 (16^(2/4)), 16 step 5. */
static void test_the_newest_second_is_at_the_right_edge(void **state)
{
	static const uint32_t four[] = { ' ', 0xb7, 0x2588, ' ', 0x2592, ' ' };
	static const uint32_t wide[] = { ' ', ' ', '.', '@', ' ', '+' };
	struct canvas canvas = { .width = 0 };

	(void)state;
	assert_int_equal(canvas_resize(&canvas, 6, 1), 0);
	heat_map_draw_line(&heat, 3, 16, &canvas, (struct canvas_area){ 1, 0, 4 });
	for (int x = 0; x < 6; x++)
		assert_int_equal(canvas.cells[x].code, four[x]);
	assert_int_equal(canvas.cells[2].role, ROLE_HOT);
	canvas_clear(&canvas);
	canvas.is_ascii = true;
	heat_map_draw_line(&heat, 3, 16, &canvas, (struct canvas_area){ 2, 0, 4 });
	for (int x = 0; x < 6; x++)
		assert_int_equal(canvas.cells[x].code, wide[x]);
	canvas_finish(&canvas);
}

UNIT_TESTS(test_heat_map)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_steps_are_of_the_logarithm_and_ends_are_exact),
		cmocka_unit_test(test_the_most_is_of_what_is_shown),
		cmocka_unit_test(test_the_newest_second_is_at_the_right_edge),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
