/* The manual and the completion have every line of their files; each mark is replaced by a part. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/options.h"
#include "unit_tests.h"

/* Returns what @print prints; free() it. */
static char *printed_by(void (*print)(FILE *out))
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	print(out);
	assert_int_equal(fclose(out), 0);
	return text;
}

/* In @text, which is advanced, the lines of the file at @path follow each other; where the file has
 * "@MARK@" there is at least one other line. */
static void assert_follows_file(const char *text, const char *path)
{
	FILE *file = fopen(path, "r");
	const char *found;
	char line[1024];
	bool is_replaced = false;
	int marks = 0;

	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		if (line[0] == '@') {
			assert_false(is_replaced);
			is_replaced = true;
			marks++;
			continue;
		}
		found = strstr(text, line);
		assert_non_null(found);
		assert_true(is_replaced ? found > text : found == text);
		text = found + strlen(line);
		is_replaced = false;
	}
	fclose(file);
	assert_true(marks > 1);
	assert_string_equal(text, "");
}

static void test_the_manual_is_its_file_and_the_tables(void **state)
{
	char *text = printed_by(manual_print);

	(void)state;
	assert_follows_file(text, "src/cli/flametop.8.in");
	assert_non_null(strstr(text, "\n.It Fl K , Fl -hide-kernel\nno kernel rows.\n"));
	free(text);
}

static void test_the_completion_is_its_file_and_the_table(void **state)
{
	char *text = printed_by(completion_print);

	(void)state;
	assert_follows_file(text, "src/cli/flametop.bash.in");
	assert_non_null(strstr(text, "\n\t--hide-kernel -K\n"));
	free(text);
}

UNIT_TESTS(test_manual)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_manual_is_its_file_and_the_tables),
		cmocka_unit_test(test_the_completion_is_its_file_and_the_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
