/* The walker over tables and stacks made by hand. Every expected address is read off the drawings:
 * see walker_fixture.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "random_numbers.h"
#include "unit_tests.h"
#include "walker_fixture.h"

/* What the rows below say, by file offset. */
#define ENTERED	 0x1000u	/* the return address is on top */
#define FRAMED	 0x1001u	/* 3 words above it, bp saved in the highest */
#define EPILOGUE 0x1010u	/* bp has been popped, and the rule does not know */
#define BY_BP	 0x1020u	/* push bp; mov sp, bp */
#define NO_RULE	 0x1030u
#define START	 0x1040u
#define RETURNER 0x1050u
#define PLT	 0x1060u
#define HARD	 0x1080u
#define STUCK	 0x1090u	/* a CFA that does not grow */
#define ODD	 0x10a0u	/* bp saved above the return address */
#define BY_WORD	 0x10b0u	/* the word 2 above sp is the CFA - 8 */
#define ALIGNED	 0x10c0u	/* the word below bp's is the CFA */
#define OTHER_PLT 0x10d0u

static const struct unwind_row rows[] = {
	{ ENTERED, 1, 0, UNWIND_SP, 0 },
	{ FRAMED, 4, -2, UNWIND_SP, 0 },
	{ EPILOGUE, 1, -2, UNWIND_SP, 0 },
	{ BY_BP, 2, -2, UNWIND_BP, 0 },
	{ NO_RULE, 0, 0, UNWIND_GAP, 0 },
	{ START, 0, 0, UNWIND_END, 0 },
	{ RETURNER - 1, 0, 0, UNWIND_SIGNAL, 0 },	/* a byte early, as glibc's */
	{ PLT, 11, 0, UNWIND_PLT, 0 },
	{ HARD, 0, 0, UNWIND_COMPLEX, 0 },
	{ STUCK, 0, 0, UNWIND_SP, 0 },
	{ ODD, 1, 1, UNWIND_SP, 0 },
	{ BY_WORD, 2, -2, UNWIND_SP_WORD, 0 },
	{ ALIGNED, -1, 0, UNWIND_BP_WORD, 0 },
	{ OTHER_PLT, 9, 0, UNWIND_PLT, 0 },
	{ OTHER_PLT + 0x10, 0, 0, UNWIND_GAP, 0 },
};

static const struct unwind_header header = {
	.magic = UNWIND_TABLE_MAGIC,
	.version = UNWIND_TABLE_VERSION,
	.row_count = sizeof(rows) / sizeof(rows[0]),
};

static const struct unwind_table table = { &header, rows };

/* All of its code is outermost. */
static const struct unwind_row end_row = { START, 0, 0, UNWIND_END, 0 };
static const struct unwind_header end_header = { .row_count = 1 };
static const struct unwind_table end_table = { &end_header, &end_row };

static int set_up(void **state)
{
	return walker_fixture_start(state, &table);
}

/*   0 -> FRAMED    1 -,  2 saved bp = word 7,  3 -> BY_BP
 *   4 .. 6 locals  7 saved bp,  8 -> START */
static void test_rules_of_sp_and_bp_lead_to_the_outermost_frame(void **state)
{
	struct fixture *fixture = *state;

	fixture->registers.ip = CODE + ENTERED;
	fixture->words[0] = CODE + FRAMED + 4;
	fixture->words[3] = STACK + 8 * 7;
	fixture->words[4] = CODE + BY_BP + 5;
	fixture->words[8] = CODE + START + 3;
	walk(fixture);
	EXPECT(fixture, WALKER_COMPLETE, CODE + ENTERED, CODE + FRAMED + 4, CODE + BY_BP + 5,
	       CODE + START + 3);
}

static void test_the_leaf_is_looked_up_where_it_is_and_a_caller_one_byte_before(void **state)
{
	struct fixture *fixture = *state;

	/* FRAMED begins at ENTERED's second byte: by ip - 1 the leaf would have ENTERED's rule. */
	fixture->registers.ip = CODE + FRAMED;
	fixture->words[3] = CODE + EPILOGUE;	/* after the last call of FRAMED */
	fixture->words[7] = CODE + START + 1;
	walk(fixture);
	EXPECT(fixture, WALKER_COMPLETE, CODE + FRAMED, CODE + EPILOGUE, CODE + START + 1);
}

