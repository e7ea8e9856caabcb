/* group_chains.h - counts the samples that wait in a fold of groups, whole stacks at once.
 *
 * Use:    by group_fold.c alone: when all wait, or too many.
 * Thread: the analyzer's.
 */
#ifndef FOLD_GROUP_CHAINS_H
#define FOLD_GROUP_CHAINS_H

#include "fold/group_fold.h"

/* Counts those in fold->waiting, in the sums now or in those of the baseline; none waits after it.
 * Out of memory, or stopped: as group_fold_add() notes it. The trie must not have grown. */
void group_chains_count(struct group_fold *fold, bool is_base);

#endif
