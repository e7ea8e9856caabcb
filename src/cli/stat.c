/* stat.c - counts, waits, prints: stat_run() of cli/session.h.
 *
 * Idea: one thread and one poll(2): the end of the command, a signal, the next interval, the end of
 * the duration. What is printed is rendered into memory and written only as far as the output takes
 * it, so that a reader that has stopped reading does not keep a signal from ending flametop.
 *
 * Invariant: a command is counted by counters that its exec enables, so nothing of flametop is in
 * its counts; and they are read when it has ended, with what its ended children left in them.
 */
#include "cli/session.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/privileges.h"
#include "base/safe_print.h"
#include "capture/counter_set.h"
#include "capture/scope.h"
#include "cli/options.h"
#include "export/print.h"
#include "proc/command.h"

#define UNREAD_MS 500		/* how long the output may block after a signal */
#define SLOW_EVENTS 40		/* so many tracepoints take the kernel a second to close */
#define TARGET_BYTES 512

struct counting {
	const struct options *options;
	struct counter_list list;	/* owned */
	struct counter_set *set;	/* owned */
	struct command *command;	/* owned; NULL: none */
	int signal_fd, output_fd;
	int status;			/* 128+n after signal n; else the command's */
	unsigned int signals;
	bool is_over;			/* no run and no interval follows */
	bool has_printed;
	char target[TARGET_BYTES];
	size_t cell_count;		/* rows x events; 0: no run yet */
	struct counter_value *now, *before, *own;	/* owned */
	struct counter_cell *cells;	/* owned */
	struct counter_mean *means;	/* owned; of the runs */
	struct counter_mean elapsed, user, system;
	uint64_t start_ns, interval_start_ns;
};

static void append_word(char *out, size_t room, const char *word)
{
	const size_t used = strlen(out);

	snprintf(out + used, room - used, "%s%s", used ? " " : "", word);
}

static int count_cpus(const struct target *target)
{
	size_t count = target->cpu_count;
	int *cpus;

	if (!target->cpus && !cpu_list_online(&cpus, &count, NULL))
		free(cpus);
	return (int)count;
}

static void describe_target(struct counting *counting)
{
	const struct options *options = counting->options;
	const struct target *target = &options->capture.target;

	if (options->stat.cgroups) {
		snprintf(counting->target, sizeof(counting->target), "cgroups %s",
			 options->stat.cgroups);
	} else if (!options->command || options->is_command_clock) {
		target_format(target, target->kind, (size_t)count_cpus(target), counting->target,
			      sizeof(counting->target));
	} else {
		for (char *const *word = options->command; *word; word++)
			append_word(counting->target, sizeof(counting->target), *word);
	}
}

/* Notes a signal. One from a key of the terminal has reached the command already. */
static void take_signal(struct counting *counting)
{
	struct signalfd_siginfo seen;

	if (read(counting->signal_fd, &seen, sizeof(seen)) != sizeof(seen))
		return;
	counting->signals++;
	counting->is_over = true;
	counting->status = 128 + (int)seen.ssi_signo;
	if (counting->command && seen.ssi_code != SI_KERNEL)
		command_signal(counting->command, (int)seen.ssi_signo);
}

/* Writes all of @text. Returns 0, also when nobody reads a pipe any more; BATCH_OUTPUT_FAILED. */
static int write_output(struct counting *counting, const char *text, size_t bytes, struct diag *why)
{
	struct pollfd sources[] = {
		{ .fd = counting->output_fd, .events = POLLOUT },
		{ .fd = counting->signal_fd, .events = POLLIN },
	};

	while (bytes) {
		const size_t chunk = bytes < PIPE_BUF ? bytes : PIPE_BUF;
		ssize_t count = 0;

		if (poll(sources, 2, counting->signals ? UNREAD_MS : -1) == 0)
			return 0;
		if (sources[1].revents)
			take_signal(counting);
		if (sources[0].revents)
			count = write(counting->output_fd, text, chunk);
		if (count < 0 && errno == EPIPE) {
			counting->is_over = true;
			return 0;
		}
		if (count < 0 && errno != EAGAIN && errno != EINTR) {
			diag_set(why, -EIO, "cannot write the output: %s", strerror(errno));
			return BATCH_OUTPUT_FAILED;
		}
		text += count > 0 ? count : 0;
		bytes -= count > 0 ? (size_t)count : 0;
	}
	return 0;
}