static void test_the_outermost_frame_alone_is_complete(void **state)
{
	struct fixture *fixture = *state;

	fixture->registers.ip = CODE + START;
	walk(fixture);
	EXPECT(fixture, WALKER_COMPLETE, CODE + START);
}

/* In an epilogue whose rule still says that bp is at CFA - 16 = sp - 8, the register has it. */
static void test_a_bp_saved_below_sp_has_been_popped_and_is_kept(void **state)
{
	struct fixture *fixture = *state;

	fixture->stack.start = STACK - 8;	/* the word below sp could be read, and is wrong */
	fixture->words[0] = STACK + 8 * 40;
	fixture->registers.ip = CODE + EPILOGUE;
	fixture->registers.bp = STACK + 8 * 3;
	fixture->words[1] = CODE + BY_BP + 5;
	fixture->words[5] = CODE + START + 1;
	walk(fixture);
	EXPECT(fixture, WALKER_COMPLETE, CODE + EPILOGUE, CODE + BY_BP + 5, CODE + START + 1);
}

static void test_a_slot_of_the_plt_has_pushed_from_its_byte_11_on(void **state)
{
	struct fixture *fixture = *state;

	fixture->words[0] = CODE + START + 1;
	fixture->words[1] = CODE + START + 2;
	fixture->registers.ip = CODE + PLT + 0x10 + 10;
	walk(fixture);
	EXPECT(fixture, WALKER_COMPLETE, CODE + PLT + 0x1a, CODE + START + 1);
	fixture->registers.ip = CODE + PLT + 0x10 + 11;
	walk(fixture);
	EXPECT(fixture, WALKER_COMPLETE, CODE + PLT + 0x1b, CODE + START + 2);
}

/* Slots that begin with ENDBR64. */
static void test_a_slot_of_another_plt_has_pushed_from_its_byte_9_on(void **state)
{
	struct fixture *fixture = *state;

	fixture->words[0] = CODE + START + 1;
	fixture->words[1] = CODE + START + 2;
	fixture->registers.ip = CODE + OTHER_PLT + 8;
	walk(fixture);
	EXPECT(fixture, WALKER_COMPLETE, CODE + OTHER_PLT + 8, CODE + START + 1);
	fixture->registers.ip = CODE + OTHER_PLT + 9;
	walk(fixture);
	EXPECT(fixture, WALKER_COMPLETE, CODE + OTHER_PLT + 9, CODE + START + 2);
}

/* Its sp is word 0 and says in word 2 that its return address is word 20; bp is in the one below.
 * The caller's frame is from that bp, word 30, on. */
static void test_a_cfa_that_is_kept_in_a_word_above_sp_is_read(void **state)
{
	struct fixture *fixture = *state;

	fixture->registers.ip = CODE + BY_WORD + 3;
	fixture->words[2] = STACK + 8 * 20;
	fixture->words[19] = STACK + 8 * 30;
	fixture->words[20] = CODE + BY_BP + 5;
	fixture->words[31] = CODE + START + 1;
	walk(fixture);
	EXPECT(fixture, WALKER_COMPLETE, CODE + BY_WORD + 3, CODE + BY_BP + 5, CODE + START + 1);
}

/* bp is word 10, where the caller's bp is; the word below says that the CFA is word 20. */
static void test_a_cfa_that_is_kept_in_a_word_beside_bp_is_read(void **state)
{
	struct fixture *fixture = *state;

	fixture->registers.ip = CODE + ALIGNED + 3;
	fixture->registers.bp = STACK + 8 * 10;
	fixture->words[9] = STACK + 8 * 20;
	fixture->words[10] = STACK + 8 * 30;
	fixture->words[19] = CODE + BY_BP + 5;
	fixture->words[31] = CODE + START + 1;
	walk(fixture);
	EXPECT(fixture, WALKER_COMPLETE, CODE + ALIGNED + 3, CODE + BY_BP + 5, CODE + START + 1);
}

