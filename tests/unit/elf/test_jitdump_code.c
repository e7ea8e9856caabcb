/* Code out of jitdumps made by hand: which of several pieces was at an address at a time. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "elf/jitdump_code.h"
#include "jit_fixture.h"
#include "sandbox/code_files.h"
#include "unit_tests.h"

#define LOAD 0u
#define MOVE 1u
#define DEBUG 2u
#define X86  62u

static unsigned char dump[8192];
static size_t used;
static unsigned char code[4096];
static uint32_t machine;
static bool is_later, has_lines;
static void *lines_bytes;
static struct line_ranges lines;
static struct diag why;

static void put(const void *bytes, size_t count)
{
	memcpy(dump + used, bytes, count);
	used += count;
}

static void put_words(const uint32_t *words, size_t count)
{
	put(words, count * sizeof(*words));
}

static void put_quads(const uint64_t *quads, size_t count)
{
	put(quads, count * sizeof(*quads));
}

/* magic, version, total_size, elf_mach, pad1, pid; timestamp, flags */
static void put_header(uint32_t elf_machine, uint64_t flags)
{
	used = 0;
	put_words((const uint32_t[]){ 0x4a695444, 1, 40, elf_machine, 0, 100 }, 6);
	put_quads((const uint64_t[]){ 5, flags }, 2);
}

static void put_head(uint32_t id, size_t body_bytes, uint64_t time_ns)
{
	put_words((const uint32_t[]){ id, (uint32_t)(16 + body_bytes) }, 2);
	put_quads(&time_ns, 1);
}

/* pid, tid; vma, code_addr, code_size, code_index; name, code: @bytes times @byte */
static void put_load(uint64_t time_ns, uint64_t address, uint64_t bytes, char byte)
{
	char filled[256];

	memset(filled, byte, sizeof(filled));
	put_head(LOAD, 40 + 5 + bytes, time_ns);
	put_words((const uint32_t[]){ 100, 101 }, 2);
	put_quads((const uint64_t[]){ address, address, bytes, 1 }, 4);
	put("name", 5);
	put(filled, bytes);
}

/* pid, tid; vma, old_code_addr, new_code_addr, code_size, code_index */
static void put_move(uint64_t time_ns, uint64_t from, uint64_t to, uint64_t bytes)
{
	put_head(MOVE, 48, time_ns);
	put_words((const uint32_t[]){ 100, 101 }, 2);
	put_quads((const uint64_t[]){ to, from, to, bytes, 1 }, 5);
}

struct entry {
	uint64_t address;
	uint32_t line, column;
	const char *file;
};

/* code_addr, nr_entry; addr, line, column, name */
static void put_debug(uint64_t address, uint64_t said, const struct entry *entries, uint32_t count)
{
	size_t bytes = 16;

	for (uint32_t i = 0; i < count; i++)
		bytes += 16 + strlen(entries[i].file) + 1;
	put_head(DEBUG, bytes, 9);
	put_quads((const uint64_t[]){ address, said }, 2);
	for (uint32_t i = 0; i < count; i++) {
		put_quads(&entries[i].address, 1);
		put_words((const uint32_t[]){ entries[i].line, entries[i].column }, 2);
		put(entries[i].file, strlen(entries[i].file) + 1);
	}
}

static int read_ranges(uint64_t time_ns, const struct code_range *ranges, uint32_t count)
{
	struct jit_code_query query = { .time_ns = time_ns, .range_count = count };
	const int fd = jit_fixture_file(dump, used);
	uint64_t wanted = 0;
	struct jit_code reply;
	size_t bytes_count;
	int query_fd, err;
	void *bytes;

	for (uint32_t i = 0; i < count; i++) {
		query.ranges[i] = ranges[i];
		wanted += ranges[i].bytes;
	}
	query_fd = jit_fixture_file((const void *)&query, sizeof(query));
	why = (struct diag){ .err = 0 };
	err = jitdump_code_read(fd, query_fd, &bytes, &bytes_count, &why);
	close(fd);
	close(query_fd);
	if (err)
		return err;
	assert_int_equal(jit_code_check(&reply, bytes, bytes_count, wanted, &why), 0);
	assert_in_range(wanted, 1, sizeof(code));
	memcpy(code, reply.code, wanted);
	machine = reply.header->machine;
	is_later = reply.header->is_later;
	has_lines = reply.header->lines_bytes;
	free(lines_bytes);
	lines_bytes = NULL;
	if (has_lines) {
		lines_bytes = malloc(reply.header->lines_bytes);
		memcpy(lines_bytes, reply.lines, reply.header->lines_bytes);
		assert_int_equal(line_ranges_check(&lines, lines_bytes, reply.header->lines_bytes,
						   &why), 0);
	}
	free(bytes);
	return 0;
}

