/* Tables of Go's runtime, written here byte by byte in each of their layouts, inside of an ELF file
 * that is nothing but code. Go's src/debug/gosym/pclntab.go is the truth. */
#include <elf.h>
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

#define TEXT	   0x401000u	/* in the file that build_program() makes */
#define CODE_BYTES 0x300
#define NAMES	   "main.main\0main.(*shape).area"

struct table {
	unsigned char bytes[512];
	size_t count;
};

static void put(struct table *table, uint64_t number, size_t bytes)
{
	memcpy(table->bytes + table->count, &number, bytes);
	table->count += bytes;
}

/* Bytes of the shortest instruction of the machine that the tables are for. */
static uint64_t quantum = 1;

static void put_header(struct table *table, uint32_t magic, uint64_t functions)
{
	put(table, magic, 4);
	put(table, 0, 2);
	put(table, quantum, 1);
	put(table, 8, 1);
	put(table, functions, 8);
}

static void put_names(struct table *table)
{
	memcpy(table->bytes + table->count, NAMES, sizeof(NAMES));
	table->count += sizeof(NAMES);
}

/* | header 8, functions 8 | pc 8, function 8 | ... | pc, name 4 | pc, name | names | */
static struct table make_1_2(void)
{
	struct table table = { .count = 0 };
	uint64_t functions = 16 + 5 * 8, names = functions + 2 * 12;

	put_header(&table, 0xfffffffb, 2);
	put(&table, TEXT + 0x10, 8);
	put(&table, functions, 8);
	put(&table, TEXT + 0x40, 8);
	put(&table, functions + 12, 8);
	put(&table, TEXT + 0x100, 8);
	put(&table, TEXT + 0x10, 8);
	put(&table, names, 4);
	put(&table, TEXT + 0x40, 8);
	put(&table, names + 10, 4);
	put_names(&table);
	return table;
}

/* | header 8 | 7 words | names | pairs | functions |, each part by an offset in the words */
static struct table make_1_16(void)
{
	struct table table = { .count = 0 };
	uint64_t names = 8 + 7 * 8, pairs = names + sizeof(NAMES);

	put_header(&table, 0xfffffffa, 2);
	put(&table, 1, 8);
	put(&table, names, 8);
	put(&table, 0, 8);
	put(&table, 0, 8);
	put(&table, 0, 8);
	put(&table, pairs, 8);
	put_names(&table);
	put(&table, TEXT + 0x10, 8);
	put(&table, 40, 8);
	put(&table, TEXT + 0x40, 8);
	put(&table, 52, 8);
	put(&table, TEXT + 0x100, 8);
	put(&table, TEXT + 0x10, 8);
	put(&table, 0, 4);
	put(&table, TEXT + 0x40, 8);
	put(&table, 10, 4);
	return table;
}

/* The same with the start of the text as third word, and pcs in 4 bytes, less that start; @base is
 * added to them. */
static struct table make_1_18_at(uint32_t magic, uint64_t text, uint64_t base)
{
	struct table table = { .count = 0 };
	uint64_t names = 8 + 8 * 8, pairs = names + sizeof(NAMES);

	put_header(&table, magic, 2);
	put(&table, 1, 8);
	put(&table, text, 8);
	put(&table, names, 8);
	put(&table, 0, 8);
	put(&table, 0, 8);
	put(&table, 0, 8);
	put(&table, pairs, 8);
	put_names(&table);
	put(&table, base + 0x10, 4);
	put(&table, 20, 4);
	put(&table, base + 0x40, 4);
	put(&table, 28, 4);
	put(&table, base + 0x100, 4);
	put(&table, base + 0x10, 4);
	put(&table, 0, 4);
	put(&table, base + 0x40, 4);
	put(&table, 10, 4);
	return table;
}

static struct table make_1_18(uint32_t magic, uint64_t text)
{
	return make_1_18_at(magic, text, 0);
}

/* A stripped program with .gopclntab and, if @text is not NULL, a .go.module whose word 22 is that:
 * a number or a symbol. */
