/* Unwind instructions, assembled by hand after DWARF 5, 6.4.2 and 7.24, and the rows they mean. */
#include <dwarf.h>
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "elf/cfi_program.h"
#include "unit_tests.h"

#define START 0x1000
#define BYTES 100

/* gcc's CIE: CFA = rsp + 8, rip at CFA - 8. */
#define USUAL_CIE DW_CFA_def_cfa, 7, 8, DW_CFA_offset | 16, 1

#define BYTES_OF(...) \
	(const unsigned char[]){ __VA_ARGS__ }, sizeof((unsigned char[]){ __VA_ARGS__ })
#define ROWS_OF(...) \
	(const struct unwind_row[]){ __VA_ARGS__ }, \
		sizeof((struct unwind_row[]){ __VA_ARGS__ }) / sizeof(struct unwind_row)

static struct frame_section section = { .vaddr = 0x500000 };
static struct frame_cie cie;
static struct cfi_program program;
static struct cfi_rows rows;

static int start_test(void **state)
{
	(void)state;
	cie = (struct frame_cie){ .code_align = 1, .data_align = -8, .return_register = 16,
				  .number = 1 };
	program = (struct cfi_program){ .machine = cfi_machine_find(EM_X86_64) };
	rows = (struct cfi_rows){ .rows = NULL };
	return 0;
}

static int end_test(void **state)
{
	(void)state;
	free(rows.rows);
	return 0;
}

/* A copy of its own: sanitizers see what is read beyond it. */
static struct byte_reader reader_of(const unsigned char *bytes, size_t count)
{
	unsigned char *copy = test_malloc(count + 1);

	memcpy(copy, bytes, count);
	return (struct byte_reader){ copy, copy + count, false };
}

static void run(const unsigned char *cie_bytes, size_t cie_count, const unsigned char *bytes,
		size_t count)
{
	struct frame_entry entry = { .vaddr = 0x401000, .offset = START, .bytes = BYTES,
				     .section = &section, .cie = &cie };
	unsigned char *owned[2];

	cie.program = reader_of(cie_bytes, cie_count);
	entry.program = reader_of(bytes, count);
	owned[0] = (unsigned char *)cie.program.at;
	owned[1] = (unsigned char *)entry.program.at;
	section.bytes = (struct elf_bytes){ entry.program.at, count };
	assert_int_equal(cfi_program_run(&program, &entry, &rows), 0);
	test_free(owned[0]);
	test_free(owned[1]);
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
	}
}

static void test_no_instructions_mean_the_rules_of_the_cie(void **state)
{
	(void)state;
	run(BYTES_OF(USUAL_CIE), BYTES_OF(DW_CFA_nop, DW_CFA_nop));
	expect_rows(ROWS_OF({ 0, 1, 0, UNWIND_SP, 0 }));
}

/* push rbp (1 byte); mov rsp, rbp (3 bytes); ...; leave (1 byte) at 90; ret */
static void test_a_frame_pointer_comes_and_goes(void **state)
{
	(void)state;
	run(BYTES_OF(USUAL_CIE),
	    BYTES_OF(DW_CFA_advance_loc | 1, DW_CFA_def_cfa_offset, 16, DW_CFA_offset | 6, 2,
		     DW_CFA_advance_loc | 3, DW_CFA_def_cfa_register, 6,
		     DW_CFA_advance_loc1, 87, DW_CFA_def_cfa, 7, 8));
	expect_rows(ROWS_OF({ 0, 1, 0, UNWIND_SP, 0 }, { 1, 2, -2, UNWIND_SP, 0 },
			    { 4, 2, -2, UNWIND_BP, 0 }, { 91, 1, -2, UNWIND_SP, 0 }));
}

static void test_registers_that_no_walk_needs_make_no_row(void **state)
{
	(void)state;
	run(BYTES_OF(USUAL_CIE),
	    BYTES_OF(DW_CFA_advance_loc | 2, DW_CFA_offset | 12, 3, DW_CFA_advance_loc | 2,
		     DW_CFA_offset_extended, 15, 4, DW_CFA_advance_loc | 2, DW_CFA_restore | 12,
		     DW_CFA_val_expression, 12, 2, DW_OP_breg7, 0, DW_CFA_advance_loc | 2,
		     DW_CFA_register, 13, 14, DW_CFA_same_value, 13, DW_CFA_undefined, 0,
		     DW_CFA_GNU_args_size, 0x90, 1));
	expect_rows(ROWS_OF({ 0, 1, 0, UNWIND_SP, 0 }));
}

