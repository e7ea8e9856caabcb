/* group_tree.h - the samples of a window grouped by keys in any order (comm > dso > symbol), as a
 * tree in a snapshot: like --hierarchy of perf-report(1), for any keys.
 *
 * A level of the tree is a key. A sample adds to the self of the one node of each level that its
 * leaf and its task belong to, and once to the total of every node that a frame of it belongs to.
 * Without keys of code all frames of a sample belong to one node of each level.
 *
 * Events: without GROUP_EVENT the tree is for the event that the snapshot shows. With it the tree
 *         is for all events that have samples; that key then is the first level, since periods of
 *         different events can't be added. A share is within a node's own event: group_node_pct().
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
	GROUP_OBJECT,
	GROUP_SYMBOL,
	GROUP_ADDRESS,
	GROUP_SOURCE,		/* file and line */
	GROUP_PARENT,		/* the function that called the frame's */
	GROUP_KEY_COUNT
};

#define GROUP_LEVELS 8		/* deeper trees add nothing */

struct group_node {
	uint64_t id;		/* equal in every snapshot for the same path */
	uint32_t parent;	/* index; UINT32_MAX for a root */
	uint32_t size;		/* nodes in its subtree with itself: offset of the next sibling */
	uint32_t depth;		/* 0 for a root; its key is keys[depth] */
	uint64_t self_samples, total_samples;
	double self_weight, total_weight;	/* busy samples only */
	double whole_weight;	/* 100 % of its shares: weight of all busy samples of its event in
				 * the window; query.is_relative: of those that pass the filter */
	bool has_base;		/* the baseline has its event; else the base_ members mean
				 * nothing */
	uint64_t base_self_samples, base_total_samples;	/* in the baseline */
	double base_self_weight, base_total_weight, base_whole_weight;
	const char *text;	/* sanitized: the value of its key; never NULL or empty */
	const char *object_path;	/* keys of code: path of the DSO; else "" */
	const char *name;	/* text that an exact filter compares (fold/filter.h): a symbol's
				 * name as in its file, a DSO's path, else the bare value; "": no
				 * filter can select this node */
	uint64_t number;	/* pid, tid or CPU; index of an event; else 0 */
	enum cpu_mode mode;	/* keys of code; else MODE_UNKNOWN */
	bool is_unknown;	/* `text` says why there is no value: "[no container]" */
};

struct group_tree {
	uint32_t level_count;	/* 0: no tree was requested */
	enum group_key keys[GROUP_LEVELS];
	bool is_compared;	/* with a baseline; with GROUP_EVENT even if the baseline lacks the
				 * snapshot's event: see group_node.has_base */
	uint32_t node_count;
	const struct group_node *nodes;	/* preorder; siblings by self_weight, largest first, then
					 * total_weight, then id */
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
