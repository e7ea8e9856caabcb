/* Unwind rows of whole files, of x86 and AArch64 alike on both machines. What each address should
 * have is in the assembly below. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "elf/elf_cfi.h"
#include "elf_fixture.h"
#include "sandbox/unwind_table.h"
#include "unit_tests.h"

/* framed:    0 push; 1 mov; 4 ...; 44 leave; 45 ret; ends at 46
 * (no entry: 8 bytes)
 * leaf:      0 ...; 40 ret; ends at 41
 * tiny:      ends at 9
 * late:      20 bytes before the frame; 20 push; 21 mov; 24 ...; 34 leave; 35 ret; ends at 36
 * _start:    the outermost frame
 * resolver:  CFA = r12 + 32 */
static const char source[] =
	".text\n"
	".globl framed, hole, leaf, late, resolver, _start\n"
	"framed: .cfi_startproc\n"
	"push %rbp\n .cfi_def_cfa_offset 16\n .cfi_offset 6, -16\n"
	"mov %rsp, %rbp\n .cfi_def_cfa_register 6\n .fill 40, 1, 0x90\n"
	"leave\n .cfi_def_cfa 7, 8\n ret\n .cfi_endproc\n"
	"hole: .fill 8, 1, 0x90\n"
	"leaf: .cfi_startproc\n .fill 40, 1, 0x90\n ret\n .cfi_endproc\n"
	"tiny: .cfi_startproc\n .fill 8, 1, 0x90\n ret\n .cfi_endproc\n"
	"late: .cfi_startproc\n .fill 20, 1, 0x90\n"
	"push %rbp\n .cfi_def_cfa_offset 16\n .cfi_offset 6, -16\n"
	"mov %rsp, %rbp\n .cfi_def_cfa_register 6\n .fill 10, 1, 0x90\n"
	"leave\n .cfi_def_cfa 7, 8\n ret\n .cfi_endproc\n"
	"_start: .cfi_startproc\n .cfi_undefined 16\n .fill 9, 1, 0x90\n .cfi_endproc\n"
	"resolver: .cfi_startproc\n .cfi_def_cfa 12, 32\n .fill 9, 1, 0x90\n .cfi_endproc\n";

#define LINK X86_TOOLS "gcc -nostdlib -static "

static int make_directory(void **state)
{
	if (elf_fixture_make_directory(state))
		return -1;
	elf_fixture_write("rows.s", source, sizeof(source) - 1);
	return elf_fixture_run(LINK "-Wl,--build-id -o whole rows.s") ? 0 : -1;
}

static int compile(int fd, int debug_fd, struct unwind_table *out)
{
	void *bytes;
	size_t count;
	struct diag why = { .err = 0 };
	int err = elf_cfi_compile(fd, debug_fd, &bytes, &count, &why);

	if (err) {
		assert_null(bytes);
		assert_true(why.text[0]);
		return err;
	}
	assert_int_equal(unwind_table_check(out, bytes, count, NULL), 0);
	return 0;
}

static struct unwind_table compile_files(const char *name, const char *debug_name)
{
	int fd = open(elf_fixture_path(name), O_RDONLY | O_CLOEXEC);
	int debug_fd = debug_name ? open(elf_fixture_path(debug_name), O_RDONLY | O_CLOEXEC) : -1;
	struct unwind_table table;

	assert_true(fd >= 0);
	assert_int_equal(compile(fd, debug_fd, &table), 0);
	close(fd);
	if (debug_fd >= 0)
		close(debug_fd);
	return table;
}

static int compile_bytes(const struct elf_bytes_copy *bytes, struct unwind_table *out)
{
	int fd = memfd_create("elf", MFD_CLOEXEC), err;

	assert_int_equal(write(fd, bytes->at, bytes->count), (ssize_t)bytes->count);
	err = compile(fd, -1, out);
	close(fd);
	return err;
}

static void free_table(const struct unwind_table *table)
{
	free((void *)table->header);
}

static void expect_in(const char *name, const struct unwind_table *table, const char *symbol,
		      uint64_t into, struct unwind_row wanted)
{
	const char *path = elf_fixture_path(name);
	const struct elf_loads loads = elf_fixture_loads(path);
	const struct unwind_row *row;
	uint64_t offset = 0;

	assert_true(elf_fixture_to_offset(&loads, elf_fixture_vaddr(path, symbol) + into,
					  &offset));
	row = unwind_table_find(table, offset);
	if (!unwind_row_is_same_rule(row, &wanted))
		fail_msg("%s + %u: kind %d cfa %d bp %d bx %d", symbol, (unsigned int)into,
			 row->kind, row->cfa, row->bp, row->bx);
}

