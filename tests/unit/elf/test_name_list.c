/* What a worker that demangles may reply, and what it may not. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "elf/demangle.h"
#include "unit_tests.h"

static void refuse(const char *bytes, size_t count, uint32_t texts, const char *reason)
{
	struct diag why = { .err = 0 };

	assert_int_equal(name_list_check(bytes, count, texts, 3, &why), -EBADMSG);
	assert_string_equal(why.text, reason);
}

static void test_as_many_terminated_texts_as_asked_for_are_a_list(void **state)
{
	static const char list[] = "abc\0\0x";
	const char *text = list;

	(void)state;
	assert_int_equal(name_list_check(list, sizeof(list), 3, 3, NULL), 0);
	assert_string_equal(text, "abc");
	text = name_list_next(text);
	assert_string_equal(text, "");
	assert_string_equal(name_list_next(text), "x");
	assert_int_equal(name_list_check("", 0, 0, 3, NULL), 0);
}

static void test_a_text_without_its_end_is_refused(void **state)
{
	(void)state;
	refuse("abc\0x", 5, 2, "1 names where 2 were asked for");
	refuse("x", 1, 1, "0 names where 1 were asked for");
}

static void test_another_number_of_texts_is_refused(void **state)
{
	(void)state;
	refuse("a\0b", 4, 3, "2 names where 3 were asked for");
	refuse("a\0b", 4, 1, "more than the 1 names asked for");
	refuse("", 1, 0, "more than the 0 names asked for");
}

static void test_a_text_that_is_too_long_is_refused(void **state)
{
	(void)state;
	refuse("abcd", 5, 1, "a name of more than 3 bytes");
	refuse("a\0abcdefg", 10, 2, "a name of more than 3 bytes");
}

UNIT_TESTS(test_name_list)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_as_many_terminated_texts_as_asked_for_are_a_list),
		cmocka_unit_test(test_a_text_without_its_end_is_refused),
		cmocka_unit_test(test_another_number_of_texts_is_refused),
		cmocka_unit_test(test_a_text_that_is_too_long_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
