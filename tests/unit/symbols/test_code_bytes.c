/* Bytes of code of which the test knows each: of files, of this process's memory, of a jitdump, and
 * of core files written by hand. */
#include <bpf/bpf.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <linux/btf.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "elf/file_jobs.h"
#include "need_root.h"
#include "sandbox/code_files.h"
#include "sandbox/lines.h"
#include "symbols/code_bytes.h"
#include "symbols/code_sources.h"
#include "unit_tests.h"
#include "without_bpf.h"

#define PAGE	    4096
#define KERNEL_TEXT 0xffffffffa1000000ull

static struct sandbox *sandbox;
static struct code_reader *reader;
static struct code_bytes code;
static struct diag why;

static int set_up(void **state)
{
	(void)state;
	code = (struct code_bytes){ .fd = -1 };
	why = (struct diag){ .err = 0 };
	return sandbox_start(&sandbox, worker_run, NULL) ||
	       code_reader_create(&reader, sandbox, -ENOENT, NULL);
}

static int tear_down(void **state)
{
	(void)state;
	code_bytes_close(&code);
	code_reader_destroy(reader);
	sandbox_stop(sandbox);
	return 0;
}

/* Opens the code again; the previous one is closed. */
static int open_code(const struct code_request *request, struct code_range *ranges, uint32_t count)
{
	code_bytes_close(&code);
	why = (struct diag){ .err = 0 };
	return code_bytes_open(reader, request, ranges, count, &code, &why);
}

static void assert_code(const struct code_range *range, const void *expected)
{
	unsigned char *bytes = malloc(range->bytes);

	assert_int_equal(pread(code.fd, bytes, range->bytes, (off_t)range->offset), range->bytes);
	assert_memory_equal(bytes, expected, range->bytes);
	free(bytes);
}

/* Returns a request for the file at @path as it is mapped in no process. */
static struct code_request of_file(const char *path)
{
	struct code_request request = { .place = CODE_IN_FILE };
	struct stat status;

	assert_int_equal(stat(path, &status), 0);
	request.dso.dev_major = major(status.st_dev);
	request.dso.dev_minor = minor(status.st_dev);
	request.dso.inode = status.st_ino;
	strcpy(request.dso.path, path);
	return request;
}

/* Changes the first byte of the build-id @id in the file at @path. */
static void change_build_id(const char *path, const struct build_id *id)
{
	const int fd = open(path, O_RDWR);
	const size_t bytes = (size_t)lseek(fd, 0, SEEK_END);
	unsigned char *file = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0), *at;

	assert_ptr_not_equal(file, MAP_FAILED);
	at = memmem(file, bytes, id->bytes, id->count);
	assert_non_null(at);
	at[0] ^= 1;
	munmap(file, bytes);
	close(fd);
}

static void test_code_of_a_file_is_the_file_itself(void **state)
{
	struct code_range ranges[] = { { .address = 64, .bytes = 100 },
				       { .address = 8, .bytes = 4 } };
	struct code_request request = of_file("/proc/self/exe");
	unsigned char expected[100];
	const int self = open("/proc/self/exe", O_RDONLY);

	(void)state;
	assert_true(readlink("/proc/self/exe", request.dso.path, sizeof(request.dso.path)) > 0);
	request.dso.pid = (uint32_t)getpid();
	assert_int_equal(open_code(&request, ranges, 2), 0);
	assert_int_equal(code.origin, CODE_FROM_FILE);
	assert_int_equal(code.machine, MACHINE_UNKNOWN);
	assert_string_equal(code.note, "bytes of the mapped file");
	assert_int_equal(ranges[0].offset, 64);
	assert_int_equal(ranges[1].offset, 8);
	assert_int_equal(pread(self, expected, 100, 64), 100);
	assert_code(&ranges[0], expected);
	close(self);
}

/* Returns the build-id of the file at @path, as a worker finds it. */
static struct build_id build_id_of(const char *path)
{
	struct elf_segments segments;
	struct sandbox_bytes bytes;
	const int fd = open(path, O_RDONLY);
	const struct sandbox_request job = { .kind = SANDBOX_SEGMENTS, .inputs = { fd },
					     .input_count = 1 };

