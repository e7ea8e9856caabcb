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
	uint64_t seq;		/* order of arrival: equal times keep it */
	uint32_t offset;	/* of the record in its chunk */
	uint32_t chunk;
	uint16_t event;
	uint32_t cpu;		/* of the ring */
};

struct reorder_chunk {
	unsigned char *bytes;	/* owned */
	uint32_t used, capacity;
};

struct reorder {
	struct reorder_entry *entries;	/* owned */
	size_t count, capacity;
	bool is_sorted;			/* nothing came since the sink refused a record */
	struct reorder_chunk *chunks;	/* owned */
	uint32_t chunk_count, chunk_capacity;
	uint64_t next_seq;
	uint64_t last_out_ns;		/* newest time that was let out */
	uint64_t late;			/* records that came out after a newer one */
};

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
