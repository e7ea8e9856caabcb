/* event_lines.h - hits and samples one by one, in time order, until they are printed.
 *
 * Problem: a sample may wait for its process, or for callers, while later ones are counted.
 * Idea:   a line goes into a heap when its sample is counted, and leaves it when nothing older can
 *         come any more.
 * Bounds: live, EVENT_LINES_BYTES; what has no room is dropped and counted. A recording is not read
 *         on while a batch of lines waits for the reader of the output.
 * Thread: the analyzer's.
 */
#ifndef INGEST_EVENT_LINES_H
#define INGEST_EVENT_LINES_H

#include "probe/probe_condition.h"
#include "timeline/timeline.h"

#define EVENT_LINES_BYTES (3u * 1024 * 1024)
#define EVENT_LINES_BATCH 2048	/* lines of one snapshot, at most */

struct event_line {
	uint64_t time_ns;
	uint64_t order;		/* among lines of the same time: as they were counted */
	int64_t latency_ns;	/* < 0: none */
	uint32_t cpu;		/* where it ended; UINT32_MAX: unknown */
	bool is_hit;		/* a probe hit, which has no period; else a sample */
	struct slice_entry entry;	/* as which it was counted */
	bool is_counted;	/* the heap owns it */
	bool is_parked;		/* its parked sample owns it */
	uint32_t bytes;		/* size of this allocation */
	uint32_t value_count;
	struct probe_value values[];	/* their texts are behind them */
};

struct event_lines {
	bool is_on;		/* somebody prints them */
	bool is_bounded;	/* live: what has no room is dropped */
	struct event_line **heap;	/* owned, each line too; the oldest first */
	uint32_t count, capacity;
	size_t bytes;		/* size of all lines, counted or not */
	uint64_t last_order, dropped;
};

void event_lines_finish(struct event_lines *lines);	/* a zeroed struct is fine */

/* A copy of @head with @values[@count]. The caller's, until it is pushed; NULL: no room, counted as
 * dropped. */
struct event_line *event_lines_create(struct event_lines *lines, const struct event_line *head,
				      const struct probe_value *values, uint32_t count);
void event_lines_destroy(struct event_lines *lines, struct event_line *line);	/* NULL is fine */
/* @line was counted; from now on it is owned here. Without memory for it: it stays the caller's. */
void event_lines_push(struct event_lines *lines, struct event_line *line);
/* The oldest, if it is older than @limit_ns, else NULL. BORROWED until the next call. */
const struct event_line *event_lines_peek(const struct event_lines *lines, uint64_t limit_ns);
void event_lines_pop(struct event_lines *lines);

#endif
