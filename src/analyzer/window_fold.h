/* window_fold.h - folds a window's entries in one go into rows, trees and counts of probes.
 * Thread: the analyzer's. */
#ifndef ANALYZER_WINDOW_FOLD_H
#define ANALYZER_WINDOW_FOLD_H

#include "fold/fold.h"
#include "fold/groups.h"
#include "fold/sample_fold.h"
#include "fold/tree_fold.h"
#include "hit_group_fold.h"
#include "ingest/snapshot_probes.h"
#include "ingest/probe_state.h"
#include "listing/listing.h"
#include "timeline/timeline.h"

/* The counts of each probe in the entries of a window. */
struct probe_fold {
	uint64_t (*buckets)[LATENCY_BUCKETS];	/* owned; hits by slot; bucket 0: no latency */
	uint64_t *values;	/* owned; counts by row of probe_values */
	uint32_t value_count;
	struct hit_group_fold groups;	/* those that the snapshot shall have */
	uint8_t slot_of[TIMELINE_NUMBERS];	/* event -> slot; PROBE_SLOTS: not a probe */
};

/* 0 or -ENOMEM. */
int probe_fold_init(struct probe_fold *fold, const struct probe_hits *hits);
void probe_fold_finish(struct probe_fold *fold);	/* a zeroed one is fine, too */
void probe_fold_add(struct probe_fold *fold, const struct slice_entry *entries, uint32_t count);

/* Returns the hits of the probe in @slot. */
uint64_t probe_fold_hits(const struct probe_fold *fold, uint32_t slot);

/* All that is made of a window. */
struct window_fold {
	struct fold rows;
	struct tree_fold *tree;		/* borrowed; NULL: not requested */
	struct tree_fold *callees;	/* borrowed; NULL: not requested besides `tree` */
	struct group_fold *groups;	/* borrowed; NULL: not requested */
	struct probe_fold *probes;	/* borrowed; NULL: none, or they are in another snapshot */
	struct listing_fold *listing;	/* borrowed; NULL: not requested */
	struct sample_fold *samples;	/* borrowed; NULL: not requested */
};

/* Adds all slices of the window; rows in one pass, if possible. Call once. */
void window_fold_add(struct window_fold *folds, const struct slice *slices, uint32_t count);
/* Like window_fold_add(), with each slice's weight halved per 5 s of its age at @now_ns. */
void window_fold_add_decaying(struct window_fold *folds, const struct slice *slices,
			      uint32_t count, uint64_t now_ns);
/* True if the folds are complete: there was enough memory, and no key stopped them. */
bool window_fold_is_whole(const struct window_fold *folds);

/* The newest seconds, kept incrementally: plus the new slices, minus the old ones. `sum` has the
 * entries after live_window_update(). Longer windows are folded from the slices themselves: those
 * may have been rolled up. */
#define LIVE_WINDOW_MAX_NS (100 * SLICE_NS)

struct live_window {
	struct entry_set sum;
	uint64_t first_seq, next_seq;	/* slices in the window: first_seq <= seq < next_seq */
	uint32_t slice_count;		/* number of slices added */
	struct stack_counts stacks;
};

/* Updates the window to exactly the closed slices with seq >= @first_seq. 0, or -ENOMEM: then it is
 * empty. */
int live_window_update(struct live_window *window, const struct timeline *timeline,
		       uint64_t first_seq);
/* Empties the window; call after a compaction or a zero. */
void live_window_reset(struct live_window *window);
void live_window_finish(struct live_window *window);

#endif
