/* record_unpacker.c - see sandbox/record_unpacker.h.
 *
 *   thread: sandbox_run() ..................... verdict
 *   worker:  reads the range, then writes records |
 *   reader: <------- socket ---------------------- end of the stream
 *
 * The range goes to the worker through the same socket: a job has room for one number only.
 */
#include "sandbox/record_unpacker.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/thread.h"
#include "sandbox/packed_records.h"

struct record_unpacker {
	struct sandbox *sandbox;	/* BORROWED */
	int file;			/* BORROWED */
	int socket;			/* the worker's end */
	uint64_t number;
	pthread_t thread;
	int err;			/* result of the thread; valid after it ended */
	struct diag why;
};

static void *run_job(void *argument)
{
	struct record_unpacker *unpacker = argument;
	const struct sandbox_request request = {
		.kind = SANDBOX_RECORDS, .inputs = { unpacker->file, unpacker->socket },
		.input_count = 2, .number = unpacker->number,
	};
	struct sandbox_bytes answer;

	unpacker->err = sandbox_run(unpacker->sandbox, &request, &answer, &unpacker->why);
	sandbox_bytes_finish(&answer);
	close(unpacker->socket);	/* the reader sees the end of the stream */
	return NULL;
}

int record_unpacker_begin(struct record_unpacker **out, struct sandbox *sandbox, uint64_t number,
			  const struct record_unpacker_range *range, int *records, struct diag *why)
{
	const struct packed_range message = { range->begin, range->end };
	struct record_unpacker *unpacker = calloc(1, sizeof(*unpacker));
	int sockets[2], err;

	*out = NULL;
	if (!unpacker)
		return diag_set(why, -ENOMEM, "no memory to unpack the recording");
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets)) {
		err = diag_set(why, -errno, "no socket to unpack the recording: %s",
			       strerror(errno));
		free(unpacker);
		return err;
	}
	*unpacker = (struct record_unpacker){
		.sandbox = sandbox, .file = range->file, .socket = sockets[1], .number = number,
	};
	if (write(sockets[0], &message, sizeof(message)) != sizeof(message))
		err = -EIO;
	else
		err = thread_start(&unpacker->thread, "unpacker", run_job, unpacker);
	if (err) {
		diag_set(why, err, "cannot begin to unpack the recording: %s", strerror(-err));
		close(sockets[0]);
		close(sockets[1]);
		free(unpacker);
		return err;
	}
	*records = sockets[0];
	*out = unpacker;
	return 0;
}

int record_unpacker_end(struct record_unpacker *unpacker, struct diag *why)
{
	int err;

	sandbox_cancel_job(unpacker->sandbox, unpacker->number);
	pthread_join(unpacker->thread, NULL);
	err = unpacker->err;
	if (err)
		*why = unpacker->why;
	free(unpacker);
	return err;
}
