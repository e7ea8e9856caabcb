/* batch.c - see batch.h. */
#include "batch.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "export/json.h"
#include "export/text.h"

static void watched_signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGHUP);
}

void batch_block_signals(void)
{
	sigset_t set;

	watched_signals(&set);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);	/* a closed pipe is an error of write(2), and a quiet end */
}

/* All events of one refresh. 0, or the errno of the write. */
static int print_refresh(const struct snapshot *snapshot, const struct options *options)
{
	const struct export_options export_options = {
		.filter = options->filter, .max_rows = options->max_rows,
	};

	errno = 0;
	for (; snapshot; snapshot = snapshot->next_event) {
		if (options->format == OUTPUT_JSON)
			json_write(stdout, snapshot, &export_options);
		else
			text_write(stdout, snapshot, &export_options);
	}
	if (!fflush(stdout) && !ferror(stdout))
		return 0;
	return errno ? errno : EIO;
}

struct batch {
	struct session *session;
	const struct options *options;
	uint64_t printed, end_ns;
	int signal_fd;
	bool is_source_stopped, is_done;
	int result;
};

static int take_snapshot(struct batch *batch, struct diag *why)
{
	struct snapshot *snapshot = analyzer_take_snapshot(batch->session->analyzer);
	int err;

	if (!snapshot)
		return 0;
	if (snapshot->is_last && snapshot->end_err) {
		err = diag_set(why, snapshot->end_err, "%s", snapshot->end_reason);
		snapshot_destroy(snapshot);
		return err;
	}
	err = print_refresh(snapshot, batch->options);
	batch->printed++;
	batch->is_done = snapshot->is_last ||
			 (batch->options->batch_count &&
			  batch->printed >= batch->options->batch_count);
	snapshot_destroy(snapshot);
	if (!err)
		return 0;
	batch->is_done = true;
	if (err != EPIPE) {
		diag_set(why, -err, "cannot write the output: %s", strerror(err));
		batch->result = 1;
	}
	return 0;
}

static void take_signal(struct batch *batch)
{
	struct signalfd_siginfo signal_seen;

	if (read(batch->signal_fd, &signal_seen, sizeof(signal_seen)) != sizeof(signal_seen))
		return;
	batch->result = 128 + (int)signal_seen.ssi_signo;
	batch->is_done = true;
}

static int wait_ms(const struct batch *batch)
{
	const uint64_t now_ns = clock_now_ns();
	uint64_t left_ms;

	if (!batch->end_ns || batch->is_source_stopped)
		return -1;
	if (now_ns >= batch->end_ns)
		return 0;
	left_ms = (batch->end_ns - now_ns) / CLOCK_NS_PER_MS + 1;
	return left_ms > 60000 ? 60000 : (int)left_ms;
}

static void stop_when_over(struct batch *batch)
{
	if (!batch->end_ns || batch->is_source_stopped || clock_now_ns() < batch->end_ns)
		return;
	batch->is_source_stopped = true;
	session_stop_source(batch->session);	/* its last snapshot is the end */
}

int batch_run(struct session *session, const struct options *options, struct diag *why)
{
	struct batch batch = { .session = session, .options = options };
	struct pollfd fds[2];
	sigset_t set;
	int err = 0;

	watched_signals(&set);
	batch.signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (batch.signal_fd < 0)
		return diag_set(why, -errno, "cannot watch signals: %s", strerror(errno));
	if (options->duration_ns)
		batch.end_ns = clock_now_ns() + options->duration_ns;
	fds[0] = (struct pollfd){ .fd = analyzer_fd(session->analyzer), .events = POLLIN };
	fds[1] = (struct pollfd){ .fd = batch.signal_fd, .events = POLLIN };
	while (!err && !batch.is_done) {
		poll(fds, 2, wait_ms(&batch));
		if (fds[1].revents)
			take_signal(&batch);
		else
			err = take_snapshot(&batch, why);
		stop_when_over(&batch);
	}
	close(batch.signal_fd);
	return err ? err : batch.result;
}
