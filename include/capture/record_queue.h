/* record_queue.h - what travels from the reading side (sampler thread, perf.data reader) to the
 * analyzer: an spsc of items. An item is this header, followed by @bytes of payload.
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
	QUEUE_RECORD,		/* payload: raw perf records of one ring, one behind the other; of a
				 * recording one. See record_trim.h, queue_next_record() */
	QUEUE_ROUND_END,	/* payload: struct queue_round_end */
	QUEUE_LOST,		/* payload: struct queue_lost */
	QUEUE_COUNTED,		/* payload: struct queue_counted; events on tasks alone */
	QUEUE_END,		/* payload: struct queue_end; nothing follows but a QUEUE_SOURCE */
	QUEUE_SOURCE,		/* payload: struct queue_source */
};

struct queue_item {
	uint16_t kind;		/* enum queue_item_kind */
	uint16_t event;		/* QUEUE_RECORD, _LOST, _COUNTED: index in the event list */
	uint32_t cpu;		/* the ring's CPU; UINT32_MAX: unknown */
	/* payload follows, 8-byte aligned */
};

/* The records of a QUEUE_RECORD item of @item_bytes: start with *@offset 0; NULL at the end. */
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
	uint64_t limit_ns;	/* UINT64_MAX: the last round, let everything go */
	uint64_t stalled_rounds;	/* so far: rounds cut short because the queue was full */
	uint64_t malformed;	/* so far: how often a ring held bytes that are no record */
};

/* The kernel's own count of samples that it could not write (PERF_FORMAT_LOST, read(2)): exact,
 * where PERF_RECORD_LOST misses what was lost after the last record. Cumulative since open, summed
 * over all descriptors of the event on this CPU. */
struct queue_lost {
	uint64_t lost_total;
};

/* The kernel's count of the event on all tasks (read(2)), on all CPUs, those that they started
 * included: cpu-clock counts ns. Cumulative since open. */
struct queue_counted {
	uint64_t total;
	uint64_t time_ns;	/* CLOCK_MONOTONIC: the last descriptor was read then */
	uint64_t descriptors;	/* each may be on its way to its next sample */
};

struct queue_end {
	struct diag why;	/* why.err 0: the data simply ended */
};

/* Another source goes on here: event numbers mean its events from now on. What the one before had
 * queued is complete up to begin_ns; later than that it stands behind this item, once more. */
struct queue_source {
	struct source *source;	/* ingest/source.h; BORROWED: its maker keeps it for the session */
	uint64_t begin_ns;
};

#endif
