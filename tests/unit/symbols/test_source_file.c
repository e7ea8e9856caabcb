/* Source files: lines by number, and what is no text. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "symbols/source_file.h"
#include "unit_tests.h"

static struct source_file *create(const char *text)
{
	struct source_file *file;

	assert_int_equal(source_file_create(&file, text, strlen(text), "a.c", NULL), 0);
	assert_string_equal(file->path, "a.c");
	assert_string_equal(file->warning, "");
	return file;
}

static void expect_line(const struct source_file *file, uint32_t number, const char *wanted)
{
	size_t bytes = 99;
	const char *line = source_file_line(file, number, &bytes);

	if (!wanted) {
		assert_null(line);
		return;
	}
	assert_non_null(line);
	assert_int_equal(bytes, strlen(wanted));
	assert_memory_equal(line, wanted, bytes);
}

static void test_lines_count_from_1_and_come_without_their_ends(void **state)
{
	struct source_file *file = create("int a;\n\nint b;\r\n\tint c;\n");

	(void)state;
	assert_int_equal(file->line_count, 4);
	expect_line(file, 0, NULL);
	expect_line(file, 1, "int a;");
	expect_line(file, 2, "");
	expect_line(file, 3, "int b;");
	expect_line(file, 4, "\tint c;");
	expect_line(file, 5, NULL);
	expect_line(file, UINT32_MAX, NULL);
	source_file_destroy(file);
}

static void test_the_last_line_needs_no_end(void **state)
{
	struct source_file *file = create("a\nb");

	(void)state;
	assert_int_equal(file->line_count, 2);
	expect_line(file, 2, "b");
	source_file_destroy(file);
}

static void test_an_empty_file_has_no_lines(void **state)
{
	struct source_file *file = create("");

	(void)state;
	assert_int_equal(file->line_count, 0);
	expect_line(file, 1, NULL);
	source_file_destroy(file);
}

static void test_a_file_with_nul_bytes_is_no_text(void **state)
{
	struct source_file *file;
	struct diag why;

	(void)state;
	assert_int_equal(source_file_create(&file, "int\0a;\n", 7, "a.c", &why), -EINVAL);
	assert_string_equal(why.text, "not text: it has NUL bytes");
	assert_null(file);
}

static void test_a_file_of_too_many_lines_is_refused(void **state)
{
	const size_t bytes = SOURCE_LINES_MAX + 1;
	struct source_file *file;
	char *text = malloc(bytes);

	(void)state;
	memset(text, '\n', bytes);
	assert_int_equal(source_file_create(&file, text, bytes - 1, "", NULL), 0);
	assert_int_equal(file->line_count, SOURCE_LINES_MAX);
	source_file_destroy(file);
	assert_int_equal(source_file_create(&file, text, bytes, "", NULL), -EFBIG);
	free(text);
}

UNIT_TESTS(test_source_file)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines_count_from_1_and_come_without_their_ends),
		cmocka_unit_test(test_the_last_line_needs_no_end),
		cmocka_unit_test(test_an_empty_file_has_no_lines),
		cmocka_unit_test(test_a_file_with_nul_bytes_is_no_text),
		cmocka_unit_test(test_a_file_of_too_many_lines_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
