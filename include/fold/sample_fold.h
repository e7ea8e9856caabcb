/* sample_fold.h - sums the entries of a window by task and stack; fold/stack_samples.h is what is
 * made of them.
 *
 * Use:    sample_fold_init(), sample_fold_add() for every array of entries, sample_fold_make();
 *         sample_fold_finish() in every case. The trie must not grow meanwhile.
 * Rules:  those of a tree of callees with the same query (fold/tree_fold.h): which samples are in
 *         it, which frames are left out, and at which frame a path begins. A stack ends with its
 *         innermost frame that is shown.
 * Thread: the analyzer's.
 */
#ifndef FOLD_SAMPLE_FOLD_H
#define FOLD_SAMPLE_FOLD_H

#include "fold/fold_filter.h"
#include "fold/query.h"
#include "fold/stack_samples.h"
#include "fold/tree_fold.h"
#include "fold/wait_stacks.h"
#include "timeline/timeline.h"

/* Samples of a task with a stack that the filter treats alike. */
struct sample_sum {
	uint32_t task, stack;
	uint32_t of_sample;	/* fold_filter_of_sample() */
	struct class_load load;
};

struct sample_fold {
	struct stack_trie *trie;	/* borrowed, like the next ones */
	struct symbol_names *names;
	const struct task_table *tasks;
	const struct query *query;
	const struct wait_stacks *waits;	/* NULL: the event counts no waits */
	uint32_t event;
	struct fold_filter filter;	/* owned */
	bool is_rooted;			/* paths begin at a FILTER_SYMBOL */
	struct sample_sum *sums;	/* owned */
	uint32_t count, capacity;
	struct id_set index;		/* (task, stack, of_sample) -> sum */
	bool is_out_of_memory;		/* samples are missing: the caller must not publish them */
};

/* All pointers are BORROWED. */
void sample_fold_init(struct sample_fold *fold, struct stack_trie *trie,
		      struct symbol_names *names, const struct task_table *tasks,
		      const struct query *query, uint32_t event);
/* See fold_set_waits(). */
void sample_fold_set_waits(struct sample_fold *fold, const struct wait_stacks *waits);
void sample_fold_finish(struct sample_fold *fold);

/* Adds the entries of one slice, each times @factor (1, or the decay). */
void sample_fold_add(struct sample_fold *fold, const struct slice_entry *entries, uint32_t count,
		     double factor);
/* Adds entries of the baseline. */
void sample_fold_add_base(struct sample_fold *fold, const struct slice_entry *entries,
			  uint32_t count);
/* Makes the samples of what was added, for stack_samples_destroy(). NULL: out of memory. */
struct stack_samples *sample_fold_make(struct sample_fold *fold);

#endif