static int read_one(uint64_t time_ns, uint64_t address, uint64_t bytes)
{
	const struct code_range range = { .address = address, .bytes = bytes };

	return read_ranges(time_ns, &range, 1);
}

static void assert_bytes(size_t from, size_t to, char byte)
{
	for (size_t i = from; i < to; i++)
		assert_int_equal(code[i], byte);
}

/* The second function was compiled to where the first one had been. */
static void test_code_is_the_one_at_the_time_of_the_sample(void **state)
{
	(void)state;
	put_header(X86, 0);
	put_load(10, 0x1000, 64, 'a');
	put_load(20, 0x1000, 64, 'b');
	assert_int_equal(read_one(15, 0x1000, 64), 0);
	assert_bytes(0, 64, 'a');
	assert_false(is_later);
	assert_int_equal(machine, MACHINE_X86_64);
	assert_int_equal(read_one(20, 0x1000, 64), 0);
	assert_bytes(0, 64, 'b');
	assert_int_equal(read_one(UINT64_MAX, 0x1010, 8), 0);
	assert_bytes(0, 8, 'b');
}

static void test_code_that_was_logged_later_will_do(void **state)
{
	(void)state;
	put_header(X86, 0);
	put_load(10, 0x1000, 64, 'a');
	put_load(20, 0x1000, 64, 'b');
	assert_int_equal(read_one(5, 0x1000, 64), 0);
	assert_bytes(0, 64, 'a');
	assert_true(is_later);
}

/* aaaa|bbbb|aaaa: the middle was overwritten. */
static void test_a_range_is_put_together_from_several_pieces(void **state)
{
	const struct code_range ranges[] = { { .address = 0x1000, .bytes = 48 },
					     { .address = 0x2008, .bytes = 8 } };

	(void)state;
	put_header(X86, 0);
	put_load(10, 0x1000, 48, 'a');
	put_load(11, 0x1010, 16, 'b');
	put_load(12, 0x2000, 16, 'c');
	assert_int_equal(read_ranges(12, ranges, 2), 0);
	assert_bytes(0, 16, 'a');
	assert_bytes(16, 32, 'b');
	assert_bytes(32, 48, 'a');
	assert_bytes(48, 56, 'c');
}

static void test_code_that_moved_is_at_both_addresses(void **state)
{
	(void)state;
	put_header(X86, 0);
	put_load(10, 0x1000, 32, 'a');
	put_move(20, 0x1000, 0x5000, 32);
	put_load(30, 0x1000, 32, 'b');
	assert_int_equal(read_one(25, 0x5000, 32), 0);
	assert_bytes(0, 32, 'a');
	assert_false(is_later);
	assert_int_equal(read_one(15, 0x5000, 32), 0);	/* before it moved */
	assert_true(is_later);
	assert_int_equal(read_one(35, 0x1000, 32), 0);
	assert_bytes(0, 32, 'b');
	assert_int_equal(read_one(35, 0x5000, 32), 0);
	assert_bytes(0, 32, 'a');
}

/* The compiler's own clock can't be compared with that of samples. */
static void test_times_of_another_clock_are_not_used(void **state)
{
	(void)state;
	put_header(X86, 1);
	put_load(10, 0x1000, 64, 'a');
	put_load(20, 0x1000, 64, 'b');
	assert_int_equal(read_one(15, 0x1000, 64), 0);
	assert_bytes(0, 64, 'b');
}

static void test_what_the_dump_does_not_have_is_not_made_up(void **state)
{
	(void)state;
	put_header(X86, 0);
	put_load(10, 0x1000, 64, 'a');
	assert_int_equal(read_one(10, 0x1001, 64), -ENODATA);
	assert_string_equal(why.text, "the jitdump has no code at 0x1001");
	assert_int_equal(read_one(10, 0xfff, 2), -ENODATA);
	used -= 1;		/* the record is not complete */
	assert_int_equal(read_one(10, 0x1000, 64), -ENODATA);
}

