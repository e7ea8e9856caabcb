/* batch.c - see cli/session.h.
 *
 * Problem: the reader of the output may stop reading; a signal must end flametop nevertheless.
 *
 * Idea: a refresh is rendered into memory, and written as the output takes it; one poll() waits for
 * the output, the analyzer and signals. Nothing is taken from the analyzer while output is left: it
 * keeps only the newest snapshot, so a slow reader sees fewer refreshes, not older ones.
 */
#include "cli/session.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/privileges.h"
#include "base/safe_print.h"
#include "export/print.h"
#include "share/shared_file.h"
#include "ui/launch.h"
#include "whole_wait.h"

#define UNREAD_NS (10 * CLOCK_NS_PER_S) /* how long the output may block after --duration */
#define SIGNAL_UNREAD_NS (500 * CLOCK_NS_PER_MS)	/* how long it may block after a signal */
#define AGAIN_NS (500 * CLOCK_NS_PER_MS)	/* timeout(1) signals us, then our process group */

enum batch_source { SOURCE_ANALYZER, SOURCE_SIGNAL, SOURCE_OUTPUT, SOURCE_COMMAND, SOURCE_KEEP,
		    SOURCE_COUNT };

struct batch {
	struct session *session;
	const struct options *options;
	struct table_writer *writer;	/* owned; NULL: the output is no table */
	struct pollfd sources[SOURCE_COUNT];
	struct trace_printer *traces;	/* owned; OUTPUT_SCRIPT only, else NULL */
	int output_fd;
	char *text;		/* text of one refresh; NULL: all of it was written */
	size_t text_bytes, written;
	uint64_t printed;
	uint64_t end_ns;	/* end of the run, 0: none; once stopped, end of blocked output */
	uint64_t unread_ns;	/* how long the output may then block */
	uint64_t again_ns;	/* signals before this time are repeats of the first one */
	bool is_source_stopped, is_last, is_done, has_grown;
	bool is_record_ended;	/* early, and was said to be */
	bool is_abandoned;	/* by a second signal: nothing more is written */
	bool is_record_stalled;	/* its disk hangs, and that was said */
	int result;
};

static struct export_options export_options_of(const struct options *options)
{
	return (struct export_options){
		.filter = options->filter, .has_source = options->wants_source,
		.has_period = options->wants_period, .has_groups = options->group_count,
		.show_idle = options->show_idle, .max_rows = options->max_rows,
		.by_total = options->wants_children,
	};
}

static bool is_table(const struct options *options)
{
	return options->format == OUTPUT_CSV || options->format == OUTPUT_MARKDOWN;
}

static struct table_options table_options_of(const struct options *options)
{
	return (struct table_options){
		.kind = options->table, .print = export_options_of(options),
		.layer = options->layer, .probes = options->probes,
		.probe_count = options->probe_count,
	};
}

static int create_writer(struct batch *batch, struct diag *why)
{
	const struct options *options = batch->options;
	struct table_options table = table_options_of(options);

	table.style = options->format == OUTPUT_CSV ? TABLE_CSV : TABLE_MARKDOWN;
	table.continues = options->diff_path != options->diff_paths[0];
	table.print.has_groups = table.kind == TABLE_GROUPS;
	return is_table(options) && table_writer_create(&batch->writer, &table)
		? diag_set(why, -ENOMEM, "no memory for the output") : 0;
}

