/* sandbox.c - see sandbox/sandbox.h; the messages are drawn in sandbox/sandbox_protocol.h.
 *
 * Problem: flametop runs as root and reads untrusted binaries; parsers have bugs.
 *
 * Idea: main opens the file, another process parses it, main checks the reply: its form, that it is
 * sealed, its size (sandbox_answer.c), and every number in it (flat_table_check()).
 *
 * Invariant: a job ends within its deadline and GRACE_MS, whatever worker and zygote do. A zygote
 * that breaks the protocol is killed and stays dead: every later job fails at once with a reason.
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
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/whole_io.h"
#include "sandbox/sandbox_limits.h"
#include "sandbox/sandbox_protocol.h"
#include "sandbox_answer.h"
#include "zygote.h"

#define GRACE_MS 3000	/* for the zygote to kill and to report, on an overloaded machine */

struct sandbox {
	pid_t zygote;		/* -1: none, or ended and reaped */
	int socket;		/* -1: none */
	int cancel;		/* eventfd, stays readable after sandbox_cancel() was called */
	int cancel_job;		/* eventfd, readable when cancelled_to has changed */
	/* sandbox_cancel_job() raises it, before it writes to cancel_job; sandbox_run() loads it,
	 * after it has read from there. */
	_Atomic uint64_t cancelled_to;
	uint32_t deadline_ms;
	bool has_deadline;	/* deadline_ms replaces the kind's own */
};

static int is_gone(struct diag *why)
{
	return diag_set(why, -EPIPE, "the symbol compiler has ended: restart flametop");
}

/* Forks with all signals blocked until the zygote has set its own dispositions: a ^C in the first
 * millisecond must not kill it. */
static pid_t fork_zygote(int socket)
{
	sigset_t all, before;
	pid_t self = getpid(), zygote;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	zygote = fork();
	if (zygote == 0)
		zygote_run(socket, self);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return zygote;
}

int sandbox_start(struct sandbox **out, struct diag *why)
{
	struct sandbox *sandbox = malloc(sizeof(*sandbox));
	int sockets[2] = { -1, -1 };
	int err;

	*out = NULL;
	if (!sandbox)
		return diag_set(why, -ENOMEM, "no memory for the symbol compiler");
	*sandbox = (struct sandbox){ .zygote = -1, .socket = -1 };
	sandbox->cancel = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	sandbox->cancel_job = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (sandbox->cancel < 0 || sandbox->cancel_job < 0 ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets))
		goto fail;
	sandbox->socket = sockets[0];
	sandbox->zygote = fork_zygote(sockets[1]);
	if (sandbox->zygote < 0)
		goto fail;
	close(sockets[1]);
	*out = sandbox;
	return 0;

fail:
	err = -errno;
	diag_set(why, err, "cannot start the symbol compiler: %s", strerror(-err));
	if (sockets[1] >= 0)
		close(sockets[1]);
	sandbox_stop(sandbox);
	return err;
}

/* Kills the zygote; PR_SET_PDEATHSIG kills its worker, too. */
static void end_zygote(struct sandbox *sandbox)
{
	if (sandbox->socket >= 0)
		close(sandbox->socket);
	sandbox->socket = -1;
	if (sandbox->zygote > 0) {
		kill(sandbox->zygote, SIGKILL);
		while (waitpid(sandbox->zygote, NULL, 0) < 0 && errno == EINTR)
			continue;
	}
	sandbox->zygote = -1;
}

void sandbox_stop(struct sandbox *sandbox)
{
	if (!sandbox)
		return;
	end_zygote(sandbox);
	if (sandbox->cancel >= 0)
		close(sandbox->cancel);
	if (sandbox->cancel_job >= 0)
		close(sandbox->cancel_job);
	free(sandbox);
}

pid_t sandbox_pid(const struct sandbox *sandbox)
{
	return sandbox->zygote;
}

void sandbox_set_deadline(struct sandbox *sandbox, uint32_t deadline_ms)
{
	sandbox->deadline_ms = deadline_ms;
	sandbox->has_deadline = true;
}

static uint32_t deadline_of(const struct sandbox *sandbox, const struct sandbox_request *request)
{
	return sandbox->has_deadline ? sandbox->deadline_ms :
				       sandbox_limits(request->kind)->deadline_ms;
}

void sandbox_cancel(struct sandbox *sandbox)
{
	whole_eventfd_write(sandbox->cancel, 1);
}

void sandbox_cancel_job(struct sandbox *sandbox, uint64_t number)
{
	uint64_t before = atomic_load(&sandbox->cancelled_to);

	while (before < number &&
	       !atomic_compare_exchange_weak(&sandbox->cancelled_to, &before, number))
		continue;
	whole_eventfd_write(sandbox->cancel_job, 1);
}

