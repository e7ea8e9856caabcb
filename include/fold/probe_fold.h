/* probe_fold.h - entries of a window -> what each probe counted in it.
 *
 * Use:    like fold/fold.h: init, add for every array of entries, finish when it was read.
 * Thread: the analyzer's.
 */
#ifndef FOLD_PROBE_FOLD_H
#define FOLD_PROBE_FOLD_H

#include "ingest/latency_bucket.h"
#include "ingest/probe_hits.h"
#include "timeline/timeline.h"

struct probe_fold {
	uint64_t (*buckets)[LATENCY_BUCKETS];	/* owned; hits of each slot, bucket 0: without */
	uint64_t *values;	/* owned; of the rows of probe_values */
	uint32_t value_count;
	uint8_t slot_of[TIMELINE_NUMBERS];	/* event -> slot; PROBE_SLOTS: no probe's */
};

/* 0 or -ENOMEM. */
int probe_fold_init(struct probe_fold *fold, const struct probe_hits *hits);
void probe_fold_finish(struct probe_fold *fold);	/* of a zeroed one, too */
void probe_fold_add(struct probe_fold *fold, const struct slice_entry *entries, uint32_t count);

uint64_t probe_fold_hits(const struct probe_fold *fold, uint32_t slot);

#endif
