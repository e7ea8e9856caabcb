/* view_tree.h - the call tree, of callers or of callees. Thread: the ui's. */
#ifndef UI_VIEW_TREE_H
#define UI_VIEW_TREE_H

#include "ui/view.h"
#include "widgets/tree_order.h"
#include "widgets/tree_rows.h"

/* Smaller paths are rarely of interest, and far outnumber the others. */
#define VIEW_TREE_LIMIT_PCT 0.5

struct tree_view {
	struct view view;
	struct tree_rows rows;
	struct tree_order order;	/* sorted copy of the tree while windows are compared */
	double limit_pct;	/* of the tree's weight; smaller paths are left out */
	bool is_of_parent;	/* the TOTAL column is in % of the line's parent */
};

void tree_view_init(struct tree_view *tree);
void tree_view_finish(struct tree_view *tree);

#endif
