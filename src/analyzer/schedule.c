/* schedule.c - see schedule.h.
 *
 * Due times are computed each time that they are needed, so none can be forgotten when what it
 * depends on changes.
 */
#include "schedule.h"

#include "base/clock.h"
#include "base/whole_io.h"
#include "event_builder.h"
#include "second_recording.h"

#define NEVER	UINT64_MAX
#define FIRST_NS (150 * CLOCK_NS_PER_MS)	/* the screen should not stay empty */
#define STEP_NS	 (100 * CLOCK_NS_PER_MS)	/* a faster change can't be read */
#define LAST_NS	 (650 * CLOCK_NS_PER_MS)	/* by then the kernel's names are there */
#define NAMES_WAIT_NS	    (5 * CLOCK_NS_PER_S)    /* for the last snapshot of a batch */
#define BATCH_NAMES_WAIT_NS (200 * CLOCK_NS_PER_MS) /* a worker takes 10 ms, some more under load */
#define NAMES_REFRESH_NS    (200 * CLOCK_NS_PER_MS) /* a frozen window whose names arrive */
/* A chosen window does not change, but the activity graph beside it does, once a second. If folding
 * the window again is slow, it is refreshed less often. */
/* While a recording is read: what was read grows quickly, and folding it must not cost more than a
 * tenth of the time. */
#define READING_NS	    (250 * CLOCK_NS_PER_MS)
#define READING_SHARE	    10
/* A small recording is read, and has all its names, by then; of a large one so much is enough. */
#define READING_FIRST_NS    (20 * CLOCK_NS_PER_MS)
#define READING_FIRST_BYTES (1u << 20)
#define CHOSEN_REFRESH_NS   CLOCK_NS_PER_S
#define CHOSEN_SLOW_NS	    (20 * CLOCK_NS_PER_MS)
#define CHOSEN_SELDOM_NS    (5 * CLOCK_NS_PER_S)

void first_snapshots_begin(struct first_snapshots *first, uint64_t now_ns)
{
	*first = (struct first_snapshots){ .begin_ns = now_ns };
}

static bool has_samples(const struct ingest *ingest)
{
	return ingest->timeline.count || timeline_open_count(&ingest->timeline);
}

/* Nothing that was sampled waits for its name, but the kernel's, which takes longest. */
static bool is_settled(const struct ingest *ingest)
{
	const uint32_t kernel =
		ingest->dsos.dsos[DSO_KERNEL].state == DSO_LOADING ? 1 : 0;

	return has_samples(ingest) && !ingest->pending_count && !ingest->has_waiting &&
	       ingest->opening <= kernel && !symbol_names_are_pending(&ingest->names);
}

uint64_t first_snapshots_due_ns(const struct first_snapshots *first, const struct ingest *ingest)
{
	const uint64_t step_ns = first->last_ns + STEP_NS;
	const uint64_t end_ns = first->begin_ns + LAST_NS;
	bool has_more;

	if (!first->begin_ns)
		return UINT64_MAX;
	if (!first->last_ns)
		return is_settled(ingest) ? 0 : first->begin_ns + FIRST_NS;
	/* A snapshot requested before there were samples does not count as the first. */
	has_more = ingest->has_new_names || (!first->has_samples && is_settled(ingest));
	return has_more && step_ns < end_ns ? step_ns : end_ns;
}

void first_snapshots_made(struct first_snapshots *first, const struct ingest *ingest,
			  uint64_t now_ns)
{
	first->last_ns = now_ns;
	first->has_samples = has_samples(ingest);
	if (now_ns >= first->begin_ns + LAST_NS)
		first->begin_ns = 0;
}

static void deliver(struct analyzer *analyzer, struct snapshot *snapshot)
{
	snapshot_destroy(mailbox_put(&analyzer->mailbox, snapshot));
	whole_eventfd_write(analyzer->snapshot_fd, 1);
}

bool schedule_is_reading_first(const struct analyzer *analyzer)
{
	return analyzer->config.second && !analyzer->is_first_read;
}

