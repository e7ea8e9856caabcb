/* Lines match a pattern as for perf probe(1): blanks do not count, globs do, and the whole line has
 * to match. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "probe/line_pattern.h"
#include "unit_tests.h"

static void matches(const char *pattern, const char *line)
{
	if (!line_pattern_matches(pattern, line, strlen(line)))
		fail_msg("\"%s\" does not match \"%s\"", pattern, line);
}

static void differs(const char *pattern, const char *line)
{
	if (line_pattern_matches(pattern, line, strlen(line)))
		fail_msg("\"%s\" matches \"%s\"", pattern, line);
}

static void test_blanks_do_not_count(void **state)
{
	(void)state;
	matches("a=*", "a=b");
	matches("a=*", "a = b");
	matches("a=*", "\ta == b ;  ");
	matches("a = b;", "\t\ta=b;\r");
	matches("rq=cpu_rq(cpu);", "\trq = cpu_rq(cpu);");
	matches("returnx;", "\treturn x;");
	matches("a b", "ab");
	matches("*", "");
	matches("*", "   ");
	differs("a=*", "x; a=b");
	differs("a=b", "a=b;");
	differs("a=b;", "a=b");
	differs("a", "");
}

static void test_wildcards_and_classes(void **state)
{
	(void)state;
	matches("*update(*);", "\tif (x) update( y );");
	matches("*a*b*c*", "xxaxxbxxcxx");
	matches("*aab", "aaaab");
	differs("*aab", "aaaaba");
	matches("a?c", "a b c");
	differs("a?c", "a c");		/* a blank is nothing that ? could match */
	matches("x[0-9]=?;", "x7 = y;");
	differs("x[0-9]=?;", "xa = y;");
	matches("x[!0-9]", "xa");
	differs("x[!0-9]", "x5");
	matches("[]x]", "]");
	matches("[a-]", "-");
	matches("a[", "a [");
	differs("a[b", "ab");
	matches("[*]p", "*p");
	matches("\\*p=\\[x", "*p = [x");
	differs("\\*p", "xp");
	matches("a\\", "a\\");
	matches("p[ab ]q", "pbq");
}

/* An exponential matcher would not end before the test's time. */
static void test_many_stars_end(void **state)
{
	char line[4096];

	(void)state;
	memset(line, 'a', sizeof(line));
	assert_false(line_pattern_matches("*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b", line,
					  sizeof(line)));
	assert_true(line_pattern_matches("*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*", line,
					 sizeof(line)));
}

static void test_lines_of_a_range_are_found(void **state)
{
	static const char text[] = "x = 1;\n\n\tx = 2;\ny = 3;\n  x=4;";
	uint32_t lines[3] = { 0 };

	(void)state;
	assert_int_equal(line_pattern_find("x=*;", text, strlen(text), 1, UINT32_MAX, lines, 3), 3);
	assert_int_equal(lines[0], 1);
	assert_int_equal(lines[1], 3);
	assert_int_equal(lines[2], 5);
	assert_int_equal(line_pattern_find("x=*;", text, strlen(text), 2, 4, lines, 3), 1);
	assert_int_equal(lines[0], 3);
	lines[1] = 0;
	assert_int_equal(line_pattern_find("x=*;", text, strlen(text), 1, 9, lines, 1), 3);
	assert_int_equal(lines[0], 1);
	assert_int_equal(lines[1], 0);
	assert_int_equal(line_pattern_find("*", text, 0, 1, 9, lines, 3), 0);
}

UNIT_TESTS(test_line_pattern)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_blanks_do_not_count),
		cmocka_unit_test(test_wildcards_and_classes),
		cmocka_unit_test(test_many_stars_end),
		cmocka_unit_test(test_lines_of_a_range_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
