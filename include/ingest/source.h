/* source.h - describes the capture that the analyzer gets records from. Another event, rate or
 * target is another source: QUEUE_SOURCE in the record queue marks where it begins.
 *
 * Owns:   all that it points to; nothing of the capture's, which may be destroyed before it.
 * Thread: the creator's until QUEUE_SOURCE is read, then the analyzer's; destroyed once the
 *         analyzer has ended.
 */
#ifndef INGEST_SOURCE_H
#define INGEST_SOURCE_H

#include "capture/capture.h"
#include "ingest/ingest.h"

struct source {
	struct ingest_config ingest;
	const char *target, *notice;	/* for the header; raw */
	const char *absent_events;	/* see capture_absent_events() */
	uint32_t target_pid;	/* the one process that is sampled; 0: none, or several */
	bool offers_children;	/* children that it started before are not sampled */
	uint32_t cpus;
	bool has_busy;		/* the whole machine is sampled */
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

#endif
