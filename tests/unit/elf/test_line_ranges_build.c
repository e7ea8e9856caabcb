/* The worker's side of the lines of code ranges: a small program whose lines are known, a line
 * table of ten million rows, and damaged copies through the sandbox. What the lines are in general
 * is compared with other programs by tests/oracle/check_line_ranges. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "elf/file_jobs.h"
#include "elf_fixture.h"
#include "random_numbers.h"
#include "sandbox/lines.h"
#include "sandbox/sandbox.h"
#include "symbols/dso_file.h"
#include "unit_tests.h"

#define WHOLE_MEMORY DWARF_LINES_MEMORY_MAX

static const char source[] =
	"static inline __attribute__((always_inline)) int inner(int n)\n"	/* 1 */
	"{\n"
	"	__asm__ volatile(\"nop\" : \"+r\"(n));\n"			/* 3 */
	"	return n;\n"
	"}\n"
	"__attribute__((noinline)) int outer(int n)\n"				/* 6 */
	"{\n"
	"	__asm__ volatile(\"nop\" : \"+r\"(n));\n"			/* 8 */
	"	n = inner(n);\n"						/* 9 */
	"	__asm__ volatile(\"nop\" : \"+r\"(n));\n"			/* 10 */
	"	return n;\n"
	"}\n"
	"int main(int argc, char **argv)\n"					/* 13 */
	"{\n"
	"	(void)argv;\n"
	"	return outer(argc) - argc;\n"
	"}\n"
	"int alias(int) __attribute__((alias(\"outer\")));\n";

static int make_program(void **state)
{
	int err = elf_fixture_make_directory(state);

	if (err)
		return err;
	elf_fixture_write("source.c", source, sizeof(source) - 1);
	return elf_fixture_run("cc -O1 -gdwarf-4 -o plain source.c && cp plain stripped && "
			       "strip stripped && cc -O1 -g -o another source.c") ? 0 : -1;
}

static struct sandbox *sandbox;

static int start(void **state)
{
	return make_program(state) || sandbox_start(&sandbox, worker_run, NULL) ? -1 : 0;
}

static int stop(void **state)
{
	sandbox_stop(sandbox);
	return elf_fixture_remove_directory(state);
}

struct asked {
	struct lines_read read;
	struct diag why;
	int err;
};

static struct asked ask(const char *path, const char *debug, struct line_query query)
{
	struct line_files files = LINE_FILES_NONE;
	struct asked asked = { .err = 0 };

	if (!query.memory_bytes)
		query.memory_bytes = WHOLE_MEMORY;
	files.dso = open(path, O_RDONLY | O_CLOEXEC);
	if (debug)
		files.debug = open(debug, O_RDONLY | O_CLOEXEC);
	asked.err = line_files_read(&asked.read, sandbox, &files, &query, 0, &asked.why);
	line_files_close(&files);
	return asked;
}

static struct asked ask_function(const char *path, const char *name)
{
	struct line_query query = { .range_count = 0 };

	snprintf(query.function, sizeof(query.function), "%s", name);
	return ask(path, NULL, query);
}

static struct asked ask_source(const char *path, const char *name)
{
	struct line_query query = { .range_count = 0 };

	snprintf(query.source, sizeof(query.source), "%s", name);
	return ask(path, NULL, query);
}

/* The range of outer's code, by nm. */
static struct line_query outer_range(const char *path)
{
	const struct elf_loads loads = elf_fixture_loads(path);
	struct line_query query = { .range_count = 1 };
	char command[512];
	unsigned long address, bytes;
	FILE *nm;

	snprintf(command, sizeof(command), "nm -S %s | grep ' outer$'", path);
	nm = popen(command, "re");
	assert_non_null(nm);
	assert_int_equal(fscanf(nm, "%lx %lx", &address, &bytes), 2);
	pclose(nm);
	assert_true(elf_fixture_to_offset(&loads, address, &query.ranges[0].begin));
	query.ranges[0].end = query.ranges[0].begin + bytes;
	return query;
}

/* Returns how many statements of @line are in the function @name, marked or not. */
static uint32_t count_statements(const struct line_ranges *lines, const char *name, uint32_t line,
				 bool is_marked)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < lines->header->statement_count; i++) {
		const struct line_statement *statement = &lines->statements[i];

		count += (statement->flags & LINE_IS_MARKED) == is_marked &&
			 statement->line == line &&
			 !strcmp(line_ranges_text(lines, lines->frames[statement->frame].function),
				 name);
	}
	return count;
}

