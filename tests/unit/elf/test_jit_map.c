/* The text of a perf map, with the names expected of it written down by hand. */
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

static struct jit_names names;

static void read_text(const char *text, int before, uint64_t offset)
{
	struct diag why = { .err = 0 };
	int fd = jit_fixture_file(text, strlen(text));
	size_t count;
	void *bytes;

	assert_int_equal(jit_map_compile(fd, before, offset, &bytes, &count, &why), 0);
	close(fd);
	jit_fixture_take(&names, bytes, count);
}

static void expect(uint64_t address, const char *name)
{
	assert_string_equal(jit_fixture_name(&names, address), name);
}

static int tear_down(void **state)
{
	(void)state;
	jit_fixture_finish(&names);
	return 0;
}

static void test_lines_have_a_start_a_size_and_the_rest_is_the_name(void **state)
{
	(void)state;
	read_text("7f0000001000 20 plain\n"
		  "0x7f0000002000 0x40 with prefixes\n"
		  "7F0000003000 A JS:*join /srv/a b.js:3:20\n"
		  "7f0000004000\t10 \t two blanks  \n"
		  "7f0000005000 10 from windows\r\n", -1, 0);
	expect(0x7f0000000fff, "");
	expect(0x7f0000001000, "plain");
	expect(0x7f000000101f, "plain");
	expect(0x7f0000001020, "");
	expect(0x7f000000203f, "with prefixes");
	expect(0x7f0000003009, "JS:*join /srv/a b.js:3:20");
	expect(0x7f000000300a, "");
	expect(0x7f0000004000, "two blanks  ");
	expect(0x7f0000005000, "from windows");
	assert_int_equal(names.tables.reply->skipped, 0);
}

static const struct unwind_row called = { .kind = UNWIND_SP, .cfa = 1 };
static const struct unwind_row calls = { .kind = UNWIND_SP, .cfa = 2 };
static const struct unwind_row framed = { .kind = UNWIND_SP, .cfa = 2, .bp = -2 };
static const struct unwind_row gap = { .kind = UNWIND_GAP };

/* What is called from there returns after `call *%rcx`: bytes 4 and 5, 8 and 9 after an endbr64;
 * 4 and 5, 8 and 9 where a frame pointer was pushed. */
static void test_trampolines_of_python_have_unwind_rows(void **state)
{
	(void)state;
	read_text("7f0000001000 b py::f:/x.py\n"
		  "7f0000001010 f py::g:/x.py\n"
		  "7f0000001020 8 py::h:/x.py\n"
		  "7f0000001030 c py::i:/x.py\n"
		  "7f0000001040 b f:/x.py\n"
		  "7f0000001050 20 py::j:/x.py\n", -1, 0);
	jit_fixture_expect_row(&names, 0x7f0000001000, called);
	jit_fixture_expect_row(&names, 0x7f0000001003, called);
	jit_fixture_expect_row(&names, 0x7f0000001004, calls);
	jit_fixture_expect_row(&names, 0x7f0000001005, calls);
	jit_fixture_expect_row(&names, 0x7f0000001009, calls);
	jit_fixture_expect_row(&names, 0x7f000000100a, called);
	jit_fixture_expect_row(&names, 0x7f000000100b, gap);
	jit_fixture_expect_row(&names, 0x7f0000001017, called);
	jit_fixture_expect_row(&names, 0x7f0000001019, calls);
	jit_fixture_expect_row(&names, 0x7f000000101e, called);
	jit_fixture_expect_row(&names, 0x7f0000001020, called);
	jit_fixture_expect_row(&names, 0x7f0000001021, framed);
	jit_fixture_expect_row(&names, 0x7f0000001027, called);
	jit_fixture_expect_row(&names, 0x7f0000001028, gap);
	jit_fixture_expect_row(&names, 0x7f0000001034, called);
	jit_fixture_expect_row(&names, 0x7f0000001039, framed);
	jit_fixture_expect_row(&names, 0x7f000000103b, called);
	jit_fixture_expect_row(&names, 0x7f0000001045, gap);	/* not Python's */
	jit_fixture_expect_row(&names, 0x7f0000001055, gap);	/* its size is no trampoline's */
}