static void test_hostile_records_are_passed_over(void **state)
{
	const size_t size_at = 40 + 16 + 8 + 16;

	(void)state;
	put_header(X86, 0);
	put_load(10, 0x1000, 64, 'a');
	memset(dump + size_at, 0xff, 8);	/* code_size */
	put_load(11, 0x2000, 32, 'b');
	put_load(12, UINT64_MAX - 8, 32, 'c');	/* wraps */
	put_move(13, 0x2000, 0x3000, UINT64_MAX);
	put_move(13, 0x7000, 0x8000, 32);	/* nothing was there */
	assert_int_equal(read_one(20, 0x1000, 64), -ENODATA);
	assert_int_equal(read_one(20, UINT64_MAX - 8, 4), -ENODATA);
	assert_int_equal(read_one(20, 0x8000, 4), -ENODATA);
	assert_int_equal(read_one(20, 0x3000, 32), 0);
	assert_bytes(0, 32, 'b');
	assert_int_equal(read_one(20, 0x3000, 33), -ENODATA);
}

/* The code would begin before its record. */
static void test_code_larger_than_its_record_is_passed_over(void **state)
{
	const uint64_t bytes = 70;	/* the record has 69 after its fixed part, name included */

	(void)state;
	put_header(X86, 0);
	put_load(10, 0x1000, 64, 'a');
	memcpy(dump + 40 + 16 + 8 + 16, &bytes, sizeof(bytes));
	assert_int_equal(read_one(20, 0x1000, 8), -ENODATA);
}

static void assert_line(uint32_t at, uint64_t begin, uint64_t end, uint32_t line, const char *file)
{
	const struct line_range *range = &lines.ranges[at];
	const struct line_range_frame *frame = &lines.frames[range->first];

	assert_in_range(at, 0, lines.header->range_count - 1);
	assert_int_equal(range->begin, begin);
	assert_int_equal(range->end, end);
	assert_int_equal(frame->line, line);
	assert_string_equal(line_ranges_text(&lines, lines.files[frame->file].path), file);
	assert_string_equal(line_ranges_text(&lines, frame->function), "name");
}

/* The first four bytes have no line; the third entry is in the second one's file. */
static void test_lines_are_those_of_the_record_before_the_code(void **state)
{
	static const struct entry entries[] = { { 0x1004, 7, 1, "a.js" }, { 0x1010, 9, 5, "b.js" },
						{ 0x1020, 3, 0, "\xff" } };

	(void)state;
	put_header(X86, 0);
	put_debug(0x1000, 3, entries, 3);
	put_load(10, 0x1000, 64, 'a');
	put_load(11, 0x2000, 64, 'b');
	assert_int_equal(read_one(10, 0x1000, 64), 0);
	assert_true(has_lines);
	assert_int_equal(lines.header->range_count, 3);
	assert_line(0, 0x1004, 0x1010, 7, "a.js");
	assert_line(1, 0x1010, 0x1020, 9, "b.js");
	assert_line(2, 0x1020, 0x1040, 3, "b.js");
	assert_int_equal(lines.ranges[1].column, 5);
	assert_int_equal(read_one(11, 0x2000, 64), 0);
	assert_false(has_lines);
}

/* V8 adds the size of an ELF header to all of them. */
static void test_lines_that_count_from_an_elf_header(void **state)
{
	static const struct entry entries[] = { { 0x1040, 7, 1, "a.js" },
						{ 0x1060, 9, 5, "a.js" } };

	(void)state;
	put_header(X86, 0);
	put_debug(0x1000, 2, entries, 2);
	put_load(10, 0x1000, 64, 'a');
	put_move(12, 0x1000, 0x5000, 64);
	assert_int_equal(read_one(10, 0x1000, 64), 0);
	assert_line(0, 0x1000, 0x1020, 7, "a.js");
	assert_line(1, 0x1020, 0x1040, 9, "a.js");
	assert_int_equal(read_one(12, 0x5000, 64), 0);	/* they move with the code */
	assert_line(1, 0x5020, 0x5040, 9, "a.js");
}

