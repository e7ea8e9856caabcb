/* The sort against qsort(3), for addresses of every width. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "elf/flat_sort.h"
#include "random_numbers.h"
#include "unit_tests.h"

#define PLACES 5000

static int compare_places(const void *left, const void *right)
{
	const struct flat_place *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->index < b->index ? -1 : 1;
}

/* Addresses of which only @bits differ; so few that many are equal. */
static void expect_order(uint64_t base, uint64_t bits)
{
	struct flat_place *places = calloc(PLACES, sizeof(*places));
	struct flat_place *wanted = calloc(PLACES, sizeof(*wanted));
	uint64_t seed = 7;

	for (uint32_t i = 0; i < PLACES; i++) {
		places[i].start = base ^ (random_next(&seed) & bits);
		places[i].index = i;
		wanted[i] = places[i];
	}
	qsort(wanted, PLACES, sizeof(*wanted), compare_places);
	assert_int_equal(flat_sort_by_start(places, PLACES), 0);
	for (uint32_t i = 0; i < PLACES; i++) {
		assert_true(places[i].start == wanted[i].start);
		assert_int_equal(places[i].index, wanted[i].index);
	}
	free(wanted);
	free(places);
}

static void test_places_are_in_the_order_of_qsort_and_equal_ones_as_they_came(void **state)
{
	(void)state;
	expect_order(0, 0);
	expect_order(0, 0x3ff);
	expect_order(0xffffffff81000000u, 0xfff000);
	expect_order(0, 0x7fffffff);
	expect_order(0, UINT64_MAX);
	expect_order(0, 0x8000000000000001u);
	expect_order(1, 0x1ull << 33);
}

static void test_nothing_and_one_place_are_in_order(void **state)
{
	struct flat_place place = { 5, 6 };

	(void)state;
	assert_int_equal(flat_sort_by_start(NULL, 0), 0);
	assert_int_equal(flat_sort_by_start(&place, 1), 0);
	assert_int_equal(place.start, 5);
	assert_int_equal(place.index, 6);
}

static void test_only_a_start_that_is_there_is_found(void **state)
{
	static const struct flat_place places[] = { { 2, 0 }, { 4, 1 }, { 9, 2 } };

	(void)state;
	assert_int_equal(flat_sort_find(places, 3, 2), 0);
	assert_int_equal(flat_sort_find(places, 3, 9), 2);
	assert_int_equal(flat_sort_find(places, 3, 3), UINT32_MAX);
	assert_int_equal(flat_sort_find(places, 3, 10), UINT32_MAX);
	assert_int_equal(flat_sort_find(places, 0, 2), UINT32_MAX);
}

UNIT_TESTS(test_flat_sort)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_places_are_in_the_order_of_qsort_and_equal_ones_as_they_came),
		cmocka_unit_test(test_nothing_and_one_place_are_in_order),
		cmocka_unit_test(test_only_a_start_that_is_there_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
