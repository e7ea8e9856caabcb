/* sandbox.c - see sandbox/sandbox.h; the messages are drawn in sandbox/sandbox_protocol.h.
 *
 * Problem: flametop runs as root and reads untrusted binaries; parsers have bugs.
 *
 * Idea: main opens the file, another process parses it, main checks the reply: its form, that it is
 * sealed, its size, and every number in it (flat_table_check()).
 *
 * Invariant: a job ends within its deadline and GRACE_MS, whatever worker and zygote do. A zygote
 * that breaks the protocol is killed and stays dead: every later job of all its sandboxes fails at
 * once with a reason.
 *
 * Sandboxes share the zygote's PID and nothing else: each has a socket of its own to it, so their
 * threads need no lock.
 *
 * Rejected: a worker that lives for many DSOs (one file could forge another one's table);
 * execve() of a program of its own (an installed path that could be replaced; start-up time).
 */
#include "sandbox/sandbox.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/sanitize.h"
#include "confine.h"
#include "sandbox/sandbox_protocol.h"
#include "zygote.h"

#define GRACE_MS 3000	/* for the zygote to kill and to report, on an overloaded machine */

struct zygote_process {
	_Atomic pid_t pid;	/* -1: ended; whoever sets it to -1 kills and reaps the process */
	size_t sandboxes;	/* not stopped yet */
};

struct sandbox {
	struct zygote_process *zygote;	/* owned by all its sandboxes together */
	int socket;		/* to the zygote; shut down by sandbox_cancel() */
	int ready;		/* epoll(7) of `patience`, and of `socket` while there is a job */
	int patience;		/* timerfd, expires when the zygote's verdict is overdue */
	bool is_gone;		/* the zygote has ended, for this sandbox */
	_Atomic bool is_cancelled;
	/* sandbox_cancel_job() raises it and then sends a cancel; sandbox_submit() loads it after
	 * it has sent the job: at least one of them cancels the job in time. */
	_Atomic uint64_t cancelled_to;
	uint32_t deadline_ms;
	bool has_deadline;	/* deadline_ms replaces the kind's own */

	/* The job under way. */
	int reply;		/* socket that the worker replies to; -1: there is no job */
	enum sandbox_job_kind kind;
	uint64_t patience_ns;	/* CLOCK_MONOTONIC, when `patience` expires */
};

static int is_gone(struct diag *why)
{
	return diag_set(why, -EPIPE, "the symbolizer has ended: restart flametop");
}

static int is_ended(struct diag *why)
{
	return diag_set(why, -ECANCELED, "ended before it was read");
}

static int was_cancelled(struct diag *why)
{
	return diag_set(why, -ECANCELED, "nobody waits for it any more");
}

static int judge_signal(int signal_number, uint32_t cpu_s, struct diag *why)
{
	if (signal_number == SIGSYS)
		return diag_set(why, -EPIPE, "its parser was ended: it gave up (abort), or made "
				"a system call that is forbidden there");
	if (signal_number == SIGXCPU)
		return diag_set(why, -ETIMEDOUT, "not done after %u s of CPU time",
				cpu_s);
	return diag_set(why, -EPIPE, "its parser died of signal %d (%s)",
			signal_number, strsignal(signal_number));
}

/* Returns 0 if the worker exited by itself with status 0; else -errno with the reason. */
static int judge_verdict(const struct sandbox_verdict *verdict, uint32_t deadline_ms,
			 uint32_t cpu_s, struct diag *why)
{
	if (verdict->status < 0)
		return diag_set(why, verdict->status, "no process for the symbolizer: %s",
				strerror(-verdict->status));
	if (verdict->end == SANDBOX_CANCELLED)
		return was_cancelled(why);
	if (verdict->end == SANDBOX_AT_DEADLINE)
		return diag_set(why, -ETIMEDOUT, "not done after %u ms", deadline_ms);
	if (WIFSIGNALED(verdict->status))
		return judge_signal(WTERMSIG(verdict->status), cpu_s, why);
	if (WEXITSTATUS(verdict->status) != 0)
		return diag_set(why, -EPIPE, "its parser failed with status %d",
				WEXITSTATUS(verdict->status));
	return 0;
}

