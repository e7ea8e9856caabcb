/* zygote.c - see zygote.h and the drawing in sandbox/sandbox_protocol.h.
 *
 * Problem: a fork of the running profiler would copy its threads' locks, its rings and its
 * memory. So this process is forked before any of that exists, and only forks from then on.
 *
 * Invariant: at most one worker lives, and none when the verdict is sent or the zygote ends, except
 * killed workers that are still blocked in the kernel and run no more code.
 */
#include "zygote.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "sandbox/confine.h"
#include "sandbox/sandbox_protocol.h"
#include "sandbox/worker.h"

#define KILLED_MS 2000	/* wait for a killed worker's end; shorter than main's GRACE_MS */

/* Moves @fd to descriptor 3, opens /dev/null as 0, 1 and 2, and closes all others. */
static int keep_only(int fd)
{
	int null = open("/dev/null", O_RDWR);

	if (null < 0 || dup2(fd, 3) < 0)
		return -1;
	for (int i = 0; i < 3; i++)
		if (dup2(null, i) < 0)
			return -1;
	return close_range(4, ~0u, 0);
}

/* Ignores signals from terminal keys and service managers, which are for main; this process ends
 * with main. Resets main's handlers: a worker that crashes must die of the signal. main blocked all
 * signals before it forked; those that arrived since are dropped here. */
static void set_signals(void)
{
	static const int ignored[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGPIPE,
				       SIGTTIN, SIGTTOU, SIGUSR1, SIGUSR2, SIGWINCH };
	sigset_t none;

	for (int i = 1; i < NSIG; i++)
		signal(i, SIG_DFL);
	for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		signal(ignored[i], SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Ends this process, and with it the worker (PR_SET_PDEATHSIG), when main is gone. */
static void take_cancel(int socket)
{
	struct sandbox_job cancel;
	int fds[SANDBOX_JOB_FDS];

	if (sandbox_protocol_receive(socket, &cancel, sizeof(cancel), fds, SANDBOX_JOB_FDS, 0) ||
	    fds[0] >= 0)
		_exit(0);
}

static enum sandbox_end wait_for_worker(int socket, int pidfd, uint64_t deadline_ns)
{
	struct pollfd waits[] = { { .fd = pidfd, .events = POLLIN },
				  { .fd = socket, .events = POLLIN } };

	for (;;) {
		uint64_t now = clock_now_ns();
		int ready;

		if (now >= deadline_ns)
			return SANDBOX_AT_DEADLINE;
		ready = poll(waits, 2, (int)((deadline_ns - now) / CLOCK_NS_PER_MS + 1));
		if (ready > 0 && waits[0].revents)
			return SANDBOX_BY_ITSELF;
		if (ready > 0 && waits[1].revents) {
			take_cancel(socket);
			return SANDBOX_CANCELLED;
		}
	}
}

/* Waits a limited time for the killed worker's end: a read from a file system whose server does not
 * respond can't be interrupted. Such a worker is left to take_late_workers() to reap. */
static bool has_died(int pidfd)
{
	struct pollfd ended = { .fd = pidfd, .events = POLLIN };

	return poll(&ended, 1, KILLED_MS) > 0;
}

static void take_late_workers(void)
{
	while (waitpid(-1, NULL, WNOHANG) > 0)
		continue;
}

static struct sandbox_verdict run_worker(int socket, const struct confinement *confinement,
					 const struct sandbox_job *job,
					 const int fds[SANDBOX_JOB_FDS])
{
	struct sandbox_verdict verdict = { .status = 0 };
	uint64_t deadline = clock_now_ns() + job->deadline_ms * CLOCK_NS_PER_MS;
	pid_t zygote = getpid(), worker;
	int pidfd;

	take_late_workers();
	worker = fork();
	if (worker == 0)
		worker_run(confinement, job, fds, zygote);
	if (worker < 0)
		return (struct sandbox_verdict){ .status = -errno };
	pidfd = pidfd_open(worker, 0);
	if (pidfd >= 0)
		verdict.end = wait_for_worker(socket, pidfd, deadline);
	if (pidfd < 0 || verdict.end != SANDBOX_BY_ITSELF)
		kill(worker, SIGKILL);
	if (pidfd < 0 || verdict.end == SANDBOX_BY_ITSELF || has_died(pidfd)) {
		while (waitpid(worker, &verdict.status, 0) < 0 && errno == EINTR)
			continue;
	}
	if (pidfd >= 0)
		close(pidfd);
	return verdict;
}

_Noreturn void zygote_run(int socket, pid_t main_pid)
{
	struct confinement confinement;

	set_signals();
	setsid();
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != main_pid || keep_only(socket))
		_exit(1);
	socket = 3;
	prctl(PR_SET_NAME, "flametop-zygote");
	confine_zygote(&confinement);
	for (;;) {
		struct sandbox_job job;
		struct sandbox_verdict verdict;
		int fds[SANDBOX_JOB_FDS];

		if (sandbox_protocol_receive(socket, &job, sizeof(job), fds, SANDBOX_JOB_FDS, 0))
			_exit(0);
		if (fds[0] < 0)
			continue;	/* cancels a job that has just ended */
		verdict = run_worker(socket, &confinement, &job, fds);
		for (int i = 0; i < SANDBOX_JOB_FDS; i++)
			close(fds[i]);
		if (sandbox_protocol_send(socket, &verdict, sizeof(verdict), NULL, 0))
			_exit(0);
	}
}
