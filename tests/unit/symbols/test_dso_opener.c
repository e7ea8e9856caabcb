/* The opener against real mappings of this process, a copy of the C library that is deleted and
 * replaced under its feet, and places that must never be opened. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/fs.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/fanotify.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "elf/file_jobs.h"
#include "mapping_fixture.h"
#include "symbols/dso_table.h"
#include "unit_tests.h"

#define REPLY_LIMIT_MS 60000	/* only reached when something hangs */

static struct sandbox *sandbox;
static struct dso_opener *opener;
static char directory[] = "/tmp/test_dso_opener.XXXXXX";
static char copy_path[256];	/* a copy of the C library */
static void *copy_mapping;

static void run(const char *format, const char *a, const char *b)
{
	char command[1024];

	snprintf(command, sizeof(command), format, a, b);
	assert_int_equal(system(command), 0);
}

/* By a function that no sanitizer's library has too. */
static const char *libc_path(void)
{
	static Dl_info where;

	assert_int_not_equal(dladdr(dlsym(RTLD_DEFAULT, "getopt_long"), &where), 0);
	return where.dli_fname;
}

static int set_up(void **state)
{
	int fd;

	(void)state;
	strcpy(directory + strlen(directory) - 6, "XXXXXX");
	if (!mkdtemp(directory) || sandbox_start(&sandbox, worker_run, NULL) ||
	    dso_opener_create(&opener, sandbox, NULL, NULL))
		return -1;
	snprintf(copy_path, sizeof(copy_path), "%s/library.so", directory);
	run("cp %s %s", libc_path(), copy_path);
	fd = open(copy_path, O_RDONLY | O_CLOEXEC);
	copy_mapping = mmap(NULL, 65536, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	close(fd);
	return copy_mapping == MAP_FAILED;
}

static int tear_down(void **state)
{
	(void)state;
	if (copy_mapping != MAP_FAILED)
		munmap(copy_mapping, 65536);
	dso_opener_destroy(opener);
	sandbox_stop(sandbox);
	run("rm -r %s%s", directory, "");
	return 0;
}

static struct open_reply ask(struct open_request *request)
{
	static uint32_t number;
	struct pollfd wait = { .fd = dso_opener_fd(opener), .events = POLLIN };
	struct open_reply reply;

	request->dso = ++number;
	assert_true(dso_opener_request(opener, request));
	while (!dso_opener_reply(opener, &reply))
		assert_int_equal(poll(&wait, 1, REPLY_LIMIT_MS), 1);
	assert_int_equal(reply.dso, number);
	return reply;
}

static void expect_refused(struct open_request *request, const char *part)
{
	struct open_reply reply = ask(request);

	assert_false(reply.is_ready);
	if (!strstr(reply.why.text, part))
		fail_msg("\"%s\" is not in \"%s\"", part, reply.why.text);
}

static struct build_id libc_build_id(void)
{
	struct open_request request = mapping_request(dlsym(RTLD_DEFAULT, "getopt_long"));
	struct open_reply reply = ask(&request);

	assert_true(reply.is_ready);
	if (!reply.build_id.count)
		skip();	/* a C library without a build-id */
	return reply.build_id;
}

static uint32_t pid_of_the_dead(void)
{
	pid_t child = fork();

	if (child == 0)
		_exit(0);
	assert_int_equal(waitpid(child, NULL, 0), child);
	return (uint32_t)child;
}

/* map_files needs CAP_SYS_ADMIN or CAP_CHECKPOINT_RESTORE. */
static bool can_use_map_files(const struct open_request *request)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "/proc/self/map_files/%" PRIx64 "-%" PRIx64, request->start,
		 request->end);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static void test_a_mapped_library_is_named_at_its_file_offset(void **state)
{
	struct open_request request = mapping_request(dlsym(RTLD_DEFAULT, "getopt_long"));
	struct open_reply reply = ask(&request);
	Dl_info where;
	uint64_t offset;
	uint32_t row;

	(void)state;
	assert_true(reply.is_ready);
	assert_false(reply.is_shared);
	dladdr(dlsym(RTLD_DEFAULT, "getopt_long"), &where);
	/* The C library of Debian has vaddr = offset in its code segment. */
	offset = (uintptr_t)dlsym(RTLD_DEFAULT, "getopt_long") - (uintptr_t)where.dli_fbase;
	row = flat_table_find(&reply.table, offset);
	assert_int_not_equal(row, FLAT_NONE);
	assert_string_equal(flat_table_name(&reply.table, row), "getopt_long");
	assert_in_range(dso_opener_bytes(opener), 10000, 100u << 20);
}

