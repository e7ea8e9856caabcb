/* Code of the running kernel from /proc/kcore: a function before, during and after a kprobe on it,
 * a module's, and a BPF program's, of which the kernel tells the bytes in another way, too. */
#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "elf/file_jobs.h"
#include "symbols/code_bytes.h"
#include "symbols/code_sources.h"
#include "unit_tests.h"
#include "without_bpf.h"

#define TRACEFS	   "/sys/kernel/tracing"
#ifdef __aarch64__
#define FUNCTION   "__arm64_sys_getppid"
#else
#define FUNCTION   "__x64_sys_getppid"
#endif
#define CODE_BYTES 32

static struct sandbox *sandbox;
static struct code_reader *reader;
static struct code_bytes code;
static struct diag why;
static const atomic_bool never;

static int set_up(void **state)
{
	(void)state;
	code = (struct code_bytes){ .fd = -1 };
	why = (struct diag){ .err = 0 };
	return sandbox_start(&sandbox, worker_run, NULL) ||
	       code_reader_create(&reader, sandbox, code_reader_open_kcore(), NULL);
}

static int tear_down(void **state)
{
	(void)state;
	code_bytes_close(&code);
	code_reader_destroy(reader);
	sandbox_stop(sandbox);
	return 0;
}

static void need_kcore(void)
{
	if (access("/proc/kcore", R_OK) == 0)
		return;
	print_message("SKIP: needs /proc/kcore\n");
	skip();
}

struct wanted_symbol {
	const char *name;
	uint64_t address;
};

static int take_symbol(void *context, uint64_t address, const char *name, const char *dso_name)
{
	struct wanted_symbol *wanted = context;

	(void)dso_name;
	if (strcmp(name, wanted->name) != 0)
		return 0;
	wanted->address = address;
	return 1;
}

static uint64_t address_of(const char *name)
{
	struct wanted_symbol wanted = { .name = name };

	kallsyms_list("/proc/kallsyms", take_symbol, &wanted, &never, NULL);
	return wanted.address;
}

static int open_at(uint64_t address, uint64_t bytes, unsigned char *out)
{
	struct code_request request = { .place = CODE_IN_KERNEL };
	struct code_range range = { .address = address, .bytes = bytes };
	int err;

	code_bytes_close(&code);
	err = code_bytes_open(reader, &request, &range, 1, &code, &why);
	if (!err)
		assert_int_equal(pread(code.fd, out, bytes, (off_t)range.offset), bytes);
	return err;
}

static void read_function(unsigned char out[CODE_BYTES])
{
	if (open_at(address_of(FUNCTION), CODE_BYTES, out))
		fail_msg("%s", why.text);
	assert_int_equal(code.origin, CODE_FROM_KCORE);
	assert_string_equal(code.note, "bytes of the kernel's memory");
}

/* Writes @text to a file of tracefs. */
static void trace(const char *name, const char *text)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), TRACEFS "/%s", name);
	fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		fail_msg("%s: %s", path, strerror(errno));
	close(fd);
}

#ifdef __aarch64__
#define PATCHED_BYTES 4

/* brk #4, in place of the first instruction */
static size_t patched_at(const unsigned char *bytes)
{
	(void)bytes;
	return 0;
}

static bool is_patched(const unsigned char *bytes, size_t at)
{
	static const unsigned char brk[] = { 0x80, 0x00, 0x20, 0xd4 };

	return !memcmp(bytes + at, brk, sizeof(brk));
}
#else
#define PATCHED_BYTES 5

/* ftrace's nop, after endbr64 if there is one */
static size_t patched_at(const unsigned char *bytes)
{
	static const unsigned char nop[] = { 0x0f, 0x1f, 0x44, 0x00, 0x00 };
	const unsigned char *site = memmem(bytes, 16, nop, sizeof(nop));

	assert_non_null(site);
	return (size_t)(site - bytes);
}

/* A call into ftrace, or int3 on a function that ftrace does not patch. */
static bool is_patched(const unsigned char *bytes, size_t at)
{
	return bytes[at] == 0xe8 || bytes[0] == 0xcc;
}
#endif

/* Reads the same without /proc/kcore. */
static void read_by_bpf(unsigned char out[CODE_BYTES])
{
	struct kernel_core core = { .fd = -ENOENT };
	struct code_range range = { .address = address_of(FUNCTION), .bytes = CODE_BYTES };
	const struct code_copy copy = { &range, 1, CODE_BYTES, out };

	if (kernel_core_read_by_bpf(&core, &copy, &why))
		fail_msg("%s", why.text);
}

static void test_a_kprobe_is_seen_in_the_code_while_it_is_there(void **state)
{
	unsigned char before[CODE_BYTES], during[CODE_BYTES], after[CODE_BYTES];
	unsigned char by_bpf[CODE_BYTES];
	size_t site;

	(void)state;
	need_kcore();
	if (access(TRACEFS "/kprobe_events", W_OK)) {
		print_message("SKIP: needs kprobes\n");
		skip();
	}
	read_function(before);
	site = patched_at(before);

	trace("kprobe_events", "p:flametop_code/here " FUNCTION "\n");
	trace("events/flametop_code/here/enable", "1");
	read_function(during);
	read_by_bpf(by_bpf);
	trace("events/flametop_code/here/enable", "0");
	trace("kprobe_events", "-:flametop_code/here\n");
	read_function(after);

	assert_memory_not_equal(before, during, CODE_BYTES);
	assert_memory_equal(by_bpf, during, CODE_BYTES);
	assert_true(is_patched(during, site));
	assert_memory_equal(during + site + PATCHED_BYTES, before + site + PATCHED_BYTES,
			    CODE_BYTES - site - PATCHED_BYTES);
	assert_memory_equal(before, after, CODE_BYTES);
}