static uint32_t count_marks(const struct line_ranges *lines, const char *name, uint32_t line)
{
	return count_statements(lines, name, line, true);
}

/* Returns the range with that innermost function and line. */
static const struct line_range *range_of(const struct line_ranges *lines, const char *name,
					 uint32_t line)
{
	for (uint32_t i = 0; i < lines->header->range_count; i++) {
		const struct line_range_frame *frame = &lines->frames[lines->ranges[i].first];

		if (frame->line == line && !strcmp(line_ranges_text(lines, frame->function), name))
			return &lines->ranges[i];
	}
	return NULL;
}

static void expect_outer(const struct line_ranges *lines)
{
	const struct line_range *before = range_of(lines, "outer", 8);
	const struct line_range *inlined = range_of(lines, "inner", 3);
	const struct line_range *after = range_of(lines, "outer", 10);
	const struct line_range_frame *frames;

	assert_true(before && inlined && after);
	assert_true(before->end <= inlined->begin && inlined->end <= after->begin);
	assert_int_equal(before->count, 1);
	assert_int_equal(inlined->count, 2);
	frames = &lines->frames[inlined->first];
	assert_int_equal(frames[0].declared_line, 1);
	assert_string_equal(line_ranges_text(lines, frames[1].function), "outer");
	assert_int_equal(frames[1].line, 9);
	assert_int_equal(frames[1].declared_line, 6);
	assert_string_equal(strrchr(line_ranges_path(lines, frames[1].file), '/'), "/source.c");
}

static void test_an_inlined_copy_is_a_range_of_its_own(void **state)
{
	const char *path = elf_fixture_path("plain");
	const struct line_query query = outer_range(path);
	struct asked asked = ask(path, NULL, query);
	const struct line_ranges *lines = &asked.read.lines;

	(void)state;
	assert_int_equal(asked.err, 0);
	expect_outer(lines);
	assert_int_equal(lines->ranges[0].begin, query.ranges[0].begin);
	assert_int_equal(lines->ranges[lines->header->range_count - 1].end, query.ranges[0].end);
	for (uint32_t i = 1; i < lines->header->range_count; i++)
		assert_int_equal(lines->ranges[i].begin, lines->ranges[i - 1].end);
	assert_int_equal(lines->header->named_file, UINT32_MAX);
	lines_read_finish(&asked.read);
}

static void test_a_part_of_a_range_is_cut_out(void **state)
{
	const char *path = elf_fixture_path("plain");
	struct line_query query = outer_range(path);
	struct asked asked;

	(void)state;
	query.ranges[0].begin += 1;
	query.ranges[0].end = query.ranges[0].begin + 1;
	query.range_count = 3;
	query.ranges[1] = query.ranges[0];	/* given twice, and one byte more */
	query.ranges[1].end++;
	query.ranges[2].begin = UINT64_MAX - 1;	/* no code there */
	query.ranges[2].end = UINT64_MAX;
	asked = ask(path, NULL, query);
	assert_int_equal(asked.err, 0);
	assert_int_equal(asked.read.lines.header->range_count, 1);
	assert_int_equal(asked.read.lines.ranges[0].begin, query.ranges[0].begin);
	assert_int_equal(asked.read.lines.ranges[0].end, query.ranges[0].end + 1);
	lines_read_finish(&asked.read);
}

static void test_a_function_is_found_by_its_name(void **state)
{
	struct asked asked = ask_function(elf_fixture_path("plain"), "outer");
	const struct line_ranges *lines = &asked.read.lines;

	(void)state;
	assert_int_equal(asked.err, 0);
	expect_outer(lines);
	assert_int_equal(lines->header->named_line, 6);
	assert_int_equal(count_marks(lines, "outer", 6), 1);	/* its declaration */
	assert_int_equal(count_marks(lines, "outer", 11), 1);
	/* The call and the first line of the copy are at one address, which means the call. */
	assert_int_equal(count_marks(lines, "outer", 9), 1);
	assert_int_equal(count_marks(lines, "inner", 3), 0);
	assert_int_equal(count_statements(lines, "inner", 3, false), 1);
	assert_int_equal(count_marks(lines, "outer", 3), 0);
	assert_int_equal(count_marks(lines, "outer", 12345), 0);
	lines_read_finish(&asked.read);
	asked = ask_function(elf_fixture_path("plain"), "alias");
	assert_int_equal(asked.err, 0);
	expect_outer(&asked.read.lines);
	assert_int_equal(asked.read.lines.header->named_line, 6);
	lines_read_finish(&asked.read);
	asked = ask_function(elf_fixture_path("plain"), "no_such");
	assert_int_equal(asked.err, -ENOENT);
	assert_string_equal(asked.why.text, "no function 'no_such' in its debug information");
}

