/* copy_size.h - adapts the size of user stack copies by how many were too small, and detects that
 * there are too many copies where every hit of an event is a sample.
 *
 * Use:    copy_size_begin() with each source, copy_size_observe() with the counts since the last
 *         call; request the size it returns from the source. copy_size_is_too_much() as often as
 *         possible.
 * Thread: any one.
 */
#ifndef ANALYZER_COPY_SIZE_H
#define ANALYZER_COPY_SIZE_H

#include <stdbool.h>
#include <stdint.h>

#include "timeline/timeline.h"

struct copy_size {
	uint32_t bytes;		/* present size; 0: nothing to adapt */
	uint32_t first_bytes;	/* initial size, which is also the minimum */
	uint32_t tried_bytes;	/* size of the last reduction */
	uint64_t stacks, outgrown;	/* see struct stack_counts; since judged_ns */
	uint64_t judged_ns;
	uint64_t calm_since_ns;	/* since then under 1 % were outgrown */
	uint64_t calm_ns;	/* how long it must be calm before a smaller size is tried */
	uint64_t quiet_until_ns;	/* no request before: one was made, which may bring another
					 * source, or nothing */
	uint64_t quiet_ns;	/* pause after the next request */
	uint64_t hits_first, lost_first;	/* struct copied_hits when the source began */
	uint64_t second_first;	/* copied_hits.count when the second began */
	uint64_t second;	/* copied_hits.second; UINT64_MAX: no call for this source yet */
	uint64_t hits_hz;	/* copied hits of the second before */
	uint64_t hits_quiet_until_ns;	/* copy_size_is_too_much() is false until then */
};

/* The load by stack copies of period-1 events. `count` and `lost` count since start. */
struct copied_hits {
	uint64_t count;		/* samples with a stack copy of events that sample every hit */
	uint64_t lost;		/* lost records of all events */
	uint64_t second;	/* a number that changes with each second of the records' time */
};

/* Begins a source with copies of @bytes; 0: it has none, or their size must not be changed. */
void copy_size_begin(struct copy_size *size, uint32_t bytes, uint64_t now_ns);

/* Returns the size to request from the source; 0: keep the present one. */
uint32_t copy_size_observe(struct copy_size *size, const struct stack_counts *counts,
			   uint64_t now_ns);

/* True when the stacks of hits should not be copied any longer: more than CALL_GRAPH_COPY_MAX_HITS
 * or CALL_GRAPH_COPY_MAX_RATE bytes came in a second, or records were lost. After true, returns
 * false for 30 s or until the source changes. */
bool copy_size_is_too_much(struct copy_size *size, const struct copied_hits *hits,
			   uint64_t now_ns);

#endif
