/* Interning by hand, and compaction against stacks written out as text would be: whole chains. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "random_numbers.h"
#include "timeline/stack_trie.h"
#include "unit_tests.h"

/* The stacks of the header's snapshot. */
static void test_stacks_that_differ_in_their_leaf_share_their_callers(void **state)
{
	struct stack_trie trie;
	uint32_t main_frame, f_frame, g12, g16, node;

	(void)state;
	assert_int_equal(stack_trie_init(&trie), 0);
	main_frame = stack_trie_frame(&trie, 9, 4);
	f_frame = stack_trie_frame(&trie, 9, 8);
	g12 = stack_trie_frame(&trie, 9, 12);
	g16 = stack_trie_frame(&trie, 9, 16);
	for (int round = 0; round < 2; round++) {
		node = stack_trie_child(&trie, STACK_NODE_ROOT, main_frame);
		assert_int_equal(node, 1);
		node = stack_trie_child(&trie, node, f_frame);
		assert_int_equal(node, 2);
		assert_int_equal(stack_trie_stack(&trie, node, g12), 0);
		assert_int_equal(stack_trie_stack(&trie, node, g16), 1);
	}
	assert_int_equal(trie.frames.count, 4);
	assert_int_equal(trie.nodes.count, 3);
	assert_int_equal(trie.stacks.count, 2);
	assert_int_equal(trie.nodes.parent[2], 1);
	assert_int_equal(trie.nodes.frame[1], main_frame);
	stack_trie_finish(&trie);
}

static void test_frames_of_two_dsos_or_addresses_are_two(void **state)
{
	struct stack_trie trie;

	(void)state;
	assert_int_equal(stack_trie_init(&trie), 0);
	assert_int_equal(stack_trie_frame(&trie, 1, 0x10), 0);
	assert_int_equal(stack_trie_frame(&trie, 2, 0x10), 1);
	assert_int_equal(stack_trie_frame(&trie, 1, 0x11), 2);
	assert_int_equal(stack_trie_frame(&trie, 1, 0xffffffff81000010), 3);
	assert_int_equal(stack_trie_frame(&trie, 1, 0x10), 0);
	stack_trie_finish(&trie);
}

static void test_a_stack_may_be_a_leaf_alone(void **state)
{
	struct stack_trie trie;
	uint32_t frame;

	(void)state;
	assert_int_equal(stack_trie_init(&trie), 0);
	frame = stack_trie_frame(&trie, 1, 0x10);
	assert_int_equal(stack_trie_stack(&trie, STACK_NODE_ROOT, frame), 0);
	assert_int_equal(trie.nodes.count, 1);
	stack_trie_finish(&trie);
}

enum { STACKS = 3000, DEPTH_MAX = 12, ADDRESSES = 9 };

struct chain {
	uint8_t depth;
	uint8_t frames[DEPTH_MAX];	/* leaf first; DSO 3, this address */
};

static void random_chain(uint64_t *seed, struct chain *chain)
{
	memset(chain, 0, sizeof(*chain));
	chain->depth = (uint8_t)(1 + random_below(seed, DEPTH_MAX));
	for (int i = 0; i < chain->depth; i++)
		chain->frames[i] = (uint8_t)random_below(seed, ADDRESSES);
}

static uint32_t intern(struct stack_trie *trie, const struct chain *chain)
{
	uint32_t node = STACK_NODE_ROOT;

	for (int i = chain->depth - 1; i > 0; i--)
		node = stack_trie_child(trie, node, stack_trie_frame(trie, 3, chain->frames[i]));
	return stack_trie_stack(trie, node, stack_trie_frame(trie, 3, chain->frames[0]));
}

/* Written out again from the trie. */
static void read_back(const struct stack_trie *trie, uint32_t stack, struct chain *chain)
{
	uint32_t node = trie->stacks.node[stack];

	memset(chain, 0, sizeof(*chain));
	chain->frames[chain->depth++] = (uint8_t)trie->frames.address[trie->stacks.frame[stack]];
	for (; node != STACK_NODE_ROOT; node = trie->nodes.parent[node]) {
		assert_true(chain->depth < DEPTH_MAX);
		assert_true(trie->nodes.parent[node] < node);
		chain->frames[chain->depth++] =
			(uint8_t)trie->frames.address[trie->nodes.frame[node]];
	}
}

