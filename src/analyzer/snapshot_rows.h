/* snapshot_rows.h - makes the rows of a snapshot from a fold, with their stats in the baseline.
 *
 * Use:    set `fold` and `sources`, snapshot_rows_fill(); then snapshot_rows_join() once the text
 *         has its final address.
 * Thread: the analyzer's.
 */
#ifndef ANALYZER_SNAPSHOT_ROWS_H
#define ANALYZER_SNAPSHOT_ROWS_H

#include "snapshot_build.h"
#include "snapshot_text.h"

/* Offsets of a row's texts in the block, as it may still move. */
struct snapshot_row_text {
	size_t symbol, raw_symbol, object, object_path, build_id, comm, reason, command_line;
	size_t source, source_reason;
	size_t cgroup, unit, container, pod;
};

struct snapshot_rows {
	const struct fold *fold;
	const struct row_sources *sources;
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
