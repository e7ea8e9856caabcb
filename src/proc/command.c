/* command.c - see command.h.
 *
 *   parent                         child
 *   fork ------------------------> closes all other descriptors, reads `go`
 *   opens events on it             waits
 *   writes a byte to `go` -------> exec; `failure` closes with it (close-on-exec)
 *   reads `failure`: end of file   or writes the errno into `failure`, exits 126 or 127
 *
 * When the parent dies first, `go` ends and the child exits without having run anything.
 */
#include "proc/command.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/privileges.h"
#include "base/thread.h"
#include "base/whole_io.h"

#define END_MS 1000		/* from SIGTERM to SIGKILL */
#define RELAY_BYTES 4096

struct command {
	const char *name;	/* BORROWED argv[0], for messages */
	pid_t pid;
	int pidfd, go_fd, failure_fd, output_fd;
	bool has_group, has_ended, was_started, is_ended_with_us;
	int status;
};

/* Descriptors of the child's two pipe ends; all higher ones are closed. */
enum { CHILD_GO_FD = 3, CHILD_FAILURE_FD = 4, CHILD_FIRST_FOREIGN_FD = 5 };

static int read_all(int fd, void *out, size_t bytes)
{
	ssize_t got;

	do
		got = read(fd, out, bytes);
	while (got < 0 && errno == EINTR);
	return got == (ssize_t)bytes ? 0 : -EPIPE;
}

/* Resets ignored and blocked signals, which the command would inherit. */
static void reset_signals(void)
{
	sigset_t none;

	for (int number = 1; number < NSIG; number++)
		signal(number, SIG_DFL);	/* fails for SIGKILL and SIGSTOP only */
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static void redirect_output(int output)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (null >= 0)
		dup2(null, STDIN_FILENO);
	dup2(output, STDOUT_FILENO);
	dup2(output, STDERR_FILENO);
	setpgid(0, 0);
}

static bool is_file(const char *path, int access)
{
	struct stat found;

	return !stat(path, &found) && S_ISREG(found.st_mode) &&
	       !faccessat(AT_FDCWD, path, access, AT_EACCESS);
}

/* Finds the first file called @name along PATH that allows @access; its path goes into @room. */
static bool find_along_path(const char *name, int access, char *room, size_t bytes)
{
	const char *at = getenv("PATH");

	for (at = at ? at : "/bin:/usr/bin";; at++) {
		const size_t length = strcspn(at, ":");
		const int needed = snprintf(room, bytes, "%.*s/%s", length ? (int)length : 1,
					    length ? at : ".", name);

		if (needed > 0 && (size_t)needed < bytes && is_file(room, access))
			return true;
		at += length;
		if (!*at)
			return false;
	}
}

/* Finds the program as execvp(3) does, but without calling execve(2) for each directory of PATH,
 * which probes on it would count. Returns @name itself if it has a slash, or the path of the
 * program, in @room; NULL: there is none. */
static const char *find_program(const char *name, char *room, size_t bytes)
{
	if (strchr(name, '/'))
		return name;
	if (!*name || (!find_along_path(name, X_OK, room, bytes) &&
		       !find_along_path(name, F_OK, room, bytes)))	/* exec tells the reason */
		return NULL;
	return room;
}

/* @output: -1 or the write end of the output pipe. */
_Noreturn static void run_child(char *const argv[], int go, int failure, int output)
{
	char byte, room[PATH_MAX];
	const char *path;
	int err;

	if (output >= 0)
		redirect_output(output);
	/* Via high numbers: one of the two may sit where the other has to go. */
	go = fcntl(go, F_DUPFD_CLOEXEC, CHILD_FIRST_FOREIGN_FD);
	failure = fcntl(failure, F_DUPFD_CLOEXEC, CHILD_FIRST_FOREIGN_FD);
	if (dup3(go, CHILD_GO_FD, O_CLOEXEC) < 0 || dup3(failure, CHILD_FAILURE_FD, O_CLOEXEC) < 0)
		_exit(COMMAND_STATUS_NOT_EXECUTABLE);
	if (syscall(SYS_close_range, CHILD_FIRST_FOREIGN_FD, ~0u, 0) != 0)
		for (long fd = sysconf(_SC_OPEN_MAX); fd >= CHILD_FIRST_FOREIGN_FD; fd--)
			close((int)fd);	/* before Linux 5.9 */
	reset_signals();
	inherited_give_back();
	path = find_program(argv[0], room, sizeof(room));	/* before anything is counted */
	if (read_all(CHILD_GO_FD, &byte, sizeof(byte)) != 0)
		_exit(COMMAND_STATUS_NOT_EXECUTABLE);
	err = ENOENT;
	if (path) {
		execvp(path, argv);	/* with a slash in it: no search, one execve(2) */
		err = errno;
	}
	if (write(CHILD_FAILURE_FD, &err, sizeof(err)) < 0)
		err = ENOEXEC;	/* the parent is gone: only the status is left */
	_exit(err == ENOENT ? COMMAND_STATUS_NOT_FOUND : COMMAND_STATUS_NOT_EXECUTABLE);
}

