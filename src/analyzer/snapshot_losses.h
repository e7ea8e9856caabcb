/* snapshot_losses.h - fills the loss counters of a snapshot.
 * Thread: the analyzer's. */
#ifndef ANALYZER_SNAPSHOT_LOSSES_H
#define ANALYZER_SNAPSHOT_LOSSES_H

#include "analyzer/snapshot.h"
#include "ingest/ingest.h"
#include "ingest/loss_ledger.h"

/* Sets the losses since start, and the `ledger` except for causes known from the window's fold.
 * The span of the window must be set. */
void snapshot_losses_put(const struct ingest *ingest, const struct loss_history *history,
			 struct snapshot *head);

/* Sets the losses known from the window's fold. `unresolved`, the counters of stacks and busy_pct
 * must be set. */
void snapshot_losses_put_window(struct snapshot *head);

#endif
