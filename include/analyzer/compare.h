/* compare.h - the baseline as a query asks for it: what stands beside a window in its snapshot.
 *
 * Use:    if compare_is_wanted(): compare_twins() into the folds of the window, then the baseline's
 *         rows from compare_rows(); trees and probes add its entries themselves.
 * Length: the baseline's counts are as they are, and so are the window's: who shows them divides by
 *         the weights or the lengths of both. In a decaying window the baseline does not decay: it
 *         is a stretch of time that was chosen, and its shares are those seen when it was marked.
 * Thread: the analyzer's.
 */
#ifndef ANALYZER_COMPARE_H
#define ANALYZER_COMPARE_H

#include "analyzer/snapshot.h"
#include "fold/fold.h"
#include "ingest/ingest.h"

struct compare {
	struct ingest *ingest;		/* borrowed */
	struct symbol_twins twins;
	/* The last that was asked for: the baseline stands still, so a refresh folds it anew only
	 * if names have changed. */
	struct fold rows;
	bool has_rows;

	/* What `rows` is of. */
	struct filter filter;
	unsigned int keys;
	uint32_t event, baseline, symbol_count;
	uint64_t names;
};

void compare_init(struct compare *compare, struct ingest *ingest);
void compare_finish(struct compare *compare);
void compare_forget(struct compare *compare);	/* after a compaction: ids have changed */

/* The query wants it, and there is a baseline that has the event. */
bool compare_is_wanted(const struct compare *compare, const struct query *query, uint32_t event);

/* Functions of several builds of a file, as they are known now; NULL: there are none. BORROWED
 * until the next call. */
const struct symbol_twins *compare_twins(struct compare *compare);

/* The baseline's rows by the query's keys and filter. After compare_twins(). NULL: out of memory,
 * or @stop was due. BORROWED until the next call. */
const struct fold *compare_rows(struct compare *compare, const struct query *query,
				uint32_t event, const struct tree_stop *stop);

/* Says in @head that there is a baseline, and, with its rows @base, what they are of. @base NULL:
 * it is not compared with. */
void compare_describe(const struct compare *compare, const struct fold *base,
		      struct snapshot *head);

/* @of_source, and what is to be said of the baseline: one line each. The caller's: free(). NULL:
 * out of memory. */
char *compare_notice(const struct compare *compare, const char *of_source);

#endif
