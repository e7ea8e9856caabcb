/* A worker's reply with a source file: each number in it that could lead outside is refused. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sandbox/file_text.h"
#include "unit_tests.h"

static struct {
	struct file_text_reply reply;
	char text[8];
} whole;

static int set_up(void **state)
{
	(void)state;
	whole.reply = (struct file_text_reply){ .magic = FILE_TEXT_MAGIC, .path = 2,
					     .text_bytes = sizeof(whole.text) };
	memcpy(whole.text, "int a;\n\n", sizeof(whole.text));
	return 0;
}

static void expect_bad(size_t bytes, const char *reason)
{
	struct file_text text;
	struct diag why;

	assert_int_equal(file_text_check(&text, &whole, bytes, 3, &why), -EBADMSG);
	assert_string_equal(why.text, reason);
}

static void test_a_whole_reply_is_taken(void **state)
{
	struct file_text text;

	(void)state;
	assert_int_equal(file_text_check(&text, &whole, sizeof(whole), 3, NULL), 0);
	assert_ptr_equal(text.reply, &whole.reply);
	assert_ptr_equal(text.text, whole.text);
}

static void test_a_reply_without_a_header_is_refused(void **state)
{
	(void)state;
	expect_bad(0, "a source file without its header");
	expect_bad(sizeof(whole.reply) - 1, "a source file without its header");
	whole.reply.magic++;
	expect_bad(sizeof(whole), "a source file without its header");
}

static void test_a_text_of_another_length_is_refused(void **state)
{
	(void)state;
	whole.reply.text_bytes--;
	expect_bad(sizeof(whole), "a source file of 56 bytes that says 7");
	whole.reply.text_bytes += 2;
	expect_bad(sizeof(whole), "a source file of 56 bytes that says 9");
	whole.reply.text_bytes = UINT32_MAX;
	expect_bad(sizeof(whole), "a source file of 56 bytes that says 4294967295");
}

static void test_a_path_that_was_not_asked_for_is_refused(void **state)
{
	(void)state;
	whole.reply.path = 3;
	expect_bad(sizeof(whole), "a source file that was not asked for");
}

static void test_a_nul_in_the_text_is_refused(void **state)
{
	(void)state;
	whole.text[sizeof(whole.text) - 1] = '\0';
	expect_bad(sizeof(whole), "a source file with NUL bytes");
}

#define REPLY(test) cmocka_unit_test_setup(test, set_up)

UNIT_TESTS(test_file_text)
{
	static const struct CMUnitTest tests[] = {
		REPLY(test_a_whole_reply_is_taken),
		REPLY(test_a_reply_without_a_header_is_refused),
		REPLY(test_a_text_of_another_length_is_refused),
		REPLY(test_a_path_that_was_not_asked_for_is_refused),
		REPLY(test_a_nul_in_the_text_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
