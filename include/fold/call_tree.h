/* call_tree.h - the calls of a window as a tree, as a snapshot carries it: for tree and flames.
 *
 *   callees   main                callers   read                who calls it
 *             |- parse            (of read) |- parse
 *             |  '- read                    |  '- main
 *             '- read                       '- main
 *
 * Nodes are functions, not addresses. A sample adds once to the total of every node of its path,
 * and to the self of the path's last (callees) or first (callers) node if that is where it was
 * taken: a filter can make a path begin at a caller, or hide the leaf. See fold/tree_fold.h.
 *
 * Thread: immutable; any.
 */
#ifndef FOLD_CALL_TREE_H
#define FOLD_CALL_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/event_record.h"
#include "ingest/symbol_state.h"

enum tree_direction {
	TREE_NONE,
	TREE_CALLEES,		/* roots are outermost frames, or the function asked for */
	TREE_CALLERS,		/* roots are leaves, or the function asked for */
};

struct tree_node {
	uint64_t id;		/* equal in every snapshot for the same path */
	uint32_t parent;	/* index; of a root: UINT32_MAX */
	uint32_t size;		/* nodes of its subtree with itself: the next sibling is so far */
	uint32_t depth;		/* of a root: 0 */
	uint64_t self_samples, total_samples;
	double self_weight, total_weight;
	double hidden_weight;	/* of children that are below the limit */
	double inlined_weight;	/* self of functions inlined into it, on this path: self_weight and
				 * this are the self of a table's row, which knows whole frames */
	uint64_t base_self_samples, base_total_samples;	/* compared: in the baseline; a node that */
	double base_self_weight, base_total_weight;	/* is gone has only these */
	const char *symbol, *raw_symbol, *object, *object_path;	/* as in struct snapshot_row */
	uint64_t address;	/* of the function: file offset; of an inlined one 0 */
	uint32_t object_id;
	enum cpu_mode mode;
	enum symbol_state state;
	bool is_command;	/* a root that is a command: `symbol` is its name, no code */
	bool is_synthetic;
	bool is_inlined;	/* into the function that called it: known by name and object */
	bool is_run_time;	/* JIT code */
};

struct call_tree {
	enum tree_direction direction;
	double limit_pct;	/* nodes with less of the tree's weight were left out, and of very
				 * many the smallest */
	uint64_t samples;	/* in the tree */
	double weight;		/* of them: 100 % of the tree */
	double hidden_weight;	/* of roots that are below the limit */
	double base_weight;	/* compared: of those in the baseline's tree */
	uint32_t node_count;
	const struct tree_node *nodes;	/* preorder; siblings by total_weight, largest first, then
					 * base_total_weight, then id */
};

#endif