	assert_int_equal(sandbox_run(sandbox, &job, &bytes, &why), 0);
	assert_int_equal(elf_segments_check(&segments, bytes.bytes, bytes.count, &why), 0);
	assert_in_range(segments.build_id.count, 8, 20);	/* as long as the linker makes it */
	sandbox_bytes_finish(&bytes);
	close(fd);
	return segments.build_id;
}

/* The build-id is all that tells a recorded file. */
static void test_a_file_with_the_same_build_id_will_do_and_another_will_not(void **state)
{
	static const char path[] = "/tmp/flametop-code-bytes";
	struct code_range range = { .address = 64, .bytes = 10 };
	struct code_request request = { .place = CODE_IN_FILE };
	(void)state;
	assert_int_equal(system("cp /proc/$PPID/exe /tmp/flametop-code-bytes"), 0);
	request.dso.build_id = build_id_of(path);
	strcpy(request.dso.path, path);
	assert_int_equal(open_code(&request, &range, 1), 0);
	assert_string_equal(code.note, "bytes of a file with the build-id of the mapped one");

	change_build_id(path, &request.dso.build_id);
	assert_int_equal(open_code(&request, &range, 1), -ESTALE);
	assert_string_equal(why.text, "no bytes: replaced: its path now holds another file");
	assert_int_equal(code.fd, -1);
	unlink(path);
}

static void test_code_of_the_vdso_is_the_one_that_is_mapped(void **state)
{
	const char *image = (const void *)getauxval(AT_SYSINFO_EHDR);
	struct code_range range = { .address = 0x20, .bytes = 0x100 };
	struct code_request request = { .place = CODE_IN_FILE,
					.dso.pid = (uint32_t)getpid() };

	(void)state;
	strcpy(request.dso.path, "[vdso]");
	request.dso.start = (uintptr_t)image;
	request.dso.end = request.dso.start + 2 * PAGE;
	assert_int_equal(open_code(&request, &range, 1), 0);
	assert_int_equal(code.origin, CODE_FROM_VDSO);
	assert_code(&range, image + 0x20);
}

static void test_the_vsyscall_page_has_no_code(void **state)
{
	struct code_range range = { .address = 0xffffffffff600400ull, .bytes = 16 };
	struct code_request request = { .place = CODE_IN_FILE };

	(void)state;
	assert_int_equal(open_code(&request, &range, 1), -ENODATA);
	assert_non_null(strstr(why.text, "vsyscall"));
}

static unsigned char *make_memory(size_t bytes)
{
	unsigned char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(memory, MAP_FAILED);
	for (size_t i = 0; i < bytes; i++)
		memory[i] = (unsigned char)(i * 7 + i / 256);
	return memory;
}

static struct code_request of_memory(void)
{
	return (struct code_request){ .place = CODE_IN_PROCESS, .dso.pid = (uint32_t)getpid() };
}

static void test_run_time_code_is_read_from_memory(void **state)
{
	unsigned char *memory = make_memory(3 * PAGE);
	struct code_range ranges[] = { { .address = (uintptr_t)memory + 4000, .bytes = 5000 },
				       { .address = (uintptr_t)memory + 10, .bytes = 20 } };
	struct code_request request = of_memory();

	(void)state;
	assert_int_equal(open_code(&request, ranges, 2), 0);
	assert_int_equal(code.origin, CODE_FROM_PROCESS);
	assert_false(code.has_changed);
	assert_string_equal(code.note, "bytes of the process's memory");
#if defined(__x86_64__)
	assert_int_equal(code.machine, MACHINE_X86_64);
#endif
	assert_int_equal(ranges[0].offset, 0);
	assert_int_equal(ranges[1].offset, 5000);
	assert_code(&ranges[0], memory + 4000);
	assert_code(&ranges[1], memory + 10);
	munmap(memory, 3 * PAGE);
}

