/* Numbers have their known text and never more than their width. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "ui/widgets/format.h"
#include "unit_tests.h"

static void test_counts_have_at_most_five_cells(void **state)
{
	static const struct {
		uint64_t count;
		const char *text;
	} known[] = {
		{ 0, "0" },		    { 9999, "9999" },	     { 10000, "10.0k" },
		{ 78912, "78.9k" },	    { 99949, "99.9k" },	     { 99950, "100k" },
		{ 999499, "999k" },	    { 999500, "1.00M" },     { 1234567, "1.23M" },
		{ 9994999, "9.99M" },	    { 9995000, "10.0M" },    { 456000000000, "456G" },
		{ UINT64_MAX, "18.4E" },
	};
	char text[FORMAT_BYTES];

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		assert_string_equal(format_count(text, known[i].count), known[i].text);
		assert_true(strlen(text) <= 5);
	}
}

static void test_bytes_are_in_powers_of_a_thousand(void **state)
{
	char text[FORMAT_BYTES];

	(void)state;
	assert_string_equal(format_bytes(text, 512), "512 B");
	assert_string_equal(format_bytes(text, 1234), "1.23 kB");
	assert_string_equal(format_bytes(text, 38200000), "38.2 MB");
}

static void test_durations_read_like_speech(void **state)
{
	static const struct {
		double seconds;
		const char *text;
	} known[] = {
		{ 0.1, "100 ms" }, { 0.9996, "1 s" },	 { 2.5, "2.5 s" },	   { 9.96, "10 s" },
		{ 10, "10 s" },	   { 119.4, "119 s" },	 { 119.6, "2 m 00 s" }, { 245, "4 m 05 s" },
		{ 7199, "119 m 59 s" }, { 7380, "2 h 03 m" },
	};
	char text[FORMAT_BYTES];

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		assert_string_equal(format_duration(text, known[i].seconds), known[i].text);
}

static void test_percentages_have_at_most_six_cells(void **state)
{
	char text[FORMAT_BYTES];

	(void)state;
	assert_string_equal(format_pct(text, 0), "0.00");
	assert_string_equal(format_pct(text, 18.416), "18.42");
	assert_string_equal(format_pct(text, 99.994), "99.99");
	assert_string_equal(format_pct(text, 99.999), "100.0");
	assert_string_equal(format_pct(text, 100), "100.0");
}

static void test_bars_are_in_eighths_and_never_invisible(void **state)
{
	char text[64];

	(void)state;
	assert_string_equal(format_bar(text, sizeof(text), 8, 0, false), "");
	assert_string_equal(format_bar(text, sizeof(text), 8, 0.0001, false), "\u258f");
	assert_string_equal(format_bar(text, sizeof(text), 8, 0.5, false),
			    "\u2588\u2588\u2588\u2588");
	assert_string_equal(format_bar(text, sizeof(text), 8, 20.0 / 64, false),
			    "\u2588\u2588\u258c");
	assert_string_equal(format_bar(text, sizeof(text), 2, 3.0, false), "\u2588\u2588");
	assert_string_equal(format_bar(text, sizeof(text), 8, 0.5, true), "####");
	assert_string_equal(format_bar(text, sizeof(text), 8, 0.001, true), "#");
}

static void test_latencies_have_three_digits_and_their_unit(void **state)
{
	char out[FORMAT_BYTES];

	(void)state;
	assert_string_equal(format_latency(out, 0), "0ns");
	assert_string_equal(format_latency(out, 999), "999ns");
	assert_string_equal(format_latency(out, 1000), "1.00\u00b5s");
	assert_string_equal(format_latency(out, 48400), "48.4\u00b5s");
	assert_string_equal(format_latency(out, 999499), "999\u00b5s");
	assert_string_equal(format_latency(out, 41000000), "41.0ms");
	assert_string_equal(format_latency(out, 2500000000), "2.50s");
	assert_string_equal(format_latency(out, 4000000000000), "4000s");
}

static void test_leases_are_minutes_then_hours(void **state)
{
	char out[FORMAT_BYTES];

	(void)state;
	assert_string_equal(format_lease(out, -1), "-");
	assert_string_equal(format_lease(out, 0), "0:00");
	assert_string_equal(format_lease(out, 59.6), "1:00");
	assert_string_equal(format_lease(out, 581), "9:41");
	assert_string_equal(format_lease(out, 3599.7), "1h00");
	assert_string_equal(format_lease(out, 3900), "1h05");
}

UNIT_TESTS(test_format)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts_have_at_most_five_cells),
		cmocka_unit_test(test_bytes_are_in_powers_of_a_thousand),
		cmocka_unit_test(test_durations_read_like_speech),
		cmocka_unit_test(test_percentages_have_at_most_six_cells),
		cmocka_unit_test(test_bars_are_in_eighths_and_never_invisible),
		cmocka_unit_test(test_latencies_have_three_digits_and_their_unit),
		cmocka_unit_test(test_leases_are_minutes_then_hours),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
