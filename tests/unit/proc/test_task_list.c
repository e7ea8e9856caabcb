/* Who started whom, from /proc: a family of our own.
 *
 *   we > child > grandchild          and a second child
 */
#include "proc/process_stat.h"
#include "unit_tests.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

struct family {
	pid_t child, grandchild, other;
};

/* Tells its pid once it can no longer outlive its parent. */
_Noreturn static void sleep_until_killed(int tell)
{
	const pid_t own = getpid();

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (tell >= 0 && write(tell, &own, sizeof(own)) != sizeof(own))
		_exit(1);
	for (;;)
		pause();
}

static void start_family(struct family *family)
{
	int ready[2];

	assert_int_equal(pipe(ready), 0);
	family->child = fork();
	if (!family->child) {
		if (!fork())
			sleep_until_killed(ready[1]);
		sleep_until_killed(-1);
	}
	assert_int_equal(read(ready[0], &family->grandchild, sizeof(pid_t)), sizeof(pid_t));
	family->other = fork();
	if (!family->other)
		sleep_until_killed(-1);
	close(ready[0]);
	close(ready[1]);
}

static void end_family(const struct family *family)
{
	kill(family->child, SIGKILL);
	kill(family->other, SIGKILL);
	waitpid(family->child, NULL, 0);
	waitpid(family->other, NULL, 0);
}

static bool has(const pid_t *pids, size_t count, pid_t pid)
{
	for (size_t i = 0; i < count; i++)
		if (pids[i] == pid)
			return true;
	return false;
}

static void test_descendants_are_children_and_theirs_but_not_the_root(void **state)
{
	const pid_t own = getpid();
	struct family family;
	pid_t *pids = NULL;
	size_t count = 0;

	(void)state;
	start_family(&family);
	assert_int_equal(task_list_descendants(&own, 1, 1, &pids, &count), 0);
	assert_true(has(pids, count, family.child));
	assert_true(has(pids, count, family.grandchild));
	assert_true(has(pids, count, family.other));
	assert_false(has(pids, count, own));
	assert_int_equal(count, 3);
	free(pids);
	end_family(&family);
}

static void test_a_branch_has_only_its_own(void **state)
{
	struct family family;
	pid_t *pids = NULL;
	size_t count = 0;

	(void)state;
	start_family(&family);
	assert_int_equal(task_list_descendants(&family.child, 1, 1, &pids, &count), 0);
	assert_int_equal(count, 1);
	assert_int_equal(pids[0], family.grandchild);
	free(pids);
	end_family(&family);
}

static void test_a_root_below_another_root_is_listed_once_at_most(void **state)
{
	pid_t roots[2] = { getpid() };
	struct family family;
	pid_t *pids = NULL;
	size_t count = 0;

	(void)state;
	start_family(&family);
	roots[1] = family.child;
	assert_int_equal(task_list_descendants(roots, 2, 1, &pids, &count), 0);
	assert_int_equal(count, 2);
	assert_false(has(pids, count, family.child));
	free(pids);
	end_family(&family);
}

/* Who asks may have been started by a root: a shell whose descendants are to be sampled. */
static void test_the_caller_is_no_descendant(void **state)
{
	const pid_t parent = getppid();
	struct family family;
	pid_t *pids = NULL;
	size_t count = 0;

	(void)state;
	start_family(&family);
	assert_int_equal(task_list_descendants(&parent, 1, 1, &pids, &count), 0);
	assert_false(has(pids, count, getpid()));
	assert_false(has(pids, count, family.child));
	free(pids);
	end_family(&family);
}

static void test_children_are_counted_not_theirs(void **state)
{
	struct family family;

	(void)state;
	start_family(&family);
	if (task_list_count_children(getpid()))	/* 0: this kernel does not say it */
		assert_int_equal(task_list_count_children(getpid()), 2);
	assert_int_equal(task_list_count_children(family.grandchild), 0);
	end_family(&family);
}

/* Of the next tick at the earliest. */
static void test_what_began_before_is_no_descendant(void **state)
{
	const pid_t own = getpid();
	struct family family;
	pid_t *pids = NULL;
	size_t count = 0;

	(void)state;
	start_family(&family);
	assert_int_equal(task_list_descendants(&own, 1, task_list_now_ticks() + 1, &pids, &count),
			 0);
	assert_int_equal(count, 0);
	free(pids);
	end_family(&family);
}

static void test_the_clock_is_that_of_the_starts(void **state)
{
	const uint64_t before = task_list_now_ticks();
	struct family family;
	uint64_t start;
	pid_t parent;

	(void)state;
	start_family(&family);
	assert_int_equal(task_list_origin(family.other, &parent, &start), 0);
	assert_int_equal(parent, getpid());
	assert_true(before <= start && start <= task_list_now_ticks());
	end_family(&family);
}

UNIT_TESTS(test_task_list)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_descendants_are_children_and_theirs_but_not_the_root),
		cmocka_unit_test(test_a_branch_has_only_its_own),
		cmocka_unit_test(test_a_root_below_another_root_is_listed_once_at_most),
		cmocka_unit_test(test_the_caller_is_no_descendant),
		cmocka_unit_test(test_children_are_counted_not_theirs),
		cmocka_unit_test(test_what_began_before_is_no_descendant),
		cmocka_unit_test(test_the_clock_is_that_of_the_starts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
