/* analyzer.c - the thread: waits, drains the queue, serves requests, publishes snapshots.
 *
 * Requests are checked after at most a millisecond's worth of records, so a key has a quick reply
 * however long the queue is.
 */
#include "analyzer/analyzer.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/thread.h"
#include "base/whole_io.h"
#include "budget.h"
#include "event_builder.h"
#include "ingest/source.h"
#include "schedule.h"

#define REQUEST_QUEUE_BYTES (1u << 17)	/* a request has 6 KB; keys held down send many */
#define RECORDS_PER_LOOK    1024	/* about a millisecond of work */
#define TASKS_REFRESH_NS    (150 * CLOCK_NS_PER_MS) /* by then /proc was read for the new rows */
#define SOURCES_REFRESH_NS  (20 * CLOCK_NS_PER_MS)  /* a fold takes a tenth of it */
#define STOPPED_MAX_NS	    (500 * CLOCK_NS_PER_MS) /* without a snapshot, while keys come */
#define COMPACT_EVERY_NS    (10 * CLOCK_NS_PER_S)   /* it walks all history */
#define END_MS		    10000	/* the longest step, a compaction, takes a second */
#define EVENT_LINES_SHARE   4	/* events still to be printed have 1/4 of history's memory */

/* A waiting request mostly needs another snapshot, so the fold is stopped. But with keys coming
 * without a pause there must be a snapshot now and then. Nobody takes the snapshot at the end. A
 * batch has no keys, each of its snapshots is printed, and a stopped one would be said to lack
 * memory. */
static bool must_stop_fold(void *owner)
{
	struct analyzer *analyzer = owner;
	const uint64_t now_ns = clock_now_ns();

	if (atomic_load_explicit(&analyzer->stop, memory_order_relaxed)) /* analyzer_stop() */
		return true;
	if (analyzer->config.wants_all_events || !spsc_used(&analyzer->requests) ||
	    (analyzer->stopped_ns && now_ns - analyzer->stopped_ns > STOPPED_MAX_NS))
		return false;
	if (!analyzer->stopped_ns)
		analyzer->stopped_ns = now_ns;
	return true;
}

int analyzer_create(struct analyzer **out, const struct analyzer_config *config, struct diag *why)
{
	struct analyzer *analyzer = calloc(1, sizeof(*analyzer));
	int err;

	*out = NULL;
	if (!analyzer)
		return diag_set(why, -ENOMEM, "no memory for the analyzer");
	analyzer->config = *config;
	analyzer->request_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	analyzer->snapshot_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (analyzer->request_fd < 0 || analyzer->snapshot_fd < 0)
		err = diag_set(why, -EMFILE, "no descriptors left for the analyzer: "
			       "raise ulimit -n");
	else if (spsc_init(&analyzer->requests, REQUEST_QUEUE_BYTES))
		err = diag_set(why, -ENOMEM, "no memory for the analyzer");
	else
		err = ingest_init(&analyzer->ingest, &config->ingest, config->opener,
				  config->reader, why);
	if (err) {
		analyzer_destroy(analyzer);
		return err;
	}
	analyzer->ingest.lines.is_on = config->wants_events;
	if (!config->ingest.is_replay && !config->ingest.can_wait)
		analyzer->ingest.lines.bytes_max = config->memory_bytes / EVENT_LINES_SHARE;
	analyzer->ingest.lines.has_raw = config->wants_event_places;
	analyzer->ingest.lines.has_branches = config->wants_event_branches;
	analyzer->ingest.names.demangler = config->demangler;
	analyzer->ingest.slow_unwinder = config->slow_unwinder;
	analyzer->ingest.stack_ends = config->stack_ends;
	ingest_set_tee(&analyzer->ingest, config->tee);
	ingest_set_keeper(&analyzer->ingest, config->keeper);
	if (publisher_init(&analyzer->publisher, &analyzer->config, &analyzer->ingest)) {
		analyzer_destroy(analyzer);
		return diag_set(why, -ENOMEM, "no memory for the analyzer");
	}
	analyzer->publisher.stop = (struct fold_stop){ must_stop_fold, analyzer };
	source_hold_init(&analyzer->hold, &analyzer->publisher.source_lines,
			 &analyzer->publisher.listings, config->source_rows);
	*out = analyzer;
	return 0;
}

/* False: the thread hangs. */
static bool analyzer_stop(struct analyzer *analyzer)
{
	if (!analyzer->has_thread)
		return true;
	atomic_store_explicit(&analyzer->stop, true, memory_order_release);	/* run() */
	whole_eventfd_write(analyzer->request_fd, 1);
	analyzer->has_thread = !thread_join_within(analyzer->thread, END_MS);
	return !analyzer->has_thread;
}