static void test_the_same_file_is_compiled_once(void **state)
{
	struct open_request request = mapping_request(dlsym(RTLD_DEFAULT, "getopt_long"));
	struct open_reply first = ask(&request), second;
	size_t bytes = dso_opener_bytes(opener);

	(void)state;
	second = ask(&request);
	assert_true(second.is_ready);
	assert_true(second.is_shared);
	assert_ptr_equal(first.table.rows, second.table.rows);
	assert_int_equal(dso_opener_bytes(opener), bytes);
}

static void test_without_a_need_for_names_none_are_compiled(void **state)
{
	struct open_request request = mapping_request(copy_mapping);
	const struct build_id id = libc_build_id();
	const size_t bytes = dso_opener_bytes(opener);
	struct open_reply reply;

	(void)state;
	request.symbols = SYMBOLS_FOR_BUILD_ID;
	request.build_id = id;		/* where the kernel does not tell */
	reply = ask(&request);
	assert_true(reply.is_ready);
	assert_true(build_id_is_equal(&reply.build_id, &id));
	assert_int_equal(reply.table.header->row_count, 0);
	assert_int_equal(dso_opener_bytes(opener), bytes);
	request.symbols = SYMBOLS_SHOWN;
	reply = ask(&request);
	assert_true(reply.is_ready);
	assert_int_not_equal(reply.table.header->row_count, 0);
}

static void test_a_deleted_file_is_read_and_not_a_decoy_of_its_name(void **state)
{
	struct open_request request = mapping_request(copy_mapping);
	struct build_id wanted = libc_build_id();
	struct open_reply reply;
	char decoy[300];

	(void)state;
	if (!can_use_map_files(&request))
		skip();
	assert_int_equal(unlink(copy_path), 0);
	request = mapping_request(copy_mapping);
	snprintf(decoy, sizeof(decoy), "%s (deleted)", copy_path);
	assert_string_equal(request.path, decoy);
	run("cp /proc/self/exe '%s'%s", decoy, "");
	reply = ask(&request);
	assert_true(reply.is_ready);
	assert_true(build_id_is_equal(&reply.build_id, &wanted));
}

static void test_a_decoy_is_not_read_when_the_mapping_is_gone(void **state)
{
	struct open_request request;
	char decoy[300];

	(void)state;
	assert_int_equal(unlink(copy_path), 0);
	request = mapping_request(copy_mapping);
	request.start += 4096;	/* no such mapping */
	request.build_id = libc_build_id();
	snprintf(decoy, sizeof(decoy), "%s (deleted)", copy_path);
	run("cp %s '%s'", libc_path(), decoy);	/* even with the right build-id */
	assert_false(ask(&request).is_ready);
}

static void test_a_replaced_file_lends_no_names(void **state)
{
	struct open_request request = mapping_request(copy_mapping);

	(void)state;
	run("cp %s %s.new", libc_path(), copy_path);
	run("mv %s.new %s", copy_path, copy_path);
	request.start += 4096;	/* no such mapping: the path is all there is */
	expect_refused(&request, "replaced");
}

