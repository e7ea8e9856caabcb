/* Source files that a stranger's debug information names: opened as the process that runs it, never
 * with rights that it does not have, and nothing but text is shown. The target is another user's
 * process; what may not be read has a text that would be seen. */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <md5.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "elf/file_jobs.h"
#include "fuse_fixture.h"
#include "need_root.h"
#include "symbols/source_file.h"
#include "unit_tests.h"

enum { STRANGER = 65534, GROUP = 64321 };

static char directory[] = "/tmp/test_source_reading.XXXXXX";
static struct source_reader reader;

static int set_up(void **state)
{
	(void)state;
	strcpy(directory + strlen(directory) - 6, "XXXXXX");
	reader = (struct source_reader){ .sandbox = NULL };
	return mkdtemp(directory) && !chmod(directory, 0755) &&
	       !sandbox_start(&reader.sandbox, worker_run, NULL) ? 0 : -1;
}

static int tear_down(void **state)
{
	char command[64];

	(void)state;
	sandbox_stop(reader.sandbox);
	snprintf(command, sizeof(command), "rm -r %s", directory);
	return system(command);
}

/* One of many buffers: a test keeps several. */
static const char *path_of(const char *name)
{
	static char paths[32][256];
	static unsigned int next;
	char *path = paths[next++ % 32];

	snprintf(path, sizeof(paths[0]), "%s/%s", directory, name);
	return path;
}

static const char *make(const char *name, const char *text, mode_t mode, uid_t uid, gid_t gid)
{
	const char *path = path_of(name);
	const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	assert_int_equal(fchown(fd, uid, gid) | fchmod(fd, mode), 0);
	close(fd);
	return path;
}

static const char *make_mine(const char *name, const char *text)
{
	return make(name, text, 0644, geteuid(), getegid());
}

/* What the target is, and the file that it maps as its program does. */
struct target {
	uid_t uid;
	gid_t gid;
	size_t group_count;
	gid_t groups[4];
	const char *root;	/* NULL: ours */
	const char *maps;	/* NULL: nothing */
};

static _Noreturn void run_target(const struct target *target, int ready)
{
	const int fd = target->maps ? open(target->maps, O_RDONLY | O_CLOEXEC) : -1;

	if (target->maps && mmap(NULL, 1, PROT_READ, MAP_PRIVATE, fd, 0) == MAP_FAILED)
		_exit(1);
	if (target->root && (chroot(target->root) || chdir("/")))
		_exit(2);
	if (geteuid() == 0 && (setgroups(target->group_count, target->groups) ||
			       setresgid(target->gid, target->gid, target->gid) ||
			       setresuid(target->uid, target->uid, target->uid)))
		_exit(3);
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || write(ready, "", 1) != 1)
		_exit(4);
	for (;;)
		pause();
}

static pid_t start(const struct target *target)
{
	int ready[2];
	char byte;
	pid_t child;

	assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
	child = fork();
	if (child == 0)
		run_target(target, ready[1]);
	close(ready[1]);
	assert_true(child > 0 && read(ready[0], &byte, 1) == 1);
	close(ready[0]);
	return child;
}

