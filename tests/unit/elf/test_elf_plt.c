/* Forms of PLT slots that no linker here makes any more, and damage. Those that one makes are
 * compared with objdump, slot by slot, in tests/oracle/check_plt. */
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "elf_fixture.h"
#include "unit_tests.h"

#define CALLS "echo 'int puts(const char *); int getpid(void); int both(void) " \
	      "{ return puts(\"\") + getpid(); }' >calls.c && "

/* A library that calls puts() and getpid() through slots with an endbr64 in front. */
static struct elf_bytes_copy build_protected(void)
{
	if (!elf_fixture_run(CALLS X86_TOOLS "gcc -O1 -shared -fPIC -nostdlib "
			     "-fcf-protection=full -Wl,-z,lazy,-z,ibtplt -o calls.so calls.c"))
		skip();
	return elf_fixture_read(elf_fixture_path("calls.so"));
}

static void expect_slots(const struct elf_bytes_copy *program, uint32_t slots)
{
	struct flat_table table;
	uint32_t found = 0;

	assert_int_equal(elf_fixture_compile_bytes(program->at, program->count, &table), 0);
	for (uint32_t i = 0; i < table.header->row_count; i++)
		found += table.rows[i].kind == FLAT_PLT;
	assert_int_equal(found, slots);
	if (slots) {
		uint32_t row = elf_fixture_find(&table, "getpid@plt");

		assert_int_not_equal(row, FLAT_NONE);
		assert_int_equal(table.rows[row].size, 16);
		assert_int_not_equal(elf_fixture_find(&table, "puts@plt"), FLAT_NONE);
	}
	elf_fixture_free(&table);
}

static void test_slots_after_an_endbr64_are_named(void **state)
{
	struct elf_bytes_copy program = build_protected();

	(void)state;
	expect_slots(&program, 2);
	free(program.at);
}

/* | f3 0f 1e fa | ff 25 disp | becomes | f3 0f 1e fa | f2 ff 25 disp - 1 |: binutils before 2.38 */
static void test_slots_with_a_bnd_prefix_are_named(void **state)
{
	struct elf_bytes_copy program = build_protected();
	const Elf64_Shdr *section = elf_fixture_section(&program, ".plt.sec");

	(void)state;
	assert_int_equal(section->sh_size, 32);
	for (unsigned char *slot = program.at + section->sh_offset, *end = slot + 32; slot < end;
	     slot += 16) {
		int32_t displacement;

		assert_memory_equal(slot + 4, "\xff\x25", 2);
		memcpy(&displacement, slot + 6, 4);
		displacement--;
		memcpy(slot + 4, "\xf2\xff\x25", 3);
		memcpy(slot + 7, &displacement, 4);
	}
	expect_slots(&program, 2);
	free(program.at);
}

static void test_relocations_of_symbols_that_are_not_there_name_nothing(void **state)
{
	struct elf_bytes_copy program = build_protected();
	const Elf64_Shdr *section = elf_fixture_section(&program, ".rela.plt");
	Elf64_Rela *relocations = (void *)(program.at + section->sh_offset);

	(void)state;
	for (size_t i = 0; i < section->sh_size / sizeof(*relocations); i++)
		relocations[i].r_info = ELF64_R_INFO(0x7fffffffu, R_X86_64_JUMP_SLOT);
	expect_slots(&program, 0);
	free(program.at);
}

/* | adrp | ldr | add | autia1716 | br x17 | nop |, each with 24 bytes, becomes
 * | adrp | ldr | add | braa x17, x16 | nop | nop |: programs with signed pointers. */
static void test_slots_of_aarch64_that_check_a_signature_are_named(void **state)
{
	static const uint32_t checked[] = { 0xd503219f, 0xd61f0220, 0xd503201f };
	static const uint32_t joined[] = { 0xd71f0a30, 0xd503201f, 0xd503201f };
	struct elf_bytes_copy library;
	const Elf64_Shdr *section;
	struct flat_table table;
	uint32_t row;

	(void)state;
	if (!elf_fixture_run(CALLS AARCH64_TOOLS "gcc -O1 -shared -fPIC -nostdlib -Wl,-z,pac-plt "
			     "-o arm.so calls.c"))
		skip();
	library = elf_fixture_read(elf_fixture_path("arm.so"));
	section = elf_fixture_section(&library, ".plt");
	assert_int_equal(section->sh_size, 32 + 2 * 24);	/* a header comes first */
	for (size_t i = 0; i < 2; i++) {
		unsigned char *tail = library.at + section->sh_offset + 32 + i * 24 + 12;

		assert_memory_equal(tail, checked, sizeof(checked));
		memcpy(tail, joined, sizeof(joined));
	}
	assert_int_equal(elf_fixture_compile_bytes(library.at, library.count, &table), 0);
	row = elf_fixture_find(&table, "getpid@plt");
	assert_int_not_equal(row, FLAT_NONE);
	assert_int_equal(table.rows[row].kind, FLAT_PLT);
	assert_int_equal(table.rows[row].size, 16);
	assert_int_not_equal(elf_fixture_find(&table, "puts@plt"), FLAT_NONE);
	elf_fixture_free(&table);
	free(library.at);
}

/* The assembler marks code "$x" and data "$d"; a label ".L1" is in the table if it is asked for. */
static void test_marks_of_aarch64_assemblers_are_no_names(void **state)
{
	struct flat_table table;

	(void)state;
	if (!elf_fixture_run("printf '%%s\\n' .text 'first: nop' '.Lone: nop' '.word 7' 'nop' "
			     "'.type second, %%function' 'second: ret' '.size second, 4' >marks.s "
			     "&& " AARCH64_TOOLS "as -L -o marks.o marks.s && "
			     AARCH64_TOOLS "ld -shared -o marks.so marks.o"))
		skip();
	table = elf_fixture_compile(elf_fixture_path("marks.so"), NULL);
	assert_int_equal(table.header->row_count, 2);
	elf_fixture_expect(&table, elf_fixture_path("marks.so"), "first", 15, "first");
	elf_fixture_expect(&table, elf_fixture_path("marks.so"), "second", 0, "second");
	elf_fixture_free(&table);
}

UNIT_TESTS(test_elf_plt)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_slots_after_an_endbr64_are_named),
		cmocka_unit_test(test_slots_with_a_bnd_prefix_are_named),
		cmocka_unit_test(test_relocations_of_symbols_that_are_not_there_name_nothing),
		cmocka_unit_test(test_slots_of_aarch64_that_check_a_signature_are_named),
		cmocka_unit_test(test_marks_of_aarch64_assemblers_are_no_names),
	};

	return cmocka_run_group_tests(tests, elf_fixture_make_directory,
				      elf_fixture_remove_directory);
}