bool analyzer_destroy(struct analyzer *analyzer)
{
	if (!analyzer)
		return true;
	if (!analyzer_stop(analyzer))
		return false;
	snapshot_destroy(mailbox_take(&analyzer->mailbox));
	source_hold_finish(&analyzer->hold);
	event_builder_finish(&analyzer->publisher);
	publisher_finish(&analyzer->publisher);
	ingest_finish(&analyzer->ingest);
	spsc_finish(&analyzer->requests);
	if (analyzer->request_fd >= 0)
		close(analyzer->request_fd);
	if (analyzer->snapshot_fd >= 0)
		close(analyzer->snapshot_fd);
	free(analyzer);
	return true;
}

struct snapshot *analyzer_take_snapshot(struct analyzer *analyzer)
{
	struct snapshot *snapshot;
	eventfd_t count;

	eventfd_read(analyzer->snapshot_fd, &count);
	snapshot = mailbox_take(&analyzer->mailbox);
	if (snapshot)	/* the next one may be waiting for the room, see must_wait_for_reader() */
		whole_eventfd_write(analyzer->request_fd, 1);
	return snapshot;
}

int analyzer_fd(const struct analyzer *analyzer)
{
	return analyzer->snapshot_fd;
}

bool analyzer_request(struct analyzer *analyzer, const struct request *request)
{
	struct request *slot = spsc_reserve(&analyzer->requests, sizeof(*slot));

	if (!slot)
		return false;
	*slot = *request;
	spsc_commit(&analyzer->requests);
	whole_eventfd_write(analyzer->request_fd, 1);
	return true;
}

/* Switches to another source, also after the end of the last one: the next snapshot is its first,
 * unless only the size of stack copies differs (keeps_counts). */
static void switch_source(struct analyzer *analyzer, const struct queue_source *item)
{
	struct analyzer_config *config = &analyzer->config;
	const struct source *source = item->source;
	const bool had_busy = config->has_busy;

	config->ingest = source->ingest;
	config->target = source->target;
	config->target_pid = source->target_pid;
	config->offers_children = source->offers_children;
	config->notice = source->notice;
	config->absent_events = source->absent_events;
	config->counted_events = source->counted_events;
	config->cpus = source->cpus;
	config->has_busy = source->has_busy;
	config->has_everything = source->has_everything;
	ingest_switch(&analyzer->ingest, item->source, item->begin_ns);
	copy_size_begin(&analyzer->copy_size, source->ingest.copy_bytes, clock_now_ns());
	analyzer->end_ns = 0;
	analyzer->end_why = (struct diag){ 0 };
	analyzer->publisher.is_ended = analyzer->is_last_published = false;
	if (source->keeps_counts)
		return;
	publisher_switch(&analyzer->publisher, item->begin_ns, had_busy);
	schedule_begin(analyzer);
}

/* Ends the source: no more records will come. With two recordings adds to @why which one it was. */
static void end_source(struct analyzer *analyzer, const struct diag *why)
{
	const struct second_recording *second = analyzer->config.second;

	analyzer->end_why = *why;
	if (why->err && second)
		diag_prefix(&analyzer->end_why, "%s",
			    analyzer->is_first_read ? second->name : second->first_name);
	analyzer->end_ns = clock_now_ns();
	analyzer->publisher.is_ended = true;
	if (analyzer->config.ingest.is_replay && analyzer->publisher.seq &&
	    !analyzer->config.wants_all_events && !analyzer->config.wants_events)
		analyzer->more_due_ns = analyzer->end_ns;	/* the last one waits for names */
	clock_ticks_end(&analyzer->ingest.losses->clock);
}

static void note_read(struct analyzer *analyzer, const struct queue_read *read)
{
	analyzer->publisher.reading = *read;
	analyzer->ingest.counters.left_out_time = read->left_out;
}

/* Ends the recording here. What is still in the queue is dropped: it may be seconds of work. */
static void stop_reading(struct analyzer *analyzer)
{
	static const struct queue_round_end all = { .limit_ns = UINT64_MAX };
	static const struct diag no_error = { .err = 0 };
	const struct analyzer_config *config = &analyzer->config;

	if (!config->queue_stop || analyzer->end_ns || schedule_is_reading_first(analyzer))
		return;
	config->queue_stop(config->source);
	analyzer->publisher.is_cut_short = true;
	ingest_round_end(&analyzer->ingest, &all);
	end_source(analyzer, &no_error);
}