static void expect(const struct unwind_table *table, const char *symbol, uint64_t into,
		   struct unwind_row wanted)
{
	expect_in("whole", table, symbol, into, wanted);
}

static const struct unwind_row gap = { .kind = UNWIND_GAP };
static const struct unwind_row called = { .kind = UNWIND_SP, .cfa = 1 };
static const struct unwind_row pushed = { .kind = UNWIND_SP, .cfa = 2, .bp = -2 };
static const struct unwind_row framed = { .kind = UNWIND_BP, .cfa = 2, .bp = -2 };
static const struct unwind_row left = { .kind = UNWIND_SP, .cfa = 1, .bp = -2 };

static void expect_framed(const struct unwind_table *table)
{
	expect(table, "framed", 0, called);
	expect(table, "framed", 1, pushed);
	expect(table, "framed", 3, pushed);
	expect(table, "framed", 4, framed);
	expect(table, "framed", 44, framed);
	expect(table, "framed", 45, left);
}

static void test_each_address_has_the_row_of_its_entry(void **state)
{
	struct unwind_table table = compile_files("whole", NULL);

	(void)state;
	expect_framed(&table);
	expect(&table, "hole", 0, gap);
	expect(&table, "hole", 7, gap);
	expect(&table, "leaf", 0, called);
	expect(&table, "leaf", 40, called);
	expect(&table, "_start", 0, (struct unwind_row){ .kind = UNWIND_END });
	expect(&table, "resolver", 0, (struct unwind_row){ .kind = UNWIND_COMPLEX });
	expect(&table, "resolver", 8, (struct unwind_row){ .kind = UNWIND_COMPLEX });
	assert_int_equal(table.header->row_count, 12);
	assert_int_equal(table.header->build_id.count, 20);
	free_table(&table);
}

/* framed 46, leaf 41, tiny 9, late 36, resolver 9 bytes; with a frame: framed all, late 15, whose
 * first row reaches after the push and is no edge. */
static void test_code_with_frame_pointers_is_counted(void **state)
{
	struct unwind_table table = compile_files("whole", NULL);

	(void)state;
	assert_int_equal(table.header->code_bytes, 46 + 41 + 9 + 36 + 9);
	assert_int_equal(table.header->bp_bytes, 46 + 15);
	free_table(&table);
}

static void test_rows_are_found_without_section_headers(void **state)
{
	struct elf_bytes_copy bytes;
	struct unwind_table table;

	(void)state;
	assert_true(elf_fixture_run(LINK "-Wl,--eh-frame-hdr -o headed rows.s"));
	bytes = elf_fixture_read(elf_fixture_path("headed"));
	memset(bytes.at + 40, 0, 8);	/* e_shoff */
	memset(bytes.at + 60, 0, 4);	/* e_shnum, e_shstrndx */
	assert_int_equal(compile_bytes(&bytes, &table), 0);
	assert_int_equal(table.header->row_count, 12);
	assert_int_equal(table.header->bp_bytes, 46 + 15);
	free_table(&table);
	free(bytes.at);
}

static void test_rows_in_a_section_of_another_type_are_found(void **state)
{
	struct elf_bytes_copy bytes = elf_fixture_read(elf_fixture_path("whole"));
	struct unwind_table table;

	(void)state;
	elf_fixture_section(&bytes, ".eh_frame")->sh_type = SHT_X86_64_UNWIND;
	assert_int_equal(compile_bytes(&bytes, &table), 0);
	expect_framed(&table);
	free_table(&table);
	free(bytes.at);
}

static void test_rows_that_bolt_put_aside_are_read(void **state)
{
	struct unwind_table table;

	(void)state;
	assert_true(elf_fixture_run(X86_TOOLS "objcopy --rename-section "
				    ".eh_frame=.bolt.org.eh_frame whole bolted"));
	table = compile_files("bolted", NULL);
	expect_framed(&table);
	free_table(&table);
}

