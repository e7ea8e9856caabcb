/* fetcher.c - see sandbox/fetcher.h.
 *
 * Problem: a resolver, TLS and HTTP are half a million lines that read what strangers send, and a
 *          profiler is root.
 * Idea:    they live in a process without rights, forked before there is anything to steal. Each
 *          transfer has a process of its own: one that hangs or is taken over ends with its reply
 *          socket.
 */
#include "sandbox/fetcher.h"

#include <curl/curl.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/whole_io.h"
#include "confine.h"
#include "sandbox/sandbox_protocol.h"

/* The transfer. libcurl is loaded when the first one needs it, so that flametop neither depends on
 * it nor carries it where the network is not asked for.
 *
 * Source: libcurl-easy(3); the ABI of libcurl.so.4 has been stable since 2006.
 */

#define CONNECT_S	10
#define SILENT_S	30	/* without a byte the transfer is given up */
#define REDIRECTS_MAX	5
#define PROGRESS_NS	(200 * CLOCK_NS_PER_MS)

struct curl {
	__typeof__(curl_easy_init) *init;
	__typeof__(curl_easy_setopt) *set;
	__typeof__(curl_easy_perform) *perform;
	__typeof__(curl_easy_getinfo) *get;
	__typeof__(curl_easy_strerror) *describe;
};

struct transfer {
	const struct fetch_request *request;
	int reply, memfd;
	uint64_t bytes;
	uint64_t sent_ns;	/* when progress was sent last */
	bool is_too_large, is_unwanted;
};

static _Noreturn void end(const struct transfer *transfer, int err, const char *reason)
{
	struct fetch_message message = { .err = err, .is_end = 1, .bytes = transfer->bytes };

	snprintf(message.reason, sizeof(message.reason), "%s", reason);
	sandbox_protocol_send(transfer->reply, &message, sizeof(message), &transfer->memfd, !err);
	_exit(0);
}

/* The library's own definitions of the function pointers; ISO C has no cast from void *. */
static bool find(void *library, const char *name, void *function)
{
	void *found = dlsym(library, name);

	memcpy(function, &found, sizeof(found));
	return found;
}

static bool load(struct curl *out)
{
	void *library = dlopen("libcurl.so.4", RTLD_NOW);

	if (!library)
		library = dlopen("libcurl-gnutls.so.4", RTLD_NOW);
	return library && find(library, "curl_easy_init", &out->init) &&
	       find(library, "curl_easy_setopt", &out->set) &&
	       find(library, "curl_easy_perform", &out->perform) &&
	       find(library, "curl_easy_getinfo", &out->get) &&
	       find(library, "curl_easy_strerror", &out->describe);
}

static size_t take_bytes(char *bytes, size_t size, size_t count, void *owner)
{
	struct transfer *transfer = owner;

	if (size * count > transfer->request->bytes_max - transfer->bytes) {
		transfer->is_too_large = true;
		return 0;
	}
	if (whole_write(transfer->memfd, bytes, size * count) != (ssize_t)(size * count))
		return 0;
	transfer->bytes += size * count;
	return size * count;
}

/* Returns 1 to end the transfer: nobody waits for it. */
static int send_progress(void *owner, curl_off_t total, curl_off_t done, curl_off_t up_total,
			 curl_off_t up)
{
	struct transfer *transfer = owner;
	const uint64_t now_ns = clock_now_ns();
	struct fetch_message message = { .bytes = (uint64_t)done, .of = (uint64_t)total };

	(void)up_total;
	(void)up;
	if (now_ns - transfer->sent_ns < PROGRESS_NS)
		return 0;
	transfer->sent_ns = now_ns;
	transfer->is_unwanted = sandbox_protocol_send(transfer->reply, &message, sizeof(message),
						      NULL, 0) != 0;
	return transfer->is_unwanted;
}

static bool prepare(const struct curl *curl, CURL *easy, struct transfer *transfer)
{
	return !(curl->set(easy, CURLOPT_URL, transfer->request->url) ||
		 curl->set(easy, CURLOPT_PROTOCOLS_STR, "http,https") ||
		 curl->set(easy, CURLOPT_REDIR_PROTOCOLS_STR, "http,https") ||
		 curl->set(easy, CURLOPT_FOLLOWLOCATION, 1L) ||
		 curl->set(easy, CURLOPT_MAXREDIRS, (long)REDIRECTS_MAX) ||
		 curl->set(easy, CURLOPT_NOSIGNAL, 1L) ||
		 curl->set(easy, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_S) ||
		 curl->set(easy, CURLOPT_LOW_SPEED_LIMIT, 1L) ||
		 curl->set(easy, CURLOPT_LOW_SPEED_TIME, (long)SILENT_S) ||
		 curl->set(easy, CURLOPT_FAILONERROR, 1L) ||
		 curl->set(easy, CURLOPT_USERAGENT, "flametop") ||
		 curl->set(easy, CURLOPT_MAXFILESIZE_LARGE,
			   (curl_off_t)transfer->request->bytes_max) ||
		 curl->set(easy, CURLOPT_WRITEFUNCTION, take_bytes) ||
		 curl->set(easy, CURLOPT_WRITEDATA, transfer) ||
		 curl->set(easy, CURLOPT_NOPROGRESS, 0L) ||
		 curl->set(easy, CURLOPT_XFERINFOFUNCTION, send_progress) ||
		 curl->set(easy, CURLOPT_XFERINFODATA, transfer));
}