static void test_code_that_changed_is_shown_as_it_was_when_it_became_hot(void **state)
{
	unsigned char *memory = make_memory(PAGE), before[64];
	struct code_range range = { .address = (uintptr_t)memory + 100, .bytes = 64 };
	struct code_request request = of_memory();

	(void)state;
	memcpy(before, memory + 100, 64);
	assert_int_equal(code_bytes_remember(reader, &request, &range, 1, &why), 0);
	assert_int_equal(open_code(&request, &range, 1), 0);
	assert_false(code.has_changed);

	memory[163] ^= 0xff;
	assert_int_equal(code_bytes_remember(reader, &request, &range, 1, &why), 0);
	assert_int_equal(open_code(&request, &range, 1), 0);
	assert_true(code.has_changed);
	assert_int_equal(code.origin, CODE_FROM_MEMORY_KEPT);
	assert_string_equal(code.note, "bytes when the code became hot: it has changed since");
	assert_code(&range, before);

	request.name_hash = 1;	/* another function's: nothing of it is kept */
	assert_int_equal(open_code(&request, &range, 1), 0);
	assert_false(code.has_changed);
	assert_code(&range, memory + 100);
	munmap(memory, PAGE);
}

static void test_code_that_was_unmapped_is_shown_if_it_was_kept(void **state)
{
	unsigned char *memory = make_memory(2 * PAGE), before[64];
	struct code_range kept = { .address = (uintptr_t)memory, .bytes = 64 };
	struct code_range other = { .address = (uintptr_t)memory + 64, .bytes = 64 };
	struct code_request request = of_memory();

	(void)state;
	memcpy(before, memory, 64);
	assert_int_equal(code_bytes_remember(reader, &request, &kept, 1, &why), 0);
	munmap(memory, 2 * PAGE);
	assert_int_equal(open_code(&request, &kept, 1), 0);
	assert_int_equal(code.origin, CODE_FROM_MEMORY_KEPT);
	assert_string_equal(code.note, "bytes when the code became hot: it can't be read any more");
	assert_code(&kept, before);
	assert_int_equal(open_code(&request, &other, 1), -ENODATA);
	assert_string_equal(why.text, "no bytes: the process has unmapped this code");
}

static void test_code_of_a_process_that_has_ended(void **state)
{
	unsigned char *memory = make_memory(PAGE);
	struct code_range range = { .address = (uintptr_t)memory, .bytes = 64 };
	struct code_request request = of_memory();
	const pid_t child = fork();

	(void)state;
	if (!child) {
		pause();
		_exit(0);
	}
	request.dso.pid = (uint32_t)child;
	assert_int_equal(code_bytes_remember(reader, &request, &range, 1, &why), 0);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	assert_int_equal(open_code(&request, &range, 1), 0);
	assert_string_equal(code.note, "bytes when the code became hot: the process is gone");
	assert_code(&range, memory);
	range.address += 64;
	assert_int_equal(open_code(&request, &range, 1), -ESRCH);
	assert_string_equal(why.text, "no bytes: the process is gone");
	request = of_memory();	/* this process, as if it had the pid of one that has ended */
	request.is_gone = true;
	assert_int_equal(open_code(&request, &range, 1), -ESRCH);
	munmap(memory, PAGE);
}

/* The child ends, or unmaps its code, at any moment: there are its bytes, all of them, or a
 * sentence. The first child has ended before it is read, the last one keeps its code. */
