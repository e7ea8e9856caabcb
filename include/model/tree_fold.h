/* tree_fold.h - entries of a window -> the sums of a call tree; model/call_tree.h is what is shown.
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
 * Thread: the analyzer's.
 */
#ifndef MODEL_TREE_FOLD_H
#define MODEL_TREE_FOLD_H

#include "model/fold_filter.h"
#include "model/request.h"
#include "model/stack_trie.h"

#define TREE_FOLD_TOP	0u	/* stands above all roots */
/* A tree has no more, unless all are asked for: what it leaves out is in hidden_weight. More than
 * anyone opens, and 12 MB a snapshot. */
#define TREE_FOLD_PATHS 100000u

/* One path. */
struct tree_sum {
	uint32_t parent;	/* index, smaller than its own; of roots TREE_FOLD_TOP */
	uint32_t symbol;	/* or, of a command, its str_id */
	uint64_t self_samples, total_samples;
	double self_weight, total_weight;
	double hidden_weight;	/* of callers that were not looked for */
};

/* Samples of callers trees that have come as far as one path and go on from one caller chain. */
struct tree_member {
	uint32_t path, node;
	uint64_t samples;
	double weight;
};

/* Samples that a filter sees alike, and that are of one command if commands are roots. */
struct tree_class {
	uint32_t of_sample;	/* fold_filter_of_sample() */
	uint32_t root;		/* path that theirs begin below */
	uint32_t *reached;	/* owned; callees: of each trie node the path, and whether the
				 * filter has matched; 0: not known yet */
};

struct tree_fold {
	struct stack_trie *trie;	/* borrowed, as the next two */
	struct symbol_names *names;
	const struct task_table *tasks;
	const struct query *query;	/* borrowed */
	uint32_t event;
	struct fold_filter filter;	/* owned */
	bool is_rooted;			/* paths begin at a FILTER_SYMBOL */

	struct tree_sum *sums;		/* owned; [TREE_FOLD_TOP] sums the roots */
	uint32_t count, capacity;
	struct id_set by_path;		/* (parent, symbol) -> sum */
	struct tree_class *classes;	/* owned */
	uint32_t class_count, class_capacity;
	struct id_map by_class;		/* (of_sample, comm) -> class */
	uint32_t *walked;		/* owned: trie nodes on the way to one that was reached */
	uint32_t walked_capacity;
	struct tree_member *members;	/* owned; callers */
	uint32_t member_count, member_capacity;
	struct id_map by_member;	/* (path, trie node) -> member */
	bool is_out_of_memory;		/* samples are missing: the caller must not publish them */
};

/* @query: its tree, filter and limit; BORROWED. */
void tree_fold_init(struct tree_fold *fold, struct stack_trie *trie, struct symbol_names *names,
		    const struct task_table *tasks, const struct query *query, uint32_t event);
void tree_fold_finish(struct tree_fold *fold);

/* Adds the entries of one slice, each times @factor (1, or the decay). */
void tree_fold_add(struct tree_fold *fold, const struct slice_entry *entries, uint32_t count,
		   double factor);

/* All entries were added: makes the totals, and of callers the paths themselves. */
void tree_fold_sum(struct tree_fold *fold);

/* What the two directions share. */

/* The path that goes on from @parent with @symbol. UINT32_MAX: out of memory, noted in @fold. */
uint32_t tree_fold_path(struct tree_fold *fold, uint32_t parent, uint32_t symbol);
/* Where every sample of the tree counts: @path, and its command. */
void tree_callers_add(struct tree_fold *fold, const struct tree_class *class, uint32_t stack,
		      const struct tree_sum *sample);
void tree_callers_sum(struct tree_fold *fold);
/* What a path must weigh to be in the tree; < 0: all are. */
double tree_fold_limit(const struct tree_fold *fold);

#endif
