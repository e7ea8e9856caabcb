/* threads_now.c - looks at where threads are: once, to be printed (threads_run() of cli/session.h),
 * and whenever the screen asks (struct thread_looker).
 *
 * Names come with the analyzer's last snapshots, a part of the threads in each; all are kept until
 * the last one, as rows are made of all of them.
 *
 * The screen's looks have an analyzer, and the services that it needs, of their own: those of the
 * samples are busy with a source that never ends. They are started by the first look and stay; each
 * later look is another source for that analyzer.
 */
#include "cli/session.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/service.h"
#include "base/whole_io.h"
#include "bpf/off_cpu.h"
#include "export/thread_rows.h"
#include "retarget.h"

#define LOOK_MS	      40000	/* longer than what the analyzer lets the queue wait for a table */
#define STOPPED	      1
#define REQUEST_BYTES 4096	/* some requests: a key that is held down */

struct snapshots {
	struct snapshot **list;		/* owned, each one too */
	size_t count;
	bool is_complete;
};

static int take_snapshot(struct session *session, struct snapshots *snapshots, struct diag *why)
{
	struct snapshot *snapshot = analyzer_take_snapshot(session->analyzer);
	struct snapshot **grown;

	if (!snapshot)
		return 0;
	grown = realloc(snapshots->list, (snapshots->count + 1) * sizeof(*grown));
	if (!grown) {
		snapshot_destroy(snapshot);
		return diag_set(why, -ENOMEM, "no memory for the stacks");
	}
	snapshots->list = grown;
	grown[snapshots->count++] = snapshot;
	snapshots->is_complete = snapshot->is_last;
	return snapshot->end_err ? diag_set(why, snapshot->end_err, "%s", snapshot->end_reason)
				 : 0;
}

/* Returns 0; STOPPED: @stop_fd is readable; or -errno. */
static int collect(struct session *session, struct snapshots *snapshots, int stop_fd,
		   struct diag *why)
{
	struct pollfd fds[] = { { .fd = stop_fd, .events = POLLIN },
				{ .fd = analyzer_fd(session->analyzer), .events = POLLIN } };
	size_t progress = 0, before;
	bool is_stuck = false;
	int result = 0;

	while (!result && !is_stuck && !snapshots->is_complete) {
		const int ready = poll(fds, 2, LOOK_MS);

		if (ready > 0 && fds[0].revents)
			result = STOPPED;
		else if (ready > 0)
			result = take_snapshot(session, snapshots, why);
		if (ready)
			continue;
		before = progress;
		progress = thread_reader_progress(session->threads);
		is_stuck = progress == before && progress != SIZE_MAX;	/* else names are to come */
	}
	if (!is_stuck)
		return result;
	return diag_set(why, -ETIMEDOUT, "the kernel does not say where a thread is: -p and -t "
			"choose others");
}

struct stack_index {
	const struct snapshot_event **list;	/* owned; by tid */
	size_t count;
};

static int compare_tids(const void *one, const void *other)
{
	const struct snapshot_event *a = *(const struct snapshot_event *const *)one;
	const struct snapshot_event *b = *(const struct snapshot_event *const *)other;

	return (a->tid > b->tid) - (a->tid < b->tid);
}

static int index_stacks(const struct snapshots *snapshots, struct stack_index *out)
{
	size_t count = 0;

	for (size_t i = 0; i < snapshots->count; i++)
		count += snapshots->list[i]->events->count;
	out->list = malloc((count + 1) * sizeof(*out->list));
	if (!out->list)
		return -ENOMEM;
	for (size_t i = 0; i < snapshots->count; i++)
		for (uint32_t j = 0; j < snapshots->list[i]->events->count; j++)
			out->list[out->count++] = &snapshots->list[i]->events->list[j];
	qsort(out->list, out->count, sizeof(*out->list), compare_tids);
	return 0;
}

static struct thread_entry entry_of(const struct stack_index *stacks, const struct thread_now *now)
{
	const struct snapshot_event wanted = { .tid = now->tid }, *key = &wanted;
	const struct snapshot_event **found =
		bsearch(&key, stacks->list, stacks->count, sizeof(key), compare_tids);
	struct thread_entry entry = { .now = now };

