/* tree_fold.h - sums the entries of a window into a call tree; fold/tree.h is what is shown.
 *
 * Use:    tree_fold_init(), tree_fold_add() for every array of entries, tree_fold_sum() once, then
 *         call_tree_arrange(); tree_fold_finish() in every case.
 * Rules:  A frame is left out when a filter part hides its code: a negated part, or one that
 *         selects a level (FILTER_KERNEL, FILTER_USER). A sample is in the tree when all parts hold
 *         for one of its frames (filter.h).
 *         Callees: a path runs from the sample's outermost frame, or with a FILTER_SYMBOL from that
 *         symbol's outermost frame, to the leaf.
 *         Callers: a path runs from the innermost frame that all parts hold for (the leaf, or that
 *         symbol) to the outermost frame.
 *         A sample counts as self if its leaf is the function of the path's last (callees) or first
 *         (callers) node. Idle samples are left out, as in shares, unless the query includes them.
 * Base:   tree_fold_add_base() adds the entries of a baseline to the same paths. A path is kept if
 *         its share in either window is above the limit.
 * Inline: with inline chains, a frame becomes one node per function inlined at its address plus one
 *         for its symbol, each a callee of the function it was inlined into; the innermost gets the
 *         self, and the symbol's node counts it as inlined weight. In a callers tree that begins at
 *         leaves, those samples are under another root. The filter tests whole frames; callers of a
 *         FILTER_SYMBOL begin at the symbol, not at functions inlined into it.
 * Thread: the analyzer's.
 */
#ifndef FOLD_TREE_FOLD_H
#define FOLD_TREE_FOLD_H

#include <stdbool.h>

#include "fold/fold_filter.h"
#include "fold/query.h"
#include "fold/source_lines.h"
#include "fold/fold.h"
#include "timeline/stack_trie.h"

/* Samples in the window and in the baseline. */
struct class_load {
	struct load now, base;
};

static inline void class_load_add(struct class_load *into, const struct class_load *from)
{
	load_add(&into->now, &from->now);
	load_add(&into->base, &from->base);
}

/* Samples by class and stack. A class, numbered from 0, is a set of samples that are treated alike
 * apart from their stacks. The trie must not grow meanwhile. */
struct class_stack {
	uint32_t stack, class;
	uint32_t next;		/* index of the class's next row, + 1; 0: none */
	uint32_t sibling;	/* tree_callees.c: index of the spot's next leaf, + 1; 0: none */
	struct class_load load;
};

struct class_stacks {
	const struct stack_trie *trie;	/* borrowed */
	struct class_stack *rows;	/* owned, like the arrays and the map below */
	uint32_t count, capacity;
	uint32_t *place_of;		/* by trie stack: its first row, + 1; 0: none */
	struct id_map others;		/* (class, stack) -> row, for a stack's other classes */
	uint32_t *first;		/* by class: its newest row, + 1; 0: none */
	uint32_t class_capacity;
	bool is_out_of_memory;
};

#define TREE_FOLD_TOP	0u	/* parent of all roots */
/* Most paths in a tree, unless the query wants all of them; the weight of the rest is in
 * hidden_weight. More than anyone opens, and 12 MB a snapshot. */
#define TREE_FOLD_PATHS 100000u

#define TREE_FOLD_INLINED 0x80000000u

/* The sums of one path. */
struct tree_sum {
	uint32_t parent;	/* index, smaller than its own; roots: TREE_FOLD_TOP */
	uint32_t symbol;	/* symbol id; command: its str_id; inlined function:
				 * TREE_FOLD_INLINED | index into `inlined` */
	struct stats now, base;	/* in the window and in the baseline */
	double hidden_weight;	/* callers beyond TREE_FOLD_PATHS, for which no path was made */
	double inlined_weight;	/* self of functions inlined into this one, on this path */
};

/* A function that was inlined somewhere in a DSO. */
struct tree_inlined {
	uint32_t dso;
	struct str_id name;
};

/* A position within the inline chain of one frame, moving outwards. */
struct tree_place {
	uint32_t frame;		/* ID_SET_NONE: all its functions were visited */
	uint32_t level;		/* next function: 0 is the innermost, the symbol comes last */
	bool is_leaf;
};

/* Callers tree: samples that share a path so far and continue with the same caller chain. */
struct tree_member {
	uint32_t path, node;
	struct tree_place place;	/* position within a frame, inside of that chain */
	struct class_load load;
};

/* Samples that the filter treats alike and, if commands are roots, that share a command. */
struct tree_class {
	uint32_t of_sample;	/* fold_filter_of_sample() */
	uint32_t root;		/* path below which the class's paths begin */
};

struct tree_fold {
	struct stack_trie *trie;	/* borrowed */
	struct symbol_names *names;	/* borrowed */
	const struct task_table *tasks;	/* borrowed */
	const struct query *query;	/* borrowed */
	const struct symbol_pairs *pairs;	/* borrowed, see struct fold; NULL: none */
	const struct wait_stacks *waits;	/* borrowed: tree_fold_set_waits() */
	uint32_t event;
	struct fold_filter filter;	/* owned */
	bool is_rooted;			/* paths begin at a FILTER_SYMBOL */

	struct tree_sum *sums;		/* owned; [TREE_FOLD_TOP] sums the roots */
	uint32_t count, capacity;
	struct id_set by_path;		/* (parent, symbol) -> sum */
	struct tree_class *classes;	/* owned */
	uint32_t class_count, class_capacity;
	struct id_map by_class;		/* (of_sample, comm) -> class */
	struct class_stacks stacks;	/* owned */
	struct tree_member *members;	/* owned; used by callers trees */
	uint32_t member_count, member_capacity;
	struct id_map by_member;	/* (path, trie node; inside a frame: stack) -> member */