/* Renders all events of one refresh into batch->text. */
static int render(struct batch *batch, const struct snapshot *snapshot, struct diag *why)
{
	const struct export_options export_options = export_options_of(batch->options);
	const bool is_text = batch->options->format == OUTPUT_TEXT;
	const bool has_events = snapshot->next_event;
	FILE *out = open_memstream(&batch->text, &batch->text_bytes);
	bool has_failed;
	int err = 0;

	if (!out)
		return diag_set(why, -ENOMEM, "no memory for the output");
	if (snapshot->events && batch->options->format == OUTPUT_EVENTS && !batch->printed)
		events_write_titles(out, &batch->options->fields);
	if (batch->writer)
		err = table_writer_write(batch->writer, out, snapshot);
	for (; !batch->writer && snapshot && !err; snapshot = snapshot->next_event) {
		if (batch->options->listing_name)
			err = (is_text ? listing_text_write : listing_json_write)(
				out, snapshot, batch->options->layer);
		else if (batch->options->format == OUTPUT_FOLDED)
			err = folded_write(out, &snapshot->tree, has_events ? snapshot->event : "",
					   batch->options->kernel_suffix, snapshot->has_baseline,
					   snapshot_is_by_weight(snapshot));
		else if (batch->options->format == OUTPUT_EVENTS)
			events_write(out, snapshot->events, &batch->options->fields);
		else if (batch->options->format == OUTPUT_SCRIPT)
			script_write(out, snapshot->events, &batch->options->script_fields,
				     trace_printer_print(batch->traces, snapshot->events));
		else if (batch->options->format == OUTPUT_EVENTS_JSON)
			events_write_json(out, snapshot->events, &batch->options->fields);
		else if (batch->options->format == OUTPUT_JSON)
			json_write(out, snapshot, &export_options);
		else
			text_write(out, snapshot, &export_options);
		if (is_text && text_has_all_events(snapshot, &export_options))
			break;
	}
	has_failed = err || ferror(out);
	if (fclose(out) || has_failed || !batch->text)	/* the last fclose() reports nothing */
		return diag_set(why, -ENOMEM, "no memory for the output");
	batch->written = 0;
	return 0;
}

/* Describes how many lines, or samples of a table of CSV, are missing and why, after all were
 * printed: those formats have no place for it. */
static void note_losses(const struct snapshot *snapshot, struct diag *why)
{
	const struct loss_count *counts = snapshot->losses.counts;
	const struct { uint64_t count; const char *what; } lost[] = {
		{ counts[LOSS_RING_FULL].since_start, "found the kernel's buffers full" },
		{ counts[LOSS_PROBE_MISSED].since_start, "could not be probed" },
		{ counts[LOSS_MALFORMED].since_start, "were malformed" },
		{ counts[LOSS_NO_MEMORY].since_start, "found no memory" },
		{ counts[LOSS_LATE].since_start, "came too late for the order" },
		{ snapshot->events ? snapshot->events->dropped : 0,
		  "were not printed, as the output was not read in time" },
	};

	if (snapshot->end_err || (snapshot->events && !snapshot->is_last))
		return;
	snprintf(why->text, sizeof(why->text), "%s", snapshot->end_reason);
	for (size_t i = 0; i < sizeof(lost) / sizeof(lost[0]); i++) {
		const size_t used = strlen(why->text);

		if (lost[i].count)
			snprintf(why->text + used, sizeof(why->text) - used,
				 "%s%" PRIu64 " events %s", used ? "; " : "", lost[i].count,
				 lost[i].what);
	}
}

/* Compares the last table, of all events, with what --fail-above allows. */
static void judge_growth(struct batch *batch, const struct snapshot *snapshot, struct diag *why)
{
	const bool of_total = batch->options->wants_children;
	const double points = batch->options->fail_above;

	for (; snapshot && !batch->has_grown; snapshot = snapshot->next_event) {
		size_t count;
		const struct snapshot_row *row = row_changes_worst(snapshot, points, of_total,
								   &count);
		const struct stats *now = row ? &row->now : NULL, *base = row ? &row->base : NULL;

		if (!row)
			continue;
		diag_set(why, 0, "--fail-above %g: %s grew by %.2f points, from %.2f %% to %.2f %% "
			 "(%.1f sigmas); rows that grew: %zu", points,
			 row->symbol[0] ? row->symbol : row->dso[0] ? row->dso : row->comm,
			 row_changes_points(snapshot, row, of_total),
			 row_changes_row_base_pct(snapshot, row, of_total ? base->total.weight
									  : base->self.weight),
			 snapshot_row_pct(snapshot, row, of_total ? now->total.weight
								  : now->self.weight),
			 row_changes_sigmas(snapshot, row, of_total), count);
		batch->has_grown = true;
	}
}

/* Says at once that the recording of -o has ended early; the tables go on. */
static void look_at_recording(struct batch *batch)
{
	const struct record_control *record = session_record_control(batch->session);
	char clean[4 * sizeof(((struct diag *)NULL)->text)];
	struct recorder_status status;

	if (batch->is_record_ended || !record->status(record->owner, &status))
		return;
	if (status.is_stalled && !batch->is_record_stalled)
		safe_print(stderr, "flametop: the recording's disk hangs after %.1f MiB; the "
			   "tables go on\n", (double)status.bytes / (1 << 20));
	batch->is_record_stalled = status.is_stalled;
	if (!status.why.err)
		return;
	batch->is_record_ended = true;
	safe_print(stderr, "flametop: nothing is recorded from here on: %s\n",
		   sanitize(clean, sizeof(clean), status.why.text, strlen(status.why.text)));
}

