/* snapshot_rows.h - a fold's rows with all they say, and beside each what it was in the baseline.
 *
 * Use:    set fold and sources, snapshot_rows_fill(); then snapshot_rows_join() once the text does
 *         not move any more.
 * Thread: the analyzer's.
 */
#ifndef ANALYZER_SNAPSHOT_ROWS_H
#define ANALYZER_SNAPSHOT_ROWS_H

#include "snapshot_build.h"
#include "snapshot_text.h"

/* Offsets while the text still grows; pointers at the end. */
struct snapshot_row_text {
	size_t symbol, raw_symbol, object, object_path, build_id, comm, reason, command_line;
	size_t source, source_reason;
	size_t cgroup, unit, container, pod;
};

struct snapshot_rows {
	const struct fold *fold;
	const struct row_sources *sources;
	struct snapshot_row *rows;	/* owned, as the next */
	struct snapshot_row_text *texts;
	uint32_t count;
	struct snapshot_text block;
};

/* All rows of the fold, those of processes, and those that are in the baseline alone. 0 or
 * -ENOMEM. */
int snapshot_rows_fill(struct snapshot_rows *list);
/* Sorts the rows into @out, which has room for them; their text lies at @text. */
void snapshot_rows_join(struct snapshot_rows *list, const char *text, struct snapshot_row *out);
void snapshot_rows_finish(struct snapshot_rows *list);

#endif