/* How many records it had; what is none counts as one. */
static int take_item(struct analyzer *analyzer, const struct queue_item *item, size_t bytes)
{
	const void *payload = item + 1;
	const struct queue_lost *lost = payload;
	const struct queue_end *end = payload;

	switch (item->kind) {
	case QUEUE_RECORD:
		return ingest_push_item(&analyzer->ingest, item, bytes);
	case QUEUE_ROUND_END:
		ingest_round_end(&analyzer->ingest, payload);
		break;
	case QUEUE_LOST:
		ingest_lost_total(&analyzer->ingest, item->event, item->cpu, lost->lost_total);
		break;
	case QUEUE_COUNTED:
		clock_ticks_count(&analyzer->ingest.losses->clock, item->event, payload,
				  analyzer->ingest.watermark_ns);
		break;
	case QUEUE_WAITS:
		waits_count(analyzer->ingest.waits, payload);
		break;
	case QUEUE_READ:
		note_read(analyzer, payload);
		break;
	case QUEUE_END:
		end_source(analyzer, &end->why);
		break;
	case QUEUE_SOURCE:
		switch_source(analyzer, payload);
		break;
	}
	return 1;
}

/* Hits from before another source begins are counted with the records of the last one. */
static bool must_wait_for_hits(const struct analyzer *analyzer, const struct queue_item *item)
{
	const struct queue_source *source = (const void *)(item + 1);

	return item->kind == QUEUE_SOURCE &&
	       ingest_hit_limit_ns(&analyzer->ingest) < source->begin_ns;
}

static bool is_stopped(const struct analyzer *analyzer)
{
	return analyzer->ingest.has_waiting || ingest_is_full(&analyzer->ingest) ||
	       event_builder_is_full(&analyzer->publisher);
}

/* About RECORDS_PER_LOOK records, none while a table must come first. True: there may be more. */
static bool drain(struct analyzer *analyzer)
{
	const struct queue_item *item;
	size_t bytes;
	int taken = 0;

	while (analyzer->publisher.is_cut_short && spsc_peek(analyzer->config.queue, &bytes))
		spsc_release(analyzer->config.queue);
	while (taken < RECORDS_PER_LOOK && !is_stopped(analyzer)) {
		item = spsc_peek(analyzer->config.queue, &bytes);
		if (!item || must_wait_for_hits(analyzer, item))
			break;
		taken += take_item(analyzer, item, bytes);
		spsc_release(analyzer->config.queue);
	}
	if (taken && analyzer->config.queue_drained)
		analyzer->config.queue_drained(analyzer->config.source);
	if (taken < RECORDS_PER_LOOK)
		thread_turn_give_back(&analyzer->config.queue->consumer);
	return taken >= RECORDS_PER_LOOK;
}

static bool drain_probes(struct analyzer *analyzer)
{
	const struct probe_drain drain = probe_source_drain(
		&analyzer->config.probes, &analyzer->ingest, RECORDS_PER_LOOK);

	if (drain.has_dropped)
		publisher_renumbered(&analyzer->publisher);
	return drain.has_more;
}

/* True: rows are keyed by tasks, for which /proc has stats. */
static bool take_query(struct analyzer *analyzer, const struct request *request)
{
	struct analyzer_config *config = &analyzer->config;

	config->query = request->query;
	/* Before its first snapshot the screen can't know that there is a baseline. */
	config->query.compare |= config->second && !analyzer->publisher.seq;
	return config->reader && (config->query.keys & (KEY_PID | KEY_TID));
}

/* Applies @request to the content of snapshots, not to their times. True: the rows need stats from
 * /proc, so another snapshot should follow in a moment. */
static bool apply_request(struct analyzer *analyzer, const struct request *request)
{
	struct analyzer_config *config = &analyzer->config;
	struct publisher *publisher = &analyzer->publisher;

	switch (request->kind) {
	case REQUEST_REFRESH:
		break;
	case REQUEST_BEGIN:
		publisher_start(publisher, request->value_ns);
		break;
	case REQUEST_WINDOW:
		config->window = (enum window_kind)request->value;
		config->window_ns = request->value_ns;
		break;
	case REQUEST_INTERVAL:
		config->interval_ns = request->value_ns;
		break;
	case REQUEST_ZERO:
		/* The window of the first recording is always everything. */
		if (!schedule_is_reading_first(analyzer))
			publisher_zero(publisher);
		break;
	case REQUEST_STOP:
		stop_reading(analyzer);
		break;
	case REQUEST_FREEZE:
		publisher_freeze(publisher, request->begin_ns, request->value_ns);
		break;
	case REQUEST_QUERY:
		return take_query(analyzer, request);
	case REQUEST_BASELINE:
		publisher_mark(publisher, request->begin_ns, request->value_ns, request->value);
		break;
	case REQUEST_EVENT:
		publisher->event = request->value;
		break;
	case REQUEST_STACKS:
		analyzer->is_pending_asked = !publisher_want_stacks(publisher, request->value);
		break;
	case REQUEST_RECORD:
		ingest_set_tee(&analyzer->ingest, request->tee);
		break;
	case REQUEST_SOURCES:
		source_lines_request(&publisher->source_lines, request->requests, request->value);
		break;
	}
	return false;
}

