/* tree_order.h - a call tree whose siblings are ordered by how much their total has changed, the
 * most first; ties stay as they were. Thread: the ui's. Pure. */
#ifndef UI_TREE_ORDER_H
#define UI_TREE_ORDER_H

#include <stdint.h>

#include "model/snapshot.h"

struct tree_order {
	struct call_tree tree;
	struct tree_node *nodes;	/* owned, as the next two */
	uint32_t *places, *siblings;
	uint32_t room;
};

/* The tree of @snapshot, which is compared, in that order. BORROWED until the next call, and as
 * long as @snapshot lives. Without memory it is @snapshot's own. */
const struct call_tree *tree_order_by_change(struct tree_order *order,
					     const struct snapshot *snapshot);
void tree_order_finish(struct tree_order *order);	/* a zeroed one is fine */

#endif
