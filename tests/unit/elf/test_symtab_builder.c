/* The symbolizer against nm(1) and readelf(1): every function they list must be in the table,
 * at the file offset that the program headers give, under one of the names of its address. Damaged
 * files go through the sandbox, whose worker must refuse them and not die. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "elf/file_jobs.h"
#include "elf_fixture.h"
#include "sandbox/sandbox.h"
#include "unit_tests.h"

/* The names of one address, as nm lists them one after the other (-n). */
struct group {
	uint64_t vaddr;
	bool has_match, is_sized;
	char shown[1024];
};

static void end_group(const struct group *group)
{
	if (group->shown[0] && !group->has_match)
		fail_msg("%s at %" PRIx64 " is none of nm's names", group->shown, group->vaddr);
}

/* The row that must be there for a sized symbol; "" where the symbol has no place in the file. */
static void begin_group(struct group *group, const struct flat_table *table,
			const struct elf_loads *loads, const struct elf_listed *listed)
{
	uint64_t offset = 0;
	uint32_t row;

	*group = (struct group){ .vaddr = listed->vaddr };
	if (!listed->size || !elf_fixture_to_offset(loads, listed->vaddr, &offset))
		return;
	row = flat_table_find(table, offset);
	if (row == FLAT_NONE || table->rows[row].start != offset)
		fail_msg("%s at %" PRIx64 " is missing", listed->name, offset);
	snprintf(group->shown, sizeof(group->shown), "%s", flat_table_name(table, row));
}

static size_t compare_with_nm(const char *path, const char *flags)
{
	struct elf_loads loads = elf_fixture_loads(path);
	struct flat_table table = elf_fixture_compile(path, NULL);
	struct group group = { .vaddr = UINT64_MAX };
	FILE *nm = elf_fixture_start_nm(path, flags);
	char line[2048];
	size_t compared = 0;

	while (fgets(line, sizeof(line), nm)) {
		struct elf_listed listed;

		if (!elf_fixture_read_listed(line, &listed))
			continue;
		if (listed.vaddr != group.vaddr || (listed.size && !group.shown[0])) {
			end_group(&group);
			begin_group(&group, &table, &loads, &listed);
			compared += group.shown[0] != '\0';
		}
		group.has_match |= strcmp(group.shown, listed.name) == 0;
	}
	end_group(&group);
	pclose(nm);
	elf_fixture_free(&table);
	return compared;
}

static void test_a_position_independent_program_agrees_with_nm(void **state)
{
	(void)state;
	assert_in_range(compare_with_nm(elf_fixture_build("pie", "-pie -fPIE"), ""), 5, 50);
}

static void test_a_program_at_a_fixed_address_agrees_with_nm(void **state)
{
	(void)state;
	assert_in_range(compare_with_nm(elf_fixture_build("fixed", "-no-pie -fno-PIE"), ""), 5, 50);
}

static void test_two_executable_segments_are_each_translated_by_their_own(void **state)
{
	const char *path = elf_fixture_build(
		"two", "-no-pie -fno-PIE -Wl,--section-start=.far=0x7654000");
	struct elf_loads loads = elf_fixture_loads(path);
	struct flat_table table = elf_fixture_compile(path, NULL);

	(void)state;
	assert_int_equal(loads.count, 2);
	assert_int_not_equal(loads.rows[0].vaddr - loads.rows[0].offset,
			     loads.rows[1].vaddr - loads.rows[1].offset);
	assert_in_range(compare_with_nm(path, ""), 5, 50);
	elf_fixture_expect(&table, path, "far_away", 1, "far_away");
	elf_fixture_expect(&table, path, "alpha", 1, "alpha");
	elf_fixture_free(&table);
}

static void test_segments_of_lld_agree_with_nm(void **state)
{
	const char *path = elf_fixture_build("lld", "-fuse-ld=lld");
	struct elf_loads loads = elf_fixture_loads(path);

	(void)state;
	assert_int_not_equal(loads.rows[0].vaddr, loads.rows[0].offset);
	assert_in_range(compare_with_nm(path, ""), 5, 50);
}

static void test_a_static_program_agrees_with_nm(void **state)
{
	(void)state;
	assert_in_range(compare_with_nm(elf_fixture_build("static", "-static"), ""), 500, 10000);
}

static void test_a_static_program_that_is_position_independent_agrees_with_nm(void **state)
{
	(void)state;
	assert_in_range(compare_with_nm(elf_fixture_build("static_pie", "-static-pie"), ""), 500,
			10000);
}

static void test_a_program_with_another_c_library_agrees_with_nm(void **state)
{
	(void)state;
	if (!elf_fixture_run("musl-gcc -O1 -static -o musl source.c"))
		skip();
	assert_in_range(compare_with_nm(elf_fixture_path("musl"), ""), 20, 10000);
}

