/* The walker over tables and stacks of aarch64 made by hand. Every expected address is read off the
 * drawings: see walker_fixture.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "unit_tests.h"
#include "walker_fixture.h"

#define BOTH UNWIND_SAVES_PAIR

/* What the rows below say, by file offset. */
#define LEAF	 0x1000u	/* no frame */
#define FRAMED	 0x1010u	/* 6 words; x29 and x30 in the lowest */
#define LARGE	 0x1020u	/* 40 words; x29 and x30 two words above sp */
#define BY_X29	 0x1030u	/* alloca(): the frame's 4 words begin at x29 */
#define ONLY_LR	 0x1040u	/* 2 words; x30 in the lower */
#define NO_RULE	 0x1050u
#define START	 0x1060u
#define RETURNER 0x1070u	/* an entry says that it is a signal's return */
#define HARD	 0x1080u
#define LEAF_8	 0x1090u	/* 8 words, none of them a return address */
#define GO	 0x10a0u	/* 4 words; x30 in the lowest, x29 in the word below */

static const struct unwind_row rows[] = {
	{ LEAF, 0, 0, UNWIND_ARM_SP, 0 },
	{ FRAMED, 6, -6, UNWIND_ARM_SP, BOTH },
	{ LARGE, 40, 2, UNWIND_ARM_SP, BOTH | UNWIND_FROM_BASE },
	{ BY_X29, 4, -4, UNWIND_ARM_BP, BOTH },
	{ ONLY_LR, 2, -2, UNWIND_ARM_SP, UNWIND_SAVES_LR },
	{ NO_RULE, 0, 0, UNWIND_GAP, 0 },
	{ START, 0, 0, UNWIND_END, 0 },
	{ RETURNER - 4, 0, 0, UNWIND_ARM_SIGNAL, 0 },
	{ HARD, 0, 0, UNWIND_COMPLEX, 0 },
	{ LEAF_8, 8, 0, UNWIND_ARM_SP, 0 },
	{ GO, 4, -5, UNWIND_ARM_SP, BOTH },
	{ GO + 0x10, 0, 0, UNWIND_GAP, 0 },
};

static const struct unwind_header header = {
	.magic = UNWIND_TABLE_MAGIC, .version = UNWIND_TABLE_VERSION, .machine = MACHINE_AARCH64,
	.row_count = sizeof(rows) / sizeof(rows[0]),
};
static const struct unwind_table table = { &header, rows };

static int set_up(void **state)
{
	const int err = walker_fixture_start(state, &table);
	struct fixture *fixture = *state;

	fixture->space.machine = MACHINE_AARCH64;
	return err;
}

/* The address of a word of the stack. */
static uint64_t word(unsigned int number)
{
	return STACK + 8 * number;
}

/* @address, signed: nothing but bits 54 to 48 and those above 55 differ. */
static uint64_t sign(uint64_t address)
{
	return address | 0xab5a000000000000u;
}

/*   LEAF: lr -> FRAMED, whose frame is words 0 .. 5:  0 x29 = word 20, 1 -> LARGE
 *   LARGE, words 6 .. 45:  8 x29 = 20,  9 -> BY_X29
 *   BY_X29: x29 = word 20 .. 23; above sp = 46? no: it allocated, so sp may be anywhere below. */
static void test_rules_of_sp_and_x29_lead_to_the_outermost_frame(void **state)
{
	struct fixture *fixture = *state;

	fixture->registers.ip = CODE + LEAF + 4;
	fixture->registers.lr = CODE + FRAMED + 8;
	fixture->words[0] = word(50);
	fixture->words[1] = CODE + LARGE + 8;
	fixture->words[8] = word(50);
	fixture->words[9] = CODE + BY_X29 + 8;
	fixture->words[50] = 0;
	fixture->words[51] = CODE + ONLY_LR + 8;
	fixture->words[54] = CODE + START + 4;
	walk(fixture);
	EXPECT(fixture, WALKER_COMPLETE, CODE + LEAF + 4, CODE + FRAMED + 8, CODE + LARGE + 8,
	       CODE + BY_X29 + 8, CODE + ONLY_LR + 8, CODE + START + 4);
}

