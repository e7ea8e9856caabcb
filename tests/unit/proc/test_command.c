/* The child of `-- command`: it waits for its start, and its statuses are those of env(1). */
#include "proc/command.h"
#include "unit_tests.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static int wait_for_status(struct command *command)
{
	struct pollfd end = { .fd = command_pidfd(command), .events = POLLIN };
	int status = -1;

	assert_int_equal(poll(&end, 1, 30000), 1);
	assert_true(command_has_ended(command, &status));
	return status;
}

static int run_shell(const char *script)
{
	char *const argv[] = { "sh", "-c", (char *)script, NULL };
	struct command *command;
	int status;

	assert_int_equal(command_prepare(&command, argv, false, NULL), 0);
	assert_int_equal(command_start(command, NULL), 0);
	status = wait_for_status(command);
	command_destroy(command);
	return status;
}

static void test_the_status_is_the_commands_own(void **state)
{
	(void)state;
	assert_int_equal(run_shell("true"), 0);
	assert_int_equal(run_shell("false"), 1);
	assert_int_equal(run_shell("exit 42"), 42);
}

static void test_a_signal_is_128_and_its_number(void **state)
{
	(void)state;
	assert_int_equal(run_shell("kill -9 $$"), 128 + SIGKILL);
}

static void expect_no_start(const char *path, int err, int status)
{
	char *const argv[] = { (char *)path, NULL };
	struct command *command;
	struct diag why = { 0 };
	int got = -1;

	assert_int_equal(command_prepare(&command, argv, false, NULL), 0);
	assert_int_equal(command_start(command, &why), err);
	assert_non_null(strstr(why.text, path));
	assert_true(command_has_ended(command, &got));
	assert_int_equal(got, status);
	command_destroy(command);
}

static void test_what_cannot_run_is_126_or_127(void **state)
{
	(void)state;
	expect_no_start("/no/such/program", -ENOENT, 127);
	expect_no_start("no-such-program-in-path", -ENOENT, 127);
	expect_no_start("/etc/passwd", -EACCES, 126);
}

/* A directory and a file without the right to run come before it along PATH; a script without "#!"
 * is the shell's. */
static void test_the_program_is_what_execvp_would_find(void **state)
{
	char root[] = "/tmp/flametop-path-XXXXXX", path[2][64], search[200];
	char *const argv[] = { "found-along-path", NULL };
	char *const before = strdup(getenv("PATH"));
	struct command *command;
	FILE *script;

	(void)state;
	assert_non_null(mkdtemp(root));
	snprintf(path[0], sizeof(path[0]), "%s/%s", root, argv[0]);
	assert_int_equal(mkdir(path[0], 0755), 0);
	snprintf(path[1], sizeof(path[1]), "%s/%s", path[0], argv[0]);
	script = fopen(path[1], "w");
	fputs("exit 7\n", script);
	fclose(script);
	snprintf(search, sizeof(search), "/no-such-place:%s:%s:/bin", root, path[0]);
	setenv("PATH", search, 1);
	expect_no_start(argv[0], -EACCES, COMMAND_STATUS_NOT_EXECUTABLE);
	assert_int_equal(chmod(path[1], 0755), 0);
	assert_int_equal(command_prepare(&command, argv, false, NULL), 0);
	setenv("PATH", before, 1);
	assert_int_equal(command_start(command, NULL), 0);
	assert_int_equal(wait_for_status(command), 7);
	command_destroy(command);
	free(before);
	unlink(path[1]);
	rmdir(path[0]);
	rmdir(root);
}

static void test_nothing_runs_before_the_start(void **state)
{
	char *const argv[] = { "echo", "ran", NULL };
	struct command *command;
	int output, status;
	char text[8];

	(void)state;
	assert_int_equal(command_prepare(&command, argv, true, NULL), 0);
	assert_false(command_has_ended(command, &status));
	output = dup(command_output_fd(command));
	command_destroy(command);	/* waits for the child: it has gone without having run */
	assert_int_equal(read(output, text, sizeof(text)), 0);
	close(output);
}

