/* snapshot_rows.h - makes the rows of a snapshot from a fold, with their stats in the baseline.
 *
 * Use:    set `fold` and `sources`, snapshot_rows_fill(); then snapshot_rows_join() once the text
 *         has its final address.
 * Thread: the analyzer's.
 */
#ifndef ANALYZER_SNAPSHOT_ROWS_H
#define ANALYZER_SNAPSHOT_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include "analyzer/snapshot.h"
#include "base/id_map.h"
#include "busy.h"
#include "fold/fold.h"
#include "fold/groups.h"
#include "fold/source_lines.h"
#include "fold/tree_fold.h"
#include "ingest/ingest.h"
#include "probe_builder.h"
#include "task_stats.h"

/* Collects the text of a snapshot: sanitized copies one after the other, known by their offsets, as
 * the block may still move. */
struct snapshot_text {		/* zeroed: empty; its first text must be "" */
	char *bytes;
	size_t used, capacity;
	struct id_map of_string;	/* str id -> offset */
	struct id_map of_process;	/* pid -> offset of its command line */
	struct id_map of_dso;		/* DSO -> offset of its build-id */
	struct id_map of_event;		/* event -> offset of its name */
	bool is_out_of_memory;
};

/* Adds a sanitized copy of @text (may be NULL) and returns its offset; 0, which is "", without
 * memory. */
size_t snapshot_text_put(struct snapshot_text *block, const char *text);
/* Like snapshot_text_put(), but newlines are kept. */
size_t snapshot_text_put_lines(struct snapshot_text *block, const char *lines);
/* Like snapshot_text_put(), once per string: thousands of rows share few comms and DSOs. */
size_t snapshot_text_put_string(struct snapshot_text *block, const struct strpool *strings,
				struct str_id id);

/* Sources of the rows' members besides counts, and of trees and probes. */
struct row_sources {
	const struct task_stats *tasks;	/* for rows keyed by pid or tid; NULL: absent */
	const struct busy *busy;	/* for rows keyed by CPU alone; NULL: absent */
	uint64_t since_ns, until_ns;	/* the window, for `busy` */
	bool is_past;			/* a chosen window: leave the present state of tasks out */
	const struct source_lines *lines;	/* NULL: absent */
	bool raw_names, by_total, is_relative;	/* see struct query */
	/* Returns the raw name of an event, for KEY_EVENT. */
	const char *(*event_name)(const void *owner, uint32_t event);
	const void *owner;
	struct tree_fold *tree;		/* after tree_fold_sum(); NULL: not requested */
	struct tree_fold *callees;	/* after tree_fold_sum(); NULL: no TREE_BOTH */
	const struct group_fold *groups;	/* NULL: not requested */
	const struct fold *base;	/* the baseline's rows, by the same keys; NULL: not
					 * compared */
	const struct probe_builder *probes;	/* NULL: absent */
};

/* Offsets of a row's texts in the block, as it may still move. */
struct snapshot_row_text {
	size_t event, symbol, raw_symbol, dso, dso_path, build_id, comm, reason, command_line;
	size_t source, source_reason;
	size_t from_symbol, from_dso_path;
	size_t cgroup, unit, container, pod, wait, wait_state, waker;
};

struct snapshot_rows {
	const struct fold *fold;
	const struct row_sources *sources;
	const struct snapshot *head;	/* the snapshot that is built */
	struct snapshot_row *rows;	/* owned */
	struct snapshot_row_text *texts;	/* owned; by row */
	uint32_t count;
	struct snapshot_text block;
};

/* Adds all rows of the fold, rows of processes, and rows that are only in the baseline. 0 or
 * -ENOMEM. */
int snapshot_rows_fill(struct snapshot_rows *list);
/* Sorts the rows into @out, which has room for `count`; @text: final address of their texts. */
void snapshot_rows_join(struct snapshot_rows *list, const char *text, struct snapshot_row *out);
void snapshot_rows_finish(struct snapshot_rows *list);

#endif
