/* A file is there whole or not at all, and only where nobody can exchange it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <seccomp.h>

#include "base/privileges.h"
#include "unit_tests.h"

#define STRANGER 65534

static char place[] = "/tmp/flametop-test-XXXXXX";
static char path[64];

/* An environment with this SUDO_UID (NULL: without), from which all is taken as main does it. */
static void take_over(const char *caller)
{
	static char variable[32];
	static char *given[2];

	snprintf(variable, sizeof(variable), "SUDO_UID=%s", caller ? caller : "");
	given[0] = caller ? variable : NULL;
	environ = given;
	inherited_distrust();
}

static int set_up(void **state)
{
	(void)state;
	strcpy(place + strlen(place) - 6, "XXXXXX");
	take_over(NULL);
	snprintf(path, sizeof(path), "%s/file", mkdtemp(place));
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	/* Writing has given up the right to write where others may. */
	if (chown(place, geteuid(), getegid()))
		return -1;
	unlink(path);
	return rmdir(place);	/* fails when anything else is left in it */
}

#define FILE_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

static int entries(void)
{
	DIR *directory = opendir(place);
	int count = -2;		/* . and .. */

	while (readdir(directory))
		count++;
	closedir(directory);
	return count;
}

static void expect_text(const char *text)
{
	char found[16] = "";
	const int fd = open(path, O_RDONLY | O_NOFOLLOW);

	assert_int_equal(read(fd, found, sizeof(found) - 1), strlen(text));
	assert_string_equal(found, text);
	close(fd);
}

static int write_whole(struct diag *why)
{
	struct new_file file;
	int err = new_file_open(&file, path, why);

	if (err)
		return err;
	if (write(file.fd, "whole", 5) != 5)
		abort();
	return new_file_keep(&file);
}

static void test_it_has_its_name_when_it_is_whole_and_not_before(void **state)
{
	struct new_file file;

	(void)state;
	assert_int_equal(new_file_open(&file, path, NULL), 0);
	assert_int_equal(write(file.fd, "whole", 5), 5);
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(new_file_keep(&file), 0);
	expect_text("whole");
	assert_int_equal(entries(), 1);
}

static void test_what_is_dropped_leaves_nothing(void **state)
{
	struct new_file file;

	(void)state;
	assert_int_equal(new_file_open(&file, path, NULL), 0);
	assert_int_equal(write(file.fd, "half", 4), 4);
	new_file_drop(&file);
	assert_int_equal(entries(), 0);
}

static void test_who_is_killed_while_it_writes_leaves_nothing(void **state)
{
	struct new_file file;
	const pid_t child = fork();
	int status;

	(void)state;
	if (child == 0) {
		if (!new_file_open(&file, path, NULL) && write(file.fd, "half", 4) == 4)
			raise(SIGKILL);
		_exit(1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(entries(), 0);
}

static void test_what_comes_meanwhile_stays(void **state)
{
	struct new_file file;

	(void)state;
	assert_int_equal(new_file_open(&file, path, NULL), 0);
	assert_int_equal(symlink("elsewhere", path), 0);
	assert_int_equal(new_file_keep(&file), -EEXIST);
	assert_int_equal(entries(), 1);
}

/* As vfat and NFS: the only difference that this makes is the errno. */
static int forbid_nameless_files(void)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);

	return seccomp_rule_add(filter, SCMP_ACT_ERRNO(EOPNOTSUPP), SCMP_SYS(openat), 1,
				SCMP_A2(SCMP_CMP_MASKED_EQ, O_TMPFILE, O_TMPFILE)) ||
	       seccomp_load(filter);
}

static int in_child_without_nameless_files(int (*test)(void))
{
	const pid_t child = fork();
	int status;

	if (child == 0)
		_exit(forbid_nameless_files() ? 99 : test());
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static int keep_named(void)
{
	struct new_file file;

	if (new_file_open(&file, path, NULL) || !file.is_named ||
	    write(file.fd, "whole", 5) != 5 || !access(path, F_OK) || entries() != 1)
		return 1;
	return new_file_keep(&file) ? 2 : 0;
}

static int drop_named(void)
{
	struct new_file file;

	if (new_file_open(&file, path, NULL) || entries() != 1)
		return 1;
	new_file_drop(&file);
	return 0;
}

static int lose_named(void)
{
	struct new_file file;

	if (new_file_open(&file, path, NULL) || symlink("elsewhere", path))
		return 1;
	return new_file_keep(&file) == -EEXIST ? 0 : 2;
}

static void test_the_same_where_no_file_is_without_a_name(void **state)
{
	(void)state;
	assert_int_equal(in_child_without_nameless_files(keep_named), 0);
	expect_text("whole");
	unlink(path);
	assert_int_equal(in_child_without_nameless_files(drop_named), 0);
	assert_int_equal(entries(), 0);
	assert_int_equal(in_child_without_nameless_files(lose_named), 0);
	assert_int_equal(entries(), 1);
}

static void expect_refused(const char *part)
{
	struct diag why = { 0 };

	assert_int_equal(write_whole(&why), -EPERM);
	if (!strstr(why.text, part))
		fail_msg("\"%s\" is not in \"%s\"", part, why.text);
	assert_int_equal(entries(), 0);
}

static void test_root_writes_into_no_directory_of_a_stranger(void **state)
{
	static const char *const others[] = { "65533", "", "-4294901762", "+65534", " 65534",
					      "65534x", "18446744073709617150" };

	(void)state;
	if (geteuid() != 0)
		skip();
	assert_int_equal(chown(place, STRANGER, 0), 0);
	expect_refused("the directory belongs to user 65534");
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		take_over(others[i]);
		expect_refused("the directory belongs to user 65534");
	}
	take_over("65534");
	assert_int_equal(write_whole(NULL), 0);
}

static void test_nor_into_one_that_others_may_write(void **state)
{
	(void)state;
	if (geteuid() != 0)
		skip();
	assert_int_equal(chmod(place, 0757), 0);
	expect_refused("others may write to the directory");
	assert_int_equal(chmod(place, 01757), 0);
	assert_int_equal(write_whole(NULL), 0);
	unlink(path);
	assert_int_equal(chown(place, 0, STRANGER), 0);
	assert_int_equal(chmod(place, 0770), 0);
	expect_refused("others may write to the directory");
	take_over("65534");	/* a group of unknown owner and members */
	expect_refused("others may write to the directory");
}

UNIT_TESTS(test_new_file)
{
	const struct CMUnitTest tests[] = {
		FILE_TEST(test_it_has_its_name_when_it_is_whole_and_not_before),
		FILE_TEST(test_what_is_dropped_leaves_nothing),
		FILE_TEST(test_who_is_killed_while_it_writes_leaves_nothing),
		FILE_TEST(test_what_comes_meanwhile_stays),
		FILE_TEST(test_the_same_where_no_file_is_without_a_name),
		FILE_TEST(test_root_writes_into_no_directory_of_a_stranger),
		FILE_TEST(test_nor_into_one_that_others_may_write),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
