/* group_changes.h - groups whose siblings are ordered by how much their own share has changed since
 * the baseline, the most first; ties stay as they were. Thread: the ui's. Pure. */
#ifndef UI_GROUP_CHANGES_H
#define UI_GROUP_CHANGES_H

#include "model/group_tree.h"
#include "ui/preorder_sort.h"

struct group_changes {
	struct group_tree tree;
	struct group_node *nodes;	/* owned */
	uint32_t room;
	struct preorder_sort sort;
};

/* Points of the node's own share, of 100 % of its event in each of the two windows. */
double group_changes_points(const struct group_node *node);

/* @tree, which is compared, in that order. BORROWED until the next call, and as long as @tree
 * lives. Without memory it is @tree itself. */
const struct group_tree *group_changes_order(struct group_changes *changes,
					     const struct group_tree *tree);
void group_changes_finish(struct group_changes *changes);	/* a zeroed one is fine */

#endif
