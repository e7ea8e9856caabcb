/* line_server.c - see symbols/line_server.h.
 *
 * Problem: a file may lie on a file system that hangs, and its debug information may take seconds
 * to read; the analyzer may wait for neither.
 *
 * Idea: a thread opens the files and submits the job; with one request at a time both queues always
 * have room. If a worker needs a file that dwz made, the first job ends with that file's name
 * before anything is read, and a second job gets the file, too. Of the kernel, each file that may
 * be its debug information is given to a job, until one is of the build that runs.
 */
#include "symbols/line_server.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/service.h"
#include "elf/file_jobs.h"
#include "symbols/dso_file.h"
#include "symbols/kernel_debug.h"

#define QUEUE_BYTES (1u << 15)	/* more than one request, or reply, however it wraps */

_Static_assert(2 * (sizeof(struct line_request) + 16) < QUEUE_BYTES &&
	       2 * (sizeof(struct line_reply) + 16) < QUEUE_BYTES, "there is always room");

struct line_server {
	struct service *service;
	bool is_busy;			/* the analyzer's: a request without its reply yet */
	uint64_t number;		/* the analyzer's: number of the last request */
	struct sandbox *sandbox;	/* borrowed; the thread's except for cancelling */

	/* The thread's own: the request whose job runs. */
	const struct line_request *request;	/* in its queue; NULL: none */
	struct line_reply *reply;		/* reserved in its queue */
	struct line_files files;
	int offsets;				/* sealed file; -1: none */
	bool has_alternate;			/* the job is the second one */
	struct kernel_layout layout;		/* is_kernel: the kernel or module that runs */
	struct kernel_debug_search search;	/* is_kernel: its files, where the search is */
};

static int make_offsets(const struct line_request *request, struct diag *why)
{
	const int fd = sandbox_seal("flametop-offsets", request->offsets,
				    request->count * sizeof(*request->offsets));

	return fd >= 0 ? fd : diag_set(why, -ENOMEM, "no memory to ask for source lines");
}

static int submit(struct line_server *server, int alternate)
{
	const struct line_request *request = server->request;
	const struct dwarf_lines_inputs inputs = { server->files.dso, server->offsets,
						   server->files.debug, alternate,
						   request->dso.is_kernel };
	struct sandbox_request job = line_job_request(&inputs, request->memory_bytes);

	job.number = request->number;	/* the second job has the same number */
	return sandbox_submit(server->sandbox, &job, &server->reply->why);
}

static void send_reply(struct line_server *server)
{
	line_files_close(&server->files);
	if (server->offsets >= 0)
		close(server->offsets);
	spsc_commit(&server->service->replies);
	service_notify(server->service);
	server->request = NULL;
	spsc_release(&server->service->requests);
}

/* Replaces the file that the last job got by the next one. Returns 0 or -errno. */
static int open_next_kernel(struct line_server *server, struct diag *why)
{
	if (server->files.dso >= 0)
		close(server->files.dso);
	server->files.dso = kernel_debug_next(&server->search, why);
	return server->files.dso < 0 ? server->files.dso : 0;
}

/* Opens the debug information of the kernel or a module; the layout takes the debug file's place.
 * */
static int open_kernel(struct line_server *server, struct diag *why)
{
	int err = kernel_layout_read(&server->layout, server->request->dso.path, why);

	if (err)
		return err;
	server->search = (struct kernel_debug_search){ .layout = &server->layout };
	server->files.debug = sandbox_seal("flametop-layout", &server->layout,
					   sizeof(server->layout));
	server->files.is_certain = true;
	if (server->files.debug < 0)
		return diag_set(why, -ENOMEM, "no memory to ask for source lines");
	return open_next_kernel(server, why);
}

static int open_files(struct line_server *server, const struct line_request *request,
		      struct diag *why)
{
	if (request->dso.is_kernel)
		return open_kernel(server, why);
	return line_files_open(&server->files, &request->dso, request->debug_link,
			       server->sandbox, why);
}

/* Returns whether a job with the next file of the kernel has been submitted. */
static bool try_next_kernel(struct line_server *server, int err)
{
	struct diag *why = &server->reply->why;

	if (!server->request->dso.is_kernel || !kernel_debug_refused(&server->search, err, why))
		return false;
	*why = (struct diag){ .err = 0 };
	sandbox_bytes_finish(&server->reply->bytes);
	return !open_next_kernel(server, why) && !submit(server, DWARF_LINES_NO_FILE);
}

