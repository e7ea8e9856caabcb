/* view_tree.h - the call tree: who calls it, or what it calls. Thread: the ui's. */
#ifndef UI_VIEW_TREE_H
#define UI_VIEW_TREE_H

#include "ui/view.h"
#include "widgets/tree_order.h"
#include "widgets/tree_rows.h"

/* Paths below it are seldom looked for, and are far more than all others. */
#define VIEW_TREE_LIMIT_PCT 0.5

struct tree_view {
	struct view view;
	struct tree_rows rows;
	struct tree_order order;	/* compared: what the rows are of */
	double limit_pct;	/* of the tree; paths below it are left out */
	bool is_of_parent;	/* the column of totals is in % of the line's parent */
};

void tree_view_init(struct tree_view *tree);
void tree_view_finish(struct tree_view *tree);

#endif