static void test_remembered_rules_come_back_whole(void **state)
{
	(void)state;
	run(BYTES_OF(USUAL_CIE),
	    BYTES_OF(DW_CFA_advance_loc | 1, DW_CFA_def_cfa_offset, 16, DW_CFA_offset | 6, 2,
		     DW_CFA_remember_state, DW_CFA_advance_loc | 9, DW_CFA_restore | 6,
		     DW_CFA_def_cfa_offset, 8, DW_CFA_remember_state, DW_CFA_advance_loc | 1,
		     DW_CFA_def_cfa_offset, 64, DW_CFA_advance_loc | 1, DW_CFA_restore_state,
		     DW_CFA_advance_loc | 1, DW_CFA_restore_state));
	expect_rows(ROWS_OF({ 0, 1, 0, UNWIND_SP, 0 }, { 1, 2, -2, UNWIND_SP, 0 },
			    { 10, 1, 0, UNWIND_SP, 0 }, { 11, 8, 0, UNWIND_SP, 0 },
			    { 12, 1, 0, UNWIND_SP, 0 }, { 13, 2, -2, UNWIND_SP, 0 }));
}

static void test_a_register_is_restored_to_the_rule_of_the_cie(void **state)
{
	(void)state;
	run(BYTES_OF(USUAL_CIE, DW_CFA_offset | 6, 3),
	    BYTES_OF(DW_CFA_offset | 6, 2, DW_CFA_advance_loc | 1, DW_CFA_restore_extended, 6));
	expect_rows(ROWS_OF({ 0, 1, -2, UNWIND_SP, 0 }, { 1, 1, -3, UNWIND_SP, 0 }));
}

static void test_every_way_to_advance_advances(void **state)
{
	(void)state;
	cie.code_align = 2;
	run(BYTES_OF(USUAL_CIE),
	    BYTES_OF(DW_CFA_advance_loc | 1, DW_CFA_def_cfa_offset, 16,
		     DW_CFA_advance_loc1, 2, DW_CFA_def_cfa_offset, 24,
		     DW_CFA_advance_loc2, 3, 0, DW_CFA_def_cfa_offset, 32,
		     DW_CFA_advance_loc4, 4, 0, 0, 0, DW_CFA_def_cfa_offset, 40,
		     DW_CFA_MIPS_advance_loc8, 5, 0, 0, 0, 0, 0, 0, 0, DW_CFA_def_cfa_offset, 48));
	expect_rows(ROWS_OF({ 0, 1, 0, UNWIND_SP, 0 }, { 2, 2, 0, UNWIND_SP, 0 },
			    { 6, 3, 0, UNWIND_SP, 0 }, { 12, 4, 0, UNWIND_SP, 0 },
			    { 20, 5, 0, UNWIND_SP, 0 },
			    { 30, 6, 0, UNWIND_SP, 0 }));
}

/* An absolute address, as the CIE's encoding 0 says, of byte 0x20 of the entry. */
static void test_a_location_can_be_set(void **state)
{
	(void)state;
	run(BYTES_OF(USUAL_CIE),
	    BYTES_OF(DW_CFA_set_loc, 0x20, 0x10, 0x40, 0, 0, 0, 0, 0, DW_CFA_def_cfa_offset, 16));
	expect_rows(ROWS_OF({ 0, 1, 0, UNWIND_SP, 0 }, { 0x20, 2, 0, UNWIND_SP, 0 }));
}

static void test_signed_and_negative_offsets_are_scaled(void **state)
{
	(void)state;
	run(BYTES_OF(USUAL_CIE),
	    BYTES_OF(DW_CFA_def_cfa_sf, 7, 0x7e,	/* -2 * -8 */
		     DW_CFA_offset_extended_sf, 6, 0x7d, DW_CFA_advance_loc | 1,
		     DW_CFA_def_cfa_offset_sf, 0x7d, DW_CFA_GNU_negative_offset_extended, 6, 5,
		     DW_CFA_advance_loc | 1, DW_CFA_def_cfa_register, 6));
	expect_rows(ROWS_OF({ 0, 2, 3, UNWIND_SP, 0 }, { 1, 3, 5, UNWIND_SP, 0 },
			    { 2, 3, 5, UNWIND_BP, 0 }));
}