static void test_of_an_inlined_function_the_copies_are_found(void **state)
{
	struct asked asked = ask_function(elf_fixture_path("plain"), "inner");
	const struct line_ranges *lines = &asked.read.lines;

	(void)state;
	assert_int_equal(asked.err, 0);
	assert_int_equal(lines->header->named_line, 1);
	assert_non_null(range_of(lines, "inner", 3));
	assert_null(range_of(lines, "outer", 8));
	assert_int_equal(count_statements(lines, "inner", 3, false), 1);
	lines_read_finish(&asked.read);
}

static void test_a_source_file_is_found_by_the_end_of_its_path(void **state)
{
	struct asked asked = ask_source(elf_fixture_path("plain"), "source.c");
	const struct line_ranges *lines = &asked.read.lines;

	(void)state;
	assert_int_equal(asked.err, 0);
	expect_outer(lines);
	assert_int_equal(count_marks(lines, "main", 13), 1);
	lines_read_finish(&asked.read);
	asked = ask_source(elf_fixture_path("plain"), "ource.c");	/* no whole component */
	assert_int_equal(asked.err, -ENOENT);
	assert_string_equal(asked.why.text, "no code of 'ource.c' in its debug information");
}

static void test_without_debug_information_it_says_so(void **state)
{
	const char *path = elf_fixture_path("plain");
	const struct line_query query = outer_range(path);
	struct asked asked = ask(elf_fixture_path("stripped"), NULL, query);

	(void)state;
	assert_int_equal(asked.err, -ENODATA);
	asked = ask(elf_fixture_path("stripped"), elf_fixture_path("another"), query);
	assert_int_equal(asked.err, -ENODATA);
	asked = ask(elf_fixture_path("stripped"), path, query);
	assert_int_equal(asked.err, 0);
	expect_outer(&asked.read.lines);
	lines_read_finish(&asked.read);
}

static void test_bad_queries_are_refused(void **state)
{
	const char *path = elf_fixture_path("plain");
	struct line_query query = { .range_count = 0 };

	(void)state;
	assert_int_equal(ask(path, NULL, query).err, -EINVAL);
	query.range_count = CODE_RANGES_MAX + 1;
	assert_int_equal(ask(path, NULL, query).err, -EINVAL);
	query.range_count = 0;
	memset(query.function, 'x', sizeof(query.function));
	assert_int_equal(ask(path, NULL, query).err, -EINVAL);
}

/* Makes "NAME", the program with @rows more rows in its line table: one byte each. The table of its
 * own unit is the last one. */
static void make_long_table(const char *name, uint32_t rows)
{
	struct elf_bytes_copy whole;
	const Elf64_Shdr *section;
	unsigned char *table;
	uint64_t at = 0;
	uint32_t unit_bytes;

	whole = elf_fixture_read(elf_fixture_path("plain"));
	section = elf_fixture_section(&whole, ".debug_line");
	table = malloc(section->sh_size + rows);
	memcpy(table, whole.at + section->sh_offset, section->sh_size);
	memcpy(&unit_bytes, table, sizeof(unit_bytes));
	for (; at + 4 + unit_bytes < section->sh_size; at += 4 + unit_bytes)
		memcpy(&unit_bytes, table + at + 4 + unit_bytes, sizeof(unit_bytes));
	memcpy(&unit_bytes, table + at, sizeof(unit_bytes));
	unit_bytes += rows;
	memcpy(table + at, &unit_bytes, sizeof(unit_bytes));
	/* Before the end of the sequence, 3 bytes: rows of the next line at the same address. */
	memmove(table + section->sh_size - 3 + rows, table + section->sh_size - 3, 3);
	memset(table + section->sh_size - 3, 13 + 6, rows);	/* opcode_base 13, line_base -5 */
	elf_fixture_write("table", table, section->sh_size + rows);
	free(table);
	free(whole.at);
	assert_true(elf_fixture_run("objcopy --update-section .debug_line=table plain %s && "
				    "rm table", name));
}