static void close_pair(int pair[2])
{
	for (int i = 0; i < 2; i++) {
		if (pair[i] >= 0)
			close(pair[i]);
		pair[i] = -1;
	}
}

int command_prepare(struct command **out, char *const argv[], bool keeps_output, struct diag *why)
{
	int go[2] = { -1, -1 }, failure[2] = { -1, -1 }, output[2] = { -1, -1 };
	struct command *command = calloc(1, sizeof(*command));
	int err;

	*out = NULL;
	if (!command)
		return diag_set(why, -ENOMEM, "no memory for a command");
	if (pipe2(go, O_CLOEXEC) || pipe2(failure, O_CLOEXEC) ||
	    (keeps_output && pipe2(output, O_CLOEXEC)))
		goto fail;
	if (keeps_output && fcntl(output[0], F_SETFL, O_NONBLOCK))
		goto fail;
	command->pid = fork();
	if (command->pid < 0)
		goto fail;
	if (command->pid == 0)
		run_child(argv, go[0], failure[1], output[1]);
	command->name = argv[0];
	command->has_group = keeps_output;
	command->pidfd = (int)syscall(SYS_pidfd_open, command->pid, 0);
	command->go_fd = go[1];
	command->failure_fd = failure[0];
	command->output_fd = output[0];
	close(go[0]);
	close(failure[1]);
	if (keeps_output)
		close(output[1]);
	*out = command;
	return 0;
fail:
	err = -errno;
	close_pair(go);
	close_pair(failure);
	close_pair(output);
	free(command);
	return diag_set(why, err, "cannot start a command: %s", strerror(-err));
}

pid_t command_pid(const struct command *command)
{
	return command->pid;
}

int command_pidfd(const struct command *command)
{
	return command->pidfd;
}

int command_output_fd(const struct command *command)
{
	return command->output_fd;
}

static void note_status(struct command *command, int wait_status)
{
	command->has_ended = true;
	command->status = WIFEXITED(wait_status) ? WEXITSTATUS(wait_status)
						 : 128 + WTERMSIG(wait_status);
}

static void reap(struct command *command)
{
	int wait_status;

	while (!command->has_ended && waitpid(command->pid, &wait_status, 0) == command->pid)
		note_status(command, wait_status);
}

int command_start(struct command *command, struct diag *why)
{
	const char byte = 1;
	int failure;

	command->was_started = true;
	if (write(command->go_fd, &byte, sizeof(byte)) != (ssize_t)sizeof(byte)) {
		reap(command);	/* it was killed */
		return diag_set(why, -ESRCH, "%s ended before it could start", command->name);
	}
	if (read_all(command->failure_fd, &failure, sizeof(failure)) != 0)
		return 0;	/* end of file: the exec has closed it */
	reap(command);
	return diag_set(why, -failure, "cannot run %s: %s", command->name, strerror(failure));
}

bool command_has_ended(struct command *command, int *status)
{
	int wait_status;

	if (!command->has_ended && waitpid(command->pid, &wait_status, WNOHANG) == command->pid)
		note_status(command, wait_status);
	if (command->has_ended)
		*status = command->status;
	return command->has_ended;
}

void command_signal(struct command *command, int signal)
{
	int status;

	if (command->was_started && !command_has_ended(command, &status))
		kill(command->has_group ? -command->pid : command->pid, signal);
}

void command_end_with_us(struct command *command)
{
	command->is_ended_with_us = true;
}

bool command_is_left(struct command *command)
{
	int status;

	return command->was_started && !command->is_ended_with_us &&
	       !command_has_ended(command, &status);
}

/* Opens a signalfd for the signals to relay and blocks them. Returns it, or -1.
 * SIGTSTP and SIGCONT matter only to a command that the terminal's keys do not reach. */
static int open_signals(const struct command *command)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	if (command->has_group) {
		sigaddset(&set, SIGQUIT);
		sigaddset(&set, SIGTSTP);
		sigaddset(&set, SIGCONT);
	}
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* Relays a signal. One from a key of the terminal (SI_KERNEL) has reached a command in flametop's
 * own process group already. */
static void pass_signal_on(struct command *command, int signal_fd)
{
	struct signalfd_siginfo seen;

	if (read(signal_fd, &seen, sizeof(seen)) != sizeof(seen))
		return;
	if (command->has_group || seen.ssi_code != SI_KERNEL)
		command_signal(command, (int)seen.ssi_signo);
	if (seen.ssi_signo == SIGTSTP)
		raise(SIGSTOP);		/* the job stops as a whole; SIGCONT comes by @signal_fd */
}