/* Fails with the worker's reason, which is untrusted text. */
static int refuse(struct sandbox_reply *reply, struct diag *why)
{
	char clean[sizeof(why->text)];
	size_t len = strnlen(reply->reason, sizeof(reply->reason));

	sanitize_text(clean, sizeof(clean), reply->reason, len);
	if (reply->err > 0 || reply->err < -4095)	/* the range of errno: MAX_ERRNO */
		reply->err = -EBADMSG;
	return diag_set(why, reply->err, "%s", clean);
}

static int map_reply(int memfd, uint64_t bytes_max, struct sandbox_bytes *out, struct diag *why)
{
	const int wanted = F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
	struct stat status;
	void *mapping;
	int seals = fcntl(memfd, F_GET_SEALS);

	if (seals < 0 || fstat(memfd, &status) || !S_ISREG(status.st_mode))
		return diag_set(why, -EBADMSG, "its parser sent no memory file");
	if ((seals & wanted) != wanted)
		return diag_set(why, -EBADMSG, "its table could still be changed");
	if ((uint64_t)status.st_size > bytes_max)
		return diag_set(why, -E2BIG, "its table is larger than %u MiB",
				(unsigned int)(bytes_max >> 20));
	if (status.st_size == 0)
		return diag_set(why, -EBADMSG, "its table is empty");
	mapping = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_SHARED, memfd, 0);
	if (mapping == MAP_FAILED)
		return diag_set(why, -errno, "no memory for a symbol table");
	*out = (struct sandbox_bytes){ mapping, (size_t)status.st_size };
	return 0;
}

static bool has_another_reply(int socket)
{
	struct sandbox_reply reply;
	int memfd;
	int err =
		sandbox_protocol_receive(socket, &reply, sizeof(reply), &memfd, 1, MSG_DONTWAIT);

	if (memfd >= 0)
		close(memfd);
	return err != -EPIPE && err != -EAGAIN;
}

/* Receives the worker's reply from @socket once the worker is gone: it is there or never will be.
 * It may come from a worker that its input file has compromised: it can decide no more than
 * whether that one file has a table. */
static int take_reply(int socket, uint64_t bytes_max, struct sandbox_bytes *out, struct diag *why)
{
	struct sandbox_reply reply;
	int memfd;
	int err =
		sandbox_protocol_receive(socket, &reply, sizeof(reply), &memfd, 1, MSG_DONTWAIT);

	if (err == -EPIPE || err == -EAGAIN)
		return diag_set(why, -EBADMSG, "its parser ended without a reply");
	if (err)
		return diag_set(why, -EBADMSG, "its parser's reply is malformed");
	if (has_another_reply(socket))
		err = diag_set(why, -EBADMSG, "its parser replied twice");
	else if (reply.err)
		err = refuse(&reply, why);
	else if (memfd < 0)
		err = diag_set(why, -EBADMSG, "its parser replied without a table");
	else
		err = map_reply(memfd, bytes_max, out, why);
	if (memfd >= 0)
		close(memfd);
	return err;
}

/* Forks with all signals blocked until the zygote has set its own dispositions: a ^C in the first
 * millisecond must not kill it. */
static pid_t fork_zygote(const int *sockets, size_t count, sandbox_worker *run)
{
	sigset_t all, before;
	pid_t self = getpid(), zygote;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	zygote = fork();
	if (zygote == 0)
		zygote_run(sockets, count, self, run);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return zygote;
}

