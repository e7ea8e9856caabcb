/* Which range is the innermost at an address: worked out by hand, then against looking at each. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "elf/dwarf_index.h"
#include "random_numbers.h"
#include "unit_tests.h"

/*   0    10   20   30   40   50   60   70   80
 *        |---------- 1 -----------|               10-70
 *             |- 2 -|                             20-30
 *                       |--- 3 --|                40-70, ends with 1
 *                       |4|                       40-45
 *                                      |- 5 -|    75-80
 */
static void test_the_innermost_range_is_found(void **state)
{
	static const struct {
		uint64_t address;
		uint32_t value;
	} known[] = {
		{ 9, RANGE_NONE }, { 10, 1 }, { 19, 1 }, { 20, 2 }, { 29, 2 }, { 30, 1 },
		{ 40, 4 }, { 44, 4 }, { 45, 3 }, { 69, 3 }, { 70, RANGE_NONE }, { 75, 5 },
		{ 80, RANGE_NONE },
	};
	struct range_list list = { .count = 0 };

	(void)state;
	assert_int_equal(range_list_add(&list, 40, 45, 4), 0);
	assert_int_equal(range_list_add(&list, 75, 80, 5), 0);
	assert_int_equal(range_list_add(&list, 40, 70, 3), 0);
	assert_int_equal(range_list_add(&list, 10, 70, 1), 0);
	assert_int_equal(range_list_add(&list, 20, 30, 2), 0);
	range_list_sort(&list);
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		assert_int_equal(range_list_find(&list, known[i].address, NULL), known[i].value);
	range_list_finish(&list);
}

static void test_of_equal_ranges_the_later_is_the_inner(void **state)
{
	struct range_list list = { .count = 0 };

	(void)state;
	assert_int_equal(range_list_add(&list, 5, 6, 7), 0);
	assert_int_equal(range_list_add(&list, 5, 6, 8), 0);
	range_list_sort(&list);
	assert_int_equal(range_list_find(&list, 5, NULL), 8);
	range_list_finish(&list);
}

static void test_nothing_is_found_in_an_empty_list(void **state)
{
	struct range_list list = { .count = 0 };

	(void)state;
	range_list_sort(&list);
	assert_int_equal(range_list_find(&list, 0, NULL), RANGE_NONE);
	range_list_finish(&list);
}

/* The last one, in the order of the list, that holds the address. */
static uint32_t look_at_each(const struct range_list *list, uint64_t address)
{
	uint32_t found = RANGE_NONE;

	for (uint32_t i = 0; i < list->count; i++)
		if (list->rows[i].start <= address && address < list->rows[i].end)
			found = list->rows[i].value;
	return found;
}

/* Also ranges that overlap without nesting: files may say anything. */
static void test_random_ranges_are_found_as_by_looking_at_each(void **state)
{
	uint64_t seed = 1;

	(void)state;
	for (int round = 0; round < 200; round++) {
		struct range_list list = { .count = 0 };

		for (uint32_t i = 0; i < 60; i++) {
			const uint64_t start = random_next(&seed) % 100;

			range_list_add(&list, start, start + 1 + random_next(&seed) % 30, i);
		}
		range_list_sort(&list);
		for (uint64_t address = 0; address < 140; address++)
			assert_int_equal(range_list_find(&list, address, NULL),
					 look_at_each(&list, address));
		range_list_finish(&list);
	}
}

/* The end that a look-up returns is where the next one may give another value, and not before. */
static void test_up_to_its_end_a_value_stays(void **state)
{
	uint64_t seed = 2;

	(void)state;
	for (int round = 0; round < 200; round++) {
		struct range_list list = { .count = 0 };

		for (uint32_t i = 0; i < 30; i++) {
			const uint64_t start = random_next(&seed) % 100;

			range_list_add(&list, start, start + 1 + random_next(&seed) % 30, i);
		}
		range_list_sort(&list);
		for (uint64_t address = 0, end; address < 140; address = end) {
			uint32_t value;

			end = 140;
			value = range_list_find(&list, address, &end);
			assert_in_range(end, address + 1, 140);
			for (uint64_t at = address; at < end; at++)
				assert_int_equal(look_at_each(&list, at), value);
		}
		range_list_finish(&list);
	}
}

UNIT_TESTS(test_range_list)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_innermost_range_is_found),
		cmocka_unit_test(test_of_equal_ranges_the_later_is_the_inner),
		cmocka_unit_test(test_nothing_is_found_in_an_empty_list),
		cmocka_unit_test(test_random_ranges_are_found_as_by_looking_at_each),
		cmocka_unit_test(test_up_to_its_end_a_value_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
