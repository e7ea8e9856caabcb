/* zygote.c - see zygote.h and the drawing in sandbox/sandbox_protocol.h. The workers' own part is
 * here, too.
 *
 * Problem: a fork of the running profiler would copy its threads' locks, its rings and its
 * memory. So this process is forked before any of that exists, and only forks from then on.
 *
 * It blocks only in one poll(2) for all its users: a worker that does not die, or a user that
 * does not read, delays nobody else.
 *
 * Before a worker reads the first byte, it keeps only the input and reply descriptors and
 * confines itself (confine.c). A file that compromises the parser can only send one wrong reply
 * about itself, which main checks. Only what main itself wrote, the user of SANDBOX_SOURCE, is read
 * before.
 *
 * Invariant: at most one worker of each user lives, and none when its verdict is sent or the zygote
 * ends, except killed workers that are still blocked in the kernel and run no more code. If any
 * step of confinement fails, nothing is parsed.
 */
#include "zygote.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/whole_io.h"
#include "confine.h"
#include "sandbox/file_text.h"

#define KILLED_MS 2000	/* wait for a killed worker's end; shorter than main's GRACE_MS */
#define FIRST_FD 3	/* a worker's inputs and reply socket, or the zygote's sockets */

struct user {
	int socket;		/* -1: main has closed it */
	pid_t worker;		/* 0: none */
	uint64_t number;	/* the job's, for cancelling it */
	uint64_t until_ns;	/* when it is killed or, if it was killed, given up */
	enum sandbox_end end;	/* SANDBOX_BY_ITSELF: it was not killed */
};

struct zygote {
	struct user users[SANDBOX_USERS_MAX];
	size_t user_count;
	int children;		/* signalfd, readable when a worker has ended */
	struct confinement confinement;
	sandbox_worker *run;
};

/* Moves @fds to FIRST_FD and the numbers after it, via high numbers, because one may occupy the
 * number of another; closes all others but 0, 1 and 2. */
static bool keep_only(const int *fds, size_t count)
{
	int high[SANDBOX_USERS_MAX > SANDBOX_JOB_FDS ? SANDBOX_USERS_MAX : SANDBOX_JOB_FDS];

	for (size_t i = 0; i < count; i++) {
		high[i] = fcntl(fds[i], F_DUPFD, 16);
		if (high[i] < 0)
			return false;
	}
	for (size_t i = 0; i < count; i++)
		if (dup2(high[i], FIRST_FD + (int)i) < 0)
			return false;
	return close_range((unsigned int)(FIRST_FD + count), ~0u, 0) == 0;
}

static bool open_null(void)
{
	const int null = open("/dev/null", O_RDWR);

	for (int i = 0; i < FIRST_FD; i++)
		if (null < 0 || dup2(null, i) < 0)
			return false;
	return true;
}

static void unblock_signals(void)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Ignores signals from terminal keys and service managers, which are for main; this process ends
 * with main. Resets main's handlers: a worker that crashes must die of the signal. main blocked all
 * signals before it forked; those that arrived since are dropped here. */
static void set_signals(void)
{
	static const int ignored[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGPIPE,
				       SIGTTIN, SIGTTOU, SIGUSR1, SIGUSR2, SIGWINCH };

	for (int i = 1; i < NSIG; i++)
		signal(i, SIG_DFL);
	for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		signal(ignored[i], SIG_IGN);
	unblock_signals();
}

/* The kernel counts for each user the descriptors that are sent and not received yet, and refuses
 * more than a sender may have open itself: few, and workers of other instances are the same user.
 * They are received within milliseconds; the job's deadline ends the wait otherwise. */
static _Noreturn void send_reply(int socket, int err, const char *reason, int memfd)
{
	static const struct timespec pause = { .tv_nsec = (long)CLOCK_NS_PER_MS };
	struct sandbox_reply message = { .err = err };

	snprintf(message.reason, sizeof(message.reason), "%s", reason);
	do
		err = sandbox_protocol_send(socket, &message, sizeof(message), &memfd, memfd >= 0);
	while (err == -ETOOMANYREFS && !clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL));
	_exit(err ? 1 : 0);
}

static bool keep_inputs(const int fds[SANDBOX_JOB_FDS], size_t input_count)
{
	int kept[SANDBOX_JOB_FDS];

	for (size_t i = 0; i < input_count; i++)
		kept[i] = fds[i];
	kept[input_count] = fds[SANDBOX_JOB_FDS - 1];
	return keep_only(kept, input_count + 1);
}

