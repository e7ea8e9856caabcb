/* fold.h - entries of a window -> rows: the only place where counts become a table.
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

/* What a row is keyed by; the parts that are not asked for are 0. */
struct fold_key {
	uint64_t code;		/* symbol, object or name, as the keys say */
	uint64_t address;
	uint32_t comm, pid, tid;
	uint32_t cpu_and_idle;
};

/* A part of the tasks behind a row: one value, or many. */
#define FOLD_NONE  (UINT32_MAX - 1)	/* no sample yet */
#define FOLD_MIXED UINT32_MAX

struct fold_row {
	struct fold_key key;
	uint64_t self_samples, total_samples;
	double self_weight, total_weight;
	uint64_t address;	/* of the frame, with KEY_ADDRESS */
	uint32_t symbol;	/* one of the symbols in the row (the symbol, when keyed by it) */
	uint32_t stamp;		/* the last entry that was added to total */
	uint32_t comm, pid, tid, cpu;	/* of all samples, FOLD_MIXED when they differ */
	uint32_t cgroup;	/* the same; of rows keyed by the symbol alone perhaps FOLD_NONE */
	uint32_t task, tasks;	/* a task with samples here, and how many different ones; tasks 0:
				 * several, not counted (very many tasks) */
	bool is_idle;
};

struct fold {
	struct stack_trie *trie;	/* borrowed, as the next two */
	struct symbol_names *names;
	const struct task_table *tasks;
	const struct symbol_twins *twins;	/* borrowed, set after the init: symbols that are
						 * one; NULL: none */
	unsigned int keys;		/* enum row_key; 0: no rows, the sums alone */
	uint32_t event;
	struct fold_filter filter;	/* owned */

	struct fold_row *rows;		/* owned */
	uint32_t row_count, row_capacity;
	uint64_t samples, idle_samples, unresolved;
	double weight, idle_weight;	/* weight: without idle */
	uint64_t shown_samples;		/* those whose leaf matches the filter, without idle */
	double shown_weight;

	struct id_set by_key;		/* rows, when keyed by other than the symbol */
	uint32_t *by_symbol[2];		/* row of a symbol, busy and idle; when keyed by code */
	uint32_t by_symbol_count;
	struct id_map task_pairs;	/* (row, task) seen, beyond a row's first task */
	uint32_t *same_task;		/* owned; of each task the first that is alike;
					 * ID_MAP_NONE: not asked yet */
	struct id_map by_identity;	/* what makes tasks alike -> the first */
	uint32_t stamp;
	bool is_out_of_memory;		/* rows are missing: the caller must not publish them */
	struct tree_stop stop;		/* the caller's, after the init */
	bool is_stopped;		/* `stop` was due: rows are missing, too */
	uint32_t steps;			/* since it was asked last */
};

/* @filter: BORROWED; with no part in it everything matches. */
void fold_init(struct fold *fold, struct stack_trie *trie, struct symbol_names *names,
	       const struct task_table *tasks, unsigned int keys, uint32_t event,
	       const struct filter *filter);
void fold_finish(struct fold *fold);

/* Adds the entries of one slice, each times @factor (1, or the decay). Walks every stack. */
void fold_add(struct fold *fold, const struct slice_entry *entries, uint32_t count, double factor);

/* The same rows where they are keyed by code: sums the slices per stack, then subtrees of the trie
 * in one pass, instead of walking every stack of every slice. @slices[@count] whole, each times
 * @factors[] of it (NULL: 1). Once per fold, only where fold_can_be_dense(). */
void fold_add_slices_dense(struct fold *fold, const struct slice *slices, const double *factors,
			   uint32_t count);
/* Rows keyed by KEY_OBJECT | KEY_SYMBOL, and a filter that asks for nothing but code; or keyed by
 * one of them, and no filter. */
bool fold_can_be_dense(const struct fold *fold);

/* The row of @key, or NULL: there is none. @key: of a fold with the same keys and twins over the
 * same names. BORROWED. */
const struct fold_row *fold_find_row(const struct fold *fold, const struct fold_key *key);

/* What both ways share. */

/* The symbol that @frame counts for. ID_SET_NONE: out of memory. */
static inline uint32_t fold_symbol_of(const struct fold *fold, uint32_t frame)
{
	return symbol_twins_of(fold->twins,
			       symbol_names_of_frame(fold->names, fold->trie, frame));
}

/* After @steps entries were walked: false when the fold is to end. */
bool fold_goes_on(struct fold *fold, uint32_t steps);

/* What a row is keyed by of the code. KEY_OBJECT | KEY_SYMBOL: the symbol. One of them: what the
 * others of its name, or of its object, share. */
uint64_t fold_code_key(const struct fold *fold, uint32_t symbol);

/* Row of a busy symbol, when rows are keyed by code alone; NULL: out of memory. BORROWED until the
 * next one is asked for. */
struct fold_row *fold_row_of_symbol(struct fold *fold, uint32_t symbol);
/* Adds samples to the row of their leaf, which matches the filter. */
void fold_add_self(struct fold *fold, struct fold_row *row, uint64_t samples, double weight);
/* The first task that is alike: same pid, tid, comm and cgroup. Without memory (noted) @task. */
uint32_t fold_same_task(struct fold *fold, uint32_t task);
/* Adds samples to the sums over the window. */
void fold_count(struct fold *fold, uint64_t samples, double weight, bool is_idle, bool is_named);

/* Samples of the idle task, and of whoever was found in the idle loop. */
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
