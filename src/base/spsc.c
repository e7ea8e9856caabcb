/* spsc.c - see base/thread.h for the theory. */
#include "base/thread.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

/* Precedes each payload. A filler is a header only. */
struct slot_header {
	uint32_t slot_bytes;	/* header included, a multiple of 8 */
	uint32_t payload_bytes;	/* SLOT_FILLER: skip the slot */
};

#define SLOT_FILLER UINT32_MAX

/* The producer checks for an empty queue each time it has filled 1/RESTART_SHARE of the buffer. */
enum { RESTART_SHARE = 64 };

int spsc_init(struct spsc *queue, size_t capacity)
{
	if (capacity < 4096 || (capacity & (capacity - 1)) || capacity > UINT32_MAX)
		return -EINVAL;
	queue->bytes = malloc(capacity);
	if (!queue->bytes)
		return -ENOMEM;
	queue->capacity = capacity;
	queue->reserved = queue->origin = queue->asked = queue->seen_head = queue->seen_tail = 0;
	atomic_init(&queue->head, 0);
	atomic_init(&queue->tail, 0);
	queue->consumer = (struct thread_turn){ .tid = 0 };
	return 0;
}

void spsc_finish(struct spsc *queue)
{
	free(queue->bytes);
	queue->bytes = NULL;
}

static struct slot_header *slot_at(const struct spsc *queue, uint64_t index)
{
	return (struct slot_header *)(void *)(queue->bytes +
					      ((index - queue->origin) & (queue->capacity - 1)));
}

/* Puts the next slot of an empty queue at the start of the buffer again, so that memory which only
 * a burst needs is not touched. The consumer reads `origin` only when the queue is not empty. */
static void restart(struct spsc *queue, uint64_t tail)
{
	queue->asked = tail;
	queue->seen_head = atomic_load_explicit(&queue->head, memory_order_acquire);
	if (queue->seen_head == tail)
		queue->origin = tail;
}

void spsc_begin_batch(struct spsc *queue)
{
	restart(queue, atomic_load_explicit(&queue->tail, memory_order_relaxed));
}

static bool has_room(struct spsc *queue, uint64_t tail, uint64_t need)
{
	if (queue->capacity - (tail - queue->seen_head) >= need)
		return true;
	/* ACQUIRE: the consumer's reads are over (spsc_release()) */
	queue->seen_head = atomic_load_explicit(&queue->head, memory_order_acquire);
	return queue->capacity - (tail - queue->seen_head) >= need;
}

void *spsc_reserve(struct spsc *queue, size_t payload_bytes)
{
	uint64_t tail = atomic_load_explicit(&queue->tail, memory_order_relaxed);
	uint64_t need = sizeof(struct slot_header) + ((payload_bytes + 7) & ~(uint64_t)7);
	uint64_t to_end, filler;
	struct slot_header *slot;

	if (tail - queue->asked >= queue->capacity / RESTART_SHARE)
		restart(queue, tail);
	to_end = queue->capacity - ((tail - queue->origin) & (queue->capacity - 1));
	filler = to_end < need ? to_end : 0;
	if (need > queue->capacity / 2 || !has_room(queue, tail, filler + need))
		return NULL;
	if (filler) {	/* to_end is a multiple of 8 and not 0: a header always fits */
		slot = slot_at(queue, tail);
		slot->slot_bytes = (uint32_t)filler;
		slot->payload_bytes = SLOT_FILLER;
		tail += filler;
	}
	slot = slot_at(queue, tail);
	slot->slot_bytes = (uint32_t)need;
	slot->payload_bytes = (uint32_t)payload_bytes;
	queue->reserved = tail + need;
	return slot + 1;
}

void spsc_commit(struct spsc *queue)
{
	/* pairs with spsc_peek() */
	atomic_store_explicit(&queue->tail, queue->reserved, memory_order_release);
}

/* Returns true when the producer has published something from @head on. */
static bool has_more(struct spsc *queue, uint64_t head)
{
	if (head == queue->seen_tail)	/* pairs with spsc_commit() */
		queue->seen_tail = atomic_load_explicit(&queue->tail, memory_order_acquire);
	return head != queue->seen_tail;
}

const void *spsc_peek(struct spsc *queue, size_t *payload_bytes)
{
	uint64_t head = atomic_load_explicit(&queue->head, memory_order_relaxed);

	while (has_more(queue, head)) {
		const struct slot_header *slot = slot_at(queue, head);

		if (slot->payload_bytes != SLOT_FILLER) {
			*payload_bytes = slot->payload_bytes;
			return slot + 1;
		}
		head += slot->slot_bytes;
		/* pairs with spsc_reserve() */
		atomic_store_explicit(&queue->head, head, memory_order_release);
	}
	return NULL;
}

void spsc_release(struct spsc *queue)
{
	uint64_t head = atomic_load_explicit(&queue->head, memory_order_relaxed);

	atomic_store_explicit(&queue->head, head + slot_at(queue, head)->slot_bytes,
			      memory_order_release);	/* spsc_reserve() */
}

size_t spsc_used(const struct spsc *queue)
{
	return (size_t)(atomic_load_explicit(&queue->tail, memory_order_relaxed) -
			atomic_load_explicit(&queue->head, memory_order_relaxed));
}