static void test_debug_frame_of_the_debug_file_is_read(void **state)
{
	struct unwind_table table;

	(void)state;
	assert_true(elf_fixture_run("(echo .cfi_sections .debug_frame; cat rows.s) >debug.s && "
				    LINK "-Wl,--build-id -o whole.debug debug.s && "
				    X86_TOOLS "objcopy --only-keep-debug whole.debug only.debug && "
				    X86_TOOLS "strip -o stripped whole.debug"));
	table = compile_files("stripped", NULL);
	assert_int_equal(table.header->row_count, 2);	/* the first instruction's, and its end */
	assert_int_equal(table.header->code_bytes, 0);
	free_table(&table);
	table = compile_files("stripped", "only.debug");
	assert_int_equal(table.header->bp_bytes, 46 + 15);
	free_table(&table);
}

/* The rows with another entry for `framed`, of @bytes, in front of or after all others. */
static struct unwind_table compile_twice(int bytes, bool is_first)
{
	assert_true(elf_fixture_run(
		"echo '.section .eh_frame,\"a\",@unwind; cie: .long 20, 0; .byte 1, 0x7a, 0x52, "
		"0, 1, 0x78, 16, 1, 0x1b, 12, 7, 64, 0x90, 1, 0, 0; .long 20; here: .long here "
		"- cie; .long framed - .; .long %d; .long 0, 0' >other.s && "
		X86_TOOLS "gcc -c rows.s other.s && " LINK "-o twice %s", bytes,
		is_first ? "other.o rows.o" : "rows.o other.o"));
	return compile_files("twice", NULL);
}

static const struct unwind_row other = { .kind = UNWIND_SP, .cfa = 8 };

static void test_of_two_entries_for_one_function_the_first_holds(void **state)
{
	struct unwind_table table = compile_twice(50, false);

	(void)state;
	expect_in("twice", &table, "framed", 0, called);
	expect_in("twice", &table, "framed", 10, framed);
	expect_in("twice", &table, "framed", 45, left);
	expect_in("twice", &table, "hole", 0, other);
	expect_in("twice", &table, "hole", 3, other);
	expect_in("twice", &table, "hole", 4, gap);
	expect_in("twice", &table, "leaf", 0, called);
	free_table(&table);
	table = compile_twice(10, true);
	expect_in("twice", &table, "framed", 9, other);
	expect_in("twice", &table, "framed", 10, framed);
	expect_in("twice", &table, "framed", 45, left);
	free_table(&table);
}

static void test_an_entry_inside_of_another_changes_nothing(void **state)
{
	struct unwind_table table = compile_twice(10, false);

	(void)state;
	expect_in("twice", &table, "framed", 0, called);
	expect_in("twice", &table, "framed", 4, framed);
	expect_in("twice", &table, "framed", 10, framed);
	expect_in("twice", &table, "hole", 0, gap);
	free_table(&table);
}

/* ld.so's _start: its first instruction has no caller, whatever is on the stack. */
static void test_the_first_instruction_of_a_program_without_an_entry_is_outermost(void **state)
{
	struct unwind_table table;

	(void)state;
	assert_true(elf_fixture_run(LINK "-Wl,-e,hole -o enters rows.s"));
	table = compile_files("enters", NULL);
	expect_in("enters", &table, "framed", 45, left);
	expect_in("enters", &table, "hole", 0, (struct unwind_row){ .kind = UNWIND_END });
	expect_in("enters", &table, "hole", 1, gap);
	expect_in("enters", &table, "leaf", 0, called);
	free_table(&table);
	assert_true(elf_fixture_run(LINK "-Wl,-e,leaf -o enters rows.s"));
	table = compile_files("enters", NULL);
	expect_in("enters", &table, "leaf", 0, called);
	free_table(&table);
}

static void test_files_of_another_kind_have_no_rows(void **state)
{
	struct elf_bytes_copy bytes = elf_fixture_read(elf_fixture_path("whole"));
	struct unwind_table table;

	(void)state;
	((Elf64_Ehdr *)bytes.at)->e_machine = EM_RISCV;
	assert_int_equal(compile_bytes(&bytes, &table), 0);
	assert_int_equal(table.header->row_count, 0);
	free_table(&table);
	bytes.at[0] = 'x';
	assert_int_equal(compile_bytes(&bytes, &table), -ENOEXEC);
	free(bytes.at);
}

static void test_a_file_that_was_cut_is_refused(void **state)
{
	struct elf_bytes_copy bytes = elf_fixture_read(elf_fixture_path("whole"));
	struct unwind_table table;

	(void)state;
	bytes.count /= 2;
	assert_int_equal(compile_bytes(&bytes, &table), -EBADMSG);
	free(bytes.at);
}

