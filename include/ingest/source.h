/* source.h - describes the capture that the analyzer gets records from. Another event, rate or
 * target is another source: QUEUE_SOURCE in the record queue marks where it begins.
 *
 * Owns:   all that it points to; nothing of the capture's, which may be destroyed before it.
 * Thread: the creator's until QUEUE_SOURCE is read, then the analyzer's; destroyed once the
 *         analyzer has ended.
 */
#ifndef INGEST_SOURCE_H
#define INGEST_SOURCE_H

#include "base/thread.h"
#include "capture/capture.h"
#include "ingest/ingest.h"

struct source {
	struct ingest_config ingest;
	const char *target, *notice;	/* for the header; raw */
	const char *absent_events;	/* see capture_absent_events() */
	const char *counted_events;	/* see capture_counted_events() */
	uint32_t target_pid;	/* the one process that is sampled; 0: none, or several */
	bool offers_children;	/* children that it started before are not sampled */
	uint32_t cpus;
	bool has_busy;		/* the whole machine is sampled */
	bool has_everything;	/* every process on every CPU is sampled */
	bool keeps_tasks;	/* targets are unchanged: what is known of tasks stays valid */
	bool keeps_counts;	/* only the size of stack copies changed: history goes on */
	struct timeline timeline;	/* empty; made here so that the switch can't fail */

	struct event_desc *descs;	/* owned, like the next three; `ingest` points to them */
	const struct event_desc **events;
	uint32_t *ids;
	char *texts;
};

/* Creates the description of the opened @capture. @keeps_tasks: see struct source. 0, -ENOMEM, or
 * -E2BIG: over TIMELINE_MAX_EVENTS. *@out is the caller's, NULL after a failure. */
int source_create(struct source **out, const struct capture *capture, bool keeps_tasks,
		  struct diag *why);
void source_destroy(struct source *source);	/* NULL is fine */
/* Writes the notice to the log, line by line. */
void source_log_notice(const struct source *source);

/* The analyzer's input from probes: events, and a second queue of records.
 *
 * Rounds:  each of the two sources reports the time up to which all of its records have been
 *          queued; the earlier one is the limit (reorder.h). The probes' time counts once
 *          ENGINE_EVENT_RINGS came. Rounds of the other source may be far apart, so each round of
 *          the probes requests one there.
 * Thread:  the analyzer's; `event` synchronizes itself.
 */
struct probe_source {
	bool (*event)(void *owner, struct engine_event *out);	/* false: no event now. NULL: there
								 * are no probes */
	void *owner;
	struct spsc *queue;	/* items: struct queue_item, event 0; BORROWED */
	int fd;			/* eventfd: readable when events or records wait */
	int round_fd;		/* eventfd that asks the other source for a round; 0: it has none */
};

/* Result of probe_source_drain(). */
struct probe_drain {
	bool has_more;		/* there may be more in the queue */
	bool has_dropped;	/* counts were dropped: kept windows must start over */
};

/* Applies all events and up to @limit items of the queue. */
struct probe_drain probe_source_drain(const struct probe_source *source, struct ingest *ingest,
				      int limit);

#endif
