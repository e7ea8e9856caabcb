/* "[u:]FILE[:PATTERN]" is told from what the finder looks for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "probe/probe_point.h"
#include "unit_tests.h"

static void splits(const char *text, const char *file, const char *pattern)
{
	char out[32];
	const char *found;

	if (!file_functions_split(text, out, sizeof(out), &found))
		fail_msg("%s", text);
	assert_string_equal(out, file);
	assert_string_equal(found, pattern);
}

static void test_a_file_alone_or_with_a_pattern(void **state)
{
	(void)state;
	splits("./app", "./app", "*");
	splits("/bin/app:*", "/bin/app", "*");
	splits("u:libc.so.6", "libc.so.6", "*");
	splits("u:libc.so.6:mem*", "libc.so.6", "mem*");
	splits("/bin/app:std::f?", "/bin/app", "std::f?");
	splits("/bin/app:{a,b}", "/bin/app", "{a,b}");
}

static void test_anything_else_is_for_the_finder(void **state)
{
	char out[8];
	const char *pattern;

	(void)state;
	assert_false(file_functions_split("vfs_*", out, sizeof(out), &pattern));
	assert_false(file_functions_split("sched:*", out, sizeof(out), &pattern));
	assert_false(file_functions_split("app main", out, sizeof(out), &pattern));
	assert_false(file_functions_split("./app:main", out, sizeof(out), &pattern));
	assert_false(file_functions_split("./app main", out, sizeof(out), &pattern));
	assert_false(file_functions_split("u::x", out, sizeof(out), &pattern));
	assert_false(file_functions_split("", out, sizeof(out), &pattern));
	assert_false(file_functions_split("./long/app", out, sizeof(out), &pattern));
}

UNIT_TESTS(test_file_functions)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_file_alone_or_with_a_pattern),
		cmocka_unit_test(test_anything_else_is_for_the_finder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