static void test_kept_output_comes_through_the_pipe_and_input_is_empty(void **state)
{
	char *const argv[] = { "sh", "-c", "cat; echo out; echo err >&2", NULL };
	struct command *command;
	char text[16] = "";

	(void)state;
	assert_int_equal(command_prepare(&command, argv, true, NULL), 0);
	assert_int_equal(command_start(command, NULL), 0);
	assert_int_equal(wait_for_status(command), 0);
	assert_int_equal(read(command_output_fd(command), text, sizeof(text)), 8);
	assert_string_equal(text, "out\nerr\n");
	command_destroy(command);
}

static void test_the_command_gets_no_descriptor_but_its_three(void **state)
{
	/* test -e /dev/fd/N in a subshell of its own: the shell opens none of these numbers */
	char *const argv[] = { "sh", "-c", "for n in 3 4 5 6 7 8 9 100; do"
			       " [ ! -e /proc/$$/fd/$n ] || exit $n; done", NULL };
	int leak = fcntl(STDIN_FILENO, F_DUPFD, 100);	/* without close-on-exec */
	struct command *command;

	(void)state;
	assert_true(leak >= 100);
	assert_int_equal(command_prepare(&command, argv, false, NULL), 0);
	assert_int_equal(command_start(command, NULL), 0);
	assert_int_equal(wait_for_status(command), 0);
	command_destroy(command);
	close(leak);
}

static void test_the_command_starts_with_default_signals(void **state)
{
	struct command *command;
	/* make leaves the C library's own two real-time signals ignored: nobody can reset those. */
	char *const argv[] = { "grep", "-qE", "^SigIgn:\t0000000[01][08]0000000$",
			       "/proc/self/status", NULL };
	void (*before)(int) = signal(SIGPIPE, SIG_IGN);

	(void)state;
	assert_int_equal(command_prepare(&command, argv, false, NULL), 0);
	assert_int_equal(command_start(command, NULL), 0);
	assert_int_equal(wait_for_status(command), 0);
	command_destroy(command);
	signal(SIGPIPE, before);
}

/* Starts @script, waits for its "ready" and ends it. Returns when nobody is left who holds the
 * output. */
static void end_script(const char *script)
{
	char *const argv[] = { "sh", "-c", (char *)script, NULL };
	struct command *command;
	struct pollfd output;
	char text[8];

	assert_int_equal(command_prepare(&command, argv, true, NULL), 0);
	assert_int_equal(command_start(command, NULL), 0);
	output = (struct pollfd){ .fd = dup(command_output_fd(command)), .events = POLLIN };
	assert_int_equal(poll(&output, 1, 30000), 1);
	assert_int_equal(read(output.fd, text, sizeof(text)), 6);
	command_end_with_us(command);
	command_destroy(command);
	assert_int_equal(poll(&output, 1, 30000), 1);
	assert_int_equal(read(output.fd, text, sizeof(text)), 0);
	close(output.fd);
}

static void test_ending_reaches_the_whole_group(void **state)
{
	(void)state;
	end_script("echo ready; sleep 1000 | sleep 1000");
}

static void test_what_ignores_the_request_to_end_is_killed(void **state)
{
	(void)state;
	end_script("trap '' TERM; echo ready; sleep 1000 | sleep 1000");
}

static void test_what_outlives_the_command_in_its_group_is_killed(void **state)
{
	(void)state;
	end_script("(trap '' TERM; echo ready; sleep 1000; true) & wait");
}

UNIT_TESTS(test_command)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_status_is_the_commands_own),
		cmocka_unit_test(test_a_signal_is_128_and_its_number),
		cmocka_unit_test(test_what_cannot_run_is_126_or_127),
		cmocka_unit_test(test_the_program_is_what_execvp_would_find),
		cmocka_unit_test(test_nothing_runs_before_the_start),
		cmocka_unit_test(test_kept_output_comes_through_the_pipe_and_input_is_empty),
		cmocka_unit_test(test_the_command_gets_no_descriptor_but_its_three),
		cmocka_unit_test(test_the_command_starts_with_default_signals),
		cmocka_unit_test(test_ending_reaches_the_whole_group),
		cmocka_unit_test(test_what_ignores_the_request_to_end_is_killed),
		cmocka_unit_test(test_what_outlives_the_command_in_its_group_is_killed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
