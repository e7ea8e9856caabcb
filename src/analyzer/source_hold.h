/* source_hold.h - waits for source lines and listings, for output that is printed once (batch): a
 * finished snapshot for those of its rows, and for its listing's document.
 * Thread: the analyzer's. */
#ifndef ANALYZER_SOURCE_HOLD_H
#define ANALYZER_SOURCE_HOLD_H

#include "analyzer/snapshot.h"
#include "fold/source_lines.h"
#include "publisher.h"

struct source_hold {
	struct snapshot *snapshot;	/* owned; NULL: none */
	uint64_t until_ns;		/* when the snapshot is released anyway */
	size_t max_rows;		/* rows printed per event */
	struct source_lines *lines;	/* borrowed, like the listings */
	struct listing_builder *listings;
};

/* @listings NULL: snapshots have none. */
void source_hold_init(struct source_hold *hold, struct source_lines *lines,
		      struct listing_builder *listings, size_t max_rows);
void source_hold_finish(struct source_hold *hold);

/* Takes ownership of @snapshot and requests the lines of its rows. One that is held is destroyed;
 * its `folded` becomes that of @snapshot, unless that has its own. */
void source_hold_put(struct source_hold *hold, struct snapshot *snapshot, uint64_t now_ns);
/* Returns whether the snapshot waits for something. */
bool source_hold_must_wait(const struct source_hold *hold);
/* Returns the snapshot, owned by the caller again, with the lines known, once there are none to
 * wait for or its time is up; NULL: not yet, or none. Call after source_lines_take(), and in
 * time. */
struct snapshot *source_hold_release(struct source_hold *hold, uint64_t now_ns);

/* Delays a refresh until the source lines that key its groups are known, as new lines make new
 * groups. */
struct line_wait {
	uint64_t until_ns;	/* when the refresh is made anyway; 0: none waits */
};

/* True if a refresh that is due must wait. Requests lines that are not known yet. */
bool line_wait_must(struct line_wait *wait, struct publisher *publisher, uint64_t now_ns);

#endif
