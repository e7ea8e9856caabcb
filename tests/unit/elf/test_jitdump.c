/* Jitdumps made by hand after the specification, byte by byte. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "elf/file_jobs.h"
#include "jit_fixture.h"
#include "unit_tests.h"

#define LOAD  0u
#define MOVE  1u
#define DEBUG 2u
#define CLOSE 3u
#define UNWINDING 4u
#define HEADER_BYTES 40

static unsigned char dump[8192];
static size_t used;
static struct jit_names names;

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
static void put_header(uint32_t magic, uint32_t version, uint32_t total_size)
{
	used = 0;
	put_words((const uint32_t[]){ magic, version, total_size, 62, 0, 100 }, 6);
	put_quads((const uint64_t[]){ 5, 0 }, 2);
}

static void put_head(uint32_t id, size_t body_bytes)
{
	put_words((const uint32_t[]){ id, (uint32_t)(16 + body_bytes) }, 2);
	put_quads((const uint64_t[]){ 7 }, 1);
}

/* pid, tid; vma, code_addr, code_size, code_index; name, code */
static void put_load(uint64_t address, uint64_t size, const char *name)
{
	static const char code[16] = { (char)0xc3 };

	put_head(LOAD, 40 + strlen(name) + 1 + sizeof(code));
	put_words((const uint32_t[]){ 100, 101 }, 2);
	put_quads((const uint64_t[]){ address, address, size, 1 }, 4);
	put(name, strlen(name) + 1);
	put(code, sizeof(code));
}

/* pid, tid; vma, old_code_addr, new_code_addr, code_size, code_index */
static void put_move(uint64_t from, uint64_t to, uint64_t size)
{
	put_head(MOVE, 48);
	put_words((const uint32_t[]){ 100, 101 }, 2);
	put_quads((const uint64_t[]){ to, from, to, size, 1 }, 5);
}

/* .eh_frame of one function, as CPython writes it: sub $8, %rsp; call *%rcx; add $8, %rsp; ret. */
static const unsigned char frames[] = {
	20, 0, 0, 0, 0, 0, 0, 0, 1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b,	/* alignments, ra; pcrel */
	0x0c, 7, 8, 0x80 | 16, 1, 0, 0,		/* CFA = sp + 8, ra at CFA - 8 */
	24, 0, 0, 0, 28, 0, 0, 0, 0xd8, 0xff, 0xff, 0xff, 11, 0, 0, 0, 0,
	0x40 | 4, 0x0e, 16, 0x40 | 6, 0x0e, 8, 0, 0, 0, 0, 0,
};
static const unsigned char frame_header[20] = { 1 };

static void put_unwinding(uint64_t frame_bytes)
{
	put_head(UNWINDING, 24 + sizeof(frames) + sizeof(frame_header));
	put_quads((const uint64_t[]){ frame_bytes + sizeof(frame_header), sizeof(frame_header),
				      96 }, 3);
	put(frames, sizeof(frames));
	put(frame_header, sizeof(frame_header));
}

static int compile(int before, uint64_t offset, struct diag *why)
{
	int fd = jit_fixture_file(dump, used);
	size_t count;
	void *bytes;
	int err;

	*why = (struct diag){ .err = 0 };
	err = jitdump_compile(fd, before, offset, &bytes, &count, why);
	close(fd);
	if (!err)
		jit_fixture_take(&names, bytes, count);
	return err;
}

static void read_dump(void)
{
	struct diag why;

	assert_int_equal(compile(-1, 0, &why), 0);
}

static void expect(uint64_t address, const char *name)
{
	assert_string_equal(jit_fixture_name(&names, address), name);
}

static void expect_refused(int err, const char *reason)
{
	struct diag why;

	assert_int_equal(compile(-1, 0, &why), err);
	assert_string_equal(why.text, reason);
}

static int set_up(void **state)
{
	(void)state;
	memset(&names, 0, sizeof(names));
	put_header(0x4a695444, 1, HEADER_BYTES);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	jit_fixture_finish(&names);
	return 0;
}

