/* Places worked out by hand from the kernel's headers <asm/perf_regs.h>. x86-64: AX BX CX DX SI DI
 * BP SP IP are bits 0 to 8, flags and segments 9 to 15, R8 to R15 are 16 to 23. aarch64: X0 to X29
 * are bits 0 to 29, LR 30, SP 31, PC 32; VG, the length of vectors, is bit 46. */
#include "capture/stack_copy.h"
#include "unit_tests.h"

#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define X86_GENERAL   UINT64_C(0xff01ff)	/* AX to IP, R8 to R15 */
#define ARM64_GENERAL UINT64_C(0x1ffffffff)	/* X0 to PC */
#define ARM64_VG      (UINT64_C(1) << 46)

static uint64_t words[64];
static struct record_sample sample;

static int count_words(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 64; i++)
		words[i] = 100 + i;
	sample = (struct record_sample){ .user_abi = PERF_SAMPLE_REGS_ABI_64, .user_regs = words };
	return 0;
}

static struct record_format format_of(enum machine machine, uint64_t mask)
{
	return (struct record_format){ .machine = machine, .user_regs_mask = mask };
}

static bool has_registers(enum machine machine, uint64_t mask)
{
	const struct record_format format = format_of(machine, mask);
	struct user_registers registers;

	return user_registers_read(&format, &sample, &registers);
}

static void test_all_general_registers_and_ip_are_requested(void **state)
{
	(void)state;
#if defined(__x86_64__)
	assert_true(user_registers_mask() == X86_GENERAL);
#elif defined(__aarch64__)
	assert_true(user_registers_mask() == ARM64_GENERAL);
#else
	assert_true(user_registers_mask() == 0);
#endif
}

static void test_a_register_is_where_the_bits_below_it_end(void **state)
{
	const struct record_format x86 = format_of(MACHINE_X86_64, X86_GENERAL);
	const struct record_format arm = format_of(MACHINE_AARCH64, ARM64_GENERAL);
	struct user_registers registers;

	(void)state;
	assert_true(user_registers_read(&x86, &sample, &registers));
	assert_int_equal(registers.bp, 106);
	assert_int_equal(registers.sp, 107);
	assert_int_equal(registers.ip, 108);
	assert_int_equal(registers.lr, 0);
	assert_true(user_registers_read(&arm, &sample, &registers));
	assert_int_equal(registers.bp, 129);
	assert_int_equal(registers.lr, 130);
	assert_int_equal(registers.sp, 131);
	assert_int_equal(registers.ip, 132);
}

/* perf record --user-regs=bp,sp,ip,r12: bits 6, 7, 8 and 20. */
static void test_a_recording_may_have_another_mask(void **state)
{
	const uint64_t mask = 1u << 6 | 1u << 7 | 1u << 8 | 1u << 20;
	const struct record_format format = format_of(MACHINE_X86_64, mask);
	struct user_registers registers;
	uint64_t value;

	(void)state;
	assert_true(user_registers_read(&format, &sample, &registers));
	assert_int_equal(registers.bp, 100);
	assert_int_equal(registers.sp, 101);
	assert_int_equal(registers.ip, 102);
	assert_true(user_registers_find(&format, &sample, 12, &value));	/* r12 */
	assert_int_equal(value, 103);
	assert_false(user_registers_find(&format, &sample, 13, &value));
	assert_false(has_registers(MACHINE_X86_64, 1u << 7 | 1u << 8));
}

/* perf record --user-regs=x29,sp,pc: without lr. */
static void test_the_link_register_may_be_absent(void **state)
{
	const struct record_format format =
		format_of(MACHINE_AARCH64, UINT64_C(1) << 29 | UINT64_C(3) << 31);
	struct user_registers registers;

	(void)state;
	assert_true(user_registers_read(&format, &sample, &registers));
	assert_int_equal(registers.bp, 100);
	assert_int_equal(registers.sp, 101);
	assert_int_equal(registers.ip, 102);
	assert_int_equal(registers.lr, 0);
	assert_false(has_registers(MACHINE_AARCH64, UINT64_C(7) << 30));	/* lr, sp, pc */
}

/* perf record --call-graph fp on aarch64: bit 30 alone. Without PERF_SAMPLE_REGS_USER the mask
 * means nothing. */
