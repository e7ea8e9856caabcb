/* tree_order.h - copies a tree with siblings sorted by their change, largest first: of the total in
 * call trees, of the self share in group trees. Stable for ties. Thread: the ui's. Pure. */
#ifndef UI_TREE_ORDER_H
#define UI_TREE_ORDER_H

#include <stdint.h>

#include "analyzer/snapshot.h"

/* Memory for one sorted call tree or group tree. */
struct tree_order {
	struct call_tree tree;
	struct group_tree groups;
	void *nodes;		/* owned, like the three arrays below */
	struct tree_spot *spots;
	uint32_t *places, *siblings;
	uint32_t room;
};

/* Returns the sorted call tree of @snapshot, which must be compared. BORROWED until the next call,
 * and only while @snapshot lives. Out of memory: returns @snapshot's own tree. */
const struct call_tree *tree_order_by_change(struct tree_order *order,
					     const struct snapshot *snapshot);
/* Returns the sorted group tree of @snapshot, like tree_order_by_change(). */
const struct group_tree *tree_order_groups_by_change(struct tree_order *order,
						     const struct snapshot *snapshot);
void tree_order_finish(struct tree_order *order);	/* a zeroed one is fine */

#endif