/* Creates a sandbox; *@socket is the zygote's end. */
static int create(struct sandbox **out, struct zygote_process *zygote, int *socket)
{
	struct epoll_event wanted = { .events = EPOLLIN };
	struct sandbox *sandbox = malloc(sizeof(*sandbox));
	int sockets[2];

	if (!sandbox)
		return -ENOMEM;
	*sandbox = (struct sandbox){ .zygote = zygote, .socket = -1, .reply = -1 };
	*out = sandbox;
	zygote->sandboxes++;
	sandbox->ready = epoll_create1(EPOLL_CLOEXEC);
	sandbox->patience = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (sandbox->ready < 0 || sandbox->patience < 0 ||
	    epoll_ctl(sandbox->ready, EPOLL_CTL_ADD, sandbox->patience, &wanted) ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets))
		return -errno;
	sandbox->socket = sockets[0];
	*socket = sockets[1];
	return 0;
}

static int start_zygote(struct sandbox **out, size_t count, sandbox_worker *run)
{
	struct zygote_process *zygote = malloc(sizeof(*zygote));
	int sockets[SANDBOX_USERS_MAX], err = 0;
	size_t created = 0;

	if (!zygote)
		return -ENOMEM;
	*zygote = (struct zygote_process){ .pid = -1 };
	while (created < count && !err) {
		err = create(&out[created], zygote, &sockets[created]);
		created += !err;
	}
	if (!err) {
		zygote->pid = fork_zygote(sockets, count, run);
		err = zygote->pid < 0 ? -errno : 0;
	}
	while (created)
		close(sockets[--created]);
	if (!zygote->sandboxes)
		free(zygote);
	return err;
}

int sandbox_start_all(struct sandbox **out, size_t count, sandbox_worker *run, struct diag *why)
{
	int err;

	assert(count <= SANDBOX_USERS_MAX);
	for (size_t i = 0; i < count; i++)
		out[i] = NULL;
	err = start_zygote(out, count, run);
	if (!err)
		return 0;
	for (size_t i = 0; i < count; i++) {
		sandbox_stop(out[i]);
		out[i] = NULL;
	}
	return diag_set(why, err, "cannot start the symbolizer: %s", strerror(-err));
}

int sandbox_start(struct sandbox **out, sandbox_worker *run, struct diag *why)
{
	return sandbox_start_all(out, 1, run, why);
}

/* Kills the zygote; PR_SET_PDEATHSIG kills its workers, too. */
static void end_zygote(struct zygote_process *zygote)
{
	const pid_t pid = atomic_exchange(&zygote->pid, -1);

	if (pid < 0)
		return;
	kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		continue;
}

static void close_if_open(int fd)
{
	if (fd >= 0)
		close(fd);
}

void sandbox_stop(struct sandbox *sandbox)
{
	if (!sandbox)
		return;
	close_if_open(sandbox->socket);
	close_if_open(sandbox->ready);
	close_if_open(sandbox->patience);
	close_if_open(sandbox->reply);
	if (--sandbox->zygote->sandboxes == 0) {
		end_zygote(sandbox->zygote);
		free(sandbox->zygote);
	}
	free(sandbox);
}

bool sandbox_has_landlock(void)
{
	return landlock_version() > 0;
}

pid_t sandbox_pid(const struct sandbox *sandbox)
{
	return sandbox->zygote->pid;
}

void sandbox_set_deadline(struct sandbox *sandbox, uint32_t deadline_ms)
{
	sandbox->deadline_ms = deadline_ms;
	sandbox->has_deadline = true;
}

static uint32_t deadline_of(const struct sandbox *sandbox, enum sandbox_job_kind kind)
{
	return sandbox->has_deadline ? sandbox->deadline_ms : sandbox_limits(kind)->deadline_ms;
}

void sandbox_cancel(struct sandbox *sandbox)
{
	atomic_store(&sandbox->is_cancelled, true);	/* sandbox_take() */
	shutdown(sandbox->socket, SHUT_RDWR);		/* the zygote kills the worker */
}

/* Asks the zygote to kill the worker of a job up to @number. If it has ended already, the verdict
 * is coming. */
static void send_cancel(struct sandbox *sandbox, uint64_t number)
{
	const struct sandbox_job cancel = { .number = number };

	sandbox_protocol_send(sandbox->socket, &cancel, sizeof(cancel), NULL, 0);
}

