/* group_arrange.h - the sums of groups -> nodes in the order of include/fold/group_tree.h; and
 * what is worth asking lines for.
 * Thread: the analyzer's. */
#ifndef FOLD_GROUP_ARRANGE_H
#define FOLD_GROUP_ARRANGE_H

#include "fold/group_fold.h"

/* A tree has no more, unless all are asked for (query.tree_limit_pct < 0): more than anyone opens,
 * and 3 MB a snapshot. */
#define GROUP_NODES_MAX 20000u

struct group_draft {
	struct group_tree tree;		/* its `nodes` not set */
	struct group_node *nodes;	/* owned, as the next; without text */
	uint32_t *sums;			/* of each node: index in the fold */
};

/* 0 or -ENOMEM; group_draft_finish() is needed in every case. */
int group_arrange(const struct group_fold *fold, struct group_draft *out);
void group_draft_finish(struct group_draft *draft);

/* The text of node @index, and what goes with it. */
void group_draft_text(const struct group_draft *draft, const struct group_fold *fold,
		      uint32_t index, struct group_text *out);

#endif
