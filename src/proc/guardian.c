/* guardian.c - a process whose only task is to outlive flametop by a moment.
 *
 * Problem: after SIGKILL nobody restores the terminal, ends the zygote and the user's command, or
 * removes probes.
 *
 * Idea: the kernel closes the channel of a dead process, however it died. The guardian sleeps in
 * recv() until then, in a session of its own (a signal to the terminal's foreground group misses
 * it, and changing the terminal from the background does not stop it), with every signal blocked.
 *
 * Invariant: the guardian acts only on end of file. After MESSAGE_STOP it does nothing.
 *
 * The channel is a socket pair where a pipe would do, because a write to a pipe whose reader was
 * killed raises SIGPIPE in flametop.
 *
 * Rejected: PR_SET_PDEATHSIG in the zygote - ends the zygote but can't restore a terminal; the
 * terminal's strings from terminfo - curses stays in the ui, and xterm's sequences do on every
 * terminal that has an alternate screen.
 */
#include "proc/guardian.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "base/privileges.h"

#define COMMAND_END_MS	1000	/* from SIGTERM to SIGKILL */
/* Retries until the kernel has closed a dead process's last descriptor: ~90 ms for each probe. */
#define BUSY_FIRST_MS	10
#define BUSY_LONGEST_MS 640

struct guardian {
	pid_t pid;
	int channel;		/* main's end: its closing tells the guardian that main is gone */
};

enum message_kind { MESSAGE_TAKEN, MESSAGE_LEFT, MESSAGE_CHILD, MESSAGE_COMMAND, MESSAGE_STOP };

struct message {
	enum message_kind kind;
	pid_t pid;		/* only for MESSAGE_CHILD, MESSAGE_COMMAND */
};

/* State of the guardian process. */
struct watch {
	int channel, tty;	/* tty -1: none */
	struct termios saved;
	bool is_screen_taken;
	int children[GUARDIAN_CHILDREN_MAX], command;	/* pidfds, so that a reused pid is never
							 * hit; -1: none */
	size_t child_count;
	pid_t command_pid;
	struct guardian_leftovers leftovers;
};

/* Resets keypad and cursor keys to normal, wrap on, mouse and paste reports off, attributes off,
 * alternate screen left, cursor visible: xterm's control sequences (ctlseqs). */
static const char screen_restore[] =
	"\033[?1l\033>\033[?7h\033[?1000l\033[?1002l\033[?1006l\033[?2004l"
	"\033[0m\033[?1049l\033[?25h\r\n";

static void restore_terminal(const struct watch *watch)
{
	ssize_t done;

	/* Keys meant for flametop must not become commands for the shell; pending output that
	 * nobody reads would delay what follows. */
	tcflush(watch->tty, TCIOFLUSH);
	tcsetattr(watch->tty, TCSANOW, &watch->saved);
	done = write(watch->tty, screen_restore, sizeof(screen_restore) - 1);
	(void)done;	/* the terminal may be gone as well */
}

static bool signal_command(const struct watch *watch, int signal)
{
	return syscall(SYS_pidfd_send_signal, watch->command, signal, NULL, 0) == 0;
}

/* Ends the command as its parent would: see command.c. No call signals a group by a pidfd, so its
 * number is used: taken while the command lives, because init may reap a dead one at any moment,
 * and used again only right after its end, long before all other numbers are given out. */
static void end_command(const struct watch *watch)
{
	const bool leads = signal_command(watch, 0) &&
			   getpgid(watch->command_pid) == watch->command_pid;
	struct pollfd ended = { .fd = watch->command, .events = POLLIN };

	if (leads)
		kill(-watch->command_pid, SIGTERM);
	else
		signal_command(watch, SIGTERM);
	poll(&ended, 1, COMMAND_END_MS);
	if (leads)
		kill(-watch->command_pid, SIGKILL);	/* the rest of its group */
	else
		signal_command(watch, SIGKILL);
}

/* Retries however long it takes: a leftover event would be in everybody's way. */
static void remove_leftovers(const struct guardian_leftovers *leftovers)
{
	int wait_ms = BUSY_FIRST_MS;

	while (leftovers->remove && leftovers->remove(leftovers->name) == -EBUSY) {
		poll(NULL, 0, wait_ms);
		if (wait_ms < BUSY_LONGEST_MS)
			wait_ms *= 2;
	}
}

static void clean_up(const struct watch *watch)
{
	const pid_t remover = fork();

	/* In parallel, and without the terminal: neither a busy probe nor a terminal that nobody
	 * reads may delay the other. */
	if (remover == 0) {
		close_range(3, ~0u, 0);
		remove_leftovers(&watch->leftovers);
		_exit(0);
	}
	/* Processes first: a terminal that nobody reads may block the write. */
	for (size_t i = 0; i < watch->child_count; i++)
		syscall(SYS_pidfd_send_signal, watch->children[i], SIGKILL, NULL, 0);
	if (watch->command >= 0)
		end_command(watch);
	if (watch->is_screen_taken && watch->tty >= 0)
		restore_terminal(watch);
	if (remover < 0)
		remove_leftovers(&watch->leftovers);
}

