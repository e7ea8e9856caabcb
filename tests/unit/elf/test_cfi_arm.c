/* Unwind instructions of aarch64, assembled by hand after DWARF 5, 6.4.2 and 7.24, and DWARF for
 * the Arm 64-bit Architecture, 4.4; and the rows they mean. */
#include <dwarf.h>
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "elf/cfi_program.h"
#include "unit_tests.h"

#define START 0x1000
#define BYTES 400
#define X29 29
#define X30 30
#define SP 31
#define BOTH UNWIND_SAVES_PAIR
#define LR UNWIND_SAVES_LR
#define BASE UNWIND_FROM_BASE

/* gcc's CIE: CFA = sp + 0, code alignment 4, data alignment -8. */
#define USUAL_CIE DW_CFA_def_cfa, SP, 0

#define BYTES_OF(...) \
	(const unsigned char[]){ __VA_ARGS__ }, sizeof((unsigned char[]){ __VA_ARGS__ })
#define ROWS_OF(...) \
	(const struct unwind_row[]){ __VA_ARGS__ }, \
		sizeof((struct unwind_row[]){ __VA_ARGS__ }) / sizeof(struct unwind_row)

static struct frame_section section;
static struct frame_cie cie;
static struct cfi_program program;
static struct cfi_rows rows;

static int start_test(void **state)
{
	(void)state;
	cie = (struct frame_cie){ .code_align = 4, .data_align = -8, .return_register = X30,
				  .number = 1 };
	program = (struct cfi_program){ .machine = cfi_machine_find(EM_AARCH64) };
	rows = (struct cfi_rows){ .rows = NULL };
	return 0;
}

static int end_test(void **state)
{
	(void)state;
	free(rows.rows);
	return 0;
}

static void run(const unsigned char *cie_bytes, size_t cie_count, const unsigned char *bytes,
		size_t count)
{
	const struct frame_entry entry = {
		.vaddr = 0x401000, .offset = START, .bytes = BYTES, .section = &section,
		.cie = &cie, .program = { bytes, bytes + count, false },
	};

	cie.program = (struct byte_reader){ cie_bytes, cie_bytes + cie_count, false };
	assert_int_equal(cfi_program_run(&program, &entry, &rows), 0);
}

/* @wanted: starts from the entry's start on. */
static void expect_rows(const struct unwind_row *wanted, size_t count)
{
	assert_int_equal(rows.count, count);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(rows.rows[i].start, START + wanted[i].start);
		assert_int_equal(rows.rows[i].kind, wanted[i].kind);
		assert_int_equal(rows.rows[i].cfa, wanted[i].cfa);
		assert_int_equal(rows.rows[i].bp, wanted[i].bp);
		assert_int_equal(rows.rows[i].bx, wanted[i].bx);
	}
}

static void test_a_function_without_a_frame_returns_to_lr(void **state)
{
	(void)state;
	run(BYTES_OF(USUAL_CIE), BYTES_OF(DW_CFA_nop));
	expect_rows(ROWS_OF({ 0, 0, 0, UNWIND_ARM_SP, 0 }));
}

/* paciasp; stp x29, x30, [sp, #-48]!; mov x29, sp; ...; ldp x29, x30, [sp], #48; autiasp; ret.
 * Whether the address is signed makes no row. */
static void test_a_frame_record_comes_and_goes_and_a_signature_makes_no_row(void **state)
{
	(void)state;
	run(BYTES_OF(USUAL_CIE),
	    BYTES_OF(DW_CFA_advance_loc | 1, DW_CFA_AARCH64_negate_ra_state,
		     DW_CFA_advance_loc | 1, DW_CFA_def_cfa_offset, 48, DW_CFA_offset | X29, 6,
		     DW_CFA_offset | X30, 5, DW_CFA_advance_loc | 10, DW_CFA_restore | X30,
		     DW_CFA_restore | X29, DW_CFA_def_cfa_offset, 0, DW_CFA_advance_loc | 1,
		     DW_CFA_AARCH64_negate_ra_state));
	expect_rows(ROWS_OF({ 0, 0, 0, UNWIND_ARM_SP, 0 }, { 8, 6, -6, UNWIND_ARM_SP, BOTH },
			    { 48, 0, 0, UNWIND_ARM_SP, 0 }));
}

/* 0x2c: DW_CFA_AARCH64_negate_ra_state_with_pc, without operands, too. */
static void test_a_signature_with_pc_makes_no_row(void **state)
{
	(void)state;
	run(BYTES_OF(USUAL_CIE),
	    BYTES_OF(DW_CFA_advance_loc | 1, 0x2c, DW_CFA_advance_loc | 1, DW_CFA_def_cfa_offset,
		     16));
	expect_rows(ROWS_OF({ 0, 0, 0, UNWIND_ARM_SP, 0 }, { 8, 2, 0, UNWIND_ARM_SP, 0 }));
}

/* sub sp, sp, #4096; stp x29, x30, [sp]: 512 words below the CFA, out of the slot's range; then
 * room for arguments below the record; then one of more than 127 words. */
