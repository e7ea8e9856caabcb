/* fold_filter.h - a filter compiled for one fold: which frames of which samples match.
 *
 * Use:    per sample fold_filter_of_sample(), then per frame fold_filter_matches().
 * Thread: the analyzer's.
 */
#ifndef FOLD_FOLD_FILTER_H
#define FOLD_FOLD_FILTER_H

#include "fold/filter.h"
#include "fold/wait_stacks.h"
#include "ingest/symbol_names.h"
#include "ingest/task_table.h"
#include "timeline/timeline.h"

struct fold_filter {
	const struct filter *filter;	/* BORROWED */
	const struct symbol_names *names;	/* BORROWED */
	const struct task_table *tasks;		/* BORROWED */
	const struct wait_stacks *waits;	/* BORROWED, set by the caller after the init; NULL:
						 * no sample is a wait */
	struct filter_text texts[FILTER_PARTS];	/* used by FILTER_TEXT parts */
	uint32_t all;		/* a bit per part; 0: everything matches */
	uint32_t negated;	/* mask of negated parts */
	uint32_t by_task, by_cpu, by_code, by_wait, by_hit;	/* masks of parts that these may
								 * satisfy */
	uint32_t hiding;	/* parts in by_code that hide code: negated, or on a level */

	uint32_t *of_task, *of_symbol;	/* owned caches; mask of parts satisfied; 0: not known
					 * yet */
	uint32_t task_count, symbol_count;
};

/* Compiles @filter. 0; -ENOMEM; -EINVAL: a text that filter_add() would have refused.
 * fold_filter_finish() is needed in every case. */
int fold_filter_init(struct fold_filter *out, const struct filter *filter,
		     const struct symbol_names *names, const struct task_table *tasks);
void fold_filter_finish(struct fold_filter *filter);

/* Returns the mask of parts that the sample satisfies by its task, its CPU, as a wait or as a hit,
 * whatever its code. The value bucket of a hit has bit i if it satisfies the part of FILTER_BY with
 * i such parts before it. */
uint32_t fold_filter_of_sample(struct fold_filter *filter, const struct slice_entry *entry);

/* @of_sample: from fold_filter_of_sample(). False: no frame of such a sample can match. */
static inline bool fold_filter_can_match(const struct fold_filter *filter, uint32_t of_sample)
{
	const uint32_t can = (filter->negated & ~of_sample) |
			     (~filter->negated & (of_sample | filter->by_code));

	return (can & filter->all) == filter->all;
}

/* True if all `hiding` parts hold for code of @symbol. */
bool fold_filter_shows(struct fold_filter *filter, uint32_t symbol);

/* True if all parts hold for code of @symbol in a sample with @of_sample. */
bool fold_filter_matches(struct fold_filter *filter, uint32_t of_sample, uint32_t symbol);

#endif
