/* Files from debuginfod servers: what good, slow, broken and hostile ones send. The server is
 * tests/faults/debuginfod_server.py, on loopback. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "elf/file_jobs.h"
#include "symbols/debuginfod.h"
#include "symbols/source_file.h"
#include "unit_tests.h"

static pid_t server;
static int server_input;
static char url[256];	/* the server's, maybe with others */

static _Noreturn void run_server(int input, int output)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	dup2(input, STDIN_FILENO);
	dup2(output, STDOUT_FILENO);
	execl("tests/faults/debuginfod_server.py", "debuginfod_server.py", NULL);
	_exit(1);
}

static int start(void **state)
{
	int input[2], output[2];
	char port[16];

	(void)state;
	assert_int_equal(pipe2(input, O_CLOEXEC) | pipe2(output, O_CLOEXEC), 0);
	server = fork();
	if (server == 0)
		run_server(input[0], output[1]);
	close(input[0]);
	close(output[1]);
	server_input = input[1];
	for (size_t i = 0; i == 0 || port[i - 1] != '\n'; i++)
		assert_true(i < sizeof(port) && read(output[0], port + i, 1) == 1);
	dup2(output[0], 250);	/* its later words fit into the pipe */
	close(output[0]);
	snprintf(url, sizeof(url), "http://127.0.0.1:%u", (unsigned int)atoi(port));
	return debuginfod_start(url, NULL);
}

static int stop(void **state)
{
	(void)state;
	debuginfod_stop();
	close(server_input);
	close(250);
	kill(server, SIGKILL);
	waitpid(server, NULL, 0);
	return 0;
}

/* What the server does is said by the first byte. */
static struct build_id id_of(uint8_t first)
{
	return (struct build_id){ .bytes = { first, 0xab }, .count = 2 };
}

static void expect_url(const char *name, const char *kind, const char *path, const char *wanted)
{
	const struct build_id id = id_of(0x12);
	char out[128];

	assert_true(debuginfod_format_url(out, sizeof(out), name, strlen(name), &id, kind, path));
	assert_string_equal(out, wanted);
}

static void test_an_address_has_the_build_id_and_the_escaped_path(void **state)
{
	const struct build_id id = id_of(0x12);
	char out[64];

	(void)state;
	expect_url("http://h:1", "debuginfo", "", "http://h:1/buildid/12ab/debuginfo");
	expect_url("http://h/", "source", "/a/b c+.c?#%\x1b\xc3",
		   "http://h/buildid/12ab/source/a/b%20c+.c%3F%23%25%1B%C3");
	assert_false(debuginfod_format_url(out, sizeof(out), "http://h", 8, &id, "source",
					   "/0123456789012345678901234567890123456789"));
}

static void expect_text(int memfd, const char *text)
{
	char found[64] = "";

	assert_true(memfd >= 0);
	assert_int_equal(pread(memfd, found, sizeof(found) - 1, 0), strlen(text));
	assert_string_equal(found, text);
	assert_int_equal(write(memfd, "x", 1), -1);	/* sealed */
	close(memfd);
}

static void test_a_file_is_sent_once_and_kept(void **state)
{
	const struct build_id id = id_of(0), other = id_of(0x33);
	struct diag why = { .text = "" };
	char asked[256];

	(void)state;
	assert_int_equal(debuginfod_find_debug_file(&id), -ENOENT);
	expect_text(debuginfod_get_debug_file(&id, &why), "int main;\n");
	expect_text(debuginfod_get_debug_file(&id, &why), "int main;\n");
	expect_text(debuginfod_find_debug_file(&id), "int main;\n");
	assert_int_equal(debuginfod_find_debug_file(&other), -ENOENT);
	assert_int_equal(read(250, asked, sizeof(asked)), strlen("/buildid/00ab/debuginfo\n"));
}

static void expect_failure(uint8_t kind, int err, const char *reason)
{
	const struct build_id id = id_of(kind);
	struct diag why = { .text = "" };

	assert_int_equal(debuginfod_get_source(&id, "/a.c", &why), err);
	assert_string_equal(why.text, reason);
}

static void test_what_no_server_has_is_not_asked_for_again(void **state)
{
	char asked[256];

	(void)state;
	expect_failure(0x99, -ENOENT, "debuginfod: the server does not have it");
	expect_failure(0x99, -ENOENT, "debuginfod: the server does not have it");
	assert_int_equal(read(250, asked, sizeof(asked)), strlen("/buildid/99ab/source/a.c\n"));
}

static void test_a_broken_transfer_is_no_file(void **state)
{
	(void)state;
	expect_failure(2, -EIO, "debuginfod: the transfer broke off");
}

static void test_a_server_that_fails_is_left_alone(void **state)
{
	(void)state;
	expect_failure(5, -EIO, "debuginfod: the server replies with HTTP status 503");
	expect_failure(0, -EIO, "debuginfod: the server replies with HTTP status 503");
}

static void test_a_huge_file_is_refused_whatever_its_length_says(void **state)
{
	(void)state;
	expect_failure(3, -EFBIG, "debuginfod: larger than 16 MiB");
	expect_failure(4, -EFBIG, "debuginfod: larger than 16 MiB");
}

static void test_no_server_leads_to_a_file_of_this_machine(void **state)
{
	const struct build_id id = id_of(6);
	struct diag why;

	(void)state;
	assert_int_equal(debuginfod_get_source(&id, "/a.c", &why), -EIO);
}