static void test_a_leaf_may_have_a_frame_and_return_to_lr(void **state)
{
	struct fixture *fixture = *state;

	fixture->registers.ip = CODE + LEAF_8 + 4;
	fixture->registers.lr = CODE + ONLY_LR + 8;
	fixture->words[8] = CODE + START + 4;
	walk(fixture);
	EXPECT(fixture, WALKER_COMPLETE, CODE + LEAF_8 + 4, CODE + ONLY_LR + 8, CODE + START + 4);
}

/* A frame that called something cannot have its return address in lr: the call overwrote it. */
static void test_lr_is_the_leafs_alone(void **state)
{
	struct fixture *fixture = *state;

	fixture->registers.ip = CODE + LEAF + 4;
	fixture->registers.lr = CODE + LEAF_8 + 8;
	walk(fixture);
	EXPECT(fixture, WALKER_LOST, CODE + LEAF + 4, CODE + LEAF_8 + 8);
}

static void test_a_leaf_whose_lr_is_unknown_is_lost(void **state)
{
	struct fixture *fixture = *state;

	fixture->registers.ip = CODE + LEAF + 4;
	walk(fixture);
	EXPECT(fixture, WALKER_LOST, CODE + LEAF + 4);
}

static void test_signatures_are_stripped_from_lr_and_from_words(void **state)
{
	struct fixture *fixture = *state;

	fixture->registers.ip = CODE + LEAF + 4;
	fixture->registers.lr = sign(CODE + FRAMED + 8);
	fixture->words[1] = sign(CODE + ONLY_LR + 8);
	fixture->words[6] = sign(CODE + NO_RULE + 8);
	fixture->words[0] = word(20);
	fixture->words[20] = 0;
	fixture->words[21] = sign(CODE + START + 4);
	walk(fixture);
	EXPECT(fixture, WALKER_COMPLETE, CODE + LEAF + 4, CODE + FRAMED + 8, CODE + ONLY_LR + 8,
	       CODE + NO_RULE + 8, CODE + START + 4);
}

/* Bit 55 tells the kernel's addresses from the user's. */
static void test_an_address_of_the_kernel_is_no_signed_one(void **state)
{
	struct fixture *fixture = *state;

	fixture->registers.ip = CODE + LEAF + 4;
	fixture->registers.lr = 0xffff000000000000u | (CODE + FRAMED + 8);
	walk(fixture);
	EXPECT(fixture, WALKER_LOST, CODE + LEAF + 4);
}

/*   JIT -> JIT -> FRAMED, by records; FRAMED's x29 is at its record, sp is not known:
 *   10 x29 = 14, 11 -> JIT;  14 x29 = 20, 15 -> FRAMED;  20 x29 = 30, 21 -> ONLY_LR; CFA 26 */
static void test_code_without_rows_goes_by_records_and_rows_go_on_from_x29(void **state)
{
	struct fixture *fixture = *state;

	fixture->registers.ip = JIT + 0x40;
	fixture->registers.bp = word(10);
	fixture->registers.lr = JIT + 0x80;	/* after a call of its own */
	fixture->words[10] = word(14);
	fixture->words[11] = JIT + 0x104;
	fixture->words[14] = word(20);
	fixture->words[15] = CODE + FRAMED + 8;
	fixture->words[20] = word(30);
	fixture->words[21] = CODE + ONLY_LR + 8;
	fixture->words[26] = CODE + START + 4;
	walk(fixture);
	EXPECT(fixture, WALKER_COMPLETE, JIT + 0x40, JIT + 0x104, CODE + FRAMED + 8,
	       CODE + ONLY_LR + 8, CODE + START + 4);
}

