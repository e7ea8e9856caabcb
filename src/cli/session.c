/* session.c - see session.h. */
#include "cli/session.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/crash.h"
#include "base/log.h"
#include "base/privileges.h"
#include "base/safe_print.h"
#include "sandbox/landlock.h"
#include "session_probes.h"
#include "startup_probes.h"

#define SLOW_EVENTS 32	/* to be closed, a second or more */
/* Half a second of the default rate on two CPUs with 16 KiB of stack each; more waits in rings. */
#define QUEUE_BYTES (16u * 1024 * 1024)

/* Longest time until a hit is printed: too short to notice, and long enough to cost little. */
#define EVENTS_INTERVAL_NS (100 * CLOCK_NS_PER_MS)

/* Records a process of flametop's own; processes forked by these are known by their descent. */
static void note_own(struct session *session, pid_t pid)
{
	session->own_pids[session->own_pid_count++] = (uint32_t)pid;
}

static int fork_children(struct session *session, const struct options *options, bool has_screen,
			 struct diag *why)
{
	int err = guardian_start(&session->guardian, has_screen ? STDIN_FILENO : -1, why);

	note_own(session, getpid());
	if (!err)
		note_own(session, guardian_pid(session->guardian));
	for (size_t i = 0; i < SESSION_SANDBOXES && !err; i++) {
		err = sandbox_start(&session->sandboxes[i], why);
		if (err)
			break;
		note_own(session, sandbox_pid(session->sandboxes[i]));
		guardian_watch_child(session->guardian, sandbox_pid(session->sandboxes[i]));
	}
	if (err)
		return err;
	if (!landlock_version())
		log_note("this kernel has no Landlock: files are read without that layer");
	if (options->command)
		err = command_prepare(&session->command, options->command, has_screen, why);
	if (session->command && options->ends_command) {
		command_end_with_us(session->command);
		guardian_watch_command(session->guardian, command_pid(session->command));
	}
	if (err)
		return err;
	return privileges_drop(options->is_readonly ? PRIVILEGES_TO_READ : PRIVILEGES_OF_MAIN,
			       session->command, why);
}

static int open_capture(struct session *session, struct options *options, struct diag *why)
{
	struct target *target = &options->capture.target;
	int err;

	if (session->command && !options->is_command_clock) {
		target->ids = malloc(sizeof(*target->ids));
		if (!target->ids)
			return diag_set(why, -ENOMEM, "no memory for the target");
		target->ids[0] = command_pid(session->command);
		target->id_count = 1;
		target->kind = TARGET_COMMAND;
	}
	session->stack_ends = calloc(1, sizeof(*session->stack_ends));	/* NULL: copies are whole */
	options->capture.stack_ends = session->stack_ends;
	options->capture.has_no_event = options->is_only_probes;
	err = capture_open(&session->capture, &options->capture, why);
	memset(target, 0, sizeof(*target));	/* taken over, also on failure */
	gethostname(session->host, sizeof(session->host) - 1);
	return err ? err : source_create(&session->source, session->capture, false, why);
}

static int open_recordings(struct session *session, const struct options *options,
			   struct diag *why)
{
	int err = session_recordings_open(&session->recordings, options->replay_path,
					  options->diff_path,
					  session->sandboxes[SANDBOX_OF_RECORDINGS], why);

	if (!err)
		snprintf(session->host, sizeof(session->host), "%s",
			 perf_data_host(session->recordings.first.reader));
	return err;
}

/* NULL: nothing is kept on disk. */
static struct table_cache *open_cache(const struct options *options)
{
	struct table_cache *cache = NULL;
	struct diag why = { .err = 0 };
	char directory[PATH_MAX];

	if (!options->no_cache && (table_cache_home(directory, sizeof(directory), &why) ||
				   table_cache_open(&cache, directory, &why)))
		log_note("symbol tables are not kept on disk: %s", why.text);
	return cache;
}

static int create_stages(struct session *session, const struct options *options,
			 struct diag *why)
{
	int err = object_opener_create(&session->opener, session->sandboxes[SANDBOX_OF_OBJECTS],
				       open_cache(options), why);

