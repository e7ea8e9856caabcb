/* group_arrange.h - turns the sums of groups into nodes, in the order of fold/group_tree.h.
 * Thread: the analyzer's. */
#ifndef FOLD_GROUP_ARRANGE_H
#define FOLD_GROUP_ARRANGE_H

#include "fold/group_fold.h"

/* Most nodes in a tree, unless the query wants all (tree_limit_pct < 0): more than anyone opens,
 * and 3 MB a snapshot. */
#define GROUP_NODES_MAX 20000u

struct group_draft {
	struct group_tree tree;		/* `nodes` is not set */
	struct group_node *nodes;	/* owned; without text */
	uint32_t *sums;			/* owned; index of each node in group_fold.sums */
};

/* Fills @out. 0 or -ENOMEM; group_draft_finish() is needed in every case. */
int group_arrange(const struct group_fold *fold, struct group_draft *out);
void group_draft_finish(struct group_draft *draft);

/* Formats the text of node @index, with its name, number and DSO path. */
void group_draft_text(const struct group_draft *draft, const struct group_fold *fold,
		      uint32_t index, struct group_text *out);

#endif