static void end(pid_t child)
{
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

/* The mapping of the stranger's program in process @pid. */
static struct open_request *mapping_of(pid_t pid, const char *program)
{
	static struct open_request request;
	struct stat status;

	assert_int_equal(stat(program, &status), 0);
	request = (struct open_request){
		.pid = (uint32_t)pid, .dev_major = major(status.st_dev),
		.dev_minor = minor(status.st_dev), .inode = status.st_ino,
	};
	snprintf(request.path, sizeof(request.path), "%s", program);
	return &request;
}

static void expect_text_of(const struct source_wanted *place, const char *text,
			   const char *warning)
{
	struct diag why = { .text = "" };
	struct source_file *file;

	if (source_file_read(&reader, &file, place, &why))
		fail_msg("%s", why.text);
	assert_string_equal(file->text, text);
	assert_string_equal(file->warning, warning);
	source_file_destroy(file);
}

/* @reason comes after the path. */
static void expect_refusal(const struct source_wanted *place, int err, const char *reason)
{
	struct diag why = { .text = "" };
	struct source_file *file;
	char wanted[512];

	snprintf(wanted, sizeof(wanted), "%s: %s", place->path, reason);
	assert_int_equal(source_file_read(&reader, &file, place, &why), err);
	assert_string_equal(why.text, wanted);
	assert_null(file);
}

#define NOT_FOUND  "not found: name the directory of the sources with --source-path"
#define NOT_PUBLIC "not readable by every user: name its directory with --source-path to read it " \
		   "all the same"
#define DENIED	   "no permission to read it"

static const struct file_author root_wrote_it = { .is_known = true, .uid = 0 };

static void test_a_file_of_a_recording_is_read_where_it_was(void **state)
{
	const struct source_wanted place = { .path = make_mine("a.c", "int a;\n") };

	(void)state;
	expect_text_of(&place, "int a;\n", "");
}

static void test_the_process_reads_what_its_user_may_read(void **state)
{
	const char *program = make_mine("program", "elf");
	const struct target target = { .uid = STRANGER, .gid = STRANGER, .group_count = 1,
				       .groups = { GROUP }, .maps = program };
	const char *own = make("own.c", "own", 0444, STRANGER, STRANGER);
	struct source_wanted place = { .path = own };
	pid_t child;

	(void)state;
	need_root();
	assert_int_equal(chmod(path_of(""), 0750) | chown(path_of(""), 0, GROUP), 0);
	child = start(&target);
	place.dso = mapping_of(child, program);
	expect_text_of(&place, "own", "");
	assert_int_equal(chown(path_of(""), 0, 0), 0);
	expect_refusal(&place, -EACCES, DENIED);	/* the directory is no longer its group's */
	end(child);
}

static void test_no_file_that_only_root_may_read(void **state)
{
	const char *program = make_mine("program", "elf");
	const struct target target = { .uid = STRANGER, .gid = STRANGER, .maps = program };
	const pid_t child = start(&target);
	struct source_wanted place = { .dso = mapping_of(child, program), .path = "/etc/shadow" };

	(void)state;
	need_root();
	expect_refusal(&place, -EACCES, NOT_PUBLIC);
	place.path = make("secret.c", "secret", 0600, 0, 0);
	expect_refusal(&place, -EACCES, NOT_PUBLIC);
	place.path = path_of("private/a.c");
	assert_int_equal(mkdir(path_of("private"), 0700), 0);
	make_mine("private/a.c", "private");
	expect_refusal(&place, -EACCES, DENIED);
	end(child);
}

/* Asked for as root without changing the user: group 0 was kept once, and setfsuid(2) does not say
 * that it failed. */
static void test_group_0_opens_nothing_for_a_stranger(void **state)
{
	const char *program = make_mine("program", "elf");
	const struct target target = { .uid = STRANGER, .gid = STRANGER, .maps = program };
	const char *path = path_of("of_group_0");
	struct source_wanted place = { .path = path_of("of_group_0/a.c") };
	const gid_t groups[] = { 0 };
	pid_t child;

	(void)state;
	need_root();
	assert_int_equal(setgroups(1, groups), 0);
	sandbox_stop(reader.sandbox);
	assert_int_equal(sandbox_start(&reader.sandbox, worker_run, NULL), 0);
	assert_int_equal(mkdir(path, 0750), 0);
	make("of_group_0/a.c", "of group 0", 0444, 0, 0);
	child = start(&target);
	place.dso = mapping_of(child, program);
	expect_refusal(&place, -EACCES, DENIED);
	place.path = make("0440.c", "of group 0", 0440, 0, 0);
	expect_refusal(&place, -EACCES, NOT_PUBLIC);
	end(child);
}

/* As a program does that executes su(1), to have its files opened as root. */
static void test_a_process_that_no_longer_maps_the_program_is_nobody(void **state)
{
	const char *program = make("program", "elf", 0644, STRANGER, STRANGER);
	const struct target target = { .uid = 0, .gid = 0, .maps = NULL };
	struct source_wanted place = { .path = path_of("private/a.c"),
				      .author = { true, STRANGER } };
	pid_t child;

	(void)state;
	need_root();
	assert_int_equal(mkdir(path_of("private"), 0700), 0);
	make_mine("private/a.c", "private");
	child = start(&target);
	place.dso = mapping_of(child, program);
	expect_refusal(&place, -EACCES, DENIED);
	place.author = root_wrote_it;
	expect_text_of(&place, "private", "");
	end(child);
}

static void test_the_root_directory_of_the_process_is_not_left(void **state)
{
	const char *program = make_mine("program", "elf");
	const struct target target = { .uid = STRANGER, .gid = STRANGER, .maps = program,
				       .root = path_of("root") };
	struct source_wanted place = { .path = "/src/a.c" };
	pid_t child;

	(void)state;
	need_root();
	assert_int_equal(mkdir(path_of("root"), 0755) | mkdir(path_of("root/src"), 0755), 0);
	make_mine("outside.c", "outside");
	make_mine("root/src/a.c", "inside");
	assert_int_equal(symlink("../../outside.c", path_of("root/src/up.c")) |
			 symlink(path_of("outside.c"), path_of("root/src/abs.c")) |
			 symlink("/src/a.c", path_of("root/src/in.c")), 0);
	child = start(&target);
	place.dso = mapping_of(child, program);
	expect_text_of(&place, "inside", "");
	place.path = "/src/../../../../src/./in.c";
	expect_text_of(&place, "inside", "");
	place.path = "/src/up.c";
	expect_refusal(&place, -ENOENT, NOT_FOUND);
	place.path = "/src/abs.c";
	expect_refusal(&place, -ENOENT, NOT_FOUND);
	place.path = "/../outside.c";
	expect_refusal(&place, -ENOENT, NOT_FOUND);
	end(child);
}

static void test_what_is_no_text_file_is_not_opened(void **state)
{
	struct source_wanted place = { .path = path_of("it") };
	const char *path = place.path;
	int fd;

	(void)state;
	assert_int_equal(mkdir(path, 0755), 0);
	expect_refusal(&place, -EINVAL, "a directory, not a file");
	rmdir(path);
	assert_int_equal(mkfifo(path, 0644), 0);
	expect_refusal(&place, -EINVAL, "a FIFO, not a file");
	unlink(path);
	place.path = "/dev/zero";
	expect_refusal(&place, -EINVAL, "a device, not a file");
	place.path = "/dev/tty";
	expect_refusal(&place, -EINVAL, "a device, not a file");
	place.path = "/proc/version";
	expect_refusal(&place, -EINVAL, "one of the kernel's files, not a source");
	place.path = "/sys/kernel/uevent_seqnum";
	expect_refusal(&place, -EINVAL, "one of the kernel's files, not a source");
	place.path = "/proc/self/root/etc/passwd";
	expect_refusal(&place, -ELOOP, "its links lead in a circle, or into /proc");
	place.path = "/bin/sh";
	expect_refusal(&place, -EINVAL, "not text: it has NUL bytes");
	place.path = make_mine("large.c", "");
	fd = open(place.path, O_WRONLY | O_CLOEXEC);
	assert_int_equal(ftruncate(fd, (off_t)2 << 30), 0);
	close(fd);
	expect_refusal(&place, -EFBIG, "2048 MiB, more than a source file has");
}

static void test_the_largest_file_is_read_and_one_byte_more_is_not(void **state)
{
	struct source_wanted place = { .path = make_mine("large.c", "") };
	char *text = malloc(SOURCE_BYTES_MAX + 2);
	FILE *file = fopen(place.path, "we");

	(void)state;
	memset(text, 'x', SOURCE_BYTES_MAX + 1);
	assert_int_equal(fwrite(text, 1, SOURCE_BYTES_MAX, file), SOURCE_BYTES_MAX);
	fflush(file);
	text[SOURCE_BYTES_MAX] = '\0';
	expect_text_of(&place, text, "");
	fputc('x', file);
	fclose(file);
	expect_refusal(&place, -EFBIG, "16 MiB, more than a source file has");
	free(text);
}

static void test_below_a_directory_of_the_user_it_is_read_as_its_owner(void **state)
{
	const struct source_paths paths = { 1, { { "/build", 6, path_of("mine") } } };
	struct source_wanted place = { .path = "/build/a.c" };

	(void)state;
	need_root();
	reader.paths = &paths;
	assert_int_equal(mkdir(path_of("mine"), 0700), 0);
	make("mine/a.c", "mine", 0600, STRANGER, STRANGER);
	assert_int_equal(chown(path_of("mine"), STRANGER, STRANGER), 0);
	expect_text_of(&place, "mine", "");
	make("mine/a.c", "root's", 0600, 0, 0);
	expect_refusal(&place, -EACCES, DENIED);
	place.path = "/build/up.c";
	assert_int_equal(symlink("../outside.c", path_of("mine/up.c")), 0);
	make_mine("outside.c", "outside");
	expect_refusal(&place, -ENOENT, NOT_FOUND);
}

static void test_of_several_tails_the_longest_is_taken(void **state)
{
	const struct source_paths paths = { 1, { { "", 0, directory } } };
	const struct source_wanted place = { .path = "/build/x-1/lib/a.c" };

	(void)state;
	reader.paths = &paths;
	make_mine("a.c", "wrong");
	expect_text_of(&place, "wrong", "");
	assert_int_equal(mkdir(path_of("lib"), 0755), 0);
	make_mine("lib/a.c", "right");
	expect_text_of(&place, "right", "");
}

static void expect_bad_option(const char *text, const char *reason)
{
	struct source_paths paths = { .count = 0 };
	struct diag why = { .text = "" };

	assert_int_not_equal(source_paths_add(&paths, text, &why), 0);
	assert_string_equal(why.text, reason);
	assert_int_equal(paths.count, 0);
}

static void test_the_option_has_two_forms(void **state)
{
	struct source_paths paths = { .count = 0 };

	(void)state;
	assert_int_equal(source_paths_add(&paths, "/build/x=/tmp", NULL), 0);
	assert_int_equal(source_paths_add(&paths, "/usr", NULL), 0);
	assert_int_equal(paths.count, 2);
	assert_int_equal(paths.paths[0].from_bytes, strlen("/build/x"));
	assert_string_equal(paths.paths[0].to, "/tmp");
	assert_int_equal(paths.paths[1].from_bytes, 0);
	assert_string_equal(paths.paths[1].to, "/usr");
	expect_bad_option("", "give FROM=TO, or a directory alone");
	expect_bad_option("=/tmp", "give FROM=TO, or a directory alone");
	expect_bad_option("/a=", "give FROM=TO, or a directory alone");
	expect_bad_option("/a=/no", "/no: No such file or directory");
	expect_bad_option("/etc/passwd", "/etc/passwd: not a directory");
}

static void test_readers_have_the_paths_of_the_command_line(void **state)
{
	const struct source_paths paths = { 1, { { "", 0, directory } } };
	const struct source_wanted place = { .path = "/build/a.c" };

	(void)state;
	make_mine("a.c", "a");
	source_paths_set(&paths);
	expect_text_of(&place, "a", "");
	source_paths_set(NULL);
	expect_refusal(&place, -ENOENT, NOT_FOUND);
}

static void compute_md5(uint8_t md5[16], const char *text)
{
	MD5_CTX context;

	MD5Init(&context);
	MD5Update(&context, (const uint8_t *)text, strlen(text));
	MD5Final(md5, &context);
}

/* md5sum(1) of "abc\n" is 0bee89b07a248e27c83fc3d5951213c1. */
static void test_the_checksum_decides_which_file_it_is(void **state)
{
	static const uint8_t of_abc[] = { 0x0b, 0xee, 0x89, 0xb0, 0x7a, 0x24, 0x8e, 0x27,
					  0xc8, 0x3f, 0xc3, 0xd5, 0x95, 0x12, 0x13, 0xc1 };
	const struct source_paths paths = { 1, { { "", 0, directory } } };
	struct source_wanted place = { .path = "/build/lib/a.c", .has_md5 = true,
				      .built_ns = 1 };
	uint8_t md5[16];

	(void)state;
	compute_md5(md5, "abc\n");
	assert_memory_equal(md5, of_abc, sizeof(md5));
	memcpy(place.md5, of_abc, sizeof(of_abc));
	reader.paths = &paths;
	assert_int_equal(mkdir(path_of("lib"), 0755), 0);
	make_mine("lib/a.c", "changed\n");
	expect_text_of(&place, "changed\n", "differs from what was compiled (MD5)");
	make_mine("a.c", "abc\n");
	expect_text_of(&place, "abc\n", "");
}

static void test_a_file_newer_than_the_program_is_marked(void **state)
{
	struct source_wanted place = { .path = make_mine("a.c", "a") };
	struct stat status;

	(void)state;
	assert_int_equal(stat(place.path, &status), 0);
	place.built_ns = (uint64_t)status.st_mtim.tv_sec * CLOCK_NS_PER_S +
			 (uint64_t)status.st_mtim.tv_nsec;
	expect_text_of(&place, "a", "");
	place.built_ns--;
	expect_text_of(&place, "a", "newer than the program");
}

/* Nothing is read with capabilities, so that root's own files in others' directories are not. */
static void test_without_a_process_the_author_reads_it(void **state)
{
	struct source_wanted place = { .path = path_of("private/a.c") };

	(void)state;
	need_root();
	assert_int_equal(mkdir(path_of("private"), 0700), 0);
	make("private/a.c", "private", 0444, STRANGER, STRANGER);
	assert_int_equal(chown(path_of("private"), STRANGER, STRANGER), 0);
	expect_refusal(&place, -EACCES, DENIED);
	place.author = root_wrote_it;
	expect_refusal(&place, -EACCES, DENIED);
	place.author.uid = STRANGER;
	expect_text_of(&place, "private", "");
	place.author = root_wrote_it;
	place.path = "/etc/shadow";
	expect_refusal(&place, -EACCES, NOT_PUBLIC);
}

static void test_a_file_system_that_does_not_reply_is_left_after_a_deadline(void **state)
{
	static const char *const requests[] = { "names\n", "opens\n", "all\n" };
	const char *mount = path_of("fuse");
	struct source_wanted place = { .path = path_of("fuse/program") };

	(void)state;
	if (!fuse_fixture_is_possible()) {
		print_message("SKIP: needs root and /dev/fuse\n");
		skip();
	}
	make_mine("text", "slow text");
	sandbox_set_deadline(reader.sandbox, 300);
	for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++) {
		const pid_t server = fuse_fixture_start(mount, path_of("text"), requests[i]);

		reader.refused[0].until_ns = 0;
		expect_refusal(&place, -EBUSY, "its file system does not reply");
		expect_refusal(&place, -EBUSY, "its file system does not reply");
		fuse_fixture_end(server, mount);
	}
}

