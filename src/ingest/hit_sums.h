/* hit_sums.h - what one hit adds to the sums of its group (ingest/hit_groups.h).
 *
 * A hit's values are known when its records are read, its task and its stack when it is counted: in
 * between, while the sample is pending, struct hit_sums has what is to be summed.
 * Thread: the analyzer's.
 */
#ifndef INGEST_HIT_SUMS_H
#define INGEST_HIT_SUMS_H

#include "hit_values.h"
#include "ingest/hit_groups.h"

/* What one aggregate gets. */
struct hit_part {
	uint8_t aggregate;	/* index in the spec */
	uint16_t bucket;	/* HIST, LHIST: the bucket of `value`; else 0 */
	uint32_t top;		/* TOP: id of the value; else HIT_KEY_NONE */
	int64_t value;
};

struct hit_sums {
	bool is_pending;	/* the pending sample owns it */
	uint32_t slot, probe;
	uint32_t keys[PROBE_KEYS_MAX];	/* those of tasks are set when it is counted */
	uint64_t latency_ns;
	uint16_t bucket;	/* latency_bucket(); 0: the hit has no latency */
	uint32_t part_count;
	struct hit_part parts[];
};

/* Returns what @hit, whose values are read and whose addresses are resolved, adds to the sums;
 * NULL: nothing, or no memory, which is counted. */
struct hit_sums *hit_sums_begin(struct ingest *ingest, const struct hit *hit);
/* Frees @sums unless it is pending. NULL is fine. */
void hit_sums_end(struct hit_sums *sums);
/* Adds form->sums (NULL is fine), whose hit was counted as @entry for @thread. */
void hit_sums_count(struct ingest *ingest, const struct sample_form *form,
		    const struct event_record *record, const struct thread *thread,
		    const struct slice_entry *entry);
/* Sets @values[id] of each value that @sums has, and renumbers them. NULL is fine. */
void hit_sums_mark(const struct hit_sums *sums, unsigned char *values);
void hit_sums_renumber(struct hit_sums *sums, const uint32_t *new_value);

#endif
