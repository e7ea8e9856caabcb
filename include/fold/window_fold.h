/* window_fold.h - what is made of a window's entries in one go: rows, trees, figures of probes.
 * Thread: the analyzer's. */
#ifndef FOLD_WINDOW_FOLD_H
#define FOLD_WINDOW_FOLD_H

#include "fold/fold.h"
#include "fold/group_fold.h"
#include "fold/probe_fold.h"
#include "fold/tree_fold.h"

struct window_fold {
	struct fold rows;
	struct tree_fold *tree;		/* borrowed; NULL: none was asked for */
	struct group_fold *groups;	/* likewise */
	struct probe_fold *probes;	/* NULL: none, or another snapshot tells of them */
};

/* Adds slices: the rows in one pass, where they can be. Once. */
void window_fold_add(struct window_fold *folds, const struct slice *slices, uint32_t count);
/* The same, each weighted by its age at @now_ns: halved every 5 s. */
void window_fold_add_decaying(struct window_fold *folds, const struct slice *slices,
			      uint32_t count, uint64_t now_ns);
/* Nothing is missing in what was folded: memory sufficed, and no key stopped it. */
bool window_fold_is_whole(const struct window_fold *folds);

#endif