static void test_a_path_is_enough_when_the_inode_is_the_mapped_one(void **state)
{
	struct open_request request = mapping_request(copy_mapping);
	struct stat status;

	(void)state;
	assert_int_equal(stat(copy_path, &status), 0);
	if (makedev(request.dev_major, request.dev_minor) != status.st_dev)
		skip();	/* a file system whose mappings show another device than stat(2) */
	request.pid = pid_of_the_dead();
	assert_true(ask(&request).is_ready);
	request.inode++;
	expect_refused(&request, "replaced");
	assert_int_equal(unlink(copy_path), 0);
	expect_refused(&request, "process gone");
}

/* The number of a deleted file is soon another file's. */
static void test_an_inode_of_another_generation_is_another_file(void **state)
{
	struct open_request request = mapping_request(copy_mapping);
	int fd = open(copy_path, O_RDONLY | O_CLOEXEC), generation = 0;
	bool has_generations = ioctl(fd, FS_IOC_GETVERSION, &generation) == 0;

	(void)state;
	close(fd);
	if (!has_generations)
		return;		/* then nobody can tell, the record neither */
	request.inode_generation = (uint32_t)generation;
	assert_true(ask(&request).is_ready);
	request.inode_generation++;
	expect_refused(&request, "replaced");
}

static void test_a_path_is_enough_when_the_build_id_is_the_mapped_one(void **state)
{
	struct open_request request = { .pid = pid_of_the_dead() };

	(void)state;
	request.build_id = libc_build_id();
	snprintf(request.path, sizeof(request.path), "%s", copy_path);
	assert_true(ask(&request).is_ready);
	request.build_id.bytes[0] ^= 1;
	expect_refused(&request, "replaced: build-id");
}

static void test_a_recording_needs_the_build_id(void **state)
{
	struct open_request request = { .pid = 0, .inode = 1 };

	(void)state;
	snprintf(request.path, sizeof(request.path), "%s", copy_path);
	expect_refused(&request, "nothing tells");
	request.build_id = libc_build_id();
	assert_true(ask(&request).is_ready);
	request.build_id.bytes[19] ^= 1;
	expect_refused(&request, "replaced: build-id");
}

/* What replaced a file may have got its number. */
static void test_a_recording_without_build_ids_needs_the_unchanged_inode(void **state)
{
	struct open_request request = mapping_request(copy_mapping);
	struct stat status;

	(void)state;
	assert_int_equal(stat(copy_path, &status), 0);
	if (makedev(request.dev_major, request.dev_minor) != status.st_dev)
		skip();	/* a file system whose mappings show another device than stat(2) */
	request.pid = 0;
	request.unchanged_since_ns = (uint64_t)status.st_ctim.tv_sec * 1000000000 +
				     (uint64_t)status.st_ctim.tv_nsec;
	assert_true(ask(&request).is_ready);
	request.unchanged_since_ns--;
	expect_refused(&request, "changed since");
	request.unchanged_since_ns++;
	request.inode++;
	expect_refused(&request, "another file");
}

static void test_the_vdso_of_a_recording_is_our_own_if_its_kernel_is(void **state)
{
	struct open_request request = { .pid = 0, .path = "[vdso]" };

	(void)state;
	expect_refused(&request, "belongs to the kernel");
	request.is_of_running_kernel = true;
	assert_true(ask(&request).is_ready);
}

/* Opening a FIFO or a device can wait for ever or do something. The watch sees every open(2) but
 * those with O_PATH. */
/* A link beside the file leads to it; a script that was called like that does not. */
static void test_a_program_has_the_names_that_lead_to_its_file(void **state)
{
	struct open_request request = { .purpose = OPEN_PROGRAM_NAME, .pid = (uint32_t)getpid(),
					.comm = "linked" };
	struct open_reply reply;

	(void)state;
	snprintf(request.path, sizeof(request.path), "%s", copy_path);
	run("ln -s library.so %s/linked%s", directory, "");
	run("echo '#!/bin/sh' >%s/script%s", directory, "");
	reply = ask(&request);
	assert_true(reply.is_program_name && reply.is_ready);
	assert_string_equal(reply.comm, "linked");
	strcpy(request.comm, "script");
	reply = ask(&request);
	assert_true(reply.is_program_name && !reply.is_ready);
	assert_int_equal(reply.why.err, -ENOENT);
	strcpy(request.comm, "nowhere");
	assert_int_equal(ask(&request).why.err, -ENOENT);
	request.pid = UINT32_MAX;
	assert_int_equal(ask(&request).why.err, -ESRCH);
}

