/* fold.h - sums the entries of a window into rows: the only place where counts become a table.
 *
 * Use:    fold_init(), fold_add() for every array of entries of the window, fold_finish() when the
 *         rows were read.
 * Rules:  self: the leaf's row gets every sample. total: every row with a frame on the stack gets
 *         the sample once, however often it recurs. Idle samples get rows of their own.
 *         A filter leaves out frames that do not match: self if the leaf matches, total for each
 *         row with a frame that matches. The sums over the window stay those of all samples.
 *         KEY_EVENT: the rows are of all events, the sums of the fold's event alone.
 * Thread: the analyzer's.
 */
#ifndef FOLD_FOLD_H
#define FOLD_FOLD_H

#include "fold/fold_filter.h"
#include "fold/query.h"
#include "fold/wait_stacks.h"
#include "ingest/symbol_names.h"
#include "ingest/task_table.h"
#include "timeline/timeline.h"

/* Pairs the symbols of one function in two builds of its file, for a comparison.
 *
 *   A was /bin/app of yesterday        B is /bin/app of today       row, while they are compared
 *   f at 0x1100 of DSO 12           f at 0x1180 of DSO 31     f of DSO 31
 *
 * Paired symbols share name, path and level, and are in different DSOs. A name that a file has
 * twice is not paired, as which is which would be a guess. But code made at run time is compiled
 * again and again: there all symbols of one name count as one.
 *
 * Thread: the analyzer's.
 */

struct symbol_pairs {
	uint32_t *of;		/* owned; symbol -> symbol that it counts for: often itself, else
				 * its counterpart in the newest DSO */
	uint32_t *of_dso;	/* owned; DSO -> newest DSO with its path and level */
	uint32_t count, dso_count;
};

/* Pairs all symbols that are known now; `count` is 0 if there can be no pairs. 0, or -ENOMEM: then
 * there are no pairs, either. */
int symbol_pairs_find(struct symbol_pairs *pairs, const struct symbol_names *names);
void symbol_pairs_finish(struct symbol_pairs *pairs);

/* Returns the symbol that @symbol counts for; with @pairs NULL itself. */
static inline uint32_t symbol_pairs_of(const struct symbol_pairs *pairs, uint32_t symbol)
{
	return pairs && symbol < pairs->count ? pairs->of[symbol] : symbol;
}

/* Returns the DSO that @dso counts for; with @pairs NULL itself. */
static inline uint32_t symbol_pairs_dso(const struct symbol_pairs *pairs, uint32_t dso)
{
	return pairs && dso < pairs->dso_count ? pairs->of_dso[dso] : dso;
}

/* The key of a row; 0 where a part is not among the keys. */
struct fold_key {
	uint64_t code;		/* fold_code_key(): symbol, DSO or name */
	uint64_t address;
	uint64_t from, from_dso;	/* address, and DSO, plus 1; 0: no caller */
	uint32_t comm, pid, tid;
	uint32_t cpu_and_idle;
	uint64_t event;		/* its number; 64 bits leave no padding, as keys are compared by
				 * memcmp(3) */
};

/* The sums of one event, without idle: 100 % of the shares of its rows. */
struct fold_whole {
	double weight, shown_weight;
};

/* Values of comm, pid, tid, cpu and cgroup in a row when its samples don't share one. */
#define FOLD_NONE  (UINT32_MAX - 1)	/* no sample yet */
#define FOLD_MIXED UINT32_MAX		/* the samples differ */

struct fold_row {
	struct fold_key key;
	struct stats stats;
	uint64_t address;	/* KEY_ADDRESS: address of the frame */
	uint32_t symbol;	/* one of the symbols in the row (the symbol, when keyed by it) */
	uint32_t from_symbol;	/* KEY_FROM: symbol that `from` is in; ID_SET_NONE: no caller */
	double predicted, mispredicted;	/* KEY_FROM: weight of the branches that were so */
	uint32_t stamp;		/* number of the last entry added to total */
	uint32_t comm, pid, tid, cpu;	/* shared by all samples, or FOLD_MIXED */
	uint32_t cgroup;	/* shared by all samples, or FOLD_MIXED; may be FOLD_NONE in rows
				 * keyed by the symbol alone */
	uint32_t task, tasks;	/* a task with samples here; number of different ones, 0: several,
				 * too many to count */
	uint32_t waker;		/* waits: shared by all that have one, 0, or FOLD_MIXED */
	uint16_t wait_kinds;	/* waits: a bit per enum wait_kind; else 0 */
	uint16_t self_wait_kinds;	/* those of its own waits; 0: it has none */
	uint8_t wait_states;	/* waits: a bit per enum wait_state; else 0 */
	bool is_idle;
};