static void test_a_word_outside_of_the_copy_cuts_the_stack(void **state)
{
	struct fixture *fixture = *state;

	fixture->registers.ip = CODE + ALIGNED + 3;
	fixture->registers.bp = STACK + 8 * (WORDS + 1);
	walk(fixture);
	EXPECT(fixture, WALKER_CUT, CODE + ALIGNED + 3);
	fixture->registers.bp = 8;
	walk(fixture);
	EXPECT(fixture, WALKER_LOST, CODE + ALIGNED + 3);
}

/* The handler returns to RETURNER with sp at word 1, which is the ucontext: words 1 + 15, 20 and 21
 * are bp, sp and ip. It interrupted EPILOGUE at its first byte: by ip - 1 that would be FRAMED. */
static void test_a_signal_frame_gives_all_registers_and_an_exact_address(void **state)
{
	struct fixture *fixture = *state;

	fixture->registers.ip = CODE + ENTERED;
	fixture->words[0] = CODE + RETURNER;
	fixture->words[16] = STACK + 8 * 50;
	fixture->words[21] = STACK + 8 * 40;
	fixture->words[22] = CODE + EPILOGUE;
	fixture->words[40] = CODE + BY_BP + 5;
	fixture->words[51] = CODE + START + 1;
	walk(fixture);
	EXPECT(fixture, WALKER_COMPLETE, CODE + ENTERED, CODE + RETURNER, CODE + EPILOGUE,
	       CODE + BY_BP + 5, CODE + START + 1);
}

static void test_a_signal_from_another_stack_is_cut_there(void **state)
{
	struct fixture *fixture = *state;

	fixture->registers.ip = CODE + RETURNER;
	fixture->words[20] = STACK - 0x10000;
	fixture->words[21] = CODE + ENTERED;
	walk(fixture);
	EXPECT(fixture, WALKER_CUT, CODE + RETURNER, CODE + ENTERED);
	fixture->stack.count = 8 * 21;	/* the interrupted ip is not in the copy */
	walk(fixture);
	EXPECT(fixture, WALKER_CUT, CODE + RETURNER);
}

/* JIT code, and code of a file that no row covers: words 4 and 5, 8 and 9 are bp and caller. */
static void test_code_without_rows_gets_a_step_by_its_frame_pointer(void **state)
{
	struct fixture *fixture = *state;

	fixture->registers.ip = JIT + 0x10;
	fixture->registers.bp = STACK + 8 * 4;
	fixture->words[4] = STACK + 8 * 8;
	fixture->words[5] = CODE + NO_RULE + 5;
	fixture->words[8] = STACK + 8 * 30;
	fixture->words[9] = CODE + START + 1;
	walk(fixture);
	EXPECT(fixture, WALKER_COMPLETE, JIT + 0x10, CODE + NO_RULE + 5, CODE + START + 1);
	fixture->registers.bp = STACK;	/* sp itself will do */
	fixture->words[1] = CODE + START + 2;
	walk(fixture);
	EXPECT(fixture, WALKER_COMPLETE, JIT + 0x10, CODE + START + 2);
}

static void test_a_callers_frame_pointer_of_zero_is_the_end(void **state)
{
	struct fixture *fixture = *state;

	fixture->registers.ip = JIT + 0x10;
	fixture->registers.bp = STACK + 8 * 4;
	fixture->words[4] = 0;
	fixture->words[5] = JIT + 0x20;
	walk(fixture);
	EXPECT(fixture, WALKER_COMPLETE, JIT + 0x10, JIT + 0x20);
}