	if (found && now->look == THREAD_READ) {
		entry.frames = (*found)->frames;
		entry.frame_count = (*found)->frame_count;
	}
	return entry;
}

static int build_rows(struct threads_found *found)
{
	const struct snapshots snapshots = { found->snapshots, found->snapshot_count, true };
	struct thread_entry *entries = malloc((found->thread_count + 1) * sizeof(*entries));
	struct stack_index stacks = { .count = 0 };
	int err = entries ? index_stacks(&snapshots, &stacks) : -ENOMEM;

	for (size_t i = 0; i < found->thread_count && !err; i++)
		entries[i] = entry_of(&stacks, &found->threads[i]);
	if (!err)
		err = thread_rows_build(&found->rows, entries, (uint32_t)found->thread_count);
	free(stacks.list);
	free(entries);
	return err;
}

static void describe(const struct session *session, struct threads_found *found)
{
	const struct snapshot *last = found->snapshots[found->snapshot_count - 1];
	struct thread_listing *listing = &found->listing;
	uint64_t first_ns = UINT64_MAX, last_ns = 0;

	*listing = (struct thread_listing){
		.rows = &found->rows, .host = session->host, .dropped = last->events->dropped,
		.incomplete = last->user_stacks - last->complete_stacks, .max_rows = SIZE_MAX,
	};
	for (size_t i = 0; i < found->thread_count; i++) {
		first_ns = clock_earlier(first_ns, found->threads[i].time_ns);
		if (found->threads[i].time_ns > last_ns)
			last_ns = found->threads[i].time_ns;
	}
	if (!found->thread_count)
		first_ns = last_ns = clock_now_ns();
	listing->time_ns = first_ns + clock_wall_offset_ns();
	listing->took_ns = last_ns - first_ns;
}

/* Waits for the names of what is being read and makes rows of it, in @found, which is the caller's
 * in every case. Returns as collect() does. */
static int find(struct session *session, struct threads_found *found, int stop_fd, struct diag *why)
{
	struct snapshots snapshots = { .count = 0 };
	int result = collect(session, &snapshots, stop_fd, why);

	found->snapshots = snapshots.list;
	found->snapshot_count = snapshots.count;
	if (result)
		return result;
	found->threads = thread_reader_take_threads(session->threads, &found->thread_count);
	if (build_rows(found))
		return diag_set(why, -ENOMEM, "no memory for the threads");
	describe(session, found);
	return 0;
}

static int print(const struct threads_found *found, const struct options *options, struct diag *why)
{
	struct thread_listing listing = found->listing;

	listing.max_rows = options->max_rows;
	if (options->format == OUTPUT_JSON)
		threads_write_json(stdout, &listing);
	else if (options->format == OUTPUT_TEXT)
		threads_write_text(stdout, &listing);
	else if (threads_write_table(stdout, &listing, options->format == OUTPUT_CSV
				     ? TABLE_CSV : TABLE_MARKDOWN))
		return diag_set(why, -ENOMEM, "no memory for the output");
	if (!fflush(stdout) && !ferror(stdout))
		return 0;
	if (errno == EPIPE)
		return 0;
	diag_set(why, -EIO, "cannot write the output: %s", strerror(errno));
	return BATCH_OUTPUT_FAILED;
}

int threads_run(struct session *session, const struct options *options, struct diag *why)
{
	struct threads_found *found = calloc(1, sizeof(*found));
	const int signals = session_signal_fd();
	int result = found ? find(session, found, signals, why)
			   : diag_set(why, -ENOMEM, "no memory for the threads");

	if (result == STOPPED)
		result = session_take_signal();
	else if (!result)
		result = print(found, options, why);
	threads_found_destroy(found);
	close(signals);
	return result;
}

