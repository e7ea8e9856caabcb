/* window_fold.h - folds a window's entries in one go into rows, trees and counts of probes.
 * Thread: the analyzer's. */
#ifndef FOLD_WINDOW_FOLD_H
#define FOLD_WINDOW_FOLD_H

#include "fold/fold.h"
#include "fold/group_fold.h"
#include "fold/probe_fold.h"
#include "fold/tree_fold.h"

struct window_fold {
	struct fold rows;
	struct tree_fold *tree;		/* borrowed; NULL: not requested */
	struct group_fold *groups;	/* borrowed; NULL: not requested */
	struct probe_fold *probes;	/* borrowed; NULL: none, or they are in another snapshot */
};

/* Adds all slices of the window; rows in one pass, if possible. Call once. */
void window_fold_add(struct window_fold *folds, const struct slice *slices, uint32_t count);
/* Like window_fold_add(), with each slice's weight halved per 5 s of its age at @now_ns. */
void window_fold_add_decaying(struct window_fold *folds, const struct slice *slices,
			      uint32_t count, uint64_t now_ns);
/* True if the folds are complete: there was enough memory, and no key stopped them. */
bool window_fold_is_whole(const struct window_fold *folds);

#endif
