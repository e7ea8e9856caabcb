/* request.h - what the screen asks of the analyzer, over an SPSC queue; a snapshot answers. */
#ifndef ANALYZER_REQUEST_H
#define ANALYZER_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "fold/call_tree.h"
#include "fold/filter.h"
#include "fold/group_tree.h"

enum request_kind {
	REQUEST_REFRESH,	/* a new snapshot now */
	REQUEST_BEGIN,		/* begins the first interval at value_ns, when begins_on_request is
				 * set in analyzer_config; no snapshot answers */
	REQUEST_WINDOW,		/* window = value, length value_ns for WINDOW_SECONDS */
	REQUEST_INTERVAL,	/* refresh every value_ns */
	REQUEST_ZERO,		/* "since start" begins now */
	REQUEST_QUERY,		/* other rows: `query` */
	REQUEST_EVENT,		/* show event number value */
	REQUEST_SOURCES,	/* source lines of `wishes` are shown, instead of all wished for
				 * before. A snapshot comes when some were found */
	REQUEST_STACKS,		/* the next snapshot brings all stacks of its window along; value 1:
				 * with idle ones */
	REQUEST_FREEZE,		/* the window stands still from now on. begin_ns 0: it ends at
				 * value_ns, a snapshot's time_ns, and no snapshot comes unasked
				 * but for names. Else it is begin_ns..value_ns, whatever
				 * REQUEST_WINDOW said, and the snapshots that come every second
				 * or some are of the same window, with the strip up to now.
				 * value_ns 0: live again */
	REQUEST_BASELINE,	/* what windows are compared with from now on ("A") is what was
				 * counted in begin_ns..value_ns; value_ns 0: nothing. value 1:
				 * what was counted before and after that time */
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

struct request {
	enum request_kind kind;
	uint32_t value;		/* enum window_kind, event index, or how many wishes */
	uint64_t begin_ns, value_ns;
	struct query query;
	struct source_wish wishes[SOURCE_WISHES_MAX];
};

#endif
