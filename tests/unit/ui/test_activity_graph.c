/* The load of the last seconds: known values, known bars. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <locale.h>

#include <cmocka.h>

#include "base/clock.h"
#include "ui/term/utf8.h"
#include "ui/widgets/activity_graph.h"
#include "unit_tests.h"

#define CELLS 12

/* Draws @count values on the columns 1..@width of a line; the line as text. */
static const char *drawn(enum activity_kind kind, const float *values, uint32_t count, int width,
			 struct canvas *canvas)
{
	const struct snapshot snapshot = { .activity_kind = kind, .activity = values,
					   .activity_count = count, .activity_step_s = 1 };
	struct time_scale scale;
	static char line[CELLS * UTF8_MAX_BYTES + 1];
	size_t used = 0;

	assert_int_equal(canvas_resize(canvas, CELLS, 1), 0);
	scale = activity_graph_scale(&snapshot, (struct time_range){ 0, 0 },
				     (struct canvas_area){ 1, 0, width });
	activity_graph_draw(&snapshot, &scale, (struct time_range){ 0, 0 }, canvas);
	for (int x = 0; x < CELLS; x++)
		used += utf8_encode(line + used, canvas->cells[x].code);
	return line;
}

/* An eighth for each 12.5 %, rounded; what is there shows at least the smallest. */
static void test_busy_stands_for_itself(void **state)
{
	static const float values[] = { 0, 12.5f, 18.7f, 18.8f, 50, 79, 87.5f, 100, 120 };
	struct canvas canvas = { .is_ascii = false };

	(void)state;
	assert_string_equal(drawn(ACTIVITY_BUSY, values, 9, 9, &canvas),
			    " \u2581\u2581\u2581\u2582\u2584\u2586\u2587\u2588\u2588  ");
	assert_int_equal(canvas.cells[6].role, ROLE_ACTIVITY);	/* 79 */
	assert_int_equal(canvas.cells[7].role, ROLE_ACTIVITY_HIGH);
	canvas_finish(&canvas);
}

static void test_what_is_not_known_is_a_gap(void **state)
{
	static const float values[] = { 100, -1, -1, 0 };
	struct canvas canvas = { .is_ascii = false };

	(void)state;
	assert_string_equal(drawn(ACTIVITY_BUSY, values, 4, 4, &canvas), " \u2588  \u2581       ");
	canvas_finish(&canvas);
}

static void test_rates_are_measured_by_the_highest_shown(void **state)
{
	static const float values[] = { 100000, 500, 1000, 2000 };
	struct canvas canvas = { .is_ascii = false };

	(void)state;
	assert_string_equal(drawn(ACTIVITY_RATE, values, 4, 3, &canvas),
			    " \u2582\u2584\u2588        ");
	assert_int_equal(canvas.cells[3].role, ROLE_ACTIVITY);	/* no rate is too high */
	canvas_finish(&canvas);
}

static void test_rates_of_nothing_are_the_smallest_bars(void **state)
{
	static const float values[] = { 0, 0 };
	struct canvas canvas = { .is_ascii = false };

	(void)state;
	assert_string_equal(drawn(ACTIVITY_RATE, values, 2, 2, &canvas), " \u2581\u2581         ");
	canvas_finish(&canvas);
}

static void test_the_newest_is_at_the_right_and_the_oldest_leave(void **state)
{
	static const float values[] = { 100, 25, 50 };
	struct canvas canvas = { .is_ascii = false };

	(void)state;
	assert_string_equal(drawn(ACTIVITY_BUSY, values, 3, 8, &canvas),
			    "      \u2588\u2582\u2584   ");
	assert_string_equal(drawn(ACTIVITY_BUSY, values, 3, 2, &canvas), " \u2582\u2584         ");
	assert_string_equal(drawn(ACTIVITY_BUSY, values, 3, 0, &canvas), "            ");
	assert_string_equal(drawn(ACTIVITY_BUSY, values, 3, -5, &canvas), "            ");
	canvas_finish(&canvas);
}

static void test_ascii_has_more_ink_for_more(void **state)
{
	static const float values[] = { 1, 25, 37.5f, 50, 62.5f, 75, 87.5f, 100 };
	struct canvas canvas = { .is_ascii = true };

	(void)state;
	assert_string_equal(drawn(ACTIVITY_BUSY, values, 8, 8, &canvas), " .:-=+*%#   ");
	canvas_finish(&canvas);
}

