/* Texts of /proc/PID/task/TID as Linux 6.1 and 6.18 have them; words of locks as glibc, the kernel
 * and musl write them. */
#include <linux/futex.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>

#include <cmocka.h>

#include "capture/stack_copy.h"
#include "capture/thread_reader.h"
#include "unit_tests.h"

static void test_a_system_call_has_its_arguments_and_registers(void **state)
{
	struct thread_call call;

	(void)state;
	assert_true(thread_call_parse(&call, "202 0x562ed9aa2080 0x80 0x2 0x0 0x5 0x6 "
				      "0x7fbac86f6e38 0x7fbac87a312b\n"));
	assert_int_equal(call.number, 202);
	assert_int_equal(call.arguments[0], 0x562ed9aa2080);
	assert_int_equal(call.arguments[1], 0x80);
	assert_int_equal(call.arguments[5], 6);
	assert_int_equal(call.sp, 0x7fbac86f6e38);
	assert_int_equal(call.ip, 0x7fbac87a312b);
}

static void test_a_thread_blocked_outside_of_a_call_has_registers(void **state)
{
	struct thread_call call;

	(void)state;
	assert_true(thread_call_parse(&call, "-1 0x7ffd2ed5a7a8 0x7f0a1b2c3d4e\n"));
	assert_int_equal(call.number, -1);
	assert_int_equal(call.sp, 0x7ffd2ed5a7a8);
	assert_int_equal(call.ip, 0x7f0a1b2c3d4e);
	assert_int_equal(call.arguments[0], 0);
}

static void test_a_running_thread_has_no_call(void **state)
{
	struct thread_call call;

	(void)state;
	assert_false(thread_call_parse(&call, "running\n"));
	assert_false(thread_call_parse(&call, ""));
	assert_false(thread_call_parse(&call, "202 0x1 0x2\n"));
}

static void test_names_of_kernel_functions_are_without_offset_and_module(void **state)
{
	char out[256];

	(void)state;
	assert_int_equal(thread_kernel_parse("[<0>] futex_wait_queue+0x60/0x90\n"
					     "[<0>] nfs_wait_bit.isra.0+0x1/0x20 [sunrpc]\n"
					     "[<ffffffffffffffff>] 0xffffffffffffffff\n",
					     out, sizeof(out)), 56);
	assert_string_equal(out, "futex_wait_queue nfs_wait_bit.isra.0 0xffffffffffffffff ");
	assert_int_equal(thread_kernel_parse("", out, sizeof(out)), 0);
	assert_string_equal(out, "");
}

static void test_a_name_that_does_not_fit_is_left_out(void **state)
{
	char out[10];

	(void)state;
	assert_int_equal(thread_kernel_parse("[<0>] short+0x1/0x2\n[<0>] longer+0x1/0x2\n", out,
					     sizeof(out)), 6);
	assert_string_equal(out, "short ");
}

static uint32_t owner_of(int operation, uint32_t expected, uint32_t lock, uint32_t third)
{
	const struct thread_call call = {
		.number = SYS_futex, .arguments = { 0x1000, (uint64_t)operation, expected },
	};
	const uint32_t words[3] = { lock, 1, third };

	return thread_lock_owner(&call, words);
}

static void test_the_owner_of_a_normal_mutex_is_its_third_word(void **state)
{
	(void)state;
	assert_int_equal(owner_of(FUTEX_WAIT | FUTEX_PRIVATE_FLAG, 2, 2, 4121), 4121);
	assert_int_equal(owner_of(FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME, 2, 2, 4121), 4121);
	/* It was unlocked meanwhile. */
	assert_int_equal(owner_of(FUTEX_WAIT | FUTEX_PRIVATE_FLAG, 2, 0, 4121), 0);
}

static void test_the_owner_of_other_mutexes_is_in_the_lock_itself(void **state)
{
	(void)state;
	assert_int_equal(owner_of(FUTEX_LOCK_PI | FUTEX_PRIVATE_FLAG, 0, FUTEX_WAITERS | 77, 5),
			 77);
	assert_int_equal(owner_of(FUTEX_WAIT, FUTEX_WAITERS | 77, FUTEX_WAITERS | 77, 5), 77);
}

/* Condition variables, semaphores, joins: what follows their word is no thread. */
static void test_what_is_no_mutex_has_no_owner(void **state)
{
	struct thread_call call = { .number = SYS_read, .arguments = { 0x1000, FUTEX_WAIT, 2 } };
	const uint32_t words[3] = { 2, 1, 4121 };

	(void)state;
	assert_int_equal(owner_of(FUTEX_WAIT_BITSET, 0, 0, 4121), 0);
	assert_int_equal(owner_of(FUTEX_WAIT, 4121, 4121, 99), 0);
	assert_int_equal(owner_of(FUTEX_WAKE, 2, 2, 4121), 0);
	assert_int_equal(thread_lock_owner(&call, words), 0);
}

static void test_registers_are_written_where_they_are_read(void **state)
{
	const struct perf_event_attr attr = { .sample_type = PERF_SAMPLE_REGS_USER,
					      .sample_regs_user = user_registers_mask() };
	struct user_registers known = { .ip = 1, .sp = 2, .bp = 3, .lr = 4 }, read;
	struct record_sample sample = { .user_abi = PERF_SAMPLE_REGS_ABI_64 };
	uint64_t words[64], all[33], value;
	struct record_format format;

	(void)state;
	record_format_init(&format, &attr);
	sample.user_regs = words;
	sample.user_regs_count = (uint32_t)user_registers_write(&format, &known, NULL, words);
	assert_int_equal(sample.user_regs_count, __builtin_popcountll(attr.sample_regs_user));
	assert_true(user_registers_read(&format, &sample, &read));
	assert_true(read.ip == 1 && read.sp == 2 && read.bp == 3);
	for (uint32_t i = 0; i < 33; i++)
		all[i] = 100 + i;
	user_registers_write(&format, &known, all, words);
	for (unsigned int i = 0; i < sample.user_regs_count; i++) {
		assert_true(user_registers_find(&format, &sample, i, &value));
		assert_int_equal(value, 100 + i);
	}
}

UNIT_TESTS(test_thread_reader)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_system_call_has_its_arguments_and_registers),
		cmocka_unit_test(test_a_thread_blocked_outside_of_a_call_has_registers),
		cmocka_unit_test(test_a_running_thread_has_no_call),
		cmocka_unit_test(test_names_of_kernel_functions_are_without_offset_and_module),
		cmocka_unit_test(test_a_name_that_does_not_fit_is_left_out),
		cmocka_unit_test(test_the_owner_of_a_normal_mutex_is_its_third_word),
		cmocka_unit_test(test_the_owner_of_other_mutexes_is_in_the_lock_itself),
		cmocka_unit_test(test_what_is_no_mutex_has_no_owner),
		cmocka_unit_test(test_registers_are_written_where_they_are_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
