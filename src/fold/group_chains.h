/* group_chains.h - counts the waiting samples of a fold of groups, whole stacks at once.
 *
 * Use:    by group_fold.c alone: when all samples wait, or too many.
 * Thread: the analyzer's.
 */
#ifndef FOLD_GROUP_CHAINS_H
#define FOLD_GROUP_CHAINS_H

#include "fold/group_fold.h"

/* Counts fold->waiting into the sums of the window or of the baseline, and empties it. Sets
 * is_out_of_memory or is_stopped, like group_fold_add(). The trie must not have grown. */
void group_chains_count(struct group_fold *fold, bool is_base);

#endif
