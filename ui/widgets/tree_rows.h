/* tree_rows.h - the lines of a call tree or group tree on the screen, and the cursor.
 *
 *   nodes  main          lines  main · run      a chain without a branch is one line, until it is
 *          `- run               |- parse        unchained
 *             |- parse          `- write
 *             `- write
 *
 * Groups: each group is a line of its own.
 * Cursor: it follows a node's id; if that node is inside a chain or beneath a closed line, the
 *         cursor is on that line.
 * Open:   whether a line is open is kept by its last node's id. Heavy lines are open at first, and
 *         stay open whatever they weigh later.
 * Thread: the ui's. Pure.
 */
#ifndef UI_TREE_ROWS_H
#define UI_TREE_ROWS_H

#include "base/id_map.h"
#include "fold/tree.h"
#include "table_rows.h"
#include "term/canvas.h"

#define TREE_ROWS_NONE UINT32_MAX

struct tree_row {
	uint32_t first, last;	/* nodes of the line, consecutive in the tree */
	uint32_t parent;	/* index of the parent row, or TREE_ROWS_NONE */
	uint32_t depth;		/* counted in lines, not in nodes */
	bool is_last;		/* the last line of its parent */
	bool is_open;		/* its children follow; false if it has none */
};

struct tree_rows {
	const struct call_tree *tree;	/* BORROWED until the next collect, or NULL */
	const struct group_tree *groups;	/* BORROWED until the next collect, or NULL */
	double group_weight;		/* total weight of all groups */
	struct tree_row *rows;		/* owned */
	size_t count, room;
	struct id_map open;	/* id -> 1 open, 0 closed */
	struct id_map unchained;	/* id of a node that ends a line -> 1; 0: chained again */
	struct table_place place;	/* cursor and top are indices into rows */
	size_t page;		/* rows on the screen at the last draw; 0: not drawn yet */
	/* Node ids of the last path that tree_rows_open_hottest() opened: its first node, its last
	 * node, and the node below which it searched (0: the whole tree). */
	uint64_t hottest_head, hottest_end, hottest_scope;
};

void tree_rows_finish(struct tree_rows *rows);	/* a zeroed one is fine */

/* Collects the lines of a tree; the cursor keeps its node. Out of memory: lines are left out. */
void tree_rows_collect(struct tree_rows *rows, const struct call_tree *tree);
void tree_rows_collect_groups(struct tree_rows *rows, const struct group_tree *groups);

/* Returns the line under the cursor, or NULL. BORROWED until the next collect. */
const struct tree_row *tree_rows_cursor(const struct tree_rows *rows);
static inline const struct tree_node *tree_rows_node(const struct tree_rows *rows, uint32_t node)
{
	return &rows->tree->nodes[node];
}
static inline const struct group_node *tree_rows_group(const struct tree_rows *rows, uint32_t node)
{
	return &rows->groups->nodes[node];
}
/* True if the line has children, so that it can be opened or closed. */
bool tree_rows_has_children(const struct tree_rows *rows, const struct tree_row *row);
/* True if two nodes stand for the same function. */
bool tree_rows_is_same(const struct tree_node *a, const struct tree_node *b);

void tree_rows_move(struct tree_rows *rows, enum view_move move);
void tree_rows_scroll(struct tree_rows *rows, int lines);
void tree_rows_set_page(struct tree_rows *rows, size_t page);
void tree_rows_select_index(struct tree_rows *rows, size_t index);
/* Moves the cursor to the node with @id, if it exists; to @node, opening the lines above it. */
void tree_rows_select_id(struct tree_rows *rows, uint64_t id);
void tree_rows_show_node(struct tree_rows *rows, uint32_t node);
/* Restores @place: the same node on the same line of the screen. */
void tree_rows_restore(struct tree_rows *rows, const struct table_place *place);

/* Opens the line under the cursor; unchains it if it is open already or has no children; if it is
 * no chain, moves to its first child. */
void tree_rows_open(struct tree_rows *rows);
/* Chains the line under the cursor again if it was unchained; otherwise closes it; from a closed
 * line moves to its parent. False: it has none. */
bool tree_rows_close(struct tree_rows *rows);
void tree_rows_open_all(struct tree_rows *rows);
void tree_rows_close_all(struct tree_rows *rows);
/* Opens the first child of the line under the cursor, then its first child, ... to the end, and
 * moves there: the heaviest path, or the most changed one if the tree is sorted by change. Starts
 * at the whole tree if the user never moved the cursor or its line has no children. Called again at
 * that end, opens the next path: the heaviest branch that leads elsewhere. */
void tree_rows_open_hottest(struct tree_rows *rows);

/* The lines that connect the rows of a tree with their parents. */
#define TREE_GUIDES_CELLS 3	/* indentation per level */

/* Returns where the row's text begins, in cells after the column of the roots' marks. */
int tree_guides_width(const struct tree_row *row);

/* Draws the guides of @row and the mark of a row that can be opened; @shift cells of the tree are
 * scrolled out to the left of @area. */
void tree_guides_draw(const struct tree_rows *rows, const struct tree_row *row, int shift,
		      struct canvas *canvas, struct canvas_area area);

#endif
