/* What is kept of addresses and chains is found again under exactly its key, until it is forgotten
 * or written over. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ingest/stack_cache.h"
#include "unit_tests.h"

#define COUNT_OF(a) (sizeof(a) / sizeof((a)[0]))

static struct stack_cache cache;

static int set_up(void **state)
{
	(void)state;
	return stack_cache_init(&cache);
}

static int tear_down(void **state)
{
	(void)state;
	stack_cache_finish(&cache);
	return 0;
}

static const uint64_t words[] = { 0x1000, 0x2000, (uint64_t)-512, 0x3000 };

static struct cache_key key_of(const uint64_t *of, uint32_t count)
{
	return (struct cache_key){
		.space = cache.empty_space, .words = of, .count = count, .plain = count, .mode = 1,
	};
}

static void keep(const struct cache_key *key, uint32_t node)
{
	stack_cache_keep_chain(&cache, key, stack_cache_hash(key), node, 7);
}

/* Also where another key would have the same hash. */
static bool is_known(const struct cache_key *key, uint64_t hash)
{
	return stack_cache_chain(&cache, key, hash);
}

static void test_a_chain_is_found_by_its_words(void **state)
{
	const struct cache_key key = key_of(words, 4);
	const struct cache_chain *found;

	(void)state;
	keep(&key, 5);
	found = stack_cache_chain(&cache, &key, stack_cache_hash(&key));
	assert_non_null(found);
	assert_int_equal(found->node, 5);
	assert_int_equal(found->code, 7);
}

static void test_a_hash_alone_is_not_believed(void **state)
{
	const uint64_t other[] = { 0x1000, 0x2000, (uint64_t)-512, 0x3001 };
	const struct cache_key key = key_of(words, 4), other_words = key_of(other, 4);
	struct cache_key shorter = key, of_mode = key, split = key, elsewhere = key;
	const uint64_t hash = stack_cache_hash(&key);

	(void)state;
	shorter.count = 3;
	of_mode.mode = 2;
	split.plain = 2;
	elsewhere.space = cache.kernel_space;
	keep(&key, 5);
	assert_true(is_known(&key, hash));
	assert_false(is_known(&other_words, hash));
	assert_false(is_known(&shorter, hash));
	assert_false(is_known(&of_mode, hash));
	assert_false(is_known(&split, hash));
	assert_false(is_known(&elsewhere, hash));
}

/* 260 chains of 511 words are more than the ring has. */
static void test_words_that_were_written_over_are_not_found(void **state)
{
	static uint64_t chain[511];
	const struct cache_key first = key_of(words, 4);
	struct cache_key key = key_of(chain, COUNT_OF(chain));
	uint32_t known = 0;

	(void)state;
	keep(&first, 1);
	for (uint64_t i = 0; i < 260; i++) {
		chain[0] = i;
		keep(&key, (uint32_t)i);
		assert_true(is_known(&key, stack_cache_hash(&key)));
	}
	assert_false(is_known(&first, stack_cache_hash(&first)));
	for (uint64_t i = 0; i < 260; i++) {
		chain[0] = i;
		known += is_known(&key, stack_cache_hash(&key));
	}
	assert_in_range(known, 1, STACK_CACHE_WORDS / COUNT_OF(chain));
}

static void test_a_chain_too_long_is_not_kept(void **state)
{
	static uint64_t chain[STACK_CACHE_LONGEST + 1];
	const struct cache_key key = key_of(chain, COUNT_OF(chain));

	(void)state;
	keep(&key, 1);
	assert_false(is_known(&key, stack_cache_hash(&key)));
	assert_int_equal(cache.words_end, 0);
}

static void test_an_address_is_found_in_its_space_alone(void **state)
{
	const struct cache_frame row = { cache.empty_space, 0x1000, 3, 4 };

	(void)state;
	assert_null(stack_cache_frame(&cache, cache.empty_space, 0x1000));
	stack_cache_keep_frame(&cache, &row);
	assert_int_equal(stack_cache_frame(&cache, cache.empty_space, 0x1000)->frame, 3);
	assert_null(stack_cache_frame(&cache, cache.kernel_space, 0x1000));
	assert_null(stack_cache_frame(&cache, cache.empty_space, 0x1001));
}

/* Three of one hash: the one that came first makes room. */
static void test_a_stack_is_found_by_leaf_and_callers(void **state)
{
	const struct cache_stack row = { cache.empty_space, 0x1000, 3, 4 };
	uint32_t found = 0;

	(void)state;
	stack_cache_keep_stack(&cache, &row);
	assert_int_equal(stack_cache_stack(&cache, cache.empty_space, 0x1000, 3), 4);
	assert_int_equal(stack_cache_stack(&cache, cache.kernel_space, 0x1000, 3), UINT32_MAX);
	assert_int_equal(stack_cache_stack(&cache, cache.empty_space, 0x1001, 3), UINT32_MAX);
	assert_int_equal(stack_cache_stack(&cache, cache.empty_space, 0x1000, 2), UINT32_MAX);
	for (uint32_t i = 0; i < 3 * STACK_CACHE_STACKS; i++) {
		const struct cache_stack one = { cache.empty_space, i, i, i };

		stack_cache_keep_stack(&cache, &one);
		assert_int_equal(stack_cache_stack(&cache, cache.empty_space, i, i), i);
	}
	for (uint32_t i = 0; i < 3 * STACK_CACHE_STACKS; i++)
		found += stack_cache_stack(&cache, cache.empty_space, i, i) != UINT32_MAX;
	assert_in_range(found, STACK_CACHE_STACKS / 2, STACK_CACHE_STACKS);
}

static void test_what_is_forgotten_gives_every_space_another_number(void **state)
{
	uint64_t space = 0, first;

	(void)state;
	first = stack_cache_space(&cache, &space);
	assert_int_equal(stack_cache_space(&cache, &space), first);
	assert_int_not_equal(first, cache.kernel_space);
	assert_int_not_equal(first, cache.empty_space);
	stack_cache_forget(&cache);
	assert_true(cache.kernel_space > first && cache.empty_space > first);
	assert_int_not_equal(cache.kernel_space, cache.empty_space);
	assert_true(stack_cache_space(&cache, &space) > first);
}

UNIT_TESTS(test_stack_cache)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_a_chain_is_found_by_its_words, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_a_hash_alone_is_not_believed, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_words_that_were_written_over_are_not_found,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_a_chain_too_long_is_not_kept, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_an_address_is_found_in_its_space_alone,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_a_stack_is_found_by_leaf_and_callers, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(
			test_what_is_forgotten_gives_every_space_another_number, set_up,
			tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
