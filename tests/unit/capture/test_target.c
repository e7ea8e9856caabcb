/* Whom to sample: texts of -p, -t, -u, -C and lists of CPUs. */
#include "capture/scope.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "unit_tests.h"

static void expect_cpus(const char *text, const int *expected, size_t expected_count)
{
	int *cpus;
	size_t count;

	assert_int_equal(cpu_list_parse(text, &cpus, &count, NULL), 0);
	assert_int_equal(count, expected_count);
	assert_memory_equal(cpus, expected, count * sizeof(*cpus));
	free(cpus);
}

static void test_cpu_lists_have_ranges_and_each_cpu_once(void **state)
{
	(void)state;
	expect_cpus("0", (int[]){ 0 }, 1);
	expect_cpus("0-3,8", (int[]){ 0, 1, 2, 3, 8 }, 5);
	expect_cpus("5,1-2,2,1", (int[]){ 1, 2, 5 }, 3);
}

static void test_bad_cpu_lists_are_refused(void **state)
{
	static const char *const texts[] = { "", "a", "1,", ",1", "3-1", "1-", "-1", "1 2", "0x1",
					     "99999999999999999999", "0-4000000000" };
	int *cpus;
	size_t count;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		assert_int_equal(cpu_list_parse(texts[i], &cpus, &count, NULL), -EINVAL);
		assert_null(cpus);
	}
}

static void test_an_offline_cpu_is_named(void **state)
{
	struct target target = { 0 };
	struct diag why = { 0 };

	(void)state;
	assert_int_equal(target_set_cpus(&target, "65000", &why), -ENODEV);
	assert_non_null(strstr(why.text, "CPU 65000 is not online"));
	target_finish(&target);
	assert_int_equal(target_set_cpus(&target, "0", &why), 0);
	assert_int_equal(target.cpu_count, 1);
	target_finish(&target);
}

static void test_a_process_given_twice_counts_once(void **state)
{
	struct target target = { 0 };
	char list[64];

	(void)state;
	snprintf(list, sizeof(list), "%d,1,%d", (int)getpid(), (int)getpid());
	assert_int_equal(target_set_processes(&target, list, NULL), 0);
	assert_int_equal(target.kind, TARGET_PROCESSES);
	assert_int_equal(target.id_count, 2);
	assert_int_equal(target.ids[0], 1);
	assert_int_equal(target.ids[1], getpid());
	target_finish(&target);
}

static void test_a_missing_process_is_named(void **state)
{
	struct target target = { 0 };
	struct diag why = { 0 };
	char list[64], expected[64];
	pid_t gone = fork();

	(void)state;
	if (gone == 0)
		_exit(0);
	assert_int_equal(waitpid(gone, NULL, 0), gone);
	snprintf(list, sizeof(list), "%d,%d", (int)getpid(), (int)gone);
	snprintf(expected, sizeof(expected), "no process %d", (int)gone);
	assert_int_equal(target_set_processes(&target, list, &why), -ESRCH);
	assert_string_equal(why.text, expected);
	target_finish(&target);
}

static void *report_tid(void *pipe_ends)
{
	int *ends = pipe_ends;
	pid_t tid = gettid();
	char byte;

	if (write(ends[1], &tid, sizeof(tid)) != (ssize_t)sizeof(tid) ||
	    read(ends[2], &byte, 1) < 0)
		return pipe_ends;
	return NULL;
}

static void test_a_thread_is_no_process_but_a_thread(void **state)
{
	struct target target = { 0 };
	struct diag why = { 0 };
	pthread_t thread;
	int ends[4];
	char list[32];
	pid_t tid;

	(void)state;
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(pipe(ends + 2), 0);
	assert_int_equal(pthread_create(&thread, NULL, report_tid, ends), 0);
	assert_int_equal(read(ends[0], &tid, sizeof(tid)), sizeof(tid));
	snprintf(list, sizeof(list), "%d", (int)tid);
	assert_int_equal(target_set_processes(&target, list, &why), -ESRCH);
	assert_non_null(strstr(why.text, "is a thread of process"));
	target_finish(&target);
	assert_int_equal(target_set_threads(&target, list, &why), 0);
	assert_int_equal(target.kind, TARGET_THREADS);
	assert_int_equal(target.ids[0], tid);
	target_finish(&target);
	assert_int_equal(write(ends[3], "x", 1), 1);
	pthread_join(thread, NULL);
	for (int i = 0; i < 4; i++)
		close(ends[i]);
}