/* LARGE's record is two words above its sp, which is not known: x29 is 20, the CFA is 58. */
static void test_a_record_counted_from_sp_leads_on_from_x29_too(void **state)
{
	struct fixture *fixture = *state;

	fixture->registers.ip = JIT + 0x40;
	fixture->registers.bp = word(10);
	fixture->words[10] = word(20);
	fixture->words[11] = CODE + LARGE + 8;
	fixture->words[20] = word(30);
	fixture->words[21] = CODE + ONLY_LR + 8;
	fixture->words[58] = CODE + START + 4;
	walk(fixture);
	EXPECT(fixture, WALKER_COMPLETE, JIT + 0x40, CODE + LARGE + 8, CODE + ONLY_LR + 8,
	       CODE + START + 4);
}

/* Without a record nothing tells where the frame of a caller of JIT code begins. */
static void test_a_caller_of_code_without_rows_needs_a_record(void **state)
{
	struct fixture *fixture = *state;

	fixture->registers.ip = JIT + 0x40;
	fixture->registers.bp = word(10);
	fixture->words[10] = word(20);
	fixture->words[11] = CODE + ONLY_LR + 8;
	fixture->words[12] = CODE + START + 4;
	walk(fixture);
	EXPECT(fixture, WALKER_LOST, JIT + 0x40, CODE + ONLY_LR + 8);
}

/* Hand-written code that was called from FRAMED and has called nothing. x29 is FRAMED's record. */
static void test_a_leaf_without_rows_returns_to_an_lr_that_has_rows(void **state)
{
	struct fixture *fixture = *state;

	fixture->registers.ip = CODE + NO_RULE + 4;
	fixture->registers.lr = sign(CODE + FRAMED + 8);
	fixture->registers.bp = word(4);
	fixture->words[4] = word(30);
	fixture->words[5] = CODE + ONLY_LR + 8;
	fixture->words[10] = CODE + START + 4;
	walk(fixture);
	EXPECT(fixture, WALKER_COMPLETE, CODE + NO_RULE + 4, CODE + FRAMED + 8,
	       CODE + ONLY_LR + 8, CODE + START + 4);
}

/* The same after it made a record of its own: 2 x29 = 4, 3 -> FRAMED, as lr. */
static void test_a_leaf_without_rows_may_have_made_its_record(void **state)
{
	struct fixture *fixture = *state;

	fixture->registers.ip = CODE + NO_RULE + 8;
	fixture->registers.lr = CODE + FRAMED + 8;
	fixture->registers.bp = word(2);
	fixture->words[2] = word(4);
	fixture->words[3] = sign(CODE + FRAMED + 8);
	fixture->words[4] = word(30);
	fixture->words[5] = CODE + ONLY_LR + 8;
	fixture->words[10] = CODE + START + 4;
	walk(fixture);
	EXPECT(fixture, WALKER_COMPLETE, CODE + NO_RULE + 8, CODE + FRAMED + 8,
	       CODE + ONLY_LR + 8, CODE + START + 4);
}

static void test_a_leaf_without_rows_waits_for_the_table_of_its_caller(void **state)
{
	struct fixture *fixture = *state;

	fixture->registers.ip = CODE + NO_RULE + 4;
	fixture->registers.lr = LATE + 8;
	walk(fixture);
	EXPECT(fixture, WALKER_LOADING, CODE + NO_RULE + 4);
}

static void test_a_record_of_zeros_is_the_outermost_frame(void **state)
{
	struct fixture *fixture = *state;

	fixture->registers.ip = JIT + 0x40;
	fixture->registers.bp = word(10);
	fixture->words[11] = JIT + 0x80;
	walk(fixture);
	EXPECT(fixture, WALKER_COMPLETE, JIT + 0x40, JIT + 0x80);
}

/* In words: siginfo 16, ucontext 22 up to the registers, then the address of a fault, x0 .. x30,
 * sp, pc. The kernel's frame record lies above it. */