void sandbox_cancel_job(struct sandbox *sandbox, uint64_t number)
{
	uint64_t before = atomic_load(&sandbox->cancelled_to);

	while (before < number)
		if (atomic_compare_exchange_weak(&sandbox->cancelled_to, &before, number))
			return send_cancel(sandbox, number);
}

static bool is_cancelled(struct sandbox *sandbox, uint64_t number)
{
	return number && number <= atomic_load(&sandbox->cancelled_to);
}

static void lose_zygote(struct sandbox *sandbox)
{
	sandbox->is_gone = true;
	end_zygote(sandbox->zygote);
}

/* Begins to wait for the verdict. */
static bool begin_wait(struct sandbox *sandbox)
{
	const uint64_t patience_ms = (uint64_t)deadline_of(sandbox, sandbox->kind) + GRACE_MS;
	const uint64_t end_ns = clock_now_ns() + patience_ms * CLOCK_NS_PER_MS;
	const struct itimerspec end = { .it_value = {
		.tv_sec = (time_t)(end_ns / CLOCK_NS_PER_S),
		.tv_nsec = (long)(end_ns % CLOCK_NS_PER_S),
	} };
	struct epoll_event wanted = { .events = EPOLLIN };

	sandbox->patience_ns = end_ns;
	return !epoll_ctl(sandbox->ready, EPOLL_CTL_ADD, sandbox->socket, &wanted) &&
	       !timerfd_settime(sandbox->patience, TFD_TIMER_ABSTIME, &end, NULL);
}

/* A socket whose zygote has ended is always readable: it is not watched while there is no job. */
static void end_job(struct sandbox *sandbox)
{
	const struct itimerspec never = { .it_value = { .tv_sec = 0 } };

	timerfd_settime(sandbox->patience, 0, &never, NULL);
	epoll_ctl(sandbox->ready, EPOLL_CTL_DEL, sandbox->socket, NULL);
	close(sandbox->reply);
	sandbox->reply = -1;
}

/* Sends the job. @pair: the socket for its reply, of which the second is the worker's. */
static int send_job(struct sandbox *sandbox, const struct sandbox_request *request,
		    const int pair[2], struct diag *why)
{
	const struct sandbox_job job = {
		.kind = request->kind, .deadline_ms = deadline_of(sandbox, request->kind),
		.input_count = request->input_count, .argument = request->argument,
		.number = request->number,
	};
	int fds[SANDBOX_JOB_FDS], err;

	for (uint32_t i = 0; i < SANDBOX_JOB_FDS; i++)
		fds[i] = i < request->input_count ? request->inputs[i] : pair[1];
	sandbox->kind = request->kind;
	sandbox->reply = pair[0];
	if (!begin_wait(sandbox)) {
		end_job(sandbox);
		return diag_set(why, -ENOMEM, "no memory to wait for the symbolizer");
	}
	err = sandbox_protocol_send(sandbox->socket, &job, sizeof(job), fds, SANDBOX_JOB_FDS);
	if (!err)
		return 0;
	end_job(sandbox);
	if (atomic_load(&sandbox->is_cancelled))
		return is_ended(why);
	if (err != -EPIPE)	/* nothing was sent: the zygote goes on */
		return diag_set(why, -ENOMEM, "no job for the symbolizer: %s", strerror(-err));
	lose_zygote(sandbox);
	return is_gone(why);
}

/* Returns the type that input @i of a job of @kind has. */
static mode_t input_type(enum sandbox_job_kind kind, uint32_t i)
{
	if (kind == SANDBOX_RECORDS && i == 1)
		return S_IFSOCK;
	return kind == SANDBOX_SOURCE && i == 1 ? S_IFDIR : S_IFREG;
}

static int check_inputs(const struct sandbox_request *request, struct diag *why)
{
	struct stat status;

	assert(request->input_count <= SANDBOX_INPUTS_MAX);
	for (uint32_t i = 0; i < request->input_count; i++)
		if (fstat(request->inputs[i], &status) ||
		    (status.st_mode & S_IFMT) != input_type(request->kind, i))
			return diag_set(why, -EINVAL, "not a regular file");
	return 0;
}

