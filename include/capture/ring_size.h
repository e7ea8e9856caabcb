/* ring_size.h - chooses the sizes of the rings of a capture.
 * Thread: any, pure. */
#ifndef CAPTURE_RING_SIZE_H
#define CAPTURE_RING_SIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ring_size {
	size_t sample_pages;	/* per CPU and event; a power of two */
	size_t sideband_pages;	/* per CPU; a power of two */
};

#define RING_SIZE_COPIES 32	/* stack copies that must fit into a ring, else don't copy stacks */

/* Returns the default for @cpus and @events (without the side-band) on a machine with
 * @memory_bytes. */
struct ring_size ring_size_choose(bool has_copies, size_t cpus, size_t events,
				  uint64_t memory_bytes, size_t page_bytes);

/* Halves the size after the kernel refused it. Returns false when it is one page already. */
bool ring_size_lower(struct ring_size *size);

#endif
