/* view_groups.h - the samples as a tree of groups, by keys in an order that the user chooses.
 * Thread: the ui's. */
#ifndef UI_VIEW_GROUPS_H
#define UI_VIEW_GROUPS_H

#include "ui/view.h"
#include "widgets/tree_order.h"
#include "widgets/tree_rows.h"

struct groups_view {
	struct view view;
	struct tree_rows rows;
	struct tree_order order;	/* sorted copy of the tree while windows are compared */
	enum group_key keys[GROUP_LEVELS];	/* levels of the tree shown last */
	uint32_t level_count;
	bool is_of_parent;	/* the first column is in % of the parent group */
};

void groups_view_init(struct groups_view *groups);
void groups_view_finish(struct groups_view *groups);

#endif
