/* Sentences are kept, prefixed and cut, never overrun. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <string.h>

#include <cmocka.h>

#include "base/diag.h"
#include "unit_tests.h"

static void test_set_keeps_the_sentence_and_returns_the_error(void **state)
{
	struct diag why = { 0 };

	(void)state;
	assert_int_equal(diag_set(&why, -EPERM, "CPU %d is closed", 3), -EPERM);
	assert_int_equal(why.err, -EPERM);
	assert_string_equal(why.text, "CPU 3 is closed");
}

static void test_no_diag_still_returns_the_error(void **state)
{
	(void)state;
	assert_int_equal(diag_set(NULL, -EIO, "%s", "lost"), -EIO);
	diag_prefix(NULL, "%s", "x");
}

static void test_prefix_goes_in_front(void **state)
{
	struct diag why;

	(void)state;
	diag_set(&why, -EBADMSG, "bad row");
	diag_prefix(&why, "DSO %s", "libc.so.6");
	assert_string_equal(why.text, "DSO libc.so.6: bad row");
	assert_int_equal(why.err, -EBADMSG);
}

static void test_what_is_too_long_is_cut_and_terminated(void **state)
{
	char text[2 * sizeof(((struct diag *)0)->text)];
	struct diag why;

	(void)state;
	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	diag_set(&why, -E2BIG, "%s", text);
	assert_int_equal(strlen(why.text), sizeof(why.text) - 1);
	diag_prefix(&why, "abc");
	assert_int_equal(strlen(why.text), sizeof(why.text) - 1);
	assert_memory_equal(why.text, "abc: xxx", 8);
	diag_prefix(&why, "%s", text);
	assert_int_equal(strlen(why.text), sizeof(why.text) - 1);
}

UNIT_TESTS(test_diag)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_set_keeps_the_sentence_and_returns_the_error),
		cmocka_unit_test(test_no_diag_still_returns_the_error),
		cmocka_unit_test(test_prefix_goes_in_front),
		cmocka_unit_test(test_what_is_too_long_is_cut_and_terminated),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
