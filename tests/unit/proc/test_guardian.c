/* flametop dies; what is left of it? The test plays the shell: it owns the pty, starts a "flametop"
 * that takes the screen, kills it, and adopts the orphans (subreaper) to see them end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <cmocka.h>

#include "proc/guardian.h"
#include "unit_tests.h"

#define HANG_MS 60000

enum ending { DIES_WITH_SCREEN, DIES_WITHOUT_SCREEN, STOPS };

struct fixture {
	int screen, terminal;	/* the two ends of the pty */
	int alive;		/* end of file: the watched child is gone */
	pid_t flametop, child;
};

static pid_t start_child(const struct guardian *guardian)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	close(guardian_pipe_fd(guardian));
	for (;;)
		pause();
}

/* Uses the guardian as main and ui do, says that it has come to its ending, and waits. */
_Noreturn static void play_flametop(int tty, int alive_fd, int ready_fd, enum ending ending)
{
	struct guardian *guardian;
	struct termios raw;
	pid_t child;

	if (guardian_start(&guardian, tty, NULL, NULL))
		_exit(3);
	child = start_child(guardian);
	guardian_watch_child(guardian, child);
	close(alive_fd);	/* the child has it */
	tcgetattr(tty, &raw);
	cfmakeraw(&raw);
	tcsetattr(tty, TCSANOW, &raw);
	guardian_screen_taken(guardian);
	if (ending == DIES_WITHOUT_SCREEN)
		guardian_screen_left(guardian);
	if (ending == STOPS)
		guardian_stop(guardian);
	if (write(ready_fd, &child, sizeof(child)) != sizeof(child))
		_exit(3);
	for (;;)
		pause();
}

static void start_fixture(struct fixture *fixture, enum ending ending)
{
	int alive[2], ready[2];

	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	assert_int_equal(openpty(&fixture->screen, &fixture->terminal, NULL, NULL, NULL), 0);
	assert_int_equal(pipe2(alive, O_CLOEXEC), 0);
	assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
	fixture->flametop = fork();
	if (fixture->flametop == 0) {
		close(alive[0]);
		close(ready[0]);
		close(fixture->screen);
		play_flametop(fixture->terminal, alive[1], ready[1], ending);
	}
	close(alive[1]);
	close(ready[1]);
	fixture->alive = alive[0];
	assert_int_equal(read(ready[0], &fixture->child, sizeof(fixture->child)),
			 sizeof(fixture->child));
	close(ready[0]);
}

static void kill_flametop(const struct fixture *fixture)
{
	assert_int_equal(kill(fixture->flametop, SIGKILL), 0);
	assert_int_equal(waitpid(fixture->flametop, NULL, 0), fixture->flametop);
}

/* Returns when the guardian and the child have ended. */
static void reap_orphans(void)
{
	while (waitpid(-1, NULL, 0) > 0)
		;
}

/* What was written to the terminal; everybody who could write has ended. */
static size_t read_screen(const struct fixture *fixture, char *text, size_t cap)
{
	struct pollfd waiting = { .fd = fixture->screen, .events = POLLIN };
	size_t used = 0;

	while (used + 1 < cap && poll(&waiting, 1, 0) == 1 && (waiting.revents & POLLIN)) {
		ssize_t got = read(fixture->screen, text + used, cap - 1 - used);

		if (got <= 0)
			break;
		used += (size_t)got;
	}
	text[used] = '\0';
	return used;
}

static bool is_raw(const struct fixture *fixture)
{
	struct termios now;

	assert_int_equal(tcgetattr(fixture->terminal, &now), 0);
	return !(now.c_lflag & (ICANON | ECHO));
}

static void end_fixture(struct fixture *fixture)
{
	close(fixture->screen);
	close(fixture->terminal);
	close(fixture->alive);
}

static void test_sigkill_gives_the_terminal_back(void **state)
{
	struct fixture fixture;
	char text[512];

	(void)state;
	start_fixture(&fixture, DIES_WITH_SCREEN);
	assert_true(is_raw(&fixture));
	kill_flametop(&fixture);
	reap_orphans();
	assert_false(is_raw(&fixture));
	read_screen(&fixture, text, sizeof(text));
	assert_non_null(strstr(text, "\033[?1049l"));
	assert_non_null(strstr(text, "\033[?25h"));
	assert_non_null(strstr(text, "\033[?1000l"));
	end_fixture(&fixture);
}

/* The child pauses for ever: only the guardian can end it, and reap_orphans() would hang. */
static void test_sigkill_ends_the_watched_child(void **state)
{
	struct fixture fixture;
	char byte;

	(void)state;
	start_fixture(&fixture, DIES_WITH_SCREEN);
	kill_flametop(&fixture);
	assert_int_equal(read(fixture.alive, &byte, 1), 0);
	reap_orphans();
	end_fixture(&fixture);
}

/* A command that ends at SIGTERM, and has started one that does not. */
_Noreturn static void play_command(int ready_fd)
{
	setpgid(0, 0);
	signal(SIGTERM, SIG_IGN);
	if (fork() != 0) {
		signal(SIGTERM, SIG_DFL);
		if (write(ready_fd, "c", 1) != 1)
			_exit(3);
	}
	for (;;)
		pause();
}

_Noreturn static void play_flametop_with_command(int alive_fd, int ready_fd)
{
	struct guardian *guardian;
	pid_t command;

	if (guardian_start(&guardian, -1, NULL, NULL))
		_exit(3);
	command = fork();
	if (command == 0) {
		close(guardian_pipe_fd(guardian));
		play_command(ready_fd);
	}
	guardian_watch_command(guardian, command);
	close(alive_fd);	/* the command has it */
	if (write(ready_fd, "f", 1) != 1)
		_exit(3);
	for (;;)
		pause();
}

