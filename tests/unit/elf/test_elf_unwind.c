/* Unwind entries: the ranges that readelf(1) prints of them are rows of code without symbols. */
#include <elf.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "elf_fixture.h"
#include "unit_tests.h"

struct range {
	uint64_t start, end;
};

/* The FDEs of readelf --debug-dump=frames: "... FDE cie=... pc=START..END". */
static size_t read_ranges(const char *path, struct range *ranges, size_t capacity)
{
	char command[512], line[512];
	size_t count = 0;
	FILE *out;

	snprintf(command, sizeof(command), "readelf --debug-dump=frames %s 2>/dev/null", path);
	out = popen(command, "re");
	assert_non_null(out);
	while (fgets(line, sizeof(line), out)) {
		const char *pc = strstr(line, " pc=");

		if (!strstr(line, " FDE ") || !pc)
			continue;
		assert_in_range(count, 0, capacity - 1);
		assert_int_equal(sscanf(pc, " pc=%" SCNx64 "..%" SCNx64, &ranges[count].start,
					&ranges[count].end), 2);
		count++;
	}
	pclose(out);
	return count;
}

static void expect_ranges(const char *path, size_t at_least)
{
	struct elf_loads loads = elf_fixture_loads(path);
	struct flat_table table = elf_fixture_compile(path, NULL);
	struct range ranges[64];
	size_t count = read_ranges(path, ranges, 64);

	assert_in_range(count, at_least, 64);
	for (size_t i = 0; i < count; i++) {
		char wanted[32];
		uint64_t offset = 0;
		uint32_t row;

		assert_true(elf_fixture_to_offset(&loads, ranges[i].start, &offset));
		row = flat_table_find(&table, offset);
		assert_int_not_equal(row, FLAT_NONE);
		if (table.rows[row].kind != FLAT_UNWIND)
			continue;
		snprintf(wanted, sizeof(wanted), "fn_%" PRIx64, ranges[i].start);
		assert_string_equal(flat_table_name(&table, row), wanted);
		assert_int_equal(table.rows[row].start, offset);
		assert_int_equal(table.rows[row].size, ranges[i].end - ranges[i].start);
	}
	elf_fixture_free(&table);
}

static void expect_unwind_name(const struct flat_table *table, const char *whole,
			       const char *symbol)
{
	char wanted[32];

	snprintf(wanted, sizeof(wanted), "fn_%" PRIx64, elf_fixture_vaddr(whole, symbol));
	assert_int_equal(elf_fixture_expect(table, whole, symbol, 1, wanted), FLAT_UNWIND);
}

static void test_stripped_functions_are_named_by_their_address(void **state)
{
	const char *whole = elf_fixture_build("whole", "-no-pie -fno-PIE");
	struct flat_table table;

	(void)state;
	assert_true(elf_fixture_run("strip -o stripped whole"));
	table = elf_fixture_compile(elf_fixture_path("stripped"), NULL);
	expect_unwind_name(&table, whole, "alpha");
	expect_unwind_name(&table, whole, "beta");
	expect_unwind_name(&table, whole, "farther");
	/* Assembly without an entry stays without a name. */
	elf_fixture_expect(&table, whole, "sizeless", 0, NULL);
	elf_fixture_free(&table);
}

static void test_ranges_are_those_of_readelf(void **state)
{
	(void)state;
	elf_fixture_build("gnu", "");
	assert_true(elf_fixture_run("strip -o gnu.stripped gnu"));
	expect_ranges(elf_fixture_path("gnu.stripped"), 5);
}

static void test_ranges_in_a_file_of_lld_are_those_of_readelf(void **state)
{
	(void)state;
	elf_fixture_build("lld", "-fuse-ld=lld");
	assert_true(elf_fixture_run("strip -o lld.stripped lld"));
	expect_ranges(elf_fixture_path("lld.stripped"), 5);
}

static void test_a_function_with_a_symbol_has_no_second_name(void **state)
{
	const char *path = elf_fixture_build("named", "");
	struct flat_table table = elf_fixture_compile(path, NULL);

	(void)state;
	elf_fixture_expect(&table, path, "beta", 1, "beta");
	for (uint32_t i = 1; i < table.header->row_count; i++)
		if (table.rows[i].kind == FLAT_UNWIND)
			assert_true(table.rows[i - 1].start + table.rows[i - 1].size <=
				    table.rows[i].start);
	elf_fixture_free(&table);
}

/* Without section headers PT_GNU_EH_FRAME says where the entries are. */
static void test_entries_are_found_without_section_headers(void **state)
{
	const char *whole = elf_fixture_build("headed", "-no-pie -fno-PIE");
	struct elf_bytes_copy bytes = elf_fixture_read(whole);
	struct flat_table table;

	(void)state;
	memset(bytes.at + 40, 0, 8);	/* e_shoff */
	memset(bytes.at + 60, 0, 4);	/* e_shnum, e_shstrndx */
	assert_int_equal(elf_fixture_compile_bytes(bytes.at, bytes.count, &table), 0);
	expect_unwind_name(&table, whole, "alpha");
	expect_unwind_name(&table, whole, "farther");
	elf_fixture_free(&table);
	free(bytes.at);
}

