/* snapshot_build.h - makes an immutable snapshot from a finished fold and the stats around it. */
#ifndef ANALYZER_SNAPSHOT_BUILD_H
#define ANALYZER_SNAPSHOT_BUILD_H

#include "analyzer/busy.h"
#include "analyzer/task_stats.h"
#include "fold/fold.h"
#include "fold/group_fold.h"
#include "fold/source_lines.h"
#include "fold/tree_fold.h"
#include "probe_draft.h"

/* Sources of the rows' members besides counts, and of trees and probes. */
struct row_sources {
	const struct task_stats *tasks;	/* for rows keyed by pid or tid; NULL: absent */
	const struct busy *busy;	/* for rows keyed by CPU alone; NULL: absent */
	uint64_t since_ns, until_ns;	/* the window, for `busy` */
	bool is_past;			/* a chosen window: leave the present state of tasks out */
	const struct source_lines *lines;	/* NULL: absent */
	bool raw_names, by_total;	/* see struct query */
	struct tree_fold *tree;		/* after tree_fold_sum(); NULL: not requested */
	const struct group_fold *groups;	/* NULL: not requested */
	const struct fold *base;	/* the baseline's rows, by the same keys; NULL: not
					 * compared */
	const struct probe_draft *probes;	/* NULL: absent */
};

/* Copies @head, with its strip and sanitized copies of its (raw or pool) texts, and the rows of
 * @fold into one block. NULL: out of memory. The caller owns it: snapshot_destroy().
 * Thread: the analyzer's. */
struct snapshot *snapshot_build(const struct snapshot *head, const struct fold *fold,
				const struct row_sources *sources);

#endif
