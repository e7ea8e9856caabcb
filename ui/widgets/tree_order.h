/* tree_order.h - a tree whose siblings are ordered by how much they have changed, the most first:
 * the total of calls, the self of groups. Ties stay as they were. Thread: the ui's. Pure. */
#ifndef UI_TREE_ORDER_H
#define UI_TREE_ORDER_H

#include <stdint.h>

#include "analyzer/snapshot.h"

/* Of one tree of calls, or of one of groups. */
struct tree_order {
	struct call_tree tree;
	struct group_tree groups;
	void *nodes;		/* owned, as the next three */
	struct tree_spot *spots;
	uint32_t *places, *siblings;
	uint32_t room;
};

/* The tree of @snapshot, which is compared, in that order. BORROWED until the next call, and as
 * long as @snapshot lives. Without memory it is @snapshot's own. */
const struct call_tree *tree_order_by_change(struct tree_order *order,
					     const struct snapshot *snapshot);
/* The same of its tree of groups. */
const struct group_tree *tree_order_groups_by_change(struct tree_order *order,
						     const struct snapshot *snapshot);
void tree_order_finish(struct tree_order *order);	/* a zeroed one is fine */

#endif
