/* group_tree.h - the samples of a window by keys in an order of choice (comm > dso > symbol), as a
 * snapshot carries it: perf's --hierarchy, of any keys.
 *
 * A level of the tree is a key. A sample adds to the self of the one node of each level that its
 * leaf and its task belong to, and once to the total of every node that a frame of it belongs to.
 * Where no key is of code all frames of a sample belong to one node of each level.
 *
 * Events: without GROUP_EVENT the tree is of the event that the snapshot shows. With it it is of
 *         all that have samples; it is the first level then, wherever it was asked for: periods of
 *         different events can't be added. Shares are of a node's own event: group_node_pct().
 *
 * Thread: immutable; any.
 */
#ifndef FOLD_GROUP_TREE_H
#define FOLD_GROUP_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/event_record.h"

enum group_key {
	GROUP_EVENT,
	GROUP_COMM,		/* of the sample's thread, as everywhere */
	GROUP_PID,
	GROUP_TID,
	GROUP_THREAD,		/* the thread's name and its process's */
	GROUP_CGROUP,
	GROUP_UNIT,		/* of systemd */
	GROUP_CONTAINER,
	GROUP_POD,
	GROUP_CPU,
	GROUP_SOCKET,		/* the CPU's package */
	GROUP_OBJECT,
	GROUP_SYMBOL,
	GROUP_ADDRESS,
	GROUP_SOURCE,		/* file and line */
	GROUP_PARENT,		/* the function that called the frame's */
	GROUP_KEY_COUNT
};

#define GROUP_LEVELS 8		/* more say nothing any more */

struct group_node {
	uint64_t id;		/* equal in every snapshot for the same path */
	uint32_t parent;	/* index; of a root: UINT32_MAX */
	uint32_t size;		/* nodes of its subtree with itself: the next sibling is so far */
	uint32_t depth;		/* of a root: 0; its key is keys[depth] */
	uint64_t self_samples, total_samples;
	double self_weight, total_weight;	/* of busy samples: idle ones are left out */
	double whole_weight;	/* of all busy samples of its event in the window, whatever the
				 * filter leaves; of a relative query what it leaves: 100 % of
				 * its shares */
	bool has_base;		/* the baseline has its event: the next two lines
				 * say nothing without it */
	uint64_t base_self_samples, base_total_samples;	/* in the baseline */
	double base_self_weight, base_total_weight, base_whole_weight;
	const char *text;	/* sanitized: the value of its key; never NULL or empty */
	const char *object_path;	/* of keys of code: its object's; else "" */
	const char *name;	/* what an exact filter compares (fold/filter.h): of a symbol as
				 * its file has it, of an object its path, else the bare value; "":
				 * none can tell this node */
	uint64_t number;	/* of a pid, tid or CPU: it; of an event its index; else 0 */
	enum cpu_mode mode;	/* of code; else MODE_UNKNOWN */
	bool is_unknown;	/* `text` says why there is no value: "[no container]" */
};

struct group_tree {
	uint32_t level_count;	/* 0: none was asked for */
	enum group_key keys[GROUP_LEVELS];
	bool is_compared;	/* with a baseline; with GROUP_EVENT also where the snapshot is not,
				 * whose event is another one: see group_node.has_base */
	uint32_t node_count;
	const struct group_node *nodes;	/* preorder; siblings by self_weight, largest first, then
					 * total_weight, then id */
	uint64_t hidden_samples;	/* self of the smallest nodes, left out of too many for a
					 * screen: self of the roots is this and the self of the
					 * last level's nodes. Of nodes without self that were left
					 * out nothing is told */
};

/* Share of @weight, a node's self or total, in its event's busy samples: 0..100; 0 when there are
 * none. */
static inline double group_node_pct(const struct group_node *node, double weight)
{
	return node->whole_weight > 0 ? 100.0 * weight / node->whole_weight : 0;
}

/* The same of a weight in the baseline. */
static inline double group_node_base_pct(const struct group_node *node, double weight)
{
	return node->base_whole_weight > 0 ? 100.0 * weight / node->base_whole_weight : 0;
}

#endif
