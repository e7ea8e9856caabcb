/* inside.h - samples and waits of a thread while it is inside a call of a latency probe.
 *
 *   entry ----- sample ---- wait ------ sample ---- return, 41 ms
 *                 `----------`------------`----> pending until then, and counted at the return as
 *                                                entries of EVENT_OF_SUMS with HIT_SUM_INSIDE and
 *                                                the bucket of 41 ms
 *
 * Of nested calls of one probe the outermost counts. A latency that joins its ends by fields has no
 * thread: nothing is inside it.
 *
 * Bounds: INSIDE_HELD samples; the oldest have no room then, and are counted in `unheld`.
 * Thread: the analyzer's.
 */
#ifndef INGEST_INSIDE_H
#define INGEST_INSIDE_H

#include "ingest/hit_groups.h"
#include "ingest/ingest.h"
#include "probe_pairs.h"
#include "stacks.h"

/* Notes that the sample or wait @record, counted as @entry, is inside the calls of its thread:
 * those in @calls, as they were at its time; NULL: those pending now. */
void inside_sample(struct ingest *ingest, const struct event_record *record,
		   const struct probe_calls *calls, const struct slice_entry *entry);
/* Counts the samples that wait for call @number of the probe in @slot, which ended at @end_ns. */
void inside_end(struct ingest *ingest, uint32_t slot, uint64_t number, uint64_t end_ns,
		uint64_t latency_ns);

#endif
