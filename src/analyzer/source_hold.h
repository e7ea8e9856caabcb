/* source_hold.h - keeps a finished snapshot back until the source lines of its rows are there: for
 * output that is printed once (batch).
 * Thread: the analyzer's. */
#ifndef ANALYZER_SOURCE_HOLD_H
#define ANALYZER_SOURCE_HOLD_H

#include "analyzer/snapshot.h"
#include "fold/source_lines.h"

struct source_hold {
	struct snapshot *snapshot;	/* owned; NULL: none */
	uint64_t until_ns;		/* then it goes as it is */
	size_t max_rows;		/* that many of each event's rows are printed */
	struct source_lines *lines;	/* borrowed */
};

void source_hold_init(struct source_hold *hold, struct source_lines *lines, size_t max_rows);
void source_hold_finish(struct source_hold *hold);

/* Takes @snapshot, and asks for the lines of its rows. Only while it holds none. */
void source_hold_put(struct source_hold *hold, struct snapshot *snapshot, uint64_t now_ns);
/* After more was taken, or the time has come: the snapshot, the caller's again, with all that is
 * known; NULL: not yet, or none. */
struct snapshot *source_hold_release(struct source_hold *hold, uint64_t now_ns);

#endif
