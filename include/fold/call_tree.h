/* call_tree.h - the calls of a window as a tree in a snapshot, for the tree and flame graph views.
 *
 *   callees   main                callers   read                who calls it
 *             |- parse            (of read) |- parse
 *             |  '- read                    |  '- main
 *             '- read                       '- main
 *
 * Nodes are functions, not addresses. A sample adds once to the total of every node of its path,
 * and to the self of the path's last (callees) or first (callers) node if that is its leaf: a
 * filter can make a path begin at a caller, or hide the leaf. See fold/tree_fold.h.
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
	TREE_CALLEES,		/* roots are outermost frames, or the FILTER_SYMBOL */
	TREE_CALLERS,		/* roots are leaves, or the FILTER_SYMBOL */
};

struct tree_node {
	uint64_t id;		/* equal in every snapshot for the same path */
	uint32_t parent;	/* index; UINT32_MAX for a root */
	uint32_t size;		/* nodes in its subtree with itself: offset of the next sibling */
	uint32_t depth;		/* 0 for a root */
	uint64_t self_samples, total_samples;
	double self_weight, total_weight;
	double hidden_weight;	/* total of children below the limit */
	double inlined_weight;	/* self of functions inlined into it, on this path; with self_weight
				 * it makes the self of a table's row, where frames are whole */
	/* Compared: stats in the baseline; a node that is only there has only these. */
	uint64_t base_self_samples, base_total_samples;
	double base_self_weight, base_total_weight;
	const char *symbol, *raw_symbol, *object, *object_path;	/* see struct snapshot_row */
	uint64_t address;	/* file offset of the function; 0 for an inlined one */
	uint32_t object_id;
	enum cpu_mode mode;
	enum symbol_state state;
	bool is_command;	/* a root that is a command: `symbol` is its name, no code */
	bool is_synthetic;
	bool is_inlined;	/* inlined into its caller; only name and DSO are known */
	bool is_run_time;	/* JIT code */
};

struct call_tree {
	enum tree_direction direction;
	double limit_pct;	/* nodes below this share of the tree's weight were left out, and
				 * the smallest if there were too many */
	uint64_t samples;	/* samples in the tree */
	double weight;		/* weight of the samples: 100 % of the tree */
	double hidden_weight;	/* total of roots below the limit */
	double base_weight;	/* compared: weight of the baseline's samples in the tree */
	uint32_t node_count;
	const struct tree_node *nodes;	/* preorder; siblings by total_weight, largest first, then
					 * base_total_weight, then id */
};

#endif
