/* source.c - see ingest/source.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

#include "base/diag.h"
#include "base/whole_io.h"
#include "capture/record.h"
#include "ingest/source.h"
#include "intake.h"
#include "probe_records.h"
#include "proc/process_stat.h"

static int copy_events(struct source *source, const struct capture *capture)
{
	const size_t count = capture_event_count(capture);

	source->descs = calloc(count, sizeof(*source->descs));
	source->events = calloc(count + 1, sizeof(*source->events));
	if (!source->descs || !source->events)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		source->descs[i] = *capture_event(capture, i);
		source->events[i] = &source->descs[i];
	}
	source->ingest.events = source->events;
	source->ingest.event_count = (uint32_t)count;
	ingest_config_add_branches(&source->ingest, source->events);
	return timeline_init(&source->timeline, source->ingest.event_count);
}

static int copy_texts(struct source *source, const struct capture *capture)
{
	const char *target = capture_target_text(capture), *notice = capture_notice(capture);
	const char *absent = capture_absent_events(capture);
	const char *counted = capture_counted_events(capture);
	const size_t target_bytes = strlen(target) + 1, notice_bytes = strlen(notice) + 1;
	const size_t absent_bytes = strlen(absent) + 1, counted_bytes = strlen(counted) + 1;

	source->texts = malloc(target_bytes + notice_bytes + absent_bytes + counted_bytes);
	if (!source->texts)
		return -ENOMEM;
	memcpy(source->texts, target, target_bytes);
	memcpy(source->texts + target_bytes, notice, notice_bytes);
	source->target = source->texts;
	memcpy(source->texts + target_bytes + notice_bytes, absent, absent_bytes);
	source->notice = source->texts + target_bytes;
	source->absent_events = source->notice + notice_bytes;
	source->counted_events = memcpy(source->texts + target_bytes + notice_bytes + absent_bytes,
					counted, counted_bytes);
	return 0;
}

static int copy_ids(struct source *source, const pid_t *ids, size_t count,
		    const pid_t *more, size_t more_count)
{
	source->ids = calloc(count + more_count + 1, sizeof(*source->ids));
	if (!source->ids)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		source->ids[i] = (uint32_t)ids[i];
	for (size_t i = 0; i < more_count; i++)
		source->ids[count + i] = (uint32_t)more[i];
	return 0;
}

/* Fills in the targets, always: a later source of the same tasks may have to keep them by marks. */
static int mark_tasks(struct source *source, const struct capture *capture)
{
	const struct target *target = capture_target(capture);
	struct ingest_config *ingest = &source->ingest;
	pid_t *started = NULL;
	size_t started_count = 0;
	int err = 0;

	if (target->id_count && target_started_since(target) && target->kind != TARGET_THREADS)
		err = task_list_descendants(target->ids, target->id_count,
					    target_started_since(target), &started,
					    &started_count);
	if (!err)
		err = copy_ids(source, target->ids, target->id_count, started, started_count);
	free(started);
	if (target->kind == TARGET_THREADS) {
		ingest->target_tids = source->ids;
		ingest->target_tid_count = target->id_count;
	} else {
		ingest->target_pids = source->ids;
		ingest->target_pid_count = target->id_count + started_count;
	}
	if (target->id_count == 1 &&
	    (target->kind == TARGET_PROCESSES || target->kind == TARGET_COMMAND))
		source->target_pid = (uint32_t)target->ids[0];
	source->offers_children = source->target_pid && target->kind == TARGET_PROCESSES &&
				  !target->has_descendants;
	ingest->has_task_filter = capture_needs_task_filter(capture);
	ingest->no_inherit = target->no_inherit;
	return err;
}

int source_create(struct source **out, const struct capture *capture, bool keeps_tasks,
		  struct diag *why)
{
	const enum target_kind kind = capture_target_kind(capture);
	const size_t event_count = capture_event_count(capture);
	struct source *source;