static _Noreturn void judge(const struct curl *curl, CURL *easy, const struct transfer *transfer,
			    CURLcode code)
{
	char reason[200];
	long status = 0;

	if (transfer->is_unwanted)
		_exit(0);
	if (transfer->is_too_large || code == CURLE_FILESIZE_EXCEEDED) {
		snprintf(reason, sizeof(reason), "larger than %llu MiB",
			 (unsigned long long)transfer->request->bytes_max >> 20);
		end(transfer, -EFBIG, reason);
	}
	curl->get(easy, CURLINFO_RESPONSE_CODE, &status);
	if (code == CURLE_HTTP_RETURNED_ERROR && (status == 404 || status == 410))
		end(transfer, -ENOENT, "the server does not have it");
	if (code == CURLE_HTTP_RETURNED_ERROR) {
		snprintf(reason, sizeof(reason), "the server replies with HTTP status %ld", status);
		end(transfer, -EIO, reason);
	}
	if (code == CURLE_OPERATION_TIMEDOUT)
		end(transfer, -ETIMEDOUT, "the server does not reply");
	if (code == CURLE_PARTIAL_FILE)
		end(transfer, -EIO, "the transfer broke off");
	if (code != CURLE_OK)
		end(transfer, -EIO, curl->describe(code));
	if (fcntl(transfer->memfd, F_ADD_SEALS,
		  F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
		end(transfer, -errno, "no memory for the file");
	end(transfer, 0, "");
}

/* Sends progress and the result through @reply, and exits. */
static _Noreturn void run_transfer(const struct fetch_request *request, int reply)
{
	struct transfer transfer = { .request = request, .reply = reply };
	struct curl curl;
	CURL *easy;

	transfer.memfd = memfd_create("flametop-fetched", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (transfer.memfd < 0)
		end(&transfer, -errno, "no memory for the file");
	if (!load(&curl))
		end(&transfer, -ENOENT, "libcurl is not installed");
	easy = curl.init();
	if (!easy || !prepare(&curl, easy, &transfer))
		end(&transfer, -ENOMEM, "libcurl cannot be used");
	judge(&curl, easy, &transfer, curl.perform(easy));
}

/* The process that forks one for each. */

#define REQUEST_FD 3

static void serve(pid_t self)
{
	struct fetch_request request;
	int reply;
	int err = sandbox_protocol_receive(REQUEST_FD, &request, sizeof(request), &reply, 1, 0);

	if (err == -EPIPE)
		_exit(0);
	if (err || reply < 0)
		return;
	if (fork() == 0) {
		prctl(PR_SET_NAME, "flametop-fetch");
		if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != self)
			_exit(1);
		close(REQUEST_FD);
		request.url[sizeof(request.url) - 1] = '\0';
		run_transfer(&request, reply);
	}
	close(reply);
}

static _Noreturn void run(int socket, pid_t main_pid)
{
	struct diag why;

	for (int i = 1; i < NSIG; i++)
		signal(i, SIG_DFL);
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	signal(SIGTSTP, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGWINCH, SIG_IGN);
	signal(SIGCHLD, SIG_IGN);	/* transfers are reaped by the kernel */
	setsid();
	prctl(PR_SET_NAME, "flametop-net");
	if (!confine_keep_descriptor(socket, REQUEST_FD) || confine_fetcher(&why) ||
	    prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != main_pid)
		_exit(1);
	for (;;)
		serve(getpid());
}

int fetcher_start(struct fetcher *out, struct diag *why)
{
	const pid_t self = getpid();
	sigset_t all, before;
	int sockets[2], err;

	*out = (struct fetcher){ .socket = -1, .pid = -1 };
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets))
		return diag_set(why, -errno, "no socket for the network process");
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	out->pid = fork();
	err = -errno;
	if (out->pid == 0) {
		sigprocmask(SIG_SETMASK, &before, NULL);
		run(sockets[1], self);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	close(sockets[1]);
	if (out->pid > 0) {
		out->socket = sockets[0];
		return 0;
	}
	close(sockets[0]);
	return diag_set(why, err, "cannot start the network process: %s", strerror(-err));
}

void fetcher_stop(struct fetcher *fetcher)
{
	if (fetcher->socket < 0)
		return;
	close(fetcher->socket);
	kill(fetcher->pid, SIGKILL);	/* where that is not permitted: it sees EOF */
	while (waitpid(fetcher->pid, NULL, 0) < 0 && errno == EINTR)
		continue;
	*fetcher = (struct fetcher){ .socket = -1, .pid = -1 };
}

int fetcher_begin(const struct fetcher *fetcher, const struct fetch_request *request,
		  struct diag *why)
{
	int pair[2], err;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair)) {
		err = -errno;
		return diag_set(why, err, "no socket for a transfer: %s", strerror(-err));
	}
	err = sandbox_protocol_send(fetcher->socket, request, sizeof(*request), &pair[1], 1);
	close(pair[1]);
	if (!err)
		return pair[0];
	close(pair[0]);
	return diag_set(why, err, "the network process has ended: restart flametop");
}

int fetcher_receive(int socket, struct fetch_message *out, int *memfd)
{
	int err = sandbox_protocol_receive(socket, out, sizeof(*out), memfd, 1, 0);

	if (err)
		return err;
	out->reason[sizeof(out->reason) - 1] = '\0';
	if ((*memfd >= 0) == (out->is_end && !out->err))
		return 0;
	if (*memfd >= 0)
		close(*memfd);
	*memfd = -1;
	return -EBADMSG;
}