static int take_snapshot(struct batch *batch, struct diag *why)
{
	struct snapshot *snapshot = analyzer_take_snapshot(batch->session->analyzer);
	int err;

	look_at_recording(batch);
	if (!snapshot)
		return 0;
	if (snapshot->events || batch->options->format == OUTPUT_CSV ||
	    batch->options->share_count)
		note_losses(snapshot, why);
	if (snapshot->is_last && snapshot->end_err) {
		err = diag_set(why, snapshot->end_err, "%s", snapshot->end_reason);
	} else if (batch->options->format == OUTPUT_NONE) {
		batch->is_done = snapshot->is_last;
		err = 0;
	} else {
		err = batch->options->is_quiet ? 0 : render(batch, snapshot, why);
		batch->printed++;
		batch->is_last = snapshot->is_last ||
				 (batch->options->batch_count &&
				  batch->printed >= batch->options->batch_count);
		if (batch->is_last && batch->options->fail_above >= 0)
			judge_growth(batch, snapshot, why);
		batch->is_done |= batch->is_last && batch->options->is_quiet;
	}
	snapshot_destroy(snapshot);
	return err;
}

static void fail_output(struct batch *batch, const char *reason, struct diag *why)
{
	diag_set(why, -EIO, "cannot write the output: %s", reason);
	batch->result = BATCH_OUTPUT_FAILED;
	batch->is_done = true;
}

/* Returns how much to write at once: at most what a pipe that poll() calls writable takes, for
 * outputs that can't be opened non-blocking, and if possible whole lines, as a command may write to
 * the same file. */
static size_t chunk_bytes(const struct batch *batch)
{
	const char *text = batch->text + batch->written;
	const size_t left = batch->text_bytes - batch->written;
	const size_t bytes = left < PIPE_BUF ? left : PIPE_BUF;
	const char *newline = memrchr(text, '\n', bytes);

	return newline ? (size_t)(newline + 1 - text) : bytes;
}

static void write_output(struct batch *batch, struct diag *why)
{
	const ssize_t count = write(batch->output_fd, batch->text + batch->written,
				    chunk_bytes(batch));

	if (count < 0 && errno == EPIPE) {
		batch->is_done = true;
	} else if (count < 0 && errno != EAGAIN && errno != EINTR) {
		fail_output(batch, strerror(errno), why);
	} else if (count > 0) {
		batch->written += (size_t)count;
		if (batch->unread_ns)
			batch->end_ns = clock_now_ns() + batch->unread_ns;
	}
	if (batch->written < batch->text_bytes)
		return;
	free(batch->text);
	batch->text = NULL;
	batch->is_done = batch->is_done || batch->is_last;
}

/* The queue is empty once per refresh at least, and holds more requests than there are files. */
static void request(struct batch *batch, enum request_kind kind, uint32_t value)
{
	const struct request request = { .kind = kind, .value = value };

	analyzer_request(batch->session->analyzer, &request);
}

static void stop_source(struct batch *batch)
{
	batch->is_source_stopped = true;
	session_stop_source(batch->session);	/* its last snapshot is the end */
	if (batch->options->replay_path)
		request(batch, REQUEST_STOP, 0);
}

static void take_signal(struct batch *batch)
{
	const int fd = batch->sources[SOURCE_SIGNAL].fd;
	struct signalfd_siginfo signal_seen;
	bool is_first;

	if (read(fd, &signal_seen, sizeof(signal_seen)) != sizeof(signal_seen))
		return;
	is_first = !batch->result;
	batch->result = 128 + (int)signal_seen.ssi_signo;
	/* A key of the terminal has reached the command, too: it is in our process group. */
	if (batch->session->command && signal_seen.ssi_code != SI_KERNEL)
		command_signal(batch->session->command, (int)signal_seen.ssi_signo);
	batch->is_abandoned |= !is_first && clock_now_ns() >= batch->again_ns;
	if ((batch->options->prints_once || batch->options->has_events ||
	     batch->options->share_count) && is_first && !batch->is_source_stopped) {
		stop_source(batch);	/* its table, or rest of events, is to come */
		batch->again_ns = clock_now_ns() + AGAIN_NS;
		batch->end_ns = clock_now_ns() + UNREAD_NS;
		return;
	}
	if (clock_now_ns() < batch->again_ns)
		return;
	/* Complete a line that was begun. A second signal ends the run at once. */
	batch->is_done = !is_first || !batch->text || !batch->written;
	batch->is_last = true;
	batch->unread_ns = SIGNAL_UNREAD_NS;
	batch->end_ns = clock_now_ns() + batch->unread_ns;
	if (is_first)
		batch->again_ns = clock_now_ns() + AGAIN_NS;
}