struct fold {
	struct stack_trie *trie;	/* borrowed */
	struct symbol_names *names;	/* borrowed */
	const struct task_table *tasks;	/* borrowed */
	const struct symbol_pairs *pairs;	/* borrowed, set by the caller after fold_init():
						 * symbols to count as one; NULL: none */
	const struct wait_stacks *waits;	/* borrowed: fold_set_waits() */
	unsigned int keys;		/* enum row_key bits; 0: only the sums, no rows */
	uint32_t event;
	struct fold_filter filter;	/* owned */

	struct fold_row *rows;		/* owned */
	uint32_t row_count, row_capacity;
	struct fold_whole *wholes;	/* owned; KEY_EVENT: by event; else NULL */
	uint64_t samples, idle_samples, unresolved;
	double weight, idle_weight;	/* weight: without idle */
	uint64_t shown_samples;		/* samples whose leaf matches the filter, without idle */
	double shown_weight;

	struct id_set by_key;		/* key -> row, unless keyed by the symbol */
	uint32_t *by_symbol[2];		/* symbol -> busy row, idle row; if keyed by code alone */
	uint32_t by_symbol_count;
	struct id_map task_pairs;	/* (row, task) seen, beyond a row's first task */
	uint32_t *same_task;		/* owned; cache of fold_same_task(), by task; ID_MAP_NONE:
					 * not known yet */
	struct id_map by_identity;	/* hash of (pid, tid, comm, cgroup) -> first such task */
	uint32_t stamp;
	bool is_out_of_memory;		/* rows are missing: the caller must not publish them */
	struct fold_stop stop;		/* set by the caller after fold_init() */
	bool is_stopped;		/* `stop` was due: rows are missing, too */
	uint32_t steps;			/* since `stop` was last checked */
};

/* @filter: BORROWED; without parts it matches everything. */
void fold_init(struct fold *fold, struct stack_trie *trie, struct symbol_names *names,
	       const struct task_table *tasks, unsigned int keys, uint32_t event,
	       const struct filter *filter);
void fold_finish(struct fold *fold);
/* Sets the stacks of waits (BORROWED), if the event counts waits; NULL: it does not. */
void fold_set_waits(struct fold *fold, const struct wait_stacks *waits);

/* Adds the entries of one slice, each times @factor (1, or the decay). Walks every stack. */
void fold_add(struct fold *fold, const struct slice_entry *entries, uint32_t count, double factor);

/* Makes the same rows as fold_add() faster, if fold_can_be_dense(): sums the slices per stack, then
 * subtrees of the trie in one pass, instead of walking every stack of every slice. Adds whole
 * @slices[@count], each times its @factors[] (NULL: 1). Call once per fold. */
void fold_add_slices_dense(struct fold *fold, const struct slice *slices, const double *factors,
			   uint32_t count);
/* True for rows keyed by KEY_DSO | KEY_SYMBOL with a filter on code alone, or keyed by one of
 * these without a filter; false for waits. */
bool fold_can_be_dense(const struct fold *fold);

/* Returns the row of @key (BORROWED), or NULL. @key may be from another fold with the same keys,
 * pairs and names. */
const struct fold_row *fold_find_row(const struct fold *fold, const struct fold_key *key);

/* For fold.c and fold_dense.c. */

/* Returns the symbol that @frame counts for. ID_SET_NONE: out of memory. */
static inline uint32_t fold_symbol_of(const struct fold *fold, uint32_t frame)
{
	return symbol_pairs_of(fold->pairs,
			       symbol_names_of_frame(fold->names, fold->trie, frame));
}

/* Checks `stop` now and then; call after each @steps entries. False: end the fold. */
bool fold_goes_on(struct fold *fold, uint32_t steps);

/* Returns fold_key.code for @symbol. KEY_DSO | KEY_SYMBOL: the symbol. Only one of these: a
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

struct fold_group {
	struct fold_row sum;	/* keyed by pid and idle; tid is FOLD_MIXED; tasks: threads with
				 * samples */
	bool has_own_comm;	/* comm is the main thread's; else shared by all threads, or
				 * FOLD_MIXED */
};

/* True if @keys give one row per thread and, in addition, a row per process. */
bool fold_is_grouped(unsigned int keys);

/* Sums the rows of a grouped fold by process, and idle ones separately. *@out: the caller must
 * free() it. 0 or -ENOMEM. */
int fold_groups(const struct fold *fold, struct fold_group **out, uint32_t *count);

#endif