#define SIGNAL_X29 (16 + 22 + 1 + 29)
#define SIGNAL_WORDS (SIGNAL_X29 + 5)

/* A handler, FRAMED's code, was called from @returner; LEAF was interrupted and returns to lr. */
static void interrupt(struct fixture *fixture, uint64_t returner)
{
	static uint64_t words[6 + SIGNAL_WORDS + 32];

	memset(words, 0, sizeof(words));
	fixture->stack.bytes = (const unsigned char *)words;
	fixture->stack.count = sizeof(words);
	fixture->registers.ip = CODE + FRAMED + 8;
	fixture->registers.bp = STACK;
	words[0] = word(6 + SIGNAL_WORDS);	/* the handler's record; its CFA is word 6 */
	words[1] = returner;
	words[6 + SIGNAL_X29] = 0x1234;
	words[6 + SIGNAL_X29 + 1] = CODE + ONLY_LR + 8;
	words[6 + SIGNAL_X29 + 2] = word(6 + SIGNAL_WORDS + 10);
	words[6 + SIGNAL_X29 + 3] = CODE + LEAF;
	words[6 + SIGNAL_WORDS] = 0x1234;
	words[6 + SIGNAL_WORDS + 1] = CODE + ONLY_LR + 8;
	words[6 + SIGNAL_WORDS + 10] = CODE + START + 4;
}

static void test_a_signal_frame_without_a_row_is_known_by_its_record(void **state)
{
	struct fixture *fixture = *state;

	interrupt(fixture, JIT + 0x200);	/* the vdso has no rows */
	walk(fixture);
	EXPECT(fixture, WALKER_COMPLETE, CODE + FRAMED + 8, JIT + 0x200, CODE + LEAF,
	       CODE + ONLY_LR + 8, CODE + START + 4);
	assert_true(walker_is_exact(&fixture->walker, 2));
	assert_false(walker_is_exact(&fixture->walker, 1));
}

static void test_a_signal_frame_with_a_row_is_one(void **state)
{
	struct fixture *fixture = *state;

	interrupt(fixture, CODE + RETURNER);
	walk(fixture);
	EXPECT(fixture, WALKER_COMPLETE, CODE + FRAMED + 8, CODE + RETURNER, CODE + LEAF,
	       CODE + ONLY_LR + 8, CODE + START + 4);
}

/* Interrupted between the handler's return and rt_sigreturn(2). */
static void test_the_return_from_a_signal_may_be_the_leaf(void **state)
{
	struct fixture *fixture = *state;

	interrupt(fixture, JIT + 0x200);
	fixture->registers = (struct walker_registers){
		.ip = JIT + 0x204, .sp = word(6), .bp = word(6 + SIGNAL_WORDS),
		.lr = JIT + 0x200,
	};
	fixture->stack.start = STACK;
	walk(fixture);
	EXPECT(fixture, WALKER_COMPLETE, JIT + 0x204, CODE + LEAF, CODE + ONLY_LR + 8,
	       CODE + START + 4);
}

/* Go's x29 is below its sp: of the leaf it can't be read, of a caller it can. */
static void test_a_saved_x29_below_sp_is_read_for_callers_only(void **state)
{
	struct fixture *fixture = *state;

	fixture->registers.ip = CODE + GO + 8;
	fixture->registers.bp = word(30);
	fixture->words[0] = CODE + GO + 12;
	fixture->words[3] = word(20);
	fixture->words[4] = CODE + BY_X29 + 8;
	fixture->words[20] = 0;
	fixture->words[21] = CODE + START + 4;
	walk(fixture);
	EXPECT(fixture, WALKER_COMPLETE, CODE + GO + 8, CODE + GO + 12, CODE + BY_X29 + 8,
	       CODE + START + 4);
}

