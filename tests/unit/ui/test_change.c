/* How much has changed: windows of different lengths are compared by their own 100 % and seconds.
 *
 *            weight  seconds   a row
 *   before     2000        5    500 = 25 %, 100 a second
 *   now        4000       20   2400 = 60 %, 120 a second
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "ui/widgets/change.h"
#include "ui/widgets/format.h"
#include "unit_tests.h"

static const struct snapshot compared = {
	.window_s = 20, .weight = 4000, .is_compared = true,
	.baseline = { .window_s = 5, .weight = 2000 },
};

static struct snapshot_row row_of(uint64_t now, uint64_t then)
{
	return (struct snapshot_row){
		.now.self.samples = now, .now.total.samples = now, .now.self.weight = (double)now,
		.now.total.weight = (double)now, .base.self.samples = then,
		.base.total.samples = then, .base.self.weight = (double)then,
		.base.total.weight = (double)then,
	};
}

static void test_shares_and_rates_are_of_their_own_window(void **state)
{
	const struct snapshot_row row = row_of(2400, 500);

	(void)state;
	assert_float_equal(change_of_row(&compared, &row), 35, 1e-9);
	assert_float_equal(change_per_s(&compared, 2400, 500), 20, 1e-9);
}

static void test_an_empty_window_has_no_share_and_no_rate(void **state)
{
	struct snapshot empty = compared;

	(void)state;
	empty.weight = empty.window_s = 0;
	assert_float_equal(change_points(&empty, 0, 500), -25, 1e-9);
	assert_float_equal(change_per_s(&empty, 0, 500), -100, 1e-9);
	empty.baseline.weight = empty.baseline.window_s = 0;
	assert_float_equal(change_points(&empty, 0, 0), 0, 1e-9);
	assert_float_equal(change_per_s(&empty, 0, 0), 0, 1e-9);
}

static void test_what_is_in_one_window_alone_is_new_or_gone(void **state)
{
	const struct snapshot_row both = row_of(1, 1), fresh = row_of(1, 0), gone = row_of(0, 1);
	struct snapshot alone = compared;
	struct snapshot_row caller = row_of(0, 0);

	(void)state;
	assert_false(change_row_is_new(&compared, &both) || change_row_is_gone(&both));
	assert_true(change_row_is_new(&compared, &fresh) && !change_row_is_gone(&fresh));
	assert_true(change_row_is_gone(&gone) && !change_row_is_new(&compared, &gone));
	caller.now.total.samples = caller.base.total.samples = 7;	/* it only calls others */
	assert_false(change_row_is_new(&compared, &caller) || change_row_is_gone(&caller));
	alone.is_compared = false;
	assert_false(change_row_is_new(&alone, &fresh));
}

static void test_idle_has_no_share_that_could_change(void **state)
{
	struct snapshot_row row = row_of(2400, 500);

	(void)state;
	row.is_idle = true;
	assert_true(change_of_row(&compared, &row) == 0);
}

static void check_points(double points, const char *text)
{
	char out[FORMAT_BYTES];

	assert_string_equal(change_format_points(out, points), text);
	assert_true(strlen(out) <= 6);
}

static void test_points_have_a_sign_and_a_fixed_width(void **state)
{
	(void)state;
	check_points(14.3, "+14.30");
	check_points(-9.8, "-9.80");
	check_points(100, "+100.0");
	check_points(-99.996, "-100.0");
	check_points(0.004, "0.00");
	check_points(-0.004, "0.00");
	check_points(0.005, "+0.01");
}

static void check_per_s(double per_s, const char *text)
{
	char out[FORMAT_BYTES];

	assert_string_equal(change_format_per_s(out, per_s), text);
	assert_true(strlen(out) <= 6);
}

static void test_rates_have_a_sign_and_a_fixed_width(void **state)
{
	(void)state;
	check_per_s(143.4, "+143");
	check_per_s(-9999, "-9999");
	check_per_s(78912, "+78.9k");
	check_per_s(-0.3, "-0.3");
	check_per_s(0.01, "0");
}

static void test_latencies_are_shown_as_what_came_or_went(void **state)
{
	char out[FORMAT_BYTES];

	(void)state;
	assert_string_equal(change_format_ns(out, 1500, 1000), "+500ns");
	assert_string_equal(change_format_ns(out, 1000, 48001000), "-48.0ms");
	assert_string_equal(change_format_ns(out, 7, 7), "0");
}

static void test_there_is_an_arrow_for_each_two_points(void **state)
{
	char out[64];

	(void)state;
	assert_string_equal(change_format_bar(out, sizeof(out), 8, 0.4), "");
	assert_string_equal(change_format_bar(out, sizeof(out), 8, 0.6), "\u25b2");
	assert_string_equal(change_format_bar(out, sizeof(out), 8, -5.9),
			    "\u25bc\u25bc\u25bc");
	assert_string_equal(change_format_bar(out, sizeof(out), 2, 60), "\u25b2\u25b2");
	/* 4 more bytes may not fit */
	assert_string_equal(change_format_bar(out, 7, 8, 60), "\u25b2");
}

static void test_only_what_stands_out_has_a_colour(void **state)
{
	(void)state;
	assert_int_equal(change_role(0.5), ROLE_MORE);
	assert_int_equal(change_role(-0.5), ROLE_LESS);
	assert_int_equal(change_role(0.4), ROLE_DIM);
	assert_int_equal(change_role(-0.4), ROLE_DIM);
}

static void test_the_sentences_tell_both_windows(void **state)
{
	const struct snapshot_row row = { .now.self.weight = 2400, .base.self.weight = 500 };
	char out[CHANGE_TEXT_BYTES];

	(void)state;
	assert_string_equal(change_describe_share(out, &compared, &row, false),
			    "25.00 % \u2192 60.00 % (+35.00)");
	assert_string_equal(change_describe_rate(out, &compared, 2400, 500),
			    "100/s \u2192 120/s (+20)");
}

UNIT_TESTS(test_change)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shares_and_rates_are_of_their_own_window),
		cmocka_unit_test(test_an_empty_window_has_no_share_and_no_rate),
		cmocka_unit_test(test_what_is_in_one_window_alone_is_new_or_gone),
		cmocka_unit_test(test_idle_has_no_share_that_could_change),
		cmocka_unit_test(test_points_have_a_sign_and_a_fixed_width),
		cmocka_unit_test(test_rates_have_a_sign_and_a_fixed_width),
		cmocka_unit_test(test_latencies_are_shown_as_what_came_or_went),
		cmocka_unit_test(test_there_is_an_arrow_for_each_two_points),
		cmocka_unit_test(test_only_what_stands_out_has_a_colour),
		cmocka_unit_test(test_the_sentences_tell_both_windows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
