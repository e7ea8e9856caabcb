/* fold.h - sums the entries of a window into rows: the only place where counts become a table.
 *
 * Use:    fold_init(), fold_add() for every array of entries of the window, fold_finish() when the
 *         rows were read.
 * Rules:  self: the leaf's row gets every sample. total: every row with a frame on the stack gets
 *         the sample once, however often it recurs. Idle samples get rows of their own.
 *         A filter leaves out frames that do not match: self if the leaf matches, total for each
 *         row with a frame that matches. The sums over the window stay those of all samples.
 * Thread: the analyzer's.
 */
#ifndef FOLD_FOLD_H
#define FOLD_FOLD_H

#include "fold/fold_filter.h"
#include "fold/query.h"
#include "fold/symbol_twins.h"
#include "fold/tree_stop.h"
#include "ingest/symbol_names.h"
#include "ingest/task_table.h"
#include "timeline/timeline.h"

/* The key of a row; 0 where a part is not among the keys. */
struct fold_key {
	uint64_t code;		/* fold_code_key(): symbol, DSO or name */
	uint64_t address;
	uint32_t comm, pid, tid;
	uint32_t cpu_and_idle;
};

/* Values of comm, pid, tid, cpu and cgroup in a row when its samples don't share one. */
#define FOLD_NONE  (UINT32_MAX - 1)	/* no sample yet */
#define FOLD_MIXED UINT32_MAX		/* the samples differ */

struct fold_row {
	struct fold_key key;
	uint64_t self_samples, total_samples;
	double self_weight, total_weight;
	uint64_t address;	/* KEY_ADDRESS: address of the frame */
	uint32_t symbol;	/* one of the symbols in the row (the symbol, when keyed by it) */
	uint32_t stamp;		/* number of the last entry added to total */
	uint32_t comm, pid, tid, cpu;	/* shared by all samples, or FOLD_MIXED */
	uint32_t cgroup;	/* shared by all samples, or FOLD_MIXED; may be FOLD_NONE in rows
				 * keyed by the symbol alone */
	uint32_t task, tasks;	/* a task with samples here; number of different ones, 0: several,
				 * too many to count */
	bool is_idle;
};

struct fold {
	struct stack_trie *trie;	/* borrowed */
	struct symbol_names *names;	/* borrowed */
	const struct task_table *tasks;	/* borrowed */
	const struct symbol_twins *twins;	/* borrowed, set by the caller after fold_init():
						 * symbols to count as one; NULL: none */
	unsigned int keys;		/* enum row_key bits; 0: only the sums, no rows */
	uint32_t event;
	struct fold_filter filter;	/* owned */

	struct fold_row *rows;		/* owned */
	uint32_t row_count, row_capacity;
	uint64_t samples, idle_samples, unresolved;
	double weight, idle_weight;	/* weight: without idle */
	uint64_t shown_samples;		/* samples whose leaf matches the filter, without idle */
	double shown_weight;

	struct id_set by_key;		/* key -> row, unless keyed by the symbol */
	uint32_t *by_symbol[2];		/* symbol -> busy row, idle row; if keyed by code alone */
	uint32_t by_symbol_count;
	struct id_map task_pairs;	/* (row, task) seen, beyond a row's first task */
	uint32_t *same_task;		/* owned; memo of fold_same_task(), by task; ID_MAP_NONE:
					 * not known yet */
	struct id_map by_identity;	/* hash of (pid, tid, comm, cgroup) -> first such task */
	uint32_t stamp;
	bool is_out_of_memory;		/* rows are missing: the caller must not publish them */
	struct tree_stop stop;		/* set by the caller after fold_init() */
	bool is_stopped;		/* `stop` was due: rows are missing, too */
	uint32_t steps;			/* since `stop` was last checked */
};

/* @filter: BORROWED; without parts it matches everything. */
void fold_init(struct fold *fold, struct stack_trie *trie, struct symbol_names *names,
	       const struct task_table *tasks, unsigned int keys, uint32_t event,
	       const struct filter *filter);
void fold_finish(struct fold *fold);

/* Adds the entries of one slice, each times @factor (1, or the decay). Walks every stack. */
void fold_add(struct fold *fold, const struct slice_entry *entries, uint32_t count, double factor);

/* Makes the same rows as fold_add() faster, if fold_can_be_dense(): sums the slices per stack, then
 * subtrees of the trie in one pass, instead of walking every stack of every slice. Adds whole
 * @slices[@count], each times its @factors[] (NULL: 1). Call once per fold. */
void fold_add_slices_dense(struct fold *fold, const struct slice *slices, const double *factors,
			   uint32_t count);
/* True for rows keyed by KEY_OBJECT | KEY_SYMBOL with a filter on code alone, or keyed by one of
 * these without a filter. */
bool fold_can_be_dense(const struct fold *fold);

/* Returns the row of @key (BORROWED), or NULL. @key may be from another fold with the same keys,
 * twins and names. */
const struct fold_row *fold_find_row(const struct fold *fold, const struct fold_key *key);

/* For fold.c and fold_dense.c. */

/* Returns the symbol that @frame counts for. ID_SET_NONE: out of memory. */
static inline uint32_t fold_symbol_of(const struct fold *fold, uint32_t frame)
{
	return symbol_twins_of(fold->twins,
			       symbol_names_of_frame(fold->names, fold->trie, frame));
}

/* Checks `stop` now and then; call after each @steps entries. False: end the fold. */
bool fold_goes_on(struct fold *fold, uint32_t steps);

/* Returns fold_key.code for @symbol. KEY_OBJECT | KEY_SYMBOL: the symbol. Only one of these: a
 * value shared by all symbols of the same DSO or name. */
uint64_t fold_code_key(const struct fold *fold, uint32_t symbol);

/* Returns the row of a busy symbol, when rows are keyed by code alone; NULL: out of memory.
 * BORROWED until the next call. */
struct fold_row *fold_row_of_symbol(struct fold *fold, uint32_t symbol);
/* Adds samples to the row of their leaf, which matches the filter. */
void fold_add_self(struct fold *fold, struct fold_row *row, uint64_t samples, double weight);
/* Returns the first task with the pid, tid, comm and cgroup of @task, or @task itself if out of
 * memory (noted). */
uint32_t fold_same_task(struct fold *fold, uint32_t task);
/* Adds samples to the sums over the window. */
void fold_count(struct fold *fold, uint64_t samples, double weight, bool is_idle, bool is_named);

/* True for samples of the idle task, and of any task in the idle loop. */
static inline bool fold_is_idle(const struct symbol_names *names, const struct task *task,
				uint32_t leaf_symbol)
{
	return (!task->pid && !task->tid) || names->symbols[leaf_symbol].is_idle;
}

static inline uint32_t fold_merge(uint32_t part, uint32_t value)
{
	return part == FOLD_NONE || part == value ? value : FOLD_MIXED;
}

#endif
