/* hit_values.h - values of a probe's hit: read, compared with its condition, counted, logged.
 * Thread: the analyzer's. */
#ifndef INGEST_HIT_VALUES_H
#define INGEST_HIT_VALUES_H

#include "stacks.h"

/* A hit while it is decoded and counted. */
struct hit {
	struct probe_row *row;
	uint32_t slot;
	const struct probe_reading *reading;
	const struct probe_stream *begin_stream, *end_stream;
	const struct event_record *begin;	/* gives task and stack */
	const struct event_record *end;		/* gives the time; often equal to begin */
	const void *raw;			/* record of begin */
	size_t size;
	int64_t latency_ns;			/* < 0: none */
	const uint64_t *passed_ns;		/* times of the points between the first and the
						 * last; NULL: none */
	const struct thread *thread;		/* NULL: not known */
	struct probe_value values[PROBE_VALUES_MAX];
};

/* Storage for texts formatted from a hit's values. */
struct hit_texts {
	char of[PROBE_VALUES_MAX][PROBE_TEXT_BYTES_MAX];
};

/* Reads the values of @hit; they refer to @texts, which must live as long as @hit. */
void hit_values_read(struct hit *hit, struct hit_texts *texts);
/* Whether they fulfil the condition of its probe. */
bool hit_values_are_wanted(const struct hit *hit);
/* Counts the values, and adds the hit to its probe's log. Returns the line's number; 0: none. */
uint64_t hit_values_count(struct ingest *ingest, struct hit *hit);
/* Returns the id of @value of @column; NULL: the value is unknown. ID_SET_NONE: out of memory. */
uint32_t hit_values_intern(struct probe_values *values, uint32_t probe, uint8_t column,
			   const struct probe_value *value);
/* Counts the value @id, as an entry that is no sample. */
void hit_values_add(struct ingest *ingest, uint64_t time_ns, uint32_t id, uint32_t count);
/* Counts the fields of the sample @record, which was counted as @entry, if its event is a recorded
 * one whose fields are known; adds its line to the output. */
void hit_values_sample(struct ingest *ingest, const struct event_record *record,
		       const struct slice_entry *entry);
/* Sets the stack of the log line form.number, which is not 0. */
void hit_values_stack(struct ingest *ingest, const struct sample_form *form, uint32_t stack);

#endif
