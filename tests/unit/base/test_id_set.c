/* Rows in the owner's array, found by content: against a linear search. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/id_map.h"
#include "random_numbers.h"
#include "unit_tests.h"

enum { ROWS = 5000, KINDS = 4000 };

struct rows {
	uint64_t values[ROWS];
	uint64_t spread;	/* 0: every row has the same hash */
	uint32_t count;
	struct id_set set;
};

static uint64_t row_hash(const void *owner, uint32_t id)
{
	const struct rows *rows = owner;

	return id_set_mix(rows->values[id] * rows->spread, rows->spread);
}

static uint32_t find(const struct rows *rows, uint64_t value)
{
	const uint64_t hash = id_set_mix(value * rows->spread, rows->spread);
	uint32_t id;

	for (uint32_t slot = id_set_first(&rows->set, hash);
	     (id = id_set_at(&rows->set, &slot, hash)) != ID_SET_NONE;
	     slot = id_set_next(&rows->set, slot))
		if (rows->values[id] == value)
			return id;
	return ID_SET_NONE;
}

static uint32_t intern(struct rows *rows, uint64_t value)
{
	uint32_t id;

	assert_int_equal(id_set_reserve(&rows->set, row_hash, rows), 0);
	id = find(rows, value);
	if (id != ID_SET_NONE)
		return id;
	rows->values[rows->count] = value;
	id_set_add(&rows->set, row_hash(rows, rows->count), rows->count);
	return rows->count++;
}

static void intern_at_random(uint64_t spread, uint32_t kinds)
{
	static struct rows rows;
	static uint32_t known[KINDS];
	uint64_t seed = 7;

	rows = (struct rows){ .spread = spread };
	for (uint32_t i = 0; i < KINDS; i++)
		known[i] = ID_SET_NONE;
	for (int step = 0; step < 3 * KINDS; step++) {
		const uint32_t value = random_below(&seed, kinds);
		const uint32_t id = intern(&rows, value);

		if (known[value] == ID_SET_NONE)
			known[value] = rows.count - 1;
		assert_int_equal(id, known[value]);
	}
	assert_int_equal(rows.set.used, rows.count);
	for (uint32_t value = 0; value < kinds; value++)
		assert_int_equal(find(&rows, value), known[value]);
	id_set_finish(&rows.set);
}

static void test_equal_rows_have_one_id_and_keep_it_while_the_set_grows(void **state)
{
	(void)state;
	intern_at_random(1, KINDS);
	intern_at_random(0x100000000ull, KINDS);
}

static void test_rows_of_one_hash_are_told_apart(void **state)
{
	(void)state;
	intern_at_random(0, 300);	/* more than the 256 slots of the beginning */
}

static void test_a_rebuild_finds_the_rows_that_stayed_and_no_others(void **state)
{
	static struct rows rows;

	(void)state;
	rows = (struct rows){ .spread = 1 };
	for (uint64_t value = 0; value < 1000; value++)
		intern(&rows, value);
	rows.count = 0;
	for (uint64_t value = 0; value < 1000; value += 10)	/* every tenth stays */
		rows.values[rows.count++] = value;
	assert_int_equal(id_set_rebuild(&rows.set, rows.count, row_hash, &rows), 0);
	assert_int_equal(rows.set.used, 100);
	for (uint32_t value = 0; value < 1000; value++)
		assert_int_equal(find(&rows, value),
				 value % 10 ? ID_SET_NONE : value / 10);
	assert_int_equal(intern(&rows, 1), 100);
	id_set_finish(&rows.set);
	assert_int_equal(id_set_bytes(&rows.set), 0);
}

static void test_a_set_is_never_fuller_than_three_quarters(void **state)
{
	static struct rows rows;

	(void)state;
	rows = (struct rows){ .spread = 1 };
	for (uint64_t value = 0; value < 3000; value++) {
		intern(&rows, value);
		assert_true(rows.set.used * 4 <= rows.set.slot_count * 3);
	}
	assert_int_equal(rows.set.slot_count, 4096);	/* 3000 of 4096; of 2048 at most 1536 */
	id_set_finish(&rows.set);
}

/* In 4,096 slots 20 bits of the hash stand beside the id: of 100,000 rows that are not there, each
 * of which meets up to a dozen that are, none or one looks like one of them. */
static void test_rows_of_other_hashes_are_not_looked_at(void **state)
{
	static struct rows rows;
	uint32_t looks = 0;

	(void)state;
	rows = (struct rows){ .spread = 1 };
	for (uint64_t value = 0; value < 3000; value++)
		intern(&rows, value);
	for (uint64_t value = 3000; value < 103000; value++) {
		const uint64_t hash = id_set_mix(value, 1);

		for (uint32_t slot = id_set_first(&rows.set, hash);
		     id_set_at(&rows.set, &slot, hash) != ID_SET_NONE;
		     slot = id_set_next(&rows.set, slot))
			looks++;
	}
	assert_in_range(looks, 0, 5);
	id_set_finish(&rows.set);
}

/* Its owner fills it again and again: no memory is asked for, but what one full time took goes. */
static void test_a_set_that_is_cleared_keeps_what_it_mostly_needs(void **state)
{
	static struct rows rows;
	const uint32_t *slots;

	(void)state;
	rows = (struct rows){ .spread = 1 };
	for (uint64_t value = 0; value < 1000; value++)
		intern(&rows, value);
	slots = rows.set.tagged;
	id_set_clear(&rows.set);
	rows.count = 0;
	for (uint64_t value = 1000; value < 1200; value++)
		assert_int_equal(intern(&rows, value), value - 1000);
	assert_int_equal(find(&rows, 1), ID_SET_NONE);
	assert_ptr_equal(rows.set.tagged, slots);
	id_set_clear(&rows.set);
	rows.count = 0;
	intern(&rows, 1);
	id_set_clear(&rows.set);	/* 1 of 2048 */
	assert_int_equal(id_set_bytes(&rows.set), 0);
	rows.count = 0;
	assert_int_equal(intern(&rows, 2), 0);
	id_set_finish(&rows.set);
}

UNIT_TESTS(test_id_set)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_equal_rows_have_one_id_and_keep_it_while_the_set_grows),
		cmocka_unit_test(test_rows_of_one_hash_are_told_apart),
		cmocka_unit_test(test_a_rebuild_finds_the_rows_that_stayed_and_no_others),
		cmocka_unit_test(test_a_set_is_never_fuller_than_three_quarters),
		cmocka_unit_test(test_rows_of_other_hashes_are_not_looked_at),
		cmocka_unit_test(test_a_set_that_is_cleared_keeps_what_it_mostly_needs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