static void test_a_frame_pointer_that_can_not_be_one_is_not_followed(void **state)
{
	static const struct {
		uint64_t bp;
		enum walker_end end;
	} cases[] = {
		{ 0, WALKER_LOST },			/* any value: it was interrupted there */
		{ STACK - 8, WALKER_LOST },		/* below sp */
		{ STACK + 4, WALKER_LOST },		/* not of words */
		{ STACK + 8 * (WORDS - 1), WALKER_CUT },	/* the return address is beyond */
		{ STACK + 0x10000, WALKER_CUT },
		{ STACK + 0x40000000, WALKER_LOST },	/* further than a stack is long */
		{ UINT64_MAX - 7, WALKER_LOST },
	};
	struct fixture *fixture = *state;
	uint64_t caller = CODE + START + 1;

	for (size_t i = 0; i < WORDS; i++)
		fixture->words[i] = caller;
	memcpy((char *)fixture->words + 12, &caller, sizeof(caller));
	fixture->registers.ip = JIT;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		fixture->registers.bp = cases[i].bp;
		walk(fixture);
		EXPECT(fixture, cases[i].end, JIT);
	}
}

static void test_frame_pointers_of_unnamed_code_count_where_they_reach_known_code(void **state)
{
	struct fixture *fixture = *state;

	fixture->registers.ip = UNNAMED + 0x10;
	fixture->registers.bp = STACK + 8 * 4;
	fixture->words[4] = STACK + 8 * 8;
	fixture->words[5] = UNNAMED + 0x20;
	fixture->words[8] = STACK + 8 * 12;
	fixture->words[9] = CODE + START + 1;
	walk(fixture);
	EXPECT(fixture, WALKER_COMPLETE, UNNAMED + 0x10, UNNAMED + 0x20, CODE + START + 1);
	fixture->registers.bp = STACK + 8 * 8;
	walk(fixture);
	EXPECT(fixture, WALKER_COMPLETE, UNNAMED + 0x10, CODE + START + 1);
}

/* Its map may tell more than its frame pointers do. */
static void test_unread_code_is_waited_for_or_left_by_its_frame_pointer(void **state)
{
	struct fixture *fixture = *state;

	fixture->registers.ip = UNREAD + 0x10;
	fixture->registers.bp = STACK + 8 * 4;
	fixture->words[5] = CODE + START + 1;
	fixture->space.can_wait = true;
	walk(fixture);
	EXPECT(fixture, WALKER_LOADING, UNREAD + 0x10);
	fixture->space.can_wait = false;
	walk(fixture);
	EXPECT(fixture, WALKER_COMPLETE, UNREAD + 0x10, CODE + START + 1);
}

/* What it keeps in that register instead says nothing of callers, nor of how large a copy helps. */
static void test_where_they_do_not_the_stack_ends_at_the_first_such_frame(void **state)
{
	static const uint64_t bps[] = { 0, STACK - 8, STACK + 4, STACK + 8 * (WORDS - 1),
					STACK + 0x10000, STACK + 8 * 12, STACK + 8 * 16 };
	struct fixture *fixture = *state;

	fixture->words[12] = 3;			/* to unnamed code, and no further */
	fixture->words[13] = UNNAMED + 0x20;
	fixture->words[16] = STACK + 8 * 20;	/* to no code at all */
	fixture->words[17] = 5;
	for (size_t i = 0; i < sizeof(bps) / sizeof(bps[0]); i++) {
		fixture->registers.ip = UNNAMED + 0x10;
		fixture->registers.bp = bps[i];
		walk(fixture);
		EXPECT(fixture, WALKER_NO_MAP, UNNAMED + 0x10);
	}
	/* Called from there: a helper of qemu. */
	fixture->registers = (struct walker_registers){ CODE + BY_BP, STACK, STACK + 8 * 24,
						      .has_others = false };
	fixture->words[24] = 77;
	fixture->words[25] = UNNAMED + 0x30;
	walk(fixture);
	EXPECT(fixture, WALKER_NO_MAP, CODE + BY_BP, UNNAMED + 0x30);
}

/* Three frames that lead to one another are no accident: a larger copy has the others. */
static void test_a_chain_of_frame_pointers_is_cut_at_the_end_of_the_copy(void **state)
{
	struct fixture *fixture = *state;

	fixture->registers.ip = UNNAMED + 0x10;
	fixture->registers.bp = STACK + 8 * 4;
	fixture->words[4] = STACK + 8 * 8;
	fixture->words[5] = UNNAMED + 0x20;
	fixture->words[8] = STACK + 8 * WORDS;
	fixture->words[9] = UNNAMED + 0x30;
	walk(fixture);
	EXPECT(fixture, WALKER_CUT, UNNAMED + 0x10, UNNAMED + 0x20, UNNAMED + 0x30);
}