struct thread_looker {
	struct service *service;
	struct options options;		/* those that its services need */
	struct session session;		/* its services; zeroed: there are none yet */
	const struct session *owner;	/* borrowed: has the processes to be left out */
	bool leaves_out_own;
	struct off_cpu *off_cpu;	/* owned; the clock of the samples; NULL: none */
	int stop_fd;			/* eventfd: serve() shall return */
	bool has_services;
	bool is_unfinished;		/* the last look still reads */
	struct diag failure;		/* err not 0: no look is possible any more */
	struct source source;		/* describes each look but the first */
	uint64_t ended_early, dropped;	/* stacks so far, for the differences */
	struct mailbox found;		/* the last result, for the screen */
};

/* Ends the source of the last look: what is queued next is of this one. */
static int queue_source(struct thread_looker *looker, struct diag *why)
{
	struct source *source = &looker->source;
	struct queue_source *payload;
	struct queue_item *item;

	timeline_finish(&source->timeline);	/* a failure before left it */
	*source = (struct source){ .target = "threads", .notice = "", .cpus = 1 };
	session_describe_threads(&looker->session, &source->ingest);
	item = timeline_init(&source->timeline, 1) ? NULL
		: spsc_reserve(&looker->session.queue, sizeof(*item) + sizeof(*payload));
	if (!item)
		return diag_set(why, -ENOMEM, "no memory for the threads");
	payload = (void *)(item + 1);
	*item = (struct queue_item){ .kind = QUEUE_SOURCE, .cpu = UINT32_MAX };
	*payload = (struct queue_source){ .source = source, .begin_ns = clock_now_ns() };
	spsc_commit(&looker->session.queue);
	return 0;
}

static int list(struct thread_looker *looker, const struct threads_request *request,
		struct diag *why)
{
	pid_t id = (pid_t)request->id;
	const struct target target = { .kind = id ? TARGET_PROCESSES : TARGET_SYSTEM,
				       .ids = &id, .id_count = id ? 1 : 0 };
	const struct own_processes own = {
		looker->owner->own_pids,
		looker->leaves_out_own ? looker->owner->own_pid_count : 0,
	};

	return thread_reader_list(looker->session.threads, &target,
				  request->comm[0] ? request->comm : NULL, &own, why);
}

/* The samples may be of another event by now. */
static void take_clock(struct thread_looker *looker)
{
	struct off_cpu *off_cpu;

	if (!retarget_take_off_cpu(looker->owner->retarget, &off_cpu))
		return;
	thread_reader_set_clock(looker->session.threads, off_cpu);
	off_cpu_close(looker->off_cpu);
	looker->off_cpu = off_cpu;
}

/* Changes the losses in @listing, which are those since the first look, to those of this look. */
static void note_losses(struct thread_looker *looker, struct thread_listing *listing)
{
	listing->incomplete -= looker->ended_early;
	listing->dropped -= looker->dropped;
	looker->ended_early += listing->incomplete;
	looker->dropped += listing->dropped;
}

/* Waits for the end of the last look, which failed. Returns as collect() does. */
static int end_last_look(struct thread_looker *looker, struct diag *why)
{
	struct threads_found *rest;
	int result;

	if (!looker->is_unfinished)
		return 0;
	rest = calloc(1, sizeof(*rest));
	result = rest ? find(&looker->session, rest, looker->stop_fd, why)
		      : diag_set(why, -ENOMEM, "no memory for the threads");
	looker->is_unfinished = result != 0;
	if (!result)
		note_losses(looker, &rest->listing);
	threads_found_destroy(rest);
	return result;
}

/* Lists the threads and begins to read them. Returns as collect() does. */
static int begin(struct thread_looker *looker, const struct threads_request *request,
		 struct diag *why)
{
	struct session *session = &looker->session;
	int err = looker->failure.err;

	if (err)
		*why = looker->failure;
	if (!err)
		err = end_last_look(looker, why);
	if (!err && !session->threads)
		err = session_open_threads(session, &looker->options, why);
	if (!err)
		err = list(looker, request, why);
	if (err)
		return err;
	take_clock(looker);
	if (looker->has_services) {
		err = queue_source(looker, why);
		return err ? err : thread_reader_start(session->threads, &session->queue, why);
	}
	looker->has_services = true;
	err = session_start_threads(session, &looker->options, why);
	if (err)
		looker->failure = *why;
	return err;
}