/* clang's linkers type the section SHT_X86_64_UNWIND: it is found by its name. */
static void test_entries_in_a_section_of_another_type_are_found(void **state)
{
	const char *whole = elf_fixture_build("typed", "-no-pie -fno-PIE");
	struct elf_bytes_copy bytes;
	struct flat_table table;

	(void)state;
	assert_true(elf_fixture_run("strip -o typed.stripped typed"));
	bytes = elf_fixture_read(elf_fixture_path("typed.stripped"));
	elf_fixture_section(&bytes, ".eh_frame")->sh_type = SHT_X86_64_UNWIND;
	assert_int_equal(elf_fixture_compile_bytes(bytes.at, bytes.count, &table), 0);
	expect_unwind_name(&table, whole, "alpha");
	elf_fixture_free(&table);
	free(bytes.at);
}

static void remove_segment(const struct elf_bytes_copy *bytes, uint32_t type)
{
	const Elf64_Ehdr *header = (const void *)bytes->at;
	Elf64_Phdr *segments = (void *)(bytes->at + header->e_phoff);

	for (int i = 0; i < header->e_phnum; i++)
		if (segments[i].p_type == type)
			segments[i].p_type = PT_NULL;
}

/* BOLT leaves the entries of the code that it did not move in a section of another name. */
static void test_entries_that_bolt_put_aside_are_read(void **state)
{
	const char *whole = elf_fixture_build("bolted", "-no-pie -fno-PIE");
	struct elf_bytes_copy bytes;
	struct flat_table table;

	(void)state;
	assert_true(elf_fixture_run("objcopy --strip-all --rename-section "
				    ".eh_frame=.bolt.org.eh_frame bolted bolted.stripped"));
	bytes = elf_fixture_read(elf_fixture_path("bolted.stripped"));
	remove_segment(&bytes, PT_GNU_EH_FRAME);
	assert_int_equal(elf_fixture_compile_bytes(bytes.at, bytes.count, &table), 0);
	expect_unwind_name(&table, whole, "alpha");
	elf_fixture_free(&table);
	free(bytes.at);
}

static void test_debug_frame_of_the_debug_file_is_read(void **state)
{
	const char *flags = "-no-pie -fno-PIE -g -fno-asynchronous-unwind-tables "
			    "-fno-unwind-tables -fno-exceptions -Wl,--build-id";
	const char *whole = elf_fixture_build("framed", flags);
	struct flat_table table;

	(void)state;
	assert_true(elf_fixture_run("objcopy --only-keep-debug framed framed.debug && "
				    "strip --remove-section=.symtab framed.debug; "
				    "objcopy --only-keep-debug --strip-symbol=beta framed "
				    "framed.debug && strip -o framed.stripped framed"));
	table = elf_fixture_compile(elf_fixture_path("framed.stripped"), NULL);
	elf_fixture_expect(&table, whole, "beta", 1, NULL);
	elf_fixture_free(&table);
	table = elf_fixture_compile(elf_fixture_path("framed.stripped"),
				    elf_fixture_path("framed.debug"));
	expect_unwind_name(&table, whole, "beta");
	elf_fixture_expect(&table, whole, "alpha", 1, "alpha");
	elf_fixture_free(&table);
}

/* A length of 0, which may end the entries and may lie in their middle. */
static void test_entries_after_a_terminator_are_read(void **state)
{
	const char *whole = elf_fixture_build("ended", "-no-pie -fno-PIE");
	struct elf_bytes_copy bytes;
	struct flat_table table;
	unsigned char *first_fde;
	uint32_t length;

	(void)state;
	assert_true(elf_fixture_run("strip -o ended.stripped ended"));
	bytes = elf_fixture_read(elf_fixture_path("ended.stripped"));
	first_fde = bytes.at + elf_fixture_section(&bytes, ".eh_frame")->sh_offset;
	memcpy(&length, first_fde, 4);	/* the CIE comes first */
	first_fde += 4 + length;
	memcpy(&length, first_fde, 4);
	assert_in_range(length, 12, 40);
	memset(first_fde, 0, 4 + length);
	assert_int_equal(elf_fixture_compile_bytes(bytes.at, bytes.count, &table), 0);
	expect_unwind_name(&table, whole, "alpha");
	elf_fixture_free(&table);
	free(bytes.at);
}

UNIT_TESTS(test_elf_unwind)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stripped_functions_are_named_by_their_address),
		cmocka_unit_test(test_ranges_are_those_of_readelf),
		cmocka_unit_test(test_ranges_in_a_file_of_lld_are_those_of_readelf),
		cmocka_unit_test(test_a_function_with_a_symbol_has_no_second_name),
		cmocka_unit_test(test_entries_are_found_without_section_headers),
		cmocka_unit_test(test_entries_in_a_section_of_another_type_are_found),
		cmocka_unit_test(test_entries_that_bolt_put_aside_are_read),
		cmocka_unit_test(test_debug_frame_of_the_debug_file_is_read),
		cmocka_unit_test(test_entries_after_a_terminator_are_read),
	};

	return cmocka_run_group_tests(tests, elf_fixture_make_directory,
				      elf_fixture_remove_directory);
}
