/* What the command prints ends up in the log, whole. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/diag.h"
#include "proc/command.h"
#include "unit_tests.h"

static struct log_line lines[LOG_LINES];

/* Writes @text, ends the pipe, and returns how many lines came into the log. */
static size_t lines_of(const char *text)
{
	const size_t before = log_tail(lines, LOG_LINES);
	struct command_output *output;
	int ends[2];

	assert_int_equal(pipe2(ends, O_NONBLOCK), 0);
	assert_int_equal(write(ends[1], text, strlen(text)), strlen(text));
	close(ends[1]);
	assert_int_equal(command_output_start(&output, ends[0], NULL), 0);
	command_output_stop(output);
	close(ends[0]);
	return log_tail(lines, LOG_LINES) - before;
}

static void test_each_line_is_one_of_the_log(void **state)
{
	(void)state;
	assert_int_equal(lines_of("first\nsecond\x1b[2J\nunfinished"), 3);
	assert_string_equal(lines[0].text, "first");
	assert_string_equal(lines[1].text, "second\\x1b[2J");
	assert_string_equal(lines[2].text, "unfinished");
}

static void test_a_long_line_is_not_cut(void **state)
{
	const size_t before = log_tail(lines, LOG_LINES);
	char text[1001], joined[2048] = "";
	size_t count;

	(void)state;
	for (size_t i = 0; i < sizeof(text) - 1; i++)
		text[i] = (char)('a' + i % 26);
	text[sizeof(text) - 1] = '\0';
	count = lines_of(text);
	assert_true(count > 1);
	for (size_t i = before; i < before + count; i++)
		strcat(joined, lines[i].text);
	assert_string_equal(joined, text);
}

UNIT_TESTS(test_command_output)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_line_is_one_of_the_log),
		cmocka_unit_test(test_a_long_line_is_not_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