/* NULL: no memory, or the looker is stopped. */
static struct threads_found *look(struct thread_looker *looker,
				  const struct threads_request *request)
{
	struct threads_found *found = calloc(1, sizeof(*found));
	struct diag why = { .err = 0 };
	int result;

	if (!found)
		return NULL;
	result = begin(looker, request, &why);
	if (!result) {
		result = find(&looker->session, found, looker->stop_fd, &why);
		if (!result)
			note_losses(looker, &found->listing);
		looker->is_unfinished = result == -ETIMEDOUT;
		if (result < 0 && result != -ETIMEDOUT)	/* the analyzer may still be at it */
			looker->failure = why;
	}
	if (result == STOPPED) {
		threads_found_destroy(found);
		return NULL;
	}
	found->number = request->number;
	found->why = why;
	return found;
}

/* Only the newest request counts. */
static int serve(void *owner)
{
	struct thread_looker *looker = owner;
	struct threads_request newest = { .number = 0 };
	const struct threads_request *request;
	size_t bytes;

	while ((request = spsc_peek(&looker->service->requests, &bytes))) {
		newest = *request;
		spsc_release(&looker->service->requests);
	}
	if (!newest.number)
		return SERVICE_SLEEP;
	threads_found_destroy(mailbox_put(&looker->found, look(looker, &newest)));
	service_notify(looker->service);
	return SERVICE_AGAIN;
}

static void interrupt(void *owner)
{
	struct thread_looker *looker = owner;

	whole_eventfd_write(looker->stop_fd, 1);
}

static bool ask(void *owner, const struct threads_request *request)
{
	struct thread_looker *looker = owner;
	struct threads_request *slot =
		spsc_reserve(&looker->service->requests, sizeof(*request));

	if (!slot)
		return false;
	*slot = *request;
	spsc_commit(&looker->service->requests);
	service_wake(looker->service);
	return true;
}

static struct threads_found *take(void *owner)
{
	struct thread_looker *looker = owner;

	service_quiet(looker->service);
	return mailbox_take(&looker->found);
}

int thread_looker_create(struct thread_looker **out, struct session *session,
			 const struct options *options, struct diag *why)
{
	struct thread_looker *looker = calloc(1, sizeof(*looker));
	const struct service_plan plan = {
		.name = "flametop-look", .request_bytes = REQUEST_BYTES, .serve = serve,
		.interrupt = interrupt, .may_hang = true, .owner = looker,
	};
	int err;

	*out = NULL;
	if (!looker)
		return diag_set(why, -ENOMEM, "no memory for looks at threads");
	looker->options = (struct options){
		.is_batch = true, .no_cache = options->no_cache, .raw_names = options->raw_names,
		.memory_bytes = options->memory_bytes, .window = WINDOW_INTERVAL,
		.capture.call_graph = options->capture.call_graph,
	};
	looker->owner = session;
	looker->leaves_out_own = !options->includes_self;
	memcpy(looker->session.host, session->host, sizeof(session->host));
	looker->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	err = looker->stop_fd < 0 ? -EMFILE : service_create(&looker->service, &plan);
	if (err) {
		if (looker->stop_fd >= 0)
			close(looker->stop_fd);
		free(looker);
		return diag_set(why, err, "cannot look at threads: %s", strerror(-err));
	}
	for (int i = 0; i < THREAD_SANDBOXES; i++) {
		looker->session.sandboxes[i] = session->sandboxes[SANDBOX_OF_THREADS + i];
		session->sandboxes[SANDBOX_OF_THREADS + i] = NULL;
	}
	*out = looker;
	return 0;
}

struct threads_control thread_looker_control(struct thread_looker *looker)
{
	return (struct threads_control){ .owner = looker, .ask = ask, .take = take,
					 .fd = service_fd(looker->service) };
}

void thread_looker_destroy(struct thread_looker *looker)
{
	if (!looker || !service_stop(looker->service))
		return;
	service_destroy(looker->service);
	threads_found_destroy(mailbox_take(&looker->found));
	session_finish(&looker->session, NULL);
	off_cpu_close(looker->off_cpu);
	timeline_finish(&looker->source.timeline);
	close(looker->stop_fd);
	free(looker);
}