/* Twelve points, the seconds 88..99, of which ten have room: 90..99 on the columns 1..10. */
#define POINTS 12

static const char *line_with(struct snapshot *snapshot, double begin_s, double end_s,
			     struct canvas *canvas)
{
	static const float values[POINTS] = { 12.5f, 25, 37.5f, 50, 62.5f, 75, 87.5f, 100, 12.5f,
					      25, 37.5f, 50 };
	const struct time_range marked = { (uint64_t)(begin_s * 1e9), (uint64_t)(end_s * 1e9) };
	static char line[CELLS * UTF8_MAX_BYTES + 1];
	struct time_scale scale;
	size_t used = 0;

	snapshot->activity = values;
	snapshot->activity_count = POINTS;
	snapshot->activity_step_s = 1;
	snapshot->activity_end_ns = 100 * CLOCK_NS_PER_S;
	canvas->is_ascii = true;
	assert_int_equal(canvas_resize(canvas, CELLS, 1), 0);
	scale = activity_graph_scale(snapshot, marked, (struct canvas_area){ 1, 0, CELLS - 2 });
	activity_graph_draw(snapshot, &scale, marked, canvas);
	for (int x = 0; x < CELLS; x++)
		used += utf8_encode(line + used, canvas->cells[x].code);
	return line;
}

static void test_what_is_chosen_is_between_brackets(void **state)
{
	struct snapshot snapshot = { .activity_kind = ACTIVITY_BUSY };
	struct canvas canvas = { .width = 0 };

	(void)state;
	assert_string_equal(line_with(&snapshot, 0, 0, &canvas), " -=+*%#.:-= ");
	assert_string_equal(line_with(&snapshot, 94, 97, &canvas), " -=+[%#.]-= ");
	for (int x = 0; x < CELLS; x++)
		assert_int_equal(canvas.cells[x].role == ROLE_STATE, x >= 4 && x <= 8);
	assert_string_equal(line_with(&snapshot, 94.5, 94.55, &canvas), " -=+[%].:-= ");
	assert_string_equal(line_with(&snapshot, 98, 100, &canvas), " -=+*%#.[-=]");
	canvas_finish(&canvas);
}

/* A quarter of the width, 2 cells, is before it as long as there are points. */
static void test_it_moves_so_that_what_is_chosen_is_seen(void **state)
{
	struct snapshot snapshot = { .activity_kind = ACTIVITY_BUSY };
	struct canvas canvas = { .width = 0 };

	(void)state;
	assert_string_equal(line_with(&snapshot, 92, 94, &canvas), " -[+*]#.:-= ");
	assert_string_equal(line_with(&snapshot, 91, 93, &canvas), " :[=+]%#.:->");
	assert_string_equal(line_with(&snapshot, 90, 92, &canvas), " .[-=]*%#.:>");
	assert_string_equal(line_with(&snapshot, 88, 90, &canvas), "[.:]=+*%#.:>");
	assert_string_equal(line_with(&snapshot, 86, 89, &canvas), "<.]-=+*%#.:>");
	assert_string_equal(line_with(&snapshot, 80, 85, &canvas), "<.:-=+*%#.:>");
	canvas_finish(&canvas);
}

static void test_where_history_begins_there_is_a_mark(void **state)
{
	struct snapshot snapshot = { .activity_kind = ACTIVITY_BUSY,
				     .known_ns = 93 * CLOCK_NS_PER_S };
	struct canvas canvas = { .width = 0 };

	(void)state;
	assert_string_equal(line_with(&snapshot, 0, 0, &canvas), " -=+*%#.:-= ");
	snapshot.is_history_cut = true;
	assert_string_equal(line_with(&snapshot, 0, 0, &canvas), " -=|*%#.:-= ");
	canvas_finish(&canvas);
}

UNIT_TESTS(test_activity_graph)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_busy_stands_for_itself),
		cmocka_unit_test(test_what_is_not_known_is_a_gap),
		cmocka_unit_test(test_rates_are_measured_by_the_highest_shown),
		cmocka_unit_test(test_rates_of_nothing_are_the_smallest_bars),
		cmocka_unit_test(test_the_newest_is_at_the_right_and_the_oldest_leave),
		cmocka_unit_test(test_what_is_chosen_is_between_brackets),
		cmocka_unit_test(test_it_moves_so_that_what_is_chosen_is_seen),
		cmocka_unit_test(test_where_history_begins_there_is_a_mark),
		cmocka_unit_test(test_ascii_has_more_ink_for_more),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
