/* What hits carried gets a number each, within bounds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ingest/probe_state.h"
#include "unit_tests.h"

static struct probe_values values;

static int tear_down(void **state)
{
	(void)state;
	probe_values_finish(&values);
	return 0;
}

static void test_equal_values_have_one_number(void **state)
{
	const uint32_t five = probe_values_number(&values, 1, 0, true, 5);
	const uint32_t text = probe_values_text(&values, 1, 0, "five", 4);

	(void)state;
	assert_int_equal(probe_values_number(&values, 1, 0, true, 5), five);
	assert_int_equal(probe_values_text(&values, 1, 0, "five", 4), text);
	assert_int_not_equal(five, text);
	assert_int_not_equal(probe_values_number(&values, 1, 0, true, 6), five);
	assert_int_not_equal(probe_values_number(&values, 1, 1, true, 5), five);
	assert_int_not_equal(probe_values_number(&values, 2, 0, true, 5), five);
	assert_int_not_equal(probe_values_text(&values, 1, 0, "fiv", 3), text);
	assert_int_not_equal(probe_values_mark(&values, 1, 0, VALUE_UNKNOWN),
			     probe_values_mark(&values, 1, 0, VALUE_OTHER_TEXTS));
}

static void test_a_long_text_is_cut(void **state)
{
	char text[PROBE_TEXT_BYTES_MAX + 50];
	uint32_t id;

	(void)state;
	memset(text, 'x', sizeof(text));
	id = probe_values_text(&values, 1, 0, text, sizeof(text));
	assert_int_equal(values.rows[id].text_bytes, PROBE_TEXT_BYTES_MAX);
}

/* 65,536 different ones are known; -3 and -2 come after them: octave 1 of negative numbers. */
static void test_numbers_beyond_the_bound_are_counted_by_octave(void **state)
{
	uint32_t id;

	(void)state;
	for (uint64_t number = 0; number < PROBE_VALUES_KNOWN_MAX; number++)
		assert_int_equal(probe_values_number(&values, 1, 0, true, number), number);
	assert_false(values.is_full);
	assert_int_equal(probe_values_number(&values, 1, 0, true, 77), 77);
	id = probe_values_number(&values, 1, 0, true, (uint64_t)-3);
	assert_int_equal(probe_values_number(&values, 1, 0, true, (uint64_t)-2), id);
	assert_true(values.is_full);
	assert_int_equal(values.rows[id].form, VALUE_OTHER_NUMBERS);
	assert_int_equal(values.rows[id].number, 64 + 1);
	assert_int_equal((int64_t)values.rows[id].min, -3);
	assert_int_equal((int64_t)values.rows[id].max, -2);
	assert_int_equal((int)values.rows[id].sum, -5);
	assert_int_equal(values.rows[id].uses, 2);
	assert_int_not_equal(probe_values_number(&values, 2, 0, true, (uint64_t)-2), id);
	id = probe_values_number(&values, 2, 0, false, UINT64_MAX);
	assert_true(values.rows[id].min == UINT64_MAX && values.rows[id].max == UINT64_MAX);
	assert_int_equal(values.rows[id].number, 63);
	assert_int_equal(probe_values_number(&values, 2, 0, false, UINT64_C(1) << 63), id);
	assert_true(values.rows[id].min == UINT64_C(1) << 63);
	assert_true(values.rows[id].max == UINT64_MAX);
}

static void test_texts_beyond_the_bound_are_one(void **state)
{
	char text[PROBE_TEXT_BYTES_MAX];
	uint32_t id = 0;

	(void)state;
	memset(text, '.', sizeof(text));
	for (int i = 0; i < 20000; i++) {
		snprintf(text, sizeof(text), "%d", i);
		id = probe_values_text(&values, 1, 0, text, sizeof(text));
	}
	assert_true(values.text_used <= PROBE_VALUES_TEXT_MAX);
	assert_int_equal(values.rows[id].form, VALUE_OTHER_TEXTS);
}

static void test_a_compaction_keeps_what_is_used(void **state)
{
	unsigned char used[4] = { 0, 1, 0, 1 };
	uint32_t renumbered[4];

	(void)state;
	probe_values_number(&values, 1, 0, true, 10);
	probe_values_text(&values, 1, 1, "stays", 5);
	probe_values_text(&values, 1, 1, "goes", 4);
	probe_values_number(&values, 1, 0, true, 20);
	probe_values_compact(&values, used, renumbered);
	assert_int_equal(values.count, 2);
	assert_true(renumbered[0] == ID_SET_NONE && renumbered[2] == ID_SET_NONE);
	assert_int_equal(renumbered[1], 0);
	assert_int_equal(renumbered[3], 1);
	assert_int_equal(probe_values_text(&values, 1, 1, "stays", 5), 0);
	assert_int_equal(probe_values_number(&values, 1, 0, true, 20), 1);
	assert_int_equal(probe_values_text(&values, 1, 1, "goes", 4), 2);
}

#define VALUES_TEST(test) cmocka_unit_test_teardown(test, tear_down)

UNIT_TESTS(test_probe_values)
{
	const struct CMUnitTest tests[] = {
		VALUES_TEST(test_equal_values_have_one_number),
		VALUES_TEST(test_a_long_text_is_cut),
		VALUES_TEST(test_numbers_beyond_the_bound_are_counted_by_octave),
		VALUES_TEST(test_texts_beyond_the_bound_are_one),
		VALUES_TEST(test_a_compaction_keeps_what_is_used),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
