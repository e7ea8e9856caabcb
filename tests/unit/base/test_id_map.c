/* The hash table against a model that cannot be wrong: an array indexed by key. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/id_map.h"
#include "unit_tests.h"

enum { KEYS = 512 };

static uint64_t next_random(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

static void assert_same(const struct id_map *map, const uint32_t *model, uint64_t spread)
{
	uint32_t used = 0;

	for (uint64_t key = 0; key < KEYS; key++) {
		assert_int_equal(id_map_get(map, key * spread), model[key]);
		used += model[key] != ID_MAP_NONE;
	}
	assert_int_equal(map->used, used);
}

/* The share of removals changes in phases, so that the table fills up, empties and fills again. */
static void churn(uint64_t spread, uint64_t seed)
{
	struct id_map map = { 0 };
	uint32_t model[KEYS];

	memset(model, 0xff, sizeof(model));
	for (uint32_t step = 0; step < 60000; step++) {
		uint64_t key = next_random(&seed) % KEYS;
		uint64_t removals_of_8 = 1 + step / 5000 % 7;

		if (next_random(&seed) % 8 < removals_of_8) {
			assert_int_equal(id_map_remove(&map, key * spread), model[key]);
			model[key] = ID_MAP_NONE;
		} else {
			assert_int_equal(id_map_put(&map, key * spread, step), 0);
			model[key] = step;
		}
		if (step % 64 == 0)
			assert_same(&map, model, spread);
	}
	assert_same(&map, model, spread);
	id_map_finish(&map);
}

static void test_random_puts_and_removals_match_an_array(void **state)
{
	(void)state;
	churn(1, 1);
	churn(0x1000, 2);			/* addresses: the low bits are equal */
	churn(0x0000100000000001ull, 3);	/* (pid << 44 | tid) and the like */
}

/* Inverse of id_map_mix(): gives keys that all have the home slot we want. */
static uint64_t unmix(uint64_t x)
{
	x ^= x >> 31 ^ x >> 62;
	x *= 0x319642b2d24d8ec3ull;
	x ^= x >> 27 ^ x >> 54;
	x *= 0x96de1b173f119089ull;
	return x ^ x >> 30 ^ x >> 60;
}

static void test_removal_in_a_run_that_wraps_keeps_the_rest_findable(void **state)
{
	/* Homes 62, 63, 63, 62, 0 fill slots 62, 63, 0, 1, 2 of 64. */
	static const uint64_t homes[] = { 62, 63, 63, 62, 0 };
	uint64_t keys[5];

	(void)state;
	for (uint32_t i = 0; i < 5; i++) {
		keys[i] = unmix((uint64_t)(i + 1) << 32 | homes[i]);
		assert_int_equal(id_map_mix(keys[i]) & 63, homes[i]);
	}
	for (uint32_t gone = 0; gone < 5; gone++) {
		struct id_map map = { 0 };

		for (uint32_t i = 0; i < 5; i++)
			assert_int_equal(id_map_put(&map, keys[i], i), 0);
		assert_int_equal(map.slots, 64);
		assert_int_equal(id_map_remove(&map, keys[gone]), gone);
		for (uint32_t i = 0; i < 5; i++)
			assert_int_equal(id_map_get(&map, keys[i]), i == gone ? ID_MAP_NONE : i);
		id_map_finish(&map);
	}
}

static void test_an_empty_map_finds_nothing(void **state)
{
	struct id_map map = { 0 };

	(void)state;
	assert_int_equal(id_map_get(&map, 7), ID_MAP_NONE);
	assert_int_equal(id_map_remove(&map, 7), ID_MAP_NONE);
	id_map_clear(&map);
	assert_int_equal(id_map_bytes(&map), 0);
	id_map_finish(&map);
}

static void test_clear_forgets_and_keeps_the_memory(void **state)
{
	struct id_map map = { 0 };
	size_t bytes;

	(void)state;
	for (uint32_t i = 0; i < 1000; i++)
		assert_int_equal(id_map_put(&map, i, i), 0);
	bytes = id_map_bytes(&map);
	id_map_clear(&map);
	assert_int_equal(id_map_bytes(&map), bytes);
	assert_int_equal(map.used, 0);
	for (uint32_t i = 0; i < 1000; i++)
		assert_int_equal(id_map_get(&map, i), ID_MAP_NONE);
	id_map_finish(&map);
	assert_int_equal(id_map_bytes(&map), 0);
}

static void test_putting_a_key_again_replaces_its_value(void **state)
{
	struct id_map map = { 0 };

	(void)state;
	assert_int_equal(id_map_put(&map, UINT64_MAX, 1), 0);
	assert_int_equal(id_map_put(&map, UINT64_MAX, 2), 0);
	assert_int_equal(id_map_get(&map, UINT64_MAX), 2);
	assert_int_equal(map.used, 1);
	id_map_finish(&map);
}

UNIT_TESTS(test_id_map)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_puts_and_removals_match_an_array),
		cmocka_unit_test(test_removal_in_a_run_that_wraps_keeps_the_rest_findable),
		cmocka_unit_test(test_an_empty_map_finds_nothing),
		cmocka_unit_test(test_clear_forgets_and_keeps_the_memory),
		cmocka_unit_test(test_putting_a_key_again_replaces_its_value),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