/* Ends the run with the command. Processes that it leaves running go on unsampled, as in perf. */
static void end_with_command(struct batch *batch)
{
	batch->sources[SOURCE_COMMAND].fd = -1;
	if (batch->is_source_stopped)
		return;
	batch->end_ns = 0;
	stop_source(batch);
}

static int wait_ms(const struct batch *batch)
{
	const uint64_t now_ns = clock_now_ns();
	uint64_t left_ms;

	if (!batch->end_ns || (batch->is_source_stopped && !batch->text))
		return -1;
	if (now_ns >= batch->end_ns)
		return 0;
	left_ms = (batch->end_ns - now_ns) / CLOCK_NS_PER_MS + 1;
	return left_ms > 60000 ? 60000 : (int)left_ms;
}

static void stop_when_over(struct batch *batch, struct diag *why)
{
	if (!batch->end_ns || batch->is_done || clock_now_ns() < batch->end_ns)
		return;
	if (batch->result) {
		batch->is_done = true;
	} else if (!batch->is_source_stopped) {
		stop_source(batch);
		batch->unread_ns = UNREAD_NS;
		batch->end_ns = clock_now_ns() + batch->unread_ns;
	} else if (batch->text) {
		fail_output(batch, "nobody reads it", why);
	}
}

/* The flags of standard output belong to all who share it, the shell included, so a terminal or
 * pipe is opened once more. A file would start at its beginning; it doesn't block anyway. */