static void test_locations_after_the_end_make_no_rows(void **state)
{
	(void)state;
	run(BYTES_OF(USUAL_CIE),
	    BYTES_OF(DW_CFA_advance_loc1, BYTES - 1, DW_CFA_def_cfa_offset, 16,
		     DW_CFA_advance_loc4, 0xff, 0xff, 0xff, 0xff, DW_CFA_def_cfa_offset, 32,
		     DW_CFA_advance_loc | 1, DW_CFA_def_cfa_offset, 24));
	expect_rows(ROWS_OF({ 0, 1, 0, UNWIND_SP, 0 }, { BYTES - 1, 2, 0, UNWIND_SP, 0 }));
}

static void test_the_expression_of_a_plt_is_known(void **state)
{
	(void)state;
	run(BYTES_OF(USUAL_CIE),
	    BYTES_OF(DW_CFA_def_cfa_offset, 16, DW_CFA_advance_loc | 6, DW_CFA_def_cfa_offset, 24,
		     DW_CFA_advance_loc | 10, DW_CFA_def_cfa_expression, 11, DW_OP_breg7, 8,
		     DW_OP_breg16, 0, DW_OP_lit15, DW_OP_and, DW_OP_lit11, DW_OP_ge, DW_OP_lit3,
		     DW_OP_shl, DW_OP_plus));
	expect_rows(ROWS_OF({ 0, 2, 0, UNWIND_SP, 0 }, { 6, 3, 0, UNWIND_SP, 0 },
			    { 16, 11, 0, UNWIND_PLT, 0 }));
}

/* Slots that begin with ENDBR64 push 4 bytes later. */
static void test_the_expression_of_another_plt_is_known(void **state)
{
	(void)state;
	run(BYTES_OF(USUAL_CIE),
	    BYTES_OF(DW_CFA_def_cfa_expression, 11, DW_OP_breg7, 8, DW_OP_breg16, 0, DW_OP_lit15,
		     DW_OP_and, DW_OP_lit9, DW_OP_ge, DW_OP_lit3, DW_OP_shl, DW_OP_plus));
	expect_rows(ROWS_OF({ 0, 9, 0, UNWIND_PLT, 0 }));
}

#define SIGNAL_CFA DW_CFA_def_cfa_expression, 4, DW_OP_breg7, 0xa0, 1, DW_OP_deref

static void test_the_frame_of_a_signal_is_known(void **state)
{
	(void)state;
	cie.is_signal = true;
	run(BYTES_OF(DW_CFA_nop),
	    BYTES_OF(SIGNAL_CFA, DW_CFA_expression, 6, 3, DW_OP_breg7, 0xf8, 0,
		     DW_CFA_expression, 7, 3, DW_OP_breg7, 0xa0, 1,
		     DW_CFA_expression, 16, 3, DW_OP_breg7, 0xa8, 1));
	expect_rows(ROWS_OF({ 0, 0, 0, UNWIND_SIGNAL, 0 }));
}

static void test_the_same_expression_outside_of_a_signal_is_complex(void **state)
{
	(void)state;
	run(BYTES_OF(USUAL_CIE), BYTES_OF(SIGNAL_CFA));
	expect_rows(ROWS_OF({ 0, 0, 0, UNWIND_COMPLEX, 0 }));
}

#define BP_AT_BP DW_CFA_expression, 6, 2, DW_OP_breg6, 0

/* gcc: and $-32, %rsp; the old one is in the word below that which holds bp. */
static void test_a_cfa_in_a_word_beside_bp_is_known(void **state)
{
	(void)state;
	run(BYTES_OF(USUAL_CIE),
	    BYTES_OF(BP_AT_BP, DW_CFA_def_cfa_expression, 3, DW_OP_breg6, 0x78, DW_OP_deref));
	expect_rows(ROWS_OF({ 0, -1, 0, UNWIND_BP_WORD, 0 }));
}