static int print_report(struct counting *counting, const struct counter_report *report,
			struct diag *why)
{
	const enum output_format format = counting->options->format;
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);
	int result = -ENOMEM;
	bool has_failed;

	if (!out)
		return diag_set(why, result, "no memory for the output");
	if (format == OUTPUT_JSON)
		counter_json_write(out, report);
	else if (format == OUTPUT_CSV)
		counter_table_write(out, report, TABLE_CSV);
	else if (format == OUTPUT_MARKDOWN)
		counter_table_write(out, report, TABLE_MARKDOWN);
	else
		counter_text_write(out, report);
	has_failed = ferror(out);
	if (fclose(out) || has_failed)
		diag_set(why, result, "no memory for the output");
	else
		result = write_output(counting, text, bytes, why);
	free(text);
	counting->has_printed = true;
	return result;
}

static struct counter_report make_report(const struct counting *counting)
{
	const struct stat_options *stat = &counting->options->stat;
	struct counter_report report = {
		.events = counting->list.events, .event_count = counting->list.count,
		.rows = counter_set_row(counting->set, 0),
		.row_count = counter_set_row_count(counting->set),
		.rows_are = stat->per_cpu ? COUNTER_PER_CPU : stat->per_socket ? COUNTER_PER_SOCKET
			    : stat->per_thread ? COUNTER_PER_THREAD
			    : stat->cgroups ? COUNTER_PER_CGROUP : COUNTER_ONE_ROW,
		.cells = counting->cells, .target = counting->target,
		.notice = counter_set_notice(counting->set),
		.is_first = !counting->has_printed, .only_nonzero = stat->only_nonzero,
	};

	return report;
}

static double seconds_of(uint64_t ns)
{
	return (double)ns / (double)CLOCK_NS_PER_S;
}

/* Prints what was counted since the last interval, up to @now_ns. */
static int print_interval(struct counting *counting, uint64_t now_ns, struct diag *why)
{
	struct counter_report report = make_report(counting);

	counter_set_read(counting->set, counting->now);
	for (size_t i = 0; i < counting->cell_count; i++) {
		const struct counter_value now = counting->now[i];
		struct counter_value part;

		counter_values_subtract(&now, &counting->before[i], &part, 1);
		counting->cells[i] = counter_cell_of(
			&part, &counting->list.events[i % counting->list.count], true);
		counting->before[i] = now;
	}
	report.is_interval = true;
	report.time_s = seconds_of(now_ns - counting->start_ns);
	report.elapsed_s = seconds_of(now_ns - counting->interval_start_ns);
	counting->interval_start_ns = now_ns;
	return print_report(counting, &report, why);
}

/* Reads the counters at the end of a run and adds them to the means. */
static void read_run(struct counting *counting)
{
	counter_set_read(counting->set, counting->now);
	for (size_t i = 0; i < counting->cell_count; i++)
		counter_event_refuse_zero(&counting->list.events[i % counting->list.count],
					  &counting->now[i]);
	for (size_t i = 0; i < counting->cell_count; i++) {
		struct counter_cell cell = counter_cell_of(
			&counting->now[i], &counting->list.events[i % counting->list.count],
			false);
		struct counter_mean *mean = &counting->means[i];

		if (cell.state == COUNTER_COUNTED)
			counter_mean_add(mean, cell.value);
		if (mean->runs) {
			cell.state = COUNTER_COUNTED;
			cell.value = mean->mean;
			cell.deviation_pct = counter_mean_deviation_pct(mean);
		}
		counting->cells[i] = cell;
	}
}

static int print_total(struct counting *counting, struct diag *why)
{
	struct counter_report report = make_report(counting);

	report.elapsed_s = counting->elapsed.mean;
	report.elapsed = counting->elapsed;
	report.user = counting->user;
	report.system = counting->system;
	if (counter_set_read_own(counting->set, counting->own))
		report.own = counting->own;
	return print_report(counting, &report, why);
}

