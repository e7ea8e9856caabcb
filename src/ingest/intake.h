/* intake.h - what the intake of records knows of time. See ingest/ingest.h.
 * Thread: the analyzer's. */
#ifndef INGEST_INTAKE_H
#define INGEST_INTAKE_H

#include "ingest/ingest.h"
#include "ingest/reorder.h"

struct intake {
	uint64_t limit_ns;	/* limit of the last round, probe rings excluded */
	uint64_t begin_ns;	/* begin of this source; records up to it are dropped */
	uint64_t waiting_limit_ns;	/* limit of the release that has_waiting interrupted */
	uint64_t held_epoch;	/* tables_epoch when it was interrupted */
	struct read_growth growth;	/* live: counters that are read with samples */
	uint64_t sample[(UINT16_MAX + 1) / sizeof(uint64_t)];	/* one, see push_reads() */
};

/* Notes everything in `config` that parts depend on; call it after it has changed. */
void intake_look_at_config(struct ingest *ingest);
/* The sink of the reorder stage; @context: the struct ingest. Applies or counts a record. */
reorder_sink intake_sink;
void intake_take_reply(struct ingest *ingest, const struct process_reply *reply);

#endif
