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

#include "analyzer/publisher.h"
#include "analyzer/second_recording.h"
#include "base/clock.h"
#include "base/mailbox.h"
#include "base/thread.h"
#include "base/whole_io.h"
#include "budget.h"
#include "copy_wish.h"
#include "first_pictures.h"
#include "ingest/source.h"
#include "line_wait.h"
#include "reclaim.h"
#include "request_take.h"
#include "source_hold.h"

#define REQUEST_QUEUE_BYTES (1u << 17)	/* a request has 6 KB; keys held down send many */
#define RECORDS_PER_LOOK    1024	/* about a millisecond of work */
#define NAMES_WAIT_NS	    (5 * CLOCK_NS_PER_S)    /* for the last snapshot of a batch */
#define BATCH_NAMES_WAIT_NS (200 * CLOCK_NS_PER_MS) /* a worker takes 10 ms, some more under load */
#define TASKS_REFRESH_NS    (150 * CLOCK_NS_PER_MS) /* by then /proc was read for the new rows */
#define SOURCES_REFRESH_NS  (20 * CLOCK_NS_PER_MS)  /* a fold takes a tenth of it */
#define STOPPED_MAX_NS	    (500 * CLOCK_NS_PER_MS) /* without a snapshot, while keys come */
#define COMPACT_EVERY_NS    (10 * CLOCK_NS_PER_S)   /* it walks all history */
#define NAMES_REFRESH_NS    (200 * CLOCK_NS_PER_MS) /* a frozen window whose names arrive */
/* A chosen window does not change, but the activity graph beside it does, once a second. If folding
 * the window again is slow, it is refreshed less often. */
#define CHOSEN_REFRESH_NS   CLOCK_NS_PER_S
#define CHOSEN_SLOW_NS	    (20 * CLOCK_NS_PER_MS)
#define CHOSEN_SELDOM_NS    (5 * CLOCK_NS_PER_S)

struct analyzer {
	struct analyzer_config config;
	struct ingest ingest;
	struct publisher publisher;
	struct source_hold hold;
	struct spsc requests;
	struct mailbox mailbox;
	int request_fd, snapshot_fd;	/* eventfds */
	uint64_t next_refresh_ns;
	struct first_pictures first;
	uint64_t more_due_ns;		/* next snapshot, with more about the same rows; 0: none */
	uint64_t compacted_ns;		/* last compaction because a table was full */
	uint64_t enforced_seq;		/* open slice at the last check of the budget */
	struct copy_size copy_size;
	uint64_t end_ns;		/* when QUEUE_END came; 0: not yet */
	struct diag end_why;
	bool is_last_published;
	bool is_first_read;		/* the first of two recordings was read */
	uint64_t chosen_due_ns;		/* next snapshot of a chosen window */
	uint64_t took_ns;		/* time spent on the last snapshot */
	struct line_wait line_wait;
	uint64_t stopped_ns;		/* first stop of a fold since the last snapshot; 0: none */
	_Atomic bool stop;		/* set by analyzer_stop(), read by run() */
	pthread_t thread;
	bool has_thread;
};

/* A waiting request mostly needs another snapshot, so the fold is stopped. But with keys coming
 * without a pause there must be a snapshot now and then. */
