/* tree_fold.h - entries of a window -> the sums of a call tree; fold/call_tree.h is what is shown.
 *
 * Use:    tree_fold_init(), tree_fold_add() for every array of entries, tree_fold_sum() once, then
 *         call_tree_arrange(); tree_fold_finish() in every case.
 * Rules:  A frame is left out when a part of the filter takes its code away: a negated one, or one
 *         of a level. A sample is in the tree when all parts hold for one of its frames (filter.h).
 *         Its path ends at its leaf for callees, at its outermost frame for callers. It begins
 *         callees: at its outermost frame; with a FILTER_SYMBOL at that symbol's outermost one;
 *         callers: at the innermost frame that all parts hold for: the leaf, or that symbol.
 *         Self is a sample's whose leaf is the function of the path's last (callees) or first
 *         (callers) node. Idle samples are left out, as of shares,
 *         unless the query wants them.
 * Base:   with a baseline, its entries are added to the same paths by tree_fold_add_base(). A path
 *         is kept if either share is above the limit.
 * Inline: where chains are given, a frame is as many nodes as functions were inlined at its
 *         address, and one: each a callee of the one that it was inlined into, and self is the
 *         innermost's. What the frame's own function lacks by that is its inlined weight; where
 *         callers begin at a leaf, its samples are at another root. The filter asks for the frame
 *         as a whole; a FILTER_SYMBOL's callers begin at the symbol, not at what was inlined into
 *         it.
 * Thread: the analyzer's.
 */
#ifndef FOLD_TREE_FOLD_H
#define FOLD_TREE_FOLD_H

#include "fold/class_stacks.h"
#include "fold/fold_filter.h"
#include "fold/inline_chains.h"
#include "fold/query.h"
#include "fold/source_lines.h"
#include "fold/symbol_twins.h"
#include "fold/tree_stop.h"
#include "timeline/stack_trie.h"

#define TREE_FOLD_TOP	0u	/* stands above all roots */
/* A tree has no more, unless all are asked for: what it leaves out is in hidden_weight. More than
 * anyone opens, and 12 MB a snapshot. */
#define TREE_FOLD_PATHS 100000u

#define TREE_FOLD_INLINED 0x80000000u

/* One path. */
struct tree_sum {
	uint32_t parent;	/* index, smaller than its own; of roots TREE_FOLD_TOP */
	uint32_t symbol;	/* or, of a command, its str_id; of an inlined function
				 * TREE_FOLD_INLINED | its number */
	uint64_t self_samples, total_samples;
	double self_weight, total_weight;
	double hidden_weight;	/* of callers that were not looked for */
	double inlined_weight;	/* self of what was inlined into the function, on this path */
	uint64_t base_self_samples, base_total_samples;	/* the baseline's */
	double base_self_weight, base_total_weight;
};

/* A function that was inlined somewhere in its object. */
struct tree_inlined {
	uint32_t object;
	struct str_id name;
};

/* On the way outwards through the functions of one frame. */
struct tree_place {
	uint32_t frame;		/* ID_SET_NONE: its last was passed */
	uint32_t level;		/* of the next: 0 the innermost, the symbol's own is the last */
	bool is_leaf;
};

/* Samples of callers trees that have come as far as one path and go on from one caller chain. */
struct tree_member {
	uint32_t path, node;
	struct tree_place place;	/* where they are before that chain */
	struct class_load load;
};

/* Samples that a filter sees alike, and that are of one command if commands are roots. */
struct tree_class {
	uint32_t of_sample;	/* fold_filter_of_sample() */
	uint32_t root;		/* path that theirs begin below */
};

struct tree_fold {
	struct stack_trie *trie;	/* borrowed, as the next two */
	struct symbol_names *names;
	const struct task_table *tasks;
	const struct query *query;	/* borrowed */
	const struct symbol_twins *twins;	/* as in struct fold */
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
	struct tree_member *members;	/* owned; callers */
	uint32_t member_count, member_capacity;
	struct id_map by_member;	/* (path, trie node or, with a place, stack) -> member */

