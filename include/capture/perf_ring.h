/* perf_ring.h - reads the mmap ring of one perf_event file descriptor.
 *
 * Source:  perf_event_open(2), "MMAP layout"; <linux/perf_event.h>, struct perf_event_mmap_page.
 * Thread:  all calls on one ring come from one thread (the sampler). Nothing here locks.
 * Depends: libc only. Knows bytes and headers, not what a record means (see capture/record.h).
 */
#ifndef CAPTURE_PERF_RING_H
#define CAPTURE_PERF_RING_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

struct perf_ring;		/* opaque; src/capture/perf_ring.c */

/* Maps @data_pages memory pages (a power of two) of the ring of @fd, which is BORROWED until
 * perf_ring_destroy(). The caller owns *@out; it is NULL on failure.
 * Returns 0; -EINVAL: bad page count; -EPERM: over kernel.perf_event_mlock_kb; -ENOMEM. */
int perf_ring_create(struct perf_ring **out, int fd, size_t data_pages, struct diag *why);

/* Creates a ring in memory that is already mapped at @base: a control page, then @data_pages pages.
 * @base is BORROWED until perf_ring_destroy(). Returns 0, -EINVAL or -ENOMEM. */
int perf_ring_create_over(struct perf_ring **out, void *base, size_t data_pages,
			  struct diag *why);
void perf_ring_destroy(struct perf_ring *ring);	/* NULL is fine */

/* Begins a round, which reads only what the kernel has written by now, so that it ends even if the
 * ring is written as fast as it is read. Returns the number of unread bytes. */
size_t perf_ring_begin(struct perf_ring *ring);

/* Returns the oldest unread record of the round, or NULL if there is none. The record is BORROWED
 * until the next call on @ring: always contiguous (a record that wraps is copied) and 8-byte
 * aligned, its size at least a header. If the bytes are not a record, discards the rest of the
 * round and counts that in perf_ring_malformed(). */
const struct perf_event_header *perf_ring_peek(struct perf_ring *ring);

/* Returns, like perf_ring_peek(), the oldest unread record, and sets *@bytes to the size of it and
 * the contiguous whole records after it: at most @max_bytes, unless the first is larger. */
const void *perf_ring_peek_span(struct perf_ring *ring, size_t max_bytes, size_t *bytes);

/* Consumes what the last perf_ring_peek() or _peek_span() returned. The room is returned to the
 * kernel in steps, and all of it when the last record of the round is consumed. */
void perf_ring_consume(struct perf_ring *ring);

/* Iterates over the records of the round without consuming them: start with *@offset 0. Returns the
 * next record, BORROWED as with perf_ring_peek(), or NULL at the end. */
const struct perf_event_header *perf_ring_walk(struct perf_ring *ring, uint64_t *offset);

/* Returns how often bytes were not a record, since creation. */
uint64_t perf_ring_malformed(const struct perf_ring *ring);

#endif