/* V8's names, after its garbage collector: of the same length, with a NUL. */
static void test_file_names_that_were_overwritten(void **state)
{
	static const char name[] = "JS:*f x /tmp/a b.js:12:3", code_bytes[64] = "";
	static const char garbage[] = "\xe4\x9f\0\001s234567";

	(void)state;
	put_header(X86, 0);
	put_head(DEBUG, 16 + 2 * (16 + sizeof("/tmp/a b.js")), 9);
	put_quads((const uint64_t[]){ 0x1000, 2, 0x1040 }, 3);
	put_words((const uint32_t[]){ 7, 1 }, 2);
	put(garbage, sizeof("/tmp/a b.js"));
	put_quads((const uint64_t[]){ 0x1060 }, 1);
	put_words((const uint32_t[]){ 9, 1 }, 2);
	put(garbage, sizeof("/tmp/a b.js"));
	put_head(LOAD, 40 + sizeof(name) + sizeof(code_bytes), 10);
	put_words((const uint32_t[]){ 100, 101 }, 2);
	put_quads((const uint64_t[]){ 0x1000, 0x1000, 64, 1 }, 4);
	put(name, sizeof(name));
	put(code_bytes, sizeof(code_bytes));
	assert_int_equal(read_one(10, 0x1000, 64), 0);
	assert_true(has_lines);
	assert_int_equal(lines.header->range_count, 2);
	assert_int_equal(lines.header->file_count, 1);
	assert_string_equal(line_ranges_text(&lines, lines.files[0].path), "/tmp/a b.js");
	assert_int_equal(lines.frames[1].line, 9);
	assert_string_equal(line_ranges_text(&lines, lines.frames[0].function), name);
}

static void test_hostile_lines_are_passed_over(void **state)
{
	static const struct entry entries[] = { { 0x1020, 1, 0, "a" }, { 0x1010, 2, 0, "a" },
						{ 0, 3, 0, "a" }, { UINT64_MAX, 4, 0, "a" } };

	(void)state;
	put_header(X86, 0);
	put_debug(0x1000, UINT64_MAX, entries, 4);
	put_load(10, 0x1000, 64, 'a');
	assert_int_equal(read_one(10, 0x1000, 64), 0);
	assert_int_equal(lines.header->range_count, 2);
	assert_line(0, 0x1010, 0x1020, 2, "a");
	assert_line(1, 0x1020, 0x1040, 1, "a");
	put_header(X86, 0);
	put_debug(0x3000, 4, entries, 4);	/* for other code */
	put_load(10, 0x1000, 64, 'a');
	assert_int_equal(read_one(10, 0x1000, 64), 0);
	assert_false(has_lines);
}

static void test_bad_queries_are_refused(void **state)
{
	(void)state;
	put_header(X86, 0);
	put_load(10, 0x1000, 64, 'a');
	assert_int_equal(read_one(10, 0x1000, 0), -EINVAL);
	assert_int_equal(read_one(10, 0x1000, CODE_RANGE_BYTES_MAX + 1), -EINVAL);
	assert_int_equal(read_one(10, UINT64_MAX - 3, 8), -EINVAL);
	put_header(20, 0);	/* PowerPC */
	assert_int_equal(read_one(10, 0x1000, 8), -ENOEXEC);
	used = 39;
	assert_int_equal(read_one(10, 0x1000, 8), -ENOEXEC);
}

UNIT_TESTS(test_jitdump_code)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_code_is_the_one_at_the_time_of_the_sample),
		cmocka_unit_test(test_code_that_was_logged_later_will_do),
		cmocka_unit_test(test_a_range_is_put_together_from_several_pieces),
		cmocka_unit_test(test_code_that_moved_is_at_both_addresses),
		cmocka_unit_test(test_times_of_another_clock_are_not_used),
		cmocka_unit_test(test_what_the_dump_does_not_have_is_not_made_up),
		cmocka_unit_test(test_hostile_records_are_passed_over),
		cmocka_unit_test(test_code_larger_than_its_record_is_passed_over),
		cmocka_unit_test(test_lines_are_those_of_the_record_before_the_code),
		cmocka_unit_test(test_lines_that_count_from_an_elf_header),
		cmocka_unit_test(test_file_names_that_were_overwritten),
		cmocka_unit_test(test_hostile_lines_are_passed_over),
		cmocka_unit_test(test_bad_queries_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
