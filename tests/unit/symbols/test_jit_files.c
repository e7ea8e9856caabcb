/* Where a process says what its run-time code is called: this process is it, and its map grows, is
 * replaced, and is everything that must never be opened. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "elf/file_jobs.h"
#include "fuse_fixture.h"
#include "symbols/dso_table.h"
#include "symbols/jit_files.h"
#include "unit_tests.h"

#define REPLY_LIMIT_MS 60000	/* only reached when something hangs */

static struct sandbox *sandbox;
static struct dso_opener *opener;
static char map_path[64];
static struct blocking_calls calls;

static int set_up(void **state)
{
	(void)state;
	snprintf(map_path, sizeof(map_path), "/tmp/perf-%d.map", getpid());
	return sandbox_start(&sandbox, worker_run, NULL) ||
	       dso_opener_create(&opener, sandbox, NULL, NULL);
}

static int tear_down(void **state)
{
	(void)state;
	dso_opener_destroy(opener);
	sandbox_stop(sandbox);
	remove(map_path);	/* or directory */
	return 0;
}

static void write_map(const char *mode, const char *text)
{
	FILE *map = fopen(map_path, mode);

	assert_non_null(map);
	fputs(text, map);
	assert_int_equal(fclose(map), 0);
}

static struct open_reply ask(const struct open_request *request)
{
	struct pollfd wait = { .fd = dso_opener_fd(opener), .events = POLLIN };
	struct open_reply reply;

	assert_true(dso_opener_request(opener, request));
	while (!dso_opener_reply(opener, &reply))
		assert_int_equal(poll(&wait, 1, REPLY_LIMIT_MS), 1);
	assert_int_equal(reply.jit, request->jit);
	return reply;
}

static struct open_reply look_at(pid_t pid, enum jit_step step)
{
	const struct open_request request = { .jit = 3, .jit_step = step, .pid = (uint32_t)pid };

	return ask(&request);
}

static struct open_reply look(void)
{
	return look_at(getpid(), JIT_LOOK);
}

static void expect(const struct open_reply *reply, uint64_t address, const char *name)
{
	uint32_t row = flat_table_find(&reply->table, address);

	assert_string_equal(row == FLAT_NONE ? "" : flat_table_name(&reply->table, row), name);
}

static void expect_new(const struct open_reply *reply)
{
	assert_int_equal(reply->why.err, 0);
	assert_true(reply->is_ready);
	assert_false(reply->is_shared);
}

static void expect_refused(int err, const char *reason)
{
	const struct open_reply reply = look();

	assert_int_equal(reply.why.err, err);
	assert_string_equal(reply.why.text, reason);
	assert_false(reply.is_ready);
}

static void test_no_map_is_nothing_to_tell(void **state)
{
	(void)state;
	expect_refused(-ENOENT, "says nothing of its run-time code");
}

static void test_a_map_is_followed_as_it_grows(void **state)
{
	struct open_reply reply;

	(void)state;
	write_map("w", "1000 100 first\n2000 10 sec");
	reply = look();
	expect_new(&reply);
	expect(&reply, 0x1000, "first");
	expect(&reply, 0x2000, "");
	reply = look();
	assert_true(reply.is_ready && reply.is_shared);
	write_map("a", "ond\n1010 10 third\n");
	reply = look();
	expect_new(&reply);
	expect(&reply, 0x1000, "first");
	expect(&reply, 0x2000, "second");
	expect(&reply, 0x1010, "third");
}

/* What was given out stays readable until the request after the next reply. */
static void test_the_table_before_stays_until_the_next_request(void **state)
{
	struct open_reply before, reply;

	(void)state;
	write_map("w", "1000 100 first\n");
	before = look();
	write_map("a", "2000 10 second\n");
	reply = look();
	assert_ptr_not_equal(before.table.header, reply.table.header);
	expect(&before, 0x1000, "first");
	expect(&before, 0x2000, "");
}

static void test_a_shorter_or_other_file_begins_anew(void **state)
{
	struct open_reply reply;

	(void)state;
	write_map("w", "1000 100 first\n2000 10 second\n");
	look();
	write_map("w", "3000 10 third\n");
	reply = look();
	expect_new(&reply);
	expect(&reply, 0x1000, "");
	expect(&reply, 0x3000, "third");
	unlink(map_path);
	write_map("w", "4000 10 other\n5000 10 file\n");
	reply = look();
	expect_new(&reply);
	expect(&reply, 0x3000, "");
	expect(&reply, 0x5000, "file");
}