static void test_a_record_at_the_bottom_of_a_large_frame_counts_from_sp(void **state)
{
	(void)state;
	run(BYTES_OF(USUAL_CIE),
	    BYTES_OF(DW_CFA_advance_loc | 1, DW_CFA_def_cfa_offset, 0x80, 0x20,
		     DW_CFA_advance_loc | 1, DW_CFA_offset | X29, 0x80, 0x04, DW_CFA_offset | X30,
		     0xff, 0x03, DW_CFA_advance_loc | 1, DW_CFA_def_cfa_offset, 0xa0, 0x20,
		     DW_CFA_advance_loc | 1, DW_CFA_def_cfa_offset, 0x80, 0x40));
	expect_rows(ROWS_OF({ 0, 0, 0, UNWIND_ARM_SP, 0 }, { 4, 512, 0, UNWIND_ARM_SP, 0 },
			    { 8, 512, 0, UNWIND_ARM_SP, BOTH | BASE },
			    { 12, 516, 4, UNWIND_ARM_SP, BOTH | BASE },
			    { 16, 0, 0, UNWIND_COMPLEX, 0 }));
}

/* alloca(): x29 is the base, the record lies where it points. */
static void test_a_cfa_counts_from_x29(void **state)
{
	(void)state;
	run(BYTES_OF(USUAL_CIE),
	    BYTES_OF(DW_CFA_offset | X29, 4, DW_CFA_offset | X30, 3, DW_CFA_def_cfa, X29, 32));
	expect_rows(ROWS_OF({ 0, 4, -4, UNWIND_ARM_BP, BOTH }));
}

/* -fomit-frame-pointer: str x30, [sp, #-32]!; and code that saves x29 only. */
static void test_one_register_may_be_saved_without_the_other(void **state)
{
	(void)state;
	run(BYTES_OF(USUAL_CIE),
	    BYTES_OF(DW_CFA_def_cfa_offset, 32, DW_CFA_offset | X30, 4, DW_CFA_advance_loc | 1,
		     DW_CFA_restore | X30, DW_CFA_offset | X29, 1));
	expect_rows(ROWS_OF({ 0, 4, -4, UNWIND_ARM_SP, LR },
			    { 4, 4, -1, UNWIND_ARM_SP, UNWIND_SAVES_BP }));
}

static void test_what_a_row_cannot_express_is_complex(void **state)
{
	(void)state;
	run(BYTES_OF(USUAL_CIE),
	    BYTES_OF(DW_CFA_def_cfa_offset, 32, DW_CFA_offset | X29, 3, DW_CFA_offset | X30, 4,
		     DW_CFA_advance_loc | 1,			/* the other way round */
		     DW_CFA_restore | X29, DW_CFA_restore | X30, DW_CFA_register, X30, 15,
		     DW_CFA_advance_loc | 1,			/* in a register, as ld.so's */
		     DW_CFA_restore | X30, DW_CFA_def_cfa, 0, 32, DW_CFA_advance_loc | 1,
		     DW_CFA_def_cfa, 0xff, 1, 32, DW_CFA_advance_loc | 1,
		     DW_CFA_def_cfa_expression, 2, DW_OP_breg0 + 31, 0, DW_CFA_advance_loc | 1,
		     DW_CFA_def_cfa, SP, 4));
	expect_rows(ROWS_OF({ 0, 0, 0, UNWIND_COMPLEX, 0 }));
}

static void test_an_undefined_return_address_is_outermost(void **state)
{
	(void)state;
	run(BYTES_OF(USUAL_CIE, DW_CFA_undefined, X30), BYTES_OF(DW_CFA_nop));
	expect_rows(ROWS_OF({ 0, 0, 0, UNWIND_END, 0 }));
}

/* Linux before 5.8. */
static void test_a_signal_frame_is_one_whatever_its_rules_are(void **state)
{
	(void)state;
	cie.is_signal = true;
	run(BYTES_OF(USUAL_CIE),
	    BYTES_OF(DW_CFA_def_cfa, X29, 0, DW_CFA_offset | X29, 0, DW_CFA_offset_extended_sf,
		     X30, 0x7f));
	expect_rows(ROWS_OF({ 0, 0, 0, UNWIND_ARM_SIGNAL, 0 }));
}

/* Another machine's instruction of that number would have operands. */
static void test_on_x86_the_signature_is_an_unknown_instruction(void **state)
{
	(void)state;
	program.machine = cfi_machine_find(EM_X86_64);
	cie.return_register = 16;
	run(BYTES_OF(DW_CFA_def_cfa, 7, 8, DW_CFA_offset | 16, 1),
	    BYTES_OF(DW_CFA_AARCH64_negate_ra_state));
	expect_rows(ROWS_OF({ 0, 0, 0, UNWIND_COMPLEX, 0 }));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start_test, end_test)

UNIT_TESTS(test_cfi_arm)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_function_without_a_frame_returns_to_lr),
		TEST(test_a_frame_record_comes_and_goes_and_a_signature_makes_no_row),
		TEST(test_a_signature_with_pc_makes_no_row),
		TEST(test_a_record_at_the_bottom_of_a_large_frame_counts_from_sp),
		TEST(test_a_cfa_counts_from_x29),
		TEST(test_one_register_may_be_saved_without_the_other),
		TEST(test_what_a_row_cannot_express_is_complex),
		TEST(test_an_undefined_return_address_is_outermost),
		TEST(test_a_signal_frame_is_one_whatever_its_rules_are),
		TEST(test_on_x86_the_signature_is_an_unknown_instruction),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
