/* event_draft.h - lines of ingest/event_lines.h -> the events of a snapshot.
 * Thread: the analyzer's. */
#ifndef ANALYZER_EVENT_DRAFT_H
#define ANALYZER_EVENT_DRAFT_H

#include "analyzer/snapshot_events.h"
#include "fold/filter.h"
#include "ingest/ingest.h"

struct event_wish {
	const struct filter *filter;	/* by the command, the CPU and the code that it was in */
	bool shows_idle, wants_stacks;
	uint64_t limit_ns;	/* older lines are wanted */
};

/* Looks the names of the wanted lines up, so that they come. */
void event_draft_ask_names(struct ingest *ingest, const struct event_wish *wish);

/* The oldest lines leave @ingest->lines: EVENT_LINES_BATCH at most. *@out is the caller's: free(3).
 * 0; -ENOMEM; -EINVAL: as fold_filter_init(). */
int event_draft_make(struct snapshot_events **out, struct ingest *ingest,
		     const struct event_wish *wish);

#endif