static void test_data_of_the_kernel_is_not_read(void **state)
{
	unsigned char bytes[16];
	struct kernel_core core = { .fd = -1 };

	(void)state;
	need_kcore();
	assert_int_equal(kernel_core_find_bounds(&core, &why), 0);
	assert_int_equal(open_at(core.bounds.end, 16, bytes), -ENODATA);
	assert_non_null(strstr(why.text, "no bytes: the kernel has no code at 0x"));
	assert_int_equal(open_at(core.bounds.begin - 16, 16, bytes), -ENODATA);
	assert_int_equal(open_at(core.bounds.end - 16, 16, bytes), 0);
	assert_int_equal(open_at(0xffff888000000000ull, 16, bytes), -ENODATA);
}

/* crc_itu_t() of the module crc-itu-t, if that is loaded: $CRC_CODE is a file with its bytes. */
static void test_code_of_a_module(void **state)
{
	const char *path = getenv("CRC_CODE");
	unsigned char bytes[CODE_BYTES], expected[CODE_BYTES];
	int fd;

	(void)state;
	need_kcore();
	if (!path || !address_of("crc_itu_t")) {
		print_message("SKIP: needs /proc/kcore and the module crc-itu-t\n");
		skip();
	}
	fd = open(path, O_RDONLY);
	assert_int_equal(read(fd, expected, CODE_BYTES), CODE_BYTES);
	close(fd);
	assert_int_equal(open_at(address_of("crc_itu_t"), CODE_BYTES, bytes), 0);
	assert_int_equal(code.origin, CODE_FROM_KCORE);
	assert_memory_equal(bytes, expected, CODE_BYTES);
}

/* The machine has the files of its kernel and module, without what was patched at the start. */
static void test_code_of_files_where_nothing_reads_the_kernels_memory(void **state)
{
	const char *path = getenv("CRC_CODE");
	unsigned char bytes[CODE_BYTES], expected[CODE_BYTES];
	struct code_reader *with_kcore = reader;
	int fd;

	(void)state;
	need_kcore();
	if (!path) {
		print_message("SKIP: needs /proc/kcore and the image of this kernel\n");
		skip();
	}
	read_function(expected);
	assert_int_equal(code_reader_create(&reader, sandbox, -ENOENT, NULL), 0);
	permit_bpf(false);
	if (open_at(address_of(FUNCTION), CODE_BYTES, bytes))
		fail_msg("%s", why.text);
	assert_int_equal(code.origin, CODE_FROM_IMAGE);
	assert_non_null(strstr(code.note, "bytes of /boot/vmlinux-"));
	assert_non_null(strstr(code.note, ", as on disk"));
	assert_memory_equal(bytes + 5, expected + 5, 11);	/* after the call of ftrace */

	fd = open(path, O_RDONLY);
	assert_int_equal(read(fd, expected, CODE_BYTES), CODE_BYTES);
	close(fd);
	if (open_at(address_of("crc_itu_t"), CODE_BYTES, bytes))
		fail_msg("%s", why.text);
	permit_bpf(true);
	assert_int_equal(code.origin, CODE_FROM_IMAGE);
	assert_non_null(strstr(code.note, "crc-itu-t.ko, as on disk"));
	assert_memory_equal(bytes, expected, CODE_BYTES);
	code_reader_destroy(reader);
	reader = with_kcore;
}

/* Returns the program's descriptor, and where its only function is. */
static int load_program(uint64_t *address, uint32_t *bytes)
{
	const struct bpf_insn program[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0, .imm = 0x7654321 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	const int fd = bpf_prog_load(BPF_PROG_TYPE_SOCKET_FILTER, "flametop_code", "GPL", program,
				     2, NULL);
	struct bpf_prog_info about = { .nr_jited_ksyms = 1, .jited_ksyms = (uintptr_t)address,
				       .nr_jited_func_lens = 1,
				       .jited_func_lens = (uintptr_t)bytes };
	uint32_t about_bytes = sizeof(about);

	assert_true(fd >= 0);
	assert_int_equal(bpf_obj_get_info_by_fd(fd, &about, &about_bytes), 0);
	return fd;
}

/* Three ways to the same bytes: bpf(2), /proc/kcore, and a BPF program. */
static void test_code_of_a_bpf_program_is_the_same_in_all_places(void **state)
{
	struct kernel_core core = { .fd = code_reader_open_kcore() };
	unsigned char in_bpf[256], in_core[256];
	struct code_copy copy = { .count = 1, .bytes = in_core };
	struct code_range range = { .address = 0 };
	uint32_t bytes = 0;
	int program;

	(void)state;
	need_kcore();
	program = load_program(&range.address, &bytes);
	assert_in_range(bytes, 5, sizeof(in_bpf));
	range.bytes = bytes;
	copy.ranges = &range;
	copy.bytes_count = bytes;
	assert_int_equal(open_at(range.address, bytes, in_bpf), 0);
	assert_int_equal(code.origin, CODE_FROM_BPF);
	assert_int_equal(kernel_core_read(&core, &copy, &why), 0);
	assert_memory_equal(in_bpf, in_core, bytes);
	memset(in_core, 0, sizeof(in_core));
	assert_int_equal(kernel_core_read_by_bpf(&core, &copy, &why), 0);
	assert_memory_equal(in_bpf, in_core, bytes);
	close(program);
	close(core.fd);
}

UNIT_TESTS(test_kernel_code)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		TEST(test_a_kprobe_is_seen_in_the_code_while_it_is_there),
		TEST(test_data_of_the_kernel_is_not_read),
		TEST(test_code_of_a_module),
		TEST(test_code_of_files_where_nothing_reads_the_kernels_memory),
		TEST(test_code_of_a_bpf_program_is_the_same_in_all_places),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
