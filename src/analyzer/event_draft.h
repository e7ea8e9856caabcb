/* event_draft.h - makes the events of a snapshot from the lines of ingest/event_lines.h.
 * Thread: the analyzer's. */
#ifndef ANALYZER_EVENT_DRAFT_H
#define ANALYZER_EVENT_DRAFT_H

#include "analyzer/snapshot_events.h"
#include "fold/filter.h"
#include "ingest/ingest.h"

struct event_wish {
	const struct filter *filter;	/* applied to command, CPU and leaf */
	bool shows_idle, wants_stacks;
	uint64_t limit_ns;	/* only lines older than this */
};

/* Looks the names for the selected lines up, so that missing ones are requested. */
void event_draft_ask_names(struct ingest *ingest, const struct event_wish *wish);

/* Moves the oldest lines, EVENT_LINES_BATCH at most, from @ingest->lines to *@out, which the caller
 * must free(). 0; -ENOMEM; -EINVAL: see fold_filter_init(). */
int event_draft_make(struct snapshot_events **out, struct ingest *ingest,
		     const struct event_wish *wish);

#endif
