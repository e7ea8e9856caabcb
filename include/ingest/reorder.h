/* reorder.h - puts the records of all CPUs into one time order.
 *
 * Use:    reorder_push() what comes out of the queue, reorder_release() at each end-of-round mark;
 *         the sink gets the raw bytes again, oldest first.
 * Thread: the analyzer's.
 */
#ifndef INGEST_REORDER_H
#define INGEST_REORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Records of one ring, one behind the other, in the order of their times. Sizes are multiples of 8,
 * and in each the same word is its time. */
struct reorder_span {
	const void *records;	/* BORROWED for the call */
	size_t bytes;		/* not 0 */
	uint64_t first_ns, last_ns;	/* times of the first and the last record */
	uint32_t cpu;		/* of the ring */
	uint16_t event;
	int16_t time_word;	/* from the record's begin; below 0: from its end */
};

struct reorder_run {		/* records that came in the order of their times and lie in a row */
	uint64_t time_ns;	/* of the next */
	uint64_t arrival;	/* number of the run */
	uint32_t chunk, next, end;	/* bytes [next, end) of the chunk */
	uint32_t cpu;		/* these as in struct reorder_span */
	uint16_t event;
	int16_t time_word;
};

struct reorder_chunk {
	unsigned char *bytes;	/* owned; NULL: a row to be filled again */
	uint32_t used;
	uint32_t count;		/* runs in it */
	uint32_t next_empty;	/* row, where count is 0 */
};

struct reorder {
	struct reorder_run *runs;	/* owned; a heap by (time_ns, arrival), */
	uint32_t heap_count;		/* then those that came since the last release */
	uint32_t run_count, run_capacity;
	uint64_t arrivals;		/* runs so far */
	uint64_t last_in_ns;		/* of the last record in the last run */
	struct reorder_chunk *chunks;	/* owned */
	uint32_t chunk_count, chunk_capacity;
	uint32_t filling, first_empty;	/* chunks; UINT32_MAX: none */
	uint32_t allocated, spare;	/* chunks that have bytes; of those, the empty ones */
	uint64_t last_out_ns;		/* newest time that was let out */
	uint64_t late;			/* records that came out after a newer one */
};

/* What stays allocated at most, beyond what the records need. */
#define REORDER_SPARE_BYTES (5u * 1024 * 1024)

/* @record: the raw perf record, BORROWED for the call; @size its bytes. False: not now. */
typedef bool reorder_sink(void *context, const void *record, size_t size, uint16_t event,
			  uint32_t cpu, uint64_t time_ns);

void reorder_init(struct reorder *reorder);
void reorder_finish(struct reorder *reorder);
/* Drops what is in it but for @event; the next record may have any time. `late` stays. */
void reorder_keep_only(struct reorder *reorder, uint16_t event);

/* Copies the records of @span in. 0, or -ENOMEM: none of them. */
int reorder_push(struct reorder *reorder, const struct reorder_span *span);

/* Lets everything stamped <= @limit_ns out, oldest first. UINT64_MAX: everything. False: the sink
 * refused a record, which stays with all behind it. */
bool reorder_release(struct reorder *reorder, uint64_t limit_ns, reorder_sink *sink, void *context);

size_t reorder_bytes(const struct reorder *reorder);

#endif
