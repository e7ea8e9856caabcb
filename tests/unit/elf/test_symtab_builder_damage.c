/* Files of every kind that names come from, cut and with bytes changed: each becomes a table that
 * passes the check or is refused with a reason, and the sanitizers see nothing. What damage does to
 * a worker is in test_symtab_builder.c. */
#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "elf_fixture.h"
#include "random_numbers.h"
#include "unit_tests.h"

#define VARIANTS 600	/* per kind; the seed is fixed, so that a failure can be seen again */

struct kind {
	struct elf_bytes_copy main, debug;	/* debug.at NULL: none */
	struct elf_bytes_copy *damaged;	/* which of them */
};

/* Bytes that parsers stumble over, or any. */
static unsigned char random_byte(uint64_t *seed)
{
	static const unsigned char bytes[] = { 0, 1, 0x7f, 0x80, 0xff };
	uint32_t choice = random_below(seed, 8);

	return choice < sizeof(bytes) ? bytes[choice] : (unsigned char)random_next(seed);
}

/* The start and size of a random section's header or content; small ones as often as large ones. */
static size_t random_place(uint64_t *seed, const struct elf_bytes_copy *whole)
{
	const Elf64_Ehdr *header = (const void *)whole->at;
	const Elf64_Shdr *sections = (const void *)(whole->at + header->e_shoff);
	uint32_t index = random_below(seed, header->e_shnum);
	uint64_t size = sections[index].sh_type == SHT_NOBITS ? 0 : sections[index].sh_size;

	switch (random_below(seed, 4)) {
	case 0:
		return random_below(seed, 1024);
	case 1:
		return header->e_shoff + index * sizeof(*sections) +
		       random_below(seed, sizeof(*sections));
	default:
		return sections[index].sh_offset + (size ? random_below(seed, (uint32_t)size) : 0);
	}
}

/* @whole is a 64-bit file that is right. */
static void change_bytes(struct elf_bytes_copy *copy, const struct elf_bytes_copy *whole,
			 uint64_t *seed)
{
	uint32_t changes = 1 + random_below(seed, 8);

	memcpy(copy->at, whole->at, whole->count);
	copy->count = whole->count;
	for (uint32_t i = 0; i < changes; i++)
		copy->at[random_place(seed, whole) % whole->count] = random_byte(seed);
	if (random_below(seed, 8) == 0)
		copy->count = 1 + random_below(seed, (uint32_t)whole->count);
}

static void expect_harmless(struct kind *kind)
{
	struct elf_bytes_copy whole = *kind->damaged;
	unsigned char *copy = malloc(whole.count);
	uint64_t seed = 20261121;
	uint32_t tables = 0;

	kind->damaged->at = copy;
	for (int i = 0; i < VARIANTS; i++) {
		struct flat_table table;

		change_bytes(kind->damaged, &whole, &seed);
		if (elf_fixture_compile_pair(&kind->main, kind->debug.at ? &kind->debug : NULL,
					     &table))
			continue;
		tables++;
		elf_fixture_free(&table);
	}
	assert_in_range(tables, VARIANTS / 4, VARIANTS);	/* else little was looked at */
	free(copy);
	*kind->damaged = whole;
	free(kind->main.at);
	free(kind->debug.at);
}

static void test_programs_with_symbols_and_a_plt(void **state)
{
	struct kind kind = { .main = elf_fixture_read(elf_fixture_build("whole", "")) };

	(void)state;
	kind.damaged = &kind.main;
	expect_harmless(&kind);
}

static void test_stripped_libraries(void **state)
{
	struct kind kind = { .damaged = &kind.main };

	(void)state;
	elf_fixture_build("library", "-shared -fPIC -s");
	kind.main = elf_fixture_read(elf_fixture_path("library"));
	expect_harmless(&kind);
}

static void test_debug_files(void **state)
{
	struct kind kind = { .damaged = &kind.debug };

	(void)state;
	elf_fixture_build("split", "-g");
	assert_true(elf_fixture_run("objcopy --only-keep-debug --compress-debug-sections split "
				    "split.debug && strip split"));
	kind.main = elf_fixture_read(elf_fixture_path("split"));
	kind.debug = elf_fixture_read(elf_fixture_path("split.debug"));
	expect_harmless(&kind);
}

static void test_packed_symbols(void **state)
{
	struct kind kind = { .damaged = &kind.main };

	(void)state;
	elf_fixture_build("mini", "");
	assert_true(elf_fixture_run("objcopy --only-keep-debug mini inner && "
				    "xz <inner >inner.xz && "
				    "objcopy -S --add-section .gnu_debugdata=inner.xz mini"));
	kind.main = elf_fixture_read(elf_fixture_path("mini"));
	expect_harmless(&kind);
}

static void test_static_programs(void **state)
{
	struct kind kind = { .damaged = &kind.main };

	(void)state;
	kind.main = elf_fixture_read(elf_fixture_build("static", "-static -s"));
	expect_harmless(&kind);
}

/* 100,000 section headers that are each the whole file: what is read is bounded. */
static void test_sections_that_are_each_the_whole_file(void **state)
{
	const uint32_t count = 90000;
	struct elf_bytes_copy whole = elf_fixture_read(elf_fixture_build("many", ""));
	size_t at = (whole.count + 63) & ~(size_t)63;
	struct elf_bytes_copy grown = { calloc(1, at + count * sizeof(Elf64_Shdr)),
					at + count * sizeof(Elf64_Shdr) };
	Elf64_Ehdr *header = (void *)grown.at;
	Elf64_Shdr *sections = (void *)(grown.at + at);
	struct flat_table table;

	(void)state;
	memcpy(grown.at, whole.at, whole.count);
	memcpy(sections, whole.at + header->e_shoff, header->e_shnum * sizeof(*sections));
	for (uint32_t i = header->e_shnum; i < count; i++)
		sections[i] = (Elf64_Shdr){ .sh_type = SHT_RELA, .sh_flags = SHF_ALLOC,
					    .sh_size = grown.count };
	sections[0].sh_size = count;	/* the gABI's way when there are too many for e_shnum */
	header->e_shnum = 0;
	header->e_shoff = at;
	assert_int_equal(elf_fixture_compile_bytes(grown.at, grown.count, &table), 0);
	assert_int_not_equal(elf_fixture_find(&table, "beta"), FLAT_NONE);
	elf_fixture_free(&table);
	free(grown.at);
	free(whole.at);
}

UNIT_TESTS(test_symtab_builder_damage)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_programs_with_symbols_and_a_plt),
		cmocka_unit_test(test_stripped_libraries),
		cmocka_unit_test(test_debug_files),
		cmocka_unit_test(test_packed_symbols),
		cmocka_unit_test(test_static_programs),
		cmocka_unit_test(test_sections_that_are_each_the_whole_file),
	};

	return cmocka_run_group_tests(tests, elf_fixture_make_directory,
				      elf_fixture_remove_directory);
}
