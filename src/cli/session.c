/* session.c - see session.h. */
#include "cli/session.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/build_id.h"
#include "base/clock.h"
#include "base/diag.h"
#include "base/privileges.h"
#include "base/safe_print.h"
#include "capture/stack_copy.h"
#include "capture/tracefs.h"
#include "elf/file_jobs.h"
#include "listing/listing.h"
#include "proc/process_stat.h"
#include "keep.h"
#include "record/flight_recorder.h"
#include "record_control.h"
#include "retarget.h"
#include "sandbox/sandbox.h"
#include "symbols/code_bytes.h"
#include "symbols/debuginfod.h"
#include "symbols/kallsyms.h"

static void watched_signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGHUP);
}

void session_block_signals(void)
{
	sigset_t set;

	watched_signals(&set);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);	/* a closed pipe is an error of write(2), and a quiet end */
}

int session_signal_fd(void)
{
	sigset_t set;
	int fd;

	watched_signals(&set);
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd < 0 ? -errno : fd;
}

int session_take_signal(void)
{
	const struct timespec now = { 0 };
	sigset_t set;
	int signal_seen;

	watched_signals(&set);
	signal_seen = sigtimedwait(&set, NULL, &now);
	return signal_seen > 0 ? 128 + signal_seen : 0;
}

