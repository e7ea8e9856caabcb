/* Users as passwd(5) has them, and as the C library finds them. */
#include <errno.h>
#include <pwd.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/privileges.h"
#include "unit_tests.h"

#define NOBODYS_UID 4000000001u	/* no distribution gives such a number */

static void test_root_is_who_the_file_says(void **state)
{
	struct user user;
	const struct passwd *expected = getpwuid(0);

	(void)state;
	assert_int_equal(user_find(0, &user), 0);
	assert_string_equal(user.name, "root");
	assert_string_equal(user.home, expected->pw_dir);
}

static void test_every_user_of_the_machine_is_found(void **state)
{
	const struct passwd *expected;
	unsigned int found = 0;
	struct user user;

	(void)state;
	setpwent();
	while ((expected = getpwent())) {
		assert_int_equal(user_find(expected->pw_uid, &user), 0);
		found += !strcmp(user.name, expected->pw_name) &&
			 !strcmp(user.home, expected->pw_dir);
	}
	endpwent();
	assert_true(found > 1);
}

static void test_a_number_of_nobody_is_not_found(void **state)
{
	struct user user;

	(void)state;
	assert_int_equal(user_find(NOBODYS_UID, &user), -ENOENT);
	assert_int_equal(user_find_in_file(NOBODYS_UID, &user), -ENOENT);
	assert_int_equal(user_find_in_file(0, &user), 0);
}

static const char passwd_lines[] =
	"first:x:70001:70001:a comment:/home/first:/bin/sh\n"
	"\n"
	"# no line of a user\n"
	"without fields\n"
	"second:x:70001:70001::/home/second:/bin/sh\n"
	"third:x:70002:70002::/home/third:/bin/sh\n"
	"a_name_of_sixty-four_characters_which_is_one_more_than_there_is_room:x:70003:70003::/:\n"
	"last:x:70004:70004::/home/last:";	/* no line break */

/* In a mount namespace of its own this file is /etc/passwd. False: that may not be. */
static bool begin_with_own_file(void)
{
	char path[] = "/tmp/flametop_users_XXXXXX";
	const int fd = mkostemp(path, 0);
	const size_t length = sizeof(passwd_lines) - 1;
	const bool is_there = fd >= 0 && write(fd, passwd_lines, length) == (ssize_t)length &&
			      !unshare(CLONE_NEWNS) &&
			      !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) &&
			      !mount(path, "/etc/passwd", NULL, MS_BIND, NULL);

	close(fd);
	unlink(path);
	return is_there;
}

static bool is(uid_t uid, const char *name, const char *home)
{
	struct user user;

	return !user_find(uid, &user) && !strcmp(user.name, name) && !strcmp(user.home, home);
}

static void test_lines_count_as_in_the_manual(void **state)
{
	struct user user;
	pid_t pid;
	int status;

	(void)state;
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		if (!begin_with_own_file())
			_exit(77);
		_exit(!is(70001, "first", "/home/first") ? 1 :
		      !is(70002, "third", "/home/third") ? 2 :
		      user_find(70003, &user) != -ENOENT ? 3 :
		      !is(70004, "last", "/home/last") ? 4 : 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77) {
		print_message("SKIP: needs root, for a mount of its own\n");
		skip();
	}
	assert_int_equal(WEXITSTATUS(status), 0);
}

UNIT_TESTS(test_user)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_root_is_who_the_file_says),
		cmocka_unit_test(test_every_user_of_the_machine_is_found),
		cmocka_unit_test(test_a_number_of_nobody_is_not_found),
		cmocka_unit_test(test_lines_count_as_in_the_manual),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
