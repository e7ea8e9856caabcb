/* command_output.c - see proc/command_output.h. A line that is longer than a line of the log
 * continues in the next one: nothing is cut. */
#include "proc/command_output.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/log.h"
#include "base/thread.h"
#include "base/whole_io.h"

#define LINE_BYTES (LOG_LINE_BYTES / 2)	/* the sanitizer may make it longer */
#define PIPE_READS 16			/* reads of 4 KiB: a full pipe */

struct command_output {
	int fd, stop_fd;
	char line[LINE_BYTES];
	size_t used;
	pthread_t thread;
};

static void flush_line(struct command_output *output)
{
	log_note("%.*s", (int)output->used, output->line);
	output->used = 0;
}

static void take_bytes(struct command_output *output, const char *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (bytes[i] == '\n') {
			flush_line(output);
			continue;
		}
		output->line[output->used++] = bytes[i];
		if (output->used == sizeof(output->line))
			flush_line(output);
	}
}

static void *run(void *argument)
{
	struct command_output *output = argument;
	struct pollfd fds[] = {
		{ .fd = output->fd, .events = POLLIN },
		{ .fd = output->stop_fd, .events = POLLIN },
	};
	char bytes[4096];
	int last_reads = PIPE_READS;	/* limit after the stop: some commands print for ever */
	ssize_t got;

	while (!fds[1].revents || last_reads--) {
		poll(fds, 2, -1);
		got = read(output->fd, bytes, sizeof(bytes));
		if (got > 0)
			take_bytes(output, bytes, (size_t)got);
		else if (got == 0 || (errno != EAGAIN && errno != EINTR) || fds[1].revents)
			break;
	}
	if (output->used)
		flush_line(output);
	return NULL;
}

int command_output_start(struct command_output **out, int fd, struct diag *why)
{
	struct command_output *output = calloc(1, sizeof(*output));
	int err = -ENOMEM;

	*out = NULL;
	if (output) {
		output->fd = fd;
		output->stop_fd = eventfd(0, EFD_CLOEXEC);
		err = output->stop_fd < 0 ? -errno
					  : thread_start(&output->thread, "flametop-output", run,
							 output);
	}
	if (err) {
		if (output && output->stop_fd >= 0)
			close(output->stop_fd);
		free(output);
		return diag_set(why, err, "cannot keep the command's output: %s", strerror(-err));
	}
	*out = output;
	return 0;
}

void command_output_stop(struct command_output *output)
{
	if (!output)
		return;
	whole_eventfd_write(output->stop_fd, 1);
	pthread_join(output->thread, NULL);
	close(output->stop_fd);
	free(output);
}
