/* The walker where a row asks for more than sp and bp: a frame found by bx, a return address in di.
 * Every expected address is read off the stacks made by hand: see walker_fixture.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "unit_tests.h"
#include "walker_fixture.h"

/* What the rows below say, by file offset. */
#define ENTERED	 0x1000u	/* the return address is on top */
#define START	 0x1010u
#define RETURNER 0x1020u
#define RESOLVER 0x1030u	/* 2 words above where bx points to, bx saved in the lowest */
#define KEEPER	 0x1040u	/* 2 words above it, bx saved in the higher */
#define HIDER	 0x1050u	/* bx is where no row can say */
#define VFORK	 0x1060u	/* the return address was popped into di */

static const struct unwind_row rows[] = {
	{ ENTERED, 1, 0, UNWIND_SP, 0 },
	{ START, 0, 0, UNWIND_END, 0 },
	{ RETURNER - 1, 0, 0, UNWIND_SIGNAL, 0 },	/* a byte early, as glibc's */
	{ RESOLVER, 3, 0, UNWIND_BX, 3 },
	{ KEEPER, 3, 0, UNWIND_SP, 2 },
	{ HIDER, 1, 0, UNWIND_SP, UNWIND_BX_ELSEWHERE },
	{ VFORK, 0, 0, UNWIND_DI, 0 },
	{ VFORK + 0x10, 0, 0, UNWIND_GAP, 0 },
};

static const struct unwind_header header = { .row_count = sizeof(rows) / sizeof(rows[0]) };
static const struct unwind_table table = { &header, rows };

static int set_up(void **state)
{
	return walker_fixture_start(state, &table);
}

/*   0 -  1 saved bx = word 4  2 -> RESOLVER
 *   4 saved bx = word 10,  6 -> ENTERED,  7 -> RESOLVER,  10 saved bx,  12 -> START */
static void test_a_rule_of_bx_uses_what_the_frames_below_saved(void **state)
{
	struct fixture *fixture = *state;

	fixture->registers = (struct walker_registers){ CODE + KEEPER, STACK, .bx = 1,
						      .has_others = true };
	fixture->words[1] = STACK + 8 * 4;
	fixture->words[2] = CODE + RESOLVER + 4;
	fixture->words[4] = STACK + 8 * 10;
	fixture->words[6] = CODE + ENTERED + 1;
	fixture->words[7] = CODE + RESOLVER + 4;
	fixture->words[12] = CODE + START + 1;
	walk(fixture);
	EXPECT(fixture, WALKER_COMPLETE, CODE + KEEPER, CODE + RESOLVER + 4, CODE + ENTERED + 1,
	       CODE + RESOLVER + 4, CODE + START + 1);
}

static void test_a_rule_of_bx_holds_in_the_leaf_and_after_a_signal(void **state)
{
	struct fixture *fixture = *state;

	fixture->registers = (struct walker_registers){ CODE + RESOLVER, STACK, .bx = STACK,
						      .has_others = true };
	fixture->words[2] = CODE + RETURNER;
	fixture->words[3 + 15] = STACK + 8 * 30;	/* saved by the signal: bp, bx */
	fixture->words[3 + 16] = STACK + 8 * 40;
	fixture->words[3 + 20] = STACK + 8 * 32;
	fixture->words[3 + 21] = CODE + RESOLVER;
	fixture->words[42] = CODE + START + 1;
	walk(fixture);
	EXPECT(fixture, WALKER_COMPLETE, CODE + RESOLVER, CODE + RETURNER, CODE + RESOLVER,
	       CODE + START + 1);
}

static void test_a_rule_of_bx_without_it_is_for_somebody_else(void **state)
{
	struct fixture *fixture = *state;

	fixture->words[0] = CODE + RESOLVER + 4;
	fixture->words[2] = CODE + START + 1;
	fixture->registers = (struct walker_registers){ CODE + HIDER, STACK, .bx = STACK,
						      .has_others = true };
	walk(fixture);
	EXPECT(fixture, WALKER_COMPLEX, CODE + HIDER, CODE + RESOLVER + 4);
	fixture->registers.ip = CODE + ENTERED;
	walk(fixture);
	EXPECT(fixture, WALKER_COMPLETE, CODE + ENTERED, CODE + RESOLVER + 4, CODE + START + 1);
	fixture->registers.has_others = false;
	walk(fixture);
	EXPECT(fixture, WALKER_COMPLEX, CODE + ENTERED, CODE + RESOLVER + 4);
}

/* The address that it popped is as good as one on the stack, but only while nothing was called. */
static void test_a_return_address_in_di_is_a_leafs(void **state)
{
	struct fixture *fixture = *state;

	fixture->registers = (struct walker_registers){ CODE + VFORK, STACK,
						      .di = CODE + ENTERED + 1,
						      .has_others = true };
	fixture->words[0] = CODE + START + 1;
	walk(fixture);
	EXPECT(fixture, WALKER_COMPLETE, CODE + VFORK, CODE + ENTERED + 1, CODE + START + 1);
	assert_false(walker_is_exact(&fixture->walker, 1));
	fixture->registers.ip = CODE + ENTERED;
	fixture->words[0] = CODE + VFORK + 1;
	walk(fixture);
	EXPECT(fixture, WALKER_COMPLEX, CODE + ENTERED, CODE + VFORK + 1);
	fixture->registers.ip = CODE + VFORK;
	fixture->registers.has_others = false;
	walk(fixture);
	EXPECT(fixture, WALKER_COMPLEX, CODE + VFORK);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

UNIT_TESTS(test_walker_registers)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_rule_of_bx_uses_what_the_frames_below_saved),
		TEST(test_a_rule_of_bx_holds_in_the_leaf_and_after_a_signal),
		TEST(test_a_rule_of_bx_without_it_is_for_somebody_else),
		TEST(test_a_return_address_in_di_is_a_leafs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