static void test_the_link_register_may_be_the_only_one(void **state)
{
	struct record_format format = format_of(MACHINE_AARCH64, UINT64_C(1) << 30);
	const struct record_format x86 = { .sample_type = PERF_SAMPLE_REGS_USER,
					   .machine = MACHINE_X86_64,
					   .user_regs_mask = X86_GENERAL };
	uint64_t lr = 0;

	(void)state;
	assert_false(user_registers_have_lr(&format));
	format.sample_type = PERF_SAMPLE_REGS_USER;
	assert_true(user_registers_have_lr(&format));
	assert_true(user_registers_find_lr(&format, &sample, &lr));
	assert_int_equal(lr, 100);
	assert_false(user_registers_have_lr(&x86));
	assert_false(user_registers_find_lr(&x86, &sample, &lr));
}

static void test_dwarf_counts_registers_in_another_order_on_x86_only(void **state)
{
	static const struct { unsigned int number; uint64_t word; } known[] = {
		{ 0, 100 }, { 1, 103 }, { 2, 102 }, { 3, 101 },	/* ax dx cx bx */
		{ 4, 104 }, { 5, 105 }, { 6, 106 }, { 7, 107 },	/* si di bp sp */
		{ 8, 109 }, { 15, 116 }, { 16, 108 },		/* r8, r15, the return address */
	};
	const struct record_format x86 = format_of(MACHINE_X86_64, X86_GENERAL);
	const struct record_format arm = format_of(MACHINE_AARCH64, ARM64_GENERAL);
	uint64_t value;

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		assert_true(user_registers_find(&x86, &sample, known[i].number, &value));
		assert_int_equal(value, known[i].word);
	}
	assert_false(user_registers_find(&x86, &sample, 17, &value));
	for (unsigned int i = 0; i <= 32; i++) {
		assert_true(user_registers_find(&arm, &sample, i, &value));
		assert_int_equal(value, 100 + i);
	}
	assert_false(user_registers_find(&arm, &sample, 33, &value));
}

static void test_a_kernel_thread_has_none(void **state)
{
	(void)state;
	sample = (struct record_sample){ .user_abi = PERF_SAMPLE_REGS_ABI_NONE };
	assert_false(has_registers(MACHINE_X86_64, X86_GENERAL));
	assert_false(has_registers(MACHINE_AARCH64, ARM64_GENERAL));
}

/* Bit 7 of aarch64's mask is x7, and bits 31 and 32 are not x86's. */
static void test_a_mask_with_bits_that_the_machine_lacks_is_refused(void **state)
{
	(void)state;
	assert_false(has_registers(MACHINE_X86_64, ARM64_GENERAL));
	assert_false(has_registers(MACHINE_AARCH64, X86_GENERAL));
	assert_false(has_registers(MACHINE_AARCH64, ARM64_GENERAL | UINT64_C(1) << 33));
	assert_false(has_registers(MACHINE_X86_64, X86_GENERAL | UINT64_C(1) << 24));
}

/* perf record --user-regs with SVE: the word of VG follows those of the others. */
static void test_the_length_of_vectors_may_be_among_the_registers(void **state)
{
	(void)state;
	assert_true(has_registers(MACHINE_AARCH64, ARM64_GENERAL | ARM64_VG));
}

static void test_an_unknown_machine_has_no_registers(void **state)
{
	(void)state;
	assert_false(has_registers(MACHINE_UNKNOWN, X86_GENERAL));
	assert_false(user_registers_are_known(MACHINE_UNKNOWN));
	assert_true(user_registers_are_known(MACHINE_X86_64));
	assert_true(user_registers_are_known(MACHINE_AARCH64));
}

#define TEST(name) cmocka_unit_test_setup(name, count_words)

UNIT_TESTS(test_user_registers)
{
	const struct CMUnitTest tests[] = {
		TEST(test_all_general_registers_and_ip_are_requested),
		TEST(test_a_register_is_where_the_bits_below_it_end),
		TEST(test_a_recording_may_have_another_mask),
		TEST(test_the_link_register_may_be_absent),
		TEST(test_the_link_register_may_be_the_only_one),
		TEST(test_dwarf_counts_registers_in_another_order_on_x86_only),
		TEST(test_a_kernel_thread_has_none),
		TEST(test_a_mask_with_bits_that_the_machine_lacks_is_refused),
		TEST(test_the_length_of_vectors_may_be_among_the_registers),
		TEST(test_an_unknown_machine_has_no_registers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
