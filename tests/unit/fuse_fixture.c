/* fuse_fixture.c - see fuse_fixture.h. */
#include "fuse_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int wishes = -1;		/* the server's stdin */

bool fuse_fixture_is_possible(void)
{
	const bool is_possible = geteuid() == 0 && access("/dev/fuse", W_OK) == 0;

	if (!is_possible)
		print_message("SKIP: needs /dev/fuse\n");
	return is_possible;
}

pid_t fuse_fixture_start(const char *place, const char *file, const char *wish)
{
	int says[2], told[2];
	char line[16];
	FILE *words;
	pid_t child;

	assert_int_equal(mkdir(place, 0755), 0);
	assert_int_equal(pipe2(says, O_CLOEXEC) | pipe2(told, O_CLOEXEC), 0);
	child = fork();
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		dup2(told[0], STDIN_FILENO);
		dup2(says[1], STDOUT_FILENO);
		execl("tests/faults/fuse_that_hangs.py", "fuse_that_hangs.py", place, file, NULL);
		_exit(1);
	}
	close(says[1]);
	close(told[0]);
	wishes = told[1];
	words = fdopen(says[0], "r");
	assert_non_null(words);
	assert_non_null(fgets(line, sizeof(line), words));	/* "ready" */
	if (wish) {
		assert_true(write(wishes, wish, strlen(wish)) > 0);
		assert_non_null(fgets(line, sizeof(line), words));	/* "hangs" */
	}
	fclose(words);
	return child;
}

void fuse_fixture_end(pid_t server, const char *place)
{
	kill(server, SIGKILL);
	waitpid(server, NULL, 0);
	close(wishes);
	umount2(place, MNT_DETACH);
	rmdir(place);
}
