/* branches.h - the branches that the CPU recorded beside samples -> entries of the timeline.
 * Thread: the analyzer's. */
#ifndef INGEST_BRANCHES_H
#define INGEST_BRANCHES_H

#include "stacks.h"
#include "timeline/timeline.h"

struct branch_sample {		/* the last sample whose branches were counted; at first zeroed */
	uint64_t time_ns;
	uint32_t tid, cpu;
};

/* True if the samples of @format have branches that were taken. Calls that have not returned
 * (PERF_SAMPLE_BRANCH_CALL_STACK) are callers instead: see stacks.c. */
bool branches_are_in(const struct record_format *format);

/* Counts the branches of a sample, which was counted as @sample. @last is the caller's, for all
 * samples. */
void branches_count(struct ingest *ingest, const struct event_record *record,
		    const struct sample_origin *origin, const struct slice_entry *sample,
		    struct branch_sample *last);

#endif