/* OpenSSL, 80 bytes above sp. */
static void test_a_cfa_in_a_word_above_sp_is_known(void **state)
{
	(void)state;
	run(BYTES_OF(USUAL_CIE),
	    BYTES_OF(DW_CFA_offset | 6, 2, DW_CFA_def_cfa_expression, 6, DW_OP_breg7, 0xd0, 0,
		     DW_OP_deref, DW_OP_plus_uconst, 8));
	expect_rows(ROWS_OF({ 0, 10, -2, UNWIND_SP_WORD, 0 }));
}

static void expect_complex(const unsigned char *bytes, size_t count)
{
	rows.count = 0;
	run(BYTES_OF(USUAL_CIE), bytes, count);
	expect_rows(ROWS_OF({ 0, 0, 0, UNWIND_COMPLEX, 0 }));
}

static void test_expressions_that_are_nearly_known_are_complex(void **state)
{
	(void)state;
	/* bp is not where that of gcc is, or it is, without the rest, and with more. */
	expect_complex(BYTES_OF(DW_CFA_def_cfa_expression, 3, DW_OP_breg6, 0x78, DW_OP_deref));
	expect_complex(BYTES_OF(BP_AT_BP));
	expect_complex(BYTES_OF(DW_CFA_expression, 6, 2, DW_OP_breg6, 8,
				DW_CFA_def_cfa_expression, 3, DW_OP_breg6, 0x78, DW_OP_deref));
	expect_complex(BYTES_OF(BP_AT_BP, DW_CFA_def_cfa_expression, 5, DW_OP_breg6, 0x78,
				DW_OP_deref, DW_OP_plus_uconst, 8));
	/* 16 more, not 8; a word more; another register; no word; another place. */
	expect_complex(BYTES_OF(DW_CFA_def_cfa_expression, 5, DW_OP_breg7, 8, DW_OP_deref,
				DW_OP_plus_uconst, 16));
	expect_complex(BYTES_OF(DW_CFA_def_cfa_expression, 6, DW_OP_breg7, 8, DW_OP_deref,
				DW_OP_plus_uconst, 8, DW_OP_deref));
	expect_complex(BYTES_OF(DW_CFA_def_cfa_expression, 5, DW_OP_breg9, 8, DW_OP_deref,
				DW_OP_plus_uconst, 8));
	expect_complex(BYTES_OF(DW_CFA_def_cfa_expression, 5, DW_OP_breg7, 8, DW_OP_nop,
				DW_OP_plus_uconst, 8));
	expect_complex(BYTES_OF(DW_CFA_def_cfa_expression, 5, DW_OP_breg7, 4, DW_OP_deref,
				DW_OP_plus_uconst, 8));
	expect_complex(BYTES_OF(DW_CFA_def_cfa_expression, 2, DW_OP_breg7, 8));
	expect_complex(BYTES_OF(DW_CFA_def_cfa_expression, 0));
}

/* ld.so: push %rbx; mov %rsp, %rbx, below two words that the PLT pushed. */
static void test_a_cfa_by_rbx_is_known(void **state)
{
	(void)state;
	run(BYTES_OF(USUAL_CIE),
	    BYTES_OF(DW_CFA_def_cfa_offset, 24, DW_CFA_advance_loc | 1, DW_CFA_def_cfa_offset, 32,
		     DW_CFA_offset | 3, 4, DW_CFA_advance_loc | 3, DW_CFA_def_cfa_register, 3));
	expect_rows(ROWS_OF({ 0, 3, 0, UNWIND_SP, 0 }, { 1, 4, 0, UNWIND_SP, 4 },
			    { 4, 4, 0, UNWIND_BX, 4 }));
}

/* The last place that a row can say; one more; not a whole word; the CFA; another register. */
static void test_a_row_says_where_rbx_is_or_that_it_is_elsewhere(void **state)
{
	(void)state;
	run(BYTES_OF(USUAL_CIE),
	    BYTES_OF(DW_CFA_offset | 3, 14, DW_CFA_advance_loc | 1, DW_CFA_offset | 3, 15,
		     DW_CFA_advance_loc | 1, DW_CFA_same_value, 3, DW_CFA_advance_loc | 1,
		     DW_CFA_offset | 3, 0, DW_CFA_advance_loc | 1, DW_CFA_restore | 3,
		     DW_CFA_advance_loc | 1, DW_CFA_register, 3, 12));
	expect_rows(ROWS_OF({ 0, 1, 0, UNWIND_SP, 14 }, { 1, 1, 0, UNWIND_SP, 15 },
			    { 2, 1, 0, UNWIND_SP, 0 }, { 3, 1, 0, UNWIND_SP, 15 },
			    { 4, 1, 0, UNWIND_SP, 0 }, { 5, 1, 0, UNWIND_SP, 15 }));
}

