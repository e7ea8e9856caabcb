/* reorder.h - puts the records of all CPUs into one time order.
 *
 * Use:    reorder_push() what comes out of the queue, reorder_release() at each end-of-round mark;
 *         the sink gets the raw bytes again, oldest first.
 * Thread: the analyzer's.
 */
#ifndef MODEL_REORDER_H
#define MODEL_REORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct reorder_entry {
	uint64_t time_ns;
	uint32_t chunk, offset;	/* where its record lies */
	uint32_t cpu;		/* of the ring */
	uint16_t event;
};

struct reorder_run {		/* entries [next, end), which came in the order of their times */
	uint64_t time_ns;	/* of the entry `next` */
	uint32_t next, end;
};

struct reorder_chunk {
	unsigned char *bytes;	/* owned; NULL: a row to be filled again */
	uint32_t used;
	uint32_t count;		/* records in it that have not left */
	uint32_t next_empty;	/* row, where count is 0 */
};

struct reorder {
	struct reorder_entry *entries;	/* owned; in the order of arrival */
	uint32_t filled, capacity;	/* those that have left count until there are many */
	uint32_t count;			/* records that have not left */
	struct reorder_run *runs;	/* owned; a heap by (time_ns, next), */
	uint32_t heap_count;		/* then those that came since the last release */
	uint32_t run_count, run_capacity;
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

/* Copies @record in. 0 or -ENOMEM. */
int reorder_push(struct reorder *reorder, const void *record, size_t size, uint16_t event,
		 uint32_t cpu, uint64_t time_ns);

/* Lets everything stamped <= @limit_ns out, oldest first. UINT64_MAX: everything. False: the sink
 * refused a record, which stays with all behind it. */
bool reorder_release(struct reorder *reorder, uint64_t limit_ns, reorder_sink *sink, void *context);

size_t reorder_bytes(const struct reorder *reorder);

#endif