static struct flat_table compile(const struct table *table, const char *text, const char *flags)
{
	elf_fixture_write("table", table->bytes, table->count);
	assert_true(elf_fixture_run(
		"printf '.globl _start\n.text\n_start: .fill 0x%x, 1, 0x90\n"
		".section .gopclntab,\"a\"\n.incbin \"table\"\n"
		".section %s,\"aw\"\n.fill 22, 8, 0x999999\n.quad %s, 0x999999\n' >go.s && "
		"cc -nostdlib %s -Wl,-Ttext=0x%x,--build-id=none -s -o go go.s",
		CODE_BYTES, text ? ".go.module" : ".other", text ? text : "0", flags, TEXT));
	return elf_fixture_compile(elf_fixture_path("go"), NULL);
}

static const char *name_at(const struct flat_table *table, uint64_t vaddr)
{
	struct elf_loads loads = elf_fixture_loads(elf_fixture_path("go"));
	uint64_t offset = 0;
	uint32_t row;

	assert_true(elf_fixture_to_offset(&loads, vaddr, &offset));
	row = flat_table_find(table, offset);
	return row == FLAT_NONE ? "-" : flat_table_name(table, row);
}

static void expect_names(const struct table *bytes, const char *text, const char *flags)
{
	struct flat_table table = compile(bytes, text, flags);

	assert_string_equal(name_at(&table, TEXT + 0xf), "-");
	assert_string_equal(name_at(&table, TEXT + 0x10), "main.main");
	assert_string_equal(name_at(&table, TEXT + 0x3f), "main.main");
	assert_string_equal(name_at(&table, TEXT + 0x40), "main.(*shape).area");
	assert_string_equal(name_at(&table, TEXT + 0xff), "main.(*shape).area");
	assert_string_equal(name_at(&table, TEXT + 0x100), "-");
	assert_int_equal(table.header->row_count, 2);
	elf_fixture_free(&table);
}

static void test_the_layout_of_1_2_is_read(void **state)
{
	struct table table = make_1_2();

	(void)state;
	expect_names(&table, NULL, "-static");
}

static void test_the_layout_of_1_16_is_read(void **state)
{
	struct table table = make_1_16();

	(void)state;
	expect_names(&table, NULL, "-static");
}

static void test_the_layout_of_1_18_is_read(void **state)
{
	struct table table = make_1_18(0xfffffff0, TEXT);

	(void)state;
	expect_names(&table, NULL, "-static");
}

static void test_the_layout_of_1_20_is_read(void **state)
{
	struct table table = make_1_18(0xfffffff1, TEXT);

	(void)state;
	expect_names(&table, NULL, "-static");
}

static void test_since_1_26_the_module_says_where_the_text_is(void **state)
{
	struct table table = make_1_18(0xfffffff1, 0);

	(void)state;
	expect_names(&table, "0x401000", "-static");
}

/* Makes the program, of whatever machine, one of @machine whose relocations are of @type. */
static void make_of_machine(const struct elf_bytes_copy *program, uint16_t machine, uint32_t type)
{
	const Elf64_Shdr *section = elf_fixture_section(program, ".rela.dyn");
	Elf64_Rela *relocations = (void *)(program->at + section->sh_offset);

	((Elf64_Ehdr *)(void *)program->at)->e_machine = machine;
	for (size_t i = 0; i < section->sh_size / sizeof(*relocations); i++)
		relocations[i].r_info = ELF64_R_INFO(0, type);
}

/* The module may hold 0, and a relocation the address. */
static void test_in_a_position_independent_program_a_relocation_says_it(void **state)
{
	struct table bytes = make_1_18(0xfffffff1, 0);
	struct flat_table table = compile(&bytes, "_start", "-pie");
	struct elf_bytes_copy program = elf_fixture_read(elf_fixture_path("go"));
	const Elf64_Shdr *module = elf_fixture_section(&program, ".go.module");
	static const struct {
		uint16_t machine;
		uint32_t type, rows;
	} kinds[] = {
		{ EM_X86_64, R_X86_64_RELATIVE, 2 }, { EM_X86_64, R_AARCH64_RELATIVE, 0 },
		{ EM_AARCH64, R_AARCH64_RELATIVE, 2 }, { EM_AARCH64, R_X86_64_RELATIVE, 0 },
	};

	(void)state;
	elf_fixture_free(&table);
	memset(program.at + module->sh_offset + 22 * 8, 0, 8);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		make_of_machine(&program, kinds[i].machine, kinds[i].type);
		assert_int_equal(elf_fixture_compile_bytes(program.at, program.count, &table), 0);
		assert_int_equal(table.header->row_count, kinds[i].rows);
		if (kinds[i].rows)
			assert_string_equal(name_at(&table, TEXT + 0x10), "main.main");
		elf_fixture_free(&table);
	}
	free(program.at);
}