/* Counts until the command ends, a signal comes or the duration is over. */
static int wait_for_end(struct counting *counting, struct diag *why)
{
	const struct options *options = counting->options;
	const uint64_t interval_ns = options->stat.interval_ns;
	const uint64_t end_ns = options->duration_ns ? counting->start_ns + options->duration_ns
						     : UINT64_MAX;
	uint64_t next_ns = interval_ns ? counting->start_ns + interval_ns : UINT64_MAX;
	struct pollfd sources[] = {
		{ .fd = counting->command ? command_pidfd(counting->command) : -1,
		  .events = POLLIN },
		{ .fd = counting->signal_fd, .events = POLLIN },
	};
	uint64_t now_ns = clock_now_ns();
	int result = 0;

	while (!result && now_ns < end_ns) {
		const uint64_t due_ns = clock_earlier(next_ns, end_ns);

		poll(sources, 2, due_ns == UINT64_MAX ? -1 : clock_ms_until(due_ns, now_ns));
		now_ns = clock_now_ns();
		if (sources[0].revents)
			return 0;
		if (sources[1].revents)
			take_signal(counting);
		/* A command has got the first signal, too, and is counted until it ends. */
		if (counting->is_over && (!counting->command || counting->signals != 1))
			return 0;
		if (now_ns < next_ns || now_ns >= end_ns)
			continue;
		result = print_interval(counting, now_ns, why);
		next_ns += (now_ns - next_ns) / interval_ns * interval_ns + interval_ns;
		now_ns = clock_now_ns();
	}
	return result;
}

static double seconds_of_time(const struct timeval *time)
{
	return (double)time->tv_sec + (double)time->tv_usec / 1e6;
}

/* Reaps the command if it has ended, and adds what it used. @before: RUSAGE_CHILDREN before it. */
static void add_usage(struct counting *counting, const struct rusage *before)
{
	struct rusage after;
	int status;

	if (!counting->command || !command_has_ended(counting->command, &status))
		return;
	counting->status = status;
	getrusage(RUSAGE_CHILDREN, &after);
	counter_mean_add(&counting->user, seconds_of_time(&after.ru_utime) -
					  seconds_of_time(&before->ru_utime));
	counter_mean_add(&counting->system, seconds_of_time(&after.ru_stime) -
					    seconds_of_time(&before->ru_stime));
}

static int alloc_cells(struct counting *counting, struct diag *why)
{
	const size_t count = counter_set_row_count(counting->set) * counting->list.count;

	if (counting->cell_count == count)
		return 0;
	if (counting->cell_count)
		return diag_set(why, -EAGAIN, "what has a line of its own changed between two "
				"runs");
	counting->cell_count = count;
	counting->now = calloc(count, sizeof(*counting->now));
	counting->before = calloc(count, sizeof(*counting->before));
	counting->own = calloc(counting->list.count, sizeof(*counting->own));
	counting->cells = calloc(count, sizeof(*counting->cells));
	counting->means = calloc(count, sizeof(*counting->means));
	return counting->now && counting->before && counting->own && counting->cells &&
	       counting->means ? 0 : diag_set(why, -ENOMEM, "no memory for the counts");
}

/* Opens the counters. Those of the last run are closed only then: closing the last descriptor of a
 * tracepoint takes 40 ms. */
static int open_counters(struct counting *counting, struct diag *why)
{
	const struct stat_options *stat = &counting->options->stat;
	struct target target = counting->options->capture.target;
	struct counter_set *last = counting->set;
	const enum counter_rows rows = stat->per_cpu ? COUNTER_PER_CPU
				     : stat->per_socket ? COUNTER_PER_SOCKET
				     : stat->per_thread ? COUNTER_PER_THREAD
				     : stat->cgroups ? COUNTER_PER_CGROUP : COUNTER_ONE_ROW;
	pid_t pid;
	int err;

	if (counting->command && !counting->options->is_command_clock) {
		pid = command_pid(counting->command);
		target.kind = TARGET_COMMAND;
		target.ids = &pid;
		target.id_count = 1;
	}
	err = counter_set_open(&counting->set, &counting->list, &target, rows, stat->cgroups, why);
	counter_set_destroy(last);
	return err ? err : alloc_cells(counting, why);
}