static void test_a_fifo_is_not_opened(void **state)
{
	(void)state;
	assert_int_equal(mkfifo(map_path, 0600), 0);
	expect_refused(-EINVAL, "perf map is not a regular file: not opened");
}

static void test_a_link_is_not_followed(void **state)
{
	(void)state;
	assert_int_equal(symlink("/proc/kallsyms", map_path), 0);
	expect_refused(-ELOOP, "perf map is a link: not followed");
}

static void test_a_directory_is_not_opened(void **state)
{
	(void)state;
	assert_int_equal(mkdir(map_path, 0700), 0);
	expect_refused(-EINVAL, "perf map is not a regular file: not opened");
}

static void test_a_strangers_map_is_not_read(void **state)
{
	(void)state;
	write_map("w", "1000 100 strange\n");
	if (chown(map_path, 12345, 12345))
		skip();
	expect_refused(-EACCES, "perf map belongs to uid 12345, neither the process's user nor "
		       "root: not read");
}

static void test_a_map_that_others_may_write_is_not_read(void **state)
{
	(void)state;
	write_map("w", "1000 100 anybodys\n");
	for (mode_t bit = S_IWOTH; bit <= S_IWGRP; bit <<= 3) {
		assert_int_equal(chmod(map_path, 0644 | bit), 0);
		expect_refused(-EACCES, "perf map may be written by others: not read; chmod go-w");
	}
}

static void test_a_map_of_two_names_is_not_read(void **state)
{
	char other[sizeof(map_path) + 8];

	(void)state;
	write_map("w", "1000 100 anothers\n");
	snprintf(other, sizeof(other), "%s.other", map_path);
	assert_int_equal(link(map_path, other), 0);
	expect_refused(-EMLINK, "perf map has another name, too: not read");
	assert_int_equal(unlink(other), 0);
}

static void test_a_giant_is_not_read(void **state)
{
	(void)state;
	write_map("w", "1000 100 huge\n");
	assert_int_equal(truncate(map_path, 1 << 30), 0);
	expect_refused(-E2BIG, "perf map is larger than 64 MiB: not read");
}

/* The names that were there stay when the file becomes one that is refused. */
static void test_a_refusal_takes_no_names_away(void **state)
{
	struct open_reply reply;

	(void)state;
	write_map("w", "1000 100 first\n");
	look();
	assert_int_equal(truncate(map_path, 1 << 30), 0);
	reply = look();
	assert_int_equal(reply.why.err, -E2BIG);
	assert_true(reply.is_ready && reply.is_shared);
	expect(&reply, 0x1000, "first");
}

static void test_zeros_are_read_to_their_end_and_no_further(void **state)
{
	struct open_reply reply;

	(void)state;
	write_map("w", "1000 100 first\n");
	assert_int_equal(truncate(map_path, JIT_MAP_BYTES_MAX), 0);
	reply = look();
	expect_new(&reply);
	expect(&reply, 0x1000, "first");
	assert_int_equal(reply.table.header->row_count, 1);
}

/* A process that writes its last line and ends: the file is held, its pid may be another's. */
static void test_the_last_lines_of_a_process_that_ended_are_read(void **state)
{
	struct open_reply reply;
	int pipe_fds[2];
	pid_t child;
	char byte;

	(void)state;
	assert_int_equal(pipe(pipe_fds), 0);
	child = fork();
	if (!child) {
		close(pipe_fds[1]);
		_exit(read(pipe_fds[0], &byte, 1) == 1);
	}
	snprintf(map_path, sizeof(map_path), "/tmp/perf-%d.map", child);
	write_map("w", "1000 100 first\n");
	reply = look_at(child, JIT_LOOK);
	expect(&reply, 0x1000, "first");
	write_map("a", "2000 100 last\n");
	close(pipe_fds[0]);
	close(pipe_fds[1]);
	assert_int_equal(waitpid(child, NULL, 0), child);
	reply = look_at(child, JIT_LAST_LOOK);
	expect_new(&reply);
	expect(&reply, 0x2000, "last");
}