static void test_a_process_that_ends_or_unmaps_while_it_is_read(void **state)
{
	enum { TURNS = 60, BYTES = 100 * PAGE };
	unsigned char *memory = make_memory(BYTES);
	struct code_range range = { .address = (uintptr_t)memory, .bytes = BYTES };
	struct code_request request = of_memory();
	int found = 0, lost = 0;

	(void)state;
	for (int turn = 0; turn < TURNS; turn++) {
		const pid_t child = fork();

		if (!child && turn == TURNS - 1)
			pause();
		if (!child) {
			usleep((useconds_t)(turn * 100));
			if (turn % 2)
				munmap(memory, BYTES);
			else
				_exit(0);
			usleep(20000);
			_exit(0);
		}
		if (turn == 0)
			waitid(P_PID, (id_t)child, &(siginfo_t){ 0 }, WEXITED | WNOWAIT);
		request.dso.pid = (uint32_t)child;
		for (int i = 0; i < 3; i++) {
			const int err = open_code(&request, &range, 1);

			if (!err)
				assert_code(&range, memory);
			else
				assert_true(err == -ENODATA || err == -ESRCH);
			found += !err;
			lost += err != 0;
		}
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
	}
	assert_true(found && lost);
	munmap(memory, BYTES);
}

static void test_another_process_with_the_pid_is_not_read(void **state)
{
	unsigned char *memory = make_memory(PAGE);
	struct code_range range = { .address = (uintptr_t)memory, .bytes = 64 };
	struct code_request request = of_memory();

	(void)state;
	request.start_ticks = 1;	/* at boot */
	assert_int_equal(open_code(&request, &range, 1), -ESRCH);
	munmap(memory, PAGE);
}

static void test_kept_code_is_bounded(void **state)
{
	enum { BYTES = 1 << 20, COUNT = 9 };
	unsigned char *memory = make_memory(COUNT * BYTES);
	struct code_request request = of_memory();
	struct code_range range = { .bytes = BYTES };

	(void)state;
	for (int i = 0; i < COUNT; i++) {
		range.address = (uintptr_t)memory + (size_t)i * BYTES;
		assert_int_equal(code_bytes_remember(reader, &request, &range, 1, &why), 0);
	}
	memset(memory, 0, (size_t)COUNT * BYTES);
	assert_int_equal(open_code(&request, &range, 1), 0);
	assert_true(code.has_changed);
	range.address = (uintptr_t)memory;	/* made room for the last */
	assert_int_equal(open_code(&request, &range, 1), 0);
	assert_false(code.has_changed);
	munmap(memory, (size_t)COUNT * BYTES);
}

static void test_bad_ranges_are_refused(void **state)
{
	struct code_request request = of_memory();
	struct code_range range = { .address = UINT64_MAX - 3, .bytes = 8 };

	(void)state;
	assert_int_equal(open_code(&request, &range, 1), -EINVAL);
	range = (struct code_range){ .address = 0x1000, .bytes = 0 };
	assert_int_equal(open_code(&request, &range, 1), -EINVAL);
	range.bytes = CODE_RANGE_BYTES_MAX + 1;
	assert_int_equal(open_code(&request, &range, 1), -E2BIG);
	range = (struct code_range){ .address = UINT64_C(1) << 63, .bytes = 8 };
	assert_int_equal(open_code(&request, &range, 1), -EINVAL);
	assert_int_equal(open_code(&request, &range, 0), -EINVAL);
	assert_int_equal(open_code(&request, &range, CODE_RANGES_MAX + 1), -EINVAL);
}

/* A jitdump of one function, whose code is 16 times 0x90, logged at time 50. */
static void write_dump(const char *path, uint64_t address)
{
	char code_and_name[18] = "f";
	const uint32_t header[] = { 0x4a695444, 1, 40, EM_X86_64, 0, 100, 0, 0, 0, 0 };
	const uint32_t head[] = { 0, 16 + 40 + 18, 50, 0, 100, 100 };
	const uint64_t load[] = { address, address, 16, 1 };
	FILE *file = fopen(path, "w");

	memset(code_and_name + 2, 0x90, 16);
	assert_non_null(file);
	fwrite(header, sizeof(header), 1, file);
	fwrite(head, sizeof(head), 1, file);
	fwrite(load, sizeof(load), 1, file);
	fwrite(code_and_name, 18, 1, file);
	assert_int_equal(fclose(file), 0);
}