static void test_the_second_server_is_asked_where_the_first_is_gone(void **state)
{
	const struct build_id id = id_of(0);
	char both[300];

	(void)state;
	debuginfod_stop();
	snprintf(both, sizeof(both), " http://127.0.0.1:1/  %s ", url);
	assert_int_equal(debuginfod_start(both, NULL), 0);
	expect_text(debuginfod_get_source(&id, "/a.c", NULL), "int main;\n");
}

static void *get_slow(void *owner)
{
	const struct build_id id = id_of(1);
	struct diag *why = owner;

	why->err = debuginfod_get_source(&id, "/dir/slow.c", why);
	return NULL;
}

static void test_a_slow_transfer_shows_progress_and_is_stopped(void **state)
{
	struct debuginfod_status status = { .bytes = 0 };
	struct diag why = { .text = "" };
	pthread_t thread;

	(void)state;
	assert_false(debuginfod_status(&status));
	assert_int_equal(pthread_create(&thread, NULL, get_slow, &why), 0);
	while (!debuginfod_status(&status) || status.bytes < 20)
		sched_yield();
	assert_string_equal(status.file, "slow.c");
	assert_int_equal(status.of, 0);		/* the server does not say */
	assert_true(debuginfod_cancel());
	pthread_join(thread, NULL);
	assert_false(debuginfod_cancel());
	assert_int_equal(why.err, -ECANCELED);
	assert_string_equal(why.text, "debuginfod: stopped");
	assert_false(debuginfod_status(&status));
	expect_failure(0, -ECANCELED, "debuginfod: stopped");	/* the next file of the listing */
}

static void test_without_the_option_nobody_is_asked(void **state)
{
	const struct build_id id = id_of(0);
	struct debuginfod_status status;
	struct diag why = { .text = "as before" };

	(void)state;
	debuginfod_stop();
	assert_int_equal(debuginfod_pid(), -1);
	assert_int_equal(debuginfod_get_debug_file(&id, &why), -ENOSYS);
	assert_int_equal(debuginfod_get_source(&id, "/a.c", &why), -ENOSYS);
	assert_string_equal(why.text, "as before");
	assert_false(debuginfod_status(&status));
	assert_false(debuginfod_cancel());
}

static void test_only_http_servers_are_taken(void **state)
{
	struct diag why;

	(void)state;
	debuginfod_stop();
	assert_int_equal(debuginfod_start("file:///etc", &why), -EINVAL);
	assert_string_equal(why.text,
			    "--debuginfod: a server begins with http:// or https://");
	assert_int_equal(debuginfod_start("http://a\x1b", &why), -EINVAL);
	assert_int_equal(debuginfod_start("  ", &why), -EINVAL);
	assert_int_equal(debuginfod_pid(), -1);
}

/* It is nobody's before it speaks to anybody. */
static void test_the_network_process_has_no_rights(void **state)
{
	char path[64], status[4096];
	FILE *file;
	size_t bytes;

	(void)state;
	if (geteuid() != 0) {
		print_message("SKIP: needs root\n");
		skip();
	}
	expect_failure(0x99, -ENOENT, "debuginfod: the server does not have it");
	snprintf(path, sizeof(path), "/proc/%d/status", debuginfod_pid());
	file = fopen(path, "re");
	assert_non_null(file);
	bytes = fread(status, 1, sizeof(status) - 1, file);
	status[bytes] = '\0';
	fclose(file);
	assert_non_null(strstr(status, "Uid:\t65526\t65526\t65526\t65526\n"));
	assert_non_null(strstr(status, "Groups:\t \n"));
	assert_non_null(strstr(status, "CapPrm:\t0000000000000000\n"));
	assert_non_null(strstr(status, "NoNewPrivs:\t1\n"));
	assert_non_null(strstr(status, "Seccomp:\t2\n"));
}

/* A source file that is nowhere here, of a program without a process. */
static void test_a_source_file_that_is_not_here_is_fetched(void **state)
{
	const struct source_wanted place = { .path = "/no/such/a.c", .build_id = id_of(0),
					    .has_md5 = true };
	struct source_reader reader = { .sandbox = NULL };
	struct source_file *file;
	struct diag why = { .text = "" };

	(void)state;
	assert_int_equal(sandbox_start(&reader.sandbox, worker_run, NULL), 0);
	if (source_file_read(&reader, &file, &place, &why))
		fail_msg("%s", why.text);
	assert_string_equal(file->text, "int main;\n");
	assert_string_equal(file->path, "/no/such/a.c");
	assert_string_equal(file->warning, "differs from what was compiled (MD5)");
	source_file_destroy(file);
	sandbox_stop(reader.sandbox);
}

#define WITH_SERVER(test) cmocka_unit_test_setup_teardown(test, start, stop)

UNIT_TESTS(test_debuginfod)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_an_address_has_the_build_id_and_the_escaped_path),
		WITH_SERVER(test_a_file_is_sent_once_and_kept),
		WITH_SERVER(test_what_no_server_has_is_not_asked_for_again),
		WITH_SERVER(test_a_broken_transfer_is_no_file),
		WITH_SERVER(test_a_server_that_fails_is_left_alone),
		WITH_SERVER(test_a_huge_file_is_refused_whatever_its_length_says),
		WITH_SERVER(test_no_server_leads_to_a_file_of_this_machine),
		WITH_SERVER(test_the_second_server_is_asked_where_the_first_is_gone),
		WITH_SERVER(test_a_slow_transfer_shows_progress_and_is_stopped),
		WITH_SERVER(test_without_the_option_nobody_is_asked),
		WITH_SERVER(test_only_http_servers_are_taken),
		WITH_SERVER(test_the_network_process_has_no_rights),
		WITH_SERVER(test_a_source_file_that_is_not_here_is_fetched),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
