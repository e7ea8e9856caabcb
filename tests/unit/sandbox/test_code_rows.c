/* The check of what a decoder replies: one good reply made by hand, and everything that may be
 * wrong with it. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "random_numbers.h"
#include "sandbox/code_rows.h"
#include "unit_tests.h"

/* cmp; je to itself | call of a stored address; a byte that is none. */
struct reply {
	struct code_header header;
	struct code_row rows[4];
	char strings[CODE_TEXT_BYTES + 32];
};

static const struct code_query query = {
	.machine = MACHINE_X86_64, .range_count = 2,
	.ranges = { { 0x1000, 0, 4 }, { 0x5000, 4, 7 } },
};

static const struct reply good = {
	.header = { .magic = CODE_ROWS_MAGIC, .version = CODE_ROWS_VERSION,
		    .machine = MACHINE_X86_64, .row_count = 4,
		    .string_bytes = sizeof(good.strings) },
	.rows = {
		{ .address = 0x1000, .length = 2, .flags = CODE_FUSES },
		{ .address = 0x1002, .length = 2, .kind = CODE_BRANCH, .flags = CODE_HAS_TARGET,
		  .target = 0x1002, .text = 4 },
		{ .address = 0x5000, .length = 6, .kind = CODE_INDIRECT_CALL, .flags = CODE_REFERS,
		  .target = 0x5006, .text = 7 },
		{ .address = 0x5006, .length = 1, .kind = CODE_DATA, .text = 12 },
	},
	.strings = "cmp\0je\0call\0.byte",
};

static struct reply reply;
static struct code_rows rows;

static int check_bytes(size_t bytes)
{
	return code_rows_check(&rows, &reply, bytes, &query, NULL);
}

static int check(void)
{
	return check_bytes(sizeof(reply));
}

static int set_up(void **state)
{
	(void)state;
	reply = good;
	return 0;
}

static void test_a_good_reply_is_read(void **state)
{
	(void)state;
	assert_int_equal(check(), 0);
	assert_int_equal(rows.header->row_count, 4);
	assert_string_equal(code_rows_text(&rows, &rows.rows[2]), "call");
}

static void test_a_reply_of_another_length_is_refused(void **state)
{
	(void)state;
	for (size_t bytes = 0; bytes < sizeof(reply); bytes++)
		assert_int_equal(check_bytes(bytes), -EBADMSG);
	assert_int_equal(check_bytes(sizeof(reply) + 1), -EBADMSG);
}

#define EXPECT_REFUSED(field, value)                                                              \
	do {                                                                                      \
		reply = good;                                                                     \
		reply.field = value;                                                              \
		assert_int_equal(check(), -EBADMSG);                                              \
	} while (0)

static void test_a_wrong_header_is_refused(void **state)
{
	(void)state;
	EXPECT_REFUSED(header.magic, CODE_ROWS_MAGIC + 1);
	EXPECT_REFUSED(header.version, CODE_ROWS_VERSION + 1);
	EXPECT_REFUSED(header.machine, MACHINE_UNKNOWN);
	EXPECT_REFUSED(header.machine, MACHINE_X86_32);
	EXPECT_REFUSED(header.machine, MACHINE_AARCH64 + 1);
	EXPECT_REFUSED(header.row_count, 3);
	EXPECT_REFUSED(header.row_count, UINT32_MAX);
	EXPECT_REFUSED(header.string_bytes, 0);
}

static void test_any_machine_is_right_for_a_file(void **state)
{
	struct code_query of_file = query;

	(void)state;
	of_file.machine = MACHINE_UNKNOWN;
	reply.header.machine = MACHINE_AARCH64;
	assert_int_equal(code_rows_check(&rows, &reply, sizeof(reply), &of_file, NULL), 0);
	reply.header.machine = MACHINE_UNKNOWN;
	assert_int_equal(code_rows_check(&rows, &reply, sizeof(reply), &of_file, NULL), -EBADMSG);
}

static void test_rows_that_do_not_fill_their_ranges_are_refused(void **state)
{
	struct code_query other = query;

	(void)state;
	EXPECT_REFUSED(rows[0].address, 0x1001);
	EXPECT_REFUSED(rows[0].length, 0);
	EXPECT_REFUSED(rows[0].length, 1);
	EXPECT_REFUSED(rows[1].length, 3);	/* goes on into the next range */
	EXPECT_REFUSED(rows[1].address, 0x1003);
	EXPECT_REFUSED(rows[2].address, 0x1004);
	reply = good;
	other.range_count = 1;			/* too many rows */
	assert_int_equal(code_rows_check(&rows, &reply, sizeof(reply), &other, NULL), -EBADMSG);
	other = query;
	other.ranges[1].bytes++;		/* too few */
	assert_int_equal(code_rows_check(&rows, &reply, sizeof(reply), &other, NULL), -EBADMSG);
}