_Noreturn static void keep_watch(struct watch *watch)
{
	struct message message;
	ssize_t got;

	while ((got = recv(watch->channel, &message, sizeof(message), 0)) == sizeof(message)) {
		switch (message.kind) {
		case MESSAGE_TAKEN:
			watch->is_screen_taken = true;
			break;
		case MESSAGE_LEFT:
			watch->is_screen_taken = false;
			break;
		case MESSAGE_CHILD:
			if (watch->child_count < GUARDIAN_CHILDREN_MAX)
				watch->children[watch->child_count++] =
					(int)syscall(SYS_pidfd_open, message.pid, 0);
			break;
		case MESSAGE_COMMAND:
			watch->command = (int)syscall(SYS_pidfd_open, message.pid, 0);
			watch->command_pid = message.pid;
			break;
		case MESSAGE_STOP:
			_exit(0);
		}
	}
	clean_up(watch);
	_exit(0);
}

/* Keeps nothing of the parent open but the channel (3) and the terminal (4): what reads from
 * `flametop --batch |` must see the end of the pipe with flametop, not with the guardian. */
static void close_other_descriptors(struct watch *watch)
{
	int channel = fcntl(watch->channel, F_DUPFD, 5);	/* above the numbers they move to */
	int tty = fcntl(watch->tty, F_DUPFD, 5);
	int null = open("/dev/null", O_RDWR);

	for (int fd = 0; fd < 3; fd++)
		dup2(null, fd);
	watch->channel = dup2(channel, 3);
	watch->tty = tty < 0 ? -1 : dup2(tty, 4);
	close_range(tty < 0 ? 4 : 5, ~0u, 0);
}

_Noreturn static void run_guardian(struct watch *watch)
{
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	setsid();
	prctl(PR_SET_NAME, "flametop-guard");
	close_other_descriptors(watch);
	privileges_drop(PRIVILEGES_OF_GUARDIAN, false, NULL);	/* or it keeps more of them */
	keep_watch(watch);
}

int guardian_start(struct guardian **out, int tty_fd, const struct guardian_leftovers *leftovers,
		   struct diag *why)
{
	struct watch watch = { .tty = tty_fd, .command = -1 };
	struct guardian *guardian;
	int ends[2], err;

	*out = NULL;
	if (leftovers)
		watch.leftovers = *leftovers;
	if (tty_fd >= 0 && tcgetattr(tty_fd, &watch.saved))
		return diag_set(why, -errno, "cannot read the terminal's state: %s",
				strerror(errno));
	guardian = malloc(sizeof(*guardian));
	if (!guardian)
		return diag_set(why, -ENOMEM, "no memory for the guardian");
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends)) {
		err = -errno;
		goto fail;
	}
	watch.channel = ends[1];
	guardian->channel = ends[0];
	guardian->pid = fork();
	if (guardian->pid == 0)
		run_guardian(&watch);
	err = -errno;
	close(ends[1]);
	if (guardian->pid < 0) {
		close(ends[0]);
		goto fail;
	}
	*out = guardian;
	return 0;

fail:
	free(guardian);
	return diag_set(why, err, "cannot start the guardian process: %s", strerror(-err));
}

/* Fails only if the guardian was killed, and then no one is left to receive it. */
static void send_message(const struct guardian *guardian, enum message_kind kind, pid_t pid)
{
	const struct message message = { .kind = kind, .pid = pid };
	int saved_errno = errno;	/* callers may be signal handlers */

	send(guardian->channel, &message, sizeof(message), MSG_NOSIGNAL | MSG_DONTWAIT);
	errno = saved_errno;
}

void guardian_watch_child(struct guardian *guardian, pid_t pid)
{
	send_message(guardian, MESSAGE_CHILD, pid);
}

void guardian_watch_command(struct guardian *guardian, pid_t pid)
{
	send_message(guardian, MESSAGE_COMMAND, pid);
}

void guardian_screen_taken(struct guardian *guardian)
{
	send_message(guardian, MESSAGE_TAKEN, 0);
}

void guardian_screen_left(struct guardian *guardian)
{
	send_message(guardian, MESSAGE_LEFT, 0);
}

pid_t guardian_pid(const struct guardian *guardian)
{
	return guardian->pid;
}

int guardian_pipe_fd(const struct guardian *guardian)
{
	return guardian->channel;
}

void guardian_stop(struct guardian *guardian)
{
	if (!guardian)
		return;
	send_message(guardian, MESSAGE_STOP, 0);
	close(guardian->channel);
	while (waitpid(guardian->pid, NULL, 0) < 0 && errno == EINTR)
		;
	free(guardian);
}