/* Frame sizes 0, 24 and 0 for 4, 32 and 12 bytes of code, which are counted in quanta; the size
 * before is -1, and a change has its sign in bit 0. They begin at offset 1: 0 is the offset of
 * none. */
#define SIZES_BYTES 8
static const unsigned char sizes_of_1[SIZES_BYTES] = { 0, 0x02, 4, 0x30, 32, 0x2f, 12, 0 };
static const unsigned char sizes_of_4[SIZES_BYTES] = { 0, 0x02, 1, 0x30, 8, 0x2f, 3, 0 };

/* Four functions with these sizes: usual, outermost, one that sets sp, one without. */
static const struct sized {
	uint64_t pc;
	unsigned int sizes_at, flags;
} sized[] = { { 0x10, 1, 0 }, { 0x40, 1, 1 }, { 0x60, 1, 2 }, { 0x80, 0, 0 } };
#define SIZED 4u

/* | pc | name 4 | 8 bytes | sizes 4 | 16 | 4 since 1.20 | id 1 | flags 1 | 2 | */
static void put_sized(struct table *table, uint32_t magic, uint64_t base, unsigned int pc_bytes,
		      const struct sized *function, uint64_t sizes_from)
{
	put(table, base + function->pc, pc_bytes);
	put(table, 0, 4);
	put(table, 0, 8);
	put(table, function->sizes_at ? function->sizes_at + sizes_from : 0, 4);
	put(table, 0, 8);
	put(table, 0, 8);
	if (magic == 0xfffffff1)
		put(table, 0, 4);
	put(table, 0, 1);
	put(table, function->flags, 1);
	put(table, 0, 2);
}

/* | header, functions 8 | sizes | pairs | functions |, the first two as words of the header since
 * 1.16 */
static struct table make_sized(uint32_t magic)
{
	const bool is_1_2 = magic == 0xfffffffb, is_1_16 = magic == 0xfffffffa;
	const unsigned int pc_bytes = is_1_2 || is_1_16 ? 8 : 4, words = is_1_16 ? 6 : 7;
	const uint64_t base = pc_bytes == 8 ? TEXT : 0, head = is_1_2 ? 16 : 16 + 8 * words;
	const uint64_t pairs_bytes = (2 * SIZED + 1) * pc_bytes;
	const uint64_t function_bytes = pc_bytes + 36 + (magic == 0xfffffff1 ? 4 : 0);
	const uint64_t pairs = is_1_2 ? head : head + SIZES_BYTES;
	const unsigned char *sizes = quantum == 1 ? sizes_of_1 : sizes_of_4;
	const uint64_t functions = is_1_2 ? head + pairs_bytes : pairs_bytes;
	struct table table = { .count = 0 };

	put_header(&table, magic, SIZED);
	for (unsigned int word = 1; !is_1_2 && word <= words; word++)
		put(&table, word == words ? pairs : word == words - 1 ? head :
			    word == 2 && !is_1_16 ? TEXT : 0, 8);
	if (!is_1_2)
		memcpy(table.bytes + table.count, sizes, SIZES_BYTES);
	table.count += is_1_2 ? 0 : SIZES_BYTES;
	for (unsigned int i = 0; i < SIZED; i++) {
		put(&table, base + sized[i].pc, pc_bytes);
		put(&table, functions + i * function_bytes, pc_bytes);
	}
	put(&table, base + 0x100, pc_bytes);
	for (unsigned int i = 0; i < SIZED; i++)
		put_sized(&table, magic, base, pc_bytes, &sized[i],
			  is_1_2 ? functions + SIZED * function_bytes : 0);
	memcpy(table.bytes + table.count, sizes, is_1_2 ? SIZES_BYTES : 0);
	table.count += is_1_2 ? SIZES_BYTES : 0;
	return table;
}

