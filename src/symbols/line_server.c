/* line_server.c - see symbols/line_server.h.
 *
 * Problem: a file may lie on a file system that hangs, and its debug information may take seconds
 * to read; the analyzer may wait for neither.
 *
 * Idea: as in object_opener.c, a thread of its own; with one request at a time both queues always
 * have room. A file that dwz made is asked for by the worker: the first job then ends before
 * anything is read, and a second one gets the file too.
 */
#include "symbols/line_server.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/spsc.h"
#include "base/thread.h"
#include "symbols/line_files.h"
#include "symbols/line_job.h"

#define QUEUE_BYTES  (1u << 15)	/* more than one request, or reply, however it wraps */
#define STOP_WAIT_MS 2000	/* a thread that a dead file system holds is left behind */

_Static_assert(2 * (sizeof(struct line_request) + 16) < QUEUE_BYTES &&
	       2 * (sizeof(struct line_reply) + 16) < QUEUE_BYTES, "there is always room");

struct line_server {
	struct spsc requests, replies;
	int request_fd, reply_fd;	/* eventfds: something is in the queue */
	int end_fd;			/* eventfd: the thread is done with all this */
	bool is_busy;			/* the analyzer's: a request without its reply yet, */
	uint64_t number;		/* and how many there were */
	atomic_bool is_stopping;	/* the stop flag: destroy stores, the thread loads */
	pthread_t thread;
	bool has_thread, has_requests, has_replies;

	struct sandbox *sandbox;	/* borrowed; the thread's but for cancelling */
};