/* What the process has there now is something else. */
static void test_code_in_a_jitdump_comes_before_that_in_memory(void **state)
{
	static const char path[] = "/tmp/jit-flametop-code.dump";
	unsigned char *memory = make_memory(PAGE), nops[16];
	struct code_range range = { .address = (uintptr_t)memory, .bytes = 16 };
	struct code_request request;

	(void)state;
	memset(nops, 0x90, sizeof(nops));
	write_dump(path, range.address);
	request = of_file(path);
	request.place = CODE_IN_PROCESS;
	request.dso.pid = (uint32_t)getpid();
	request.time_ns = 60;
	assert_int_equal(open_code(&request, &range, 1), 0);
	assert_int_equal(code.origin, CODE_FROM_JITDUMP);
	assert_int_equal(code.machine, MACHINE_X86_64);
	assert_string_equal(code.note, "bytes of the jitdump at the time of the sample");
	assert_code(&range, nops);
	request.time_ns = 40;
	assert_int_equal(open_code(&request, &range, 1), 0);
	assert_string_equal(code.note,
			    "bytes of the jitdump, which were written there after the sample");
	range.address++;	/* one byte more than the dump has */
	assert_int_equal(open_code(&request, &range, 1), 0);
	assert_int_equal(code.origin, CODE_FROM_PROCESS);
	assert_code(&range, memory + 1);
	unlink(path);
	munmap(memory, PAGE);
}

/* A core file: header, program headers, 256 bytes of code. */
struct core_file {
	Elf64_Ehdr header;
	Elf64_Phdr parts[3];
	unsigned char code[256];
};

static struct core_file make_core(void)
{
	struct core_file core = {
		.header = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
			    .e_type = ET_CORE, .e_machine = EM_X86_64, .e_version = EV_CURRENT,
			    .e_phoff = sizeof(Elf64_Ehdr), .e_phentsize = sizeof(Elf64_Phdr),
			    .e_phnum = 3 },
	};

	for (int i = 0; i < 256; i++)
		core.code[i] = (unsigned char)(255 - i);
	core.parts[0] = (Elf64_Phdr){ .p_type = PT_NOTE, .p_filesz = 100 };
	core.parts[1] = (Elf64_Phdr){ .p_type = PT_LOAD, .p_vaddr = KERNEL_TEXT - PAGE,
				      .p_filesz = PAGE / 2, .p_offset = 7 };
	core.parts[2] = (Elf64_Phdr){ .p_type = PT_LOAD, .p_vaddr = KERNEL_TEXT, .p_filesz = 256,
				      .p_offset = offsetof(struct core_file, code) };
	return core;
}

static int core_fd(const struct core_file *file)
{
	return sandbox_seal("core", file, sizeof(*file));
}

static int find_in(const struct core_file *file, uint64_t address, uint64_t bytes, uint64_t *offset)
{
	const int fd = core_fd(file);
	const int err = kernel_core_find(fd, address, bytes, offset, &why);

	close(fd);
	return err;
}

static void test_a_core_file_has_its_code_where_its_headers_say(void **state)
{
	const struct core_file core = make_core();
	uint64_t offset;

	(void)state;
	assert_int_equal(find_in(&core, KERNEL_TEXT + 16, 240, &offset), 0);
	assert_int_equal(offset, offsetof(struct core_file, code) + 16);
	assert_int_equal(find_in(&core, KERNEL_TEXT + 16, 241, &offset), -ENODATA);
	assert_int_equal(find_in(&core, KERNEL_TEXT - 1, 1, &offset), -ENODATA);
	assert_int_equal(find_in(&core, KERNEL_TEXT + 256, 1, &offset), -ENODATA);
	assert_int_equal(find_in(&core, UINT64_MAX - 4, 3, &offset), -ENODATA);
}

