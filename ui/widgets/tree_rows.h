/* tree_rows.h - which nodes of a tree, of calls or of groups, are lines of the screen, and where
 * the cursor is.
 *
 *   nodes  main          lines  main · run      a chain without a branch is one line, until it is
 *          `- run               |- parse        unchained
 *             |- parse          `- write
 *             `- write
 *
 * Groups: each is a line of its own.
 * Cursor: it belongs to a node's id; where that node is inside of a chain or beneath a closed line,
 *         the cursor is on that line.
 * Open:   a line is open or closed by its last node's id. Heavy ones are open at first, and stay
 *         so whatever they weigh later.
 * Thread: the ui's. Pure.
 */
#ifndef UI_TREE_ROWS_H
#define UI_TREE_ROWS_H

#include "base/id_map.h"
#include "fold/call_tree.h"
#include "fold/group_tree.h"
#include "table_place.h"
#include "ui/view.h"

#define TREE_ROWS_NONE UINT32_MAX

struct tree_row {
	uint32_t first, last;	/* nodes of the line; side by side in the tree */
	uint32_t parent;	/* row, or TREE_ROWS_NONE */
	uint32_t depth;		/* of lines, not of nodes */
	bool is_last;		/* of its parent's lines */
	bool is_open;		/* its children follow; false when there is none */
};

struct tree_rows {
	const struct call_tree *tree;	/* BORROWED until the next collect; NULL: none, or */
	const struct group_tree *groups;	/* it is this one: as above */
	double group_weight;		/* of all groups */
	struct tree_row *rows;		/* owned */
	size_t count, room;
	struct id_map open;	/* id -> 1 open, 0 closed */
	struct id_map unchained;	/* ids of nodes that end a line: 1; 0 chained again */
	struct table_place place;	/* cursor and top are indices into rows */
	size_t page;		/* rows on the screen at the last draw; 0: not drawn yet */
	/* Ids of nodes, of the hottest path shown last: where it begins, where it ends, and below
	 * which node it was looked for; 0: in the whole tree. */
	uint64_t hottest_head, hottest_end, hottest_scope;
};

void tree_rows_finish(struct tree_rows *rows);	/* a zeroed one is fine */

/* Takes the lines of @tree; the cursor keeps its node. Without memory there are fewer. */
void tree_rows_collect(struct tree_rows *rows, const struct call_tree *tree);
void tree_rows_collect_groups(struct tree_rows *rows, const struct group_tree *groups);

/* The line under the cursor, or NULL. BORROWED until the next collect. */
const struct tree_row *tree_rows_cursor(const struct tree_rows *rows);
static inline const struct tree_node *tree_rows_node(const struct tree_rows *rows, uint32_t node)
{
	return &rows->tree->nodes[node];
}
static inline const struct group_node *tree_rows_group(const struct tree_rows *rows, uint32_t node)
{
	return &rows->groups->nodes[node];
}
/* Can the line be opened, or closed? */
bool tree_rows_has_children(const struct tree_rows *rows, const struct tree_row *row);
/* Do two nodes stand for the same function? */
bool tree_rows_is_same(const struct tree_node *a, const struct tree_node *b);

void tree_rows_move(struct tree_rows *rows, enum view_move move);
void tree_rows_scroll(struct tree_rows *rows, int lines);
void tree_rows_set_page(struct tree_rows *rows, size_t page);
void tree_rows_select_index(struct tree_rows *rows, size_t index);
/* Puts the cursor on the node with that id, if it is there; or on @node, opening what it is
 * beneath. */
void tree_rows_select_id(struct tree_rows *rows, uint64_t id);
void tree_rows_show_node(struct tree_rows *rows, uint32_t node);
/* As it was: cursor, and line on the screen. */
void tree_rows_restore(struct tree_rows *rows, const struct table_place *place);

/* Opens the line under the cursor; an open one's chain; else goes to its first child. */
void tree_rows_open(struct tree_rows *rows);
/* Closes it, or chains it again; of a closed one the cursor goes to its parent. False: it has
 * none. */
bool tree_rows_close(struct tree_rows *rows);
void tree_rows_open_all(struct tree_rows *rows);
void tree_rows_close_all(struct tree_rows *rows);
/* Opens the first child of the line under the cursor, its first child, ... to the end, and goes
 * there: the heaviest ones, or of a tree that is ordered by change those that changed most. A
 * cursor that nobody moved, or that is on a line without children, stands for the whole tree.
 * Called again from that end, it opens the next path: the heaviest branch that leads elsewhere. */
void tree_rows_open_hottest(struct tree_rows *rows);

#endif