static bool must_stop_fold(void *owner)
{
	struct analyzer *analyzer = owner;
	const uint64_t now_ns = clock_now_ns();

	if (!spsc_used(&analyzer->requests) ||
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
	analyzer->ingest.names.demangler = config->demangler;
	analyzer->ingest.rare.server = config->rare_server;
	analyzer->ingest.stacks.ends = config->stack_ends;
	if (publisher_init(&analyzer->publisher, &analyzer->config, &analyzer->ingest)) {
		analyzer_destroy(analyzer);
		return diag_set(why, -ENOMEM, "no memory for the analyzer");
	}
	analyzer->publisher.stop = (struct tree_stop){ must_stop_fold, analyzer };
	source_hold_init(&analyzer->hold, &analyzer->publisher.source_lines, config->source_rows);
	*out = analyzer;
	return 0;
}

void analyzer_stop(struct analyzer *analyzer)
{
	if (!analyzer->has_thread)
		return;
	atomic_store_explicit(&analyzer->stop, true, memory_order_release);	/* run() */
	whole_eventfd_write(analyzer->request_fd, 1);
	pthread_join(analyzer->thread, NULL);
	analyzer->has_thread = false;
}

void analyzer_destroy(struct analyzer *analyzer)
{
	if (!analyzer)
		return;
	analyzer_stop(analyzer);
	snapshot_destroy(mailbox_take(&analyzer->mailbox));
	source_hold_finish(&analyzer->hold);
	publisher_finish(&analyzer->publisher);
	ingest_finish(&analyzer->ingest);
	spsc_finish(&analyzer->requests);
	if (analyzer->request_fd >= 0)
		close(analyzer->request_fd);
	if (analyzer->snapshot_fd >= 0)
		close(analyzer->snapshot_fd);
	free(analyzer);
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

/* Restarts refreshes. In batch mode, where each line has its time, there are no first snapshots. */
static void begin_refreshes(struct analyzer *analyzer)
{
	const uint64_t now_ns = clock_now_ns();

	first_pictures_begin(&analyzer->first, analyzer->config.wants_all_events ? 0 : now_ns);
	analyzer->next_refresh_ns =	/* in a replay at once: names come whenever they do */
		now_ns + (analyzer->config.ingest.is_replay ? 0 : analyzer->config.interval_ns);
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
	config->cpus = source->cpus;
	config->has_busy = source->has_busy;
	ingest_switch(&analyzer->ingest, item->source, item->begin_ns);
	copy_size_begin(&analyzer->copy_size, source->ingest.copy_bytes, clock_now_ns());
	analyzer->end_ns = 0;
	analyzer->end_why = (struct diag){ 0 };
	analyzer->publisher.is_ended = analyzer->is_last_published = false;
	if (source->keeps_counts)
		return;
	publisher_switch(&analyzer->publisher, item->begin_ns, had_busy);
	begin_refreshes(analyzer);
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
	clock_ticks_end(&analyzer->ingest.clock);
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
		clock_ticks_count(&analyzer->ingest.clock, item->event, payload,
				  analyzer->ingest.watermark_ns);
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

/* Hits of before another source's begin are counted with the records of the last one. */
static bool must_wait_for_hits(const struct analyzer *analyzer, const struct queue_item *item)
{
	const struct queue_source *source = (const void *)(item + 1);

	return item->kind == QUEUE_SOURCE &&
	       ingest_hit_limit_ns(&analyzer->ingest) < source->begin_ns;
}

static bool is_stopped(const struct analyzer *analyzer)
{
	return analyzer->ingest.is_held || publisher_is_full_of_events(&analyzer->publisher);
}

/* About RECORDS_PER_LOOK records, none while a table must come first. True: there may be more. */
static bool drain(struct analyzer *analyzer)
{
	const struct queue_item *item;
	size_t bytes;
	int taken = 0;

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

static void deliver(struct analyzer *analyzer, struct snapshot *snapshot)
{
	snapshot_destroy(mailbox_put(&analyzer->mailbox, snapshot));
	whole_eventfd_write(analyzer->snapshot_fd, 1);
}

/* True while the first of two recordings is read, which is never shown. */
static bool is_reading_first(const struct analyzer *analyzer)
{
	return analyzer->config.second && !analyzer->is_first_read;
}

static void publish(struct analyzer *analyzer, bool is_last)
{
	const uint64_t began_ns = clock_now_ns();
	struct snapshot *snapshot = NULL;

	if (analyzer->config.wants_events)
		snapshot = publisher_make_events(&analyzer->publisher, analyzer->end_ns, is_last,
						 &analyzer->end_why);
	else if (!is_reading_first(analyzer))
		snapshot = publisher_make(&analyzer->publisher, is_last, &analyzer->end_why);
	if (!snapshot)
		return;		/* stopped, or no memory now: the next refresh tries again */
	analyzer->took_ns = clock_now_ns() - began_ns;
	first_pictures_made(&analyzer->first, &analyzer->ingest, began_ns);
	analyzer->stopped_ns = 0;
	analyzer->ingest.has_new_names = false;
	if (analyzer->config.wants_sources)
		source_hold_put(&analyzer->hold, snapshot, clock_now_ns());
	else
		deliver(analyzer, snapshot);
}

static void schedule(struct analyzer *analyzer, uint64_t now_ns)
{
	/* From the plan, not from now: batch lines keep their distance. */
	analyzer->next_refresh_ns += analyzer->config.interval_ns;
	if (analyzer->next_refresh_ns <= now_ns)
		analyzer->next_refresh_ns = now_ns + analyzer->config.interval_ns;
}

/* True if the profiled processes have ended, but probes are still live. */
static bool goes_on(const struct analyzer *analyzer)
{
	return analyzer->is_last_published && !analyzer->config.wants_all_events &&
	       probe_hits_are_live(analyzer->ingest.hits);
}

/* True if the data on the screen does not change any more, except for names that still arrive. */
static bool is_still(const struct analyzer *analyzer)
{
	return (analyzer->is_last_published && !goes_on(analyzer)) ||
	       analyzer->publisher.frozen_ns;
}

static void take_request(struct analyzer *analyzer, const struct request *request)
{
	if (request_take(request, &analyzer->config, &analyzer->publisher,
			 is_reading_first(analyzer)))
		analyzer->more_due_ns = clock_now_ns() + TASKS_REFRESH_NS;
}

/* The reply to a request is a snapshot: the next one comes an interval after it. */
static void restart_refresh(struct analyzer *analyzer)
{
	analyzer->next_refresh_ns =
		clock_now_ns() +
		(is_still(analyzer) ? NAMES_REFRESH_NS : analyzer->config.interval_ns);
	analyzer->chosen_due_ns = clock_now_ns() + CHOSEN_REFRESH_NS;
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
			restart_refresh(analyzer);
		if (next->kind == REQUEST_BEGIN)
			begin_refreshes(analyzer);
		any |= next->kind != REQUEST_SOURCES && next->kind != REQUEST_BEGIN;
		spsc_release(&analyzer->requests);
	}
	if (any || analyzer->stopped_ns)
		publish(analyzer, analyzer->is_last_published);
}

/* True while a snapshot that was not read yet must not be overwritten, as in batch mode. */
static bool must_wait_for_reader(struct analyzer *analyzer)
{
	return analyzer->hold.snapshot ||
	       ((analyzer->config.window == WINDOW_INTERVAL || analyzer->config.wants_events) &&
		!mailbox_is_empty(&analyzer->mailbox));
}

/* A refresh of batch mode is printed once, so it waits a little for names being demangled. */
static bool must_wait_for_names(const struct analyzer *analyzer, uint64_t now_ns)
{
	return analyzer->config.window == WINDOW_INTERVAL &&
	       symbol_names_are_pending(&analyzer->ingest.names) &&
	       now_ns < analyzer->next_refresh_ns + BATCH_NAMES_WAIT_NS;
}

/* The last snapshot must have all hits of each probe, counted here and in the kernel. */
static bool must_wait_for_probes(const struct analyzer *analyzer)
{
	return ingest_hit_limit_ns(&analyzer->ingest) < analyzer->end_ns ||
	       probe_hits_read_ns(analyzer->ingest.hits) < analyzer->end_ns;
}

/* Begins the second recording after the first was counted, unless that ended by an error. */
static void begin_second(struct analyzer *analyzer)
{
	struct diag why = { 0 };

	analyzer->is_first_read = true;
	if (analyzer->end_why.err)
		return;		/* that is the end of it */
	analyzer->end_ns = 0;
	if (!second_recording_begin(analyzer->config.second, &analyzer->config,
				    &analyzer->publisher, &why))
		return;
	analyzer->end_why = why;
	analyzer->end_ns = clock_now_ns();
}

/* Publishes the last snapshot, once all records are counted and (within a limit) named. */
static void finish_if_ended(struct analyzer *analyzer, uint64_t now_ns)
{
	const struct ingest *ingest = &analyzer->ingest;
	const bool are_pending = ingest->opening || symbol_names_are_pending(&ingest->names);

	if (!analyzer->end_ns || analyzer->is_last_published || must_wait_for_reader(analyzer))
		return;
	if (!ingest->parked_count && is_reading_first(analyzer)) {
		begin_second(analyzer);
		return;
	}
	if (ingest->parked_count || must_wait_for_probes(analyzer) ||
	    (are_pending && now_ns - analyzer->end_ns < NAMES_WAIT_NS) ||
	    line_wait_must(&analyzer->line_wait, &analyzer->publisher, now_ns))
		return;
	analyzer->is_last_published = !ingest->lines.count;	/* the last one has no events */
	publish(analyzer, analyzer->is_last_published);
}

/* Publishes events. Each is published once, so the previous snapshot must have been taken. */
static void tell_events(struct analyzer *analyzer, uint64_t now_ns)
{
	if (must_wait_for_reader(analyzer) ||
	    (analyzer->config.ingest.is_replay ? !publisher_is_full_of_events(&analyzer->publisher)
					       : now_ns < analyzer->next_refresh_ns))
		return;
	publish(analyzer, false);
	if (analyzer->ingest.lines.count < EVENT_LINES_BATCH ||
	    mailbox_is_empty(&analyzer->mailbox))
		schedule(analyzer, now_ns);
}

static bool wants_names(const struct analyzer *analyzer)
{
	return is_still(analyzer) && analyzer->ingest.has_new_names &&
	       !analyzer->config.wants_all_events;
}

static void refresh_names(struct analyzer *analyzer, uint64_t now_ns)
{
	if (!wants_names(analyzer) || now_ns < analyzer->next_refresh_ns)
		return;
	analyzer->next_refresh_ns = now_ns + NAMES_REFRESH_NS;
	publish(analyzer, analyzer->is_last_published);
}

/* Returns when the next regular refresh is due; 0: snapshots don't come at regular times now. */
static uint64_t planned_picture_ns(const struct analyzer *analyzer)
{
	return analyzer->end_ns || analyzer->config.ingest.is_replay || is_still(analyzer) ||
	       analyzer->first.begin_ns || analyzer->more_due_ns ? 0 : analyzer->next_refresh_ns;
}

/* Takes source lines that the screen waits for; more may follow in a moment. */
static void take_sources(struct analyzer *analyzer)
{
	const uint64_t due_ns = clock_now_ns() + SOURCES_REFRESH_NS;

	if (!source_lines_take(&analyzer->publisher.source_lines) || analyzer->config.wants_sources)
		return;
	if (!analyzer->more_due_ns || due_ns < analyzer->more_due_ns)
		analyzer->more_due_ns = due_ns;
}

static void release_held(struct analyzer *analyzer)
{
	struct snapshot *snapshot = source_hold_release(&analyzer->hold, clock_now_ns());

	if (snapshot)
		deliver(analyzer, snapshot);
}

/* Publishes the stats that the last snapshot requested: a frozen window would never show them. */
static void refresh_more(struct analyzer *analyzer, uint64_t now_ns)
{
	if (!analyzer->more_due_ns || now_ns < analyzer->more_due_ns)
		return;
	analyzer->more_due_ns = 0;
	publish(analyzer, analyzer->is_last_published);
}

/* True if the window is chosen, but the activity graph moves on, as samples still come. */
static bool has_moving_strip(const struct analyzer *analyzer)
{
	return analyzer->publisher.chosen_ns && !analyzer->config.ingest.is_replay &&
	       (!analyzer->end_ns || goes_on(analyzer));
}

static void refresh_chosen(struct analyzer *analyzer, uint64_t now_ns)
{
	if (!has_moving_strip(analyzer) || now_ns < analyzer->chosen_due_ns)
		return;
	publish(analyzer, analyzer->is_last_published);
	analyzer->chosen_due_ns = now_ns + (analyzer->took_ns < CHOSEN_SLOW_NS
					    ? CHOSEN_REFRESH_NS : CHOSEN_SELDOM_NS);
}

static void refresh_if_due(struct analyzer *analyzer, uint64_t now_ns)
{
	if (analyzer->config.wants_events && !analyzer->end_ns) {
		tell_events(analyzer, now_ns);
		return;
	}
	if (analyzer->publisher.frozen_ns) {
		refresh_names(analyzer, now_ns);
		refresh_chosen(analyzer, now_ns);
		return;
	}
	if ((analyzer->end_ns && !goes_on(analyzer)) || analyzer->config.ingest.is_replay) {
		finish_if_ended(analyzer, now_ns);
		refresh_names(analyzer, now_ns);
		return;
	}
	if (now_ns >= first_pictures_due_ns(&analyzer->first, &analyzer->ingest)) {
		first_pictures_made(&analyzer->first, &analyzer->ingest, now_ns);
		analyzer->next_refresh_ns = now_ns;
	}
	if (now_ns < analyzer->next_refresh_ns || must_wait_for_reader(analyzer) ||
	    must_wait_for_names(analyzer, now_ns) ||
	    line_wait_must(&analyzer->line_wait, &analyzer->publisher, now_ns))
		return;
	publish(analyzer, analyzer->is_last_published);
	schedule(analyzer, now_ns);
}

/* True if a table is full, maybe of rows that history does not refer to. */
static bool has_full_table(const struct ingest *ingest)
{
	return (ingest->hits && ingest->hits->values.is_full) || reclaim_is_wanted(ingest);
}

static void enforce_budget(struct analyzer *analyzer)
{
	const uint64_t seq = analyzer->ingest.timeline.open_slice.seq;

	copy_wish_end(&analyzer->copy_size, &analyzer->config.copies, &analyzer->ingest);
	if (seq == analyzer->enforced_seq && !budget_is_pressed(&analyzer->ingest))
		return;
	analyzer->enforced_seq = seq;
	publisher_note_losses(&analyzer->publisher);
	copy_wish_adapt(&analyzer->copy_size, &analyzer->config.copies,
			&analyzer->ingest.timeline);
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

/* Returns how long nothing is due; -1: until a descriptor is readable. */
static int wait_ms(struct analyzer *analyzer, uint64_t now_ns)
{
	const struct ingest *ingest = &analyzer->ingest;
	uint64_t first_ns;

	if (ingest->parked_count)
		return clock_ms_until(ingest->parked_due_ns, now_ns);
	if (analyzer->line_wait.until_ns > now_ns)
		return clock_ms_until(analyzer->line_wait.until_ns, now_ns);
	if (wants_names(analyzer))
		return clock_ms_until(analyzer->next_refresh_ns, now_ns);
	if (has_moving_strip(analyzer))
		return clock_ms_until(analyzer->chosen_due_ns, now_ns);
	if (analyzer->publisher.frozen_ns || must_wait_for_reader(analyzer))
		return -1;
	if (analyzer->end_ns && !analyzer->is_last_published)
		return clock_ms_until(analyzer->end_ns + NAMES_WAIT_NS, now_ns);
	if ((analyzer->end_ns && !goes_on(analyzer)) || analyzer->config.ingest.is_replay)
		return -1;
	if (must_wait_for_names(analyzer, now_ns) && now_ns >= analyzer->next_refresh_ns)
		return clock_ms_until(analyzer->next_refresh_ns + BATCH_NAMES_WAIT_NS, now_ns);
	first_ns = first_pictures_due_ns(&analyzer->first, ingest);
	return clock_ms_until(clock_earlier(first_ns, analyzer->next_refresh_ns), now_ns);
}

/* Returns the timeout for poll(2); -1: none. */
static int poll_ms(struct analyzer *analyzer, uint64_t now_ns)
{
	const int refresh_ms = wait_ms(analyzer, now_ns);
	uint64_t due_ns = clock_earlier(publisher_due_ns(&analyzer->publisher),
					symbol_names_due_ns(&analyzer->ingest.names));
	int due_ms;

	if (analyzer->more_due_ns)
		due_ns = clock_earlier(due_ns, analyzer->more_due_ns);
	if (analyzer->hold.snapshot)
		due_ns = clock_earlier(due_ns, analyzer->hold.until_ns);
	if (due_ns == UINT64_MAX)
		return refresh_ms;
	due_ms = clock_ms_until(due_ns, now_ns);
	return refresh_ms >= 0 && refresh_ms < due_ms ? refresh_ms : due_ms;
}

static void *run(void *argument)
{
	struct analyzer *analyzer = argument;
	const struct analyzer_config *config = &analyzer->config;
	struct pollfd fds[] = {
		{ .fd = config->queue_fd, .events = POLLIN },
		{ .fd = config->probes.news ? config->probes.fd : -1, .events = POLLIN },
		{ .fd = analyzer->request_fd, .events = POLLIN },
		{ .fd = config->opener ? object_opener_fd(config->opener) : -1, .events = POLLIN },
		{ .fd = config->reader ? process_reader_fd(config->reader) : -1,
		  .events = POLLIN },
		{ .fd = config->line_server ? line_server_fd(config->line_server) : -1,
		  .events = POLLIN },
		{ .fd = config->demangler ? demangler_fd(config->demangler) : -1,
		  .events = POLLIN },
		{ .fd = config->rare_server ? rare_server_fd(config->rare_server) : -1,
		  .events = POLLIN },
	};
	eventfd_t count;
	bool has_more = false, was_held;

	thread_turn_begin(&config->queue->consumer);
	while (!atomic_load_explicit(&analyzer->stop, memory_order_acquire)) { /* analyzer_stop() */
		fds[0].fd = config->queue_fd;	/* changes with a second recording */
		poll(fds, sizeof(fds) / sizeof(fds[0]),
		     has_more ? 0 : poll_ms(analyzer, clock_now_ns()));
		if (fds[0].revents & POLLIN)
			eventfd_read(config->queue_fd, &count);
		if (fds[1].revents & POLLIN)
			eventfd_read(config->probes.fd, &count);
		has_more = drain_probes(analyzer);
		has_more |= drain(analyzer);
		was_held = is_stopped(analyzer);
		symbol_names_pace(&analyzer->ingest.names, clock_now_ns(),
				  planned_picture_ns(analyzer));
		ingest_poll(&analyzer->ingest, false);
		enforce_budget(analyzer);
		take_requests(analyzer);
		take_sources(analyzer);
		publisher_tick(&analyzer->publisher, clock_now_ns());
		refresh_more(analyzer, clock_now_ns());
		refresh_if_due(analyzer, clock_now_ns());
		release_held(analyzer);
		has_more |= was_held && !is_stopped(analyzer);
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
		begin_refreshes(analyzer);
	publisher_start(&analyzer->publisher, clock_now_ns());
	copy_size_begin(&analyzer->copy_size, analyzer->config.ingest.copy_bytes, clock_now_ns());
	err = thread_start(&analyzer->thread, "flametop-model", run, analyzer);
	analyzer->has_thread = !err;
	return err ? diag_set(why, err, "cannot start the analyzer thread: %s", strerror(-err)) : 0;
}