static void test_a_return_address_that_is_no_code_is_not_given_out(void **state)
{
	struct fixture *fixture = *state;

	fixture->registers.ip = CODE + ENTERED;
	fixture->words[0] = 0x123456;
	walk(fixture);
	EXPECT(fixture, WALKER_LOST, CODE + ENTERED);
}

/* Go's goexit: its entry has an ordinary rule, and nothing but 0 above it. */
static void test_a_return_address_of_zero_that_a_row_leads_to_is_the_end(void **state)
{
	struct fixture *fixture = *state;

	fixture->registers.ip = CODE + ENTERED;
	fixture->words[0] = CODE + BY_BP + 5;
	fixture->registers.bp = STACK + 8 * 3;
	fixture->words[4] = 0;
	walk(fixture);
	EXPECT(fixture, WALKER_COMPLETE, CODE + ENTERED, CODE + BY_BP + 5);
}

/* A frame pointer is a guess: it may lead to any zero. So may a jump to address 0. */
static void test_a_return_address_of_zero_that_no_row_leads_to_is_no_end(void **state)
{
	struct fixture *fixture = *state;

	fixture->registers.ip = JIT + 0x10;
	fixture->registers.bp = STACK + 8 * 4;
	fixture->words[5] = 0;
	walk(fixture);
	EXPECT(fixture, WALKER_LOST, JIT + 0x10);
	fixture->registers.ip = CODE + RETURNER;
	fixture->words[21] = 0;	/* the ip that was interrupted */
	fixture->words[20] = STACK + 8 * 40;
	walk(fixture);
	EXPECT(fixture, WALKER_LOST, CODE + RETURNER);
}

static void test_a_leaf_that_is_nowhere_is_its_only_frame(void **state)
{
	struct fixture *fixture = *state;

	fixture->registers.ip = 0;
	fixture->registers.bp = STACK;
	fixture->words[1] = CODE + START + 1;
	fixture->space.number = 0;
	walk(fixture);
	EXPECT(fixture, WALKER_LOST, 0);
}

static void test_a_stack_that_goes_on_beyond_the_copy_is_cut(void **state)
{
	struct fixture *fixture = *state;

	fixture->registers.ip = CODE + ENTERED;
	fixture->words[0] = CODE + FRAMED + 4;
	fixture->words[4] = CODE + START + 1;
	for (size_t count = 8; count < 40; count++) {
		fixture->stack.count = count;
		walk(fixture);
		EXPECT(fixture, WALKER_CUT, CODE + ENTERED, CODE + FRAMED + 4);
	}
	fixture->stack.count = 40;
	walk(fixture);
	assert_int_equal(fixture->end, WALKER_COMPLETE);
	for (size_t count = 0; count < 8; count++) {
		fixture->stack.count = count;
		walk(fixture);
		EXPECT(fixture, WALKER_CUT, CODE + ENTERED);
	}
}

static void test_a_saved_bp_beyond_the_copy_cuts_too(void **state)
{
	struct fixture *fixture = *state;

	fixture->registers.ip = CODE + ODD;
	fixture->words[0] = CODE + START + 1;
	fixture->stack.count = 16;
	walk(fixture);
	EXPECT(fixture, WALKER_CUT, CODE + ODD);
}

static void test_a_rule_that_does_not_grow_leads_nowhere(void **state)
{
	struct fixture *fixture = *state;

	fixture->registers.ip = CODE + STUCK;
	fixture->stack.start = STACK - 8;
	fixture->words[0] = CODE + STUCK + 1;
	walk(fixture);
	EXPECT(fixture, WALKER_LOST, CODE + STUCK);
	fixture->registers.ip = CODE + BY_BP + 1;
	fixture->registers.bp = STACK - 24;	/* CFA = sp - 8 */
	walk(fixture);
	EXPECT(fixture, WALKER_LOST, CODE + BY_BP + 1);
}

