/* spsc.h - lock-free byte queue of variable records, one producer and one consumer.
 *
 *   |....free....|size|payload........|size|payload..|....free....|
 *                ^ head (consumer)                   ^ tail (producer)
 *
 * Who owns a byte: the producer from reserve to commit, the consumer from peek to release.
 *   producer: fill payload  -> store tail RELEASE   pairs with   load tail ACQUIRE -> read payload
 *   consumer: read payload  -> store head RELEASE   pairs with   load head ACQUIRE -> fill payload
 * Each side loads its own index RELAXED: no other thread writes it; and the other's only when what
 * it saw of it last does not do, so that the two do not take the line from each other for each
 * record. What a side alone writes lies with its own index. Indices count bytes, run free
 * and wrap, so they are compared only by unsigned difference, never with '<'. A payload is always
 * contiguous: where it would cross the end of the buffer, a filler takes the rest of the lap.
 *
 * An empty queue begins anew at the start of its buffer: one whose consumer keeps up uses only the
 * memory that it needs, which is there and in the caches. The producer moves `origin` while all is
 * its own; the same pairs of RELEASE and ACQUIRE order that against the consumer's reads of it. It
 * looks whether it may once per 1/64 of the buffer, and where it begins a batch.
 *
 * Thread: reserve/commit one producer; peek/release one consumer; init/finish neither running.
 */
#ifndef BASE_SPSC_H
#define BASE_SPSC_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "base/thread.h"

struct spsc {
	_Alignas(64) _Atomic uint64_t head;	/* next byte to read; only the consumer stores it */
	uint64_t seen_tail;			/* consumer only: what it saw of tail last */
	_Alignas(64) _Atomic uint64_t tail;	/* next byte to fill; only the producer stores it */
	uint64_t seen_head;			/* producer only: as seen_tail */
	uint64_t reserved;			/* producer only: where the open reservation ends */
	uint64_t asked;				/* producer only: where it last looked if empty */
	_Alignas(64) unsigned char *bytes;	/* owned; constant after init */
	uint64_t capacity;			/* a power of two */
	uint64_t origin;			/* the index that lies at the start of `bytes` */
	struct thread_turn consumer;		/* for a producer that must not be kept waiting */
};

/* Room for @capacity bytes (a power of two, >= 4096). 0, -EINVAL or -ENOMEM. */
int spsc_init(struct spsc *queue, size_t capacity);
void spsc_finish(struct spsc *queue);

/* Producer. Room for @payload_bytes (8-byte aligned), or NULL when there is none now (or it is
 * larger than half of the queue: never). Publish it with spsc_commit(). */
void *spsc_reserve(struct spsc *queue, size_t payload_bytes);
void spsc_commit(struct spsc *queue);
/* Producer, not while a reservation is open. What was queued before has probably been taken: a
 * queue that is empty begins anew. A hint, for one that queues much, then nothing for a while. */
void spsc_begin_batch(struct spsc *queue);

/* Consumer. The oldest payload and its size, or NULL when empty. BORROWED until
 * spsc_release(), which gives its room back. */
const void *spsc_peek(struct spsc *queue, size_t *payload_bytes);
void spsc_release(struct spsc *queue);

/* Bytes in use, for statistics; either side. */
size_t spsc_used(const struct spsc *queue);

#endif
