/* line_server.c - see symbols/line_server.h.
 *
 * Problem: a file may lie on a file system that hangs, and its debug information may take seconds
 * to read; the analyzer may wait for neither.
 *
 * Idea: a thread of its own; with one request at a time both queues always have room. If a worker
 * needs a file that dwz made, the first job ends with that file's name before anything is read, and
 * a second job gets the file, too.
 */
#include "symbols/line_server.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/service.h"
#include "base/whole_io.h"
#include "elf/line_job.h"
#include "symbols/line_files.h"

#define QUEUE_BYTES (1u << 15)	/* more than one request, or reply, however it wraps */

_Static_assert(2 * (sizeof(struct line_request) + 16) < QUEUE_BYTES &&
	       2 * (sizeof(struct line_reply) + 16) < QUEUE_BYTES, "there is always room");

struct line_server {
	struct service *service;
	bool is_busy;			/* the analyzer's: a request without its reply yet */
	uint64_t number;		/* the analyzer's: number of the last request */
	struct sandbox *sandbox;	/* borrowed; the thread's except for cancelling */
};

static int make_offsets(const struct line_request *request, struct diag *why)
{
	const size_t bytes = request->count * sizeof(*request->offsets);
	int fd = memfd_create("flametop-offsets", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd >= 0 && whole_write(fd, request->offsets, bytes) == (ssize_t)bytes &&
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

	job.number = request->number;	/* the second job has the same number */
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
	struct line_reply *reply = spsc_reserve(&server->service->replies, sizeof(*reply));
	struct line_files files;
	int offsets;

	memset(reply, 0, sizeof(*reply));	/* never NULL: one at a time */
	reply->object = request->object.object;
	reply->serial = request->object.serial;
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
	spsc_commit(&server->service->replies);
	service_notify(server->service);
}

static int serve(void *owner)
{
	struct line_server *server = owner;
	const struct line_request *request;
	size_t bytes;

	request = spsc_peek(&server->service->requests, &bytes);
	if (!request)
		return SERVICE_SLEEP;
	answer(server, request);
	spsc_release(&server->service->requests);
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
		.serve = serve, .interrupt = interrupt, .may_hang = true, .owner = server,
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
