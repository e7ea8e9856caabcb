/* snapshot_losses.h - what a snapshot says of losses: its counters, and the ledger.
 * Thread: the analyzer's. */
#ifndef ANALYZER_SNAPSHOT_LOSSES_H
#define ANALYZER_SNAPSHOT_LOSSES_H

#include "analyzer/snapshot.h"
#include "ingest/ingest.h"
#include "ingest/loss_ledger.h"

/* The snapshot's counters since start, and its ledger but for what the window's fold says. The
 * span of the window is set already. */
void snapshot_losses_put(const struct ingest *ingest, const struct loss_history *history,
			 struct snapshot *head);

/* What the fold has counted in the window; unresolved, the stacks' counters and how busy the CPUs
 * were are set already. */
void snapshot_losses_put_window(struct snapshot *head);

#endif