static void begin(struct line_server *server, const struct line_request *request)
{
	struct line_reply *reply = spsc_reserve(&server->service->replies, sizeof(*reply));

	memset(reply, 0, sizeof(*reply));	/* never NULL: one at a time */
	reply->dso = request->dso.dso;
	reply->serial = request->dso.serial;
	reply->count = request->count;
	memcpy(reply->offsets, request->offsets, request->count * sizeof(*request->offsets));
	server->request = request;
	server->reply = reply;
	server->files = LINE_FILES_NONE;
	server->offsets = make_offsets(request, &reply->why);
	if (server->offsets < 0 ||
	    open_files(server, request, &reply->why) ||
	    submit(server, DWARF_LINES_NOT_ASKED))
		send_reply(server);
}

/* Checks what the worker has sent. Returns 0 if it is the reply; 1 if it asks for a file that dwz
 * made; or -errno. */
static int check(struct line_server *server, int err)
{
	struct line_reply *reply = server->reply;
	const struct line_header *header;

	if (!err)
		err = line_chains_check(&reply->chains, reply->bytes.bytes, reply->bytes.count,
					server->request->count, &reply->why);
	if (err || server->has_alternate)
		return err;
	header = reply->chains.header;
	if (!server->files.is_certain &&
	    !build_id_is_equal(&header->build_id, &server->request->dso.build_id))
		return diag_set(&reply->why, -ESTALE, "replaced: its path now holds another file");
	return header->alternate.count != 0;
}

static void end_job(struct line_server *server, int err)
{
	struct line_reply *reply = server->reply;
	const int result = check(server, err);

	if (result < 0 && try_next_kernel(server, result))
		return;
	if (result > 0) {
		server->has_alternate = true;
		line_files_open_alternate(&server->files, &reply->chains.header->alternate,
					  reply->chains.header->alternate_name);
	}
	if (result)
		sandbox_bytes_finish(&reply->bytes);
	if (result <= 0 || submit(server, server->files.alternate))
		send_reply(server);
}

static int serve(void *owner)
{
	struct line_server *server = owner;
	const struct line_request *request;
	size_t bytes;
	int err;

	if (server->request) {
		if (!sandbox_take(server->sandbox, &server->reply->bytes, &err,
				  &server->reply->why))
			return SERVICE_SLEEP;
		end_job(server, err);
		return SERVICE_AGAIN;
	}
	request = spsc_peek(&server->service->requests, &bytes);
	if (!request)
		return SERVICE_SLEEP;
	server->has_alternate = false;
	begin(server, request);
	return SERVICE_AGAIN;
}

static void interrupt(void *owner)
{
	struct line_server *server = owner;

	sandbox_cancel(server->sandbox);
}

int line_server_create(struct line_server **out, struct sandbox *sandbox, struct diag *why)
{
	struct line_server *server = calloc(1, sizeof(*server));
	const struct service_plan plan = {
		.name = "flametop-lines", .request_bytes = QUEUE_BYTES, .reply_bytes = QUEUE_BYTES,
		.serve = serve, .interrupt = interrupt, .may_hang = true,
		.ready_fd = sandbox_fd(sandbox), .owner = server,
	};
	int err;

	*out = NULL;
	if (!server)
		return diag_set(why, -ENOMEM, "no memory for source lines");
	server->sandbox = sandbox;
	err = service_create(&server->service, &plan);
	if (err) {
		free(server);
		return diag_set(why, err, "cannot start the thread for source lines: %s",
				strerror(-err));
	}
	*out = server;
	return 0;
}

bool line_server_destroy(struct line_server *server)
{
	struct line_reply reply;

	if (!server)
		return true;
	if (!service_stop(server->service))
		return false;
	if (line_server_reply(server, &reply))
		line_reply_finish(&reply);
	if (server->request) {
		line_files_close(&server->files);
		close(server->offsets);
	}
	service_destroy(server->service);
	free(server);
	return true;
}

bool line_server_is_idle(const struct line_server *server)
{
	return !server->is_busy;
}

void line_server_request(struct line_server *server, const struct line_request *request)
{
	struct line_request *queued = spsc_reserve(&server->service->requests, sizeof(*queued));

	assert(!server->is_busy && request->count <= LINE_ADDRESSES_MAX);
	*queued = *request;	/* never NULL: one at a time */
	queued->number = ++server->number;
	spsc_commit(&server->service->requests);
	server->is_busy = true;
	service_wake(server->service);
}

void line_server_cancel(struct line_server *server)
{
	if (server->is_busy)
		sandbox_cancel_job(server->sandbox, server->number);
}

bool line_server_reply(struct line_server *server, struct line_reply *out)
{
	const struct line_reply *reply;
	size_t bytes;

	reply = service_reply(server->service, &bytes);
	if (!reply)
		return false;
	*out = *reply;
	spsc_release(&server->service->replies);
	server->is_busy = false;
	return true;
}

void line_reply_finish(struct line_reply *reply)
{
	sandbox_bytes_finish(&reply->bytes);
}

int line_server_fd(const struct line_server *server)
{
	return service_fd(server->service);
}

struct service *line_server_thread(struct line_server *server)
{
	return server->service;
}