static void test_sigkill_ends_the_command_and_its_group(void **state)
{
	struct pollfd gone = { .events = POLLIN };
	struct fixture fixture = { .flametop = 0 };
	int alive[2], ready[2];
	char byte;

	(void)state;
	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	assert_int_equal(pipe2(alive, O_CLOEXEC), 0);
	assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
	fixture.flametop = fork();
	if (fixture.flametop == 0)
		play_flametop_with_command(alive[1], ready[1]);
	close(alive[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	kill_flametop(&fixture);
	gone.fd = alive[0];
	assert_int_equal(poll(&gone, 1, HANG_MS), 1);
	reap_orphans();
	close(alive[0]);
	close(ready[0]);
	close(ready[1]);
}

static void test_a_screen_that_was_left_is_not_touched(void **state)
{
	struct fixture fixture;
	char text[512];

	(void)state;
	start_fixture(&fixture, DIES_WITHOUT_SCREEN);
	kill_flametop(&fixture);
	reap_orphans();
	assert_true(is_raw(&fixture));	/* whoever has the terminal now may want it so */
	assert_int_equal(read_screen(&fixture, text, sizeof(text)), 0);
	end_fixture(&fixture);
}

static void test_a_normal_stop_does_nothing(void **state)
{
	struct pollfd child = { .events = POLLIN };
	struct fixture fixture;
	char text[512];

	(void)state;
	start_fixture(&fixture, STOPS);
	assert_true(is_raw(&fixture));
	assert_int_equal(read_screen(&fixture, text, sizeof(text)), 0);
	child.fd = fixture.alive;
	assert_int_equal(poll(&child, 1, 0), 0);
	kill_flametop(&fixture);
	assert_int_equal(poll(&child, 1, 0), 0);
	assert_int_equal(kill(fixture.child, SIGKILL), 0);	/* or reap_orphans() would hang */
	reap_orphans();
	end_fixture(&fixture);
}

/* The guardian is the only child that this process has. */
static pid_t find_guardian(void)
{
	FILE *children = fopen("/proc/thread-self/children", "r");
	int pid = 0;

	if (children) {
		assert_int_equal(fscanf(children, "%d", &pid), 1);
		fclose(children);
	}
	return pid;
}

static void test_a_killed_guardian_does_not_take_flametop_along(void **state)
{
	struct guardian *guardian;
	siginfo_t gone;
	pid_t pid;

	(void)state;
	assert_int_equal(guardian_start(&guardian, -1, NULL, NULL), 0);
	pid = find_guardian();
	assert_true(pid > 0);
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitid(P_PID, (id_t)pid, &gone, WEXITED | WNOWAIT), 0);
	guardian_screen_taken(guardian);
	guardian_stop(guardian);
}

/* One "Name:<tab>value" of /proc/PID/status. */
static void read_status(pid_t pid, const char *name, char *value, size_t cap)
{
	char path[32], line[256];
	FILE *status;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	status = fopen(path, "r");
	assert_non_null(status);
	value[0] = '\0';
	while (fgets(line, sizeof(line), status)) {
		line[strcspn(line, "\n")] = '\0';
		if (!strncmp(line, name, strlen(name)))
			snprintf(value, cap, "%s", line + strlen(name) + 2);
	}
	fclose(status);
}

static void test_signals_of_the_terminal_do_not_reach_the_guardian(void **state)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGTTOU };
	struct guardian *guardian;
	char value[64] = "";
	unsigned long long blocked;
	pid_t pid;

	(void)state;
	assert_int_equal(guardian_start(&guardian, -1, NULL, NULL), 0);
	pid = find_guardian();
	assert_true(pid > 0);
	while (strcmp(value, "flametop-guard"))		/* it takes the name last */
		read_status(pid, "Name", value, sizeof(value));
	assert_int_equal(getsid(pid), pid);
	read_status(pid, "SigBlk", value, sizeof(value));
	assert_int_equal(sscanf(value, "%llx", &blocked), 1);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		assert_true(blocked >> (signals[i] - 1) & 1);
	guardian_stop(guardian);
}

/* `flametop --batch | cat` ends when flametop ends, though the guardian lives a little longer. */
static void test_the_guardian_keeps_no_pipe_of_its_parent_open(void **state)
{
	struct guardian *guardian;
	int ends[2];
	char byte;

	(void)state;
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(guardian_start(&guardian, -1, NULL, NULL), 0);
	close(ends[1]);
	assert_int_equal(read(ends[0], &byte, 1), 0);	/* blocks as long as somebody has it */
	close(ends[0]);
	guardian_stop(guardian);
}

static void test_what_is_no_terminal_is_refused(void **state)
{
	struct guardian *guardian;
	struct diag why = { 0 };
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	(void)state;
	assert_int_equal(guardian_start(&guardian, null, NULL, &why), -ENOTTY);
	assert_null(guardian);
	assert_non_null(strstr(why.text, "terminal"));
	close(null);
}

UNIT_TESTS(test_guardian)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sigkill_gives_the_terminal_back),
		cmocka_unit_test(test_sigkill_ends_the_watched_child),
		cmocka_unit_test(test_sigkill_ends_the_command_and_its_group),
		cmocka_unit_test(test_a_screen_that_was_left_is_not_touched),
		cmocka_unit_test(test_a_normal_stop_does_nothing),
		cmocka_unit_test(test_a_killed_guardian_does_not_take_flametop_along),
		cmocka_unit_test(test_signals_of_the_terminal_do_not_reach_the_guardian),
		cmocka_unit_test(test_the_guardian_keeps_no_pipe_of_its_parent_open),
		cmocka_unit_test(test_what_is_no_terminal_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