/* Called a leaf without a frame: the copy begins at its own sp. */
static void test_a_saved_x29_below_the_copy_is_that_in_the_register(void **state)
{
	struct fixture *fixture = *state;

	fixture->registers.ip = CODE + LEAF + 4;
	fixture->registers.lr = CODE + GO + 12;
	fixture->registers.bp = word(20);
	fixture->words[0] = CODE + BY_X29 + 8;
	fixture->words[20] = 0;
	fixture->words[21] = CODE + START + 4;
	walk(fixture);
	EXPECT(fixture, WALKER_COMPLETE, CODE + LEAF + 4, CODE + GO + 12, CODE + BY_X29 + 8,
	       CODE + START + 4);
}

static void test_words_beyond_the_copy_cut_the_stack(void **state)
{
	struct fixture *fixture = *state;

	fixture->registers.ip = CODE + LARGE + 4;
	fixture->stack.count = 8 * 9;	/* x30 is in word 3, the caller's frame from 40 on */
	fixture->words[3] = CODE + FRAMED + 8;
	walk(fixture);
	EXPECT(fixture, WALKER_CUT, CODE + LARGE + 4, CODE + FRAMED + 8);
	fixture->stack.count = 8 * 3;
	walk(fixture);
	EXPECT(fixture, WALKER_CUT, CODE + LARGE + 4);
}

/* An emulator maps files of x86-64 among its own: their rows mean other registers. */
static void test_a_table_of_another_machine_is_a_gap(void **state)
{
	static const struct unwind_header other = {
		.magic = UNWIND_TABLE_MAGIC, .version = UNWIND_TABLE_VERSION,
		.machine = MACHINE_X86_64, .row_count = sizeof(rows) / sizeof(rows[0]),
	};
	static const struct unwind_table others = { &other, rows };
	struct fixture *fixture = *state;

	fixture->table = &others;
	fixture->registers.ip = CODE + START;
	fixture->registers.bp = word(10);
	fixture->words[11] = JIT + 8;
	walk(fixture);
	EXPECT(fixture, WALKER_COMPLETE, CODE + START, JIT + 8);
}

static uint64_t slot_asked;

static uint64_t find_return(void *context, uint64_t slot, uint64_t address)
{
	(void)context;
	slot_asked = slot;
	return address == 0x5000 ? CODE + ONLY_LR + 8 : 0;
}

/* A probed return: the trampoline's address was in x30 when FRAMED saved it. */
static void test_a_replaced_return_address_is_asked_for_by_the_cfa(void **state)
{
	struct fixture *fixture = *state;

	fixture->space.find_return = find_return;
	fixture->registers.ip = CODE + FRAMED + 8;
	fixture->words[1] = sign(0x5000);
	fixture->words[6] = CODE + START + 4;
	walk(fixture);
	EXPECT(fixture, WALKER_COMPLETE, CODE + FRAMED + 8, CODE + ONLY_LR + 8, CODE + START + 4);
	assert_int_equal(slot_asked, word(6));
}

static void test_after_libunwind_an_interrupted_leaf_returns_to_its_lr(void **state)
{
	const struct remote_frame found[] = {
		{ .ip = CODE + HARD, .sp = STACK, .is_exact = 1 },
		{ .ip = CODE + LEAF, .sp = word(10), .is_exact = 1, .lr = CODE + ONLY_LR + 8 },
	};
	struct fixture *fixture = *state;

	fixture->words[10] = CODE + START + 4;
	fixture->count = walker_resume(&fixture->walker, &fixture->space, found, 2,
				       &fixture->stack, fixture->frames, WALKER_FRAMES_MAX,
				       &fixture->end);
	EXPECT(fixture, WALKER_COMPLETE, CODE + HARD, CODE + LEAF, CODE + ONLY_LR + 8,
	       CODE + START + 4);
}

static uint64_t find_in_lr(struct fixture *fixture, uint64_t ip, uint64_t lr)
{
	bool is_loading = true;
	const uint64_t found = walker_find_in_lr(&fixture->walker, &fixture->space, ip, lr,
						 &is_loading);

	assert_false(is_loading);
	return found;
}

