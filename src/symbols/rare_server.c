/* rare_server.c - see symbols/rare_server.h.
 *
 * Problem: a file may lie on a file system that hangs, and a worker takes milliseconds; the
 * analyzer may wait for neither. Idea: as in line_server.c, a thread of its own.
 */
#include "symbols/rare_server.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mailbox.h"
#include "base/thread.h"
#include "symbols/object_file.h"

#define STOP_WAIT_MS 2000	/* a thread that a dead file system holds is left behind */

struct rare_server {
	struct mailbox requests, replies;	/* of struct rare_batch */
	int request_fd, reply_fd;	/* eventfds: something is in the mailbox */
	int end_fd;			/* eventfd: the thread is done with all this */
	bool is_busy;			/* the analyzer's: a batch without its reply yet */
	atomic_bool is_stopping;	/* the stop flag: destroy stores, the thread loads */
	pthread_t thread;
	bool has_thread;

	struct sandbox *sandbox;	/* borrowed; the thread's but for cancelling */
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
		batch->why.err = 0;	/* of a place where it was not */
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
	eventfd_write(server->reply_fd, 1);
}

static void *server_run(void *argument)
{
	struct rare_server *server = argument;

	while (!atomic_load(&server->is_stopping)) {
		struct rare_batch *batch = mailbox_take(&server->requests);
		eventfd_t ignored;

		if (batch)
			answer(server, batch);
		else
			eventfd_read(server->request_fd, &ignored);	/* waits */
	}
	eventfd_write(server->end_fd, 1);
	return NULL;
}

int rare_server_create(struct rare_server **out, struct sandbox *sandbox, struct diag *why)
{
	struct rare_server *server = calloc(1, sizeof(*server));
	int err = -EMFILE;

	*out = NULL;
	if (!server)
		return diag_set(why, -ENOMEM, "no memory for rare callers");
	server->sandbox = sandbox;
	server->request_fd = eventfd(0, EFD_CLOEXEC);
	server->end_fd = eventfd(0, EFD_CLOEXEC);
	server->reply_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (server->request_fd >= 0 && server->end_fd >= 0 && server->reply_fd >= 0)
		err = thread_start(&server->thread, "flametop-rare", server_run, server);
	server->has_thread = !err;
	if (err) {
		rare_server_destroy(server);
		return diag_set(why, err, "cannot start the thread for rare callers: %s",
				strerror(-err));
	}
	*out = server;
	return 0;
}

/* True when the thread has ended. */
static bool stop_thread(struct rare_server *server)
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

bool rare_server_destroy(struct rare_server *server)
{
	if (!server)
		return true;
	if (server->has_thread && !stop_thread(server))
		return false;	/* it will see the stop flag should it wake up */
	rare_batch_destroy(mailbox_take(&server->requests));
	rare_batch_destroy(mailbox_take(&server->replies));
	if (server->request_fd >= 0)
		close(server->request_fd);
	if (server->end_fd >= 0)
		close(server->end_fd);
	if (server->reply_fd >= 0)
		close(server->reply_fd);
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
	eventfd_write(server->request_fd, 1);
}

struct rare_batch *rare_server_reply(struct rare_server *server)
{
	struct rare_batch *batch;
	eventfd_t ignored;

	/* Before the look: a reply that comes after it sets the eventfd again. */
	eventfd_read(server->reply_fd, &ignored);
	batch = mailbox_take(&server->replies);
	server->is_busy &= !batch;
	return batch;
}

int rare_server_fd(const struct rare_server *server)
{
	return server->reply_fd;
}