/* After the last row the texts look like the row that is missing. */
static void test_texts_are_not_read_as_rows(void **state)
{
	const struct code_row missing = { .address = 0x5007, .length = 1, .kind = CODE_DATA };
	struct code_query longer = query;

	(void)state;
	longer.ranges[1].bytes++;
	memcpy(reply.strings, &missing, sizeof(missing));
	assert_int_equal(code_rows_check(&rows, &reply, sizeof(reply), &longer, NULL), -EBADMSG);
}

/* One range of 16 bytes in one row: longer than any instruction. */
static void test_rows_of_impossible_lengths_are_refused(void **state)
{
	struct code_query one = { .machine = MACHINE_X86_64, .range_count = 1,
				  .ranges = { { 0x1000, 0, 16 } } };
	struct {
		struct code_header header;
		struct code_row row;
		char strings[8];
	} single = { .header = good.header, .row = good.rows[3], .strings = "text" };

	(void)state;
	single.header.row_count = 1;
	single.header.string_bytes = sizeof(single.strings);
	single.row = (struct code_row){ .address = 0x1000, .length = 16 };
	assert_int_equal(code_rows_check(&rows, &single, sizeof(single), &one, NULL), -EBADMSG);
	one.ranges[0].bytes = single.row.length = CODE_LENGTH_MAX;
	assert_int_equal(code_rows_check(&rows, &single, sizeof(single), &one, NULL), 0);
}

static void test_kinds_and_flags_that_mean_nothing_are_refused(void **state)
{
	(void)state;
	EXPECT_REFUSED(rows[0].kind, CODE_KINDS);
	EXPECT_REFUSED(rows[0].flags, CODE_FLAGS + 1);
	EXPECT_REFUSED(rows[0].padding, 1);
	EXPECT_REFUSED(rows[0].flags, CODE_HAS_TARGET);			/* no jump */
	EXPECT_REFUSED(rows[1].flags, CODE_HAS_TARGET | CODE_REFERS);
	EXPECT_REFUSED(rows[1].flags, CODE_HAS_TARGET | CODE_FUSES);	/* the range's last */
	EXPECT_REFUSED(rows[3].target, 1);				/* no flag for it */
}

static void test_text_outside_or_without_end_is_refused(void **state)
{
	(void)state;
	EXPECT_REFUSED(rows[3].text, sizeof(reply.strings));
	EXPECT_REFUSED(rows[0].text, UINT32_MAX);
	EXPECT_REFUSED(strings[sizeof(reply.strings) - 1], 'x');
	reply = good;
	memset(reply.strings + 12, 'x', CODE_TEXT_BYTES - 1);
	assert_int_equal(check(), 0);
	memset(reply.strings + 12, 'x', CODE_TEXT_BYTES);
	assert_int_equal(check(), -EBADMSG);
}

/* What passes may be read through. */
static void test_flipped_bits_are_refused_or_harmless(void **state)
{
	uint64_t seed = 7;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		unsigned char *bytes = (unsigned char *)&reply;

		reply = good;
		for (int flips = 0; flips < 3; flips++)
			bytes[random_below(&seed, sizeof(reply))] ^=
				(unsigned char)(1u << random_below(&seed, 8));
		if (check())
			continue;
		for (uint32_t i = 0; i < rows.header->row_count; i++)
			assert_in_range(strlen(code_rows_text(&rows, &rows.rows[i])), 0,
					CODE_TEXT_BYTES - 1);
	}
}

UNIT_TESTS(test_code_rows)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_a_good_reply_is_read, set_up),
		cmocka_unit_test_setup(test_a_reply_of_another_length_is_refused, set_up),
		cmocka_unit_test_setup(test_a_wrong_header_is_refused, set_up),
		cmocka_unit_test_setup(test_any_machine_is_right_for_a_file, set_up),
		cmocka_unit_test_setup(test_rows_that_do_not_fill_their_ranges_are_refused, set_up),
		cmocka_unit_test_setup(test_texts_are_not_read_as_rows, set_up),
		cmocka_unit_test_setup(test_rows_of_impossible_lengths_are_refused, set_up),
		cmocka_unit_test_setup(test_kinds_and_flags_that_mean_nothing_are_refused, set_up),
		cmocka_unit_test_setup(test_text_outside_or_without_end_is_refused, set_up),
		cmocka_unit_test(test_flipped_bits_are_refused_or_harmless),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
