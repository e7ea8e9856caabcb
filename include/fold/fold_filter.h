/* fold_filter.h - a filter made ready for one fold: which frames of which samples it leaves.
 *
 * Use:    per sample fold_filter_of_sample(), then per frame fold_filter_matches().
 * Thread: the analyzer's.
 */
#ifndef FOLD_FOLD_FILTER_H
#define FOLD_FOLD_FILTER_H

#include "fold/filter.h"
#include "fold/filter_text.h"
#include "ingest/symbol_names.h"
#include "ingest/task_table.h"
#include "timeline/timeline.h"

struct fold_filter {
	const struct filter *filter;	/* BORROWED, as the next two */
	const struct symbol_names *names;
	const struct task_table *tasks;
	struct filter_text texts[FILTER_PARTS];	/* of the FILTER_TEXT parts */
	uint32_t all;		/* a bit per part; 0: everything matches */
	uint32_t negated;
	uint32_t by_task, by_cpu, by_code;	/* the parts that these may satisfy */
	uint32_t hiding;	/* those by_code that take code away: negated, or of a level */

	uint32_t *of_task, *of_symbol;	/* owned; parts satisfied, once asked for */
	uint32_t task_count, symbol_count;
};

/* 0; -ENOMEM; -EINVAL: a text that filter_add() would have refused. fold_filter_finish() is needed
 * in every case. */
int fold_filter_init(struct fold_filter *out, const struct filter *filter,
		     const struct symbol_names *names, const struct task_table *tasks);
void fold_filter_finish(struct fold_filter *filter);

/* The parts that the sample satisfies by its task or its CPU, whatever code it is in. */
uint32_t fold_filter_of_sample(struct fold_filter *filter, const struct slice_entry *entry);

/* False: no frame of such a sample matches. */
static inline bool fold_filter_can_match(const struct fold_filter *filter, uint32_t of_sample)
{
	const uint32_t can = (filter->negated & ~of_sample) |
			     (~filter->negated & (of_sample | filter->by_code));

	return (can & filter->all) == filter->all;
}

/* False: one of the hiding parts does not hold for code of @symbol. */
bool fold_filter_shows(struct fold_filter *filter, uint32_t symbol);

/* Do all parts hold for code of @symbol in such a sample? */
bool fold_filter_matches(struct fold_filter *filter, uint32_t of_sample, uint32_t symbol);

#endif
