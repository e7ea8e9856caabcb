/* Kernel memory that a BPF program reads is compared with what the kernel itself says of it. */
#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bpf/kernel_reads.h"
#include "need_bpf.h"
#include "need_root.h"
#include "unit_tests.h"
#include "without_bpf.h"

#define XORS 60	/* instructions of the program whose code is read */

static struct diag why;

/* Loads a program, whose code the kernel keeps as long as the descriptor is open. */
static int load_program(void)
{
	struct bpf_insn program[XORS + 2];

	program[0] = (struct bpf_insn){ .code = BPF_ALU64 | BPF_MOV | BPF_K, .imm = 0x7654321 };
	for (int i = 1; i <= XORS; i++)
		program[i] = (struct bpf_insn){ .code = BPF_ALU64 | BPF_XOR | BPF_K,
						.imm = i * 0x10203 };
	program[XORS + 1] = (struct bpf_insn){ .code = BPF_JMP | BPF_EXIT };
	return bpf_prog_load(BPF_PROG_TYPE_SOCKET_FILTER, "flametop_test", "GPL", program,
			     XORS + 2, NULL);
}

/* The program's only function, as bpf(2) describes it. */
struct known_code {
	int program;
	uint64_t address;
	uint32_t count;
	unsigned char bytes[4096];
};

static void open_known_code(struct known_code *out)
{
	uint32_t function_bytes = 0, about_bytes = sizeof(struct bpf_prog_info);
	struct bpf_prog_info about = {
		.nr_jited_ksyms = 1, .jited_ksyms = (uintptr_t)&out->address,
		.nr_jited_func_lens = 1, .jited_func_lens = (uintptr_t)&function_bytes,
		.jited_prog_len = sizeof(out->bytes), .jited_prog_insns = (uintptr_t)out->bytes,
	};

	need_root();
	need_bpf();
	out->program = load_program();
	assert_true(out->program >= 0);
	assert_int_equal(bpf_obj_get_info_by_fd(out->program, &about, &about_bytes), 0);
	if (!out->address || !about.jited_prog_len) {
		print_message("SKIP: needs the kernel's BPF compiler\n");
		close(out->program);
		skip();
	}
	out->count = function_bytes;
	assert_in_range(out->count, 4 * XORS, sizeof(out->bytes));
}

static uint32_t count_descriptors(void)
{
	DIR *directory = opendir("/proc/self/fd");
	uint32_t count = 0;

	assert_non_null(directory);
	while (readdir(directory))
		count++;
	closedir(directory);
	return count;
}

static void test_code_is_what_the_kernel_says_of_it(void **state)
{
	static struct known_code known;
	unsigned char bytes[sizeof(known.bytes)];

	(void)state;
	open_known_code(&known);
	if (kernel_code_read(known.address, known.count, bytes, &why))
		fail_msg("%s", why.text);
	assert_memory_equal(bytes, known.bytes, known.count);
	close(known.program);
}

/* Sizes that are no multiples of eight; what follows them in @bytes stays. */
static void test_as_many_bytes_are_read_as_were_asked_for(void **state)
{
	static struct known_code known;
	unsigned char bytes[64];

	(void)state;
	open_known_code(&known);
	for (uint32_t count = 1; count < 20; count++) {
		memset(bytes, 0xa5, sizeof(bytes));
		assert_int_equal(kernel_code_read(known.address + 3, count, bytes, &why), 0);
		assert_memory_equal(bytes, known.bytes + 3, count);
		assert_int_equal(bytes[count], 0xa5);
	}
	close(known.program);
}

static void test_what_is_not_there_is_an_error(void **state)
{
	unsigned char bytes[16];

	(void)state;
	need_root();
	need_bpf();
	assert_int_equal(kernel_code_read(0, sizeof(bytes), bytes, &why), -EFAULT);
	assert_string_equal(why.text, "the kernel has no memory at 0x0");
	/* User memory is none of the kernel's code. */
	assert_int_equal(kernel_code_read((uintptr_t)bytes, sizeof(bytes), bytes, &why), -EFAULT);
	assert_int_equal(kernel_code_read(0, 0, bytes, &why), -EINVAL);
	assert_int_equal(kernel_code_read(0, KERNEL_CODE_BYTES_MAX + 1, bytes, &why), -EINVAL);
}

/* Programs and maps live as long as their descriptors. */
static void test_nothing_stays_loaded(void **state)
{
	static struct known_code known;
	unsigned char bytes[16];
	uint32_t before;

	(void)state;
	open_known_code(&known);
	before = count_descriptors();
	for (int i = 0; i < 5; i++) {
		assert_int_equal(kernel_code_read(known.address, 16, bytes, &why), 0);
		assert_int_equal(kernel_code_read(0, 16, bytes, &why), -EFAULT);
	}
	assert_int_equal(count_descriptors(), before);
	close(known.program);
}

static void test_without_rights_the_error_says_which(void **state)
{
	unsigned char bytes[16];
	int err;

	(void)state;
	need_root();
	need_bpf();
	permit_bpf(false);
	err = kernel_code_read(0, 16, bytes, &why);
	permit_bpf(true);
	assert_int_equal(err, -EPERM);
	assert_non_null(strstr(why.text, " needs the capabilities CAP_BPF and CAP_PERFMON: run as "
					 "root"));
}

UNIT_TESTS(test_kernel_code_read)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_code_is_what_the_kernel_says_of_it),
		cmocka_unit_test(test_as_many_bytes_are_read_as_were_asked_for),
		cmocka_unit_test(test_what_is_not_there_is_an_error),
		cmocka_unit_test(test_nothing_stays_loaded),
		cmocka_unit_test(test_without_rights_the_error_says_which),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