static void expect_row(const struct unwind_table *table, uint64_t into, struct unwind_row wanted)
{
	const struct elf_loads loads = elf_fixture_loads(elf_fixture_path("go"));
	const struct unwind_row *row;
	uint64_t offset = 0;

	assert_true(elf_fixture_to_offset(&loads, TEXT + into, &offset));
	row = unwind_table_find(table, offset);
	if (!unwind_row_is_same_rule(row, &wanted))
		fail_msg("%#x: kind %d cfa %d bp %d", (unsigned int)into, row->kind, row->cfa,
			 row->bp);
}

/* Makes the program, of whatever machine, one of @machine. Returns its descriptor. */
static int open_as(uint16_t machine)
{
	int fd = open(elf_fixture_path("go"), O_RDWR | O_CLOEXEC);

	assert_int_equal(pwrite(fd, &machine, sizeof(machine), offsetof(Elf64_Ehdr, e_machine)),
			 sizeof(machine));
	return fd;
}

/* @bare, @framed: the rows of code with frames of 0 and of 24 bytes. */
static void expect_sizes(uint32_t magic, uint16_t machine, struct unwind_row bare,
			 struct unwind_row framed)
{
	const struct unwind_row gap = { .kind = UNWIND_GAP }, outermost = { .kind = UNWIND_END };
	const bool has_flags = magic != 0xfffffffb;
	struct unwind_table table;
	struct flat_table names;
	struct table bytes;
	size_t count;
	void *rows;
	int fd;

	quantum = machine == EM_AARCH64 ? 4 : 1;
	bytes = make_sized(magic);
	quantum = 1;
	names = compile(&bytes, NULL, "-static");
	fd = open_as(machine);
	assert_int_equal(elf_cfi_compile(fd, -1, &rows, &count, NULL), 0);
	assert_int_equal(unwind_table_check(&table, rows, count, NULL), 0);
	expect_row(&table, 0xf, gap);
	expect_row(&table, 0x10, bare);
	expect_row(&table, 0x13, bare);
	expect_row(&table, 0x14, framed);
	expect_row(&table, 0x33, framed);
	expect_row(&table, 0x34, bare);
	expect_row(&table, 0x3f, bare);
	expect_row(&table, 0x44, has_flags ? outermost : framed);
	expect_row(&table, 0x64, has_flags ? gap : framed);
	expect_row(&table, 0x80, gap);
	expect_row(&table, 0x100, gap);
	close(fd);
	free(rows);
	elf_fixture_free(&names);
}

static void expect_sizes_in_each_layout(uint16_t machine, struct unwind_row bare,
					struct unwind_row framed)
{
	expect_sizes(0xfffffffb, machine, bare, framed);
	expect_sizes(0xfffffffa, machine, bare, framed);
	expect_sizes(0xfffffff0, machine, bare, framed);
	expect_sizes(0xfffffff1, machine, bare, framed);
}

static void test_frame_sizes_become_unwind_rows_in_each_layout(void **state)
{
	(void)state;
	expect_sizes_in_each_layout(EM_X86_64, (struct unwind_row){ .kind = UNWIND_SP, .cfa = 1 },
				    (struct unwind_row){ .kind = UNWIND_SP, .cfa = 4 });
}

/* Without a frame the return address is in x30; else x29 and x30 are a word below sp and at sp. */
static void test_frame_sizes_of_aarch64_become_its_rows(void **state)
{
	(void)state;
	expect_sizes_in_each_layout(EM_AARCH64, (struct unwind_row){ .kind = UNWIND_ARM_SP },
				    (struct unwind_row){
		.kind = UNWIND_ARM_SP, .cfa = 3, .bp = -1,
		.bx = UNWIND_SAVES_PAIR | UNWIND_FROM_BASE,
	});
}