static int open_output(void)
{
	struct stat output;
	int fd = -1;

	privileges_begin_write();	/* they are the user's who called sudo */
	if (isatty(STDOUT_FILENO) || (!fstat(STDOUT_FILENO, &output) && S_ISFIFO(output.st_mode)))
		fd = open("/proc/self/fd/1", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	privileges_end_write();
	return fd < 0 ? STDOUT_FILENO : fd;
}

/* Says what conditions have fired, on standard error, at once. */
static void print_keep_messages(struct batch *batch)
{
	const struct keep_control *keep = session_keep_control(batch->session);
	struct keep_message message;

	while (keep && keep->next(keep->owner, &message))
		safe_print(stderr, "flametop: %s\n", sanitize_checked(message.text));
}

static int run_loop(struct batch *batch, struct diag *why)
{
	struct pollfd *sources = batch->sources;
	int err = 0;

	while (!err && !batch->is_done) {
		sources[SOURCE_ANALYZER].fd =
			batch->text ? -1 : analyzer_fd(batch->session->analyzer);
		sources[SOURCE_OUTPUT].fd = batch->text ? batch->output_fd : -1;
		if (poll(sources, SOURCE_COUNT, wait_ms(batch)) < 0)
			continue;
		if (sources[SOURCE_SIGNAL].revents)
			take_signal(batch);
		else if (sources[SOURCE_OUTPUT].revents)
			write_output(batch, why);
		else if (sources[SOURCE_ANALYZER].revents)
			err = take_snapshot(batch, why);
		if (sources[SOURCE_KEEP].revents)
			print_keep_messages(batch);
		if (sources[SOURCE_COMMAND].revents && !batch->result)
			end_with_command(batch);
		stop_when_over(batch, why);
	}
	if (err || batch->result)
		return err ? err : batch->result;
	return batch->has_grown ? BATCH_HAS_GROWN : 0;
}

/* Waits until @fd is readable, a signal came or @until_ns is past, unless that is UINT64_MAX. True:
 * it is readable. */
static bool wait_until(struct batch *batch, int fd, uint64_t until_ns)
{
	struct pollfd sources[] = {
		{ .fd = fd, .events = POLLIN }, batch->sources[SOURCE_SIGNAL],
	};
	const int wait_ms = until_ns == UINT64_MAX ? -1 : clock_ms_until(until_ns, clock_now_ns());

	if (poll(sources, 2, wait_ms) <= 0)
		return false;
	if (sources[1].revents)
		take_signal(batch);
	return sources[0].revents;
}

/* Waits until @fd is readable. False: a second signal came before. */
static bool wait_for(struct batch *batch, int fd)
{
	bool is_readable = false;

	while (!is_readable && !batch->is_abandoned)
		is_readable = wait_until(batch, fd, UINT64_MAX);
	return is_readable && !batch->is_abandoned;
}

static uint32_t stacks_request(const struct batch *batch, enum shared_needs needs)
{
	return shared_format_request(needs, batch->options->show_idle,
				     batch->options->wants_source);
}

/* Returns whether @made will do for a file: NULL and one of another file will not, nor will one
 * made before the end of the run, unless time is short, or one of the window of a refresh. */
static bool is_whole(const struct batch *batch, const struct snapshot *made,
		     enum shared_needs needs, const struct whole_wait *wait)
{
	if (!made || !whole_wait_takes(wait, clock_now_ns(), made->is_last) ||
	    (batch->options->window == WINDOW_INTERVAL && made->window != WINDOW_ALL))
		return false;
	return needs == SHARED_NEEDS_SHOWN ||
	       made->stacks_wanted == stacks_request(batch, needs);
}

/* Takes ownership of @snapshot, and returns what was requested for a file, or a snapshot with the
 * reason why there is none. NULL: it was not that one. */
static struct snapshot *take_whole(struct batch *batch, struct snapshot *snapshot,
				   enum shared_needs needs, struct whole_wait *wait)
{
	struct snapshot *made = needs == SHARED_NEEDS_SHOWN ? snapshot : snapshot->folded;
	const bool will_do = is_whole(batch, made, needs, wait);

	if (snapshot->end_err || (will_do && made == snapshot))
		return snapshot;
	if (will_do)
		snapshot->folded = NULL;
	else
		whole_wait_note_other(wait, clock_now_ns(), snapshot->is_last);
	snapshot_destroy(snapshot);
	return will_do ? made : NULL;
}

static void request_whole(struct batch *batch, enum shared_needs needs)
{
	if (needs == SHARED_NEEDS_SHOWN)
		request(batch, REQUEST_REFRESH, 0);
	else
		request(batch, REQUEST_STACKS, stacks_request(batch, needs));
}

/* Makes the analyzer sum up the whole run. NULL: a second signal came, or there is no reply. */
static struct snapshot *make_whole(struct batch *batch, enum shared_needs needs)
{
	const int fd = analyzer_fd(batch->session->analyzer);
	struct snapshot *snapshot, *whole = NULL;
	enum whole_step step = WHOLE_REQUEST;
	struct whole_wait wait;

	whole_wait_begin(&wait, clock_now_ns(), !batch->options->replay_path);
	if (batch->options->window == WINDOW_INTERVAL)
		request(batch, REQUEST_WINDOW, WINDOW_ALL);
	while (!whole && step != WHOLE_GIVE_UP && !batch->is_abandoned) {
		if (step == WHOLE_REQUEST)
			request_whole(batch, needs);
		if (batch->result > 128)
			whole_wait_note_signal(&wait, clock_now_ns());
		snapshot = wait_until(batch, fd, whole_wait_due_ns(&wait))
			   ? analyzer_take_snapshot(batch->session->analyzer) : NULL;
		if (snapshot)
			whole = take_whole(batch, snapshot, needs, &wait);
		step = whole_wait_next(&wait, clock_now_ns());
	}
	return whole;
}

/* Returns the command line as it was given, quoted for the shell, to be freed; NULL: no memory. */
static char *make_command(const struct options *options)
{
	char *const *words = options->arguments;
	size_t room = sizeof("flametop");
	char *line;

	for (size_t i = 1; words[i]; i++)
		room += 4 * strlen(words[i]) + 4;	/* each quotation mark becomes four bytes */
	line = calloc(1, room);
	if (!line)
		return NULL;
	launch_append(line, room, "flametop");
	for (size_t i = 1; words[i]; i++)
		launch_append(line, room, words[i]);
	return line;
}

static void write_output_file(struct batch *batch, struct shared_output *output,
			      struct shared_options *options)
{
	const enum shared_needs needs = shared_format_needs(output->format);
	struct snapshot *whole = make_whole(batch, needs);
	struct shared_file *file;

	if (!whole) {
		shared_output_fail(output, batch->is_abandoned ? -EINTR : -ETIMEDOUT,
				   "%s is not written: %s", output->path, batch->is_abandoned
				   ? "a second signal came" : "its samples were not summed up in "
				   "time; with less to do, or more memory, they may be");
		return;
	}
	if (whole->end_err) {
		shared_output_fail(output, whole->end_err, "%s is not written: %s", output->path,
				   whole->end_reason);
		snapshot_destroy(whole);
		return;
	}
	options->format = output->format;
	shared_options_choose(options,
			      batch->options->wants_rows ? batch->options->max_rows : 0);
	options->table.print.has_groups = output->format == SHARED_TEXT
					  ? batch->options->group_count
					  : options->table.kind == TABLE_GROUPS;
	file = shared_output_start(output, whole, options);
	if (!file)
		return;
	if (wait_for(batch, shared_file_fd(file)))
		shared_output_finish(output, file);
	else	/* a disk that hangs: its thread ends with the process */
		shared_output_fail(output, -EINTR, "%s is not written: a second signal came",
				   output->path);
}

/* Writes the files of -o, of the whole run. */
static void write_output_files(struct batch *batch)
{
	struct shared_outputs *outputs = &batch->session->outputs;
	char *command = make_command(batch->options);
	struct shared_options options = {
		.table = table_options_of(batch->options), .command = command ? command : "",
		.marks_kernel = batch->options->kernel_suffix,
	};

	if (outputs->count && !batch->is_source_stopped)
		stop_source(batch);
	for (size_t i = 0; i < outputs->count; i++)
		write_output_file(batch, &outputs->list[i], &options);
	free(command);
}

/* Printing by the format files of the source's tracepoints. */
static int create_traces(struct batch *batch, struct diag *why)
{
	const struct session *session = batch->session;
	const struct perf_data *reader = session->recordings.first.reader;
	const size_t count = session->capture ? capture_event_count(session->capture)
					      : perf_data_event_count(reader);
	const struct event_desc **events = calloc(count + 1, sizeof(*events));
	int err = events ? 0 : -ENOMEM;

	for (size_t i = 0; i < count && events; i++)
		events[i] = session->capture ? capture_event(session->capture, i)
					     : perf_data_event(reader, i);
	if (!err)
		err = trace_printer_create(&batch->traces, session->sandboxes[SANDBOX_OF_TRACES],
					   events, (uint32_t)count);
	free(events);
	return err ? diag_set(why, err, "no memory for the output") : 0;
}

int batch_run(struct session *session, const struct options *options, struct diag *why)
{
	struct batch batch = { .session = session, .options = options };
	const int signal_fd = session_signal_fd();
	int result;

	if (signal_fd < 0)
		return diag_set(why, signal_fd, "cannot watch signals: %s", strerror(-signal_fd));
	result = create_writer(&batch, why);
	if (result) {
		close(signal_fd);
		return result;
	}
	batch.sources[SOURCE_SIGNAL].fd = signal_fd;
	batch.sources[SOURCE_COMMAND] = (struct pollfd){
		.fd = session->command ? command_pidfd(session->command) : -1, .events = POLLIN,
	};
	batch.sources[SOURCE_KEEP] = (struct pollfd){
		.fd = session_keep_control(session) ? session_keep_control(session)->fd : -1,
		.events = POLLIN,
	};
	if (options->duration_ns)
		batch.end_ns = clock_now_ns() + options->duration_ns;
	batch.sources[SOURCE_ANALYZER].events = batch.sources[SOURCE_SIGNAL].events = POLLIN;
	batch.sources[SOURCE_OUTPUT].events = POLLOUT;
	batch.output_fd = open_output();
	result = options->format == OUTPUT_SCRIPT ? create_traces(&batch, why) : 0;
	if (!result)
		result = run_loop(&batch, why);
	if (result >= 0)
		write_output_files(&batch);
	if (result >= 0 && batch.result > result)	/* a signal while they were written */
		result = batch.result;
	trace_printer_destroy(batch.traces);
	print_keep_messages(&batch);
	free(batch.text);
	table_writer_destroy(batch.writer);
	if (batch.output_fd != STDOUT_FILENO)
		close(batch.output_fd);
	close(signal_fd);
	return result;
}
