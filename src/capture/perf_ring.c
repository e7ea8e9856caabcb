/* perf_ring.c - see capture/event_set.h.
 *
 *   control page | data, a power of two bytes, used as a circle
 *                      ^ data_tail (ours)      ^ data_head (the kernel's)
 *
 *   kernel: write record -> store data_head RELEASE  pairs with  load data_head ACQUIRE -> read it
 *   we:     read record  -> store data_tail RELEASE  pairs with  load data_tail (kernel) -> write
 * Both count bytes, run free and are compared only by difference.
 *
 * Invariant: whatever the bytes are, every call ends and the tail never passes the head. A size
 * that cannot be is not skipped over (there is no next header to find): the tail jumps to the head,
 * where the kernel will write the next record.
 */
#include "capture/event_set.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define GIVEN_PARTS	 16	/* 1/16 of the ring: most that is consumed but not yet returned */
#define RECORD_MAX_BYTES ((size_t)UINT16_MAX + 1)	/* perf_event_header.size has 16 bits */

struct perf_ring {
	struct perf_event_mmap_page *control;
	const unsigned char *bytes;
	uint64_t data_bytes;	/* a power of two */
	uint64_t head;		/* end of the round */
	uint64_t tail;		/* oldest unread byte */
	uint64_t given;		/* value of data_tail: room returned to the kernel ends here */
	uint64_t peeked_bytes;	/* size of what the last peek returned */
	uint64_t malformed;
	size_t map_bytes;	/* 0: the memory is BORROWED */
	unsigned char *wrapped;	/* owned; a record that crosses the end, made contiguous */
};

int perf_ring_create_over(struct perf_ring **out, void *base, size_t data_pages, struct diag *why)
{
	const size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	struct perf_ring *ring;

	*out = NULL;
	if (data_pages == 0 || (data_pages & (data_pages - 1)))
		return diag_set(why, -EINVAL, "ring of %zu pages: not a power of two", data_pages);
	ring = calloc(1, sizeof(*ring));
	if (!ring)
		return diag_set(why, -ENOMEM, "no memory for a perf ring");
	ring->wrapped = malloc(RECORD_MAX_BYTES);
	if (!ring->wrapped) {
		perf_ring_destroy(ring);
		return diag_set(why, -ENOMEM, "no memory for a perf ring");
	}
	ring->control = base;
	ring->bytes = (const unsigned char *)base + page_bytes;
	ring->data_bytes = data_pages * page_bytes;
	ring->tail = ring->head = ring->given = ring->control->data_tail;
	*out = ring;
	return 0;
}

