/* rare_server.c - see symbols/rare_server.h.
 *
 * Problem: a file may lie on a file system that hangs, and a worker takes milliseconds; the
 * analyzer may wait for neither. Idea: a thread of its own.
 */
#include "symbols/rare_server.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mailbox.h"
#include "base/service.h"
#include "symbols/object_file.h"

struct rare_server {
	struct service *service;
	struct mailbox requests, replies;	/* carry struct rare_batch */
	bool is_busy;			/* the analyzer's: a batch without its reply yet */
	struct sandbox *sandbox;	/* borrowed; the thread's except for cancelling */
};

void rare_batch_destroy(struct rare_batch *batch)
{
	if (!batch)
		return;
	for (size_t i = 0; i < batch->request.stack_count; i++)
		free((void *)batch->stacks[i].bytes);
	sandbox_bytes_finish(&batch->bytes);
	free(batch);
}

/* Opens the file of every mapping into @job; returns how many are open. */
static size_t open_files(struct rare_server *server, struct rare_batch *batch,
			 struct sandbox_request *job)
{
	size_t count = 0;

	while (count < batch->request.mapping_count) {
		struct rare_mapping *mapping = &batch->request.mappings[count];
		struct object_file file;

		if (object_file_find(&file, &batch->objects[count], server->sandbox, &batch->why))
			break;
		batch->why.err = 0;	/* set by a source that did not have the file */
		if (!file.is_certain)
			mapping->build_id = batch->objects[count].build_id;
		job->inputs[++count] = file.fd;
	}
	return count;
}

static void run_job(struct rare_server *server, struct rare_batch *batch,
		    struct sandbox_request *job)
{
	job->inputs[0] = rare_frames_request(&batch->request, batch->stacks, &batch->why);
	if (job->inputs[0] < 0)
		return;
	if (sandbox_run(server->sandbox, job, &batch->bytes, &batch->why) == 0)
		rare_frames_check(&batch->request, batch->stacks, batch->bytes.bytes,
				  batch->bytes.count, batch->answers, &batch->why);
	close(job->inputs[0]);
}

static void answer(struct rare_server *server, struct rare_batch *batch)
{
	const uint64_t begin_ns = clock_now_ns();
	struct sandbox_request job = {
		.kind = SANDBOX_RARE_FRAMES,
		.input_count = (uint32_t)batch->request.mapping_count + 1,
	};
	size_t open = open_files(server, batch, &job);

	if (open == batch->request.mapping_count)
		run_job(server, batch, &job);
	while (open)
		close(job.inputs[open--]);
	batch->took_ns = clock_now_ns() - begin_ns;
	mailbox_put(&server->replies, batch);	/* one at a time: it was empty */
	service_notify(server->service);
}

static int serve(void *owner)
{
	struct rare_server *server = owner;
	struct rare_batch *batch = mailbox_take(&server->requests);

	if (!batch)
		return SERVICE_SLEEP;
	answer(server, batch);
	return SERVICE_AGAIN;
}

static void interrupt(void *owner)
{
	struct rare_server *server = owner;

	sandbox_cancel(server->sandbox);
}

int rare_server_create(struct rare_server **out, struct sandbox *sandbox, struct diag *why)
{
	struct rare_server *server = calloc(1, sizeof(*server));
	const struct service_plan plan = { .name = "flametop-rare", .serve = serve,
					   .interrupt = interrupt, .may_hang = true,
					   .owner = server };
	int err;

	*out = NULL;
	if (!server)
		return diag_set(why, -ENOMEM, "no memory for rare callers");
	server->sandbox = sandbox;
	err = service_create(&server->service, &plan);
	if (err) {
		free(server);
		return diag_set(why, err, "cannot start the thread for rare callers: %s",
				strerror(-err));
	}
	*out = server;
	return 0;
}

bool rare_server_destroy(struct rare_server *server)
{
	if (!server)
		return true;
	if (!service_stop(server->service))
		return false;
	rare_batch_destroy(mailbox_take(&server->requests));
	rare_batch_destroy(mailbox_take(&server->replies));
	service_destroy(server->service);
	free(server);
	return true;
}

bool rare_server_is_idle(const struct rare_server *server)
{
	return !server->is_busy;
}

void rare_server_request(struct rare_server *server, struct rare_batch *batch)
{
	assert(!server->is_busy && batch->request.mapping_count <= RARE_MAPPINGS_MAX);
	server->is_busy = true;
	mailbox_put(&server->requests, batch);	/* one at a time: it was empty */
	service_wake(server->service);
}

struct rare_batch *rare_server_reply(struct rare_server *server)
{
	struct rare_batch *batch;

	service_quiet(server->service);
	batch = mailbox_take(&server->replies);
	server->is_busy &= !batch;
	return batch;
}

int rare_server_fd(const struct rare_server *server)
{
	return service_fd(server->service);
}