static void test_only_regular_files_are_opened(void **state)
{
	struct open_request request = { .pid = (uint32_t)getpid(), .build_id.count = 20 };
	int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	char event[512];

	(void)state;
	snprintf(request.path, sizeof(request.path), "%s/fifo", directory);
	assert_int_equal(mkfifo(request.path, 0600), 0);
	assert_int_not_equal(inotify_add_watch(watch, request.path, IN_OPEN), -1);
	expect_refused(&request, "not a regular file");
	assert_int_equal(read(watch, event, sizeof(event)), -1);
	close(watch);
	strcpy(request.path, "/dev/null");
	expect_refused(&request, "not a regular file");
	strcpy(request.path, directory);
	expect_refused(&request, "not a regular file");
}

static void test_memory_without_a_file_says_so(void **state)
{
	static const char *const names[] = { "", "//anon", "[heap]", "[stack]", "[anon:jit]",
					     "anon_inode:[perf_event]", "/dev/zero (deleted)",
					     "/SYSV00000000 (deleted)", "[vsyscall]" };
	struct open_request request = { .pid = (uint32_t)getpid() };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		strcpy(request.path, names[i]);
		expect_refused(&request, "memory without a file");
	}
}

static void test_a_file_in_memory_is_read(void **state)
{
	struct open_request request;
	struct open_reply reply;
	int memory = memfd_create("jit", MFD_CLOEXEC), file = open(copy_path, O_RDONLY | O_CLOEXEC);
	struct stat status;
	void *mapping;

	(void)state;
	assert_int_equal(fstat(file, &status), 0);
	for (off_t at = 0; at < status.st_size;) {
		char bytes[65536];
		ssize_t got = read(file, bytes, sizeof(bytes));

		assert_int_equal(write(memory, bytes, (size_t)got), got);
		at += got;
	}
	mapping = mmap(NULL, 65536, PROT_READ | PROT_EXEC, MAP_SHARED, memory, 0);
	request = mapping_request(mapping);
	assert_string_equal(request.path, "/memfd:jit (deleted)");
	reply = ask(&request);
	munmap(mapping, 65536);
	close(memory);
	close(file);
	if (!reply.is_ready && geteuid() != 0)
		skip();
	assert_true(reply.is_ready);
}

#ifdef __aarch64__
#define VDSO_FUNCTION "__kernel_clock_gettime"
#else
#define VDSO_FUNCTION "__vdso_clock_gettime"
#endif

static void test_the_vdso_is_named(void **state)
{
	struct open_request request = { .pid = (uint32_t)getpid(), .path = "[vdso]" };
	struct open_reply reply;
	bool was_found = false;

	(void)state;
	request.end = UINT64_MAX;	/* the end of a 64-bit process */
	reply = ask(&request);
	assert_true(reply.is_ready);
	for (uint32_t i = 0; i < reply.table.header->row_count; i++)
		was_found |= strcmp(flat_table_name(&reply.table, i), VDSO_FUNCTION) == 0;
	assert_true(was_found);
	assert_true(ask(&request).is_shared);
}