static void test_loaded_and_moved_code_is_named(void **state)
{
	(void)state;
	put_load(0x1000, 0x20, "first code");
	put_load(0x2000, 0x20, "second");
	put_move(0x1000, 0x3000, 0x18);
	put_load(0x1000, 0x10, "reuses it");
	read_dump();
	expect(0x2000, "second");
	expect(0x3017, "first code");
	expect(0x3018, "");
	expect(0x100f, "reuses it");
	expect(0x1010, "first code");
	assert_int_equal(names.tables.reply->read_bytes, used);
	assert_int_equal(names.tables.reply->skipped, 0);
}

static void test_other_records_are_stepped_over(void **state)
{
	(void)state;
	put_head(DEBUG, 24);
	put_quads((const uint64_t[]){ 0x1000, 0, 0 }, 3);
	put_head(CLOSE, 0);
	put_head(77, 8);
	put_quads((const uint64_t[]){ 0 }, 1);
	put_load(0x1000, 0x20, "after all that");
	read_dump();
	expect(0x1000, "after all that");
	assert_int_equal(names.tables.names.header->row_count, 1);
}

static const struct unwind_row called = { .kind = UNWIND_SP, .cfa = 1 };
static const struct unwind_row calls = { .kind = UNWIND_SP, .cfa = 2 };
static const struct unwind_row gap = { .kind = UNWIND_GAP };

static void expect_rows(uint64_t start)
{
	jit_fixture_expect_row(&names, start, called);
	jit_fixture_expect_row(&names, start + 3, called);
	jit_fixture_expect_row(&names, start + 4, calls);
	jit_fixture_expect_row(&names, start + 9, calls);
	jit_fixture_expect_row(&names, start + 10, called);
	jit_fixture_expect_row(&names, start + 11, gap);
}

static void test_an_unwinding_record_is_about_the_code_loaded_next(void **state)
{
	(void)state;
	put_unwinding(sizeof(frames));
	put_load(0x7f0000001000, 11, "py::f:/x.py");
	put_load(0x7f0000002000, 11, "without");
	put_unwinding(sizeof(frames));
	put_load(0x7f0000003000, 11, "py::g:/x.py");
	put_move(0x7f0000003000, 0x7f0000004000, 11);
	read_dump();
	expect_rows(0x7f0000001000);
	jit_fixture_expect_row(&names, 0x7f0000002004, gap);
	expect_rows(0x7f0000003000);
	expect_rows(0x7f0000004000);
	assert_int_equal(names.tables.reply->skipped, 0);
}

static void test_an_unwinding_record_waits_for_its_code(void **state)
{
	struct jit_names before;
	struct diag why;
	size_t whole;
	int fd;

	(void)state;
	put_unwinding(sizeof(frames));
	put_load(0x7f0000001000, 11, "py::f:/x.py");
	whole = used;
	put_unwinding(sizeof(frames));
	read_dump();
	assert_int_equal(names.tables.reply->read_bytes, whole);
	before = names;
	fd = jit_fixture_file(before.bytes, before.count);
	put_load(0x7f0000002000, 11, "py::g:/x.py");
	assert_int_equal(compile(fd, whole, &why), 0);
	close(fd);
	jit_fixture_finish(&before);
	expect_rows(0x7f0000001000);
	expect_rows(0x7f0000002000);
}

static void test_an_unwinding_record_larger_than_itself_is_skipped(void **state)
{
	(void)state;
	put_unwinding(sizeof(frames) + 1);
	put_load(0x7f0000001000, 11, "first");
	put_unwinding(-(uint64_t)sizeof(frame_header));	/* its header is larger than all */
	put_load(0x7f0000002000, 11, "second");
	read_dump();
	expect(0x7f0000001000, "first");
	expect(0x7f0000002000, "second");
	assert_int_equal(names.tables.unwind.header->row_count, 0);
	assert_int_equal(names.tables.reply->skipped, 2);
}

