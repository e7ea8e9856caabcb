/* What /proc says of a process: its root, and whose rights it has. */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "need_root.h"
#include "proc/process_stat.h"
#include "unit_tests.h"

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

/* A set-user-ID program has the effective user's rights, in all its groups. */
static _Noreturn void run_in_groups(int ready)
{
	const gid_t groups[] = { 64321, 64322 };

	if (setgroups(2, groups) || setresgid(STRANGER, 64323, STRANGER) ||
	    setresuid(STRANGER, 64324, STRANGER) || prctl(PR_SET_PDEATHSIG, SIGKILL) ||
	    write(ready, "", 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

static void test_files_are_opened_by_the_effective_user_and_all_groups(void **state)
{
	static struct process_identity identity;
	struct process_root root;
	int ready[2];
	pid_t child;
	char byte;

	(void)state;
	need_root();
	assert_int_equal(pipe(ready), 0);
	child = fork();
	if (child == 0)
		run_in_groups(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	close(ready[1]);
	process_root_open(&root, (uint32_t)child);
	assert_int_equal(process_root_identity(root.process, &identity), 0);
	assert_int_equal(identity.uid, 64324);
	assert_int_equal(identity.gid, 64323);
	assert_int_equal(identity.group_count, 2);
	assert_int_equal(identity.groups[0], 64321);
	assert_int_equal(identity.groups[1], 64322);
	end(child);
	assert_int_equal(process_root_identity(root.process, &identity), -ESRCH);
	process_root_close(&root);
}

static void test_a_process_maps_its_program_and_not_another_file(void **state)
{
	struct process_root root;
	struct stat status;
	char program[4096];
	ssize_t bytes = readlink("/proc/self/exe", program, sizeof(program) - 1);

	(void)state;
	assert_true(bytes > 0);
	program[bytes] = '\0';
	assert_int_equal(stat(program, &status), 0);
	process_root_open(&root, (uint32_t)getpid());
	assert_true(process_root_has_mapped(root.process, 0, 0, 0, program));
	assert_false(process_root_has_mapped(root.process, 0, 0, 0, "/etc/passwd"));
	assert_false(process_root_has_mapped(root.process, 0, 0, 0, ""));
	program[bytes - 1] = '\0';
	assert_false(process_root_has_mapped(root.process, 0, 0, 0, program));
	assert_true(process_root_has_mapped(root.process, major(status.st_dev),
					    minor(status.st_dev), status.st_ino, ""));
	assert_false(process_root_has_mapped(root.process, major(status.st_dev) + 1,
					     minor(status.st_dev), status.st_ino, program));
	process_root_close(&root);
}

UNIT_TESTS(test_process_root)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whose_rights_it_has_is_not_who_owns_its_files),
		cmocka_unit_test(test_a_process_that_is_gone_has_no_rights),
		cmocka_unit_test(test_a_child_has_our_root_and_nobody_has_ours),
		cmocka_unit_test(test_files_are_opened_by_the_effective_user_and_all_groups),
		cmocka_unit_test(test_a_process_maps_its_program_and_not_another_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