/* Ours, copied to where a 32-bit process has its own: that is read from the process. */
static void test_a_vdso_below_4_gib_is_read_from_the_process(void **state)
{
	const void *image = (const void *)getauxval(AT_SYSINFO_EHDR);
	struct open_request request = { .pid = (uint32_t)getpid(), .path = "[vdso]" };
	char *copy = mmap((void *)0x20000000, 8192, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	struct open_reply reply;

	(void)state;
	if (!image || copy == MAP_FAILED)
		skip();
	memcpy(copy, image, 8192);
	request.start = (uintptr_t)copy;
	request.end = request.start + 8192;
	reply = ask(&request);
	assert_true(reply.is_ready && reply.table.header->row_count > 0);
	assert_true(ask(&request).is_shared);
	memset(copy, 0, 8192);	/* a process can do that: then it is no vdso */
	expect_refused(&request, "not an ELF file");
	munmap(copy, 8192);
}

static void test_a_file_that_is_not_elf_is_remembered_as_unreadable(void **state)
{
	struct open_request request;

	(void)state;
	run("echo text > %s/text%s", directory, "");
	request = mapping_request(copy_mapping);
	munmap(copy_mapping, 65536);
	copy_mapping = MAP_FAILED;	/* others' memory may come to that place */
	snprintf(request.path, sizeof(request.path), "%s/text", directory);
	request.build_id.count = 20;
	expect_refused(&request, "not an ELF file");
	expect_refused(&request, "not an ELF file");
}

static void test_the_kernel_is_loaded_once_per_slide(void **state)
{
	struct open_request request = { .is_kernel = true };
	struct open_reply plain = ask(&request), slid;

	(void)state;
	if (!plain.is_ready) {
		assert_int_equal(plain.why.err, -EPERM);
		skip();
	}
	assert_in_range(plain.table.header->row_count, 1000, 10000000);
	assert_true(ask(&request).is_shared);
	request.kernel_slide = 0x200000;
	slid = ask(&request);
	assert_false(slid.is_shared);
	assert_int_equal(slid.kernel_text_address, plain.kernel_text_address + 0x200000);
	request.build_id.count = 20;
	expect_refused(&request, "another kernel");
}

/* A module may have come. The table in use stays, those before it are given back. */
static void test_the_kernel_is_read_again_when_asked_to(void **state)
{
	struct open_request request = { .is_kernel = true };
	struct open_reply first = ask(&request), second, third;
	size_t bytes = dso_opener_bytes(opener);

	(void)state;
	if (!first.is_ready)
		skip();
	request.is_fresh = true;
	second = ask(&request);
	assert_false(second.is_shared);
	assert_ptr_not_equal(second.table.header, first.table.header);
	assert_int_equal(first.table.header->magic, FLAT_TABLE_MAGIC);
	third = ask(&request);
	assert_false(third.is_shared);
	assert_int_equal(second.table.header->magic, FLAT_TABLE_MAGIC);
	assert_in_range(dso_opener_bytes(opener), bytes, 2 * bytes + 65536);
	request.is_fresh = false;
	second = ask(&request);
	assert_true(second.is_shared);
	assert_ptr_equal(second.table.header, third.table.header);
}

static void test_more_requests_than_replies_fit_are_not_taken(void **state)
{
	struct open_request request = { .pid = 1, .path = "[heap]" };
	struct pollfd wait = { .fd = dso_opener_fd(opener), .events = POLLIN };
	struct open_reply reply;
	uint32_t taken = 0;

	(void)state;
	for (request.dso = 0; request.dso < 1024; request.dso++)
		assert_true(dso_opener_request(opener, &request));
	assert_false(dso_opener_request(opener, &request));
	while (taken < 1024) {
		if (dso_opener_reply(opener, &reply))
			assert_int_equal(reply.dso, taken++);
		else
			assert_int_equal(poll(&wait, 1, REPLY_LIMIT_MS), 1);
	}
	assert_true(dso_opener_request(opener, &request));
}

static void test_an_opener_with_work_left_can_be_destroyed(void **state)
{
	struct open_request request = mapping_request(copy_mapping);

	(void)state;
	for (int i = 0; i < 100; i++)
		dso_opener_request(opener, &request);
	dso_opener_destroy(opener);
	opener = NULL;
}

enum outcome { ENDED = 1, NOT_ENDED, NO_PERMISSION };

/* A thread is in open(2) when @gate is asked. On a machine that stands still for a second the
 * request is given up before that. */
static bool ask_until_it_opens(const struct open_request *request, int gate)
{
	struct pollfd asked = { .fd = gate, .events = POLLIN };
	struct open_reply reply;

	for (int tries = 0; tries < REPLY_LIMIT_MS / 1000; tries++) {
		dso_opener_request(opener, request);
		if (poll(&asked, 1, 2000) == 1)
			return true;
		while (dso_opener_reply(opener, &reply))
			;
	}
	return false;
}

/* The opening of @path, which is mapped, is never answered. */
static enum outcome destroy_while_it_opens(const char *path)
{
	int gate = fanotify_init(FAN_CLASS_CONTENT | FAN_CLOEXEC, O_RDONLY | O_CLOEXEC);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	const void *mapping = mmap(NULL, 1, PROT_READ, MAP_PRIVATE, fd, 0);
	struct open_request request;

	if (fanotify_mark(gate, FAN_MARK_ADD, FAN_OPEN_PERM, AT_FDCWD, path))
		return NO_PERMISSION;
	if (sandbox_start(&sandbox, worker_run, NULL) ||
	    dso_opener_create(&opener, sandbox, NULL, NULL))
		return NOT_ENDED;
	request = mapping_request(mapping);
	if (!ask_until_it_opens(&request, gate))
		return NOT_ENDED;
	return dso_opener_destroy(opener) ? ENDED : NOT_ENDED;
}

/* In a child: what is left behind ends with its process. */
static void test_an_open_that_hangs_is_left_behind_and_the_opener_ends(void **state)
{
	char path[] = "/tmp/test_dso_opener.XXXXXX";
	int fd = mkstemp(path), status;
	pid_t child;

	(void)state;
	assert_int_equal(write(fd, "text", 4), 4);
	close(fd);
	child = fork();
	if (child == 0)
		_exit((int)destroy_while_it_opens(path));
	assert_int_equal(waitpid(child, &status, 0), child);
	unlink(path);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == NO_PERMISSION)
		skip();
	assert_int_equal(WEXITSTATUS(status), ENDED);
}