static void publish(struct analyzer *analyzer, bool is_last)
{
	const uint64_t began_ns = clock_now_ns();
	struct snapshot *snapshot = NULL;

	if (analyzer->config.wants_events)
		snapshot = event_builder_publish(&analyzer->publisher, analyzer->end_ns, is_last,
						 &analyzer->end_why);
	else if (!schedule_is_reading_first(analyzer))
		snapshot = publisher_make(&analyzer->publisher, is_last, &analyzer->end_why);
	if (!snapshot)
		return;		/* stopped, or no memory now: the next refresh tries again */
	analyzer->took_ns = clock_now_ns() - began_ns;
	first_snapshots_made(&analyzer->first, &analyzer->ingest, began_ns);
	analyzer->stopped_ns = 0;
	analyzer->ingest.has_new_names = false;
	if (analyzer->config.wants_sources)
		source_hold_put(&analyzer->hold, snapshot, clock_now_ns());
	else
		deliver(analyzer, snapshot);
}

void schedule_publish(struct analyzer *analyzer)
{
	publish(analyzer, analyzer->is_last_published);
}

static void postpone(struct analyzer *analyzer, uint64_t now_ns)
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

void schedule_begin(struct analyzer *analyzer)
{
	const uint64_t now_ns = clock_now_ns();

	first_snapshots_begin(&analyzer->first, analyzer->config.wants_all_events ? 0 : now_ns);
	analyzer->reading_due_ns = now_ns + READING_FIRST_NS;
	analyzer->next_refresh_ns =	/* in a replay at once: names come whenever they do */
		now_ns + (analyzer->config.ingest.is_replay ? 0 : analyzer->config.interval_ns);
}

void schedule_restart(struct analyzer *analyzer)
{
	analyzer->next_refresh_ns =
		clock_now_ns() +
		(is_still(analyzer) ? NAMES_REFRESH_NS : analyzer->config.interval_ns);
	analyzer->chosen_due_ns = clock_now_ns() + CHOSEN_REFRESH_NS;
}

