/* mappings.h - mappings of processes -> DSOs, whose files are requested. Thread: the analyzer's. */
#ifndef INGEST_MAPPINGS_H
#define INGEST_MAPPINGS_H

#include "ingest/ingest.h"

void mappings_mmap(struct ingest *ingest, const struct event_record *record);
/* Replaces the maps of @process by those in @reply, and inserts later mappings over them. */
void mappings_replace(struct ingest *ingest, struct process *process,
		      const struct process_reply *reply);

#endif