	const struct inline_chains *chains;	/* borrowed; NULL: frames are not split */
	struct tree_inlined *inlined;	/* owned */
	uint32_t inlined_count, inlined_capacity;
	struct id_map by_inlined;	/* (DSO, name) -> inlined */
	double *leaf_weight, *caller_weight;	/* owned; with `chains`: weight by leaf frame and by
						 * trie node, ranks tree_fold_requests() */
	bool is_out_of_memory;		/* samples are missing: the caller must not publish them */
	struct fold_stop stop;		/* set by the caller after tree_fold_init() */
	bool is_stopped;		/* `stop` was due: samples are missing */
	uint32_t steps;			/* since `stop` was last checked */
};

/* Uses the tree, filter and limit of @query. All pointers are BORROWED. */
void tree_fold_init(struct tree_fold *fold, struct stack_trie *trie, struct symbol_names *names,
		    const struct task_table *tasks, const struct query *query, uint32_t event);
void tree_fold_finish(struct tree_fold *fold);

/* See fold_set_waits(). */
void tree_fold_set_waits(struct tree_fold *fold, const struct wait_stacks *waits);
/* Splits frames into the inlined functions that @chains (BORROWED) knows. Call before adding. */
void tree_fold_inline(struct tree_fold *fold, const struct inline_chains *chains);

/* Adds the entries of one slice, each times @factor (1, or the decay). */
void tree_fold_add(struct tree_fold *fold, const struct slice_entry *entries, uint32_t count,
		   double factor);

/* Adds entries of the baseline. */
void tree_fold_add_base(struct tree_fold *fold, const struct slice_entry *entries,
			uint32_t count);

/* Builds paths and totals, after all entries were added. */
void tree_fold_sum(struct tree_fold *fold);

/* Fills @out with the heaviest addresses whose inline chains are unknown but can be requested,
 * heaviest first; returns their number. Call after tree_fold_inline() and tree_fold_sum(). */
uint32_t tree_fold_requests(struct tree_fold *fold, const struct source_lines *lines,
			    struct source_request out[SOURCE_REQUESTS_MAX]);

/* For tree_callees.c and tree_callers.c. */

/* Checks `stop` now and then; call before each step of a long loop. False: end the loop. */
bool tree_fold_goes_on(struct tree_fold *fold);

/* Returns the functions inlined at @frame, whose symbol is known; NULL: none, or not known. */
const struct inline_chain *tree_inlined_at(const struct tree_fold *fold, uint32_t frame,
					   bool is_leaf);
/* Returns the tree_sum.symbol of function @level of @chain. ID_SET_NONE: out of memory, noted. */
uint32_t tree_inlined_function(struct tree_fold *fold, const struct inline_chain *chain,
			       uint32_t level);
static inline bool tree_inlined_is(uint32_t symbol)
{
	return symbol != ID_SET_NONE && symbol & TREE_FOLD_INLINED;
}
/* Returns the inlined function that @symbol stands for, BORROWED until another is added. */
static inline const struct tree_inlined *tree_inlined_get(const struct tree_fold *fold,
							  uint32_t symbol)
{
	return &fold->inlined[symbol & ~TREE_FOLD_INLINED];
}

/* Returns the path from @parent to @symbol, adding it if it is new. UINT32_MAX: out of memory,
 * noted in @fold. */
uint32_t tree_fold_path(struct tree_fold *fold, uint32_t parent, uint32_t symbol);
/* Adds to leaf_weight and caller_weight, for a sample that is in the tree. */
void tree_inlined_weigh(struct tree_fold *fold, uint32_t stack, double weight);
/* Builds the paths of all stacks that are above the limit. */
void tree_callers_sum(struct tree_fold *fold);
void tree_callees_sum(struct tree_fold *fold);
void tree_sum_add_self(struct tree_sum *sum, const struct class_load *load);
void tree_sum_add_total(struct tree_sum *sum, const struct class_load *load);
/* Returns the least tree_fold_weight() of a path that is expanded; < 0: no limit. */
double tree_fold_limit(const struct tree_fold *fold);
/* Returns a path's weight in the window or, if its share in the baseline is larger, its weight
 * there scaled to the window. Valid after all entries were added. */
double tree_fold_weight(const struct tree_fold *fold, const struct tree_sum *sum);

/* Nodes made of the sums. */
struct call_tree_builder {
	struct call_tree tree;		/* `nodes` is not set */
	struct tree_node *nodes;	/* owned; without text */
	uint32_t *symbols;		/* owned; tree_sum.symbol of each node */
};

/* Fills @out from @fold, after tree_fold_sum(). 0 or -ENOMEM; call_tree_builder_finish() is needed
 * in every case. */
int call_tree_arrange(struct tree_fold *fold, struct call_tree_builder *out);
void call_tree_builder_finish(struct call_tree_builder *builder);

/* For call_tree_arrange.c and group_arrange.c: the position of a path in its tree. */
struct arranged {
	uint64_t id;
	double weight, then_weight;	/* order siblings, largest first; ties by id */
	uint32_t path, parent;	/* indices in the list */
	uint32_t size;		/* nodes in its subtree; 0: left out */
	uint32_t place;		/* index of its node; unused for [0] */
};

/* Sets sizes and places in @list[@count], parents first, with [0] above all roots, and fills @order
 * with all that is kept, parents first. */
void arranged_place(struct arranged *list, uint32_t count, struct arranged **order);

#endif