	if (!err)
		err = line_server_create(&session->line_server,
					 session->sandboxes[SANDBOX_OF_LINES], why);
	if (!err)
		err = rare_server_create(&session->rare_server,
					 session->sandboxes[SANDBOX_OF_CALLERS], why);
	if (!err)
		err = demangler_create(&session->demangler, session->sandboxes[SANDBOX_OF_NAMES],
				       why);
	if (!err && session->capture)
		err = process_reader_create(&session->reader, why);
	if (!err && session->capture)
		err = session_probes_create(session, options, why);
	if (err)
		return err;
	if (session->capture)
		cpu_sockets_read(&session->sockets, "/sys/devices/system/cpu");
	if (spsc_init(&session->queue, QUEUE_BYTES))
		return diag_set(why, -ENOMEM, "no memory for the record queue");
	session->has_queue = true;
	return 0;
}

static void leave_out_own(const struct session *session, struct ingest_config *ingest)
{
	ingest->own_pids = session->own_pids;
	ingest->own_pid_count = session->own_pid_count;
	if (session->command)
		ingest->launcher_pid = (uint32_t)command_pid(session->command);
}

static void configure_live(struct session *session, const struct options *options,
			   struct analyzer_config *config)
{
	const struct source *source = session->source;

	config->ingest = source->ingest;
	if (!options->includes_self)
		leave_out_own(session, &config->ingest);
	config->queue_fd = capture_queue_fd(session->capture);
	config->target = source->target;
	config->target_pid = source->target_pid;
	config->offers_children = source->offers_children;
	config->notice = source->notice;
	config->absent_events = source->absent_events;
	config->cpus = source->cpus;
	config->has_busy = source->has_busy;
	config->sockets = session->sockets.of_cpu;
	config->socket_count = session->sockets.count;
	config->copies = retarget_copy_control(session->retarget);
	config->probes = session_probes_source(session);
	config->probes.round_fd = capture_round_fd(session->capture);
}

static bool wants_lines(const struct options *options)
{
	for (uint32_t i = 0; i < options->group_count; i++)
		if (options->groups[i] == GROUP_SOURCE)
			return true;
	return options->wants_source;
}

static int start_analyzer(struct session *session, const struct options *options,
			  struct diag *why)
{
	struct analyzer_config config = {
		.queue = &session->queue,
		.opener = session->opener, .reader = session->reader, .host = session->host,
		.line_server = session->line_server, .rare_server = session->rare_server,
		.demangler = session->demangler, .stack_ends = session->stack_ends,
		.wants_all_events = options->is_batch,
		.begins_on_request = options->is_batch && session->capture,
		.wants_events = options->has_events,
		.wants_event_stacks = event_fields_has(&options->fields, EVENT_STACK),
		.shows_idle_events = options->show_idle,
		.wants_sources = options->is_batch && !options->has_events && wants_lines(options),
		.source_rows = options->wants_source ? options->max_rows : 0,
		.query = { .keys = options->keys, .filter = options->filter,
			   .raw_names = options->raw_names, .is_relative = options->is_relative,
			   .by_total = options->is_batch && options->wants_children,
			   .group_count = options->group_count },
		.window = options->window, .window_ns = options->window_ns,
		.interval_ns = options->interval_ns, .memory_bytes = options->memory_bytes,
	};
	int err = 0;

	memcpy(config.query.groups, options->groups, sizeof(options->groups));
	if (options->is_batch)		/* -E says how many are printed */
		config.query.tree_limit_pct = -1;
	if (options->has_events)
		config.interval_ns = EVENTS_INTERVAL_NS;
	if (options->format == OUTPUT_FOLDED) {
		config.query.tree = TREE_CALLEES;
		config.query.tree_commands = true;
		config.query.tree_idle = options->show_idle;
	}
	if (session->capture)
		err = retarget_start(&session->retarget, &session->capture, &options->capture,
				     why);
	if (err)
		return err;
	if (session->capture)
		configure_live(session, options, &config);
	else
		session_recordings_configure(&session->recordings, &config);
	err = analyzer_create(&session->analyzer, &config, why);
	if (!err)
		err = analyzer_start(session->analyzer, why);
	if (!err && session->source)
		source_log_notice(session->source);
	return err;
}