static void test_a_complex_row_and_a_loading_table_end_with_what_is_known(void **state)
{
	struct fixture *fixture = *state;

	fixture->registers.ip = CODE + ENTERED;
	fixture->words[0] = CODE + HARD + 1;
	walk(fixture);
	EXPECT(fixture, WALKER_COMPLEX, CODE + ENTERED, CODE + HARD + 1);
	fixture->words[0] = LATE + 0x10;
	walk(fixture);
	EXPECT(fixture, WALKER_LOADING, CODE + ENTERED, LATE + 0x10);
}

static void resume(struct fixture *fixture, const struct remote_frame *found, size_t count)
{
	fixture->count = walker_resume(&fixture->walker, &fixture->space, found, count,
				       &fixture->stack, fixture->frames, WALKER_FRAMES_MAX,
				       &fixture->end);
}

/* A signal interrupted EPILOGUE at its first byte: by ip - 1 that would be FRAMED. */
static void test_where_somebody_else_has_been_it_goes_on_from_the_last_frame(void **state)
{
	const struct remote_frame found[] = {
		{ CODE + ENTERED, STACK, 0, 1, 0 },
		{ CODE + HARD + 1, STACK + 8, 0, 0, 0 },
		{ CODE + EPILOGUE, STACK + 8 * 40, STACK + 8 * 50, 1, 0 },
	};
	struct fixture *fixture = *state;

	fixture->words[40] = CODE + BY_BP + 5;
	fixture->words[51] = CODE + START + 1;
	resume(fixture, found, 3);
	EXPECT(fixture, WALKER_COMPLETE, CODE + ENTERED, CODE + HARD + 1, CODE + EPILOGUE,
	       CODE + BY_BP + 5, CODE + START + 1);
	assert_true(walker_is_exact(&fixture->walker, 0));
	assert_false(walker_is_exact(&fixture->walker, 1));
	assert_true(walker_is_exact(&fixture->walker, 2));
	resume(fixture, found, 2);		/* libunwind knew no more */
	EXPECT(fixture, WALKER_COMPLEX, CODE + ENTERED, CODE + HARD + 1);
}

static void test_what_somebody_else_found_outside_of_all_code_is_not_given_out(void **state)
{
	const struct remote_frame found[] = {
		{ CODE + ENTERED, STACK, 0, 1, 0 },
		{ 0x10, STACK + 8, 0, 0, 0 },
		{ CODE + START + 1, STACK + 16, 0, 0, 0 },
	};
	struct fixture *fixture = *state;

	resume(fixture, found, 3);
	EXPECT(fixture, WALKER_LOST, CODE + ENTERED);
	resume(fixture, found, 2);
	EXPECT(fixture, WALKER_LOST, CODE + ENTERED);
}

static void test_frames_beyond_the_most_or_the_room_are_said_to_be_there(void **state)
{
	static uint64_t deep[WALKER_FRAMES_MAX];
	struct fixture *fixture = *state;

	for (size_t i = 0; i < WALKER_FRAMES_MAX; i++)
		deep[i] = CODE + FRAMED;	/* after ENTERED's call: a word per frame */
	fixture->stack.bytes = (const unsigned char *)deep;
	fixture->stack.count = sizeof(deep);
	fixture->registers.ip = CODE + ENTERED;
	walk(fixture);
	assert_int_equal(fixture->count, WALKER_FRAMES_MAX);
	assert_int_equal(fixture->end, WALKER_DEEP);
	deep[WALKER_FRAMES_MAX - 2] = CODE + START + 1;	/* the last frame of as many as may be */
	walk(fixture);
	assert_int_equal(fixture->count, WALKER_FRAMES_MAX);
	assert_int_equal(fixture->end, WALKER_COMPLETE);

	fixture->frames[3] = 0x5afe;
	fixture->count = walker_walk(&fixture->walker, &fixture->space, &fixture->registers,
				     &fixture->stack, fixture->frames, 3, &fixture->end);
	EXPECT(fixture, WALKER_DEEP, CODE + ENTERED, CODE + FRAMED, CODE + FRAMED);
	assert_int_equal(fixture->frames[3], 0x5afe);
}