	const struct inline_chains *chains;	/* borrowed; NULL: frames stay whole */
	struct tree_inlined *inlined;	/* owned */
	uint32_t inlined_count, inlined_capacity;
	struct id_map by_inlined;	/* (object, name) -> inlined */
	double *leaf_weight, *caller_weight;	/* owned; of each frame, and of each trie node:
						 * with @chains, which are asked for by it */
	bool is_out_of_memory;		/* samples are missing: the caller must not publish them */
	struct tree_stop stop;		/* the caller's, after the init */
	bool is_stopped;		/* likewise: `stop` was due */
	uint32_t steps;			/* since it was asked last */
};

/* @query: its tree, filter and limit; BORROWED. */
void tree_fold_init(struct tree_fold *fold, struct stack_trie *trie, struct symbol_names *names,
		    const struct task_table *tasks, const struct query *query, uint32_t event);
void tree_fold_finish(struct tree_fold *fold);

/* Before anything is added: with inlined functions, as far as @chains knows them; BORROWED. */
void tree_fold_inline(struct tree_fold *fold, const struct inline_chains *chains);

/* Adds the entries of one slice, each times @factor (1, or the decay). */
void tree_fold_add(struct tree_fold *fold, const struct slice_entry *entries, uint32_t count,
		   double factor);

/* The same of the baseline. */
void tree_fold_add_base(struct tree_fold *fold, const struct slice_entry *entries,
			uint32_t count);

/* All entries were added: makes the totals, and of callers the paths themselves. */
void tree_fold_sum(struct tree_fold *fold);

/* After tree_fold_sum(), with tree_fold_inline(): the addresses of most weight whose chains are not
 * known and can be, heaviest first. Returns how many are in @out. */
uint32_t tree_fold_wishes(struct tree_fold *fold, const struct source_lines *lines,
			  struct source_wish out[SOURCE_WISHES_MAX]);

/* What the two directions share. */

/* Before each step of a loop that may be long. False: it is to end. */
bool tree_fold_goes_on(struct tree_fold *fold);

/* What was inlined at a frame whose symbol is known; NULL: nothing, or it is not known. */
const struct inline_chain *tree_inlined_at(const struct tree_fold *fold, uint32_t frame,
					   bool is_leaf);
/* What stands in paths for the function @level of a chain. ID_SET_NONE: out of memory, noted. */
uint32_t tree_inlined_function(struct tree_fold *fold, const struct inline_chain *chain,
			       uint32_t level);
static inline bool tree_inlined_is(uint32_t symbol)
{
	return symbol != ID_SET_NONE && symbol & TREE_FOLD_INLINED;
}
/* BORROWED until the next is added. */
static inline const struct tree_inlined *tree_inlined_get(const struct tree_fold *fold,
							  uint32_t symbol)
{
	return &fold->inlined[symbol & ~TREE_FOLD_INLINED];
}


/* The path that goes on from @parent with @symbol. UINT32_MAX: out of memory, noted in @fold. */
uint32_t tree_fold_path(struct tree_fold *fold, uint32_t parent, uint32_t symbol);
/* Notes what a sample weighs that is in the tree. */
void tree_inlined_weigh(struct tree_fold *fold, uint32_t stack, double weight);
/* The paths of all stacks, as far as they are above the limit. */
void tree_callers_sum(struct tree_fold *fold);
void tree_callees_sum(struct tree_fold *fold);
void tree_sum_add_self(struct tree_sum *sum, const struct class_load *load);
void tree_sum_add_total(struct tree_sum *sum, const struct class_load *load);
/* What a path must weigh to be in the tree, as tree_fold_weight() says it; < 0: all are. */
double tree_fold_limit(const struct tree_fold *fold);
/* What a path weighs in the window; or in the baseline, if its share there is larger, brought to
 * the window's scale. After all were added. */
double tree_fold_weight(const struct tree_fold *fold, const struct tree_sum *sum);

#endif
