/* jit.h - names of code that processes make at run time. Thread: the analyzer's. */
#ifndef INGEST_JIT_H
#define INGEST_JIT_H

#include "ingest/ingest.h"

struct jit_code;	/* jit.c */

struct jit {
	struct jit_code *codes;	/* owned; a DSO's `code` is the index + 1 */
	uint32_t count, capacity;
	uint32_t last_number;
	uint64_t forgotten;	/* how often rows of `codes` became free for reuse */
	uint64_t swept_ns;
};

void jit_destroy(struct jit *jit);	/* NULL is fine */
/* Returns a number that tells anonymous memory of @process apart from that of all others, for
 * struct dso_key.place; 0: out of memory. */
uint64_t jit_place(struct ingest *ingest, struct process *process);
/* Adds @dso, memory of @process with the place that jit_place() returned. */
void jit_add_dso(struct ingest *ingest, const struct process *process, uint32_t dso, uint64_t bias);
/* @dso has no symbols of its own. */
void jit_dso_failed(struct ingest *ingest, uint32_t dso);
void jit_add_dump(struct ingest *ingest, struct process *process,
		  const struct open_request *mapping);
/* Notes that a sample hit the run-time code @code (see struct dso). */
void jit_note_sample(struct ingest *ingest, uint32_t code);
/* The unwind rows of the run-time code @code that may cover @ip, which is *@address in them. NULL:
 * none. Valid until the opener's next reply. */
const struct unwind_table *jit_find_unwind(const struct ingest *ingest, uint32_t code, uint64_t ip,
					   uint64_t *address);
/* Whether the files that may name the run-time code @code (as in struct dso, not 0) have been
 * looked for, found or not; always true in a replay, which never looks. After false, tables_epoch
 * changes as soon as they have been. */
bool jit_is_read(struct ingest *ingest, uint32_t code);
/* The request for the names of @code could not be sent: it is repeated later. */
void jit_request_later(struct ingest *ingest, uint32_t code);
void jit_exit(struct ingest *ingest, const struct event_record *record);
void jit_poll(struct ingest *ingest);	/* sends the requests that are due */
void jit_reply(struct ingest *ingest, const struct open_reply *reply);

#endif