/* Counts one run. The last one drops the privileges that nothing needs any longer. */
static int run_once(struct counting *counting, bool is_last, struct diag *why)
{
	const struct options *options = counting->options;
	struct rusage before;
	uint64_t end_ns;
	int result = 0;

	if (options->command)
		result = command_prepare(&counting->command, options->command, false, why);
	if (!result)
		result = open_counters(counting, why);
	if (!result && is_last)
		result = privileges_drop(PRIVILEGES_TO_READ, options->command, why);
	if (result)
		return result;
	getrusage(RUSAGE_CHILDREN, &before);
	counter_set_enable(counting->set);
	counting->start_ns = counting->interval_start_ns = clock_now_ns();
	if (options->command)
		result = command_start(counting->command, why);
	if (!result)
		result = wait_for_end(counting, why);
	end_ns = clock_now_ns();
	counter_mean_add(&counting->elapsed, seconds_of(end_ns - counting->start_ns));
	counter_set_disable(counting->set);
	add_usage(counting, &before);
	if (!result && options->stat.interval_ns)
		result = print_interval(counting, end_ns, why);
	if (!result)
		read_run(counting);
	return result;
}

/* Returns the status of a command that could not be started, whose reason is @why; else @result. */
static int end_of_start(struct counting *counting, int result)
{
	int status;

	if (result >= 0 || !counting->command ||
	    !command_has_ended(counting->command, &status))
		return result;
	counting->status = status;
	return 0;
}

/* A command that outlives its counters is waited for. */
static void end_command(struct counting *counting)
{
	if (counting->command && command_is_left(counting->command))
		counting->status = command_outlive(counting->command);
	command_destroy(counting->command);
	counting->command = NULL;
}

static int run_all(struct counting *counting, struct diag *why)
{
	const struct options *options = counting->options;
	const uint64_t runs = options->stat.runs ? options->stat.runs : 1;
	const bool is_cpu_wide = !options->capture.target.ids &&
				 (!options->command || options->is_command_clock) &&
				 !options->stat.per_thread;
	int result = counter_list_parse(&counting->list, &options->capture,
					(enum counter_detail)options->stat.detail, is_cpu_wide,
					why);

	for (uint64_t run = 1; !result && !counting->is_over && run <= runs; run++) {
		if (run > 1)
			end_command(counting);
		result = run_once(counting, run == runs, why);
	}
	if (result || !counting->elapsed.runs)
		return end_of_start(counting, result);
	result = print_total(counting, why);
	if (counting->list.count >= SLOW_EVENTS && isatty(STDERR_FILENO))
		safe_print(stderr, "flametop: the kernel closes %zu events, which takes a while\n",
			   counting->list.count);
	return result;
}

/* Opens the file of -o, before anything runs in vain, where no other user can have put a link; a
 * FIFO that nobody reads is refused. Returns 0 or BATCH_OUTPUT_FAILED. */
static int open_output(struct counting *counting, struct diag *why)
{
	const struct stat_options *stat = &counting->options->stat;
	const int flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW |
			  (stat->appends ? O_APPEND : O_TRUNC);
	const char *name;
	int directory;

	if (!stat->output_path)
		return 0;
	directory = new_file_place(stat->output_path, &name, why);
	if (directory < 0) {
		diag_prefix(why, "cannot write to %s", stat->output_path);
		return BATCH_OUTPUT_FAILED;
	}
	counting->output_fd = openat(directory, name, flags, 0666);
	if (counting->output_fd < 0)
		diag_set(why, -errno, "cannot write to %s: %s", stat->output_path,
			 errno == ELOOP ? "it is a symbolic link, name the file itself"
					: strerror(errno));
	close(directory);
	return counting->output_fd < 0 ? BATCH_OUTPUT_FAILED : 0;
}

int stat_run(const struct options *options, int *status, struct diag *why)
{
	struct counting counting = {
		.options = options, .signal_fd = session_signal_fd(),
		.output_fd = options->stat.output_path ? -1
			     : options->command ? STDERR_FILENO : STDOUT_FILENO,
	};
	int result;

	if (counting.signal_fd < 0)
		return diag_set(why, counting.signal_fd, "cannot watch signals: %s",
				strerror(-counting.signal_fd));
	describe_target(&counting);
	result = open_output(&counting, why);
	if (!result)
		result = run_all(&counting, why);
	end_command(&counting);
	*status = counting.status;
	counter_set_destroy(counting.set);
	counter_list_finish(&counting.list);
	free(counting.now);
	free(counting.before);
	free(counting.own);
	free(counting.cells);
	free(counting.means);
	close(counting.signal_fd);
	if (options->stat.output_path && counting.output_fd >= 0)
		close(counting.output_fd);
	return result;
}
