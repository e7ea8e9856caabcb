/* The checks of segments and of a jitdump's code: good replies made by hand, and everything that
 * may be wrong with them. */
#include <elf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sandbox/code_files.h"
#include "unit_tests.h"

static const struct elf_segments good = {
	.magic = ELF_SEGMENTS_MAGIC, .build_id = { .count = 20 }, .machine = EM_X86_64, .count = 3,
	.rows = { { .address = 0, .offset = 0, .bytes = 0x1000 },
		  { .address = 0x2000, .offset = 0x1000, .bytes = 0x100, .is_code = 1 },
		  { .address = 0x4000, .offset = 0x1100, .bytes = 0x100 } },
};

static int check_segments(const struct elf_segments *segments)
{
	struct elf_segments out;

	return elf_segments_check(&out, segments, sizeof(*segments), NULL);
}

static void test_code_is_found_in_its_segment_only(void **state)
{
	uint64_t offset;

	(void)state;
	assert_int_equal(check_segments(&good), 0);
	assert_true(elf_segments_find_code(&good, 0x2010, 0xf0, &offset));
	assert_int_equal(offset, 0x1010);
	assert_false(elf_segments_find_code(&good, 0x2010, 0xf1, &offset));
	assert_false(elf_segments_find_code(&good, 0x1fff, 1, &offset));
	assert_false(elf_segments_find_code(&good, 0x4000, 1, &offset));	/* no code */
	assert_false(elf_segments_find_code(&good, 0x2000, UINT64_MAX, &offset));
}

static void test_bad_segments_are_refused(void **state)
{
	struct elf_segments bad = good, out;

	(void)state;
	bad.magic++;
	assert_int_equal(check_segments(&bad), -EBADMSG);
	bad = good;
	bad.build_id.count = BUILD_ID_MAX_BYTES + 1;
	assert_int_equal(check_segments(&bad), -EBADMSG);
	bad = good;
	bad.count = ELF_SEGMENTS_MAX + 1;
	assert_int_equal(check_segments(&bad), -EBADMSG);
	bad = good;
	bad.rows[2].address = UINT64_MAX - 0xfe;
	assert_int_equal(check_segments(&bad), -EBADMSG);
	bad = good;
	bad.rows[1].bytes = UINT64_MAX;
	assert_int_equal(check_segments(&bad), -EBADMSG);
	bad = good;
	bad.rows[1].offset = (uint64_t)INT64_MAX - 1;
	assert_int_equal(check_segments(&bad), -EBADMSG);
	bad.rows[1].offset = UINT64_MAX;
	assert_int_equal(check_segments(&bad), -EBADMSG);
	bad = good;
	bad.rows[2].address = 0x1fff;
	assert_int_equal(check_segments(&bad), -EBADMSG);
	assert_int_equal(elf_segments_check(&out, &good, sizeof(good) - 1, NULL), -EBADMSG);
}

struct code_reply {
	struct jit_code_header header;
	unsigned char code[16];
};

static int check_code(const struct code_reply *reply, size_t bytes, uint64_t wanted)
{
	struct jit_code out;

	return jit_code_check(&out, reply, bytes, wanted, NULL);
}

static void test_code_of_a_jitdump_is_checked(void **state)
{
	const struct code_reply fine = { .header = { .magic = JIT_CODE_MAGIC, .bytes = 16,
						     .machine = MACHINE_AARCH64 } };
	struct code_reply bad = fine;

	(void)state;
	assert_int_equal(check_code(&fine, sizeof(fine), 16), 0);
	assert_int_equal(check_code(&fine, sizeof(fine), 15), -EBADMSG);
	assert_int_equal(check_code(&fine, sizeof(fine) - 1, 16), -EBADMSG);
	assert_int_equal(check_code(&fine, sizeof(fine.header) - 1, 16), -EBADMSG);
	bad.header.magic++;
	assert_int_equal(check_code(&bad, sizeof(bad), 16), -EBADMSG);
	bad = fine;
	bad.header.machine = MACHINE_UNKNOWN;
	assert_int_equal(check_code(&bad, sizeof(bad), 16), -EBADMSG);
	bad.header.machine = MACHINE_AARCH64 + 1;
	assert_int_equal(check_code(&bad, sizeof(bad), 16), -EBADMSG);
	bad = fine;
	bad.header.is_later = 2;
	assert_int_equal(check_code(&bad, sizeof(bad), 16), -EBADMSG);
	bad = fine;
	bad.header.bytes = UINT64_MAX;
	assert_int_equal(check_code(&bad, sizeof(bad), UINT64_MAX), -EBADMSG);
}

UNIT_TESTS(test_elf_segments)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_code_is_found_in_its_segment_only),
		cmocka_unit_test(test_bad_segments_are_refused),
		cmocka_unit_test(test_code_of_a_jitdump_is_checked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
