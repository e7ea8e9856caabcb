/* reorder.h - puts the records of all CPUs into one time order.
 *
 * Use:    reorder_push() for records from the queue, reorder_release() at each end-of-round mark;
 *         the sink receives the raw records, oldest first.
 * Thread: the analyzer's.
 */
#ifndef INGEST_REORDER_H
#define INGEST_REORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Contiguous records of one ring, in time order. Their sizes are multiples of 8, and all have their
 * time at the same word. */
struct reorder_span {
	const void *records;	/* BORROWED for the call */
	size_t bytes;		/* not 0 */
	uint64_t first_ns, last_ns;	/* times of the first and the last record */
	uint32_t cpu;		/* the ring's CPU */
	uint16_t event;
	int16_t time_word;	/* index from the record's begin; below 0: from its end */
};

struct reorder_run {		/* contiguous records that arrived in time order */
	uint64_t time_ns;	/* time of the next record */
	uint64_t arrival;	/* number of the run */
	uint32_t chunk, next, end;	/* bytes [next, end) of the chunk */
	uint32_t cpu;		/* cpu, event, time_word: see struct reorder_span */
	uint16_t event;
	int16_t time_word;
};

struct reorder_chunk {
	unsigned char *bytes;	/* owned; NULL: freed, the row can be reused */
	uint32_t used;
	uint32_t count;		/* runs in it */
	uint32_t next_empty;	/* next row of the list of empty chunks, if count is 0 */
};

struct reorder {
	struct reorder_run *runs;	/* owned; heap_count runs in a heap by (time_ns, arrival),
					 * then the runs that came since the last release */
	uint32_t heap_count;
	uint32_t run_count, run_capacity;
	uint64_t arrivals;		/* runs so far */
	uint64_t last_in_ns;		/* time of the last record in the last run */
	struct reorder_chunk *chunks;	/* owned */
	uint32_t chunk_count, chunk_capacity;
	uint32_t filling, first_empty;	/* chunks; UINT32_MAX: none */
	uint32_t allocated, spare;	/* chunks with bytes; empty chunks with bytes */
	uint64_t last_out_ns;		/* newest time passed to the sink */
	uint64_t late;			/* records passed to the sink after a newer one */
};

/* Limit of memory that stays allocated beyond the needs of the records. */
#define REORDER_SPARE_BYTES (5u * 1024 * 1024)

/* @record: the raw perf record of @size bytes, BORROWED for the call. False: refused for now; the
 * record stays. */
typedef bool reorder_sink(void *context, const void *record, size_t size, uint16_t event,
			  uint32_t cpu, uint64_t time_ns);

void reorder_init(struct reorder *reorder);
void reorder_finish(struct reorder *reorder);
/* Copies the records of @span in. 0, or -ENOMEM: none of them. */
int reorder_push(struct reorder *reorder, const struct reorder_span *span);

/* Passes every record stamped <= @limit_ns to @sink, oldest first. UINT64_MAX: every record. False:
 * the sink refused a record, which stays with all later ones. */
bool reorder_release(struct reorder *reorder, uint64_t limit_ns, reorder_sink *sink, void *context);

/* Passes every record but those of @kept, an event, to @sink, oldest first. The sink refuses none.
 * The next record may have any time. */
void reorder_flush(struct reorder *reorder, uint16_t kept, reorder_sink *sink, void *context);

size_t reorder_bytes(const struct reorder *reorder);

#endif
