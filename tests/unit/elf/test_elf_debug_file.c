/* Debug files, as objcopy(1) makes them: their symbols name the stripped file, if it is theirs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "elf_fixture.h"
#include "unit_tests.h"

/* Builds @name with symbols, and from it "@name.debug" and "@name.stripped", which links to it. */
static const char *build_split(const char *name, const char *flags)
{
	const char *whole = elf_fixture_build(name, flags);

	assert_true(elf_fixture_run("objcopy --only-keep-debug %s %s.debug && objcopy --strip-all "
				    "--add-gnu-debuglink=%s.debug %s %s.stripped",
				    name, name, name, name, name));
	return whole;
}

static void test_a_debug_file_names_what_was_stripped(void **state)
{
	const char *whole = build_split("split", "-pie -fPIE");
	struct flat_table without, with;

	(void)state;
	without = elf_fixture_compile(elf_fixture_path("split.stripped"), NULL);
	assert_int_equal(elf_fixture_find(&without, "beta"), FLAT_NONE);
	assert_int_equal(without.header->has_symtab, 0);
	with = elf_fixture_compile(elf_fixture_path("split.stripped"),
				   elf_fixture_path("split.debug"));
	assert_int_equal(elf_fixture_expect(&with, whole, "beta", 1, "beta"), FLAT_SYMBOL);
	elf_fixture_expect(&with, whole, "far_away", 1, "far_away");
	assert_int_equal(with.header->has_symtab, 1);
	assert_true(build_id_is_equal(&with.header->build_id, &without.header->build_id));
	elf_fixture_free(&with);
	elf_fixture_free(&without);
}

/* The debug file's program headers say nothing of where bytes lie in the file that runs. */
static void test_places_come_from_the_stripped_file_alone(void **state)
{
	const char *whole = build_split(
		"far", "-no-pie -fno-PIE -Wl,--section-start=.far=0x7654000");
	struct flat_table table, without_segments;

	(void)state;
	table = elf_fixture_compile(elf_fixture_path("far.stripped"),
				    elf_fixture_path("far.debug"));
	elf_fixture_expect(&table, whole, "far_away", 1, "far_away");
	elf_fixture_expect(&table, whole, "alpha", 1, "alpha");
	elf_fixture_free(&table);
	/* e_phoff, e_phnum: of the debug file they may be anything. */
	assert_true(elf_fixture_run("printf '\\001' | dd of=far.debug bs=1 seek=33 conv=notrunc && "
				    "printf '\\0\\0' | dd of=far.debug bs=1 seek=56 conv=notrunc"));
	without_segments = elf_fixture_compile(elf_fixture_path("far.stripped"),
					       elf_fixture_path("far.debug"));
	elf_fixture_expect(&without_segments, whole, "far_away", 1, "far_away");
	elf_fixture_free(&without_segments);
}

static void test_the_debug_file_of_another_build_is_refused(void **state)
{
	struct flat_table table;

	(void)state;
	build_split("one", "-Wl,--build-id=0x11111111");
	build_split("two", "-Wl,--build-id=0x22222222");
	table = elf_fixture_compile(elf_fixture_path("one.stripped"),
				    elf_fixture_path("two.debug"));
	assert_int_equal(elf_fixture_find(&table, "beta"), FLAT_NONE);
	assert_int_equal(table.header->has_symtab, 0);
	elf_fixture_free(&table);
}

static void test_without_a_build_id_the_crc_of_the_debug_link_decides(void **state)
{
	const char *whole = build_split("crc", "-Wl,--build-id=none");
	struct flat_table table;

	(void)state;
	table = elf_fixture_compile(elf_fixture_path("crc.stripped"),
				    elf_fixture_path("crc.debug"));
	elf_fixture_expect(&table, whole, "beta", 1, "beta");
	elf_fixture_free(&table);
	assert_true(elf_fixture_run("printf x >> crc.debug"));
	table = elf_fixture_compile(elf_fixture_path("crc.stripped"),
				    elf_fixture_path("crc.debug"));
	assert_int_equal(elf_fixture_find(&table, "beta"), FLAT_NONE);
	elf_fixture_free(&table);
}

