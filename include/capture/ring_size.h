/* ring_size.h - how much memory the rings of a capture get.
 * Thread: any, pure. */
#ifndef CAPTURE_RING_SIZE_H
#define CAPTURE_RING_SIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ring_size {
	size_t sample_pages;	/* of a CPU and event; a power of two */
	size_t sideband_pages;	/* of a CPU; a power of two */
};

#define RING_SIZE_COPIES 32	/* stack copies that a ring must hold, or it holds none for long */

/* The default for @cpus and @events (without the side-band); @memory_bytes: the machine's. */
struct ring_size ring_size_choose(bool has_copies, size_t cpus, size_t events,
				  uint64_t memory_bytes, size_t page_bytes);

/* Half of it, when the kernel refused it; false: it is down to one page. */
bool ring_size_lower(struct ring_size *size);

#endif