static void test_a_32_bit_program_agrees_with_nm(void **state)
{
	const char *path = elf_fixture_path("narrow");
	struct flat_table table;
	char wanted[32];

	(void)state;
	if (!elf_fixture_run(X86_TOOLS "gcc -m32 -O1 -nostdlib -Wl,-e,main -o narrow source.c"))
		skip();
	table = elf_fixture_compile(path, NULL);
	assert_in_range(compare_with_nm(path, ""), 5, 50);
	elf_fixture_free(&table);
	assert_true(elf_fixture_run(X86_TOOLS "strip -o narrow.stripped narrow"));
	table = elf_fixture_compile(elf_fixture_path("narrow.stripped"), NULL);
	snprintf(wanted, sizeof(wanted), "fn_%" PRIx64, elf_fixture_vaddr(path, "beta"));
	assert_int_equal(elf_fixture_expect(&table, path, "beta", 1, wanted), FLAT_UNWIND);
	elf_fixture_free(&table);
}

static void test_a_stripped_library_agrees_with_its_dynamic_symbols(void **state)
{
	const char *path = elf_fixture_build("lib.so", "-shared -fPIC -s");

	(void)state;
	assert_in_range(compare_with_nm(path, "-D"), 4, 50);
}

static void test_a_global_alias_is_shown_instead_of_a_weak_one(void **state)
{
	const char *path = elf_fixture_build("alias", "");
	struct flat_table table = elf_fixture_compile(path, NULL);

	(void)state;
	elf_fixture_expect(&table, path, "gamma_weak", 0, "delta");
	elf_fixture_free(&table);
}

static void test_a_sizeless_symbol_is_named_up_to_the_next_one(void **state)
{
	const char *path = elf_fixture_build("sizeless", "");
	struct flat_table table = elf_fixture_compile(path, NULL);

	(void)state;
	elf_fixture_expect(&table, path, "sizeless", 0, "sizeless");
	elf_fixture_expect(&table, path, "sizeless", 2, "sizeless");
	elf_fixture_free(&table);
}

/* "text_end" lies where .after begins, whose first 64 bytes nobody names. */
static void test_the_mark_at_a_sections_end_does_not_name_what_follows(void **state)
{
	static const char source[] =
		".text\n.globl _start\n_start: .skip 64, 0x90\n.globl text_end\ntext_end:\n"
		".section .after, \"ax\", @progbits\n.skip 64, 0x90\n"
		".globl named\n.type named, @function\nnamed: .skip 16, 0x90\n"
		".size named, . - named\n";
	const char *path = elf_fixture_path("end_mark");
	struct flat_table table;

	(void)state;
	elf_fixture_write("end_mark.s", source, strlen(source));
	assert_true(elf_fixture_run("cc -nostdlib -no-pie -o end_mark end_mark.s"));
	table = elf_fixture_compile(path, NULL);
	elf_fixture_expect(&table, path, "_start", 63, "_start");
	elf_fixture_expect(&table, path, "text_end", 0, NULL);
	elf_fixture_expect(&table, path, "text_end", 63, NULL);
	elf_fixture_expect(&table, path, "named", 0, "named");
	elf_fixture_free(&table);
}

static void test_data_and_undefined_symbols_are_no_rows(void **state)
{
	struct flat_table table = elf_fixture_compile(elf_fixture_build("data", ""), NULL);

	(void)state;
	for (uint32_t i = 0; i < table.header->row_count; i++) {
		assert_string_not_equal(flat_table_name(&table, i), "variable");
		if (table.rows[i].kind == FLAT_SYMBOL)
			assert_null(strchr(flat_table_name(&table, i), '@'));
	}
	elf_fixture_free(&table);
}

static void test_the_build_id_is_the_one_that_the_linker_was_given(void **state)
{
	static const uint8_t wanted[] = { 0x01, 0x23, 0xab, 0xcd, 0xef };
	const char *identified = elf_fixture_build("with", "-Wl,--build-id=0x0123abcdef");
	const char *anonymous = elf_fixture_build("without", "-Wl,--build-id=none");
	struct flat_table with = elf_fixture_compile(identified, NULL);
	struct flat_table without = elf_fixture_compile(anonymous, NULL);

	(void)state;
	assert_int_equal(with.header->build_id.count, sizeof(wanted));
	assert_memory_equal(with.header->build_id.bytes, wanted, sizeof(wanted));
	assert_int_equal(without.header->build_id.count, 0);
	elf_fixture_free(&with);
	elf_fixture_free(&without);
}

static void test_the_c_library_agrees_with_nm(void **state)
{
	Dl_info where;

	(void)state;
	assert_int_not_equal(dladdr(dlsym(RTLD_DEFAULT, "getopt_long"), &where), 0);
	assert_in_range(compare_with_nm(where.dli_fname, "-D"), 1000, 100000);
}

