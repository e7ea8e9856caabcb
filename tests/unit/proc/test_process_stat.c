/* /proc/PID/stat as text by hand, and of real processes: ours, a dead one, a zombie. */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "proc/process_stat.h"
#include "unit_tests.h"

/* Fields by number, proc(5): 3 state, 14 utime, 15 stime, 20 num_threads, 22 starttime. */
#define FIELDS_4_TO_13 "4 5 6 7 8 9 10 11 12 13 "
#define FIELDS_16_TO_19 "16 17 18 19 "

static void test_state_time_threads_and_start_are_read(void **state)
{
	struct process_stat stat;

	(void)state;
	assert_true(process_stat_parse(&stat, "4121 (nginx) S " FIELDS_4_TO_13 "1400 15 "
				       FIELDS_16_TO_19 "20 21 22000 23 24 25\n"));
	assert_int_equal(stat.state, 'S');
	assert_string_equal(stat.comm, "nginx");
	assert_int_equal(stat.cpu_ticks, 1415);
	assert_int_equal(stat.threads, 20);
	assert_int_equal(stat.start_ticks, 22000);
}

/* What a process calls itself must not be taken for its fields. */
static void test_a_name_with_brackets_and_newlines_is_a_name(void **state)
{
	struct process_stat stat;

	(void)state;
	assert_true(process_stat_parse(&stat, "7 (a) R 1 (\nb c) D -1 5 6 7 -1 9 10 11 12 13 1 2 "
				       "-16 17 18 19 3 0 99\n"));
	assert_string_equal(stat.comm, "a) R 1 (\nb c");
	assert_int_equal(stat.state, 'D');
	assert_int_equal(stat.cpu_ticks, 3);
	assert_true(process_stat_parse(&stat, "7 () R " FIELDS_4_TO_13 "1 2 " FIELDS_16_TO_19
				       "1 0 5\n"));
	assert_string_equal(stat.comm, "");
	assert_true(process_stat_parse(&stat, "7 (kworker/u8:2-events_unbound) I " FIELDS_4_TO_13
				       "1 2 " FIELDS_16_TO_19 "1 0 5\n"));
	assert_string_equal(stat.comm, "kworker/u8:2-ev");	/* as long as any comm */
}

static void test_what_is_cut_short_is_no_stat(void **state)
{
	struct process_stat stat;

	(void)state;
	assert_false(process_stat_parse(&stat, ""));
	assert_false(process_stat_parse(&stat, ")("));
	assert_false(process_stat_parse(&stat, "7 (a"));
	assert_false(process_stat_parse(&stat, "7 (a) R " FIELDS_4_TO_13 "14 15 " FIELDS_16_TO_19
					"20 21"));
}

static void assert_joined(const char *arguments, size_t len, const char *expected)
{
	char text[64];

	memcpy(text, arguments, len);
	process_stat_join_arguments(text, len);
	assert_string_equal(text, expected);
}

static void test_arguments_become_one_line(void **state)
{
	(void)state;
	assert_joined("ls\0-l\0/tmp\0", 11, "ls -l /tmp");
	assert_joined("ls\0\0x\0", 6, "ls  x");		/* an empty one */
	assert_joined("postgres: idle\0\0\0\0", 18, "postgres: idle");
	assert_joined("cut off", 7, "cut off");
	assert_joined("sh\0-c\0date\nls\t-l\n\0", 19, "sh -c date ls -l ");
	assert_joined("\0\0", 2, "");
	assert_joined("", 0, "");
}

static void *wait_at(void *barrier)
{
	pthread_barrier_wait(barrier);
	pthread_barrier_wait(barrier);
	return NULL;
}

static void test_our_own_process_and_thread(void **state)
{
	struct process_stat process, thread;
	pthread_barrier_t barrier;
	pthread_t other;
	char *line = process_stat_read_command_line((uint32_t)getpid());

	(void)state;
	prctl(PR_SET_NAME, "me) S (");
	pthread_barrier_init(&barrier, NULL, 2);
	assert_int_equal(pthread_create(&other, NULL, wait_at, &barrier), 0);
	pthread_barrier_wait(&barrier);
	assert_int_equal(process_stat_read(&process, (uint32_t)getpid(), 0), 0);
	assert_int_equal(process_stat_read(&thread, (uint32_t)getpid(), (uint32_t)gettid()), 0);
	pthread_barrier_wait(&barrier);
	pthread_join(other, NULL);
	assert_string_equal(process.comm, "me) S (");
	assert_int_equal(thread.state, 'R');
	assert_true(process.threads >= 2);
	assert_int_equal(process.threads, thread.threads);
	assert_int_equal(process.start_ticks, thread.start_ticks);
	assert_non_null(strstr(line, "test_process_stat"));
	free(line);
	pthread_barrier_destroy(&barrier);
}

static void test_a_zombie_is_there_and_a_dead_one_is_not(void **state)
{
	const pid_t pid = fork();
	struct process_stat stat;
	siginfo_t ended;
	char *line;

	(void)state;
	if (!pid)
		_exit(0);
	waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOWAIT);
	assert_int_equal(process_stat_read(&stat, (uint32_t)pid, 0), 0);
	assert_int_equal(stat.state, 'Z');
	line = process_stat_read_command_line((uint32_t)pid);
	assert_string_equal(line, "");
	free(line);
	waitpid(pid, NULL, 0);
	assert_int_equal(process_stat_read(&stat, (uint32_t)pid, 0), -ESRCH);
	assert_int_equal(process_stat_read(&stat, (uint32_t)pid, (uint32_t)pid), -ESRCH);
	assert_null(process_stat_read_command_line((uint32_t)pid));
}

/* 5,000 bytes of arguments. */
static void test_a_long_command_line_is_cut(void **state)
{
	char long_argument[5001], *line;
	const pid_t pid = fork();
	int status;

	(void)state;
	memset(long_argument, 'x', 5000);
	long_argument[5000] = '\0';
	if (!pid) {
		execl("/bin/sh", "sh", "-c", "kill -STOP $$", long_argument, (char *)NULL);
		_exit(1);
	}
	assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
	assert_true(WIFSTOPPED(status));
	line = process_stat_read_command_line((uint32_t)pid);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	assert_int_equal(strlen(line), PROCESS_COMMAND_LINE_BYTES);
	assert_memory_equal(line, "sh -c kill -STOP $$ xxx", 23);
	free(line);
}

UNIT_TESTS(test_process_stat)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_state_time_threads_and_start_are_read),
		cmocka_unit_test(test_a_name_with_brackets_and_newlines_is_a_name),
		cmocka_unit_test(test_what_is_cut_short_is_no_stat),
		cmocka_unit_test(test_arguments_become_one_line),
		cmocka_unit_test(test_our_own_process_and_thread),
		cmocka_unit_test(test_a_zombie_is_there_and_a_dead_one_is_not),
		cmocka_unit_test(test_a_long_command_line_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
