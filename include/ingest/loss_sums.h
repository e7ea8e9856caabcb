/* loss_sums.h - reads what the analyzer's stages have counted as lost.
 * Thread: the analyzer's. */
#ifndef INGEST_LOSS_SUMS_H
#define INGEST_LOSS_SUMS_H

#include "analyzer/snapshot.h"
#include "ingest/ingest.h"
#include "ingest/loss_ledger.h"

/* The configuration of @ingest is another one: ticks are expected of its events from now on. */
void loss_sums_begin_clock(struct ingest *ingest);

/* All causes that have a sum since start; the others 0. */
void loss_sums_read(const struct ingest *ingest, uint64_t out[LOSS_CAUSES]);

/* The snapshot's counters since start, and its ledger but for what the window's fold says. The
 * span of the window is set already. */
void loss_sums_put(const struct ingest *ingest, const struct loss_history *history,
		   struct snapshot *head);

/* What the fold has counted in the window; unresolved, the stacks' counters
 * and how busy the CPUs were are set already. */
void loss_sums_put_window(struct snapshot *head);

#endif