static void test_this_program_agrees_with_nm(void **state)
{
	char path[4096] = "";

	(void)state;
	assert_in_range(readlink("/proc/self/exe", path, sizeof(path) - 1), 1, sizeof(path) - 1);
	assert_in_range(compare_with_nm(path, ""), 10, 100000);
}

/* A worker that died would be -EPIPE: a parser must not be so weak. */
static int compile_damaged(struct sandbox *sandbox, const unsigned char *at, size_t count)
{
	struct sandbox_table table;
	struct diag why = { .err = 0 };
	int fd = memfd_create("damaged", MFD_CLOEXEC), err;

	assert_int_equal(write(fd, at, count), count);
	err = sandbox_compile(sandbox, fd, -1, &table, &why);
	if (err && err != -ENOEXEC && err != -EBADMSG && err != -E2BIG && err != -ENOMEM)
		fail_msg("%d: %s", err, why.text);
	sandbox_table_finish(&table);
	close(fd);
	return err;
}

static void test_a_file_cut_before_its_symbols_end_is_refused(void **state)
{
	const char *path = elf_fixture_build("cut", "-Wl,--build-id=none");
	struct elf_bytes_copy whole = elf_fixture_read(path);
	struct sandbox *sandbox;

	(void)state;
	assert_int_equal(sandbox_start(&sandbox, worker_run, NULL), 0);
	assert_int_equal(compile_damaged(sandbox, whole.at, whole.count), 0);
	/* Section headers come last: without one of them nothing is whole. */
	for (size_t count = 0; count < whole.count; count += 1 + whole.count / 200)
		assert_int_not_equal(compile_damaged(sandbox, whole.at, count), 0);
	assert_int_not_equal(compile_damaged(sandbox, whole.at, whole.count - 1), 0);
	sandbox_stop(sandbox);
	free(whole.at);
}

/* Numerical Recipes' generator: fixed, so that a failure can be seen again. */
static uint32_t next_random(uint32_t *random)
{
	*random = *random * 1664525u + 1013904223u;
	return *random >> 8;
}

/* Where a flip does most: the ELF and program headers, the section headers, and anywhere. */
static size_t random_place(uint32_t *random, size_t count)
{
	switch (next_random(random) % 3) {
	case 0:
		return next_random(random) % 1024;
	case 1:
		return count - 1 - next_random(random) % 2048;
	default:
		return next_random(random) % count;
	}
}

static void test_two_thousand_damaged_files_never_end_a_worker(void **state)
{
	struct elf_bytes_copy whole = elf_fixture_read(elf_fixture_build("flip", ""));
	unsigned char *copy = malloc(whole.count);
	struct sandbox *sandbox;
	uint32_t random = 1;

	(void)state;
	assert_int_equal(sandbox_start(&sandbox, worker_run, NULL), 0);
	for (int file = 0; file < 2000; file++) {
		memcpy(copy, whole.at, whole.count);
		for (int flips = 0; flips <= file % 8; flips++)
			copy[random_place(&random, whole.count)] =
				(unsigned char)next_random(&random);
		compile_damaged(sandbox, copy, whole.count);
	}
	sandbox_stop(sandbox);
	free(copy);
	free(whole.at);
}

UNIT_TESTS(test_symtab_builder)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_position_independent_program_agrees_with_nm),
		cmocka_unit_test(test_a_program_at_a_fixed_address_agrees_with_nm),
		cmocka_unit_test(test_two_executable_segments_are_each_translated_by_their_own),
		cmocka_unit_test(test_segments_of_lld_agree_with_nm),
		cmocka_unit_test(test_a_static_program_agrees_with_nm),
		cmocka_unit_test(
			test_a_static_program_that_is_position_independent_agrees_with_nm),
		cmocka_unit_test(test_a_program_with_another_c_library_agrees_with_nm),
		cmocka_unit_test(test_a_32_bit_program_agrees_with_nm),
		cmocka_unit_test(test_a_stripped_library_agrees_with_its_dynamic_symbols),
		cmocka_unit_test(test_a_global_alias_is_shown_instead_of_a_weak_one),
		cmocka_unit_test(test_a_sizeless_symbol_is_named_up_to_the_next_one),
		cmocka_unit_test(test_the_mark_at_a_sections_end_does_not_name_what_follows),
		cmocka_unit_test(test_data_and_undefined_symbols_are_no_rows),
		cmocka_unit_test(test_the_build_id_is_the_one_that_the_linker_was_given),
		cmocka_unit_test(test_the_c_library_agrees_with_nm),
		cmocka_unit_test(test_this_program_agrees_with_nm),
		cmocka_unit_test(test_a_file_cut_before_its_symbols_end_is_refused),
		cmocka_unit_test(test_two_thousand_damaged_files_never_end_a_worker),
	};

	return cmocka_run_group_tests(tests, elf_fixture_make_directory,
				      elf_fixture_remove_directory);
}