static int make_offsets(const struct line_request *request, struct diag *why)
{
	const size_t bytes = request->count * sizeof(*request->offsets);
	int fd = memfd_create("flametop-offsets", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd >= 0 && write(fd, request->offsets, bytes) == (ssize_t)bytes &&
	    !fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
		return fd;
	if (fd >= 0)
		close(fd);
	return diag_set(why, -ENOMEM, "no memory to ask for source lines");
}

static int run_job(struct line_server *server, const struct line_request *request,
		   const struct dwarf_lines_inputs *inputs, struct line_reply *reply)
{
	struct sandbox_request job = line_job_request(inputs, request->memory_bytes);
	int err;

	job.number = request->number;	/* of both jobs, where there are two */
	err = sandbox_run(server->sandbox, &job, &reply->bytes, &reply->why);
	if (err)
		return err;
	return line_chains_check(&reply->chains, reply->bytes.bytes, reply->bytes.count,
				 request->count, &reply->why);
}

static int find_lines(struct line_server *server, const struct line_request *request,
		      struct line_files *files, int offsets, struct line_reply *reply)
{
	struct dwarf_lines_inputs inputs = { files->object, offsets, files->debug,
					     DWARF_LINES_NOT_ASKED };
	const struct line_header *header;
	int err = run_job(server, request, &inputs, reply);

	if (err)
		return err;
	header = reply->chains.header;
	if (!files->is_certain && !build_id_is_equal(&header->build_id, &request->object.build_id))
		return diag_set(&reply->why, -ESTALE, "replaced: its path now holds another file");
	if (!header->alternate.count)
		return 0;
	line_files_open_alternate(files, &header->alternate, header->alternate_name);
	inputs.alternate = files->alternate;
	sandbox_bytes_finish(&reply->bytes);
	return run_job(server, request, &inputs, reply);
}

static void answer(struct line_server *server, const struct line_request *request)
{
	struct line_reply *reply = spsc_reserve(&server->replies, sizeof(*reply));
	struct line_files files;
	int offsets;

	memset(reply, 0, sizeof(*reply));	/* never NULL: one at a time */
	reply->object = request->object.object;
	reply->count = request->count;
	memcpy(reply->offsets, request->offsets, request->count * sizeof(*request->offsets));
	offsets = make_offsets(request, &reply->why);
	if (offsets >= 0 && line_files_open(&files, &request->object, request->debug_link,
					    server->sandbox, &reply->why) == 0) {
		if (find_lines(server, request, &files, offsets, reply))
			sandbox_bytes_finish(&reply->bytes);
		line_files_close(&files);
	}
	if (offsets >= 0)
		close(offsets);
	spsc_commit(&server->replies);
	eventfd_write(server->reply_fd, 1);
}

static void *server_run(void *argument)
{
	struct line_server *server = argument;

	while (!atomic_load(&server->is_stopping)) {
		const struct line_request *request;
		size_t bytes;

		request = spsc_peek(&server->requests, &bytes);
		if (request) {
			answer(server, request);
			spsc_release(&server->requests);
		} else {
			eventfd_t ignored;

			eventfd_read(server->request_fd, &ignored);	/* waits */
		}
	}
	eventfd_write(server->end_fd, 1);
	return NULL;
}

int line_server_create(struct line_server **out, struct sandbox *sandbox, struct diag *why)
{
	struct line_server *server;
	int err;

	*out = NULL;
	server = aligned_alloc(_Alignof(struct line_server), sizeof(*server));
	if (!server)
		return diag_set(why, -ENOMEM, "no memory for source lines");
	memset(server, 0, sizeof(*server));
	server->sandbox = sandbox;
	server->request_fd = eventfd(0, EFD_CLOEXEC);
	server->end_fd = eventfd(0, EFD_CLOEXEC);
	server->reply_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	server->has_requests = spsc_init(&server->requests, QUEUE_BYTES) == 0;
	server->has_replies = spsc_init(&server->replies, QUEUE_BYTES) == 0;
	if (server->request_fd < 0 || server->end_fd < 0 || server->reply_fd < 0)
		err = -EMFILE;
	else if (!server->has_requests || !server->has_replies)
		err = -ENOMEM;
	else
		err = thread_start(&server->thread, "flametop-lines", server_run, server);
	server->has_thread = !err;
	if (err) {
		line_server_destroy(server);
		return diag_set(why, err, "cannot start the thread for source lines: %s",
				strerror(-err));
	}
	*out = server;
	return 0;
}

/* True when the thread has ended. */
static bool stop_thread(struct line_server *server)
{
	struct pollfd end = { .fd = server->end_fd, .events = POLLIN };
	int ready;

	atomic_store(&server->is_stopping, true);
	sandbox_cancel(server->sandbox);
	eventfd_write(server->request_fd, 1);
	do
		ready = poll(&end, 1, STOP_WAIT_MS);
	while (ready < 0 && errno == EINTR);
	return ready == 1 && pthread_join(server->thread, NULL) == 0;
}

bool line_server_destroy(struct line_server *server)
{
	struct line_reply reply;

	if (!server)
		return true;
	if (server->has_thread && !stop_thread(server))
		return false;	/* it will see the stop flag should it wake up */
	if (server->has_thread && line_server_reply(server, &reply))
		line_reply_finish(&reply);
	if (server->has_requests)
		spsc_finish(&server->requests);
	if (server->has_replies)
		spsc_finish(&server->replies);
	if (server->request_fd >= 0)
		close(server->request_fd);
	if (server->end_fd >= 0)
		close(server->end_fd);
	if (server->reply_fd >= 0)
		close(server->reply_fd);
	free(server);
	return true;
}

bool line_server_is_idle(const struct line_server *server)
{
	return !server->is_busy;
}

void line_server_request(struct line_server *server, const struct line_request *request)
{
	struct line_request *queued = spsc_reserve(&server->requests, sizeof(*queued));

	assert(!server->is_busy && request->count <= LINE_ADDRESSES_MAX);
	*queued = *request;	/* never NULL: one at a time */
	queued->number = ++server->number;
	spsc_commit(&server->requests);
	server->is_busy = true;
	eventfd_write(server->request_fd, 1);
}

void line_server_cancel(struct line_server *server)
{
	if (server->is_busy)
		sandbox_cancel_job(server->sandbox, server->number);
}

bool line_server_reply(struct line_server *server, struct line_reply *out)
{
	const struct line_reply *reply;
	eventfd_t ignored;
	size_t bytes;

	/* Before the look: a reply that comes after it sets the eventfd again. */
	eventfd_read(server->reply_fd, &ignored);
	reply = spsc_peek(&server->replies, &bytes);
	if (!reply)
		return false;
	*out = *reply;
	spsc_release(&server->replies);
	server->is_busy = false;
	return true;
}

void line_reply_finish(struct line_reply *reply)
{
	sandbox_bytes_finish(&reply->bytes);
}

int line_server_fd(const struct line_server *server)
{
	return server->reply_fd;
}