/* framed:    0 stp; 4 mov; 8 ...; 40 ldp; 44 ret; ends at 48
 * (no entry: 8 bytes)
 * leaf:      ends at 44
 * saves_lr:  0 str; 4 ...; 24 ldr; 28 ret; ends at 32
 * _start:    the outermost frame */
static const char aarch64_source[] =
	".text\n"
	".globl framed, hole, leaf, saves_lr, _start\n"
	"framed: .cfi_startproc\n"
	"stp x29, x30, [sp, #-32]!\n .cfi_def_cfa_offset 32\n .cfi_offset 29, -32\n"
	" .cfi_offset 30, -24\n mov x29, sp\n .fill 8, 4, 0xd503201f\n"
	"ldp x29, x30, [sp], #32\n .cfi_restore 29\n .cfi_restore 30\n .cfi_def_cfa_offset 0\n"
	" ret\n .cfi_endproc\n"
	"hole: nop\n nop\n"
	"leaf: .cfi_startproc\n .fill 10, 4, 0xd503201f\n ret\n .cfi_endproc\n"
	"saves_lr: .cfi_startproc\n"
	"str x30, [sp, #-16]!\n .cfi_def_cfa_offset 16\n .cfi_offset 30, -16\n"
	" .fill 5, 4, 0xd503201f\n"
	"ldr x30, [sp], #16\n .cfi_restore 30\n .cfi_def_cfa_offset 0\n ret\n .cfi_endproc\n"
	"_start: .cfi_startproc\n .cfi_undefined 30\n nop\n nop\n .cfi_endproc\n";

static void test_each_address_of_an_aarch64_file_has_the_row_of_its_entry(void **state)
{
	static const struct unwind_row bare = { .kind = UNWIND_ARM_SP };
	static const struct unwind_row record = { .kind = UNWIND_ARM_SP, .cfa = 4, .bp = -4,
						  .bx = UNWIND_SAVES_PAIR };
	static const struct unwind_row only_lr = { .kind = UNWIND_ARM_SP, .cfa = 2, .bp = -2,
						   .bx = UNWIND_SAVES_LR };
	struct unwind_table table;

	(void)state;
	elf_fixture_write("arm.s", aarch64_source, sizeof(aarch64_source) - 1);
	if (!elf_fixture_run(AARCH64_TOOLS "gcc -nostdlib -static -o arm arm.s"))
		skip();
	table = compile_files("arm", NULL);
	assert_int_equal(table.header->machine, MACHINE_AARCH64);
	expect_in("arm", &table, "framed", 0, bare);
	expect_in("arm", &table, "framed", 4, record);
	expect_in("arm", &table, "framed", 40, record);
	expect_in("arm", &table, "framed", 44, bare);
	expect_in("arm", &table, "hole", 0, gap);
	expect_in("arm", &table, "hole", 4, gap);
	expect_in("arm", &table, "leaf", 0, bare);
	expect_in("arm", &table, "leaf", 40, bare);
	expect_in("arm", &table, "saves_lr", 4, only_lr);
	expect_in("arm", &table, "saves_lr", 28, bare);
	expect_in("arm", &table, "_start", 4, (struct unwind_row){ .kind = UNWIND_END });
	assert_int_equal(table.header->code_bytes, 48 + 44 + 32);
	assert_int_equal(table.header->bp_bytes, 48);
	free_table(&table);
}

UNIT_TESTS(test_elf_cfi)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_address_has_the_row_of_its_entry),
		cmocka_unit_test(test_code_with_frame_pointers_is_counted),
		cmocka_unit_test(test_rows_are_found_without_section_headers),
		cmocka_unit_test(test_rows_in_a_section_of_another_type_are_found),
		cmocka_unit_test(test_rows_that_bolt_put_aside_are_read),
		cmocka_unit_test(test_debug_frame_of_the_debug_file_is_read),
		cmocka_unit_test(test_of_two_entries_for_one_function_the_first_holds),
		cmocka_unit_test(test_an_entry_inside_of_another_changes_nothing),
		cmocka_unit_test(
			test_the_first_instruction_of_a_program_without_an_entry_is_outermost),
		cmocka_unit_test(test_files_of_another_kind_have_no_rows),
		cmocka_unit_test(test_a_file_that_was_cut_is_refused),
		cmocka_unit_test(test_each_address_of_an_aarch64_file_has_the_row_of_its_entry),
	};

	return cmocka_run_group_tests(tests, make_directory, elf_fixture_remove_directory);
}
