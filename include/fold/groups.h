/* groups.h - sums the entries of a window into a tree of groups; fold/tree.h is what is shown.
 *
 * Use:    group_fold_init(), group_fold_add() for every array of entries, group_fold_sum(), then
 *         group_arrange(); group_fold_finish() in every case. The trie must not grow meanwhile.
 * Rules:  a sample counts as self in one node of each level if its leaf matches the filter, and
 *         once as total in every node with a frame that matches. Idle samples are left out.
 * Thread: the analyzer's.
 */
#ifndef FOLD_GROUPS_H
#define FOLD_GROUPS_H

#include "capture/scope.h"
#include "fold/fold_filter.h"
#include "fold/query.h"
#include "fold/source_lines.h"
#include "fold/fold.h"
#include "fold/tree.h"
#include "fold/tree_fold.h"
#include "ingest/baseline.h"
#include "ingest/symbol_names.h"
#include "ingest/task_table.h"
#include "timeline/timeline.h"

/* The values of a sample and its frames for each key of a tree of groups, and
 * their text.
 * Thread: the analyzer's. */

/* Two values of a key are equal when their identities are. */
struct group_value {
	uint64_t identity;	/* equal in every snapshot, as it does not depend on ids */
	uint32_t of;		/* id or number to make the text from, or GROUP_VALUE_ */
};

#define GROUP_VALUE_NONE    UINT32_MAX		/* there is no value */
#define GROUP_VALUE_UNKNOWN (UINT32_MAX - 1)	/* the value is unknown */

/* Where values and their text come from; pointers are borrowed. */
struct group_sources {
	struct stack_trie *trie;
	struct symbol_names *names;
	const struct task_table *tasks;
	const struct symbol_pairs *pairs;	/* see struct fold */
	const struct source_lines *lines;	/* NULL: no lines are known */
	const int *sockets;			/* package by CPU; < 0: unknown */
	uint32_t socket_count;			/* CPUs beyond it: unknown */
	const struct wait_stacks *waits;	/* NULL: no event counts waits */
	const struct core_pmus *pmus;		/* NULL: none are known */
	/* Returns the raw name of an event, "": none. NULL: no event has a name. */
	const char *(*event_name)(const void *owner, uint32_t event);
	/* Returns the value of key @index of `by`, from 0, of hits of the event folded that have
	 * @tuple (ingest/hit_groups.h) and @stack. NULL: these have no such keys. */
	struct group_value (*hit_value)(const void *owner, uint32_t tuple, uint32_t stack,
					uint32_t index);
	/* Returns the text of group_value.of for that key. Set if hit_value is. */
	struct str_id (*hit_text)(const void *owner, uint32_t of, uint32_t index);
	bool is_hit_by_stack;	/* hit_value() and the bits for FILTER_BY depend on the stack */
	const void *owner;
	bool raw_names;				/* symbol names as in their files */
	struct id_map process_comms;		/* owned by the fold: pid -> present or last comm:
						 * group_sources_name_processes() */
};

/* Fills process_comms, which GROUP_PID and GROUP_THREAD need. 0 or -ENOMEM. */
int group_sources_name_processes(struct group_sources *sources);

bool group_key_is_of_code(enum group_key key);

/* Returns the value of a sample for a key that is not of code. @tuple: see struct slice. */
struct group_value group_value_of_sample(const struct group_sources *sources, enum group_key key,
					 const struct slice_entry *entry, uint32_t tuple);

struct group_frame {
	uint32_t frame;
	uint32_t symbol;
	uint32_t caller;	/* symbol of the calling frame; ID_SET_NONE: none. Set only if
				 * GROUP_PARENT is a key */
	bool is_leaf;
};

/* Returns the value of a frame for a key of code. @is_of_dso: the node is below that of its DSO,
 * so functions of one name are distinguished. */
struct group_value group_value_of_frame(const struct group_sources *sources, enum group_key key,
					const struct group_frame *frame, bool is_of_dso);