static void test_a_damaged_debug_file_is_gone_on_without(void **state)
{
	struct elf_bytes_copy bytes;
	struct flat_table table;

	(void)state;
	build_split("cut", "");
	bytes = elf_fixture_read(elf_fixture_path("cut.debug"));
	elf_fixture_section(&bytes, ".symtab")->sh_offset = bytes.count;
	elf_fixture_write("bad.debug", bytes.at, bytes.count);
	free(bytes.at);
	table = elf_fixture_compile(elf_fixture_path("cut.stripped"),
				    elf_fixture_path("bad.debug"));
	assert_int_equal(elf_fixture_find(&table, "beta"), FLAT_NONE);
	elf_fixture_free(&table);
	assert_true(elf_fixture_run("truncate -s -1 cut.debug"));
	table = elf_fixture_compile(elf_fixture_path("cut.stripped"),
				    elf_fixture_path("cut.debug"));
	assert_int_equal(elf_fixture_find(&table, "beta"), FLAT_NONE);
	assert_int_not_equal(table.header->row_count, 0);
	elf_fixture_free(&table);
}

static void test_symbols_of_a_compressed_section_are_read(void **state)
{
	const char *whole = build_split("packed", "");
	struct flat_table table;

	(void)state;
	if (!elf_fixture_run("eu-elfcompress --force --name .symtab --name .strtab packed.debug"))
		skip();
	assert_true(elf_fixture_run("readelf -SW packed.debug | grep -q '[.]symtab .* C '"));
	table = elf_fixture_compile(elf_fixture_path("packed.stripped"),
				    elf_fixture_path("packed.debug"));
	elf_fixture_expect(&table, whole, "beta", 1, "beta");
	elf_fixture_free(&table);
}

/* gdb's manual, "Debugging Information in Separate Files": the name, then the file's CRC-32. */
static void test_the_header_says_which_debug_file_the_dso_links_to(void **state)
{
	struct flat_table table;
	struct elf_bytes_copy debug;
	uint32_t crc = UINT32_MAX;

	(void)state;
	build_split("link", "");
	table = elf_fixture_compile(elf_fixture_path("link.stripped"), NULL);
	assert_string_equal(table.header->debug_link, "link.debug");
	debug = elf_fixture_read(elf_fixture_path("link.debug"));
	for (size_t bit = 0; bit < 8 * debug.count; bit++) {
		uint32_t differs = (crc ^ (uint32_t)debug.at[bit / 8] >> bit % 8) & 1;

		crc = crc >> 1 ^ (differs ? 0xedb88320u : 0);
	}
	assert_int_equal(table.header->debug_link_crc, ~crc);
	free(debug.at);
	elf_fixture_free(&table);
}

static void test_a_debug_link_too_long_for_the_header_is_left_out(void **state)
{
	char name[100];
	struct flat_table table;

	(void)state;
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	elf_fixture_build("long", "");
	assert_true(elf_fixture_run("cp long %s && objcopy --strip-all --add-gnu-debuglink=%s long "
				    "long.stripped", name, name));
	table = elf_fixture_compile(elf_fixture_path("long.stripped"), NULL);
	assert_string_equal(table.header->debug_link, "");
	assert_int_equal(table.header->debug_link_crc, 0);
	elf_fixture_free(&table);
}

UNIT_TESTS(test_elf_debug_file)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_debug_file_names_what_was_stripped),
		cmocka_unit_test(test_places_come_from_the_stripped_file_alone),
		cmocka_unit_test(test_the_debug_file_of_another_build_is_refused),
		cmocka_unit_test(test_without_a_build_id_the_crc_of_the_debug_link_decides),
		cmocka_unit_test(test_a_damaged_debug_file_is_gone_on_without),
		cmocka_unit_test(test_symbols_of_a_compressed_section_are_read),
		cmocka_unit_test(test_the_header_says_which_debug_file_the_dso_links_to),
		cmocka_unit_test(test_a_debug_link_too_long_for_the_header_is_left_out),
	};

	return cmocka_run_group_tests(tests, elf_fixture_make_directory,
				      elf_fixture_remove_directory);
}
