/* source.h - what the analyzer must know of the capture that it gets records from. Another event,
 * rate or target is another source: QUEUE_SOURCE in the record queue says where it begins.
 *
 * Owns:   all that it points to; nothing of the capture's, which may be destroyed before it.
 * Thread: made by one; then the analyzer's, from the item in the queue on; destroyed once the
 *         analyzer has ended.
 */
#ifndef INGEST_SOURCE_H
#define INGEST_SOURCE_H

#include "capture/capture.h"
#include "ingest/ingest.h"

struct source {
	struct ingest_config ingest;
	const char *target, *notice;	/* for the header; raw */
	const char *absent_events;	/* as capture_absent_events() */
	uint32_t target_pid;	/* the one process that is sampled; 0: none, or several */
	bool offers_children;	/* those that it had started before are not sampled */
	uint32_t cpus;
	bool has_busy;		/* the whole machine is sampled */
	bool keeps_tasks;	/* the same tasks as before: what is known of them still holds */
	bool keeps_counts;	/* only the size of stack copies is another: history goes on */
	struct timeline timeline;	/* empty; the analyzer takes it and needs no memory */

	struct event_desc *descs;	/* what `ingest` and the texts point to */
	const struct event_desc **events;
	uint32_t *ids;
	char *texts;
};

/* Describes @capture as it has been opened. @keeps_tasks as above. 0, -ENOMEM, or -E2BIG: more
 * than TIMELINE_MAX_EVENTS. *@out is the caller's, NULL after a failure. */
int source_create(struct source **out, const struct capture *capture, bool keeps_tasks,
		  struct diag *why);
void source_destroy(struct source *source);	/* NULL is fine */
/* Tells the notice in the log, a line for each thing. */
void source_log_notice(const struct source *source);

#endif
