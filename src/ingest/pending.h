/* pending.h - samples that wait: for /proc, for a table, or for callers that a worker must find.
 * Thread: the analyzer's. */
#ifndef INGEST_PENDING_H
#define INGEST_PENDING_H

#include "probe_pairs.h"
#include "stacks.h"

/*   REPLY ----> TABLES <-----------------.
 *     |           |                      |
 *     `------> REQUEST -> CALLERS -> NOTHING
 *
 * A sample is counted from any of these when its deadline has passed. */
enum waiting_for {
	WAITING_FOR_REPLY,	/* the process reader's, about its process or thread */
	WAITING_FOR_TABLES,	/* any table: its stack is walked again then */
	WAITING_FOR_REQUEST,	/* a worker is to find its callers, in the next batch */
	WAITING_FOR_CALLERS,	/* a worker finds its callers */
	WAITING_FOR_NOTHING,	/* the worker has replied: its stack is walked again */
};

struct pending_sample {
	enum waiting_for waiting_for;
	uint64_t deadline_ns;
	unsigned char *bytes;	/* owned copy of the raw record */
	uint32_t size;
	struct sample_form form;
	struct probe_calls calls;	/* owned; probed calls that its thread was in */
	/* Not set while it waits for a reply: as at the time of the sample. */
	struct process_maps *maps;	/* owned reference */
	struct thread thread;
	enum attribution attribution;
	uint64_t tables_epoch;		/* at the last walk */
	struct sample_callers callers;
	uint64_t ticket;		/* number of the request for its callers */
};

struct pending {
	struct pending_sample *list;	/* owned; ingest->pending_count, oldest first */
	uint32_t capacity;
	size_t bytes;
	bool is_much;		/* many were pending: malloc_trim() once none is */
	uint32_t callers_count;	/* samples that wait for a request or for callers */
	uint64_t callers_slice;	/* replay: slice number (time / SLICE_NS) of these samples */
	uint64_t last_ticket;
	uint64_t next_batch_ns;	/* earliest time of the next request */
	bool has_callers;	/* callers came since the flag was cleared */
};

/* Counts @pending. False: it goes on waiting. @is_due: it is counted as it is. */
typedef bool pending_counter(struct ingest *ingest, struct pending_sample *pending,
			     const struct event_record *record, bool is_due);

void pending_destroy(struct ingest *ingest);
/* Copies a sample, which first waits for a reply. NULL: no room. BORROWED until the next call. */
struct pending_sample *pending_add(struct ingest *ingest, const struct event_record *record,
				   const struct sample_form *form, const void *raw, size_t size);
/* Returns true when one more sample might not find room to wait for all that it needs. */
bool pending_is_full(const struct ingest *ingest);
/* What a sample can wait for at present. */
struct stack_patience pending_patience(const struct ingest *ingest);
/* The stack of @pending, of a task as in @origin, needs a table or callers. */
void pending_wait_for_stack(struct ingest *ingest, struct pending_sample *pending,
			    const struct event_record *record, const struct sample_origin *origin);
/* Drops the pending samples of @event; UINT32_MAX: all. */
void pending_drop(struct ingest *ingest, uint32_t event);
/* Replay: whether a record of @time_ns must wait for the callers of pending samples. */
bool pending_holds(const struct ingest *ingest, uint64_t time_ns);
/* Passes the samples to @count that have what they wait for, or whose deadline has passed. @force:
 * all. */
void pending_poll(struct ingest *ingest, bool force, pending_counter *count);
void pending_take_callers(struct ingest *ingest);	/* takes the worker's reply, if it came */
void pending_request_callers(struct ingest *ingest);	/* sends the next batch, if due */

#endif
