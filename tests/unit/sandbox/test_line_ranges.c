/* The check of what a worker replies about lines of code: one good reply made by hand, and
 * everything that may be wrong with it. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "random_numbers.h"
#include "sandbox/lines.h"
#include "unit_tests.h"

/* inner (a.h:3), inlined into outer (b.c:9) at 0x10 to 0x20; outer (b.c:10) at 0x20 to 0x28; a
 * hole; outer (b.c:11) at 0x30 to 0x34. Two statements at 0x10: the call and the inner line. */
struct reply {
	struct line_ranges_header header;
	struct line_range ranges[3];
	struct line_statement statements[3];
	struct line_range_frame frames[4];
	struct line_file files[2];
	char strings[24];
};

static const struct reply good = {
	.header = { .magic = LINE_RANGES_MAGIC, .version = LINE_RANGES_VERSION,
		    .range_count = 3, .statement_count = 3, .frame_count = 4, .file_count = 2,
		    .string_bytes = sizeof(good.strings), .named_file = 1, .named_line = 7 },
	.ranges = { { 0x10, 0x20, 0, 2, LINE_IS_STATEMENT, 4 },
		    { 0x20, 0x28, 2, 1, LINE_IS_STATEMENT, 0 },
		    { 0x30, 0x34, 3, 1, 0, 0 } },
	.statements = { { 0x10, 1, 9, 1, LINE_IS_MARKED | LINE_IS_CALL },
			{ 0x10, 0, 3, 0, 0 },
			{ 0x20, 1, 10, 2, LINE_IS_MARKED } },
	.frames = { { 1, 0, 3, 0, 2 }, { 7, 1, 9, 1, 7 }, { 7, 1, 10, 1, 7 },
		    { 7, 1, 11, UINT32_MAX, 0 } },
	.files = { { 13, 0, 1, { 0 }, { 0xab } }, { 17, 21, 0, { 0 }, { 0 } } },
	.strings = "\0inner\0outer\0a.h\0b.c\0f;",
};

static struct reply reply;
static struct line_ranges lines;

static int check_bytes(size_t bytes)
{
	return line_ranges_check(&lines, &reply, bytes, NULL);
}

static int check(void)
{
	return check_bytes(offsetof(struct reply, strings) + sizeof(reply.strings));
}

static int set_up(void **state)
{
	(void)state;
	reply = good;
	return 0;
}

/* Checks the reply as it was changed, which must be refused; makes it good again. */
static void expect_refused(void)
{
	assert_int_equal(check(), -EBADMSG);
	reply = good;
	assert_int_equal(check(), 0);
}

static void test_a_good_reply_is_read(void **state)
{
	(void)state;
	assert_int_equal(check(), 0);
	assert_int_equal(lines.header->named_line, 7);
	assert_string_equal(line_ranges_text(&lines, lines.frames[0].function), "inner");
	assert_string_equal(line_ranges_path(&lines, lines.frames[0].file), "a.h");
	assert_string_equal(line_ranges_path(&lines, lines.frames[3].declared_file), "");
	assert_int_equal(lines.statements[2].line, 10);
	assert_int_equal(lines.files[0].md5[0], 0xab);
	assert_string_equal(line_ranges_text(&lines, lines.files[1].text), "f;");
}

static void test_an_address_is_found_in_its_range(void **state)
{
	(void)state;
	assert_int_equal(check(), 0);
	assert_null(line_ranges_find(&lines, 0xf));
	assert_ptr_equal(line_ranges_find(&lines, 0x10), &lines.ranges[0]);
	assert_ptr_equal(line_ranges_find(&lines, 0x1f), &lines.ranges[0]);
	assert_ptr_equal(line_ranges_find(&lines, 0x20), &lines.ranges[1]);
	assert_null(line_ranges_find(&lines, 0x28));
	assert_ptr_equal(line_ranges_find(&lines, 0x33), &lines.ranges[2]);
	assert_null(line_ranges_find(&lines, 0x34));
}

static void test_a_reply_of_another_length_is_refused(void **state)
{
	const size_t whole = offsetof(struct reply, strings) + sizeof(reply.strings);

	(void)state;
	for (size_t bytes = 0; bytes < whole; bytes++)
		assert_int_equal(check_bytes(bytes), -EBADMSG);
	assert_int_equal(check_bytes(whole + 1), -EBADMSG);
}

static void test_a_wrong_header_is_refused(void **state)
{
	(void)state;
	reply.header.magic++;
	expect_refused();
	reply.header.version++;
	expect_refused();
	reply.header.range_count = UINT32_MAX;
	expect_refused();
	reply.header.statement_count = 2;
	expect_refused();
	reply.header.frame_count = UINT32_MAX;
	expect_refused();
	reply.header.file_count = 1;
	expect_refused();
	reply.header.string_bytes = 0;
	expect_refused();
	reply.header.build_id.count = BUILD_ID_MAX_BYTES + 1;
	expect_refused();
	reply.header.alternate.count = BUILD_ID_MAX_BYTES + 1;
	expect_refused();
	memset(reply.header.alternate_name, 'x', sizeof(reply.header.alternate_name));
	expect_refused();
	reply.header.named_file = 2;
	expect_refused();
}

