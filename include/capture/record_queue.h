/* record_queue.h - the items that the reader (sampler thread, perf.data reader) sends to the
 * analyzer through an spsc: struct queue_item, followed by a payload.
 *
 * Rounds:  the reader works in rounds; QUEUE_ROUND_END says that every record stamped before
 *          limit_ns has been queued (see ingest/reorder.h).
 */
#ifndef CAPTURE_RECORD_QUEUE_H
#define CAPTURE_RECORD_QUEUE_H

#include <assert.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

enum queue_item_kind {
	QUEUE_RECORD,		/* payload: raw perf records of one ring, or one record of a
				 * recording. See record_trim.h, queue_next_record() */
	QUEUE_ROUND_END,	/* payload: struct queue_round_end */
	QUEUE_LOST,		/* payload: struct queue_lost */
	QUEUE_COUNTED,		/* payload: struct queue_counted; only with events on tasks */
	QUEUE_END,		/* payload: struct queue_end; only a QUEUE_SOURCE may follow */
	QUEUE_SOURCE,		/* payload: struct queue_source */
};

struct queue_item {
	uint16_t kind;		/* enum queue_item_kind */
	uint16_t event;		/* QUEUE_RECORD, _LOST, _COUNTED: index in the event list */
	uint32_t cpu;		/* the ring's CPU; UINT32_MAX: unknown */
	/* payload follows, 8-byte aligned */
};

/* Iterates over the records of a QUEUE_RECORD item of @item_bytes: start with *@offset 0. Returns
 * the next record, BORROWED from @item, or NULL at the end. */
static inline const struct perf_event_header *queue_next_record(const struct queue_item *item,
								size_t item_bytes, size_t *offset)
{
	const size_t left = item_bytes - sizeof(*item) - *offset;
	const struct perf_event_header *record =
		(const void *)((const unsigned char *)(item + 1) + *offset);

	if (!left)
		return NULL;
	assert(record->size >= sizeof(*record) && record->size <= left);
	*offset += record->size;
	return record;
}

struct queue_round_end {
	uint64_t limit_ns;	/* CLOCK_MONOTONIC; UINT64_MAX: the last round, no limit */
	uint64_t stalled_rounds;	/* total of interruptions because the queue was full */
	uint64_t malformed;	/* total of perf_ring_malformed() over all rings */
};

/* The kernel's count of records that it could not write (PERF_FORMAT_LOST, read(2)): exact, while
 * PERF_RECORD_LOST misses what was lost after the last record. Cumulative since open, summed over
 * all descriptors of the event on this CPU. */
struct queue_lost {
	uint64_t lost_total;
};

/* The kernel's count of the event (read(2)) for all tasks and their descendants, on all CPUs;
 * cpu-clock counts ns. Cumulative since open. */
struct queue_counted {
	uint64_t total;
	uint64_t time_ns;	/* when the last descriptor was read, CLOCK_MONOTONIC */
	uint64_t descriptors;	/* number of counters; each may have counted part of a period */
};

struct queue_end {
	struct diag why;	/* why.err 0: end of the data, no error */
};

/* A new source replaces the previous one: event numbers of later items refer to its events. Records
 * of the previous source are complete up to begin_ns; what happened later is recorded again by the
 * new source, after this item. */
struct queue_source {
	struct source *source;	/* ingest/source.h; BORROWED: its maker keeps it for the session */
	uint64_t begin_ns;
};

#endif