	*out = NULL;
	if (event_count > TIMELINE_MAX_EVENTS)
		return diag_set(why, -E2BIG, "%zu events: at most %d can be shown", event_count,
				TIMELINE_MAX_EVENTS);
	source = calloc(1, sizeof(*source));
	if (!source || copy_events(source, capture) || copy_texts(source, capture) ||
	    mark_tasks(source, capture)) {
		source_destroy(source);
		return diag_set(why, -ENOMEM, "no memory for the events");
	}
	source->cpus = (uint32_t)capture_cpu_count(capture);
	source->has_busy = kind == TARGET_SYSTEM || kind == TARGET_USER;
	source->has_everything = kind == TARGET_SYSTEM && !capture_target(capture)->cpus;
	source->ingest.whole_cpus = source->has_busy ? source->cpus : 0;
	source->ingest.has_uid_filter = kind == TARGET_USER;
	source->ingest.uid = capture_target(capture)->uid;
	source->ingest.copy_bytes = capture_adaptable_copy(capture);
	source->keeps_tasks = keeps_tasks;
	*out = source;
	return 0;
}

void source_destroy(struct source *source)
{
	if (!source)
		return;
	timeline_finish(&source->timeline);
	free(source->descs);
	free(source->events);
	free(source->ids);
	free(source->texts);
	free(source);
}

void source_log_notice(const struct source *source)
{
	for (const char *at = source->notice; *at;) {
		const size_t length = strcspn(at, "\n");

		log_note("%.*s", (int)length, at);
		at += length + (at[length] == '\n');
	}
}

/* Problem: events and records have separate queues, so the first record of a probe may be read
 * before the event that says how to decode it. Idea: the sender queues the event first; on a record
 * with an unknown id the events are read again, and if the id stays unknown the record is
 * malformed.
 */

static bool take_events(const struct probe_source *source, struct ingest *ingest)
{
	struct engine_event event;
	bool has_dropped = false;

	while (source->event(source->owner, &event))
		has_dropped |= probe_records_event(ingest, &event);
	return has_dropped;
}

static void take_record(const struct probe_source *source, struct ingest *ingest,
			const struct perf_event_header *record, uint32_t cpu,
			struct probe_drain *drain)
{
	if (probe_records_push(ingest, record, record->size, cpu))
		return;
	drain->has_dropped |= take_events(source, ingest);
	if (!probe_records_push(ingest, record, record->size, cpu))
		ingest->counters.malformed++;
}

/* Pushes all records of @item. Returns how many. */
static int take_records(const struct probe_source *source, struct ingest *ingest,
			const struct queue_item *item, size_t bytes, struct probe_drain *drain)
{
	const struct perf_event_header *record;
	size_t offset = 0;
	int count = 0;

	for (; (record = queue_next_record(item, bytes, &offset)); count++)
		take_record(source, ingest, record, item->cpu, drain);
	return count;
}

/* Requests a round of the other source: the new hits wait for its records of their time. */
static void ask_for_round(const struct probe_source *source, const struct ingest *ingest,
			  uint64_t before_ns)
{
	const uint64_t hits_ns = ingest_hit_limit_ns(ingest);

	if (source->round_fd > 0 && hits_ns != before_ns && hits_ns != UINT64_MAX &&
	    ingest->intake->limit_ns < hits_ns)
		whole_eventfd_write(source->round_fd, 1);
}

struct probe_drain probe_source_drain(const struct probe_source *source, struct ingest *ingest,
				      int limit)
{
	struct probe_drain drain = { .has_more = true };
	const uint64_t before_ns = ingest_hit_limit_ns(ingest);
	const struct queue_item *item;
	size_t bytes;

	if (!source->event)
		return (struct probe_drain){ .has_more = false };
	drain.has_dropped = take_events(source, ingest);
	for (int taken = 0; taken < limit;) {
		item = spsc_peek(source->queue, &bytes);
		if (!item) {
			drain.has_more = false;
			break;
		}
		if (item->kind == QUEUE_RECORD)
			taken += take_records(source, ingest, item, bytes, &drain);
		else
			taken++;
		if (item->kind == QUEUE_ROUND_END)
			ingest_hit_round_end(ingest, (const void *)(item + 1));
		spsc_release(source->queue);
	}
	ask_for_round(source, ingest, before_ns);
	return drain;
}