static void test_a_last_look_opens_no_path(void **state)
{
	struct open_reply reply;

	(void)state;
	write_map("w", "1000 100 first\n");
	reply = look_at(getpid(), JIT_LAST_LOOK);
	assert_int_equal(reply.why.err, -ENOENT);
	assert_false(reply.is_ready);
}

static void test_what_is_forgotten_is_given_back(void **state)
{
	const size_t before = dso_opener_bytes(opener);
	struct open_reply reply;

	(void)state;
	write_map("w", "1000 100 first\n");
	look();
	assert_true(dso_opener_bytes(opener) > before);
	reply = look_at(getpid(), JIT_FORGET);
	assert_int_equal(reply.jit_step, JIT_FORGET);
	assert_false(reply.is_ready);
	assert_int_equal(dso_opener_bytes(opener), before);
	reply = look();		/* from its beginning */
	expect_new(&reply);
	expect(&reply, 0x1000, "first");
}

/* A user with many processes must not use up the memory of the machine. */
static void test_the_tables_of_all_processes_are_bounded(void **state)
{
	const struct open_request request = { .jit = 3, .pid = (uint32_t)getpid() };
	struct jit_files files = { .blocking_calls = &calls, .bytes = JIT_FILES_BYTES_MAX - 300 };
	struct open_reply reply = { .jit = 3 };

	(void)state;
	write_map("w", "1000 100 first\n");
	jit_files_reply(&files, sandbox, &request, &reply);
	assert_true(reply.is_ready);
	write_map("a", "2000 100 one more\n");
	jit_files_reply(&files, sandbox, &request, &reply);
	assert_true(reply.is_ready && reply.is_shared);
	expect(&reply, 0x1000, "first");
	assert_int_equal(reply.why.err, -E2BIG);
	jit_files_finish(&files);
	blocking_calls_finish(&calls);
	assert_int_equal(files.bytes, 0);
}

/* Of 256 processes the files are kept for the time after their end; the next one's last lines are
 * lost, and it says so. One that never had a file has lost nothing. */
static void test_a_file_that_could_not_be_kept_is_reported(void **state)
{
	struct open_request request = { .jit = 3, .pid = (uint32_t)getpid() };
	struct jit_files files = { .blocking_calls = &calls, .held = 255 };
	struct open_reply kept = { .jit = 3 }, lost = { .jit = 4 }, none = { .jit = 5 };

	(void)state;
	write_map("w", "1000 100 first\n");
	for (request.jit = 3; request.jit <= 4; request.jit++)
		jit_files_reply(&files, sandbox, &request, &(struct open_reply){ .jit = 0 });
	request.jit_step = JIT_LAST_LOOK;
	request.jit = 3;
	jit_files_reply(&files, sandbox, &request, &kept);
	assert_false(kept.is_let_go);
	request.jit = 4;
	jit_files_reply(&files, sandbox, &request, &lost);
	assert_true(lost.is_let_go && lost.is_ready);
	expect(&lost, 0x1000, "first");
	request.jit = 5;
	jit_files_reply(&files, sandbox, &request, &none);
	assert_false(none.is_let_go);
	assert_int_equal(files.held, 256);
	jit_files_finish(&files);
	blocking_calls_finish(&calls);
}

static void test_what_is_no_jitdump_is_said_and_the_map_is_read(void **state)
{
	char path[] = "/tmp/test_jit_files.XXXXXX";
	struct open_request request = { .jit = 3, .pid = (uint32_t)getpid() };
	FILE *dump = fdopen(mkstemp(path), "w+");
	struct open_reply reply;
	struct stat status;

	(void)state;
	write_map("w", "1000 100 mapped\n");
	fputs("not a jitdump, but long enough for the header of one", dump);
	fflush(dump);
	strcpy(request.path, path);
	assert_int_equal(fstat(fileno(dump), &status), 0);
	request.inode = status.st_ino;
	request.dev_major = major(status.st_dev);
	request.dev_minor = minor(status.st_dev);
	request.dev_major = major(status.st_dev);
	request.dev_minor = minor(status.st_dev);
	reply = ask(&request);
	fclose(dump);
	unlink(path);
	assert_int_equal(reply.why.err, -ENOEXEC);
	assert_string_equal(reply.why.text, "not a jitdump");
	expect(&reply, 0x1000, "mapped");
}

