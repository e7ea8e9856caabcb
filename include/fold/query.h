/* query.h - a query on a window: which samples, keyed by what, shown as rows, tree and groups.
 * Thread: any; plain values. */
#ifndef FOLD_QUERY_H
#define FOLD_QUERY_H

#include <stdbool.h>
#include <stdint.h>

#include "fold/call_tree.h"
#include "fold/filter.h"
#include "fold/group_tree.h"

/* Bits of the set of keys (-s) that distinguish rows. Default: KEY_OBJECT | KEY_SYMBOL. */
enum row_key {
	KEY_OBJECT = 1 << 0,
	KEY_SYMBOL = 1 << 1,
	KEY_COMM = 1 << 2,
	KEY_PID = 1 << 3,
	KEY_TID = 1 << 4,
	KEY_CPU = 1 << 5,
	KEY_ADDRESS = 1 << 6,
	KEY_GROUP = 1 << 7,	/* with KEY_PID | KEY_TID: adds a row per process */
};

/* Selects the samples of a window, and the rows and trees to make of them. */
struct query {
	uint64_t number;	/* chosen by the screen; copied to snapshot.query */
	unsigned int keys;	/* enum row_key bits; 0: no rows */
	struct filter filter;
	bool raw_names;		/* show symbol names as in their files, not demangled */
	bool by_total;		/* sort rows by total_weight, then self_weight */
	enum tree_direction tree;	/* call tree to build besides the rows */
	bool tree_idle;		/* the call tree includes idle samples */
	bool tree_inlined;	/* the call tree shows inlined functions, as far as known */
	bool tree_commands;	/* the roots of the call tree are commands */
	bool compare;		/* compare with the baseline, if there is one */
	bool is_relative;	/* 100 % of the shares is what the filter leaves, not the window */
	bool heat;		/* fill the snapshot's heat map */
	uint32_t group_count;	/* levels of the tree of groups; 0: no such tree */
	enum group_key groups[GROUP_LEVELS];
	uint32_t probe;		/* probe to show in detail (struct snapshot_probes); 0: none */
	uint32_t hit_probe;	/* probe of the hit to show in detail */
	uint64_t hit;		/* number of that hit in the probe's log; 0: none */
	double tree_limit_pct;	/* nodes below this share of the tree's weight are left out, and
				 * the smallest if there are too many; < 0: all are included */
};

/* An address whose source line is requested, such as a snapshot_row's (object_id, address). */
struct source_wish {
	uint64_t address;
	uint32_t object;
};

#define SOURCE_WISHES_MAX 128	/* rows of a large terminal */

#endif