static void test_a_longer_header_is_stepped_over(void **state)
{
	(void)state;
	put_header(0x4a695444, 1, HEADER_BYTES + 8);
	put_quads((const uint64_t[]){ 0 }, 1);
	put_load(0x1000, 0x20, "after the padding");
	read_dump();
	expect(0x1000, "after the padding");
}

static void test_a_record_that_is_not_whole_is_left_for_later(void **state)
{
	struct jit_names before;
	struct diag why;
	size_t whole, end;
	int fd;

	(void)state;
	put_load(0x1000, 0x20, "first");
	whole = used;
	put_load(0x2000, 0x20, "second");
	end = used;
	for (used = whole; used < end; used++) {	/* wherever it is cut */
		read_dump();
		assert_int_equal(names.tables.reply->read_bytes, whole);
		assert_int_equal(names.tables.names.header->row_count, 1);
		jit_fixture_finish(&names);
	}
	used = whole;
	read_dump();
	before = names;
	fd = jit_fixture_file(before.bytes, before.count);
	used = end;
	put_move(0x1000, 0x3000, 0x20);
	assert_int_equal(compile(fd, whole, &why), 0);
	close(fd);
	jit_fixture_finish(&before);
	expect(0x1000, "first");
	expect(0x2000, "second");
	expect(0x3000, "first");	/* the name is of the look before */
}

static void test_a_record_without_a_size_ends_the_look(void **state)
{
	size_t whole;

	(void)state;
	put_load(0x1000, 0x20, "first");
	whole = used;
	put_words((const uint32_t[]){ LOAD, 15, 0, 0 }, 4);
	put_load(0x2000, 0x20, "second");
	read_dump();
	assert_int_equal(names.tables.reply->read_bytes, whole);
	assert_int_equal(names.tables.reply->skipped, 1);
	expect(0x1000, "first");
	expect(0x2000, "");
}

static void test_records_too_short_for_their_kind_are_skipped(void **state)
{
	(void)state;
	put_head(LOAD, 8);
	put_quads((const uint64_t[]){ 1 }, 1);
	put_head(MOVE, 8);
	put_quads((const uint64_t[]){ 1 }, 1);
	put_load(0x1000, 0, "no size");
	put_load(0x1000, 0x20, "");
	put_load(0x1000, 0x20, "good");
	read_dump();
	assert_int_equal(names.tables.reply->skipped, 4);
	expect(0x1000, "good");
}

static void test_what_is_no_jitdump_is_refused(void **state)
{
	(void)state;
	put_header(0x4454694a, 0x1000000, HEADER_BYTES);
	expect_refused(-ENOEXEC, "jitdump of the other byte order");
	put_header(0x464c457f, 1, HEADER_BYTES);
	expect_refused(-ENOEXEC, "not a jitdump");
	put_header(0x4a695444, 2, HEADER_BYTES);
	expect_refused(-ENOEXEC, "jitdump of version 2, expected 1");
	put_header(0x4a695444, 1, HEADER_BYTES - 1);
	expect_refused(-EBADMSG, "jitdump with a header of 39 bytes");
	put_header(0x4a695444, 1, HEADER_BYTES + 1);
	expect_refused(-EBADMSG, "jitdump with a header of 41 bytes");
	used = HEADER_BYTES - 1;
	expect_refused(-ENOEXEC, "jitdump without its header");
}

UNIT_TESTS(test_jitdump)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		TEST(test_loaded_and_moved_code_is_named),
		TEST(test_other_records_are_stepped_over),
		TEST(test_an_unwinding_record_is_about_the_code_loaded_next),
		TEST(test_an_unwinding_record_waits_for_its_code),
		TEST(test_an_unwinding_record_larger_than_itself_is_skipped),
		TEST(test_a_longer_header_is_stepped_over),
		TEST(test_a_record_that_is_not_whole_is_left_for_later),
		TEST(test_a_record_without_a_size_ends_the_look),
		TEST(test_records_too_short_for_their_kind_are_skipped),
		TEST(test_what_is_no_jitdump_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