int sandbox_submit(struct sandbox *sandbox, const struct sandbox_request *request,
		   struct diag *why)
{
	int pair[2], err = check_inputs(request, why);

	assert(sandbox->reply < 0);
	if (err)
		return err;
	if (atomic_load(&sandbox->is_cancelled))
		return is_ended(why);
	if (sandbox->is_gone)
		return is_gone(why);
	if (is_cancelled(sandbox, request->number))
		return was_cancelled(why);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair)) {
		err = -errno;
		return diag_set(why, err, "no socket for the symbolizer: %s", strerror(-err));
	}
	err = send_job(sandbox, request, pair, why);
	close(pair[1]);
	if (!err && is_cancelled(sandbox, request->number))
		send_cancel(sandbox, request->number);
	return err;
}

int sandbox_fd(const struct sandbox *sandbox)
{
	return sandbox->ready;
}

/* Evaluates the verdict, or why there is none. After any failure the next verdict would belong to
 * the wrong job, so the zygote is killed. */
static int judge(struct sandbox *sandbox, int err, const struct sandbox_verdict *verdict,
		 struct diag *why)
{
	if (atomic_load(&sandbox->is_cancelled))
		return is_ended(why);
	if (!err)
		return judge_verdict(verdict, deadline_of(sandbox, sandbox->kind),
				     sandbox_limits(sandbox->kind)->cpu_s, why);
	lose_zygote(sandbox);
	if (err != -EAGAIN)
		return is_gone(why);
	return diag_set(why, -ETIMEDOUT,
			"the symbolizer hangs and was ended: restart flametop");
}

bool sandbox_take(struct sandbox *sandbox, struct sandbox_bytes *out, int *err, struct diag *why)
{
	struct sandbox_verdict verdict;

	*out = (struct sandbox_bytes){ .bytes = NULL };
	if (sandbox->reply < 0)
		return false;
	*err = sandbox_protocol_receive(sandbox->socket, &verdict, sizeof(verdict), NULL, 0,
					MSG_DONTWAIT);
	if (*err == -EAGAIN && clock_now_ns() < sandbox->patience_ns)
		return false;
	*err = judge(sandbox, *err, &verdict, why);
	if (!*err)
		*err = take_reply(sandbox->reply, sandbox_limits(sandbox->kind)->reply_bytes, out,
				  why);
	end_job(sandbox);
	return true;
}

int sandbox_run(struct sandbox *sandbox, const struct sandbox_request *request,
		struct sandbox_bytes *out, struct diag *why)
{
	struct pollfd ready = { .fd = sandbox->ready, .events = POLLIN };
	int err = sandbox_submit(sandbox, request, why);

	*out = (struct sandbox_bytes){ .bytes = NULL };
	if (err)
		return err;
	while (!sandbox_take(sandbox, out, &err, why))
		poll(&ready, 1, -1);
	return err;
}

void sandbox_bytes_finish(struct sandbox_bytes *bytes)
{
	if (bytes->bytes)
		munmap((void *)bytes->bytes, bytes->count);
	*bytes = (struct sandbox_bytes){ .bytes = NULL };
}

int sandbox_compile(struct sandbox *sandbox, int fd, int debug_fd, struct sandbox_table *out,
		    struct diag *why)
{
	const struct sandbox_request request = {
		.kind = SANDBOX_SYMBOLS, .inputs = { fd, debug_fd },
		.input_count = debug_fd >= 0 ? 2 : 1,
	};
	int err;

	*out = (struct sandbox_table){ .bytes = { NULL, 0 } };
	err = sandbox_run(sandbox, &request, &out->bytes, why);
	if (!err)
		err = flat_table_check(&out->table, out->bytes.bytes, out->bytes.count, why);
	if (err) {
		diag_prefix(why, "unreadable");
		sandbox_table_finish(out);
	}
	return err;
}

void sandbox_table_finish(struct sandbox_table *table)
{
	sandbox_bytes_finish(&table->bytes);
	*table = (struct sandbox_table){ .bytes = { NULL, 0 } };
}
