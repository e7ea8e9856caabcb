/* sandbox.c - see symbols/sandbox.h; the messages are drawn in symbols/sandbox_protocol.h.
 *
 * Problem: flametop runs as root and reads the binaries of strangers; parsers have bugs.
 *
 * Idea: main opens, another process parses, main checks what comes back: that nobody can change the
 * memory any more (seals), its size, and every number in it (flat_table_check()).
 *
 * Invariant: a job ends within its deadline and GRACE_MS, whatever worker and zygote do. A zygote
 * that breaks the rules is killed and stays dead: every later job fails at once with a sentence.
 *
 * Rejected: a worker that lives for many objects (one file could forge another one's table);
 * execve() of a program of its own (an installed path that could be replaced; start-up time).
 */
#include "symbols/sandbox.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/sanitize.h"
#include "symbols/sandbox_protocol.h"
#include "symbols/zygote.h"

#define GRACE_MS 3000	/* for the zygote to kill and to tell, on a machine that is overloaded */

struct sandbox {
	pid_t zygote;		/* -1: none, or ended and reaped */
	int socket;		/* -1: none */
	int cancel;		/* eventfd, readable for good once sandbox_cancel() was called */
	uint32_t deadline_ms;
};

static int is_gone(struct diag *why)
{
	return diag_set(why, -EPIPE, "the symbol compiler has ended: restart flametop");
}

/* With all signals blocked, until the zygote has set its own dispositions: a ^C of the first
 * millisecond must not end it. */
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
	*sandbox = (struct sandbox){ -1, -1, -1, SANDBOX_DEADLINE_MS };
	sandbox->cancel = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (sandbox->cancel < 0 || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets))
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

/* PR_SET_PDEATHSIG takes the zygote's worker along. */
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
	free(sandbox);
}

pid_t sandbox_pid(const struct sandbox *sandbox)
{
	return sandbox->zygote;
}

void sandbox_set_deadline(struct sandbox *sandbox, uint32_t deadline_ms)
{
	sandbox->deadline_ms = deadline_ms;
}

void sandbox_cancel(struct sandbox *sandbox)
{
	eventfd_write(sandbox->cancel, 1);
}

/* Waits for the zygote's word on the worker. After any failure the zygote's next word would be the
 * wrong one, so it is ended. */
static int wait_verdict(struct sandbox *sandbox, struct sandbox_verdict *verdict, struct diag *why)
{
	struct pollfd waits[] = { { .fd = sandbox->socket, .events = POLLIN },
				  { .fd = sandbox->cancel, .events = POLLIN } };
	uint64_t end = clock_now_ns() + (sandbox->deadline_ms + GRACE_MS) * CLOCK_NS_PER_MS;
	int err = -ETIMEDOUT;

	for (uint64_t now = clock_now_ns(); now < end; now = clock_now_ns()) {
		if (poll(waits, 2, (int)((end - now) / CLOCK_NS_PER_MS + 1)) <= 0)
			continue;
		if (waits[1].revents) {
			err = diag_set(why, -ECANCELED, "ended before it was read");
			break;
		}
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

static int judge(const struct sandbox_verdict *verdict, uint32_t deadline_ms, struct diag *why)
{
	if (verdict->status < 0)
		return diag_set(why, verdict->status, "no process for the symbol compiler: %s",
				strerror(-verdict->status));
	if (verdict->is_late)
		return diag_set(why, -ETIMEDOUT, "unreadable: not done after %u ms", deadline_ms);
	if (WIFSIGNALED(verdict->status))
		return diag_set(why, -EPIPE, "unreadable: its compiler died of signal %d (%s)",
				WTERMSIG(verdict->status),
				strsignal(WTERMSIG(verdict->status)));
	if (WEXITSTATUS(verdict->status) != 0)
		return diag_set(why, -EPIPE, "unreadable: its compiler failed with status %d",
				WEXITSTATUS(verdict->status));
	return 0;
}

/* What a worker says about its failure is the text of a stranger. */
static int refuse(struct sandbox_answer *answer, struct diag *why)
{
	char clean[sizeof(why->text)];
	size_t len = strnlen(answer->reason, sizeof(answer->reason));

	sanitize_text(clean, sizeof(clean), answer->reason, len);
	if (answer->err > 0 || answer->err < -4095)	/* the range of errno: MAX_ERRNO */
		answer->err = -EBADMSG;
	return diag_set(why, answer->err, "%s", clean);
}

static int map_answer(int memfd, struct sandbox_bytes *out, struct diag *why)
{
	const int wanted = F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
	struct stat status;
	void *mapping;
	int seals = fcntl(memfd, F_GET_SEALS);

	if (seals < 0 || (seals & wanted) != wanted || fstat(memfd, &status) ||
	    !S_ISREG(status.st_mode))
		return diag_set(why, -EBADMSG, "symbol table that can still be changed");
	if (status.st_size > FLAT_BYTES_MAX)
		return diag_set(why, -E2BIG, "symbol table larger than %u MiB",
				FLAT_BYTES_MAX >> 20);
	if (status.st_size == 0)
		return diag_set(why, -EBADMSG, "empty symbol table");
	mapping = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_SHARED, memfd, 0);
	if (mapping == MAP_FAILED)
		return diag_set(why, -errno, "no memory for a symbol table");
	*out = (struct sandbox_bytes){ mapping, (size_t)status.st_size };
	return 0;
}

/* The worker is gone: its answer is there, or never will be. */
static int take_answer(int reply, struct sandbox_bytes *out, struct diag *why)
{
	struct sandbox_answer answer;
	int memfd;
	int err = sandbox_protocol_receive(reply, &answer, sizeof(answer), &memfd, 1, MSG_DONTWAIT);

	if (err)
		return diag_set(why, -EBADMSG, "the symbol compiler ended without an answer");
	if (answer.err)
		err = refuse(&answer, why);
	else if (memfd < 0)
		err = diag_set(why, -EBADMSG, "the symbol compiler answered without a table");
	else
		err = map_answer(memfd, out, why);
	if (memfd >= 0)
		close(memfd);
	return err;
}

/* Sends the job; *@reply is the caller's. */
static int send_job(struct sandbox *sandbox, const struct sandbox_request *request, int *reply,
		    struct diag *why)
{
	const struct sandbox_job job = {
		.kind = request->kind, .deadline_ms = sandbox->deadline_ms,
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
		if (fstat(request->inputs[i], &status) || !S_ISREG(status.st_mode))
			return diag_set(why, -EINVAL, "not a regular file");
	return 0;
}

int sandbox_run(struct sandbox *sandbox, const struct sandbox_request *request,
		struct sandbox_bytes *out, struct diag *why)
{
	struct sandbox_verdict verdict;
	int reply = -1, err = check_inputs(request, why);

	*out = (struct sandbox_bytes){ .bytes = NULL };
	if (err)
		return err;
	if (sandbox->socket < 0)
		return is_gone(why);
	err = send_job(sandbox, request, &reply, why);
	if (err)
		return err;
	err = wait_verdict(sandbox, &verdict, why);
	if (!err)
		err = judge(&verdict, sandbox->deadline_ms, why);
	if (!err)
		err = take_answer(reply, out, why);
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
	if (err)
		sandbox_table_finish(out);
	return err;
}

void sandbox_table_finish(struct sandbox_table *table)
{
	sandbox_bytes_finish(&table->bytes);
	*table = (struct sandbox_table){ .bytes = { NULL, 0 } };
}
