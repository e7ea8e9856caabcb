/* copy_size.h - how large the copies of user stacks should be, judged by how many were too small,
 * and whether they are too many where every hit of an event is a sample.
 *
 * Use:    copy_size_begin() with each source, copy_size_observe() with what was counted since the
 *         last call; what it returns is to be asked of the source. copy_size_is_too_much() as often
 *         as may be.
 * Thread: any one.
 */
#ifndef INGEST_COPY_SIZE_H
#define INGEST_COPY_SIZE_H

#include <stdbool.h>
#include <stdint.h>

#include "timeline/timeline.h"

struct copy_size {
	uint32_t bytes;		/* in force; 0: nothing to adapt */
	uint32_t first_bytes;	/* it is never less than at first */
	uint32_t tried_bytes;	/* what was lowered to last */
	uint64_t stacks, outgrown;	/* as of struct stack_counts; since judged_ns */
	uint64_t judged_ns;
	uint64_t calm_since_ns;	/* hardly any were outgrown since */
	uint64_t calm_ns;	/* so long must it be calm before less is tried */
	uint64_t quiet_until_ns;	/* asked: the answer is another source, or none */
	uint64_t quiet_ns;
	uint64_t hits_first, lost_first;	/* struct copied_hits when the source began */
	uint64_t second_first;	/* copied_hits.count when the second began */
	uint64_t second;	/* copied_hits.second; UINT64_MAX: nothing was seen of the source */
	uint64_t hits_hz;	/* copied hits of the second before it */
	uint64_t hits_quiet_until_ns;	/* as quiet_until_ns, after copy_size_is_too_much() */
};

/* What copies of period-1 events cost. `count` and `lost` count since start. */
struct copied_hits {
	uint64_t count;		/* samples with a stack copy of events that sample every hit */
	uint64_t lost;		/* records of all events */
	uint64_t second;	/* another number in each second of the records' time */
};

/* A source samples with copies of @bytes from now on; 0: they can't be, or must not be changed. */
void copy_size_begin(struct copy_size *size, uint32_t bytes, uint64_t now_ns);

/* Returns the size that is wished for, 0: the present one. */
uint32_t copy_size_observe(struct copy_size *size, const struct stack_counts *counts,
			   uint64_t now_ns);

/* True when the stacks of hits should not be copied any longer: more than CALL_GRAPH_COPY_MAX_HITS
 * or CALL_GRAPH_COPY_MAX_RATE bytes came in a second, or some were lost. Says it again after 30 s
 * if the source does not change. */
bool copy_size_is_too_much(struct copy_size *size, const struct copied_hits *hits,
			   uint64_t now_ns);

#endif
