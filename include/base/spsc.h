/* spsc.h - lock-free byte queue of variable records, one producer and one consumer.
 *
 *   |....free....|size|payload........|size|payload..|....free....|
 *                ^ head (consumer)                   ^ tail (producer)
 *
 * The producer owns a byte from reserve to commit, the consumer from peek to release.
 *   producer: fill payload  -> store tail RELEASE   pairs with   load tail ACQUIRE -> read payload
 *   consumer: read payload  -> store head RELEASE   pairs with   load head ACQUIRE -> fill payload
 * Each side loads its own index RELAXED, as no other thread writes it. It loads the other side's
 * index only when its last known value leaves no room or no record, so that the cache line does not
 * bounce for each record. Fields that one side alone writes share the cache line of its index.
 * Indices count bytes, run free and wrap, so they are compared only by unsigned difference, never
 * with '<'. A payload is always contiguous: a filler takes the end of the buffer if it doesn't fit.
 *
 * An empty queue restarts at the beginning of its buffer, so that a queue whose consumer keeps up
 * touches little memory, which stays in the caches. The producer moves `origin` while it owns all
 * bytes; the pairs of RELEASE and ACQUIRE above order that against the consumer's reads of it. It
 * checks for an empty queue once per 1/64 of the buffer, and in spsc_begin_batch().
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
	uint64_t seen_tail;			/* consumer only: last loaded value of tail */
	_Alignas(64) _Atomic uint64_t tail;	/* next byte to fill; only the producer stores it */
	uint64_t seen_head;			/* producer only: last loaded value of head */
	uint64_t reserved;			/* producer only: end of the open reservation */
	uint64_t asked;				/* producer only: tail at the last empty check */
	_Alignas(64) unsigned char *bytes;	/* owned; constant after init */
	uint64_t capacity;			/* a power of two */
	uint64_t origin;			/* index of the first byte in `bytes` */
	struct thread_turn consumer;		/* the producer may raise its priority */
};

/* Allocates @capacity bytes (a power of two, >= 4096). Returns 0, -EINVAL or -ENOMEM. */
int spsc_init(struct spsc *queue, size_t capacity);
void spsc_finish(struct spsc *queue);

/* Producer. Returns room for @payload_bytes, 8-byte aligned, to be published by spsc_commit(); NULL
 * when there is no room now (there never is for a payload over half of the queue). */
void *spsc_reserve(struct spsc *queue, size_t payload_bytes);
void spsc_commit(struct spsc *queue);
/* Producer, not while a reservation is open. Restarts an empty queue at the beginning of its
 * buffer. A hint, for a producer that queues much, then nothing for a while. */
void spsc_begin_batch(struct spsc *queue);

/* Consumer. Returns the oldest payload and its size, or NULL when the queue is empty. BORROWED
 * until spsc_release(), which frees its room. */
const void *spsc_peek(struct spsc *queue, size_t *payload_bytes);
void spsc_release(struct spsc *queue);

/* Either side. Returns the bytes in use, for statistics. */
size_t spsc_used(const struct spsc *queue);

#endif