/* vfork(): pop %rdi; and another register, which is none that a leaf is known to use. */
static void test_a_return_address_in_rdi_is_known(void **state)
{
	(void)state;
	run(BYTES_OF(USUAL_CIE),
	    BYTES_OF(DW_CFA_advance_loc | 1, DW_CFA_def_cfa_offset, 0, DW_CFA_register, 16, 5,
		     DW_CFA_advance_loc | 8, DW_CFA_def_cfa_offset, 8, DW_CFA_advance_loc | 1,
		     DW_CFA_register, 16, 4));
	expect_rows(ROWS_OF({ 0, 1, 0, UNWIND_SP, 0 }, { 1, 0, 0, UNWIND_DI, 0 },
			    { 9, 1, 0, UNWIND_DI, 0 }, { 10, 0, 0, UNWIND_COMPLEX, 0 }));
}

static void test_an_undefined_return_address_is_the_end(void **state)
{
	(void)state;
	run(BYTES_OF(USUAL_CIE),
	    BYTES_OF(DW_CFA_undefined, 16, DW_CFA_advance_loc | 9, DW_CFA_def_cfa_offset, 16));
	expect_rows(ROWS_OF({ 0, 0, 0, UNWIND_END, 0 }));
}

/* Each of them at a byte of its own, and back to what a row can say in between. */
static void test_what_a_row_cannot_say_is_complex(void **state)
{
	(void)state;
	run(BYTES_OF(USUAL_CIE),
	    BYTES_OF(DW_CFA_remember_state, DW_CFA_remember_state, DW_CFA_remember_state,
		     DW_CFA_remember_state, DW_CFA_remember_state, DW_CFA_remember_state,
		     DW_CFA_def_cfa_register, 12, DW_CFA_advance_loc | 1, DW_CFA_restore_state,
		     DW_CFA_advance_loc | 1, DW_CFA_def_cfa_offset, 12, DW_CFA_advance_loc | 1,
		     DW_CFA_restore_state, DW_CFA_advance_loc | 1, DW_CFA_register, 6, 3,
		     DW_CFA_advance_loc | 1, DW_CFA_restore_state, DW_CFA_advance_loc | 1,
		     DW_CFA_val_offset, 7, 1, DW_CFA_advance_loc | 1, DW_CFA_restore_state,
		     DW_CFA_advance_loc | 1, DW_CFA_offset | 16, 2, DW_CFA_advance_loc | 1,
		     DW_CFA_restore_state, DW_CFA_advance_loc | 1, DW_CFA_offset | 6, 0x80, 1,
		     DW_CFA_advance_loc | 1, DW_CFA_restore_state));
	expect_rows(ROWS_OF({ 0, 0, 0, UNWIND_COMPLEX, 0 }, { 1, 1, 0, UNWIND_SP, 0 },
			    { 2, 0, 0, UNWIND_COMPLEX, 0 }, { 3, 1, 0, UNWIND_SP, 0 },
			    { 4, 0, 0, UNWIND_COMPLEX, 0 }, { 5, 1, 0, UNWIND_SP, 0 },
			    { 6, 0, 0, UNWIND_COMPLEX, 0 }, { 7, 1, 0, UNWIND_SP, 0 },
			    { 8, 0, 0, UNWIND_COMPLEX, 0 }, { 9, 1, 0, UNWIND_SP, 0 },
			    { 10, 0, 0, UNWIND_COMPLEX, 0 }, { 11, 1, 0, UNWIND_SP, 0 }));
}

/* From the damage on; what was said before holds. */
static void expect_damage(const unsigned char *bytes, size_t count)
{
	rows.count = 0;
	run(BYTES_OF(USUAL_CIE), bytes, count);
	expect_rows(ROWS_OF({ 0, 1, 0, UNWIND_SP, 0 }, { 5, 0, 0, UNWIND_COMPLEX, 0 }));
}