static void test_a_core_file_whose_numbers_are_impossible_is_harmless(void **state)
{
	static const uint64_t huge[] = { UINT64_C(1) << 56, UINT64_C(1) << 63, UINT64_MAX };
	const struct core_file good = make_core();
	struct core_file core;
	uint64_t offset = 0;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		unsigned char byte;
		int fd;

		core = good;
		core.parts[2].p_filesz = core.parts[2].p_memsz = huge[i];
		assert_int_equal(find_in(&core, KERNEL_TEXT + 512, 1, &offset), 0);
		fd = core_fd(&core);	/* beyond the end: nothing to read */
		assert_int_equal(pread(fd, &byte, 1, (off_t)offset), 0);
		close(fd);
		core.parts[2].p_offset = huge[i];
		if (huge[i] >> 63)
			assert_int_equal(find_in(&core, KERNEL_TEXT, 1, &offset), -ENODATA);
		core = good;
		core.header.e_phoff = huge[i];
		assert_int_equal(find_in(&core, KERNEL_TEXT, 1, &offset), -EBADMSG);
	}
	core = good;
	core.header.e_phnum = 0xffff;
	assert_int_equal(find_in(&core, KERNEL_TEXT, 1, &offset), -EBADMSG);
	core.header.e_phnum = 4096;	/* more than the file has */
	assert_int_equal(find_in(&core, KERNEL_TEXT + 512, 1, &offset), -EBADMSG);
	core = good;
	core.header.e_phentsize = 1;
	assert_int_equal(find_in(&core, KERNEL_TEXT, 1, &offset), -EBADMSG);
	core = good;
	core.header.e_type = ET_EXEC;
	assert_int_equal(find_in(&core, KERNEL_TEXT, 1, &offset), -EBADMSG);
}

/* No address of this file's kernel is in the running one. */
static void test_only_code_is_read_of_the_kernels_memory(void **state)
{
	const struct core_file file = make_core();
	struct kernel_core core = { .fd = core_fd(&file), .has_bounds = true,
				    .bounds = { .begin = KERNEL_TEXT, .end = KERNEL_TEXT + 128 } };
	struct code_range range = { .address = KERNEL_TEXT + 64, .bytes = 64 };
	unsigned char bytes[64];
	const struct code_copy copy = { &range, 1, sizeof(bytes), bytes };

	(void)state;
	assert_int_equal(kernel_core_read(&core, &copy, &why), 0);
	assert_memory_equal(bytes, file.code + 64, 64);
	range.address++;	/* one byte lies after _etext */
	assert_int_equal(kernel_core_read(&core, &copy, &why), -ENODATA);
	range.address = KERNEL_TEXT - PAGE;
	assert_int_equal(kernel_core_read(&core, &copy, &why), -ENODATA);
	close(core.fd);
}

/* BTF of a function without arguments, and the strings of its source lines. */
static const char btf_strings[] = "\0int\0first\0/src/a.c\0\tint x = 1;\0\tx += 2;\0\treturn x;";

enum btf_text { TEXT_INT = 1, TEXT_FIRST = 5, TEXT_PATH = 11, TEXT_SET = 20, TEXT_ADD = 32,
		TEXT_RETURN = 41 };

struct btf_file {
	struct btf_header header;
	struct btf_type int_type;
	uint32_t int_bits;
	struct btf_type prototype, function;
	char strings[sizeof(btf_strings)];
};

static int load_btf(void)
{
	struct btf_file btf = {
		.header = { .magic = BTF_MAGIC, .version = 1, .hdr_len = sizeof(struct btf_header),
			    .type_len = offsetof(struct btf_file, strings) -
					sizeof(struct btf_header),
			    .str_off = offsetof(struct btf_file, strings) -
				       sizeof(struct btf_header),
			    .str_len = sizeof(btf_strings) },
		.int_type = { .name_off = TEXT_INT, .info = BTF_KIND_INT << 24, .size = 4 },
		.int_bits = BTF_INT_SIGNED << 24 | 32,
		.prototype = { .info = BTF_KIND_FUNC_PROTO << 24, .type = 1 },
		.function = { .name_off = TEXT_FIRST, .info = BTF_KIND_FUNC << 24, .type = 2 },
	};

	memcpy(btf.strings, btf_strings, sizeof(btf_strings));
	return bpf_btf_load(&btf, offsetof(struct btf_file, strings) + sizeof(btf_strings), NULL);
}

