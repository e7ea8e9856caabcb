/* group_fold.h - entries of a window -> the sums of a tree of groups; fold/group_tree.h is what is
 * shown.
 *
 * Use:    group_fold_init(), group_fold_add() for every array of entries, group_fold_sum(), then
 *         group_arrange(); group_fold_finish() in every case. The trie must not grow meanwhile.
 * Rules:  as fold.h's, for each level what a row is there: self if the leaf matches the filter,
 *         total once for every node with a frame that matches. Idle samples are left out.
 * Thread: the analyzer's.
 */
#ifndef FOLD_GROUP_FOLD_H
#define FOLD_GROUP_FOLD_H

#include "fold/fold_filter.h"
#include "fold/group_values.h"
#include "fold/query.h"
#include "fold/tree_fold.h"
#include "ingest/baseline.h"

#define GROUP_FOLD_TOP	  0u	/* stands above all roots */
/* 40 MB, for keys that tell nearly every sample apart: by then new groups below a root are not
 * begun, and what would be in them counts in those above. Unless all are wanted. */
#define GROUP_FOLD_SUMS	  400000u

struct group_counts {
	uint64_t self_samples, total_samples;
	double self_weight, total_weight;
};

/* One node. */
struct group_sum {
	/* What each frame needs comes first, side by side. */
	uint32_t parent;	/* index, smaller than its own; of roots GROUP_FOLD_TOP */
	uint32_t is_marked;	/* group_chains.c's */
	struct group_counts now, base;
	uint32_t depth;		/* of roots 0 */
	uint32_t event;		/* whose weights it has */
	struct group_value value;
	uint64_t id;		/* as in struct group_node */
};

/* Samples that all keys and parts of the filter see alike but for their code. */
struct group_class {
	uint32_t of_sample;	/* fold_filter_of_sample() */
	uint32_t event;
	struct group_value values[GROUP_LEVELS];	/* of keys that are not of code */
	uint32_t above;		/* the sum that they lead to before any of code; 0: not known yet,
				 * or there are none */
	uint32_t **reached;	/* owned pages; of each code its sum: 0, no page: not known yet */
	uint32_t page_count;
};

struct group_load {
	uint64_t samples;
	double weight;
};

/* An entry whose frames are still to be counted. */
struct group_sample {
	uint32_t class;
	uint32_t at;		/* node of its callers; in group_chains.c the place of that */
	uint32_t frame, symbol;	/* of the leaf */
	uint32_t next;		/* group_chains.c's */
	struct group_load load;
};

struct group_fold {
	struct group_sources sources;
	const struct query *query;		/* borrowed */
	uint32_t event;			/* the one shown */
	struct fold_filter filter;	/* owned */

	enum group_key keys[GROUP_LEVELS];	/* as in struct group_tree */
	uint32_t level_count;
	uint32_t code_level;		/* the first of code; of none: all are above it */
	bool has_event, has_code, has_parent;	/* keys of them */
	bool is_per_frame;	/* frames of one symbol may be of different groups */
	bool is_per_cpu;

	struct group_sum *sums;		/* owned; [GROUP_FOLD_TOP] counts nothing */
	uint32_t count, capacity;
	struct id_set by_path;		/* (parent, value) -> sum */
	struct group_sample *waiting;	/* owned; of the window or of the baseline */
	uint32_t waiting_count, waiting_capacity;
	bool is_base_waiting;
	struct group_class *classes;	/* owned */
	uint32_t class_count, class_capacity;
	struct id_set by_class;
	struct id_map by_sample;	/* (task, CPU, event) -> class */
	struct id_map by_caller;	/* (code, symbol that called it) -> code */
	uint64_t *frame_samples;	/* owned; with GROUP_SOURCE: of each frame as a leaf, and
					 * as a caller */
	uint64_t samples;		/* of all events, and the baseline's */
	double whole[TIMELINE_NUMBERS], base_whole[TIMELINE_NUMBERS];
	bool is_out_of_memory;	/* samples are missing: the caller must not publish them */
	const struct baseline *baseline;	/* borrowed, the caller's after the init; NULL: not
						 * compared */
	struct tree_stop stop;	/* the caller's, after the init */
	bool is_stopped;	/* likewise: `stop` was due */
	uint32_t steps;		/* since it was asked last */
};

/* @query: its keys and filter; BORROWED, as what @sources point to. @event: what is folded without
 * GROUP_EVENT. Keys beyond GROUP_LEVELS and those that were there already are left out. */
void group_fold_init(struct group_fold *fold, const struct group_sources *sources,
		     const struct query *query, uint32_t event);
void group_fold_finish(struct group_fold *fold);

/* Adds the entries of one slice, each times @factor (1, or the decay). */
void group_fold_add(struct group_fold *fold, const struct slice_entry *entries, uint32_t count,
		    double factor);
/* The same for entries of the window that is compared with: they count in base alone. */
void group_fold_add_base(struct group_fold *fold, const struct slice_entry *entries,
			 uint32_t count);

/* All entries were added: the sums are whole after it. */
void group_fold_sum(struct group_fold *fold);

/* After group_fold_sum(), and GROUP_SOURCE is among the keys: the addresses of most samples
 * whose lines are not known and can be, those first. Returns how many are in @out. */
uint32_t group_fold_wishes(const struct group_fold *fold,
			   struct source_wish out[SOURCE_WISHES_MAX]);

/* What group_fold.c and group_chains.c share. */

#define GROUP_FOLD_HIDDEN UINT32_MAX	/* a path: the filter leaves nothing of it */
#define GROUP_FOLD_PAGE	  256		/* codes */

/* Before each step of a loop that may be long. False: it is to end. */
bool group_fold_goes_on(struct group_fold *fold);
/* The symbol that a frame counts for. ID_SET_NONE: out of memory, noted. */
uint32_t group_fold_symbol(struct group_fold *fold, uint32_t frame);
/* What the frame's groups depend on, numbered; ID_SET_NONE: out of memory, noted. */
uint32_t group_fold_code(struct group_fold *fold, const struct group_frame *frame);
/* The sum of the last level that @frame, of code @code, counts in; GROUP_FOLD_HIDDEN: in none, or
 * out of memory, noted. */
uint32_t group_fold_path(struct group_fold *fold, uint32_t class_id,
			 const struct group_frame *frame, uint32_t code);
/* The same, of a code that it was asked of already; 0: it was not. */
static inline uint32_t group_fold_known_path(const struct group_class *class, uint32_t code)
{
	const uint32_t page = code / GROUP_FOLD_PAGE;

	return page < class->page_count && class->reached[page]
	       ? class->reached[page][code % GROUP_FOLD_PAGE] : 0;
}
/* To the self of @path and of all above it. */
void group_fold_add_self(struct group_fold *fold, uint32_t path, const struct group_load *load,
			 bool is_base);

#endif