/* Every byte at its worst: what comes of it passes the check. */
static void expect_no_damage(uint16_t machine)
{
	static const unsigned char bytes[] = { 0, 1, 0x7f, 0x80, 0xff };
	const struct table good = make_sized(0xfffffff1);
	struct flat_table names = compile(&good, NULL, "-static");
	struct elf_bytes_copy program = elf_fixture_read(elf_fixture_path("go"));
	unsigned char *at = memmem(program.at, program.count, good.bytes, good.count);
	int fd = memfd_create("go", MFD_CLOEXEC);

	((Elf64_Ehdr *)(void *)program.at)->e_machine = machine;
	assert_non_null(at);
	for (size_t i = 0; i < 5 * good.count; i++) {
		const unsigned char kept = at[i / 5];
		struct unwind_table table;
		size_t count;
		void *rows;

		at[i / 5] = bytes[i % 5];
		assert_int_equal(pwrite(fd, program.at, program.count, 0), program.count);
		assert_int_equal(elf_cfi_compile(fd, -1, &rows, &count, NULL), 0);
		assert_int_equal(unwind_table_check(&table, rows, count, NULL), 0);
		free(rows);
		at[i / 5] = kept;
	}
	close(fd);
	elf_fixture_free(&names);
	free(program.at);
}

static void test_damaged_frame_sizes_make_no_damaged_rows(void **state)
{
	(void)state;
	expect_no_damage(EM_X86_64);
	expect_no_damage(EM_AARCH64);
}

static void expect_no_names(const struct table *bytes)
{
	struct flat_table table = compile(bytes, NULL, "-static");

	assert_int_equal(table.header->row_count, 0);
	elf_fixture_free(&table);
}

static void test_without_a_known_start_of_the_text_nothing_is_guessed(void **state)
{
	struct table table = make_1_18_at(0xfffffff1, 0, TEXT);

	(void)state;
	expect_no_names(&table);
}

static void test_another_magic_or_word_size_is_not_read(void **state)
{
	struct table table = make_1_18(0xfffffff2, TEXT);

	(void)state;
	expect_no_names(&table);
	table = make_1_18(0xfffffff1, TEXT);
	table.bytes[7] = 16;
	expect_no_names(&table);
	table.bytes[7] = 8;
	table.bytes[4] = 1;
	expect_no_names(&table);
}

/* Every byte of the table at its worst; the sanitizers watch. */
static void test_a_damaged_table_costs_no_more_than_its_names(void **state)
{
	static const unsigned char bytes[] = { 0, 1, 0x7f, 0x80, 0xff };
	struct table good = make_1_18(0xfffffff1, TEXT);
	struct flat_table whole = compile(&good, NULL, "-static");
	struct elf_bytes_copy program = elf_fixture_read(elf_fixture_path("go"));
	unsigned char *at = memmem(program.at, program.count, good.bytes, good.count);

	(void)state;
	assert_non_null(at);
	for (size_t i = 0; i < 5 * good.count; i++) {
		unsigned char kept = at[i / 5];
		struct flat_table table;

		at[i / 5] = bytes[i % 5];
		assert_int_equal(elf_fixture_compile_bytes(program.at, program.count, &table), 0);
		assert_in_range(table.header->row_count, 0, 2);
		elf_fixture_free(&table);
		at[i / 5] = kept;
	}
	elf_fixture_free(&whole);
	free(program.at);
}

UNIT_TESTS(test_go_symbols)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_layout_of_1_2_is_read),
		cmocka_unit_test(test_the_layout_of_1_16_is_read),
		cmocka_unit_test(test_the_layout_of_1_18_is_read),
		cmocka_unit_test(test_the_layout_of_1_20_is_read),
		cmocka_unit_test(test_since_1_26_the_module_says_where_the_text_is),
		cmocka_unit_test(test_in_a_position_independent_program_a_relocation_says_it),
		cmocka_unit_test(test_without_a_known_start_of_the_text_nothing_is_guessed),
		cmocka_unit_test(test_another_magic_or_word_size_is_not_read),
		cmocka_unit_test(test_frame_sizes_become_unwind_rows_in_each_layout),
		cmocka_unit_test(test_frame_sizes_of_aarch64_become_its_rows),
		cmocka_unit_test(test_damaged_frame_sizes_make_no_damaged_rows),
		cmocka_unit_test(test_a_damaged_table_costs_no_more_than_its_names),
	};

	return cmocka_run_group_tests(tests, elf_fixture_make_directory,
				      elf_fixture_remove_directory);
}