/* magic, version, header size, machine, padding, pid, time, flags; then one JIT_CODE_LOAD of
 * "dumped" at 0x7000. */
static void write_dump(FILE *dump)
{
	static const uint32_t header[] = { 0x4a695444, 1, 40, 62, 0, 0, 0, 0, 0, 0 };
	static const uint32_t load[] = { 0, 63, 0, 0, 1, 1, 0x7000, 0, 0x7000, 0, 16, 0, 1, 0 };

	fwrite(header, sizeof(header), 1, dump);
	fwrite(load, sizeof(load), 1, dump);
	fwrite("dumped", 7, 1, dump);
	fflush(dump);
}

static void test_a_jitdump_adds_to_the_map(void **state)
{
	char path[] = "/tmp/test_jit_files.XXXXXX";
	struct open_request request = { .jit = 3, .pid = (uint32_t)getpid() };
	FILE *dump = fdopen(mkstemp(path), "w+");
	struct open_reply reply;
	struct stat status;
	void *mapping;

	(void)state;
	write_map("w", "1000 100 mapped\n");
	write_dump(dump);
	mapping = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(dump), 0);
	assert_ptr_not_equal(mapping, MAP_FAILED);
	request.start = (uintptr_t)mapping;
	request.end = request.start + 4096;
	strcpy(request.path, path);
	assert_int_equal(fstat(fileno(dump), &status), 0);
	request.inode = status.st_ino;
	request.dev_major = major(status.st_dev);
	request.dev_minor = minor(status.st_dev);
	reply = ask(&request);
	munmap(mapping, 4096);
	fclose(dump);
	unlink(path);
	expect_new(&reply);
	expect(&reply, 0x1000, "mapped");
	expect(&reply, 0x700f, "dumped");
}

static void test_a_jitdump_on_fuse_is_not_copied(void **state)
{
	struct open_request request = { .jit = 3, .pid = (uint32_t)getpid() };
	struct open_reply reply = { .jit = 3 };
	struct jit_files files = { .blocking_calls = &calls };
	char mounted[] = "/tmp/test-jit-fuse";
	struct stat status;
	pid_t server;

	(void)state;
	if (!fuse_fixture_is_possible())
		skip();
	server = fuse_fixture_start(mounted, "/bin/sh", NULL);
	snprintf(request.path, sizeof(request.path), "%s/program", mounted);
	assert_int_equal(stat(request.path, &status), 0);
	request.dev_major = major(status.st_dev);
	request.dev_minor = minor(status.st_dev);
	request.inode = status.st_ino;
	jit_files_reply(&files, sandbox, &request, &reply);
	jit_files_finish(&files);
	blocking_calls_finish(&calls);
	fuse_fixture_end(server, mounted);
	assert_int_equal(reply.why.err, -EXDEV);
	assert_non_null(strstr(reply.why.text, "jitdump is on FUSE"));
}

UNIT_TESTS(test_jit_files)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		TEST(test_no_map_is_nothing_to_tell),
		TEST(test_a_map_is_followed_as_it_grows),
		TEST(test_the_table_before_stays_until_the_next_request),
		TEST(test_a_shorter_or_other_file_begins_anew),
		TEST(test_a_fifo_is_not_opened),
		TEST(test_a_link_is_not_followed),
		TEST(test_a_directory_is_not_opened),
		TEST(test_a_strangers_map_is_not_read),
		TEST(test_a_map_that_others_may_write_is_not_read),
		TEST(test_a_map_of_two_names_is_not_read),
		TEST(test_a_giant_is_not_read),
		TEST(test_a_refusal_takes_no_names_away),
		TEST(test_zeros_are_read_to_their_end_and_no_further),
		TEST(test_the_last_lines_of_a_process_that_ended_are_read),
		TEST(test_a_last_look_opens_no_path),
		TEST(test_the_tables_of_all_processes_are_bounded),
		TEST(test_what_is_forgotten_is_given_back),
		TEST(test_a_file_that_could_not_be_kept_is_reported),
		TEST(test_what_is_no_jitdump_is_said_and_the_map_is_read),
		TEST(test_a_jitdump_adds_to_the_map),
		TEST(test_a_jitdump_on_fuse_is_not_copied),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
