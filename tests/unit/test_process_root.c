/* What /proc says of a process: its root, and whose rights it has. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "proc/process_root.h"

enum { STRANGER = 65534 };

/* A child with the rights of @user that nobody but root may look at, as a set-uid program is. */
static pid_t start_hidden(uid_t user)
{
	int ready[2];
	pid_t child;
	char byte;

	assert_int_equal(pipe(ready), 0);
	child = fork();
	if (child == 0) {
		close(ready[0]);
		if (seteuid(user) || prctl(PR_SET_PDEATHSIG, SIGKILL) ||
		    prctl(PR_SET_DUMPABLE, 0) || write(ready[1], "", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
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

static void test_whose_rights_it_has_is_not_who_owns_its_files(void **state)
{
	const uid_t user = geteuid() ? geteuid() : STRANGER;
	const pid_t child = start_hidden(user);
	uint32_t pid = 0, uid = UINT32_MAX;
	struct process_root root;
	struct stat status;

	(void)state;
	process_root_open(&root, (uint32_t)child);
	assert_true(root.process >= 0);
	assert_int_equal(fstatat(root.process, "status", &status, 0), 0);
	assert_int_equal(status.st_uid, 0);
	assert_int_equal(process_root_status(root.process, &pid, &uid), 0);
	assert_int_equal(uid, user);
	assert_int_equal(pid, child);
	end(child);
	process_root_close(&root);
}

static void test_a_process_that_is_gone_has_no_rights(void **state)
{
	const pid_t child = start_hidden(geteuid());
	uint32_t pid = 0, uid = 0;
	struct process_root root;

	(void)state;
	process_root_open(&root, (uint32_t)child);
	end(child);
	assert_int_equal(process_root_status(root.process, &pid, &uid), -ESRCH);
	assert_false(process_root_shares(root.process, "root"));
	process_root_close(&root);
}

static void test_a_child_has_our_root_and_nobody_has_ours(void **state)
{
	struct process_root root;
	const pid_t child = fork();

	(void)state;
	if (child == 0)
		for (;;)
			pause();
	assert_true(child > 0);
	process_root_open(&root, (uint32_t)child);
	assert_true(root.is_ours && root.root >= 0);
	process_root_close(&root);
	end(child);
	process_root_open(&root, 0);
	assert_true(root.is_ours && root.root < 0 && root.process < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whose_rights_it_has_is_not_who_owns_its_files),
		cmocka_unit_test(test_a_process_that_is_gone_has_no_rights),
		cmocka_unit_test(test_a_child_has_our_root_and_nobody_has_ours),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