/* Reads the user that main wants the worker of @job to become; @groups: FILE_TEXT_GROUPS_MAX of
 * them. Returns false if it can't be read. */
static bool read_user(const struct sandbox_job *job, int query, struct worker_user *out,
		      gid_t *groups, bool *is_other)
{
	struct file_text_query wanted;
	size_t bytes;

	*is_other = false;
	if (job->kind != SANDBOX_SOURCE)
		return true;
	if (whole_pread(query, &wanted, sizeof(wanted), 0) != sizeof(wanted) ||
	    wanted.group_count > FILE_TEXT_GROUPS_MAX)
		return false;
	bytes = wanted.group_count * sizeof(*groups);
	if (whole_pread(query, groups, bytes, sizeof(wanted)) != (ssize_t)bytes)
		return false;
	*is_other = wanted.identity == FILE_TEXT_AS_USER;
	*out = (struct worker_user){ wanted.uid, wanted.gid, wanted.group_count, groups };
	return true;
}

/* Confines this process, does @job with @fds (the inputs; the last is the reply socket), sends the
 * reply and exits. @zygote_pid must still be its parent. */
static _Noreturn void be_worker(const struct zygote *zygote, const struct sandbox_job *job,
				const int fds[SANDBOX_JOB_FDS], pid_t zygote_pid)
{
	const int socket = FIRST_FD + (int)job->input_count;
	struct sandbox_request request = {
		.kind = (enum sandbox_job_kind)job->kind, .input_count = job->input_count,
		.argument = job->argument,
	};
	static gid_t groups[FILE_TEXT_GROUPS_MAX];
	struct worker_user user;
	struct diag why = { .err = 0 };
	bool is_other;
	size_t count;
	void *bytes;
	int err;

	if (job->input_count > SANDBOX_INPUTS_MAX || job->kind >= SANDBOX_JOB_KINDS ||
	    !keep_inputs(fds, job->input_count))
		_exit(1);
	for (int i = 0; i < SANDBOX_INPUTS_MAX; i++)
		request.inputs[i] = FIRST_FD + i;
	if (!read_user(job, FIRST_FD, &user, groups, &is_other))
		_exit(1);
	err = confine_worker(&zygote->confinement, sandbox_limits(job->kind),
			     is_other ? &user : NULL, zygote_pid, &why);
	if (err) {
		diag_prefix(&why, "the symbolizer cannot give up its privileges here");
		send_reply(socket, err, why.text, -1);
	}
	err = zygote->run(&request, &bytes, &count, &why);
	if (err)
		send_reply(socket, err, why.text, -1);
	err = sandbox_seal("flametop-table", bytes, count);
	if (err < 0)
		send_reply(socket, err, "the symbol table cannot be stored", -1);
	send_reply(socket, 0, "", err);
}

static void close_user(struct user *user)
{
	close(user->socket);
	user->socket = -1;
	if (user->worker)
		kill(user->worker, SIGKILL);
}

static void send_verdict(struct user *user, int status)
{
	const struct sandbox_verdict verdict = { .status = status, .end = user->end };

	user->worker = 0;
	if (user->socket >= 0 &&
	    sandbox_protocol_send(user->socket, &verdict, sizeof(verdict), NULL, 0))
		close_user(user);
}

static void kill_worker(struct user *user, enum sandbox_end why)
{
	user->end = why;
	user->until_ns = clock_now_ns() + KILLED_MS * CLOCK_NS_PER_MS;
	kill(user->worker, SIGKILL);
}

static void start_worker(struct zygote *zygote, struct user *user, const struct sandbox_job *job,
			 const int fds[SANDBOX_JOB_FDS])
{
	const pid_t self = getpid(), worker = fork();

	if (worker == 0) {
		unblock_signals();
		be_worker(zygote, job, fds, self);
	}
	user->end = SANDBOX_BY_ITSELF;
	if (worker < 0) {
		send_verdict(user, -errno);
		return;
	}
	user->worker = worker;
	user->number = job->number;
	user->until_ns = clock_now_ns() + job->deadline_ms * CLOCK_NS_PER_MS;
}