static bool is_cancelled(struct sandbox *sandbox, uint64_t number)
{
	eventfd_t ignored;

	eventfd_read(sandbox->cancel_job, &ignored);
	return number && number <= atomic_load(&sandbox->cancelled_to);
}

/* Asks the zygote to kill its worker. If the worker has ended already, the verdict is coming. */
static void end_worker(struct sandbox *sandbox)
{
	const struct sandbox_job cancel = { .kind = 0 };

	sandbox_protocol_send(sandbox->socket, &cancel, sizeof(cancel), NULL, 0);
}

/* Waits for the zygote's verdict on the worker. After any failure the next verdict would belong to
 * the wrong job, so the zygote is killed. */
static int wait_verdict(struct sandbox *sandbox, const struct sandbox_request *request,
			struct sandbox_verdict *verdict, struct diag *why)
{
	struct pollfd waits[] = { { .fd = sandbox->socket, .events = POLLIN },
				  { .fd = sandbox->cancel, .events = POLLIN },
				  { .fd = sandbox->cancel_job, .events = POLLIN } };
	const uint64_t patience_ms = (uint64_t)deadline_of(sandbox, request) + GRACE_MS;
	uint64_t end = clock_now_ns() + patience_ms * CLOCK_NS_PER_MS;
	int err = -ETIMEDOUT;

	for (uint64_t now = clock_now_ns(); now < end; now = clock_now_ns()) {
		if (poll(waits, 3, (int)((end - now) / CLOCK_NS_PER_MS + 1)) <= 0)
			continue;
		if (waits[1].revents) {
			err = diag_set(why, -ECANCELED, "ended before it was read");
			break;
		}
		if (waits[2].revents && is_cancelled(sandbox, request->number))
			end_worker(sandbox);
		if (!waits[0].revents)
			continue;
		err = sandbox_protocol_receive(sandbox->socket, verdict, sizeof(*verdict), NULL, 0,
					       0);
		if (!err)
			return 0;
		is_gone(why);
		break;
	}
	if (err == -ETIMEDOUT)
		diag_set(why, err, "the symbol compiler hangs and was ended: restart flametop");
	end_zygote(sandbox);
	return err;
}

/* Sends the job; *@reply is the caller's. */
static int send_job(struct sandbox *sandbox, const struct sandbox_request *request, int *reply,
		    struct diag *why)
{
	const struct sandbox_job job = {
		.kind = request->kind, .deadline_ms = deadline_of(sandbox, request),
		.input_count = request->input_count, .argument = request->argument,
	};
	int pair[2], fds[SANDBOX_JOB_FDS], err;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair)) {
		err = -errno;
		return diag_set(why, err, "no socket for the symbol compiler: %s", strerror(-err));
	}
	for (uint32_t i = 0; i < SANDBOX_JOB_FDS; i++)
		fds[i] = i < request->input_count ? request->inputs[i] : pair[1];
	err = sandbox_protocol_send(sandbox->socket, &job, sizeof(job), fds, SANDBOX_JOB_FDS);
	close(pair[1]);
	if (!err) {
		*reply = pair[0];
		return 0;
	}
	close(pair[0]);
	end_zygote(sandbox);
	return is_gone(why);
}

static int check_inputs(const struct sandbox_request *request, struct diag *why)
{
	struct stat status;

	assert(request->input_count <= SANDBOX_INPUTS_MAX);
	for (uint32_t i = 0; i < request->input_count; i++)
		if (fstat(request->inputs[i], &status) ||
		    !(S_ISREG(status.st_mode) ||
		      (request->kind == SANDBOX_RECORDS && i == 1 && S_ISSOCK(status.st_mode))))
			return diag_set(why, -EINVAL, "not a regular file");
	return 0;
}

int sandbox_run(struct sandbox *sandbox, const struct sandbox_request *request,
		struct sandbox_bytes *out, struct diag *why)
{
	const struct sandbox_limits *limits = sandbox_limits(request->kind);
	struct sandbox_verdict verdict;
	int reply = -1, err = check_inputs(request, why);

	*out = (struct sandbox_bytes){ .bytes = NULL };
	if (err)
		return err;
	if (sandbox->socket < 0)
		return is_gone(why);
	if (is_cancelled(sandbox, request->number))
		return sandbox_answer_cancelled(why);
	err = send_job(sandbox, request, &reply, why);
	if (err)
		return err;
	err = wait_verdict(sandbox, request, &verdict, why);
	if (!err)
		err = sandbox_answer_judge(&verdict, deadline_of(sandbox, request), limits->cpu_s,
					   why);
	if (!err)
		err = sandbox_answer_take(reply, limits->answer_bytes, out, why);
	close(reply);
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
