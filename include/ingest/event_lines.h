/* event_lines.h - hits and samples one by one, in time order, until they are printed.
 *
 * Problem: a sample may wait for its process or callers to be read while later ones are counted.
 * Idea:   a line goes into a heap when its sample is counted, and leaves it when nothing older can
 *         come any more.
 * Bounds: live, EVENT_LINES_BYTES; lines beyond it are dropped and counted. In a replay, reading
 *         stops while a batch of lines waits for the reader of the output.
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
	uint64_t order;		/* order of counting, for lines of equal time */
	int64_t latency_ns;	/* < 0: none */
	uint32_t cpu;		/* CPU of its end; UINT32_MAX: unknown */
	bool is_hit;		/* a probe hit, which has no period; else a sample */
	struct slice_entry entry;	/* what it was counted as */
	bool is_counted;	/* the heap owns it */
	bool is_parked;		/* its parked sample owns it */
	uint32_t bytes;		/* size of this allocation */
	uint32_t value_count;
	struct probe_value values[];	/* followed by their texts */
};

struct event_lines {
	bool is_on;		/* lines are printed; false: none are made */
	bool is_bounded;	/* live: lines over EVENT_LINES_BYTES are dropped */
	struct event_line **heap;	/* owned, each line too; the oldest first */
	uint32_t count, capacity;
	size_t bytes;		/* size of all lines, counted or not */
	uint64_t last_order, dropped;
};

void event_lines_finish(struct event_lines *lines);	/* a zeroed struct is fine */

/* Returns a copy of @head with @values[@count], owned by the caller until it is pushed; NULL: no
 * room, counted as dropped. */
struct event_line *event_lines_create(struct event_lines *lines, const struct event_line *head,
				      const struct probe_value *values, uint32_t count);
void event_lines_destroy(struct event_lines *lines, struct event_line *line);	/* NULL is fine */
/* Adds @line, which was counted, and takes ownership; out of memory: it stays the caller's. */
void event_lines_push(struct event_lines *lines, struct event_line *line);
/* The oldest line, if it is older than @limit_ns, else NULL. BORROWED until the next call. */
const struct event_line *event_lines_peek(const struct event_lines *lines, uint64_t limit_ns);
void event_lines_pop(struct event_lines *lines);

#endif