static void assert_chain(const struct stack_trie *trie, uint32_t stack, const struct chain *chain)
{
	struct chain found;

	read_back(trie, stack, &found);
	assert_memory_equal(&found, chain, sizeof(found));
}

/* Different callers of the chains in use: what may stay of the nodes. */
static uint32_t count_callers(const struct chain *chains, const unsigned char *used, uint32_t count)
{
	static struct stack_trie fresh;
	uint32_t nodes;

	assert_int_equal(stack_trie_init(&fresh), 0);
	for (uint32_t i = 0; i < count; i++)
		if (used[i])
			intern(&fresh, &chains[i]);
	nodes = fresh.nodes.count;
	stack_trie_finish(&fresh);
	return nodes;
}

static void test_compaction_keeps_exactly_what_is_used(void **state)
{
	static struct chain chains[STACKS], kept_chains[STACKS];
	static unsigned char used[STACKS];
	static uint32_t renumbered[STACKS];
	struct stack_trie trie;
	uint64_t seed = 3;

	(void)state;
	assert_int_equal(stack_trie_init(&trie), 0);
	for (int round = 0; round < 6; round++) {
		uint32_t kept = 0, count;

		for (uint32_t i = trie.stacks.count; i < STACKS;) {
			random_chain(&seed, &chains[i]);
			if (intern(&trie, &chains[i]) == i)	/* else one that was there */
				i++;
		}
		count = trie.stacks.count;
		for (uint32_t i = 0; i < count; i++)
			used[i] = random_below(&seed, 8) < (uint32_t)round;	/* none to most */
		assert_int_equal(stack_trie_compact(&trie, used, renumbered), 0);
		for (uint32_t i = 0; i < count; i++) {
			assert_int_equal(renumbered[i], used[i] ? kept : ID_SET_NONE);
			if (used[i])
				kept_chains[kept++] = chains[i];
		}
		assert_int_equal(trie.stacks.count, kept);
		assert_int_equal(trie.nodes.count, count_callers(chains, used, count));
		memcpy(chains, kept_chains, sizeof(chains));
		for (uint32_t i = 0; i < kept; i++) {
			assert_chain(&trie, i, &chains[i]);
			assert_int_equal(intern(&trie, &chains[i]), i);	/* found by its content */
		}
	}
	stack_trie_finish(&trie);
}

static void test_compaction_keeps_the_symbols_that_were_looked_up(void **state)
{
	static const unsigned char used[] = { 0, 1 };
	uint32_t renumbered[2];
	struct stack_trie trie;

	(void)state;
	assert_int_equal(stack_trie_init(&trie), 0);
	for (uint32_t i = 0; i < 2; i++) {
		const uint32_t frame = stack_trie_frame(&trie, 1, i);

		assert_int_equal(trie.frames.symbol[frame], ID_SET_NONE);
		trie.frames.symbol[frame] = 70 + i;
		stack_trie_stack(&trie, STACK_NODE_ROOT, frame);
	}
	assert_int_equal(stack_trie_compact(&trie, used, renumbered), 0);
	assert_int_equal(trie.frames.count, 1);
	assert_int_equal(trie.frames.symbol[0], 71);
	stack_trie_finish(&trie);
}

static void test_an_empty_trie_can_be_compacted(void **state)
{
	struct stack_trie trie;
	uint32_t frame;

	(void)state;
	assert_int_equal(stack_trie_init(&trie), 0);
	assert_int_equal(stack_trie_compact(&trie, NULL, NULL), 0);
	assert_int_equal(trie.nodes.count, 1);
	frame = stack_trie_frame(&trie, 1, 1);
	assert_int_equal(stack_trie_child(&trie, STACK_NODE_ROOT, frame), 1);
	stack_trie_finish(&trie);
}

UNIT_TESTS(test_stack_trie)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stacks_that_differ_in_their_leaf_share_their_callers),
		cmocka_unit_test(test_frames_of_two_dsos_or_addresses_are_two),
		cmocka_unit_test(test_a_stack_may_be_a_leaf_alone),
		cmocka_unit_test(test_compaction_keeps_exactly_what_is_used),
		cmocka_unit_test(test_compaction_keeps_the_symbols_that_were_looked_up),
		cmocka_unit_test(test_an_empty_trie_can_be_compacted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
