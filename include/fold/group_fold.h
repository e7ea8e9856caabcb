/* group_fold.h - sums the entries of a window into a tree of groups; fold/group_tree.h is what is
 * shown.
 *
 * Use:    group_fold_init(), group_fold_add() for every array of entries, group_fold_sum(), then
 *         group_arrange(); group_fold_finish() in every case. The trie must not grow meanwhile.
 * Rules:  a sample counts as self in one node of each level if its leaf matches the filter, and
 *         once as total in every node with a frame that matches. Idle samples are left out.
 * Thread: the analyzer's.
 */
#ifndef FOLD_GROUP_FOLD_H
#define FOLD_GROUP_FOLD_H

#include "fold/fold_filter.h"
#include "fold/group_values.h"
#include "fold/query.h"
#include "fold/tree_fold.h"
#include "ingest/baseline.h"

#define GROUP_FOLD_TOP	  0u	/* parent of all roots */
/* Most sums, 40 MB, reached if keys tell nearly every sample apart: then samples of new groups
 * below a root count in the groups above. No limit if the query wants all. */
#define GROUP_FOLD_SUMS	  400000u

struct group_counts {
	uint64_t self_samples, total_samples;
	double self_weight, total_weight;
};

/* The sums of one node. */
struct group_sum {
	/* The members used for each frame come first, side by side. */
	uint32_t parent;	/* index, smaller than its own; roots: GROUP_FOLD_TOP */
	uint32_t is_marked;	/* used by group_chains.c */
	struct group_counts now, base;
	uint32_t depth;		/* 0 for a root */
	uint32_t event;		/* event that the weights belong to */
	struct group_value value;
	uint64_t id;		/* see struct group_node */
};

/* Samples that all keys and parts of the filter treat alike apart from their code. */
struct group_class {
	uint32_t of_sample;	/* fold_filter_of_sample() */
	uint32_t event;
	struct group_value values[GROUP_LEVELS];	/* by level; unset for keys of code */
	uint32_t above;		/* sum of the levels before the first key of code; 0: not known
				 * yet, or no such levels */
	uint32_t **reached;	/* owned pages: code -> sum; 0, or no page: not known yet */
	uint32_t page_count;
};

struct group_load {
	uint64_t samples;
	double weight;
};

/* An entry whose frames are not counted yet. */
struct group_sample {
	uint32_t class;
	uint32_t at;		/* trie node of its callers; in group_chains.c that node's place */
	uint32_t frame, symbol;	/* leaf */
	uint32_t next;		/* used by group_chains.c */
	struct group_load load;
};

struct group_fold {
	struct group_sources sources;
	const struct query *query;		/* borrowed */
	uint32_t event;			/* event to fold, unless has_event */
	struct fold_filter filter;	/* owned */

	enum group_key keys[GROUP_LEVELS];	/* by level */
	uint32_t level_count;
	uint32_t code_level;		/* first level with a key of code; level_count: none */
	bool has_event, has_code, has_parent;	/* there is such a key */
	bool is_per_frame;	/* frames of one symbol may be of different groups */
	bool is_per_cpu;

	struct group_sum *sums;		/* owned; [GROUP_FOLD_TOP] counts nothing */
	uint32_t count, capacity;
	struct id_set by_path;		/* (parent, value) -> sum */
	struct group_sample *waiting;	/* owned; samples to be counted by group_chains_count() */
	uint32_t waiting_count, waiting_capacity;
	bool is_base_waiting;		/* `waiting` is from the baseline, not the window */
	struct group_class *classes;	/* owned */
	uint32_t class_count, class_capacity;
	struct id_set by_class;
	struct id_map by_sample;	/* (task, CPU, event) -> class */
	struct id_map by_caller;	/* (code, symbol that called it) -> code */
	uint64_t *frame_samples;	/* owned; GROUP_SOURCE: [2 * frame] as a leaf,
					 * [2 * frame + 1] as a caller */
	uint64_t samples;		/* busy samples folded, including the baseline's */
	double whole[TIMELINE_NUMBERS], base_whole[TIMELINE_NUMBERS];	/* busy weight by event */
	bool is_out_of_memory;	/* samples are missing: the caller must not publish them */
	const struct baseline *baseline;	/* borrowed, set by the caller after
						 * group_fold_init(); NULL: not compared */
	struct tree_stop stop;	/* set by the caller after group_fold_init() */
	bool is_stopped;	/* `stop` was due: samples are missing */
	uint32_t steps;		/* since `stop` was last checked */
};

/* Uses the keys and the filter of @query, which is BORROWED, as are the pointers in @sources. Folds
 * @event, unless GROUP_EVENT is a key. Drops repeated keys and those beyond GROUP_LEVELS. */
void group_fold_init(struct group_fold *fold, const struct group_sources *sources,
		     const struct query *query, uint32_t event);
void group_fold_finish(struct group_fold *fold);

/* Adds the entries of one slice, each times @factor (1, or the decay). */
void group_fold_add(struct group_fold *fold, const struct slice_entry *entries, uint32_t count,
		    double factor);
/* Adds entries of the baseline, to `base` alone. */
void group_fold_add_base(struct group_fold *fold, const struct slice_entry *entries,
			 uint32_t count);

/* Completes the sums, after all entries were added. */
void group_fold_sum(struct group_fold *fold);

/* Fills @out with the addresses whose lines are unknown but can be requested, most samples first;
 * returns their number. Call after group_fold_sum(); without GROUP_SOURCE there are none. */
uint32_t group_fold_wishes(const struct group_fold *fold,
			   struct source_wish out[SOURCE_WISHES_MAX]);

/* For group_fold.c and group_chains.c. */

#define GROUP_FOLD_HIDDEN UINT32_MAX	/* no sum: the filter hides the frame */
#define GROUP_FOLD_PAGE	  256		/* codes in a page of `reached` */

/* Checks `stop` now and then; call before each step of a long loop. False: end the loop. */
bool group_fold_goes_on(struct group_fold *fold);
/* Returns the symbol that a frame counts for. ID_SET_NONE: out of memory, noted. */
uint32_t group_fold_symbol(struct group_fold *fold, uint32_t frame);
/* Returns the frame's code: a number for what its groups depend on (see group_fold.c). ID_SET_NONE:
 * out of memory, noted. */
uint32_t group_fold_code(struct group_fold *fold, const struct group_frame *frame);
/* Returns the sum of the last level that @frame, with code @code, counts in. GROUP_FOLD_HIDDEN:
 * none, or out of memory, noted. */
uint32_t group_fold_path(struct group_fold *fold, uint32_t class_id,
			 const struct group_frame *frame, uint32_t code);
/* Returns the memo of group_fold_path() for @code; 0: there is none yet. */
static inline uint32_t group_fold_known_path(const struct group_class *class, uint32_t code)
{
	const uint32_t page = code / GROUP_FOLD_PAGE;

	return page < class->page_count && class->reached[page]
	       ? class->reached[page][code % GROUP_FOLD_PAGE] : 0;
}
/* Adds @load to the self of @path and of all sums above it. */
void group_fold_add_self(struct group_fold *fold, uint32_t path, const struct group_load *load,
			 bool is_base);

#endif
