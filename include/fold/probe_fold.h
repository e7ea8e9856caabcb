/* probe_fold.h - sums the entries of a window into each probe's counts.
 *
 * Use:    probe_fold_init(), probe_fold_add() for every array of entries, probe_fold_finish().
 * Thread: the analyzer's.
 */
#ifndef FOLD_PROBE_FOLD_H
#define FOLD_PROBE_FOLD_H

#include "ingest/latency_bucket.h"
#include "ingest/probe_hits.h"
#include "timeline/timeline.h"

struct probe_fold {
	uint64_t (*buckets)[LATENCY_BUCKETS];	/* owned; hits by slot; bucket 0: no latency */
	uint64_t *values;	/* owned; counts by row of probe_values */
	uint32_t value_count;
	uint8_t slot_of[TIMELINE_NUMBERS];	/* event -> slot; PROBE_SLOTS: not a probe */
};

/* 0 or -ENOMEM. */
int probe_fold_init(struct probe_fold *fold, const struct probe_hits *hits);
void probe_fold_finish(struct probe_fold *fold);	/* a zeroed one is fine, too */
void probe_fold_add(struct probe_fold *fold, const struct slice_entry *entries, uint32_t count);

/* Returns the hits of the probe in @slot. */
uint64_t probe_fold_hits(const struct probe_fold *fold, uint32_t slot);

#endif
