/* view_tree.h - the call tree, of callers or of callees. Thread: the ui's. */
#ifndef UI_VIEW_TREE_H
#define UI_VIEW_TREE_H

#include "state.h"
#include "tree_lines.h"

/* Smaller paths are rarely of interest, and far outnumber the others. */
#define VIEW_TREE_LIMIT_PCT 0.5

struct tree_view {
	struct tree_lines lines;
	double limit_pct;	/* % of the tree's weight; smaller paths are left out */
};

extern const struct view_ops view_tree_ops;

static inline struct tree_view *tree_view_of(const struct ui_state *state)
{
	return (struct tree_view *)state->views[VIEW_TREE];
}

#endif
