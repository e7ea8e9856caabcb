/* event_builder.h - makes snapshots of hits and samples one by one, from the lines of
 * ingest/probe_state.h.
 * Thread: the analyzer's. */
#ifndef ANALYZER_EVENT_BUILDER_H
#define ANALYZER_EVENT_BUILDER_H

#include "analyzer/snapshot.h"
#include "publisher.h"

/* Like publisher_make(), where the config wants events: the snapshot has the events older than any
 * that may still come or, with @is_end, all of them, as many as fit. NULL also while names are
 * pending. */
struct snapshot *event_builder_publish(struct publisher *publisher, bool is_end, bool is_last,
				       const struct diag *end_why);
/* Frees what it keeps in @publisher; before publisher_finish(). */
void event_builder_finish(struct publisher *publisher);
/* True: reading of a recording pauses until the reader of events takes what is there. */
bool event_builder_is_full(const struct publisher *publisher);
/* Returns until when events wait for the functions that were inlined in their stacks, at most; 0:
 * they don't. */
uint64_t event_builder_waits_until_ns(const struct publisher *publisher);
/* Returns when the events of a recording can be published, once it is full of them; UINT64_MAX: not
 * before more is read. */
uint64_t event_builder_due_ns(const struct publisher *publisher);

#endif