static void test_unwind_rows_are_kept_from_one_look_to_the_next(void **state)
{
	static const char text[] = "7f0000001000 b py::f:/x.py\n7f0000001020 b py::g:/x.py\n"
				   "7f0000001040 b py::h:/x.py\n";
	struct jit_names before;
	int fd;

	(void)state;
	read_text("7f0000001000 b py::f:/x.py\n7f0000001020 b py::g:/x.py\n", -1, 0);
	before = names;
	fd = jit_fixture_file(before.bytes, before.count);
	read_text(text, fd, before.tables.reply->read_bytes);
	close(fd);
	jit_fixture_finish(&before);
	for (uint64_t start = 0x7f0000001000; start < 0x7f0000001060; start += 0x20) {
		jit_fixture_expect_row(&names, start, called);
		jit_fixture_expect_row(&names, start + 4, calls);
		jit_fixture_expect_row(&names, start + 10, called);
		jit_fixture_expect_row(&names, start + 11, gap);
	}
}

/* Two bytes of a trampoline belong to what was made there later. */
static void test_code_over_a_trampoline_takes_its_rows(void **state)
{
	(void)state;
	read_text("7f0000001000 b py::f:/x.py\n7f0000001004 2 other\n"
		  "7f0200000000 b py::far:/x.py\n", -1, 0);
	jit_fixture_expect_row(&names, 0x7f0000001003, called);
	jit_fixture_expect_row(&names, 0x7f0000001004, gap);
	jit_fixture_expect_row(&names, 0x7f0000001006, calls);
	jit_fixture_expect_row(&names, 0x7f000000100a, called);
	expect(0x7f0200000000, "py::far:/x.py");	/* too far away for a row */
	assert_int_equal(names.tables.unwind.header->row_count, 5);
}

static void test_lines_that_say_nothing_are_skipped_and_counted(void **state)
{
	(void)state;
	read_text("# a comment\n"
		  "\n"
		  "1000\n"
		  "1000 10\n"
		  "1000 10 \n"
		  "1000 0 no_size\n"
		  "xyz 10 no_number\n"
		  "1000g 10 no_number\n"
		  "0x 10 no_number\n"
		  "-1000 10 negative\n"
		  "11112222333344445 10 more_than_64_bits\n"
		  "ffffffffffffffff 10 wraps\n"
		  "2000 10 good\n", -1, 0);
	assert_int_equal(names.tables.reply->skipped, 12);
	assert_int_equal(names.tables.names.header->row_count, 1);
	expect(0x2000, "good");
}

static void test_a_line_without_its_end_is_left_for_later(void **state)
{
	static const char text[] = "1000 10 whole\n2000 10 cut";

	(void)state;
	read_text(text, -1, 0);
	assert_int_equal(names.tables.reply->read_bytes, strlen("1000 10 whole\n"));
	assert_int_equal(names.tables.names.header->row_count, 1);
}

static void test_a_file_that_grew_is_read_from_where_it_ended(void **state)
{
	static const char text[] = "1000 100 first\n2000 10 second\n1080 10 third\n";
	struct jit_names before;
	int fd;

	(void)state;
	read_text("1000 100 first\n2000 1", -1, 0);
	before = names;
	assert_int_equal(before.tables.reply->read_bytes, 15);
	fd = jit_fixture_file(before.bytes, before.count);
	read_text(text, fd, 15);
	close(fd);
	jit_fixture_finish(&before);
	assert_int_equal(names.tables.reply->read_bytes, strlen(text));
	expect(0x107f, "first");
	expect(0x1080, "third");
	expect(0x1090, "first");
	expect(0x2000, "second");
}

static void test_an_empty_file_is_an_empty_table(void **state)
{
	(void)state;
	read_text("", -1, 0);
	assert_int_equal(names.tables.reply->read_bytes, 0);
	assert_int_equal(names.tables.names.header->row_count, 0);
}

static void test_a_file_that_is_too_large_is_not_read(void **state)
{
	struct diag why = { .err = 0 };
	int fd = jit_fixture_file("", 0);
	size_t count;
	void *bytes;

	(void)state;
	assert_int_equal(ftruncate(fd, (off_t)JIT_MAP_BYTES_MAX + 1), 0);
	assert_int_equal(jit_map_compile(fd, -1, 0, &bytes, &count, &why), -E2BIG);
	assert_string_equal(why.text, "perf map is larger than 64 MiB");
	close(fd);
}

UNIT_TESTS(test_jit_map)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_teardown(name, tear_down)
		TEST(test_lines_have_a_start_a_size_and_the_rest_is_the_name),
		TEST(test_trampolines_of_python_have_unwind_rows),
		TEST(test_unwind_rows_are_kept_from_one_look_to_the_next),
		TEST(test_code_over_a_trampoline_takes_its_rows),
		TEST(test_lines_that_say_nothing_are_skipped_and_counted),
		TEST(test_a_line_without_its_end_is_left_for_later),
		TEST(test_a_file_that_grew_is_read_from_where_it_ended),
		TEST(test_an_empty_file_is_an_empty_table),
		cmocka_unit_test(test_a_file_that_is_too_large_is_not_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
