/* slow_unwinder.c - see symbols/slow_unwinder.h.
 *
 * Problem: a file may lie on a file system that hangs, so the analyzer may not open it. Idea: a
 * thread does, which it shares with others that open files.
 */
#include "symbols/slow_unwinder.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/service.h"
#include "base/thread.h"
#include "symbols/dso_file.h"

struct slow_unwinder {
	struct service *service;
	struct mailbox requests, replies;	/* carry struct slow_batch */
	bool is_busy;			/* the analyzer's: a batch without its reply yet */
	struct sandbox *sandbox;	/* borrowed; the thread's except for cancelling */

	/* The thread's own: the batch whose job runs. */
	struct slow_batch *batch;	/* NULL: none */
	uint64_t begin_ns;
};

void slow_batch_destroy(struct slow_batch *batch)
{
	if (!batch)
		return;
	for (size_t i = 0; i < batch->request.stack_count; i++)
		free((void *)batch->stacks[i].bytes);
	sandbox_bytes_finish(&batch->bytes);
	free(batch);
}

/* Opens the file of every mapping into @job; returns how many are open. */
static size_t open_files(struct slow_unwinder *server, struct slow_batch *batch,
			 struct sandbox_request *job)
{
	size_t count = 0;

	while (count < batch->request.mapping_count) {
		struct slow_mapping *mapping = &batch->request.mappings[count];
		struct dso_file file;

		if (dso_file_find(&file, &batch->dsos[count], server->sandbox, &batch->why))
			break;
		batch->why.err = 0;	/* set by a source that did not have the file */
		if (!file.is_certain)
			mapping->build_id = batch->dsos[count].build_id;
		job->inputs[++count] = file.fd;
	}
	return count;
}

static void send_reply(struct slow_unwinder *server, struct slow_batch *batch)
{
	server->batch = NULL;
	batch->took_ns = clock_now_ns() - server->begin_ns;
	mailbox_put(&server->replies, batch);	/* one at a time: it was empty */
	service_notify(server->service);
}

/* Returns whether the job of server->batch has begun. */
static bool submit(struct slow_unwinder *server, struct slow_batch *batch)
{
	struct sandbox_request job = {
		.kind = SANDBOX_SLOW_FRAMES,
		.input_count = (uint32_t)batch->request.mapping_count + 1,
	};
	size_t open = open_files(server, batch, &job);
	bool has_begun = false;

	if (open == batch->request.mapping_count) {
		job.inputs[0] = slow_frames_request(&batch->request, batch->stacks, &batch->why);
		if (job.inputs[0] >= 0) {
			has_begun = !sandbox_submit(server->sandbox, &job, &batch->why);
			close(job.inputs[0]);
		}
	}
	while (open)
		close(job.inputs[open--]);
	return has_begun;
}

static int serve(void *owner)
{
	struct slow_unwinder *server = owner;
	struct slow_batch *batch = server->batch;
	int err;

	if (batch) {
		if (!sandbox_take(server->sandbox, &batch->bytes, &err, &batch->why))
			return SERVICE_SLEEP;
		if (!err)
			slow_frames_check(&batch->request, batch->stacks, batch->bytes.bytes,
					  batch->bytes.count, batch->replies, &batch->why);
		send_reply(server, batch);
		return SERVICE_AGAIN;
	}
	batch = mailbox_take(&server->requests);
	if (!batch)
		return SERVICE_SLEEP;
	server->batch = batch;
	server->begin_ns = clock_now_ns();
	if (!submit(server, batch))
		send_reply(server, batch);
	return SERVICE_AGAIN;
}

static void interrupt(void *owner)
{
	struct slow_unwinder *server = owner;

	sandbox_cancel(server->sandbox);
}

int slow_unwinder_create(struct slow_unwinder **out, struct sandbox *sandbox,
			 struct service *thread, struct diag *why)
{
	struct slow_unwinder *server = calloc(1, sizeof(*server));
	const struct service_plan plan = {
		.name = "flametop-slow", .serve = serve, .interrupt = interrupt, .may_hang = true,
		.ready_fd = sandbox_fd(sandbox), .host = thread, .owner = server,
	};
	int err;

	*out = NULL;
	if (!server)
		return diag_set(why, -ENOMEM, "no memory for the slow unwinder");
	server->sandbox = sandbox;
	err = service_create(&server->service, &plan);
	if (err) {
		free(server);
		return diag_set(why, err, "cannot start the slow unwinder: %s",
				strerror(-err));
	}
	*out = server;
	return 0;
}

bool slow_unwinder_destroy(struct slow_unwinder *server)
{
	if (!server)
		return true;
	if (!service_stop(server->service))
		return false;
	slow_batch_destroy(mailbox_take(&server->requests));
	slow_batch_destroy(mailbox_take(&server->replies));
	slow_batch_destroy(server->batch);
	service_destroy(server->service);
	free(server);
	return true;
}

bool slow_unwinder_is_idle(const struct slow_unwinder *server)
{
	return !server->is_busy;
}

void slow_unwinder_request(struct slow_unwinder *server, struct slow_batch *batch)
{
	assert(!server->is_busy && batch->request.mapping_count <= SLOW_MAPPINGS_MAX);
	server->is_busy = true;
	mailbox_put(&server->requests, batch);	/* one at a time: it was empty */
	service_wake(server->service);
}

struct slow_batch *slow_unwinder_reply(struct slow_unwinder *server)
{
	struct slow_batch *batch;

	service_quiet(server->service);
	batch = mailbox_take(&server->replies);
	server->is_busy &= !batch;
	return batch;
}

int slow_unwinder_fd(const struct slow_unwinder *server)
{
	return service_fd(server->service);
}
