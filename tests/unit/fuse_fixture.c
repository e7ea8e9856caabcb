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

static int requests = -1;	/* the server's stdin */

bool fuse_fixture_is_possible(void)
{
	const bool is_possible = geteuid() == 0 && access("/dev/fuse", W_OK) == 0;

	if (!is_possible)
		print_message("SKIP: needs /dev/fuse\n");
	return is_possible;
}

pid_t fuse_fixture_start(const char *place, const char *file, const char *request)
{
	int says[2], asked[2];
	char line[16];
	FILE *words;
	pid_t child;

	assert_int_equal(mkdir(place, 0755), 0);
	assert_int_equal(pipe2(says, O_CLOEXEC) | pipe2(asked, O_CLOEXEC), 0);
	child = fork();
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		dup2(asked[0], STDIN_FILENO);
		dup2(says[1], STDOUT_FILENO);
		execl("tests/faults/fuse_that_hangs.py", "fuse_that_hangs.py", place, file, NULL);
		_exit(1);
	}
	close(says[1]);
	close(asked[0]);
	requests = asked[1];
	words = fdopen(says[0], "r");
	assert_non_null(words);
	assert_non_null(fgets(line, sizeof(line), words));	/* "ready" */
	if (request) {
		assert_true(write(requests, request, strlen(request)) > 0);
		assert_non_null(fgets(line, sizeof(line), words));	/* "hangs" */
	}
	fclose(words);
	return child;
}

void fuse_fixture_end(pid_t server, const char *place)
{
	kill(server, SIGKILL);
	waitpid(server, NULL, 0);
	close(requests);
	umount2(place, MNT_DETACH);
	rmdir(place);
}
