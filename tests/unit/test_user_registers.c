/* Places worked out by hand from <asm/perf_regs.h>: AX BX CX DX SI DI BP SP IP are bits 0 to 8,
 * flags and segments 9 to 15, R8 to R15 are 16 to 23. */
#include "capture/user_registers.h"

#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define ALL_GENERAL 0xff01ffu	/* AX to IP, R8 to R15 */

static uint64_t words[64];
static struct record_sample sample;

static int count_words(void **state)
{
	(void)state;
#ifndef __x86_64__
	skip();
#endif
	for (unsigned int i = 0; i < 64; i++)
		words[i] = 100 + i;
	sample = (struct record_sample){ .user_abi = PERF_SAMPLE_REGS_ABI_64, .user_regs = words };
	return 0;
}

static void test_all_general_registers_and_ip_are_asked_for(void **state)
{
	(void)state;
	assert_true(user_registers_mask() == ALL_GENERAL);
}

static void test_a_register_is_where_the_bits_below_it_end(void **state)
{
	struct user_registers registers;

	(void)state;
	assert_true(user_registers_read(ALL_GENERAL, &sample, &registers));
	assert_int_equal(registers.bp, 106);
	assert_int_equal(registers.sp, 107);
	assert_int_equal(registers.ip, 108);
}

/* perf record --user-regs=bp,sp,ip,r12: bits 6, 7, 8 and 20. */
static void test_a_recording_may_have_another_mask(void **state)
{
	const uint64_t mask = 1u << 6 | 1u << 7 | 1u << 8 | 1u << 20;
	struct user_registers registers;
	uint64_t value;

	(void)state;
	assert_true(user_registers_read(mask, &sample, &registers));
	assert_int_equal(registers.bp, 100);
	assert_int_equal(registers.sp, 101);
	assert_int_equal(registers.ip, 102);
	assert_true(user_registers_find(mask, &sample, 12, &value));	/* r12 */
	assert_int_equal(value, 103);
	assert_false(user_registers_find(mask, &sample, 13, &value));
	assert_false(user_registers_read(1u << 7 | 1u << 8, &sample, &registers));
}

static void test_dwarf_counts_registers_in_another_order(void **state)
{
	static const struct { unsigned int number; uint64_t word; } known[] = {
		{ 0, 100 }, { 1, 103 }, { 2, 102 }, { 3, 101 },	/* ax dx cx bx */
		{ 4, 104 }, { 5, 105 }, { 6, 106 }, { 7, 107 },	/* si di bp sp */
		{ 8, 109 }, { 15, 116 }, { 16, 108 },		/* r8, r15, the return address */
	};
	uint64_t value;

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		assert_true(user_registers_find(ALL_GENERAL, &sample, known[i].number, &value));
		assert_int_equal(value, known[i].word);
	}
	assert_false(user_registers_find(ALL_GENERAL, &sample, 17, &value));
}

static void test_a_kernel_thread_has_none(void **state)
{
	const struct record_sample none = { .user_abi = PERF_SAMPLE_REGS_ABI_NONE };
	struct user_registers registers;

	(void)state;
	assert_false(user_registers_read(ALL_GENERAL, &none, &registers));
}

/* aarch64's mask has 33 bits: its bit 7 is x7. */
static void test_registers_of_another_machine_are_not_ours(void **state)
{
	struct user_registers registers;

	(void)state;
	assert_false(user_registers_read(0x1ffffffffu, &sample, &registers));
}

#define TEST(name) cmocka_unit_test_setup(name, count_words)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_all_general_registers_and_ip_are_asked_for),
		TEST(test_a_register_is_where_the_bits_below_it_end),
		TEST(test_a_recording_may_have_another_mask),
		TEST(test_dwarf_counts_registers_in_another_order),
		TEST(test_a_kernel_thread_has_none),
		TEST(test_registers_of_another_machine_are_not_ours),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