static void test_only_a_row_that_saves_no_lr_leads_to_it(void **state)
{
	struct fixture *fixture = *state;
	const uint64_t lr = CODE + FRAMED + 8;

	assert_int_equal(find_in_lr(fixture, CODE + LEAF, lr), lr);
	assert_int_equal(find_in_lr(fixture, CODE + LEAF_8 + 4, sign(lr)), lr);
	assert_int_equal(find_in_lr(fixture, CODE + FRAMED + 4, lr), 0);
	assert_int_equal(find_in_lr(fixture, CODE + ONLY_LR, lr), 0);
	assert_int_equal(find_in_lr(fixture, CODE + NO_RULE, lr), 0);
	assert_int_equal(find_in_lr(fixture, CODE + START, lr), 0);
	assert_int_equal(find_in_lr(fixture, CODE + HARD, lr), 0);
	assert_int_equal(find_in_lr(fixture, JIT + 4, lr), 0);
}

static void test_an_lr_without_code_leads_nowhere(void **state)
{
	struct fixture *fixture = *state;

	assert_int_equal(find_in_lr(fixture, CODE + LEAF, 0), 0);
	assert_int_equal(find_in_lr(fixture, CODE + LEAF, CODE), 0);
	assert_int_equal(find_in_lr(fixture, CODE + LEAF, CODE + CODE_BYTES),
			 CODE + CODE_BYTES);	/* its call is the last instruction */
}

static void test_whether_lr_leads_anywhere_a_late_table_tells(void **state)
{
	struct fixture *fixture = *state;
	bool is_loading = false;

	assert_int_equal(walker_find_in_lr(&fixture->walker, &fixture->space, LATE, CODE + 8,
					   &is_loading), 0);
	assert_true(is_loading);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

UNIT_TESTS(test_walker_arm)
{
	const struct CMUnitTest tests[] = {
		TEST(test_rules_of_sp_and_x29_lead_to_the_outermost_frame),
		TEST(test_a_leaf_may_have_a_frame_and_return_to_lr),
		TEST(test_lr_is_the_leafs_alone),
		TEST(test_a_leaf_whose_lr_is_unknown_is_lost),
		TEST(test_signatures_are_stripped_from_lr_and_from_words),
		TEST(test_an_address_of_the_kernel_is_no_signed_one),
		TEST(test_code_without_rows_goes_by_records_and_rows_go_on_from_x29),
		TEST(test_a_record_counted_from_sp_leads_on_from_x29_too),
		TEST(test_a_caller_of_code_without_rows_needs_a_record),
		TEST(test_a_leaf_without_rows_returns_to_an_lr_that_has_rows),
		TEST(test_a_leaf_without_rows_may_have_made_its_record),
		TEST(test_a_leaf_without_rows_waits_for_the_table_of_its_caller),
		TEST(test_a_record_of_zeros_is_the_outermost_frame),
		TEST(test_a_signal_frame_without_a_row_is_known_by_its_record),
		TEST(test_a_signal_frame_with_a_row_is_one),
		TEST(test_the_return_from_a_signal_may_be_the_leaf),
		TEST(test_a_saved_x29_below_sp_is_read_for_callers_only),
		TEST(test_a_saved_x29_below_the_copy_is_that_in_the_register),
		TEST(test_words_beyond_the_copy_cut_the_stack),
		TEST(test_a_table_of_another_machine_is_a_gap),
		TEST(test_a_replaced_return_address_is_asked_for_by_the_cfa),
		TEST(test_after_libunwind_an_interrupted_leaf_returns_to_its_lr),
		TEST(test_only_a_row_that_saves_no_lr_leads_to_it),
		TEST(test_an_lr_without_code_leads_nowhere),
		TEST(test_whether_lr_leads_anywhere_a_late_table_tells),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