static void test_a_copy_may_begin_at_any_byte(void **state)
{
	struct fixture *fixture = *state;
	unsigned char moved[sizeof(fixture->words) + 1];

	fixture->words[0] = CODE + START + 1;
	memcpy(moved + 1, fixture->words, sizeof(fixture->words));
	fixture->stack.bytes = moved + 1;
	fixture->registers.ip = CODE + ENTERED;
	walk(fixture);
	EXPECT(fixture, WALKER_COMPLETE, CODE + ENTERED, CODE + START + 1);
}

static void test_an_address_is_looked_up_once_per_space(void **state)
{
	struct fixture *fixture = *state;

	fixture->registers.ip = CODE + ENTERED;
	fixture->words[0] = CODE + START + 1;
	walk(fixture);
	walk(fixture);
	assert_int_equal(fixture->asked, 2);
	fixture->space.number++;
	fixture->has_gone = true;
	walk(fixture);
	EXPECT(fixture, WALKER_LOST, CODE + ENTERED);
	fixture->space.number--;
	fixture->has_gone = false;
	walk(fixture);
	EXPECT(fixture, WALKER_COMPLETE, CODE + ENTERED, CODE + START + 1);
}

/* How a walk from START ends where the process that is sampled next has its code elsewhere. */
static enum walker_end end_in_next_space(struct fixture *fixture,
					 const struct unwind_table *its_table, uint32_t number)
{
	fixture->space.number++;
	fixture->moved += 0x100000;
	fixture->table = its_table;
	fixture->number = number;
	fixture->registers.ip = CODE + fixture->moved + START;
	walk(fixture);
	return fixture->end;
}

static void test_rows_of_a_numbered_table_are_kept_for_other_spaces(void **state)
{
	static const struct unwind_row lost_row = { START, 0, 0, UNWIND_SP, 0 };
	const struct unwind_table lost = { &end_header, &lost_row };
	struct fixture *fixture = *state;

	assert_int_equal(end_in_next_space(fixture, &end_table, 3), WALKER_COMPLETE);
	/* Not searched. */
	assert_int_equal(end_in_next_space(fixture, &lost, 3), WALKER_COMPLETE);
	assert_int_equal(end_in_next_space(fixture, &lost, 3 + WALKER_CACHE_ROWS),
			 WALKER_LOST);	/* the same slot */
	assert_int_equal(end_in_next_space(fixture, &end_table, 3), WALKER_COMPLETE);
	assert_int_equal(end_in_next_space(fixture, &end_table, 0), WALKER_COMPLETE);
	assert_int_equal(end_in_next_space(fixture, &lost, 0), WALKER_LOST);
}

/* More addresses than the cache has rows: most of them have put another one out. */
static void test_addresses_that_share_a_row_of_the_cache_are_told_apart(void **state)
{
	struct fixture *fixture = *state;

	fixture->words[0] = CODE + START + 1;
	for (int round = 0; round < 2; round++) {
		for (uint64_t at = 0; at < 3 * WALKER_CACHE_ROWS; at++) {
			bool is_entered = at % 2;

			fixture->space.number = at / 2;
			fixture->has_gone = at / 2 % 2;
			fixture->registers.ip = CODE + (is_entered ? ENTERED : START);
			walk(fixture);
			assert_int_equal(fixture->count, is_entered && !fixture->has_gone ? 2 : 1);
			assert_int_equal(fixture->end,
					 fixture->has_gone ? WALKER_LOST : WALKER_COMPLETE);
		}
	}
}

