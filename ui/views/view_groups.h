/* view_groups.h - the samples as a tree of groups, by keys in an order that the user chooses.
 * Thread: the ui's. */
#ifndef UI_VIEW_GROUPS_H
#define UI_VIEW_GROUPS_H

#include "state.h"
#include "tree_lines.h"

struct groups_view {
	struct tree_lines lines;
	enum group_key keys[GROUP_LEVELS];	/* levels of the tree shown last */
	uint32_t level_count;
};

extern const struct view_ops view_groups_ops;

static inline struct groups_view *groups_view_of(const struct ui_state *state)
{
	return (struct groups_view *)state->views[VIEW_GROUPS];
}

#endif
