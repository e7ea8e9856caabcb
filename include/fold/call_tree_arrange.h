/* call_tree_arrange.h - turns the sums of a tree into nodes, in the order of fold/call_tree.h.
 * Thread: the analyzer's. */
#ifndef FOLD_CALL_TREE_ARRANGE_H
#define FOLD_CALL_TREE_ARRANGE_H

#include "fold/call_tree.h"
#include "fold/tree_fold.h"

struct call_tree_draft {
	struct call_tree tree;		/* `nodes` is not set */
	struct tree_node *nodes;	/* owned; without text */
	uint32_t *symbols;		/* owned; tree_sum.symbol of each node */
};

/* Fills @out from @fold, after tree_fold_sum(). 0 or -ENOMEM; call_tree_draft_finish() is needed in
 * every case. */
int call_tree_arrange(struct tree_fold *fold, struct call_tree_draft *out);
void call_tree_draft_finish(struct call_tree_draft *draft);

#endif
