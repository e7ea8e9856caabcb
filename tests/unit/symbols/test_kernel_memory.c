/* Code of the running kernel without /proc/kcore: a BPF program reads what that file has, and
 * nothing but functions. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "bpf/kernel_reads.h"
#include "bpf/need_bpf.h"
#include "elf/file_jobs.h"
#include "need_root.h"
#include "symbols/code_bytes.h"
#include "symbols/code_sources.h"
#include "unit_tests.h"

#define STEP 1000	/* listed functions for one that is read; the kernel has 50,000 and more */

static struct kernel_core core = { .fd = -ENOENT };
static struct code_range functions[CODE_RANGES_MAX];
static struct diag why;
static unsigned char bytes[CODE_RANGE_BYTES_MAX], expected[CODE_RANGE_BYTES_MAX];
static const atomic_bool never;

/* The kernel's own functions in the order of their addresses. */
struct choice {
	uint32_t seen, count;	/* listed; chosen */
	bool has_end;		/* the last one chosen has its size */
};

static int choose(void *context, uint64_t address, const char *name, const char *dso_name)
{
	struct choice *choice = context;
	struct code_range *last = &functions[choice->count - (choice->count > 0)];

	(void)name;
	if (dso_name || address < core.bounds.begin || address >= core.bounds.end)
		return 0;
	if (choice->count && !choice->has_end && address > last->address) {
		last->bytes = address - last->address;
		choice->has_end = true;
		if (choice->count == CODE_RANGES_MAX)
			return 1;
	}
	if (choice->seen++ % STEP || (choice->count && !choice->has_end))
		return 0;
	functions[choice->count++] = (struct code_range){ .address = address };
	choice->has_end = false;
	return 0;
}

static int choose_functions(void **state)
{
	struct choice choice = { 0 };
	uint64_t offset = 0;

	(void)state;
	if (kernel_core_find_bounds(&core, &why) ||
	    kallsyms_list("/proc/kallsyms", choose, &choice, &never, &why) != 1)
		memset(functions, 0, sizeof(functions));
	for (uint32_t i = 0; i < CODE_RANGES_MAX; i++) {
		functions[i].offset = offset;
		offset += functions[i].bytes;
	}
	return 0;
}

static void need_functions(void)
{
	need_root();
	need_bpf();
	if (functions[0].bytes)
		return;
	print_message("SKIP: needs the addresses of the kernel's functions\n");
	skip();
}

/* Where there is no such file, at least no function consists of zeros. */
static void test_functions_have_the_bytes_that_kcore_has(void **state)
{
	const struct code_range *last = &functions[CODE_RANGES_MAX - 1];
	const uint64_t count = last->offset + last->bytes;
	struct code_copy copy = { functions, CODE_RANGES_MAX, count, bytes };
	struct kernel_core with_file = { .fd = code_reader_open_kcore(), .has_bounds = true };

	(void)state;
	need_functions();
	assert_in_range(count, CODE_RANGES_MAX, sizeof(bytes));
	memset(bytes, 0, count);
	if (kernel_core_read_by_bpf(&core, &copy, &why))
		fail_msg("%s", why.text);
	for (uint32_t i = 0; i < CODE_RANGES_MAX; i++) {
		const unsigned char *begin = bytes + functions[i].offset;

		assert_true(begin[0] || memcmp(begin, begin + 1, functions[i].bytes - 1));
	}
	if (with_file.fd < 0) {
		print_message("SKIP: needs /proc/kcore\n");
		skip();
	}
	with_file.bounds = core.bounds;
	copy.bytes = expected;
	if (kernel_core_read(&with_file, &copy, &why))
		fail_msg("%s", why.text);
	assert_memory_equal(bytes, expected, count);
	close(with_file.fd);
}

static int read_at(uint64_t address, uint64_t count)
{
	struct code_range range = { .address = address, .bytes = count };
	const struct code_copy copy = { &range, 1, count, bytes };

	return kernel_core_read_by_bpf(&core, &copy, &why);
}

static void test_only_functions_are_read(void **state)
{
	const struct code_range *function = &functions[1];

	(void)state;
	need_functions();
	assert_int_equal(read_at(function->address, function->bytes), 0);
	assert_int_equal(read_at(function->address, function->bytes + 1), -ENODATA);
	assert_non_null(strstr(why.text, "no bytes: the kernel lists no function of "));
	assert_int_equal(read_at(core.bounds.end, 16), -ENODATA);
	assert_non_null(strstr(why.text, "no bytes: the kernel has no code at 0x"));
}

/* By the door that a listing uses. */
static void test_a_listing_gets_the_bytes_and_where_they_are_from(void **state)
{
	struct code_request request = { .place = CODE_IN_KERNEL };
	struct code_bytes code = { .fd = -1 };
	struct code_range function = functions[2];
	struct code_reader *reader;
	struct sandbox *sandbox;

	(void)state;
	need_functions();
	assert_int_equal(sandbox_start(&sandbox, worker_run, NULL), 0);
	assert_int_equal(code_reader_create(&reader, sandbox, -ENXIO, NULL), 0);
	if (code_bytes_open(reader, &request, &function, 1, &code, &why))
		fail_msg("%s", why.text);
	assert_int_equal(code.origin, CODE_FROM_KERNEL_READ);
	assert_string_equal(code.note, "bytes of the kernel's memory, read by a BPF program");
	assert_int_equal(kernel_code_read(function.address, (uint32_t)function.bytes, bytes, &why),
			 0);
	assert_int_equal(pread(code.fd, expected, function.bytes, (off_t)function.offset),
			 function.bytes);
	assert_memory_equal(expected, bytes, function.bytes);
	code_bytes_close(&code);
	code_reader_destroy(reader);
	sandbox_stop(sandbox);
}

UNIT_TESTS(test_kernel_memory)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_functions_have_the_bytes_that_kcore_has),
		cmocka_unit_test(test_only_functions_are_read),
		cmocka_unit_test(test_a_listing_gets_the_bytes_and_where_they_are_from),
	};

	return cmocka_run_group_tests(tests, choose_functions, NULL);
}