static void test_damaged_instructions_are_complex(void **state)
{
	(void)state;
	expect_damage(BYTES_OF(DW_CFA_advance_loc | 5, 0x3f));			/* unknown */
	expect_damage(BYTES_OF(DW_CFA_advance_loc | 5, DW_CFA_def_cfa_offset));	/* cut off */
	expect_damage(BYTES_OF(DW_CFA_advance_loc | 5, DW_CFA_def_cfa_offset, 0x80));
	expect_damage(BYTES_OF(DW_CFA_advance_loc | 5, DW_CFA_restore_state));	/* there is none */
	expect_damage(BYTES_OF(DW_CFA_advance_loc | 5, DW_CFA_def_cfa_expression, 9, 1));
	/* Backwards. */
	expect_damage(BYTES_OF(DW_CFA_advance_loc | 5, DW_CFA_set_loc, 4, 0x10, 0x40, 0, 0, 0, 0,
			       0));
}

static void test_remembering_too_much_is_complex(void **state)
{
	unsigned char bytes[1 + CFI_REMEMBERED_MAX + 1];

	(void)state;
	memset(bytes, DW_CFA_remember_state, sizeof(bytes));
	bytes[0] = DW_CFA_advance_loc | 5;
	expect_damage(bytes, sizeof(bytes));
}

static void test_a_damaged_cie_makes_its_entries_complex(void **state)
{
	(void)state;
	run(BYTES_OF(DW_CFA_def_cfa, 7), BYTES_OF(DW_CFA_nop));
	expect_rows(ROWS_OF({ 0, 0, 0, UNWIND_COMPLEX, 0 }));
	cie.number++;
	rows.count = 0;
	run(BYTES_OF(USUAL_CIE), BYTES_OF(DW_CFA_nop));
	expect_rows(ROWS_OF({ 0, 1, 0, UNWIND_SP, 0 }));
}

static void test_another_return_address_makes_entries_complex(void **state)
{
	(void)state;
	cie.return_register = 17;
	run(BYTES_OF(USUAL_CIE), BYTES_OF(DW_CFA_nop));
	expect_rows(ROWS_OF({ 0, 0, 0, UNWIND_COMPLEX, 0 }));
}

static void test_a_cie_cannot_advance(void **state)
{
	(void)state;
	run(BYTES_OF(USUAL_CIE, DW_CFA_advance_loc | 1), BYTES_OF(DW_CFA_nop));
	expect_rows(ROWS_OF({ 0, 0, 0, UNWIND_COMPLEX, 0 }));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start_test, end_test)

UNIT_TESTS(test_cfi_program)
{
	const struct CMUnitTest tests[] = {
		TEST(test_no_instructions_mean_the_rules_of_the_cie),
		TEST(test_a_frame_pointer_comes_and_goes),
		TEST(test_registers_that_no_walk_needs_make_no_row),
		TEST(test_remembered_rules_come_back_whole),
		TEST(test_a_register_is_restored_to_the_rule_of_the_cie),
		TEST(test_every_way_to_advance_advances),
		TEST(test_a_location_can_be_set),
		TEST(test_signed_and_negative_offsets_are_scaled),
		TEST(test_locations_after_the_end_make_no_rows),
		TEST(test_the_expression_of_a_plt_is_known),
		TEST(test_the_expression_of_another_plt_is_known),
		TEST(test_the_frame_of_a_signal_is_known),
		TEST(test_the_same_expression_outside_of_a_signal_is_complex),
		TEST(test_a_cfa_in_a_word_beside_bp_is_known),
		TEST(test_a_cfa_in_a_word_above_sp_is_known),
		TEST(test_expressions_that_are_nearly_known_are_complex),
		TEST(test_a_cfa_by_rbx_is_known),
		TEST(test_a_row_says_where_rbx_is_or_that_it_is_elsewhere),
		TEST(test_a_return_address_in_rdi_is_known),
		TEST(test_an_undefined_return_address_is_the_end),
		TEST(test_what_a_row_cannot_say_is_complex),
		TEST(test_damaged_instructions_are_complex),
		TEST(test_remembering_too_much_is_complex),
		TEST(test_a_damaged_cie_makes_its_entries_complex),
		TEST(test_another_return_address_makes_entries_complex),
		TEST(test_a_cie_cannot_advance),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
