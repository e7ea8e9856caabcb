/* tree_lines.h - what the views of a tree have in common: the call tree and the tree of groups.
 * Thread: the ui's. */
#ifndef UI_TREE_LINES_H
#define UI_TREE_LINES_H

#include "view.h"
#include "widgets/tree_order.h"
#include "widgets/tree_rows.h"

/* The first member of such a view. */
struct tree_lines {
	struct view view;
	struct tree_rows rows;
	struct tree_order order;	/* sorted copy of the tree while windows are compared */
	uint64_t marked;	/* id of the node under the cursor when a search began */
	bool is_of_parent;	/* percentages are of the line's parent */
};

/* These are struct view_ops's. */
void tree_lines_finish(struct view *view);
void tree_lines_move(struct view *view, enum view_move move);
void tree_lines_scroll(struct view *view, int lines);
bool tree_lines_select(struct view *view, const struct hit *hit, const struct mouse *mouse);
struct table_place *tree_lines_place(struct view *view);
void tree_lines_restore(struct view *view, const struct table_place *place);
void tree_lines_hottest(struct view *view, struct ui_state *state);
void tree_lines_mark(struct view *view);
void tree_lines_unmark(struct view *view);
struct tree_rows *tree_lines_rows(struct view *view);
bool *tree_lines_of_parent(struct view *view);

/* True if node number @node matches @text. */
typedef bool tree_lines_match(const struct tree_rows *rows, uint32_t node, const char *text);

/* These are view_ops.find and count for a tree of @nodes. Closed lines are searched, too, and
 * opened. */
bool tree_lines_find(struct view *view, size_t nodes, tree_lines_match *matches, const char *text,
		     int step);
size_t tree_lines_count(const struct view *view, size_t nodes, tree_lines_match *matches,
			const char *text);

#endif