static void test_bad_ids_are_refused(void **state)
{
	static const char *const texts[] = { "", "0", "-1", "1,", ",1", "x", "1x", "1 2", "+1",
					     "1+", "4294967297" };
	static const char *const processes[] = { "", "0", "1,", ",1", "4294967297", "1+,2" };

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct target target = { 0 };

		assert_int_equal(target_set_threads(&target, texts[i], NULL), -EINVAL);
		target_finish(&target);
	}
	for (size_t i = 0; i < sizeof(processes) / sizeof(processes[0]); i++) {
		struct target target = { 0 };

		if (target_set_processes(&target, processes[i], NULL) != -EINVAL)
			fail_msg("%s is accepted", processes[i]);
		target_finish(&target);
	}
}

/* Sleeps under @name until it is killed. */
static pid_t start_called(const char *name)
{
	int ready[2];
	char byte;
	pid_t pid;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prctl(PR_SET_NAME, name);
		if (write(ready[1], "x", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	close(ready[1]);
	return pid;
}

static void end_called(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void test_a_name_is_every_process_that_has_it(void **state)
{
	const pid_t first = start_called("ft-target-1"), second = start_called("ft-target-1");
	const pid_t plus = start_called("ft-target++");
	struct target target = { 0 };
	struct diag why = { 0 };
	char text[64];

	(void)state;
	assert_int_equal(target_set_processes(&target, "ft-target-1", &why), 0);
	assert_int_equal(target.id_count, 2);
	assert_true(target.ids[0] == first || target.ids[0] == second);
	assert_false(target.has_descendants);
	target_finish(&target);
	assert_int_equal(target_set_processes(&target, "ft-target-1+", &why), 0);
	assert_int_equal(target.id_count, 2);
	assert_true(target.has_descendants);
	assert_int_equal(target_started_since(&target), 1);
	target_format(&target, target.kind, 8, text, sizeof(text));
	assert_int_equal(text[strlen(text) - 1], '+');
	target_finish(&target);
	/* A + that belongs to the name means no descendants. */
	assert_int_equal(target_set_processes(&target, "ft-target++", &why), 0);
	assert_int_equal(target.ids[0], plus);
	assert_false(target.has_descendants);
	target_finish(&target);
	assert_int_equal(target_set_processes(&target, "ft-target-2", &why), -ESRCH);
	assert_string_equal(why.text, "no process is called \"ft-target-2\"");
	target_finish(&target);
	end_called(first);
	end_called(second);
	end_called(plus);
}

static void test_users_go_by_name_and_number(void **state)
{
	struct target target = { 0 };
	struct diag why = { 0 };

	(void)state;
	assert_int_equal(target_set_user(&target, "root", NULL), 0);
	assert_int_equal(target.kind, TARGET_USER);
	assert_int_equal(target.uid, 0);
	target_finish(&target);
	assert_int_equal(target_set_user(&target, "54321", NULL), 0);
	assert_int_equal(target.uid, 54321);
	target_finish(&target);
	assert_int_equal(target_set_user(&target, "no such user", &why), -ENOENT);
	assert_string_equal(why.text, "no user \"no such user\"");
	target_finish(&target);
	assert_int_equal(target_set_user(&target, "4294967295", NULL), -ENOENT);
	target_finish(&target);
}

static void test_two_kinds_of_target_contradict_each_other(void **state)
{
	struct target target = { 0 };

	(void)state;
	assert_int_equal(target_set_processes(&target, "1", NULL), 0);
	assert_int_equal(target_set_user(&target, "root", NULL), -EINVAL);
	assert_int_equal(target_set_cpus(&target, "0", NULL), 0);
	target_finish(&target);
}

static void test_everything_keeps_the_cpus_and_forgets_whom(void **state)
{
	struct target target = { 0 };
	char own[16];

	(void)state;
	snprintf(own, sizeof(own), "%d", (int)getpid());
	assert_int_equal(target_set_cpus(&target, "0", NULL), 0);
	assert_int_equal(target_set_processes(&target, own, NULL), 0);
	target.since_ticks = 7;
	target.no_inherit = true;
	target_set_everything(&target);
	assert_int_equal(target.kind, TARGET_SYSTEM);
	assert_null(target.ids);
	assert_int_equal(target.id_count, 0);
	assert_int_equal(target.since_ticks, 0);
	assert_true(target.no_inherit);
	assert_int_equal(target.cpu_count, 1);
	assert_int_equal(target_set_user(&target, "root", NULL), 0);	/* room for another */
	target_finish(&target);
}

static void test_a_copy_has_ids_and_cpus_of_its_own(void **state)
{
	struct target target = { 0 }, copy;
	char own[16];

	(void)state;
	snprintf(own, sizeof(own), "%d", (int)getpid());
	assert_int_equal(target_set_cpus(&target, "0", NULL), 0);
	assert_int_equal(target_set_processes(&target, own, NULL), 0);
	assert_int_equal(target_copy(&copy, &target, NULL), 0);
	target_finish(&target);
	assert_int_equal(copy.kind, TARGET_PROCESSES);
	assert_int_equal(copy.id_count, 1);
	assert_int_equal(copy.ids[0], getpid());
	assert_int_equal(copy.cpu_count, 1);
	assert_int_equal(copy.cpus[0], 0);
	target_finish(&copy);
}

/* Where it is mounted, is for test_cgroup_dir. */
static void test_a_cgroup_is_one_way_to_say_whom(void **state)
{
	struct target target = { .kind = TARGET_USER }, copy;
	struct diag why = { .err = 0 };
	char text[64];

	(void)state;
	assert_int_equal(target_set_cgroup(&target, "/", &why), -EINVAL);
	assert_non_null(strstr(why.text, "only one of -p, -t, -u, -G and"));
	target.kind = TARGET_CGROUP;
	target.cgroup = strdup("/sys/fs/cgroup/system.slice/nginx.service");
	target_format(&target, target.kind, 8, text, sizeof(text));
	assert_string_equal(text, "cgroup nginx.service");
	assert_int_equal(target_copy(&copy, &target, NULL), 0);
	assert_string_equal(copy.cgroup, target.cgroup);
	assert_ptr_not_equal(copy.cgroup, target.cgroup);
	target_set_everything(&copy);
	assert_int_equal(copy.kind, TARGET_SYSTEM);
	assert_null(copy.cgroup);
	target_finish(&target);
	target_finish(&copy);
	assert_null(target.cgroup);
}

UNIT_TESTS(test_target)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cpu_lists_have_ranges_and_each_cpu_once),
		cmocka_unit_test(test_bad_cpu_lists_are_refused),
		cmocka_unit_test(test_an_offline_cpu_is_named),
		cmocka_unit_test(test_a_process_given_twice_counts_once),
		cmocka_unit_test(test_a_missing_process_is_named),
		cmocka_unit_test(test_a_thread_is_no_process_but_a_thread),
		cmocka_unit_test(test_bad_ids_are_refused),
		cmocka_unit_test(test_a_name_is_every_process_that_has_it),
		cmocka_unit_test(test_users_go_by_name_and_number),
		cmocka_unit_test(test_two_kinds_of_target_contradict_each_other),
		cmocka_unit_test(test_everything_keeps_the_cpus_and_forgets_whom),
		cmocka_unit_test(test_a_copy_has_ids_and_cpus_of_its_own),
		cmocka_unit_test(test_a_cgroup_is_one_way_to_say_whom),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
