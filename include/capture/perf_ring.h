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

/* Maps @data_pages memory pages (a power of two) of the ring behind @fd.
 * @fd stays the caller's and must outlive the ring. *@out is the caller's on success and
 * NULL on failure; free it with perf_ring_destroy().
 * Returns 0; -EINVAL: bad page count; -EPERM: over kernel.perf_event_mlock_kb; -ENOMEM. */
int perf_ring_create(struct perf_ring **out, int fd, size_t data_pages, struct diag *why);

/* The same over memory that is already mapped: a control page, then @data_pages pages. @base stays
 * the caller's and must outlive the ring. Returns 0, -EINVAL or -ENOMEM. */
int perf_ring_create_over(struct perf_ring **out, void *base, size_t data_pages,
			  struct diag *why);
void perf_ring_destroy(struct perf_ring *ring);	/* NULL is fine */

/* Fixes how far this round reads: up to what the kernel has written by now, so that a ring that is
 * written as fast as it is read cannot hold the round. Returns the unread bytes. */
size_t perf_ring_begin(struct perf_ring *ring);

/* Returns the oldest unread record of the round, or NULL if there is none. The record is BORROWED
 * until the next call on @ring: always contiguous (a record that wraps is copied) and 8-byte
 * aligned, its size at least a header. Where the bytes make no sense the rest of the round is given
 * back to the kernel and counted in perf_ring_malformed(). */
const struct perf_event_header *perf_ring_peek(struct perf_ring *ring);

/* The same with those behind it that lie in a row: whole records, @max_bytes at most unless the
 * first one alone is larger. */
const void *perf_ring_peek_span(struct perf_ring *ring, size_t max_bytes, size_t *bytes);

/* Done with what the last perf_ring_peek() or _peek_span() has returned. The kernel gets its room
 * back by and by, and all of it when the last one of the round is consumed. */
void perf_ring_consume(struct perf_ring *ring);

/* Looks at the round's records without consuming them: start with *@offset 0, NULL at the end.
 * The record is BORROWED as with perf_ring_peek(). */
const struct perf_event_header *perf_ring_walk(struct perf_ring *ring, uint64_t *offset);

/* How often bytes made no sense, since create. */
uint64_t perf_ring_malformed(const struct perf_ring *ring);

#endif
