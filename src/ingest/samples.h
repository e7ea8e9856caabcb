/* samples.h - samples in time order -> entries of the timeline. Thread: the analyzer's. */
#ifndef INGEST_SAMPLES_H
#define INGEST_SAMPLES_H

#include "branches.h"
#include "stacks.h"

struct recent_thread {		/* row tid % TASKS_RECENT */
	uint64_t epoch;		/* valid while it equals ingest->sample_epoch */
	uint64_t until_ns;	/* a later sample of it may need a request to the process reader */
	uint64_t space;		/* space number of its maps, see struct stack_cache */
	uint32_t pid, tid;
	uint32_t task;
	enum attribution attribution;
};

struct samples {
	struct branch_sample last_branches;
	struct recent_thread recent[TASKS_RECENT];
};

/* Counts the sample @record, or keeps it pending. False, only if @can_hold: its stack needs a table
 * that has not arrived; nothing was done, pass it again after that. */
bool samples_add(struct ingest *ingest, const struct event_record *record,
		 const struct sample_form *form, const void *raw, size_t size, bool can_hold);
/* Counts @record, with the bytes @raw, if its task and stack are cached from earlier samples of
 * this epoch. False: nothing was done, pass it to samples_add(). */
bool samples_repeat(struct ingest *ingest, const struct event_record *record, const void *raw);
/* Counts pending samples that are ready or overdue. @force: all. */
void samples_poll(struct ingest *ingest, bool force);

#endif
