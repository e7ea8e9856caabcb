/* The check of what a worker replies: one good reply made by hand, and everything that may be
 * wrong with it. */
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

/* Two addresses: inner (a.h:3) in outer (b.c:9); nothing. */
struct reply {
	struct line_header header;
	uint32_t first[3];
	struct line_frame frames[2];
	char strings[23];
};

static const struct reply good = {
	.header = { .magic = LINE_CHAINS_MAGIC, .version = LINE_CHAINS_VERSION,
		    .address_count = 2, .frame_count = 2,
		    .string_bytes = sizeof(good.strings) },
	.first = { 0, 2, 2 },
	.frames = { { 1, 7, 3, 2 }, { 11, 17, 9, 8 } },
	.strings = "\0inner\0a.h\0outer\0b.c",
};

static struct reply reply;
static struct line_chains chains;

static int check_bytes(size_t bytes)
{
	return line_chains_check(&chains, &reply, bytes, 2, NULL);
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

static void test_a_good_reply_is_read(void **state)
{
	(void)state;
	assert_int_equal(check(), 0);
	assert_int_equal(chains.first[1] - chains.first[0], 2);
	assert_string_equal(line_chains_text(&chains, chains.frames[0].function), "inner");
	assert_string_equal(line_chains_text(&chains, chains.frames[0].file), "a.h");
	assert_int_equal(chains.frames[0].line, 3);
	assert_string_equal(line_chains_text(&chains, chains.frames[1].function), "outer");
	assert_int_equal(chains.first[2], chains.first[1]);
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
	assert_int_equal(check(), -EBADMSG);
	reply = good;
	reply.header.version++;
	assert_int_equal(check(), -EBADMSG);
	reply = good;
	reply.header.address_count = 1;
	assert_int_equal(check(), -EBADMSG);
	reply = good;
	reply.header.frame_count = UINT32_MAX;
	assert_int_equal(check(), -EBADMSG);
	reply = good;
	reply.header.string_bytes = 0;
	assert_int_equal(check(), -EBADMSG);
	reply = good;
	reply.header.build_id.count = BUILD_ID_MAX_BYTES + 1;
	assert_int_equal(check(), -EBADMSG);
	reply = good;
	reply.header.alternate.count = BUILD_ID_MAX_BYTES + 1;
	assert_int_equal(check(), -EBADMSG);
	reply = good;
	memset(reply.header.alternate_name, 'x', sizeof(reply.header.alternate_name));
	assert_int_equal(check(), -EBADMSG);
}

static void test_chains_that_overlap_or_leave_frames_out_are_refused(void **state)
{
	(void)state;
	reply.first[0] = 1;
	assert_int_equal(check(), -EBADMSG);
	reply = good;
	reply.first[1] = 3;
	assert_int_equal(check(), -EBADMSG);
	reply = good;
	reply.first[2] = 1;
	assert_int_equal(check(), -EBADMSG);
}

static void test_text_outside_or_without_end_is_refused(void **state)
{
	(void)state;
	reply.frames[1].function = sizeof(reply.strings);
	assert_int_equal(check(), -EBADMSG);
	reply = good;
	reply.frames[0].file = UINT32_MAX;
	assert_int_equal(check(), -EBADMSG);
	reply = good;
	reply.strings[sizeof(reply.strings) - 1] = 'x';
	assert_int_equal(check(), -EBADMSG);
}

/* What passes may be read through: no text is longer than all texts. */
static void test_flipped_bits_are_refused_or_harmless(void **state)
{
	const size_t whole = offsetof(struct reply, strings) + sizeof(reply.strings);
	uint64_t seed = 7;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		unsigned char *bytes = (unsigned char *)&reply;

		reply = good;
		for (int flips = 0; flips < 3; flips++)
			bytes[random_below(&seed, whole)] ^=
				(unsigned char)(1u << random_below(&seed, 8));
		if (check())
			continue;
		for (uint32_t i = 0; i < chains.first[2]; i++) {
			assert_in_range(strlen(line_chains_text(&chains, chains.frames[i].file)), 0,
					sizeof(reply.strings));
			assert_in_range(strlen(line_chains_text(&chains,
								chains.frames[i].function)),
					0, sizeof(reply.strings));
		}
	}
}

UNIT_TESTS(test_line_chains)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_a_good_reply_is_read, set_up),
		cmocka_unit_test_setup(test_a_reply_of_another_length_is_refused, set_up),
		cmocka_unit_test_setup(test_a_wrong_header_is_refused, set_up),
		cmocka_unit_test_setup(test_chains_that_overlap_or_leave_frames_out_are_refused,
				       set_up),
		cmocka_unit_test_setup(test_text_outside_or_without_end_is_refused, set_up),
		cmocka_unit_test_setup(test_flipped_bits_are_refused_or_harmless, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