/* Lines 3, 5 and 6 of /src/a.c; the second of them is at column 2. */
static int load_program_with_lines(void)
{
	const struct bpf_insn program[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0, .imm = 1 },
		{ .code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = 0, .imm = 2 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	const struct bpf_func_info function = { .type_id = 3 };
	const struct bpf_line_info lines[] = { { 0, TEXT_PATH, TEXT_SET, 3 << 10 | 6 },
					       { 1, TEXT_PATH, TEXT_ADD, 5 << 10 | 2 },
					       { 2, TEXT_PATH, TEXT_RETURN, 6 << 10 } };
	const int btf = load_btf();
	LIBBPF_OPTS(bpf_prog_load_opts, options, .prog_btf_fd = (uint32_t)btf,
		    .func_info = &function, .func_info_cnt = 1,
		    .func_info_rec_size = sizeof(function), .line_info = lines, .line_info_cnt = 3,
		    .line_info_rec_size = sizeof(lines[0]));
	int fd;

	assert_true(btf >= 0);
	fd = bpf_prog_load(BPF_PROG_TYPE_SOCKET_FILTER, "flametop_lines", "GPL", program, 3,
			   &options);
	assert_true(fd >= 0);
	close(btf);
	return fd;
}

static void test_a_bpf_program_has_its_source_lines(void **state)
{
	static const uint32_t numbers[] = { 3, 5, 6 };
	uint64_t address = 0;
	uint32_t function_bytes = 0, about_bytes = sizeof(struct bpf_prog_info);
	struct bpf_prog_info about = { .nr_jited_ksyms = 1, .jited_ksyms = (uintptr_t)&address,
				       .nr_jited_func_lens = 1,
				       .jited_func_lens = (uintptr_t)&function_bytes };
	struct code_request request = { .place = CODE_IN_KERNEL };
	struct line_ranges lines;
	struct code_range range;
	int program;

	(void)state;
	if (geteuid() != 0)
		need_root();
	program = load_program_with_lines();
	assert_int_equal(bpf_obj_get_info_by_fd(program, &about, &about_bytes), 0);
	range = (struct code_range){ .address = address, .bytes = function_bytes };
	assert_int_equal(open_code(&request, &range, 1), 0);
	assert_non_null(code.lines);
	assert_int_equal(line_ranges_check(&lines, code.lines, code.lines_bytes, &why), 0);
	assert_int_equal(lines.header->range_count, 3);
	assert_int_equal(lines.header->file_count, 1);
	assert_string_equal(line_ranges_text(&lines, lines.files[0].path), "/src/a.c");
	assert_string_equal(line_ranges_text(&lines, lines.files[0].text),
			    "\n\n\tint x = 1;\n\n\tx += 2;\n\treturn x;\n");
	for (int i = 0; i < 3; i++) {
		const struct line_range *row = &lines.ranges[i];
		const struct line_range_frame *frame = &lines.frames[row->first];

		assert_int_equal(frame->line, numbers[i]);
		assert_int_equal(frame->file, 0);
		assert_string_equal(line_ranges_text(&lines, frame->function), "flametop_lines");
		assert_true(row->begin >= address && row->end <= address + function_bytes);
		if (i)
			assert_int_equal(row->begin, row[-1].end);
	}
	assert_int_equal(lines.ranges[1].column, 2);
	assert_int_equal(lines.ranges[2].end, address + function_bytes);
	close(program);
}

static void test_a_kernel_without_kcore_says_what_is_missing(void **state)
{
	struct code_range range = { .bytes = 16 };
	struct code_request request = { .place = CODE_IN_KERNEL };
	struct kernel_core core = { .fd = -ENOENT };
	int err;

	(void)state;
	if (kernel_core_find_bounds(&core, &why))
		skip();		/* addresses are hidden from this user */
	range.address = core.bounds.begin;
	permit_bpf(false);
	err = open_code(&request, &range, 1);
	permit_bpf(true);
	if (err == 0) {		/* the machine has its kernel's image */
		assert_int_equal(code.origin, CODE_FROM_IMAGE);
		return;
	}
	assert_int_equal(why.err, -ENODATA);
	assert_memory_equal(why.text, "no bytes: a BPF ", 16);
	assert_non_null(strstr(why.text, " needs the capabilities CAP_BPF and CAP_PERFMON: run as "
			       "root; this kernel has no /proc/kcore, and there is no image of "
			       "the kernel"));
}

/* The constant 0x1234567 as the kernel encodes it. */
#ifdef __aarch64__
/* movz x7, #0x4567; movk x7, #0x123, lsl #16 */
static const uint32_t constant[] = { 0xd288ace7, 0xf2a02467 };
#else
static const uint32_t constant[] = { 0x1234567 };
#endif

/* return 0x1234567 */
static int load_program(void)
{
	const struct bpf_insn program[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0, .imm = 0x1234567 },
		{ .code = BPF_JMP | BPF_EXIT },
	};

	return bpf_prog_load(BPF_PROG_TYPE_SOCKET_FILTER, "flametop_test", "GPL", program, 2, NULL);
}

