/* query.h - what is asked of a window: which samples, keyed by what, as rows, tree and groups.
 * Thread: any; plain values. */
#ifndef FOLD_QUERY_H
#define FOLD_QUERY_H

#include <stdbool.h>
#include <stdint.h>

#include "fold/call_tree.h"
#include "fold/filter.h"
#include "fold/group_tree.h"

/* What rows are keyed by, a set of bits (-s). Default: KEY_OBJECT | KEY_SYMBOL. */
enum row_key {
	KEY_OBJECT = 1 << 0,
	KEY_SYMBOL = 1 << 1,
	KEY_COMM = 1 << 2,
	KEY_PID = 1 << 3,
	KEY_TID = 1 << 4,
	KEY_CPU = 1 << 5,
	KEY_ADDRESS = 1 << 6,
	KEY_GROUP = 1 << 7,	/* with KEY_PID | KEY_TID: a row per process besides its threads' */
};

/* What the rows are, and which samples are in them. */
struct query {
	uint64_t number;	/* the screen's own; comes back in struct snapshot */
	unsigned int keys;	/* enum row_key; 0: no rows are wanted */
	struct filter filter;
	bool raw_names;		/* of symbols, as their files have them */
	bool by_total;		/* rows by total_weight, then self_weight */
	enum tree_direction tree;	/* besides the rows */
	bool tree_idle;		/* idle samples are in it, too */
	bool tree_inlined;	/* with the functions that were inlined, as far as known */
	bool tree_commands;	/* its roots are commands, paths begin below them */
	bool compare;		/* with the baseline, if there is one */
	bool is_relative;	/* 100 % of the shares is what the filter leaves, not the window */
	bool heat;		/* the snapshot's heat map is wanted */
	uint32_t group_count;	/* levels of the tree of groups besides the rows; 0: none is asked
				 * for */
	enum group_key groups[GROUP_LEVELS];
	uint32_t probe;		/* all about this one: struct snapshot_probes; 0: none */
	uint32_t hit_probe;	/* and all about a hit of this one, with this number in its log; */
	uint64_t hit;		/* 0: of none */
	double tree_limit_pct;	/* nodes with less of the tree's weight are left out, and of very
				 * many the smallest; < 0: all are wanted, however many */
};

/* A row of a snapshot: its object_id and address. */
struct source_wish {
	uint64_t address;
	uint32_t object;
};

#define SOURCE_WISHES_MAX 128	/* rows of a large terminal */

#endif
