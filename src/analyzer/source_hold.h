/* source_hold.h - keeps a finished snapshot back until the source lines of its rows are known, for
 * output that is printed once (batch).
 * Thread: the analyzer's. */
#ifndef ANALYZER_SOURCE_HOLD_H
#define ANALYZER_SOURCE_HOLD_H

#include "analyzer/snapshot.h"
#include "fold/source_lines.h"

struct source_hold {
	struct snapshot *snapshot;	/* owned; NULL: none */
	uint64_t until_ns;		/* when the snapshot is released anyway */
	size_t max_rows;		/* rows printed per event */
	struct source_lines *lines;	/* borrowed */
};

void source_hold_init(struct source_hold *hold, struct source_lines *lines, size_t max_rows);
void source_hold_finish(struct source_hold *hold);

/* Takes ownership of @snapshot and requests the lines of its rows. There must be no other. */
void source_hold_put(struct source_hold *hold, struct snapshot *snapshot, uint64_t now_ns);
/* Returns the snapshot, owned by the caller again, with the lines known, once there are none to
 * wait for or its time is up; NULL: not yet, or none. Call after source_lines_take(), and in
 * time. */
struct snapshot *source_hold_release(struct source_hold *hold, uint64_t now_ns);

#endif