/* Starts the first interval now: attaching probes may have taken a while. */
static void begin_batch(struct session *session)
{
	const struct request begin = { .kind = REQUEST_BEGIN, .value_ns = clock_now_ns() };

	analyzer_request(session->analyzer, &begin);
}

static int start_source(struct session *session, const struct options *options, struct diag *why)
{
	int err = session_probes_start(session, options, why);

	if (err)
		return err;
	if (session->recordings.first.reader)
		return perf_data_start(session->recordings.first.reader, &session->queue, why);
	if (options->is_batch)
		begin_batch(session);
	err = capture_start(session->capture, &session->queue, why);
	if (err || !session->command)
		return err;
	if (command_output_fd(session->command) >= 0)
		err = command_output_start(&session->command_output,
					   command_output_fd(session->command), why);
	return err ? err : command_start(session->command, why);
}

int session_start(struct session *session, struct options *options, bool has_screen,
		  struct diag *why)
{
	size_t descriptors;
	int err;

	memset(session, 0, sizeof(*session));
	/* Before what takes the first of them: each would say of its own that there is none. */
	err = capture_claim_descriptors(&descriptors, why);
	if (!err)
		err = fork_children(session, options, has_screen, why);
	crash_catch(options->log_path);
	if (!err && options->replay_path)
		err = open_recordings(session, options, why);
	else if (!err)
		err = open_capture(session, options, why);
	if (!err)
		err = create_stages(session, options, why);
	if (!err)
		err = start_analyzer(session, options, why);
	if (!err)
		err = start_source(session, options, why);
	return err;
}

struct command *session_release_command(struct session *session)
{
	struct command *command = session->command;

	if (!command || !command_is_left(command))
		return NULL;
	command_output_stop(session->command_output);	/* from here on its output is relayed */
	session->command_output = NULL;
	session->command = NULL;
	return command;
}

void session_stop_source(struct session *session)
{
	if (session->probes)
		startup_probes_finish(session->probes);
	if (session->retarget)
		retarget_stop(session->retarget);
	if (session->capture)
		capture_stop(session->capture);
}

/* The last descriptor of a tracepoint takes the kernel 40 ms to close, one after the other. */
static void tell_slow_end(const struct session *session)
{
	const size_t count = session->capture ? capture_event_count(session->capture) - 1 : 0;

	if (count >= SLOW_EVENTS && isatty(STDERR_FILENO))
		safe_print(stderr, "flametop: the kernel closes %zu events, which takes a while\n",
			   count);
}

void session_finish(struct session *session)
{
	/* Sources before their consumer, and the consumer before what it borrows. */
	session_stop_source(session);
	analyzer_destroy(session->analyzer);	/* it reads what the probes send, to the end */
	if (!probe_engine_destroy(session->probes))
		session->sandboxes[SANDBOX_OF_PROBES] = NULL;
	if (!target_finder_destroy(session->finder))
		session->sandboxes[SANDBOX_OF_TARGETS] = NULL;
	retarget_destroy(session->retarget);
	source_destroy(session->source);
	tell_slow_end(session);
	capture_destroy(session->capture);
	free(session->stack_ends);
	process_reader_destroy(session->reader);
	/* A thread that is left behind uses its sandbox still; the zygote ends with us. */
	if (!object_opener_destroy(session->opener))
		session->sandboxes[SANDBOX_OF_OBJECTS] = NULL;
	session_recordings_close(&session->recordings);
	if (!line_server_destroy(session->line_server))
		session->sandboxes[SANDBOX_OF_LINES] = NULL;
	if (!rare_server_destroy(session->rare_server))
		session->sandboxes[SANDBOX_OF_CALLERS] = NULL;
	demangler_destroy(session->demangler);
	command_output_stop(session->command_output);
	command_destroy(session->command);
	for (size_t i = 0; i < SESSION_SANDBOXES; i++)
		sandbox_stop(session->sandboxes[i]);
	guardian_stop(session->guardian);
	if (session->has_queue)
		spsc_finish(&session->queue);
	cpu_sockets_finish(&session->sockets);
	memset(session, 0, sizeof(*session));
}