static void test_ranges_out_of_order_or_empty_are_refused(void **state)
{
	(void)state;
	reply.ranges[1].begin = 0x1f;
	expect_refused();
	reply.ranges[2].begin = 0;
	expect_refused();
	reply.ranges[2].end = 0x30;
	expect_refused();
	reply.ranges[2].end = 0x2f;
	expect_refused();
	reply.ranges[2].flags = 2;
	expect_refused();
}

static void test_a_range_without_its_frames_is_refused(void **state)
{
	(void)state;
	reply.ranges[0].count = 0;
	expect_refused();
	reply.ranges[0].count = LINE_DEPTH_MAX + 1;
	expect_refused();
	reply.ranges[2].count = 2;
	expect_refused();
	reply.ranges[2].first = 4;
	expect_refused();
	reply.ranges[2].first = UINT32_MAX;
	expect_refused();
}

static void test_a_statement_outside_of_its_range_is_refused(void **state)
{
	(void)state;
	reply.statements[1].at = 0xf;
	expect_refused();
	reply.statements[0].at = 0xf;
	expect_refused();
	reply.statements[2].at = 0x28;
	expect_refused();
	reply.statements[2].at = 0x34;
	expect_refused();
	reply.statements[0].frame = 2;
	expect_refused();
	reply.statements[2].frame = 1;
	expect_refused();
	reply.statements[2].frame = UINT32_MAX;
	expect_refused();
	reply.statements[2].file = 2;
	expect_refused();
	reply.statements[2].flags = 8;
	expect_refused();
}

static void test_text_or_file_outside_is_refused(void **state)
{
	(void)state;
	reply.frames[1].function = sizeof(reply.strings);
	expect_refused();
	reply.frames[1].file = 2;
	expect_refused();
	reply.frames[1].declared_file = 2;
	expect_refused();
	reply.files[1].path = sizeof(reply.strings);
	expect_refused();
	reply.files[1].text = UINT32_MAX;
	expect_refused();
	reply.files[1].has_md5 = 2;
	expect_refused();
	reply.strings[sizeof(reply.strings) - 1] = 'x';
	expect_refused();
}

static void test_a_reply_without_code_is_read(void **state)
{
	struct {
		struct line_ranges_header header;
		char strings[8];
	} empty = { .header = good.header };

	(void)state;
	empty.header.range_count = empty.header.statement_count = 0;
	empty.header.frame_count = empty.header.file_count = 0;
	empty.header.named_file = UINT32_MAX;
	empty.header.string_bytes = 1;
	assert_int_equal(line_ranges_check(&lines, &empty, sizeof(empty.header) + 1, NULL), 0);
	assert_null(line_ranges_find(&lines, 0));
}

/* Whatever single bytes are wrong, what passes the check can be read through. */
static void test_a_damaged_reply_is_safe_to_read(void **state)
{
	const size_t fixed = offsetof(struct reply, strings);
	uint64_t seed = 1;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		reply = good;
		for (int i = 0; i < 2; i++)
			((unsigned char *)&reply)[random_next(&seed) % fixed] =
				(unsigned char)random_next(&seed);
		if (check())
			continue;
		for (uint32_t i = 0; i < lines.header->range_count; i++)
			for (uint32_t f = 0; f < lines.ranges[i].count; f++) {
				const struct line_range_frame *frame =
					&lines.frames[lines.ranges[i].first + f];

				assert_true(strlen(line_ranges_path(&lines, frame->file)) < 24);
				assert_true(strlen(line_ranges_text(&lines, frame->function)) < 24);
			}
	}
}

UNIT_TESTS(test_line_ranges)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_a_good_reply_is_read, set_up),
		cmocka_unit_test_setup(test_an_address_is_found_in_its_range, set_up),
		cmocka_unit_test_setup(test_a_reply_of_another_length_is_refused, set_up),
		cmocka_unit_test_setup(test_a_wrong_header_is_refused, set_up),
		cmocka_unit_test_setup(test_ranges_out_of_order_or_empty_are_refused, set_up),
		cmocka_unit_test_setup(test_a_range_without_its_frames_is_refused, set_up),
		cmocka_unit_test_setup(test_a_statement_outside_of_its_range_is_refused, set_up),
		cmocka_unit_test_setup(test_text_or_file_outside_is_refused, set_up),
		cmocka_unit_test_setup(test_a_reply_without_code_is_read, set_up),
		cmocka_unit_test_setup(test_a_damaged_reply_is_safe_to_read, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
