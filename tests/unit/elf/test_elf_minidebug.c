/* .gnu_debugdata, made with objcopy(1) and xz(1) as Fedora's packages make it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "elf_fixture.h"
#include "unit_tests.h"

/* Builds @name, and "@name.mini": stripped, with the symbols packed inside. */
static const char *build_mini(const char *name)
{
	const char *whole = elf_fixture_build(name, "-rdynamic");

	assert_true(elf_fixture_run("objcopy --only-keep-debug %s debug && "
				    "objcopy -S --remove-section=.comment --keep-symbol=beta debug "
				    "inner && xz <inner >symbols.xz && objcopy --strip-all "
				    "--add-section .gnu_debugdata=symbols.xz %s %s.mini",
				    name, name, name));
	return whole;
}

static void test_packed_symbols_and_dynamic_ones_name_together(void **state)
{
	const char *whole = build_mini("packed");
	struct flat_table table = elf_fixture_compile(elf_fixture_path("packed.mini"), NULL);

	(void)state;
	assert_int_equal(elf_fixture_expect(&table, whole, "beta", 1, "beta"), FLAT_SYMBOL);
	elf_fixture_expect(&table, whole, "farther", 1, "farther");
	assert_int_equal(table.header->has_symtab, 0);
	elf_fixture_free(&table);
}

/* @make: a command that writes "packed"; a file with that still has its dynamic names. */
static void expect_gone_on_without(const char *make)
{
	const char *whole = elf_fixture_path("bad");
	struct flat_table table;

	assert_true(elf_fixture_run("%s && objcopy --strip-all --add-section "
				    ".gnu_debugdata=symbols.xz bad bad.mini", make));
	table = elf_fixture_compile(elf_fixture_path("bad.mini"), NULL);
	assert_int_equal(elf_fixture_find(&table, "beta"), FLAT_NONE);
	elf_fixture_expect(&table, whole, "farther", 1, "farther");
	elf_fixture_free(&table);
}

static void test_packed_bytes_that_are_no_symbols_are_gone_on_without(void **state)
{
	(void)state;
	build_mini("bad");
	expect_gone_on_without("truncate -s -20 symbols.xz");
	expect_gone_on_without("echo no xz >symbols.xz");
	expect_gone_on_without("echo no ELF | xz >symbols.xz");
	expect_gone_on_without(": >empty && xz <empty >symbols.xz");
	expect_gone_on_without("xz <inner | head -c 300 >symbols.xz");
}

/* The real symbols, and after them 65 MiB of zeros, which pack to 10 KiB. */
static void test_what_unpacks_to_more_than_64_mib_is_gone_on_without(void **state)
{
	(void)state;
	build_mini("bad");
	expect_gone_on_without("truncate -s 65M inner && xz -0 <inner >symbols.xz");
}

static void test_what_needs_more_than_128_mib_to_unpack_is_gone_on_without(void **state)
{
	(void)state;
	build_mini("bad");
	expect_gone_on_without("xz --lzma2=dict=256MiB <inner >symbols.xz");
}

UNIT_TESTS(test_elf_minidebug)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_packed_symbols_and_dynamic_ones_name_together),
		cmocka_unit_test(test_packed_bytes_that_are_no_symbols_are_gone_on_without),
		cmocka_unit_test(test_what_unpacks_to_more_than_64_mib_is_gone_on_without),
		cmocka_unit_test(test_what_needs_more_than_128_mib_to_unpack_is_gone_on_without),
	};

	return cmocka_run_group_tests(tests, elf_fixture_make_directory,
				      elf_fixture_remove_directory);
}
