/* loss_sums.h - collects the loss counters of all parts of ingest.
 * Thread: the analyzer's. */
#ifndef INGEST_LOSS_SUMS_H
#define INGEST_LOSS_SUMS_H

#include "ingest/ingest.h"
#include "ingest/loss_ledger.h"

/* Begins counting missing ticks for the events of a new configuration of @ingest. */
void loss_sums_begin_clock(struct ingest *ingest);

/* Fills in @out for all causes with a sum since start; 0 for the others. */
void loss_sums_read(const struct ingest *ingest, uint64_t out[LOSS_CAUSES]);

#endif