/* Stacks of words that all mean something: every walk ends, inside the copy, with code alone. */
static void test_hostile_stacks_end(void **state)
{
	static const uint32_t offsets[] = {
		ENTERED, FRAMED, EPILOGUE, BY_BP, NO_RULE, RETURNER, PLT, HARD, STUCK, ODD,
		BY_WORD, ALIGNED,
	};
	const size_t count = sizeof(offsets) / sizeof(offsets[0]);
	struct fixture *fixture = *state;
	uint64_t random = 1;

	for (int run = 0; run < 20000; run++) {
		for (size_t i = 0; i < WORDS; i++) {
			uint64_t drawn = random_next(&random);

			fixture->words[i] = drawn % 3 == 0 ? STACK + 8 * (drawn / 4 % WORDS) :
					  drawn % 3 == 1 ? CODE + offsets[drawn / 4 % count] + 1 :
							   JIT + drawn / 4 % JIT_BYTES;
		}
		fixture->registers.ip = CODE + offsets[random_next(&random) % count];
		fixture->registers.bp = STACK + 8 * (random_next(&random) % WORDS);
		fixture->stack.count = random_next(&random) % sizeof(fixture->words);
		walk(fixture);
		assert_in_range(fixture->count, 1, WALKER_FRAMES_MAX);
		assert_in_range(fixture->end, WALKER_COMPLETE, WALKER_DEEP);
		for (size_t i = 0; i < fixture->count; i++)
			assert_true(find_code(fixture, fixture->frames[i] - 1).is_mapped);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

UNIT_TESTS(test_walker)
{
	const struct CMUnitTest tests[] = {
		TEST(test_rules_of_sp_and_bp_lead_to_the_outermost_frame),
		TEST(test_the_leaf_is_looked_up_where_it_is_and_a_caller_one_byte_before),
		TEST(test_the_outermost_frame_alone_is_complete),
		TEST(test_a_bp_saved_below_sp_has_been_popped_and_is_kept),
		TEST(test_a_slot_of_the_plt_has_pushed_from_its_byte_11_on),
		TEST(test_a_slot_of_another_plt_has_pushed_from_its_byte_9_on),
		TEST(test_a_cfa_that_is_kept_in_a_word_above_sp_is_read),
		TEST(test_a_cfa_that_is_kept_in_a_word_beside_bp_is_read),
		TEST(test_a_word_outside_of_the_copy_cuts_the_stack),
		TEST(test_a_signal_frame_gives_all_registers_and_an_exact_address),
		TEST(test_a_signal_from_another_stack_is_cut_there),
		TEST(test_code_without_rows_gets_a_step_by_its_frame_pointer),
		TEST(test_a_callers_frame_pointer_of_zero_is_the_end),
		TEST(test_a_frame_pointer_that_can_not_be_one_is_not_followed),
		TEST(test_frame_pointers_of_unnamed_code_count_where_they_reach_known_code),
		TEST(test_unread_code_is_waited_for_or_left_by_its_frame_pointer),
		TEST(test_where_they_do_not_the_stack_ends_at_the_first_such_frame),
		TEST(test_a_chain_of_frame_pointers_is_cut_at_the_end_of_the_copy),
		TEST(test_a_return_address_that_is_no_code_is_not_given_out),
		TEST(test_a_return_address_of_zero_that_a_row_leads_to_is_the_end),
		TEST(test_a_return_address_of_zero_that_no_row_leads_to_is_no_end),
		TEST(test_a_leaf_that_is_nowhere_is_its_only_frame),
		TEST(test_a_stack_that_goes_on_beyond_the_copy_is_cut),
		TEST(test_a_saved_bp_beyond_the_copy_cuts_too),
		TEST(test_a_rule_that_does_not_grow_leads_nowhere),
		TEST(test_a_complex_row_and_a_loading_table_end_with_what_is_known),
		TEST(test_where_somebody_else_has_been_it_goes_on_from_the_last_frame),
		TEST(test_what_somebody_else_found_outside_of_all_code_is_not_given_out),
		TEST(test_frames_beyond_the_most_or_the_room_are_said_to_be_there),
		TEST(test_a_copy_may_begin_at_any_byte),
		TEST(test_an_address_is_looked_up_once_per_space),
		TEST(test_rows_of_a_numbered_table_are_kept_for_other_spaces),
		TEST(test_addresses_that_share_a_row_of_the_cache_are_told_apart),
		TEST(test_hostile_stacks_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
