/* query.h - a query on a window: which samples, keyed by what, shown as rows, tree and groups.
 * Thread: any; plain values. */
#ifndef FOLD_QUERY_H
#define FOLD_QUERY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "fold/filter.h"
#include "fold/tree.h"

/* Bits of the set of keys (-s) that distinguish rows. Default: KEY_DSO | KEY_SYMBOL. */
enum row_key {
	KEY_DSO = 1 << 0,
	KEY_SYMBOL = 1 << 1,
	KEY_COMM = 1 << 2,
	KEY_PID = 1 << 3,
	KEY_TID = 1 << 4,
	KEY_CPU = 1 << 5,
	KEY_ADDRESS = 1 << 6,
	KEY_GROUP = 1 << 7,	/* with KEY_PID | KEY_TID: adds a row per process */
	KEY_FROM = 1 << 8,	/* address that the leaf was called from; of a branch: its own. Only
				 * leaves have rows then */
	KEY_EVENT = 1 << 9,	/* rows of all events, not only of the one shown */
};

/* Whose counters a snapshot has, besides its samples. */
enum counters_of {
	COUNTERS_NONE,
	COUNTERS_OF_ALL,	/* those of the machine, or of the only process that is sampled */
	COUNTERS_OF_PROCESS,
	COUNTERS_OF_THREAD,
};

/* Keys of the rows of branches, where the query asks for KEY_DSO | KEY_SYMBOL. */
#define KEYS_BRANCH (KEY_FROM | KEY_DSO | KEY_SYMBOL | KEY_ADDRESS)

#define QUERY_WEIGHT_BYTES 128	/* name of a weight; longer ones are not found */
#define QUERY_NAME_BYTES 512	/* function with its DSO; longer ones are not found */

/* An address whose source line is requested, such as a snapshot_row's (dso_id, address). */
struct source_request {
	uint64_t address;
	uint32_t dso;
};

/* Which calls of a latency probe samples are shown inside. */
enum inside_calls { INSIDE_NONE, INSIDE_ALL, INSIDE_SLOWEST };

/* The weight of a hit of the probe that is shown, in rows, trees and groups. */
enum hit_weight {
	HIT_WEIGHT_COUNT,	/* 1: weights are numbers of hits */
	HIT_WEIGHT_LATENCY,	/* ns */
	HIT_WEIGHT_AGGREGATE	/* + i: the sum of aggregate i of the spec, SUM or AVG */
};

/* The number that decides which groups of the probe in detail are listed if there are too many. */
enum hit_order {
	HIT_ORDER_HITS,
	HIT_ORDER_LATENCY,	/* the sum of latencies, then their mean, ... */
	HIT_ORDER_MEAN, HIT_ORDER_P50, HIT_ORDER_P99, HIT_ORDER_MAX,
	HIT_ORDER_CHANGE,	/* comparing: the change of the share of `hit_weight` */
	HIT_ORDER_AGGREGATE,	/* + i: aggregate i of the spec */
	HIT_ORDER_SUM = HIT_ORDER_AGGREGATE + 8	/* + i: the sum of an AVG */
};

/* Selects the samples of a window, and the rows and trees to make of them. */
struct query {
	uint64_t number;	/* chosen by the screen; copied to snapshot.query */
	unsigned int keys;	/* enum row_key bits; 0: no rows */
	struct filter filter;
	bool raw_waits;		/* show waits with the kernel functions that they are in: see
				 * fold/wait_stacks.h */
	bool raw_names;		/* show symbol names as in their files, not demangled */
	bool by_total;		/* sort rows by total weight, then self weight */
	enum tree_direction tree;	/* call tree to build besides the rows */
	bool tree_idle;		/* the call tree includes idle samples */
	bool tree_inlined;	/* the call tree shows inlined functions, as far as known */
	bool tree_commands;	/* the roots of the call tree are commands */
	bool stack_samples;	/* add the samples by task and stack: snapshot.stack_samples */
	bool compare;		/* compare with the baseline, if there is one */
	bool is_relative;	/* 100 % of the shares is what the filter leaves, not the window */
	bool heat;		/* fill the snapshot's heat map */
	bool event_columns;	/* rows and nodes have their loads in each event, of two to eight:
				 * analyzer/snapshot.h */
	uint32_t group_count;	/* levels of the tree of groups; 0: no such tree */
	enum group_key groups[GROUP_LEVELS];
	bool all_probes;	/* add the values and groups of all probes, as they are printed */
	uint32_t probe;		/* probe to show in detail (struct snapshot_probes); 0: none */
	unsigned int hit_order;	/* enum hit_order: its groups with most of it are listed, */
	bool is_hit_order_reversed;	/* or those with least */
	uint32_t hit_probe;	/* probe of the hit to show in detail */
	uint64_t hit;		/* number of that hit in the probe's log; 0: none */
	unsigned int hit_weight;	/* enum hit_weight: if the event shown is a probe that has
					 * it; else as HIT_WEIGHT_COUNT */
	char hit_weight_name[QUERY_WEIGHT_BYTES];	/* "lat", "sum(bytes)": in place of
							 * hit_weight; "": that holds */
	enum inside_calls inside;	/* only samples and waits inside calls that ended in the
					 * window are shown */
	uint32_t inside_probe;	/* the latency probe; 0: the first */
	uint64_t hit_group;	/* snapshot_group.id: only the hits of that group of the probe shown
				 * are in rows, trees and groups; 0: all */
	/* Function to list: an address in it, DSO 0: none; or "[DSO:]SYMBOL" by name, "": none, of
	 * which the one with the most samples is listed. */
	struct source_request listing;
	char listing_name[QUERY_NAME_BYTES];
	enum counters_of counters;
	uint32_t counters_id;	/* pid or tid of COUNTERS_OF_PROCESS and _THREAD */
	bool counter_rows;	/* counters also by CPU, or by thread */
	bool counters_by_cgroup;	/* counter_rows, those of the machine: by cgroup */
	double tree_limit_pct;	/* nodes below this share of the tree's weight are left out, and
				 * the smallest if there are too many; < 0: all are included */
};

/* Called now and then by a long fold: true ends it, and its result is unusable, as without
 * memory. */
struct fold_stop {
	bool (*is_due)(void *owner);	/* NULL: never */
	void *owner;
};

#define SOURCE_REQUESTS_MAX 128	/* rows of a large terminal */

/* Returns the name that is shown for @key, such as "dso"; group_keys_parse() also knows aliases. */
const char *group_key_name(enum group_key key);
/* Returns the name of the key at @level of @tree: of one of `by` as the specification has it. */
const char *group_tree_key_name(const struct group_tree *tree, uint32_t level);

/* Parses "comm,dso,symbol" into @keys[GROUP_LEVELS], in that order. 0, or -EINVAL for a key that is
 * unknown, repeated or misplaced: the reason begins with @as and says what is valid; @keys and
 * *@count are unchanged then. */
int group_keys_parse(const char *text, const char *as, enum group_key *keys, uint32_t *count,
		     struct diag *why);

#endif