int perf_ring_create(struct perf_ring **out, int fd, size_t data_pages, struct diag *why)
{
	const size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	size_t map_bytes = (data_pages + 1) * page_bytes;	/* + 1: the control page */
	void *base;
	int err;

	*out = NULL;
	if (data_pages == 0 || (data_pages & (data_pages - 1)))
		return diag_set(why, -EINVAL, "ring of %zu pages: not a power of two", data_pages);
	base = mmap(NULL, map_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (base == MAP_FAILED) {
		err = -errno;
		return diag_set(why, err, err == -EPERM
				? "%zu KiB per CPU and event is over kernel.perf_event_mlock_kb:"
				  " raise it, or lower --mmap-pages"
				: "cannot map a perf ring of %zu KiB", map_bytes / 1024);
	}
	err = perf_ring_create_over(out, base, data_pages, why);
	if (err) {
		munmap(base, map_bytes);
		return err;
	}
	(*out)->map_bytes = map_bytes;
	return 0;
}

void perf_ring_destroy(struct perf_ring *ring)
{
	if (!ring)
		return;
	if (ring->map_bytes)
		munmap(ring->control, ring->map_bytes);
	free(ring->wrapped);
	free(ring);
}

static void give_back(struct perf_ring *ring)
{
	ring->given = ring->tail;
	/* pairs with the kernel's space check */
	__atomic_store_n(&ring->control->data_tail, ring->tail, __ATOMIC_RELEASE);
}

/* Moves the tail. Stores data_tail at the end of the round, and within it not for each record: the
 * kernel reads data_tail for each record, and would have to fetch the cache line each time. */
static void move_tail(struct perf_ring *ring, uint64_t tail)
{
	ring->tail = tail;
	ring->peeked_bytes = 0;
	if (tail == ring->head || tail - ring->given >= ring->data_bytes / GIVEN_PARTS)
		give_back(ring);
}

size_t perf_ring_begin(struct perf_ring *ring)
{
	ring->head = __atomic_load_n(&ring->control->data_head, __ATOMIC_ACQUIRE); /* see top */
	if (ring->head - ring->tail > ring->data_bytes) {	/* impossible for the kernel */
		ring->malformed++;
		move_tail(ring, ring->head);
	}
	return (size_t)(ring->head - ring->tail);
}

size_t perf_ring_unread(const struct perf_ring *ring)
{
	return (size_t)(__atomic_load_n(&ring->control->data_head, __ATOMIC_RELAXED) - ring->tail);
}

/* Returns the record at @position, made contiguous; NULL: its size is impossible. */
static const struct perf_event_header *record_at(struct perf_ring *ring, uint64_t position)
{
	uint64_t at = position & (ring->data_bytes - 1);
	uint64_t unread = ring->head - position;
	uint64_t to_end = ring->data_bytes - at;
	const struct perf_event_header *header;

	if (unread < sizeof(*header) || at % 8)
		return NULL;
	header = (const void *)(ring->bytes + at);	/* 8-byte aligned: never wraps itself */
	if (header->size < sizeof(*header) || header->size % 8 || header->size > unread)
		return NULL;
	if (header->size <= to_end)
		return header;
	memcpy(ring->wrapped, header, to_end);
	memcpy(ring->wrapped + to_end, ring->bytes, header->size - to_end);
	return (const void *)ring->wrapped;
}

const struct perf_event_header *perf_ring_peek(struct perf_ring *ring)
{
	const struct perf_event_header *header;

	if (ring->tail == ring->head)
		return NULL;
	header = record_at(ring, ring->tail);
	if (header) {
		ring->peeked_bytes = header->size;
	} else {
		ring->malformed++;
		move_tail(ring, ring->head);
	}
	return header;
}

/* Returns the size of the complete records at @from; the first has @first_bytes. */
static size_t span_bytes(const unsigned char *from, size_t first_bytes, size_t available)
{
	size_t bytes = first_bytes;

	while (bytes + sizeof(struct perf_event_header) <= available) {
		const struct perf_event_header *next = (const void *)(from + bytes);

		if (next->size < sizeof(*next) || next->size % 8 ||
		    next->size > available - bytes)
			break;	/* it wraps, or perf_ring_peek() will refuse it */
		bytes += next->size;
	}
	return bytes;
}

const void *perf_ring_peek_span(struct perf_ring *ring, size_t max_bytes, size_t *bytes)
{
	const struct perf_event_header *first = perf_ring_peek(ring);
	uint64_t available;

	if (!first)
		return NULL;
	*bytes = first->size;
	if ((const unsigned char *)first == ring->wrapped)
		return first;
	available = ring->data_bytes - (ring->tail & (ring->data_bytes - 1));
	if (available > ring->head - ring->tail)
		available = ring->head - ring->tail;
	*bytes = span_bytes((const void *)first, first->size,
			    available < max_bytes ? available : max_bytes);
	ring->peeked_bytes = *bytes;
	return first;
}

void perf_ring_consume(struct perf_ring *ring)
{
	assert(ring->peeked_bytes);	/* only after a peek that returned a record */
	move_tail(ring, ring->tail + ring->peeked_bytes);
}

const struct perf_event_header *perf_ring_walk(struct perf_ring *ring, uint64_t *offset)
{
	const struct perf_event_header *header;

	if (ring->head - ring->tail <= *offset)
		return NULL;
	header = record_at(ring, ring->tail + *offset);
	if (header)
		*offset += header->size;
	return header;
}

uint64_t perf_ring_malformed(const struct perf_ring *ring)
{
	return ring->malformed;
}