#define WITH_OPENER(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

UNIT_TESTS(test_dso_opener)
{
	const struct CMUnitTest tests[] = {
		WITH_OPENER(test_a_mapped_library_is_named_at_its_file_offset),
		WITH_OPENER(test_the_same_file_is_compiled_once),
		WITH_OPENER(test_without_a_need_for_names_none_are_compiled),
		WITH_OPENER(test_a_deleted_file_is_read_and_not_a_decoy_of_its_name),
		WITH_OPENER(test_a_decoy_is_not_read_when_the_mapping_is_gone),
		WITH_OPENER(test_a_replaced_file_lends_no_names),
		WITH_OPENER(test_a_path_is_enough_when_the_inode_is_the_mapped_one),
		WITH_OPENER(test_an_inode_of_another_generation_is_another_file),
		WITH_OPENER(test_a_path_is_enough_when_the_build_id_is_the_mapped_one),
		WITH_OPENER(test_a_recording_needs_the_build_id),
		WITH_OPENER(test_a_recording_without_build_ids_needs_the_unchanged_inode),
		WITH_OPENER(test_the_vdso_of_a_recording_is_our_own_if_its_kernel_is),
		WITH_OPENER(test_a_program_has_the_names_that_lead_to_its_file),
		WITH_OPENER(test_only_regular_files_are_opened),
		WITH_OPENER(test_memory_without_a_file_says_so),
		WITH_OPENER(test_a_file_in_memory_is_read),
		WITH_OPENER(test_the_vdso_is_named),
		WITH_OPENER(test_a_vdso_below_4_gib_is_read_from_the_process),
		WITH_OPENER(test_a_file_that_is_not_elf_is_remembered_as_unreadable),
		WITH_OPENER(test_the_kernel_is_loaded_once_per_slide),
		WITH_OPENER(test_the_kernel_is_read_again_when_asked_to),
		WITH_OPENER(test_more_requests_than_replies_fit_are_not_taken),
		WITH_OPENER(test_an_opener_with_work_left_can_be_destroyed),
		cmocka_unit_test(test_an_open_that_hangs_is_left_behind_and_the_opener_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