void session_unblock_signals(void)
{
	const struct timespec now = { 0 };
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	while (sigtimedwait(&set, NULL, &now) > 0)
		;
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

static int copy_headers(struct session_recording *recording, struct diag *why)
{
	const size_t count = perf_data_event_count(recording->reader);
	const struct perf_data_build_id *ids;
	size_t id_count;

	ids = perf_data_build_ids(recording->reader, &id_count);
	recording->events = calloc(count + 1, sizeof(*recording->events));
	recording->build_ids = calloc(id_count + 1, sizeof(*recording->build_ids));
	if (!recording->events || !recording->build_ids)
		return diag_set(why, -ENOMEM, "no memory for the recording");
	for (size_t i = 0; i < count; i++)
		recording->events[i] = perf_data_event(recording->reader, i);
	for (size_t i = 0; i < id_count; i++)
		recording->build_ids[i] = (struct ingest_build_id){
			.path = ids[i].path, .build_id = ids[i].build_id,
			.is_kernel = ids[i].is_kernel,
		};
	return 0;
}

static int begin_unpacking(void *owner, int fd, uint64_t begin, uint64_t end, int *records,
			   struct diag *why)
{
	struct session_recording *recording = owner;
	const struct record_unpacker_range range = { .file = fd, .begin = begin, .end = end };

	return record_unpacker_begin(&recording->unpacker, recording->sandbox, ++recording->jobs,
				     &range, records, why);
}

static int end_unpacking(void *owner, struct diag *why)
{
	struct session_recording *recording = owner;
	const int err = record_unpacker_end(recording->unpacker, why);

	recording->unpacker = NULL;
	return err;
}

/* Says what copies of stacks are good for if another machine was recorded. */
static void note_machine(struct session_recording *recording)
{
	const struct perf_data *reader = recording->reader;
	const enum machine machine = perf_data_event(reader, 0)->format.machine;
	bool has_copies = false;
	char name[64];

	for (size_t i = 0; i < perf_data_event_count(reader); i++)
		has_copies |= perf_data_event(reader, i)->format.sample_type &
			      PERF_SAMPLE_STACK_USER;
	if (!has_copies || machine == MACHINE_OWN || machine == MACHINE_X86_32)
		return;
	sanitize_text(name, sizeof(name), perf_data_machine(reader),
		      strlen(perf_data_machine(reader)));
	snprintf(recording->notice, sizeof(recording->notice), user_registers_are_known(machine)
		 ? "%.128s is of %s: a stack ends early where only that machine's libunwind goes on"
		 : "%.128s is of %s, whose registers flametop does not know: no callers from its"
		   " copies of stacks", recording->name, name);
}

static int open_one(const struct session_recordings *recordings,
		    struct session_recording *recording, const char *path, struct diag *why)
{
	const char *slash = strrchr(path, '/');
	struct diag reason = { .err = 0 };
	int err = perf_data_open(&recording->reader, path, why);

	if (!err && recordings->shows_waits)
		err = perf_data_show_waits(recording->reader, &reason);
	if (!err)
		err = perf_data_set_range(recording->reader, &recordings->begin, &recordings->end,
					  &reason);
	if (reason.err)
		err = diag_set(why, reason.err, "%s: %s", path, reason.text);
	snprintf(recording->name, sizeof(recording->name), "%s", slash ? slash + 1 : path);
	snprintf(recording->text, sizeof(recording->text), "recording %s", recording->name);
	if (err)
		return err;
	note_machine(recording);
	perf_data_set_unpacker(recording->reader, &(struct perf_data_unpacker){
		.owner = recording, .begin = begin_unpacking, .end = end_unpacking,
	});
	return copy_headers(recording, why);
}

int session_recordings_open(struct session_recordings *recordings, const char *path,
			    const char *diff_path, struct sandbox *sandbox, struct diag *why)
{
	int err;

	recordings->first.sandbox = recordings->other.sandbox = sandbox;
	recordings->first.number = 1;
	recordings->other.number = 2;
	recordings->other.jobs = UINT32_MAX;	/* unpacked when the first recording is done */
	err = open_one(recordings, &recordings->first, path, why);
	return err || !diff_path ? err : open_one(recordings, &recordings->other, diff_path, why);
}

static void close_one(struct session_recording *recording)
{
	perf_data_close(recording->reader);
	free(recording->events);
	free(recording->build_ids);
}

void session_recordings_close(struct session_recordings *recordings)
{
	close_one(&recordings->first);
	close_one(&recordings->other);
	memset(recordings, 0, sizeof(*recordings));
}

/* A machine with the same name and kernel is taken for this one. */
static bool is_this_boot(const struct perf_data *reader)
{
	struct utsname here;

	return !uname(&here) && perf_data_written_ns(reader) >= clock_boot_ns() &&
	       perf_data_event(reader, 0)->format.machine == MACHINE_OWN &&
	       !strcmp(perf_data_host(reader), here.nodename) &&
	       !strcmp(perf_data_kernel_release(reader), here.release);
}

static void describe(const struct session_recording *recording, struct ingest_config *out)
{
	const int kernel_names = perf_data_kernel_names(recording->reader);

	out->events = recording->events;
	out->event_count = (uint32_t)perf_data_event_count(recording->reader);
	ingest_config_add_branches(out, recording->events);
	out->is_replay = true;
	out->build_ids = recording->build_ids;
	perf_data_build_ids(recording->reader, &out->build_id_count);
	out->running_kernel = kallsyms_build_id();
	if (kernel_names >= 0)
		out->kernel_names = (struct recorded_names){ .recording = recording->number,
							     .fd = kernel_names };
	out->is_this_boot = is_this_boot(recording->reader);
	out->written_ns = perf_data_written_ns(recording->reader);
}

/* Returns the build-id of the recorded kernel itself, not of a module; count 0: not recorded. */
static struct build_id kernel_of(const struct ingest_config *config)
{
	for (size_t i = 0; i < config->build_id_count; i++)
		if (config->build_ids[i].is_kernel && config->build_ids[i].path[0] == '[')
			return config->build_ids[i].build_id;
	return config->is_this_boot ? config->running_kernel : (struct build_id){ .count = 0 };
}

/* Names are known of the kernel that runs, and of one whose recording brought them; only it may
 * have them. */
static void tell_kernels_apart(struct ingest_config *first, struct ingest_config *other)
{
	const struct build_id of_first = kernel_of(first), of_other = kernel_of(other);

	if ((!of_first.count && !of_other.count) || build_id_is_equal(&of_first, &of_other))
		return;
	if (!build_id_is_equal(&of_first, &first->running_kernel))
		first->kernel_number = 1;
	if (!build_id_is_equal(&of_other, &other->running_kernel))
		other->kernel_number = 2;
}

static void drained(void *source)
{
	perf_data_consumed(source);
}

static void stop(void *source)
{
	perf_data_stop(source);
}

static int start(void *source, struct spsc *queue, struct diag *why)
{
	return perf_data_start(source, queue, why);
}

void session_recordings_configure(struct session_recordings *recordings,
				  struct analyzer_config *config)
{
	const struct session_recording *first = &recordings->first, *other = &recordings->other;
	struct second_recording *second = &recordings->second;

	describe(first, &config->ingest);
	config->queue_fd = perf_data_queue_fd(first->reader);
	config->queue_drained = drained;
	config->queue_stop = stop;
	config->source = first->reader;
	config->target = first->text;
	snprintf(recordings->notice, sizeof(recordings->notice), "%s%s%s", first->notice,
		 first->notice[0] && other->notice[0] ? "\n" : "", other->notice);
	config->notice = recordings->notice;
	config->cpus = perf_data_cpu_count(first->reader);
	config->sockets = perf_data_sockets(first->reader, &config->socket_count);
	config->pmus = perf_data_pmus(first->reader);
	if (!other->reader)
		return;
	*second = (struct second_recording){
		.host = perf_data_host(other->reader), .target = other->text,
		.cpus = perf_data_cpu_count(other->reader),
		.first_name = first->name, .name = other->name,
		.queue_fd = perf_data_queue_fd(other->reader), .source = other->reader,
		.start = start,
	};
	second->sockets = perf_data_sockets(other->reader, &second->socket_count);
	second->pmus = perf_data_pmus(other->reader);
	describe(other, &second->ingest);
	tell_kernels_apart(&config->ingest, &second->ingest);
	config->second = second;
	config->query.compare = true;
}

/* The probes of the command line. */
struct startup_probes {
	const struct probe_spec *specs;
	size_t count;
	const pid_t *pids;	/* attach each probe for each of these processes */
	size_t pid_count;	/* 0: for all processes */
	struct probe_choice choice;	/* for all probes; spec, reach and pid are ignored */
};

/* The screen numbers its requests from 1 on, and must not take these replies for its own. */
#define FIRST_NUMBER  (1ull << 32)
#define FINISH_NUMBER UINT64_MAX

/* Returns the number of requests: one per probe and process, or one per probe for all processes. */
static size_t count_requests(const struct startup_probes *probes)
{
	return probes->count * (probes->pid_count ? probes->pid_count : 1);
}

static const struct probe_spec *spec_of(const struct startup_probes *probes, uint64_t number)
{
	return &probes->specs[(number - FIRST_NUMBER) % probes->count];
}

/* Requests all probes and returns at once: the screen shows their states. 0, or -E2BIG: there are
 * too many. */
static int startup_probes_request(struct probe_engine *engine, const struct startup_probes *probes,
				  struct diag *why)
{
	const size_t count = count_requests(probes);

	for (size_t i = 0; i < count; i++) {
		struct probe_request request = { .kind = PROBE_ADD, .number = FIRST_NUMBER + i,
						 .time_ns = clock_now_ns(),
						 .choice = probes->choice };

		request.choice.spec = *spec_of(probes, request.number);
		if (probes->pid_count) {
			request.choice.reach = REACH_PROCESS;
			request.choice.pid = probes->pids[i / probes->count];
		}
		if (!probe_engine_request(engine, &request))
			return diag_set(why, -E2BIG, "%zu probes are too many to begin with",
					count);
	}
	return 0;
}

/* Waits for a reply. @stop_fd -1: none. False: @stop_fd is readable. */
static bool wait_for_reply(struct probe_engine *engine, struct probe_reply *reply, int stop_fd)
{
	struct pollfd sources[] = { { .fd = stop_fd, .events = POLLIN },
				    { .fd = probe_engine_reply_fd(engine), .events = POLLIN } };

	for (int wait_ms = 0; poll(sources, 2, wait_ms) < 0 || !sources[0].revents; wait_ms = -1)
		if (probe_engine_reply(engine, reply))
			return true;
	return false;
}

static int check(const struct probe_reply *reply, const struct startup_probes *probes,
		 struct diag *why)
{
	const char *text = spec_of(probes, reply->number)->text;

	if (reply->why.err) {
		*why = reply->why;
		diag_prefix(why, "probe %s", text);
		return why->err;
	}
	if (reply->reason[0])
		return diag_set(why, -EPERM, "probe %s: %s", text, reply->reason);
	return 0;
}

/* Requests all probes and waits until they are attached, as measuring must not begin before. 0, or
 * -errno with the reason of one that can't be attached: -EPERM refused, ...; -EINTR: @stop_fd
 * became readable, some may be attached. */
static int startup_probes_attach(struct probe_engine *engine, const struct startup_probes *probes,
				 int stop_fd, struct diag *why)
{
	int err = startup_probes_request(engine, probes, why);

	for (size_t left = count_requests(probes); left && !err;) {
		struct probe_reply reply;

		if (!wait_for_reply(engine, &reply, stop_fd))
			return diag_set(why, -EINTR, "interrupted while probes were attached");
		err = check(&reply, probes, why);
		left -= reply.is_done;
	}
	return err;
}

/* Detaches all probes and waits until their last record is queued for the analyzer. */
static void startup_probes_finish(struct probe_engine *engine)
{
	const struct probe_request request = { .kind = PROBE_FINISH, .number = FINISH_NUMBER };
	struct probe_reply reply = { .number = 0 };

	if (!probe_engine_request(engine, &request))
		return;
	while (reply.kind != PROBE_FINISH)
		wait_for_reply(engine, &reply, -1);
}

/* Bytes of user stack copied at a hit: enough for most, and half of a sample's copy. */
#define COPY_BYTES 8192

static bool take_event(void *owner, struct engine_event *out)
{
	return probe_engine_event(owner, out);
}

static bool queue_request(void *owner, const struct probe_request *request)
{
	return probe_engine_request(owner, request);
}

static bool take_probe_reply(void *owner, struct probe_reply *out)
{
	return probe_engine_reply(owner, out);
}

static void ask_finder(void *owner, uint64_t number, const char *text, pid_t pid)
{
	target_finder_ask(owner, number, text, pid);
}

static void renew_finder(void *owner)
{
	target_finder_renew(owner);
}

static const struct target_reply *take_reply(void *owner)
{
	return target_finder_reply(owner);
}

/* Returns the process whose files come first: the only one sampled at the start; 0: none. */
static pid_t pid_of(const struct session *session)
{
	const struct target *target = capture_target(session->capture);

	return target->id_count == 1 &&
	       (target->kind == TARGET_PROCESSES || target->kind == TARGET_COMMAND) ?
		       (pid_t)target->ids[0] : 0;
}

/* Creates the finder. A failure is only logged, as everything else works without it. */
static void create_finder(struct session *session, const struct presets *presets)
{
	const struct target_config config = {
		.presets = presets,
		.sandbox = session->sandboxes[SANDBOX_OF_TARGETS], .pid = pid_of(session),
		.has_events = true,
	};
	struct diag why = { .err = 0 };

	if (target_finder_create(&session->finder, &config, &why)) {
		log_warn("%s", why.text);
		return;
	}
	session->finder_control = (struct finder_control){
		.owner = session->finder, .ask = ask_finder, .reply = take_reply,
		.renew = renew_finder, .presets = presets, .fd = target_finder_fd(session->finder),
	};
}

/* Creates engine and control of a live session. 0 or -errno. */
static int session_probes_create(struct session *session, const struct options *options,
				 struct diag *why)
{
	const struct probe_engine_config config = {
		.sandbox = session->sandboxes[SANDBOX_OF_PROBES],
		.is_unused = options->is_batch && !options->probe_count,
		.is_readonly = options->is_readonly, .cap_pct = options->probe_cap_pct,
		.cap_sum_pct = 2 * options->probe_cap_pct, .lease_ns = options->lease_ns,
		.copy_bytes = options->capture.call_graph.mode == CALL_GRAPH_FP ? 0
									       : COPY_BYTES,
	};
	int err = probe_engine_create(&session->probes, &config, why);

	if (err)
		return err;
	if (!options->is_batch)
		create_finder(session, options->presets);
	session->probe_control = (struct probe_control){
		.owner = session->probes, .request = queue_request, .reply = take_probe_reply,
		.fd = probe_engine_reply_fd(session->probes), .cap_pct = config.cap_pct,
		.refusal = options->is_readonly ? "started with --readonly: no probe is attached"
						: probe_engine_refusal(session->probes),
	};
	return 0;
}

/* Lists the target processes and their descendants; those started later inherit probes. */
static int list_family(const struct target *target, pid_t **pids, size_t *count)
{
	pid_t *all = NULL, *family;
	size_t started = 0;
	int err = task_list_descendants(target->ids, target->id_count, 1, &all, &started);

	family = err ? NULL : realloc(all, (started + target->id_count) * sizeof(*all));
	if (!family) {
		free(all);
		return -ENOMEM;
	}
	memcpy(family + started, target->ids, target->id_count * sizeof(*family));
	*pids = family;
	*count = started + target->id_count;
	return 0;
}

/* Returns the probes of the command line with their processes. The caller must free() *@pids
 * afterwards. */
static struct startup_probes probes_of_options(const struct session *session,
					       const struct options *options, pid_t **pids)
{
	const struct target *target = capture_target(session->capture);
	struct startup_probes probes = {
		.specs = options->probes, .count = options->probe_count,
		.choice.with_stacks = options->capture.call_graph.mode != CALL_GRAPH_OFF,
	};

	if (target->kind == TARGET_PROCESSES || target->kind == TARGET_COMMAND) {
		probes.pids = target->ids;
		probes.pid_count = target->id_count;
	}
	if (target->has_descendants && !list_family(target, pids, &probes.pid_count))
		probes.pids = *pids;
	return probes;
}

static int attach_all(struct session *session, const struct startup_probes *probes,
		      struct diag *why)
{
	const int stop_fd = session_signal_fd();
	int err;

	if (stop_fd < 0)
		return diag_set(why, stop_fd, "cannot watch signals: %s", strerror(-stop_fd));
	err = startup_probes_attach(session->probes, probes, stop_fd, why);
	close(stop_fd);
	return err;
}

/* Starts the probes of the command line. In batch mode waits until all are attached, as output must
 * be complete. 0 or -errno with the reason of one that can't be attached. */
static int session_probes_start(struct session *session, const struct options *options,
				struct diag *why)
{
	struct startup_probes probes;
	pid_t *pids = NULL;
	int err;

	if (!options->probe_count)
		return 0;
	if (!session->probes)
		return diag_set(why, -EINVAL, "--probe and -i: a recording can't be probed");
	probes = probes_of_options(session, options, &pids);
	err = options->is_batch ? attach_all(session, &probes, why)
				: startup_probes_request(session->probes, &probes, why);
	free(pids);
	return err;
}

/* Returns the source of probe events for the analyzer. */
static struct probe_source session_probes_source(const struct session *session)
{
	return (struct probe_source){
		.event = take_event, .owner = session->probes,
		.queue = probe_engine_queue(session->probes),
		.fd = probe_engine_fd(session->probes),
	};
}

#define SLOW_EVENTS 32	/* to be closed, a second or more */
/* Half a second of the default rate on two CPUs with 16 KiB of stack each; more waits in rings. */
#define QUEUE_BYTES (16u * 1024 * 1024)

/* Longest time until a hit is printed: too short to notice, and long enough to cost little. */
#define EVENTS_INTERVAL_NS (100 * CLOCK_NS_PER_MS)

/* Names of stacks come with the end of all threads, so all are shown then. */
#define THREADS_INTERVAL_NS (3600 * CLOCK_NS_PER_S)

/* Records a process of flametop's own; processes forked by these are known by their descent. */
static void note_own(struct session *session, pid_t pid)
{
	session->own_pids[session->own_pid_count++] = (uint32_t)pid;
}

static int fork_children(struct session *session, const struct options *options, bool has_screen,
			 struct diag *why)
{
	struct guardian_leftovers leftovers;
	int err;

	trace_group_leftovers(&leftovers);
	err = guardian_start(&session->guardian, has_screen ? STDIN_FILENO : -1, &leftovers, why);
	note_own(session, getpid());
	if (!err)
		note_own(session, guardian_pid(session->guardian));
	if (!err)
		err = sandbox_start_all(session->sandboxes, SESSION_SANDBOXES, worker_run, why);
	if (err)
		return err;
	note_own(session, sandbox_pid(session->sandboxes[0]));
	guardian_watch_child(session->guardian, sandbox_pid(session->sandboxes[0]));
	if (debuginfod_pid() > 0)
		note_own(session, debuginfod_pid());
	if (!sandbox_has_landlock())
		log_note("this kernel has no Landlock: files are read without that layer");
	if (options->command)
		err = command_prepare(&session->command, options->command, has_screen, why);
	if (session->command && options->ends_command) {
		command_end_with_us(session->command);
		guardian_watch_command(session->guardian, command_pid(session->command));
	}
	/* Nothing is forked from here on that would have all of the kernel's memory open, too. */
	if (!err)
		err = code_reader_create(&session->code_reader,
					 session->sandboxes[SANDBOX_OF_CODE],
					 code_reader_open_kcore(), why);
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

int session_open_threads(struct session *session, const struct options *options,
			 struct diag *why)
{
	const struct call_graph *call_graph = &options->capture.call_graph;
	const size_t copy_bytes = call_graph->mode == CALL_GRAPH_DWARF && call_graph->copy_bytes
					  ? call_graph->copy_bytes : THREAD_COPY_BYTES;

	return thread_reader_create(&session->threads, copy_bytes, why);
}

static int open_threads(struct session *session, const struct options *options, struct diag *why)
{
	const bool is_own_left_out = !options->includes_self;
	const struct own_processes own = { session->own_pids,
					   is_own_left_out ? session->own_pid_count : 0 };
	int err = session_open_threads(session, options, why);

	gethostname(session->host, sizeof(session->host) - 1);
	return err ? err : thread_reader_list(session->threads, &options->capture.target, NULL,
					      &own, why);
}

static int open_recordings(struct session *session, const struct options *options,
			   struct diag *why)
{
	int err;

	session->recordings.shows_waits = options->capture.event_text_count;
	session->recordings.begin = options->begin;
	session->recordings.end = options->end;
	err = session_recordings_open(&session->recordings, options->replay_path,
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

	if (!options->no_cache && dso_opener_open_cache(&cache, &why))
		log_note("symbol tables are not kept on disk: %s", why.text);
	return cache;
}

static int create_stages(struct session *session, const struct options *options,
			 struct diag *why)
{
	int err = dso_opener_create(&session->opener, session->sandboxes[SANDBOX_OF_DSOS],
				    open_cache(options), why);

	if (!err && !session->threads)
		err = line_server_create(&session->line_server,
					 session->sandboxes[SANDBOX_OF_LINES], why);
	if (!err)
		err = slow_unwinder_create(&session->slow_unwinder,
					   session->sandboxes[SANDBOX_OF_CALLERS],
					   session->threads ? NULL
					   : line_server_thread(session->line_server), why);
	if (!err && !session->threads)
		err = listing_server_create(&session->listing_server,
					    session->sandboxes[SANDBOX_OF_CODE],
					    session->code_reader, NULL, why);
	if (!err)
		err = demangler_create(&session->demangler, session->sandboxes[SANDBOX_OF_NAMES],
				       why);
	if (!err && (session->capture || session->threads))
		err = process_reader_create(&session->reader, why);
	if (!err && session->capture)
		err = session_probes_create(session, options, why);
	if (err)
		return err;
	if (session->capture) {
		cpu_sockets_read(&session->sockets, "/sys/devices/system/cpu");
		core_pmus_read(&session->pmus, EVENT_PMU_DEVICES);
	}
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
	config->ingest.only_records = options_only_record(options);
	if (!options->includes_self)
		leave_out_own(session, &config->ingest);
	config->queue_fd = capture_queue_fd(session->capture);
	config->target = source->target;
	config->target_pid = source->target_pid;
	config->offers_children = source->offers_children;
	config->notice = source->notice;
	config->absent_events = source->absent_events;
	config->counted_events = source->counted_events;
	config->cpus = source->cpus;
	config->has_busy = source->has_busy;
	config->has_everything = source->has_everything;
	config->can_count = !options->is_batch;
	config->sockets = session->sockets.of_cpu;
	config->socket_count = session->sockets.count;
	config->pmus = &session->pmus;
	config->copies = retarget_copy_control(session->retarget);
	config->probes = session_probes_source(session);
	config->probes.round_fd = capture_round_fd(session->capture);
}

static void consume_threads(void *source)
{
	thread_reader_consumed(source);
}

void session_describe_threads(struct session *session, struct ingest_config *out)
{
	session->thread_event = thread_reader_event(session->threads);
	*out = (struct ingest_config){
		.events = &session->thread_event, .event_count = 1, .can_wait = true,
	};
}

static void configure_threads(struct session *session, struct analyzer_config *config)
{
	session_describe_threads(session, &config->ingest);
	config->queue_fd = thread_reader_queue_fd(session->threads);
	config->queue_drained = consume_threads;
	config->source = session->threads;
	config->target = "threads";
	config->notice = "";
	config->wants_events = config->wants_event_stacks = config->shows_idle_events = true;
	config->interval_ns = THREADS_INTERVAL_NS;
}

static bool wants_lines(const struct options *options)
{
	for (uint32_t i = 0; i < options->group_count; i++)
		if (options->groups[i] == GROUP_SOURCE)
			return true;
	return options->wants_source || options->listing_name;
}

static bool wants_event_stacks(const struct options *options)
{
	return options->format == OUTPUT_SCRIPT
	       ? script_fields_have(&options->script_fields, SCRIPT_IP)
	       : event_fields_has(&options->fields, EVENT_STACK);
}

static bool wants_branches(const struct options *options)
{
	return options->format == OUTPUT_SCRIPT
	       ? script_fields_have(&options->script_fields, SCRIPT_BRSTACK)
	       : event_fields_has(&options->fields, EVENT_BRANCHES);
}

static int start_analyzer(struct session *session, const struct options *options,
			  struct diag *why)
{
	struct analyzer_config config = {
		.queue = &session->queue,
		.opener = session->opener, .reader = session->reader, .host = session->host,
		.line_server = session->line_server, .slow_unwinder = session->slow_unwinder,
		.listing_server = session->listing_server,
		.demangler = session->demangler, .stack_ends = session->stack_ends,
		.wants_all_events = options->is_batch,
		.begins_on_request = options->is_batch && session->capture,
		.wants_events = options->has_events,
		.wants_event_stacks = wants_event_stacks(options),
		.wants_event_places = options->format == OUTPUT_SCRIPT,
		.wants_event_source = options->format == OUTPUT_SCRIPT &&
			script_fields_have(&options->script_fields, SCRIPT_SRCLINE),
		.wants_event_branches = wants_branches(options),
		.shows_idle_events = options->show_idle || options->format == OUTPUT_SCRIPT,
		.wants_sources = options->is_batch && !options->has_events && wants_lines(options),
		.source_rows = options->wants_source ? options->max_rows : 0,
		.query = { .keys = options->keys, .filter = options->filter,
			   .raw_names = options->raw_names,
			   .raw_waits = options->raw_names, .is_relative = options->is_relative,
			   .inside = options->inside,
			   .by_total = options->is_batch && options->wants_children,
			   .event_columns = options->is_batch,
			   .group_count = options->group_count },
		.window = options->window, .window_ns = options->window_ns,
		.interval_ns = options->interval_ns, .memory_bytes = options->memory_bytes,
	};
	int err = 0;

	memcpy(config.query.groups, options->groups, sizeof(options->groups));
	snprintf(config.query.listing_name, sizeof(config.query.listing_name), "%s",
		 options->listing_name ? options->listing_name : "");
	if (options->hit_weight && strcmp(options->hit_weight, "hits") != 0)
		snprintf(config.query.hit_weight_name, sizeof(config.query.hit_weight_name), "%s",
			 options->hit_weight);
	if (options->is_batch)		/* -E says how many are printed */
		config.query.tree_limit_pct = -1;
	if (options->has_events)
		config.interval_ns = EVENTS_INTERVAL_NS;
	if (options->format == OUTPUT_FOLDED ||
	    (options->table == TABLE_TREE && options->wants_table)) {
		config.query.tree = TREE_CALLEES;
		config.query.tree_commands = true;
		config.query.tree_idle = options->show_idle;
	}
	if (session->capture)
		err = retarget_start(&session->retarget, &session->capture, &options->capture,
				     why);
	if (!err && session->capture)
		err = keep_create(&session->keep, options, why);
	if (err)
		return err;
	if (session->keep)
		keep_configure(session->keep, &config);
	if (session->capture)
		configure_live(session, options, &config);
	else if (session->threads)
		configure_threads(session, &config);
	else
		session_recordings_configure(&session->recordings, &config);
	if (options->format == OUTPUT_SCRIPT)
		err = script_fields_check(&options->script_fields, "--fields",
					  config.ingest.events, config.ingest.event_count, why);
	if (err)
		return err;
	err = record_owner_create(&session->records, options, session->recordings.first.reader,
				  &config.tee, why);
	if (!err)
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
	if (session->threads)
		return thread_reader_start(session->threads, &session->queue, why);
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

int session_start_threads(struct session *session, const struct options *options,
			  struct diag *why)
{
	int err = create_stages(session, options, why);

	if (!err)
		err = start_analyzer(session, options, why);
	return err ? err : thread_reader_start(session->threads, &session->queue, why);
}

int session_start(struct session *session, struct options *options, bool has_screen,
		  struct diag *why)
{
	size_t descriptors;
	int err;

	memset(session, 0, sizeof(*session));
	if (options->keep_ns || options->split.by_signal)
		flight_recorder_block_signal();
	/* Before what takes the first of them: each would say of its own that there is none. */
	err = capture_claim_descriptors(&descriptors, why);
	if (!err)
		err = fork_children(session, options, has_screen, why);
	crash_catch(options->log_path);
	if (!err)	/* not after ten minutes */
		err = shared_outputs_open(&session->outputs, options->share_paths,
					  options->share_count, why);
	if (!err && options->replay_path)
		err = open_recordings(session, options, why);
	else if (!err && options->wants_threads)
		err = open_threads(session, options, why);
	else if (!err)
		err = open_capture(session, options, why);
	if (!err)
		err = create_stages(session, options, why);
	if (!err)
		err = start_analyzer(session, options, why);
	if (!err)
		err = start_source(session, options, why);
	session->has_started = !err;
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

const struct source_control *session_source_control(const struct session *session)
{
	return session->retarget ? retarget_control(session->retarget) : NULL;
}

const struct keep_control *session_keep_control(const struct session *session)
{
	return keep_control(session->keep);
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
static void print_slow_end(const struct session *session)
{
	const size_t count = session->capture ? capture_event_count(session->capture) - 1 : 0;

	if (count >= SLOW_EVENTS && isatty(STDERR_FILENO))
		safe_print(stderr, "flametop: the kernel closes %zu events, which takes a while\n",
			   count);
}

/* Removes what would stay in the kernel, or alive. */
static void end_beside_analyzer(struct session *session)
{
	probe_engine_end(session->probes);
	guardian_stop(session->guardian);
}

const struct record_control *session_record_control(const struct session *session)
{
	return &session->records->control;
}

static void end_records(struct session *session, struct session_recorded *recorded)
{
	struct session_recorded ignored = { .why.err = 0 };

	if (!recorded)
		recorded = &ignored;
	if (!session->has_started)
		record_owner_discard(session->records);
	record_owner_destroy(session->records, recorded->path, sizeof(recorded->path),
			     &recorded->status, &recorded->why);
}

const char *session_finish(struct session *session, struct session_recorded *recorded)
{
	bool is_queue_in_use;

	debuginfod_cancel();	/* so that no thread waits for a server */
	/* Sources before their consumer, and the consumer before what it borrows. */
	session_stop_source(session);
	if (!analyzer_destroy(session->analyzer)) {	/* it reads what the probes send */
		end_beside_analyzer(session);
		return "the analyzer";
	}
	end_records(session, recorded);
	shared_outputs_close(&session->outputs);
	keep_destroy(session->keep);
	is_queue_in_use = !thread_reader_destroy(session->threads);	/* by a thread that hangs */
	if (!probe_engine_destroy(session->probes))
		session->sandboxes[SANDBOX_OF_PROBES] = NULL;
	if (!target_finder_destroy(session->finder))
		session->sandboxes[SANDBOX_OF_TARGETS] = NULL;
	retarget_destroy(session->retarget);
	source_destroy(session->source);
	print_slow_end(session);
	capture_destroy(session->capture);
	free(session->stack_ends);
	process_reader_destroy(session->reader);
	/* A thread that hangs uses its sandbox still; the zygote ends with us. */
	if (!dso_opener_destroy(session->opener))
		session->sandboxes[SANDBOX_OF_DSOS] = NULL;
	session_recordings_close(&session->recordings);
	if (!slow_unwinder_destroy(session->slow_unwinder))	/* before its host */
		session->sandboxes[SANDBOX_OF_CALLERS] = NULL;
	if (!line_server_destroy(session->line_server))
		session->sandboxes[SANDBOX_OF_LINES] = NULL;
	if (!listing_server_destroy(session->listing_server))	/* before its reader */
		session->sandboxes[SANDBOX_OF_CODE] = NULL;
	else
		code_reader_destroy(session->code_reader);
	demangler_destroy(session->demangler);
	command_output_stop(session->command_output);
	command_destroy(session->command);
	for (size_t i = 0; i < SESSION_SANDBOXES; i++)
		sandbox_stop(session->sandboxes[i]);
	guardian_stop(session->guardian);
	cpu_sockets_finish(&session->sockets);
	core_pmus_finish(&session->pmus);
	if (!is_queue_in_use) {
		if (session->has_queue)
			spsc_finish(&session->queue);
		memset(session, 0, sizeof(*session));
	}
	return NULL;
}