/* Copies output of the command to standard output, ignoring write errors. Returns false at the end
 * of the output. */
static bool relay_output(int from)
{
	char bytes[RELAY_BYTES];
	const ssize_t got = read(from, bytes, sizeof(bytes));

	if (got > 0)
		whole_write(STDOUT_FILENO, bytes, (size_t)got);
	return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
}

int command_outlive(struct command *command)
{
	enum { ENDED, SIGNALS, OUTPUT, SOURCES };
	struct pollfd sources[SOURCES] = {
		[ENDED] = { .fd = command->pidfd, .events = POLLIN },
		[SIGNALS] = { .fd = open_signals(command), .events = POLLIN },
		[OUTPUT] = { .fd = command->output_fd, .events = POLLIN },
	};
	int status;

	signal(SIGPIPE, SIG_IGN);	/* a closed stdout must not stop the relay */
	while (!command_has_ended(command, &status)) {
		if (poll(sources, SOURCES, -1) < 0)
			continue;
		if (sources[SIGNALS].revents)
			pass_signal_on(command, sources[SIGNALS].fd);
		if (sources[OUTPUT].revents && !relay_output(command->output_fd))
			sources[OUTPUT].fd = -1;
	}
	/* Its last output may still be in the pipe, which its children may keep open. */
	while (sources[OUTPUT].fd >= 0 && poll(&sources[OUTPUT], 1, 0) > 0)
		if (!relay_output(command->output_fd))
			break;
	if (sources[SIGNALS].fd >= 0)
		close(sources[SIGNALS].fd);
	return status;
}

/* Ends the command. Reaps it only after the last signal, so that its pid is not reused before. */
static void end(struct command *command)
{
	const pid_t whom = command->has_group ? -command->pid : command->pid;
	struct pollfd ended = { .fd = command->pidfd, .events = POLLIN };

	kill(whom, SIGTERM);
	poll(&ended, 1, END_MS);
	kill(whom, SIGKILL);	/* the rest of it, or of its group */
	reap(command);
}

void command_destroy(struct command *command)
{
	int status;

	if (!command)
		return;
	close(command->go_fd);	/* makes a child that still waits exit */
	if (!command->was_started)
		reap(command);
	else if (command->is_ended_with_us && !command_has_ended(command, &status))
		end(command);
	if (command->pidfd >= 0)
		close(command->pidfd);
	close(command->failure_fd);
	if (command->output_fd >= 0)
		close(command->output_fd);
	free(command);
}

/* A line of output that is longer than one of the log continues in the next: nothing is cut. */
#define LINE_BYTES (LOG_LINE_BYTES / 2)	/* the sanitizer may make it longer */
#define PIPE_READS 16			/* reads of 4 KiB: a full pipe */

struct command_output {
	int fd, stop_fd;
	char line[LINE_BYTES];
	size_t used;
	pthread_t thread;
};

static void flush_line(struct command_output *output)
{
	log_note("%.*s", (int)output->used, output->line);
	output->used = 0;
}

static void take_bytes(struct command_output *output, const char *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (bytes[i] == '\n') {
			flush_line(output);
			continue;
		}
		output->line[output->used++] = bytes[i];
		if (output->used == sizeof(output->line))
			flush_line(output);
	}
}

static void *run(void *argument)
{
	struct command_output *output = argument;
	struct pollfd fds[] = {
		{ .fd = output->fd, .events = POLLIN },
		{ .fd = output->stop_fd, .events = POLLIN },
	};
	char bytes[4096];
	int last_reads = PIPE_READS;	/* limit after the stop: some commands print for ever */
	ssize_t got;

	while (!fds[1].revents || last_reads--) {
		poll(fds, 2, -1);
		got = read(output->fd, bytes, sizeof(bytes));
		if (got > 0)
			take_bytes(output, bytes, (size_t)got);
		else if (got == 0 || (errno != EAGAIN && errno != EINTR) || fds[1].revents)
			break;
	}
	if (output->used)
		flush_line(output);
	return NULL;
}

int command_output_start(struct command_output **out, int fd, struct diag *why)
{
	struct command_output *output = calloc(1, sizeof(*output));
	int err = -ENOMEM;

	*out = NULL;
	if (output) {
		output->fd = fd;
		output->stop_fd = eventfd(0, EFD_CLOEXEC);
		err = output->stop_fd < 0 ? -errno
					  : thread_start(&output->thread, "flametop-output", run,
							 output);
	}
	if (err) {
		if (output && output->stop_fd >= 0)
			close(output->stop_fd);
		free(output);
		return diag_set(why, err, "cannot keep the command's output: %s", strerror(-err));
	}
	*out = output;
	return 0;
}

void command_output_stop(struct command_output *output)
{
	if (!output)
		return;
	whole_eventfd_write(output->stop_fd, 1);
	pthread_join(output->thread, NULL);
	close(output->stop_fd);
	free(output);
}
