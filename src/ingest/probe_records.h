/* probe_records.h - records of probes, which have rings and rounds of their own -> hits.
 * Thread: the analyzer's. */
#ifndef INGEST_PROBE_RECORDS_H
#define INGEST_PROBE_RECORDS_H

#include "ingest/ingest.h"

#define PROBE_RECORDS_EVENT PROBE_EVENT_FIRST	/* event number in the reorder stage */

/* Applies @event and takes what it owns. True: counts were dropped, kept windows must start
 * over. */
bool probe_records_event(struct ingest *ingest, struct engine_event *event);
/* Adds one raw record from a probe ring. False: its id is not known, nothing was done. */
bool probe_records_push(struct ingest *ingest, const void *record, size_t size, uint32_t cpu);
void probe_records_apply(struct ingest *ingest, const void *raw, size_t size);	/* in time order */
/* Counts the sample @record of a recording as the hit that it was. False: no probe of the recording
 * is known for its event. */
bool probe_records_take_recorded(struct ingest *ingest, const struct event_record *record,
				 const void *raw, size_t size);
/* Counts the LOST record @record of a recording for its probe. False: it is of no probe. */
bool probe_records_lose_recorded(struct ingest *ingest, const struct event_record *record);
/* Ends the pending calls of the thread of @record, which exited or called exec. */
void probe_records_thread_gone(struct ingest *ingest, const struct event_record *record);
/* Marks the processes that probes are limited to, after tasks were forgotten. */
void probe_records_mark_targets(struct ingest *ingest);

#endif
