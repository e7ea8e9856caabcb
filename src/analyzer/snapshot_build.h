/* snapshot_build.h - a finished fold and the figures around it -> one immutable snapshot. */
#ifndef ANALYZER_SNAPSHOT_BUILD_H
#define ANALYZER_SNAPSHOT_BUILD_H

#include "analyzer/busy.h"
#include "analyzer/task_stats.h"
#include "fold/fold.h"
#include "fold/group_fold.h"
#include "fold/source_lines.h"
#include "fold/tree_fold.h"
#include "probe_draft.h"

/* What rows say besides counts. */
struct row_sources {
	const struct task_stats *tasks;	/* of rows keyed by pid or tid; NULL: absent */
	const struct busy *busy;	/* of rows keyed by CPU alone; NULL: absent */
	uint64_t since_ns, until_ns;	/* the window, for busy */
	bool is_past;			/* what tasks do now has nothing to do with it */
	const struct source_lines *lines;	/* NULL: absent */
	bool raw_names, by_total;	/* as struct query */
	struct tree_fold *tree;		/* summed; NULL: no tree was asked for */
	const struct group_fold *groups;	/* NULL: no tree of groups was asked for */
	const struct fold *base;	/* the baseline's rows, by the same keys; NULL: not
					 * compared */
	const struct probe_draft *probes;	/* NULL: absent */
};

/* Copies @head (its text pointers raw or pool text, copied and sanitized too; its strip) and the
 * rows of @fold into one block. NULL: out of memory. The caller's: snapshot_destroy().
 * Thread: the analyzer's. */
struct snapshot *snapshot_build(const struct snapshot *head, const struct fold *fold,
				const struct row_sources *sources);

#endif