static void take_request(struct analyzer *analyzer, const struct request *request)
{
	if (apply_request(analyzer, request))
		analyzer->more_due_ns = clock_now_ns() + TASKS_REFRESH_NS;
}

static void take_requests(struct analyzer *analyzer)
{
	const struct request *next;
	bool any = false;
	eventfd_t count;
	size_t bytes;

	eventfd_read(analyzer->request_fd, &count);
	while ((next = spsc_peek(&analyzer->requests, &bytes))) {
		take_request(analyzer, next);
		if (next->kind == REQUEST_INTERVAL || next->kind == REQUEST_FREEZE ||
		    next->kind == REQUEST_ZERO)
			schedule_restart(analyzer);
		if (next->kind == REQUEST_BEGIN)
			schedule_begin(analyzer);
		any |= next->kind != REQUEST_SOURCES && next->kind != REQUEST_BEGIN &&
		       !(next->kind == REQUEST_STACKS && analyzer->is_pending_asked);
		spsc_release(&analyzer->requests);
	}
	if (any || analyzer->stopped_ns)
		schedule_publish(analyzer);
}

/* Takes source lines that the screen waits for; more may follow in a moment. */
static void take_sources(struct analyzer *analyzer)
{
	const uint64_t due_ns = clock_now_ns() + SOURCES_REFRESH_NS;

	if (!source_lines_take(&analyzer->publisher.source_lines) ||
	    analyzer->config.wants_sources || analyzer->config.wants_events)
		return;
	if (!analyzer->more_due_ns || due_ns < analyzer->more_due_ns)
		analyzer->more_due_ns = due_ns;
}

/* Takes a listing's document; a snapshot with it follows at once. */
static void take_listings(struct analyzer *analyzer)
{
	if (listing_builder_take(&analyzer->publisher.listings) && !analyzer->config.wants_sources)
		analyzer->more_due_ns = clock_now_ns();
}

/* Takes counters. The first of them, and that there are none, are shown at once, not two seconds
 * later. */
static void take_counters(struct analyzer *analyzer)
{
	if (counter_history_take(&analyzer->publisher.counters))
		analyzer->more_due_ns = clock_now_ns();
}

/* Adapts the size of stack copies to the newest slice; after a second without samples there are
 * several new ones. */
static void adapt_copies(struct analyzer *analyzer)
{
	const struct copy_control *control = &analyzer->config.copies;
	const struct timeline *timeline = &analyzer->ingest.timeline;
	uint32_t requested;

	if (!control->request || !timeline->count)
		return;
	requested = copy_size_observe(&analyzer->copy_size,
				      &timeline->slices[timeline->count - 1].stacks,
				      clock_now_ns());
	if (requested)
		control->request(control->owner, requested);
}

/* Ends copies that flood the rings; called often, as that must end before the second does. */
static void end_copies(struct analyzer *analyzer)
{
	const struct copy_control *control = &analyzer->config.copies;
	const struct ingest *ingest = &analyzer->ingest;
	const struct copied_hits hits = {
		.count = ingest->counters.copied_hits, .lost = ingest->counters.lost_kernel,
		.second = ingest->timeline.open_slice.seq,
	};

	if (control->request && copy_size_is_too_much(&analyzer->copy_size, &hits, clock_now_ns()))
		control->request(control->owner, 0);
}

/* True if a table is full, maybe of rows that history does not refer to. */
static bool has_full_table(const struct ingest *ingest)
{
	return (ingest->hits && (ingest->hits->values.is_full || ingest->hits->keys.is_full ||
				  ingest->hits->tuples.is_full)) || reclaim_is_wanted(ingest);
}

