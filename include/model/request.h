/* request.h - what the screen asks of the analyzer, over an SPSC queue; a snapshot answers. */
#ifndef MODEL_REQUEST_H
#define MODEL_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "model/call_tree.h"
#include "model/filter.h"

enum request_kind {
	REQUEST_REFRESH,	/* a new snapshot now */
	REQUEST_WINDOW,		/* window = value, length value_ns for WINDOW_SECONDS */
	REQUEST_INTERVAL,	/* refresh every value_ns */
	REQUEST_ZERO,		/* "since start" begins now */
	REQUEST_QUERY,		/* other rows: `query` */
	REQUEST_EVENT,		/* show event number value */
	REQUEST_SOURCES,	/* source lines of `wishes` are shown, instead of all wished for
				 * before. A snapshot comes when some were found */
	REQUEST_STACKS,		/* the next snapshot brings all stacks of its window along; value 1:
				 * with idle ones */
	REQUEST_FREEZE,		/* windows end at value_ns (a snapshot's time_ns) from now on, and
				 * no snapshot comes unasked but for names; 0: live again */
};

/* What the rows are, and which samples are in them. */
struct query {
	uint64_t number;	/* the screen's own; comes back in struct snapshot */
	unsigned int keys;	/* enum row_key */
	struct filter filter;
	bool raw_names;		/* of symbols, as their files have them */
	bool by_total;		/* rows by total_weight, then self_weight */
	enum tree_direction tree;	/* besides the rows */
	bool tree_idle;		/* idle samples are in it, too */
	bool tree_inlined;	/* with the functions that were inlined, as far as known */
	bool tree_commands;	/* its roots are commands, paths begin below them */
	uint32_t probe;		/* all about this one: struct snapshot_probes; 0: none */
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
	uint64_t value_ns;
	struct query query;
	struct source_wish wishes[SOURCE_WISHES_MAX];
};

#endif
