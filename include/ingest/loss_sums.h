/* loss_sums.h - reads what this room's parts have counted as lost since start.
 * Thread: the analyzer's. */
#ifndef INGEST_LOSS_SUMS_H
#define INGEST_LOSS_SUMS_H

#include "ingest/ingest.h"
#include "ingest/loss_ledger.h"

/* The configuration of @ingest is another one: ticks are expected of its events from now on. */
void loss_sums_begin_clock(struct ingest *ingest);

/* All causes that have a sum since start; the others 0. */
void loss_sums_read(const struct ingest *ingest, uint64_t out[LOSS_CAUSES]);

#endif