static void enforce_budget(struct analyzer *analyzer)
{
	const uint64_t seq = analyzer->ingest.timeline.open_slice.seq;

	end_copies(analyzer);
	if (seq == analyzer->enforced_seq && !budget_is_pressed(&analyzer->ingest))
		return;
	analyzer->enforced_seq = seq;
	publisher_note_losses(&analyzer->publisher);
	adapt_copies(analyzer);
	if (has_full_table(&analyzer->ingest) &&
	    analyzer->ingest.watermark_ns - analyzer->compacted_ns > COMPACT_EVERY_NS) {
		analyzer->compacted_ns = analyzer->ingest.watermark_ns;
		if (budget_compact(&analyzer->ingest))
			publisher_renumbered(&analyzer->publisher);
	}
	if (budget_enforce(&analyzer->ingest, analyzer->config.memory_bytes,
			   analyzer->ingest.watermark_ns))
		publisher_renumbered(&analyzer->publisher);
}

/* What a condition has found is shown at once. */
static void look_at_conditions(struct analyzer *analyzer)
{
	if (publisher_look_at_conditions(&analyzer->publisher) &&
	    !analyzer->config.wants_all_events && !analyzer->config.wants_events)
		analyzer->more_due_ns = clock_now_ns();
}

/* Returns the timeout for poll(2); -1: none. */
static int wait_ms(struct analyzer *analyzer)
{
	const uint64_t next_ns = schedule_next_ns(analyzer);

	return next_ns == UINT64_MAX ? -1 : clock_ms_until(next_ns, clock_now_ns());
}

static void *run(void *argument)
{
	struct analyzer *analyzer = argument;
	const struct analyzer_config *config = &analyzer->config;
	struct pollfd fds[] = {
		{ .fd = config->queue_fd, .events = POLLIN },
		{ .fd = config->probes.event ? config->probes.fd : -1, .events = POLLIN },
		{ .fd = analyzer->request_fd, .events = POLLIN },
		{ .fd = config->opener ? dso_opener_fd(config->opener) : -1, .events = POLLIN },
		{ .fd = config->reader ? process_reader_fd(config->reader) : -1,
		  .events = POLLIN },
		{ .fd = config->line_server ? line_server_fd(config->line_server) : -1,
		  .events = POLLIN },
		{ .fd = config->demangler ? demangler_fd(config->demangler) : -1,
		  .events = POLLIN },
		{ .fd = config->slow_unwinder ? slow_unwinder_fd(config->slow_unwinder) : -1,
		  .events = POLLIN },
		{ .events = POLLIN },	/* listings: there is a thread since the first one */
		{ .events = POLLIN },	/* counters, likewise */
	};
	const size_t fd_count = sizeof(fds) / sizeof(fds[0]);
	eventfd_t count;
	bool has_more = false, was_stopped;

	thread_turn_begin(&config->queue->consumer);
	while (!atomic_load_explicit(&analyzer->stop, memory_order_acquire)) { /* analyzer_stop() */
		fds[0].fd = config->queue_fd;	/* changes with a second recording */
		fds[fd_count - 1].fd = counter_history_fd(&analyzer->publisher.counters);
		fds[fd_count - 2].fd =
			config->listing_server ? listing_server_fd(config->listing_server) : -1;
		poll(fds, fd_count, has_more ? 0 : wait_ms(analyzer));
		if (fds[0].revents & POLLIN)
			eventfd_read(config->queue_fd, &count);
		if (fds[1].revents & POLLIN)
			eventfd_read(config->probes.fd, &count);
		has_more = drain_probes(analyzer);
		has_more |= drain(analyzer);
		was_stopped = is_stopped(analyzer);
		symbol_names_pace(&analyzer->ingest.names, clock_now_ns(),
				  schedule_planned_ns(analyzer));
		ingest_poll(&analyzer->ingest, false);
		enforce_budget(analyzer);
		look_at_conditions(analyzer);
		take_requests(analyzer);
		take_sources(analyzer);
		take_listings(analyzer);
		take_counters(analyzer);
		schedule_run(analyzer);
		has_more |= was_stopped && !is_stopped(analyzer);
	}
	thread_turn_end(&config->queue->consumer);
	return NULL;
}

int analyzer_start(struct analyzer *analyzer, struct diag *why)
{
	int err;

	if (analyzer->config.begins_on_request)
		analyzer->next_refresh_ns = UINT64_MAX;
	else
		schedule_begin(analyzer);
	publisher_start(&analyzer->publisher, clock_now_ns());
	copy_size_begin(&analyzer->copy_size, analyzer->config.ingest.copy_bytes, clock_now_ns());
	err = thread_start(&analyzer->thread, "flametop-model", run, analyzer);
	analyzer->has_thread = !err;
	return err ? diag_set(why, err, "cannot start the analyzer thread: %s", strerror(-err)) : 0;
}
