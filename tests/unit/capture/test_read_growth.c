/* What counters that are read with samples have counted since the sample before. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "capture/record.h"
#include "unit_tests.h"

static struct read_growth growth;

static int tear_down(void **state)
{
	(void)state;
	read_growth_finish(&growth);
	return 0;
}

static uint64_t read_at(uint64_t id, uint32_t tid, uint64_t value)
{
	uint64_t out = 0;

	assert_int_equal(read_growth(&growth, id, tid, value, &out), 0);
	return out;
}

static void test_each_counter_grows_from_0(void **state)
{
	(void)state;
	assert_int_equal(read_at(1000, 0, 5), 5);
	assert_int_equal(read_at(UINT64_C(1) << 40, 0, 3), 3);
	assert_int_equal(read_at(1000, 0, 5), 0);
	assert_int_equal(read_at(1000, 0, 9), 4);
	assert_int_equal(read_at(UINT64_C(1) << 40, 0, 10), 7);
}

static void test_a_counter_that_fell_has_begun_anew(void **state)
{
	(void)state;
	assert_int_equal(read_at(1000, 7, 50), 50);
	assert_int_equal(read_at(1000, 7, 20), 20);
	assert_int_equal(read_at(1000, 7, 25), 5);
}

static void test_a_thread_that_has_ended_is_forgotten_and_no_other(void **state)
{
	(void)state;
	for (uint64_t id = 1; id <= 100; id++) {
		read_at(id, 7, 100);
		read_at(id, 8, 200);
	}
	read_growth_forget(&growth, 7);
	read_growth_forget(&growth, 9);
	assert_int_equal(growth.row_of.used, 100);
	for (uint64_t id = 1; id <= 100; id++) {
		assert_int_equal(read_at(id, 8, 201), 1);
		assert_int_equal(read_at(id, 9, 150), 150);
		assert_int_equal(read_at(id, 8, 203), 2);
		assert_int_equal(read_at(id, 9, 154), 4);
	}
	assert_int_equal(growth.used, 200);	/* rows of the one are the other's */
}

UNIT_TESTS(test_read_growth)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_each_counter_grows_from_0, tear_down),
		cmocka_unit_test_teardown(test_a_counter_that_fell_has_begun_anew, tear_down),
		cmocka_unit_test_teardown(test_a_thread_that_has_ended_is_forgotten_and_no_other,
					  tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
