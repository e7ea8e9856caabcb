/* tree.h - the samples of a window as trees in a snapshot: of calls, for the tree and flame graph
 * views, and of groups.
 *
 * Thread: immutable; any.
 */
#ifndef FOLD_TREE_H
#define FOLD_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/record.h"
#include "ingest/symbol_names.h"

/* Samples, and the weight of their periods (times decay in a decay window). */
struct load {
	uint64_t samples;
	double weight;
};

/* Self: of samples whose leaf it is. Total: of samples that have it on their stack. */
struct stats {
	struct load self, total;
};

static inline void load_add(struct load *into, const struct load *from)
{
	into->samples += from->samples;
	into->weight += from->weight;
}

static inline void stats_add(struct stats *into, const struct stats *from)
{
	load_add(&into->self, &from->self);
	load_add(&into->total, &from->total);
}

/* The tree of calls.
 *
 *   callees   main                callers   read                who calls it
 *             |- parse            (of read) |- parse
 *             |  '- read                    |  '- main
 *             '- read                       '- main
 *
 * Nodes are functions, not addresses. A sample adds once to the total of every node of its path,
 * and to the self of the path's last (callees) or first (callers) node if that is its leaf: a
 * filter can make a path begin at a caller, or hide the leaf. See fold/tree_fold.h. */
enum tree_direction {
	TREE_NONE,
	TREE_CALLEES,		/* roots are outermost frames, or the FILTER_SYMBOL */
	TREE_CALLERS,		/* roots are leaves, or the FILTER_SYMBOL */
	TREE_BOTH,		/* in a query: a tree of callers and one of callees */
};

struct tree_node {
	uint64_t id;		/* equal in every snapshot for the same path */
	uint32_t parent;	/* index; UINT32_MAX for a root */
	uint32_t size;		/* nodes in its subtree with itself: offset of the next sibling */
	uint32_t depth;		/* 0 for a root */
	struct stats now;
	struct stats base;	/* compared: in the baseline; a node that is only there has only
				 * these */
	const struct stats *by_event;	/* see struct snapshot_row */
	double hidden_weight;	/* total of children below the limit */
	double inlined_weight;	/* self of functions inlined into it, on this path; with its self it
				 * makes the self of a table's row, where frames are whole */
	const char *symbol, *raw_symbol, *dso, *dso_path;	/* see struct snapshot_row */
	uint64_t address;	/* file offset of the function; 0 for an inlined one */
	uint32_t dso_id;
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
	const struct tree_node *nodes;	/* preorder; siblings by total weight, largest first, then
					 * by that in the baseline, then id */
};

/* The tree of groups: samples grouped by keys in any order (comm > dso > symbol), like --hierarchy
 * of perf-report(1), for any keys.
 *
 * A level of the tree is a key. A sample adds to the self of the one node of each level that its
 * leaf and its task belong to, and once to the total of every node that a frame of it belongs to.
 * Without keys of code all frames of a sample belong to one node of each level.
 *
 * Without GROUP_EVENT the tree is for the event that the snapshot shows. With it the tree is for
 * all events that have samples; that key then is the first level, since periods of different events
 * can't be added. A share is within a node's own event: group_node_pct(). */
enum group_key {
	GROUP_EVENT,
	GROUP_COMM,		/* comm of the sample's thread */
	GROUP_PID,
	GROUP_TID,
	GROUP_THREAD,		/* comm of the thread and of its process */
	GROUP_CGROUP,
	GROUP_UNIT,		/* systemd unit */
	GROUP_CONTAINER,
	GROUP_POD,
	GROUP_CPU,
	GROUP_SOCKET,		/* the CPU's package */
	GROUP_PMU,		/* the PMU of the CPU's kind of core */
	GROUP_WAIT, GROUP_STATE, GROUP_WAKER,	/* for waits: fold/wait_stacks.h */
	GROUP_BY1, GROUP_BY2, GROUP_BY3, GROUP_BY4,	/* for hits: keys of `by` of their probe */
	GROUP_DSO,
	GROUP_SYMBOL,
	GROUP_ADDRESS,
	GROUP_SOURCE,		/* file and line */
	GROUP_PARENT,		/* the function that called the frame's */
	GROUP_KEY_COUNT
};

#define GROUP_LEVELS 8		/* deeper trees add nothing */
#define GROUP_BY_KEYS 4		/* those from GROUP_BY1 on */

/* True: @key is one of `by`. */
static inline bool group_key_is_by(enum group_key key)
{
	return key >= GROUP_BY1 && key <= GROUP_BY4;
}

struct group_node {
	uint64_t id;		/* equal in every snapshot for the same path */
	uint32_t parent;	/* index; UINT32_MAX for a root */
	uint32_t size;		/* nodes in its subtree with itself: offset of the next sibling */
	uint32_t depth;		/* 0 for a root; its key is keys[depth] */
	struct stats now;	/* busy samples only */
	struct stats base;	/* in the baseline */
	const struct stats *by_event;	/* see struct snapshot_row */
	double whole_weight;	/* 100 % of its shares: weight of all busy samples of its event in
				 * the window; query.is_relative: of those that pass the filter */
	bool has_base;		/* the baseline has its event; else `base` and
				 * base_whole_weight mean nothing */
	double base_whole_weight;
	const char *text;	/* sanitized: the value of its key; never NULL or empty */
	const char *dso_path;	/* keys of code: path of the DSO; else "" */
	const char *name;	/* text that an exact filter compares (fold/filter.h): a symbol's
				 * name as in its file, a DSO's path, else the bare value; "": no
				 * filter can select this node */
	uint64_t number;	/* pid, tid or CPU; index of an event; identity of a value of `by`;
				 * else 0 */
	uint64_t address;	/* address of a symbol, in its DSO */
	uint32_t dso_id;	/* DSO of a symbol; else UINT32_MAX */
	enum cpu_mode mode;	/* keys of code; else MODE_UNKNOWN */
	bool is_unknown;	/* `text` says why there is no value: "[no container]" */
};

struct group_tree {
	uint32_t level_count;	/* 0: no tree was requested */
	enum group_key keys[GROUP_LEVELS];
	bool is_compared;	/* with a baseline; with GROUP_EVENT even if the baseline lacks the
				 * snapshot's event: see group_node.has_base */
	bool is_of_waits;	/* weights are the ns of waits */
	const char *by_names[GROUP_BY_KEYS];	/* keys of `by` of the probe whose hits these are:
						 * "lock"; NULL: it has no such key */
	uint32_t node_count;
	const struct group_node *nodes;	/* preorder; siblings by self weight, largest first, then
					 * total weight, then id */
	uint64_t hidden_samples;	/* self of the smallest nodes, left out if there are too
					 * many: with the self of the last level it makes the self
					 * of the roots. Nodes without self that are left out do not
					 * appear anywhere */
};

/* Returns the share of @weight, a node's self or total, in whole_weight: 0..100; 0 when that is
 * 0. */
static inline double group_node_pct(const struct group_node *node, double weight)
{
	return node->whole_weight > 0 ? 100.0 * weight / node->whole_weight : 0;
}

/* Returns the share of a weight in the baseline in base_whole_weight. */
static inline double group_node_base_pct(const struct group_node *node, double weight)
{
	return node->base_whole_weight > 0 ? 100.0 * weight / node->base_whole_weight : 0;
}

#endif