/* True while a snapshot that was not read yet must not be overwritten, as in batch mode. */
static bool must_wait_for_reader(struct analyzer *analyzer)
{
	return analyzer->hold.snapshot ||
	       ((analyzer->config.window == WINDOW_INTERVAL || analyzer->config.wants_events) &&
		!mailbox_is_empty(&analyzer->mailbox));
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

static bool is_publishing_events(const struct analyzer *analyzer)
{
	return analyzer->config.wants_events && !analyzer->end_ns;
}

/* True while snapshots come at regular times. */
static bool is_live(const struct analyzer *analyzer)
{
	return !is_publishing_events(analyzer) && !analyzer->publisher.frozen_ns &&
	       !analyzer->config.ingest.is_replay && (!analyzer->end_ns || goes_on(analyzer));
}

uint64_t schedule_planned_ns(const struct analyzer *analyzer)
{
	return analyzer->end_ns || analyzer->config.ingest.is_replay || is_still(analyzer) ||
	       analyzer->first.begin_ns || analyzer->more_due_ns ? 0 : analyzer->next_refresh_ns;
}

/* Delays a snapshot that is due at @due_ns and keyed by lines that are not known yet. */
static uint64_t after_lines_ns(const struct analyzer *analyzer, uint64_t due_ns)
{
	const uint64_t until_ns = analyzer->line_wait.until_ns;

	return until_ns > due_ns && source_lines_are_pending(&analyzer->publisher.source_lines)
	       ? until_ns : due_ns;
}

static uint64_t pending_ns(struct analyzer *analyzer)
{
	return analyzer->ingest.pending_count ? analyzer->ingest.pending_due_ns : NEVER;
}

static uint64_t names_ns(struct analyzer *analyzer)
{
	return symbol_names_due_ns(&analyzer->ingest.names);
}

static uint64_t load_ns(struct analyzer *analyzer)
{
	return publisher_due_ns(&analyzer->publisher);
}

static void read_load(struct analyzer *analyzer, uint64_t now_ns)
{
	publisher_tick(&analyzer->publisher, now_ns);
}

static uint64_t more_ns(struct analyzer *analyzer)
{
	return analyzer->more_due_ns ? analyzer->more_due_ns : NEVER;
}

static void publish_more(struct analyzer *analyzer, uint64_t now_ns)
{
	(void)now_ns;
	analyzer->more_due_ns = 0;
	schedule_publish(analyzer);
}

/* Each event is published once, so the previous snapshot must have been taken. */
static uint64_t events_ns(struct analyzer *analyzer)
{
	if (!is_publishing_events(analyzer) || must_wait_for_reader(analyzer))
		return NEVER;
	return analyzer->config.ingest.is_replay ? event_builder_due_ns(&analyzer->publisher)
						 : analyzer->next_refresh_ns;
}

static void publish_events(struct analyzer *analyzer, uint64_t now_ns)
{
	publish(analyzer, false);
	if (analyzer->ingest.lines.count < EVENT_LINES_BATCH ||
	    mailbox_is_empty(&analyzer->mailbox))
		postpone(analyzer, now_ns);
}

static uint64_t first_ns(struct analyzer *analyzer)
{
	return is_live(analyzer) ? first_snapshots_due_ns(&analyzer->first, &analyzer->ingest)
				 : NEVER;
}

/* What was read so far is shown with its first samples, whatever they are called, then as it grows.
 * A batch prints all of the recording at once. */
static uint64_t reading_ns(struct analyzer *analyzer)
{
	const struct analyzer_config *config = &analyzer->config;

	if (!config->ingest.is_replay || analyzer->end_ns || config->wants_all_events ||
	    config->wants_events || analyzer->publisher.frozen_ns ||
	    schedule_is_reading_first(analyzer) || !has_samples(&analyzer->ingest) ||
	    !mailbox_is_empty(&analyzer->mailbox))
		return NEVER;
	if (!analyzer->publisher.seq && analyzer->publisher.reading.bytes >= READING_FIRST_BYTES)
		return 0;
	return analyzer->reading_due_ns;
}

static void publish_reading(struct analyzer *analyzer, uint64_t now_ns)
{
	const uint64_t pause_ns = READING_SHARE * analyzer->took_ns;

	schedule_publish(analyzer);
	analyzer->reading_due_ns = now_ns + (pause_ns > READING_NS ? pause_ns : READING_NS);
}

static void begin_first(struct analyzer *analyzer, uint64_t now_ns)
{
	first_snapshots_made(&analyzer->first, &analyzer->ingest, now_ns);
	analyzer->next_refresh_ns = now_ns;
}

/* A refresh of batch mode is printed once, so it waits a little for names being demangled. */
static uint64_t refresh_ns(struct analyzer *analyzer)
{
	uint64_t due_ns = analyzer->next_refresh_ns;

	if (!is_live(analyzer) || must_wait_for_reader(analyzer) || due_ns == NEVER)
		return NEVER;
	if (analyzer->config.window == WINDOW_INTERVAL &&
	    symbol_names_are_pending(&analyzer->ingest.names))
		due_ns += BATCH_NAMES_WAIT_NS;
	return after_lines_ns(analyzer, due_ns);
}

static void refresh(struct analyzer *analyzer, uint64_t now_ns)
{
	if (line_wait_must(&analyzer->line_wait, &analyzer->publisher, now_ns))
		return;
	schedule_publish(analyzer);
	postpone(analyzer, now_ns);
}

/* The last snapshot comes once all records are counted and (within a limit) named. */
static uint64_t last_ns(struct analyzer *analyzer)
{
	const struct ingest *ingest = &analyzer->ingest;

	if (!analyzer->end_ns || analyzer->is_last_published || analyzer->publisher.frozen_ns ||
	    must_wait_for_reader(analyzer) || ingest->pending_count || ingest->has_waiting)
		return NEVER;
	if (schedule_is_reading_first(analyzer))
		return 0;
	if (must_wait_for_probes(analyzer))
		return NEVER;		/* however long it takes */
	if (ingest->opening || symbol_names_are_pending(&ingest->names))
		return after_lines_ns(analyzer, analyzer->end_ns + NAMES_WAIT_NS);
	if (event_builder_waits_until_ns(&analyzer->publisher))
		return event_builder_waits_until_ns(&analyzer->publisher);
	return after_lines_ns(analyzer, 0);
}

static void finish(struct analyzer *analyzer, uint64_t now_ns)
{
	if (schedule_is_reading_first(analyzer)) {
		begin_second(analyzer);
		return;
	}
	if (line_wait_must(&analyzer->line_wait, &analyzer->publisher, now_ns))
		return;
	/* The last one has no events. */
	analyzer->is_last_published = !analyzer->ingest.lines.count;
	schedule_publish(analyzer);
}

static uint64_t new_names_ns(struct analyzer *analyzer)
{
	return is_still(analyzer) && analyzer->ingest.has_new_names &&
	       !analyzer->config.wants_all_events ? analyzer->next_refresh_ns : NEVER;
}

static void publish_names(struct analyzer *analyzer, uint64_t now_ns)
{
	analyzer->next_refresh_ns = now_ns + NAMES_REFRESH_NS;
	schedule_publish(analyzer);
}

/* The window is chosen, but the activity graph moves on while samples still come. */
static uint64_t chosen_ns(struct analyzer *analyzer)
{
	return analyzer->publisher.chosen_ns && !analyzer->config.ingest.is_replay &&
	       (!analyzer->end_ns || goes_on(analyzer)) ? analyzer->chosen_due_ns : NEVER;
}

static void publish_chosen(struct analyzer *analyzer, uint64_t now_ns)
{
	schedule_publish(analyzer);
	analyzer->chosen_due_ns = now_ns + (analyzer->took_ns < CHOSEN_SLOW_NS
					    ? CHOSEN_REFRESH_NS : CHOSEN_SELDOM_NS);
}

static uint64_t samples_ns(struct analyzer *analyzer)
{
	return sample_hold_due_ns(&analyzer->publisher.sample_hold);
}

static void publish_samples(struct analyzer *analyzer, uint64_t now_ns)
{
	if (!sample_hold_must_wait(&analyzer->publisher.sample_hold, now_ns))
		schedule_publish(analyzer);
}

static uint64_t sources_ns(struct analyzer *analyzer)
{
	if (!analyzer->hold.snapshot)
		return NEVER;
	return source_hold_must_wait(&analyzer->hold) ? analyzer->hold.until_ns : 0;
}

static void deliver_with_sources(struct analyzer *analyzer, uint64_t now_ns)
{
	struct snapshot *snapshot = source_hold_release(&analyzer->hold, now_ns);

	if (snapshot)
		deliver(analyzer, snapshot);
}

/* All that comes at a time of its own. */
static const struct {
	/* Returns when it is due; 0: at once; NEVER: only after something else, which wakes the
	 * thread. */
	uint64_t (*due_ns)(struct analyzer *analyzer);
	void (*run)(struct analyzer *analyzer, uint64_t now_ns);	/* NULL: ingest_poll() */
} dues[DUE_COUNT] = {
	[DUE_PENDING]	= { pending_ns, NULL },
	[DUE_NAMES]	= { names_ns, NULL },
	[DUE_LOAD]	= { load_ns, read_load },
	[DUE_MORE]	= { more_ns, publish_more },
	[DUE_EVENTS]	= { events_ns, publish_events },
	[DUE_FIRST]	= { first_ns, begin_first },
	[DUE_READING]	= { reading_ns, publish_reading },
	[DUE_REFRESH]	= { refresh_ns, refresh },
	[DUE_LAST]	= { last_ns, finish },
	[DUE_NEW_NAMES] = { new_names_ns, publish_names },
	[DUE_CHOSEN]	= { chosen_ns, publish_chosen },
	[DUE_SAMPLES]	= { samples_ns, publish_samples },
	[DUE_SOURCES]	= { sources_ns, deliver_with_sources },
};

uint64_t schedule_due_ns(struct analyzer *analyzer, enum due due)
{
	return dues[due].due_ns(analyzer);
}

uint64_t schedule_next_ns(struct analyzer *analyzer)
{
	uint64_t next_ns = NEVER;

	for (enum due due = 0; due < DUE_COUNT; due++)
		next_ns = clock_earlier(next_ns, dues[due].due_ns(analyzer));
	return next_ns;
}

void schedule_run(struct analyzer *analyzer)
{
	for (enum due due = 0; due < DUE_COUNT; due++) {
		const uint64_t now_ns = clock_now_ns();

		if (dues[due].run && now_ns >= dues[due].due_ns(analyzer))
			dues[due].run(analyzer, now_ns);
	}
}
