/* Which files nobody but root and the user can have written. */
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "symbols/dso_file.h"
#include "unit_tests.h"

static char directory[] = "/tmp/test_file_version.XXXXXX";

static int set_up(void **state)
{
	(void)state;
	strcpy(directory + strlen(directory) - 6, "XXXXXX");
	return mkdtemp(directory) ? 0 : -1;
}

static void remove_all(void)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -r %s", directory);
	assert_int_equal(system(command), 0);
}

static int tear_down(void **state)
{
	(void)state;
	remove_all();
	return 0;
}

static const char *path_of(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	return path;
}

static bool is_trusted(const char *path)
{
	struct stat status;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool reply;

	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &status), 0);
	reply = file_is_trusted(fd, &status);
	close(fd);
	return reply;
}

static void make_file(const char *name, mode_t mode)
{
	int fd = open(path_of(name), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(fchmod(fd, mode), 0);
	close(fd);
}

static void test_nobody_else_may_write_a_trusted_file(void **state)
{
	(void)state;
	make_file("mine", 0644);
	make_file("the_groups", 0664);
	make_file("anybodys", 0646);
	assert_true(is_trusted(path_of("mine")));
	assert_false(is_trusted(path_of("the_groups")));
	assert_false(is_trusted(path_of("anybodys")));
}

enum outcome { TRUSTED = 1, NOT_TRUSTED, NO_PERMISSION };

/* In a mount namespace of its own, as any user can have one. */
static enum outcome ask_in_overlay(void)
{
	char layers[512], whole[128];

	snprintf(layers, sizeof(layers), "lowerdir=%s/lower:%s/empty", directory, directory);
	snprintf(whole, sizeof(whole), "%s/whole", directory);
	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", whole, "overlay", 0, layers))
		return NO_PERMISSION;
	return is_trusted(path_of("whole/library")) ? TRUSTED : NOT_TRUSTED;
}

/* What lies below it may be a stranger's FUSE, which makes up owner and content. */
static void test_an_overlay_that_is_not_our_root_is_not_trusted(void **state)
{
	int status;
	pid_t child;

	(void)state;
	assert_int_equal(mkdir(path_of("lower"), 0755), 0);
	assert_int_equal(mkdir(path_of("empty"), 0755), 0);
	assert_int_equal(mkdir(path_of("whole"), 0755), 0);
	make_file("lower/library", 0644);
	assert_true(is_trusted(path_of("lower/library")));
	child = fork();
	if (child == 0)
		_exit((int)ask_in_overlay());
	assert_int_equal(waitpid(child, &status, 0), child);
	if (WEXITSTATUS(status) == NO_PERMISSION)
		skip();
	assert_int_equal(WEXITSTATUS(status), NOT_TRUSTED);
}

static void test_our_own_programs_are_trusted(void **state)
{
	(void)state;
	assert_true(is_trusted("/bin/sh"));
}

#define WITH_DIRECTORY(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

UNIT_TESTS(test_file_version)
{
	const struct CMUnitTest tests[] = {
		WITH_DIRECTORY(test_nobody_else_may_write_a_trusted_file),
		WITH_DIRECTORY(test_an_overlay_that_is_not_our_root_is_not_trusted),
		cmocka_unit_test(test_our_own_programs_are_trusted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
