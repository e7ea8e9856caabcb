/* Wildcards and alternatives, as bash expands them by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/name_match.h"
#include "unit_tests.h"

static void test_alternatives_are_each_tried(void **state)
{
	(void)state;
	assert_true(name_pattern_matches("sys_enter_{fsync,fdatasync}", "sys_enter_fsync"));
	assert_true(name_pattern_matches("sys_enter_{fsync,fdatasync}", "sys_enter_fdatasync"));
	assert_false(name_pattern_matches("sys_enter_{fsync,fdatasync}", "sys_enter_msync"));
	assert_false(name_pattern_matches("sys_enter_{fsync,fdatasync}", "sys_enter_"));
	assert_true(name_pattern_matches("gethostbyname{,2}_r", "gethostbyname_r"));
	assert_true(name_pattern_matches("gethostbyname{,2}_r", "gethostbyname2_r"));
	assert_true(name_pattern_matches("{a,b}_{c,d*}", "b_deep"));
	assert_false(name_pattern_matches("{a,b}_{c,d*}", "c_deep"));
}

static void test_without_alternatives_it_is_a_wildcard(void **state)
{
	(void)state;
	assert_true(name_pattern_matches("vfs_*", "vfs_read"));
	assert_false(name_pattern_matches("vfs_?", "vfs_read"));
	assert_true(name_pattern_matches("same", "same"));
}

static void test_what_is_no_list_of_names_is_text(void **state)
{
	static const char lambda[] = "main::{lambda(int, char)#1}";

	(void)state;
	assert_false(name_pattern_has_alternatives(lambda));
	assert_true(name_pattern_matches(lambda, lambda));
	assert_false(name_pattern_has_alternatives("{fsync}"));
	assert_false(name_pattern_has_alternatives("{a,b"));
	assert_true(name_pattern_has_alternatives("{x} {a,b}"));
}

static void test_a_pattern_that_is_too_long_matches_nothing(void **state)
{
	char pattern[2 * NAME_PATTERN_BYTES];

	(void)state;
	memset(pattern, 'a', sizeof(pattern));
	strcpy(pattern + NAME_PATTERN_BYTES, "{b,c}");
	assert_false(name_pattern_matches(pattern, "a"));
}

UNIT_TESTS(test_name_pattern)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_alternatives_are_each_tried),
		cmocka_unit_test(test_without_alternatives_it_is_a_wildcard),
		cmocka_unit_test(test_what_is_no_list_of_names_is_text),
		cmocka_unit_test(test_a_pattern_that_is_too_long_matches_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