/* What the kernel says of a program is compared with what this test put into it. */
static void test_code_of_a_bpf_program(void **state)
{
	uint64_t address = 0;
	uint32_t function_bytes = 0, about_bytes = sizeof(struct bpf_prog_info);
	struct bpf_prog_info about = { .nr_jited_ksyms = 1, .jited_ksyms = (uintptr_t)&address,
				       .nr_jited_func_lens = 1,
				       .jited_func_lens = (uintptr_t)&function_bytes };
	struct code_request request = { .place = CODE_IN_KERNEL };
	struct code_range range;
	unsigned char bytes[256];
	const int program = load_program();

	(void)state;
	if (program < 0 && geteuid() != 0)
		need_root();
	assert_true(program >= 0);
	assert_int_equal(bpf_obj_get_info_by_fd(program, &about, &about_bytes), 0);
	assert_in_range(function_bytes, 5, sizeof(bytes));
	range = (struct code_range){ .address = address, .bytes = function_bytes };
	assert_int_equal(open_code(&request, &range, 1), 0);
	assert_int_equal(code.origin, CODE_FROM_BPF);
	assert_string_equal(code.note, "bytes of the BPF program");
	assert_int_equal(pread(code.fd, bytes, sizeof(bytes), 0), function_bytes);
	assert_non_null(memmem(bytes, function_bytes, constant, sizeof(constant)));

	range.bytes += 1000;	/* the kernel's list does not say where the function ends */
	assert_int_equal(open_code(&request, &range, 1), 0);
	assert_int_equal(range.bytes, function_bytes);
	assert_code(&range, bytes);
	close(program);
}

UNIT_TESTS(test_code_bytes)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		TEST(test_code_of_a_file_is_the_file_itself),
		TEST(test_a_file_with_the_same_build_id_will_do_and_another_will_not),
		TEST(test_code_of_the_vdso_is_the_one_that_is_mapped),
		TEST(test_the_vsyscall_page_has_no_code),
		TEST(test_run_time_code_is_read_from_memory),
		TEST(test_code_that_changed_is_shown_as_it_was_when_it_became_hot),
		TEST(test_code_that_was_unmapped_is_shown_if_it_was_kept),
		TEST(test_code_of_a_process_that_has_ended),
		TEST(test_a_process_that_ends_or_unmaps_while_it_is_read),
		TEST(test_another_process_with_the_pid_is_not_read),
		TEST(test_kept_code_is_bounded),
		TEST(test_bad_ranges_are_refused),
		TEST(test_code_in_a_jitdump_comes_before_that_in_memory),
		TEST(test_a_core_file_has_its_code_where_its_headers_say),
		TEST(test_a_core_file_whose_numbers_are_impossible_is_harmless),
		TEST(test_only_code_is_read_of_the_kernels_memory),
		TEST(test_a_kernel_without_kcore_says_what_is_missing),
		TEST(test_code_of_a_bpf_program),
		TEST(test_a_bpf_program_has_its_source_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
