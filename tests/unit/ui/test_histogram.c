/* Histograms by powers of two: shares, bounds and lines, worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <locale.h>
#include <string.h>

#include <cmocka.h>

#include "ui/term/utf8.h"
#include "ui/widgets/format.h"
#include "ui/widgets/charts.h"
#include "unit_tests.h"

static const char *line_text(const struct canvas *canvas)
{
	static char out[1024];
	size_t used = 0;

	for (int x = 0; x < canvas->width; x++)
		used += utf8_encode(out + used, canvas->cells[x].code);
	while (used && out[used - 1] == ' ')
		used--;
	out[used] = '\0';
	return out;
}

static void test_it_spans_the_first_to_the_last_octave_that_has_any(void **state)
{
	const uint64_t octaves[LATENCY_OCTAVES] = { [4] = 1, [7] = 5, [63] = 2 };
	const uint64_t none[LATENCY_OCTAVES] = { 0 };
	struct histogram histogram;

	(void)state;
	histogram_measure(&histogram, octaves, 2);
	assert_int_equal(histogram.first, 4);
	assert_int_equal(histogram.count, 60);
	assert_int_equal(histogram.total, 10);
	assert_int_equal(histogram.largest, 5);
	histogram_measure(&histogram, none, 0);
	assert_int_equal(histogram.count, 0);
	assert_int_equal(histogram.total, 0);
}

/* Of 10: 2 zeros, 1, 5, 2. */
static void test_shares_add_up_with_what_is_before_the_first_octave(void **state)
{
	const uint64_t octaves[LATENCY_OCTAVES] = { [4] = 1, [7] = 5, [9] = 2 };
	struct histogram histogram;

	(void)state;
	histogram_measure(&histogram, octaves, 2);
	assert_true(histogram_pct_up_to(&histogram, 3) == 20);
	assert_true(histogram_pct_up_to(&histogram, 4) == 30);
	assert_true(histogram_pct_up_to(&histogram, 8) == 80);
	assert_true(histogram_pct_up_to(&histogram, 9) == 100);
}

static void test_one_of_very_many_is_not_rounded_away(void **state)
{
	const uint64_t octaves[LATENCY_OCTAVES] = { [4] = 1000000000, [5] = 1 };
	struct histogram histogram;

	(void)state;
	histogram_measure(&histogram, octaves, 0);
	assert_true(histogram_pct_up_to(&histogram, 4) == 99.99);
	assert_true(histogram_pct_up_to(&histogram, 5) == 100);
}

static void test_bounds_are_times_or_powers_of_1024(void **state)
{
	char out[FORMAT_BYTES];

	(void)state;
	assert_string_equal(histogram_bound(out, 0, HISTOGRAM_NS), "1ns");
	assert_string_equal(histogram_bound(out, 10, HISTOGRAM_NS), "1.02\u00b5s");
	assert_string_equal(histogram_bound(out, 20, HISTOGRAM_NS), "1.05ms");
	assert_string_equal(histogram_bound(out, 30, HISTOGRAM_NS), "1.07s");
	assert_string_equal(histogram_bound(out, 9, HISTOGRAM_NUMBER), "512");
	assert_string_equal(histogram_bound(out, 10, HISTOGRAM_NUMBER), "1K");
	assert_string_equal(histogram_bound(out, 25, HISTOGRAM_NUMBER), "32M");
	assert_string_equal(histogram_bound(out, 63, HISTOGRAM_NUMBER), "8E");
	assert_string_equal(histogram_bound(out, 64, HISTOGRAM_NUMBER), "16E");
}

/* 40 cells: 14 range, 6 count, 6 share, and 10 left for the bar of the largest. */
static void test_a_line_has_range_count_share_and_bar(void **state)
{
	const uint64_t octaves[LATENCY_OCTAVES] = { [10] = 20, [11] = 60, [12] = 120 };
	struct canvas canvas = { .width = 0 };
	struct histogram histogram;

	(void)state;
	assert_int_equal(canvas_resize(&canvas, 40, 1), 0);
	histogram_measure(&histogram, octaves, 0);
	histogram_draw_line(&histogram, 11, HISTOGRAM_NS, &canvas,
			    (struct canvas_area){ 0, 0, 40 });
	assert_string_equal(line_text(&canvas),
			    "2.05\u00b5s..4.10\u00b5s     60  40.00  "
			    "\u2588\u2588\u2588\u2588\u2588");
	canvas_clear(&canvas);
	canvas.is_ascii = true;
	histogram_draw_line(&histogram, 12, HISTOGRAM_NUMBER, &canvas,
			    (struct canvas_area){ 0, 0, 40 });
	assert_string_equal(line_text(&canvas), "        4K..8K    120  100.0  ##########");
	canvas_finish(&canvas);
}

UNIT_TESTS(test_histogram)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_it_spans_the_first_to_the_last_octave_that_has_any),
		cmocka_unit_test(test_shares_add_up_with_what_is_before_the_first_octave),
		cmocka_unit_test(test_one_of_very_many_is_not_rounded_away),
		cmocka_unit_test(test_bounds_are_times_or_powers_of_1024),
		cmocka_unit_test(test_a_line_has_range_count_share_and_bar),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
