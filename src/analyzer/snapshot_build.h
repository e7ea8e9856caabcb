/* snapshot_build.h - makes an immutable snapshot from a finished fold and the stats around it. */
#ifndef ANALYZER_SNAPSHOT_BUILD_H
#define ANALYZER_SNAPSHOT_BUILD_H

#include "snapshot_rows.h"

/* Copies @head, with its activity graph and sanitized copies of its (raw or pool) texts, and the
 * rows of @fold into one block. NULL: out of memory. The caller owns it: snapshot_destroy().
 * Thread: the analyzer's. */
struct snapshot *snapshot_build(const struct snapshot *head, const struct fold *fold,
				const struct row_sources *sources);

/* Gives the rows and nodes of @snapshot their loads in each event: `by_event`. @parts[event]: a
 * snapshot of that event, of the same window, keys and filter, without a limit for its trees; it is
 * only read. 0 or -ENOMEM: then nothing has changed. */
int snapshot_build_join_events(struct snapshot *snapshot, const struct snapshot *const *parts);
/* Does the same for each snapshot of a chain, which are of all events. Rows of two builds of a DSO
 * find each other only where both events are compared. */
int snapshot_build_join_chain(struct snapshot *first);

#endif
