/* call_tree_arrange.h - the sums of a tree -> nodes in the order of include/fold/call_tree.h.
 * Thread: the analyzer's. */
#ifndef FOLD_CALL_TREE_ARRANGE_H
#define FOLD_CALL_TREE_ARRANGE_H

#include "fold/call_tree.h"
#include "fold/tree_fold.h"

struct call_tree_draft {
	struct call_tree tree;		/* its `nodes` not set */
	struct tree_node *nodes;	/* owned, as the next; without text */
	uint32_t *symbols;		/* of each node, as in struct tree_sum */
};

/* @fold: after tree_fold_sum(). 0 or -ENOMEM; call_tree_draft_finish() is needed in every case. */
int call_tree_arrange(struct tree_fold *fold, struct call_tree_draft *out);
void call_tree_draft_finish(struct call_tree_draft *draft);

#endif
