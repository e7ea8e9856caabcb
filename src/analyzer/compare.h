/* compare.h - folds the baseline by a query, for comparison with a window in its snapshot.
 *
 * Use:    if compare_is_wanted(): pass compare_pairs() to the folds of the window, then get the
 *         baseline's rows from compare_rows(); trees and probes add its entries themselves.
 * Length: counts of baseline and window are not scaled: the display divides by the weights or the
 *         lengths of both. In a decaying window the baseline does not decay: it is a chosen stretch
 *         of time, and its shares stay as they were when it was marked.
 * Thread: the analyzer's.
 */
#ifndef ANALYZER_COMPARE_H
#define ANALYZER_COMPARE_H

#include "analyzer/snapshot.h"
#include "fold/fold.h"
#include "ingest/ingest.h"

struct compare {
	struct ingest *ingest;		/* borrowed */
	struct symbol_pairs pairs;
	/* Cache of the last baseline rows: the baseline does not change, so a refresh folds it
	 * again only if names have changed. */
	struct fold rows;
	bool has_rows;

	/* What `rows` was made from. */
	struct filter filter;
	unsigned int keys;
	uint32_t event, baseline, symbol_count;
	bool raw_waits;
	enum inside_calls inside;
	uint32_t inside_probe;
	unsigned int hit_weight;
	uint64_t hit_group;
	uint64_t names;
};

void compare_init(struct compare *compare, struct ingest *ingest);
void compare_finish(struct compare *compare);
void compare_forget(struct compare *compare);	/* call after a compaction: ids have changed */

/* True if the query compares and there is a baseline that has the event, or with KEY_EVENT any. */
bool compare_is_wanted(const struct compare *compare, const struct query *query, uint32_t event);

/* Pairs the functions of different builds of a file, as known now; NULL: there are none. BORROWED
 * until the next call. */
const struct symbol_pairs *compare_pairs(struct compare *compare);

/* Folds @base, the entries of the baseline as they are shown, into rows by @keys, the query's
 * filter and @waits. Call compare_pairs() before. NULL: out of memory, or @stop was due. BORROWED
 * until the next call. */
const struct fold *compare_rows(struct compare *compare, const struct query *query,
				unsigned int keys, uint32_t event,
				const struct wait_stacks *waits, struct slice base,
				const struct fold_stop *stop);

/* Describes the baseline in @head, with the totals of its rows @base. @base NULL: not compared. */
void compare_describe(const struct compare *compare, const struct fold *base,
		      struct snapshot *head);

/* Joins @of_source (may be NULL) and the baseline's notice, one line each. The caller must free()
 * it. NULL: out of memory. */
char *compare_notice(const struct compare *compare, const char *of_source);

#endif
