/* A probe needs the file itself: what may only be had as a copy is refused with that reason. */
#include "probe/point_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fuse_fixture.h"
#include "unit_tests.h"

static char place[] = "/tmp/test-place-file-XXXXXX";
static char mounted[64], program[64];
static pid_t server;

static int setup(void **state)
{
	(void)state;
	if (!fuse_fixture_is_possible())
		return 0;
	if (!mkdtemp(place))
		return -1;
	snprintf(mounted, sizeof(mounted), "%s/mounted", place);
	snprintf(program, sizeof(program), "%s/program", mounted);
	server = fuse_fixture_start(mounted, "/bin/sleep", NULL);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	if (server)
		fuse_fixture_end(server, mounted);
	rmdir(place);
	return 0;
}

static void assert_refused(const char *wanted, pid_t pid)
{
	struct point_file file;
	struct diag why = { .err = 0 };

	assert_int_equal(point_file_open(&file, wanted, pid, &why), -EOPNOTSUPP);
	assert_non_null(strstr(why.text, "on FUSE, on an overlay"));
	assert_int_equal(file.file.fd, -1);
}

static void test_a_path_on_fuse_is_refused(void **state)
{
	(void)state;
	if (!fuse_fixture_is_possible())
		skip();
	assert_refused(program, 0);
}

static void test_a_mapped_file_on_fuse_is_refused(void **state)
{
	struct point_file file;
	struct diag why;
	pid_t pid;
	int err;

	(void)state;
	if (!fuse_fixture_is_possible())
		skip();
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		execl(program, "program", "60", NULL);
		_exit(1);
	}
	/* The kernel maps the file some time after it made it the process's executable. */
	do {
		why = (struct diag){ .err = 0 };
		err = point_file_open(&file, "program", pid, &why);
	} while (err == -ENOENT && waitpid(pid, NULL, WNOHANG) == 0);
	assert_int_equal(err, -EOPNOTSUPP);
	assert_refused("program", pid);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void test_a_path_elsewhere_is_opened(void **state)
{
	char path[256] = "";
	struct point_file file;
	struct diag why = { .err = 0 };

	(void)state;
	assert_true(readlink("/proc/self/exe", path, sizeof(path) - 1) > 0);
	assert_int_equal(point_file_open(&file, path, 0, &why), 0);
	assert_false(file.file.is_copy);
	point_file_close(&file);
}

/* As one names a file in a container. */
static void test_a_path_through_another_process_is_opened(void **state)
{
	static const char *const forms[] = { "/proc/%d/exe", "/proc/%d/root/usr/bin/env" };
	char path[64];
	struct point_file file;
	struct diag why = { .err = 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		snprintf(path, sizeof(path), forms[i], (int)getpid());
		assert_int_equal(point_file_open(&file, path, 0, &why), 0);
		assert_false(file.file.is_copy);
		point_file_close(&file);
	}
	snprintf(path, sizeof(path), "/proc/%d/root/no/such/file", (int)getpid());
	assert_int_equal(point_file_open(&file, path, 0, &why), -ENOENT);
}

UNIT_TESTS(test_point_file)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_path_on_fuse_is_refused),
		cmocka_unit_test(test_a_mapped_file_on_fuse_is_refused),
		cmocka_unit_test(test_a_path_elsewhere_is_opened),
		cmocka_unit_test(test_a_path_through_another_process_is_opened),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