/* Takes a job or a cancel. A second job while a worker runs is not what main sends. */
static void serve(struct zygote *zygote, struct user *user)
{
	struct sandbox_job job;
	int fds[SANDBOX_JOB_FDS];

	if (sandbox_protocol_receive(user->socket, &job, sizeof(job), fds, SANDBOX_JOB_FDS, 0)) {
		close_user(user);
	} else if (fds[0] >= 0) {
		if (user->worker)
			_exit(0);
		start_worker(zygote, user, &job, fds);
		for (int i = 0; i < SANDBOX_JOB_FDS; i++)
			close(fds[i]);
	} else if (user->worker && user->end == SANDBOX_BY_ITSELF && user->number &&
		   user->number <= job.number) {
		kill_worker(user, SANDBOX_CANCELLED);
	}
}

/* Kills workers at their deadline, and gives up those that were killed and do not die: a read from
 * a file system whose server does not respond can't be interrupted. */
static void end_late_workers(struct zygote *zygote, uint64_t now_ns)
{
	for (size_t i = 0; i < zygote->user_count; i++) {
		struct user *user = &zygote->users[i];

		if (!user->worker || now_ns < user->until_ns)
			continue;
		if (user->end == SANDBOX_BY_ITSELF)
			kill_worker(user, SANDBOX_AT_DEADLINE);
		else
			send_verdict(user, 0);
	}
}

/* Reaps the workers that have ended, also those that were given up. */
static void reap_workers(struct zygote *zygote)
{
	struct signalfd_siginfo ignored;
	int status;
	pid_t ended;

	while (read(zygote->children, &ignored, sizeof(ignored)) > 0)
		continue;
	do {
		ended = waitpid(-1, &status, WNOHANG);
		for (size_t i = 0; i < zygote->user_count; i++)
			if (ended > 0 && zygote->users[i].worker == ended)
				send_verdict(&zygote->users[i], status);
	} while (ended > 0 || (ended < 0 && errno == EINTR));
}

/* Returns for how many ms step() may wait; -1: no worker runs. */
static int wait_ms(const struct zygote *zygote, uint64_t now_ns)
{
	uint64_t until_ns = UINT64_MAX;

	for (size_t i = 0; i < zygote->user_count; i++)
		if (zygote->users[i].worker && zygote->users[i].until_ns < until_ns)
			until_ns = zygote->users[i].until_ns;
	return until_ns == UINT64_MAX ? -1 : clock_ms_until(until_ns, now_ns);
}

/* Waits for one of the users or workers. Exits when no user is left, and with it the workers
 * (PR_SET_PDEATHSIG). */
static void step(struct zygote *zygote)
{
	struct pollfd waits[SANDBOX_USERS_MAX + 1];
	const uint64_t now_ns = clock_now_ns();
	const size_t count = zygote->user_count;
	bool has_user = false;

	end_late_workers(zygote, now_ns);
	for (size_t i = 0; i < count; i++) {
		waits[i] = (struct pollfd){ .fd = zygote->users[i].socket, .events = POLLIN };
		has_user |= waits[i].fd >= 0;
	}
	if (!has_user)
		_exit(0);
	waits[count] = (struct pollfd){ .fd = zygote->children, .events = POLLIN };
	if (poll(waits, (nfds_t)count + 1, wait_ms(zygote, now_ns)) <= 0)
		return;
	if (waits[count].revents)
		reap_workers(zygote);
	for (size_t i = 0; i < count; i++)
		if (waits[i].revents && zygote->users[i].socket >= 0)
			serve(zygote, &zygote->users[i]);
}

static int watch_children(void)
{
	sigset_t children;

	sigemptyset(&children);
	sigaddset(&children, SIGCHLD);
	sigprocmask(SIG_BLOCK, &children, NULL);
	return signalfd(-1, &children, SFD_NONBLOCK | SFD_CLOEXEC);
}

_Noreturn void zygote_run(const int *sockets, size_t count, pid_t main_pid, sandbox_worker *run)
{
	struct zygote zygote = { .user_count = count, .run = run };

	set_signals();
	setsid();
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != main_pid || !open_null() ||
	    !keep_only(sockets, count))
		_exit(1);
	for (size_t i = 0; i < count; i++)
		zygote.users[i].socket = FIRST_FD + (int)i;
	zygote.children = watch_children();
	if (zygote.children < 0)
		_exit(1);
	prctl(PR_SET_NAME, "flametop-zygote");
	confine_zygote(&zygote.confinement);
	for (;;)
		step(&zygote);
}