#define GROUP_TEXT_BYTES 512

/* The text of a value. */
struct group_text {
	struct str_id pooled;		/* the text if `own` is empty */
	char own[GROUP_TEXT_BYTES];	/* the text, raw; "": see `pooled` */
	struct str_id dso_path;		/* empty unless the key is of code */
	struct str_id name;		/* see struct group_node */
	uint64_t number;		/* see struct group_node */
	bool has_number;		/* `number` is the name */
	uint64_t address;		/* see struct group_node */
	uint32_t dso;			/* UINT32_MAX: no symbol */
	enum cpu_mode mode;
	bool is_unknown;
};

void group_value_text(const struct group_sources *sources, enum group_key key,
		      struct group_value value, bool is_of_dso, struct group_text *out);

#define GROUP_FOLD_TOP	  0u	/* parent of all roots */
/* Most sums, 40 MB, reached if keys tell nearly every sample apart: then samples of new groups
 * below a root count in the groups above. No limit if the query wants all. */
#define GROUP_FOLD_SUMS	  400000u

/* The sums of one node. */
struct group_sum {
	/* The members used for each frame come first, side by side. */
	uint32_t parent;	/* index, smaller than its own; roots: GROUP_FOLD_TOP */
	uint32_t is_marked;	/* used by group_chains.c */
	struct stats now, base;
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

/* An entry whose frames are not counted yet. */
struct group_sample {
	uint32_t class;
	uint32_t at;		/* trie node of its callers; in group_chains.c that node's place */
	uint32_t frame, symbol;	/* leaf */
	uint32_t next;		/* used by group_chains.c */
	struct load load;
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
	bool is_per_wait;	/* classes differ by kind, state and waker of waits */
	bool is_per_hit;	/* classes differ by keys of `by` */
	const uint32_t *tuples;	/* borrowed, set by the caller for the entries added next: see
				 * struct slice */

	struct group_sum *sums;		/* owned; [GROUP_FOLD_TOP] counts nothing */
	uint32_t count, capacity;
	struct id_set by_path;		/* (parent, value) -> sum */
	struct group_sample *waiting;	/* owned; samples to be counted by group_chains.c */
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
	struct fold_stop stop;	/* set by the caller after group_fold_init() */
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
uint32_t group_fold_requests(const struct group_fold *fold,
			     struct source_request out[SOURCE_REQUESTS_MAX]);

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
/* Returns the result of group_fold_path() for @code if it is cached; else 0. */
static inline uint32_t group_fold_known_path(const struct group_class *class, uint32_t code)
{
	const uint32_t page = code / GROUP_FOLD_PAGE;

	return page < class->page_count && class->reached[page]
	       ? class->reached[page][code % GROUP_FOLD_PAGE] : 0;
}
/* Counts a sample if no key is of code: all frames have one path, if any of them is shown. */
void group_fold_add_whole(struct group_fold *fold, const struct group_sample *sample, bool is_base);
/* Adds @load to the self of @path and of all sums above it. */
void group_fold_add_self(struct group_fold *fold, uint32_t path, const struct load *load,
			 bool is_base);

/* Most nodes in a tree, unless the query wants all (tree_limit_pct < 0): more than anyone opens,
 * and 3 MB a snapshot. */
#define GROUP_NODES_MAX 20000u

/* Nodes made of the sums. */
struct group_builder {
	struct group_tree tree;		/* `nodes` is not set */
	struct group_node *nodes;	/* owned; without text */
	uint32_t *sums;			/* owned; index of each node in group_fold.sums */
};

/* Fills @out. 0 or -ENOMEM; group_builder_finish() is needed in every case. */
int group_arrange(const struct group_fold *fold, struct group_builder *out);
void group_builder_finish(struct group_builder *builder);

/* Formats the text of node @index, with its name, number and DSO path. */
void group_builder_text(const struct group_builder *builder, const struct group_fold *fold,
			uint32_t index, struct group_text *out);

#endif
