/* loss_sums.h - reads what the analyzer's stages have counted as lost.
 * Thread: the analyzer's. */
#ifndef MODEL_LOSS_SUMS_H
#define MODEL_LOSS_SUMS_H

#include "model/ingest.h"
#include "model/loss_ledger.h"
#include "model/snapshot.h"

/* All causes that have a sum since start; the others 0. */
void loss_sums_read(const struct ingest *ingest, uint64_t out[LOSS_CAUSES]);

/* The snapshot's counters since start, and its ledger but for what the window's fold says. The
 * span of the window is set already. */
void loss_sums_put(const struct ingest *ingest, const struct loss_history *history,
		   struct snapshot *head);

/* What the fold has counted in the window; unresolved and the stacks' counters are set already. */
void loss_sums_put_window(struct snapshot *head);

#endif
