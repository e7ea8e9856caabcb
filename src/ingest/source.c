/* source.c - see ingest/source.h. */
#include "ingest/source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "proc/task_list.h"

static int copy_events(struct source *source, const struct capture *capture)
{
	const size_t count = capture_event_count(capture);

	source->descs = calloc(count, sizeof(*source->descs));
	source->events = calloc(count, sizeof(*source->events));
	if (!source->descs || !source->events)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		source->descs[i] = *capture_event(capture, i);
		source->events[i] = &source->descs[i];
	}
	source->ingest.events = source->events;
	source->ingest.event_count = (uint32_t)count;
	return timeline_init(&source->timeline, (uint32_t)count);
}

static int copy_texts(struct source *source, const struct capture *capture)
{
	const char *target = capture_target_text(capture), *notice = capture_notice(capture);
	const char *absent = capture_absent_events(capture);
	const size_t target_bytes = strlen(target) + 1, notice_bytes = strlen(notice) + 1;
	const size_t absent_bytes = strlen(absent) + 1;

	source->texts = malloc(target_bytes + notice_bytes + absent_bytes);
	if (!source->texts)
		return -ENOMEM;
	memcpy(source->texts, target, target_bytes);
	memcpy(source->texts + target_bytes, notice, notice_bytes);
	source->target = source->texts;
	memcpy(source->texts + target_bytes + notice_bytes, absent, absent_bytes);
	source->notice = source->texts + target_bytes;
	source->absent_events = source->notice + notice_bytes;
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
