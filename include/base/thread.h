/* thread.h - starts threads that block signals, so that the main thread gets them, raises the
 * scheduling priority of threads, and passes records and values between them. */
#ifndef BASE_THREAD_H
#define BASE_THREAD_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Starts a thread like pthread_create(3), with every signal but the fatal ones blocked and @name
 * (at most 15 bytes) shown in ps and top. Returns 0 or -errno. Thread: any. */
int thread_start(pthread_t *out, const char *name, void *(*run)(void *), void *argument);
/* Joins @thread like pthread_join(3). False: it has not ended in @wait_ms; it may be joined later.
 * Thread: any. */
bool thread_join_within(pthread_t thread, uint32_t wait_ms);

/* Gives thread @tid (0: the calling one) the lowest real-time priority: beside hundreds of runnable
 * threads it might else run only once a second, and a nice value changes little. Returns false
 * where that is not permitted. Only for bounded work: no thread without real-time priority runs on
 * its CPU meanwhile. Thread: any. Source: sched(7). */
bool thread_go_first(pid_t tid);

/* A thread whose priority the thread that waits for it can raise. Initialised by zeroing before the
 * thread starts. */
struct thread_turn {
	_Atomic(pid_t) tid;		/* 0: the thread has not begun, or has ended */
	atomic_bool is_hastened;	/* the thread has real-time priority */
};

/* Called by the thread itself: _begin() first; _give_back(), which drops the raised priority, when
 * the awaited work is done; _end() last, as the tid may soon be reused. */
void thread_turn_begin(struct thread_turn *turn);
void thread_turn_give_back(struct thread_turn *turn);
void thread_turn_end(struct thread_turn *turn);
/* Called repeatedly by the one thread that waits: raises the priority as thread_go_first() does,
 * until thread_turn_give_back(). */
void thread_turn_hasten(struct thread_turn *turn);

/* Lock-free byte queue of variable records, one producer and one consumer.
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

/* Hands over the newest value, never a queue of stale ones.
 *
 *   writer: finish value -> exchange RELEASE   pairs with   exchange ACQUIRE -> read value
 * The writer gets back a value that was not taken, and frees it.
 *
 * Thread: one writer, one reader.
 */

struct mailbox {
	_Atomic(void *) newest;	/* NULL when nothing waits */
};

/* Writer. Publishes @value; returns the previous value if it was not taken, else NULL. */
static inline void *mailbox_put(struct mailbox *box, void *value)
{
	/* pairs with mailbox_take() */
	return atomic_exchange_explicit(&box->newest, value, memory_order_acq_rel);
}

/* Reader. Takes the newest value, which the reader then frees, or NULL. */
static inline void *mailbox_take(struct mailbox *box)
{
	/* pairs with mailbox_put() */
	return atomic_exchange_explicit(&box->newest, NULL, memory_order_acq_rel);
}

/* Writer. Returns true when the reader has taken the last value. */
static inline bool mailbox_is_empty(struct mailbox *box)
{
	/* Only the reader empties it: no order is needed. */
	return !atomic_load_explicit(&box->newest, memory_order_relaxed);
}

#endif