static void test_an_empty_file_is_text(void **state)
{
	const struct source_wanted place = { .path = make_mine("a.c", "") };

	(void)state;
	expect_text_of(&place, "", "");
}

static void test_a_name_with_control_bytes_is_clean_in_the_reason(void **state)
{
	const struct source_wanted place = { .path = "/no\x1b[2J/a.c" };
	struct source_file *file;
	struct diag why;

	(void)state;
	assert_int_equal(source_file_read(&reader, &file, &place, &why), -ENOENT);
	assert_string_equal(why.text, "/no\\x1b[2J/a.c: " NOT_FOUND);
}

#define READING(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

UNIT_TESTS(test_source_reading)
{
	static const struct CMUnitTest tests[] = {
		READING(test_a_file_of_a_recording_is_read_where_it_was),
		READING(test_the_process_reads_what_its_user_may_read),
		READING(test_no_file_that_only_root_may_read),
		READING(test_group_0_opens_nothing_for_a_stranger),
		READING(test_a_process_that_no_longer_maps_the_program_is_nobody),
		READING(test_the_root_directory_of_the_process_is_not_left),
		READING(test_what_is_no_text_file_is_not_opened),
		READING(test_the_largest_file_is_read_and_one_byte_more_is_not),
		READING(test_below_a_directory_of_the_user_it_is_read_as_its_owner),
		READING(test_of_several_tails_the_longest_is_taken),
		READING(test_the_option_has_two_forms),
		READING(test_readers_have_the_paths_of_the_command_line),
		READING(test_the_checksum_decides_which_file_it_is),
		READING(test_a_file_newer_than_the_program_is_marked),
		READING(test_without_a_process_the_author_reads_it),
		READING(test_a_file_system_that_does_not_reply_is_left_after_a_deadline),
		READING(test_an_empty_file_is_text),
		READING(test_a_name_with_control_bytes_is_clean_in_the_reason),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