/* Decoded they would take more than a gigabyte: they are counted before. */
static void test_ten_million_lines_are_refused_with_a_sentence(void **state)
{
	struct line_query query = outer_range(elf_fixture_path("plain"));
	struct asked asked;

	(void)state;
	make_long_table("long", 10000000);
	asked = ask(elf_fixture_path("long"), NULL, query);
	assert_int_equal(asked.err, -E2BIG);
	assert_int_equal(strncmp(asked.why.text, "a line table of 100000", 22), 0);
	assert_non_null(strstr(asked.why.text, " rows takes its lines to 1220 MiB, the limit is "
			       "1024 MiB"));
	assert_int_equal(ask_function(elf_fixture_path("long"), "outer").err, -E2BIG);
	assert_int_equal(ask_source(elf_fixture_path("long"), "source.c").err, -E2BIG);
	assert_true(elf_fixture_run("rm long"));
}

static void test_a_hundred_thousand_lines_are_read(void **state)
{
	struct line_query query = outer_range(elf_fixture_path("plain"));
	struct asked asked;

	(void)state;
	make_long_table("longer", 100000);
	asked = ask(elf_fixture_path("longer"), NULL, query);
	assert_int_equal(asked.err, 0);
	expect_outer(&asked.read.lines);
	lines_read_finish(&asked.read);
	query.memory_bytes = 10u << 20;	/* enough for the file, not for the rows */
	asked = ask(elf_fixture_path("longer"), NULL, query);
	assert_int_equal(asked.err, -E2BIG);
	query.memory_bytes = 100;
	asked = ask(elf_fixture_path("longer"), NULL, query);
	assert_int_equal(asked.err, -E2BIG);
}

/* Bits are flipped where the debug information is; what comes back is checked, or a reason. */
static void test_damaged_files_harm_nobody(void **state)
{
	const struct line_query range = outer_range(elf_fixture_path("plain"));
	const struct elf_bytes_copy whole = elf_fixture_read(elf_fixture_path("plain"));
	const Elf64_Shdr *first = elf_fixture_section(&whole, ".debug_aranges");
	const Elf64_Shdr *last = elf_fixture_section(&whole, ".debug_str");
	const uint32_t zone = (uint32_t)(last->sh_offset + last->sh_size - first->sh_offset);
	unsigned char *copy = malloc(whole.count);
	const size_t begin = first->sh_offset;
	uint64_t seed = 23;
	int read = 0;

	(void)state;
	sandbox_set_deadline(sandbox, 2000);
	for (int round = 0; round < 300; round++) {
		struct line_files files = LINE_FILES_NONE;
		struct line_query query = range;
		struct diag why = { .err = 0 };
		struct lines_read lines;
		int err;

		memcpy(copy, whole.at, whole.count);
		for (uint32_t flips = 1 + random_below(&seed, 12); flips; flips--)
			copy[begin + random_below(&seed, zone)] ^=
				(unsigned char)(1u << random_below(&seed, 8));
		if (round % 3)
			query.range_count = 0;
		strcpy(query.function, round % 3 == 1 ? "outer" : "");
		strcpy(query.source, round % 3 == 2 ? "source.c" : "");
		query.memory_bytes = 64u << 20;
		files.dso = memfd_create("damaged", MFD_CLOEXEC);
		assert_int_equal(write(files.dso, copy, whole.count), (ssize_t)whole.count);
		err = line_files_read(&lines, sandbox, &files, &query, 0, &why);
		assert_true(!err || why.text[0]);
		assert_int_not_equal(err, -EPERM);	/* the worker worked */
		read += !err;
		if (!err)
			lines_read_finish(&lines);
		line_files_close(&files);
	}
	assert_in_range(read, 20, 299);	/* not all are refused, nor none */
	free(copy);
	free(whole.at);
}

UNIT_TESTS(test_line_ranges_build)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_an_inlined_copy_is_a_range_of_its_own),
		cmocka_unit_test(test_a_part_of_a_range_is_cut_out),
		cmocka_unit_test(test_a_function_is_found_by_its_name),
		cmocka_unit_test(test_of_an_inlined_function_the_copies_are_found),
		cmocka_unit_test(test_a_source_file_is_found_by_the_end_of_its_path),
		cmocka_unit_test(test_without_debug_information_it_says_so),
		cmocka_unit_test(test_bad_queries_are_refused),
		cmocka_unit_test(test_ten_million_lines_are_refused_with_a_sentence),
		cmocka_unit_test(test_a_hundred_thousand_lines_are_read),
		cmocka_unit_test(test_damaged_files_harm_nobody),
	};

	return cmocka_run_group_tests(tests, start, stop);
}
