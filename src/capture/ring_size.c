/* ring_size.c - see ring_size.h.
 *
 * A ring buffers records while the reader does not get a CPU. Records without copies have some
 * hundred bytes: 512 KiB last for seconds at 997 Hz. With 16 KiB of stack each, 8 MiB last for half
 * a second; the rings of all CPUs together may not take more than 1/100 of the memory.
 */
#include "capture/ring_size.h"

#define SMALL_BYTES (512u * 1024)
#define COPY_BYTES  (8u * 1024 * 1024)
/* Above EVENTS_FEW, as with a pattern, most tracepoints are rarely hit: 64 KiB hold 500 hits. */
#define EVENTS_FEW  8
#define LEAST_BYTES (64u * 1024)
/* Above EVENTS_MANY nearly all are, and on many CPUs there are tens of thousands of rings. */
#define EVENTS_MANY 64
#define LEAST_OF_MANY_BYTES (16u * 1024)
#define TOTAL_MAX_BYTES (256u * 1024 * 1024)

static uint64_t count_pages(const struct ring_size *size, size_t cpus, size_t events)
{
	return cpus * (events * size->sample_pages + size->sideband_pages);
}

struct ring_size ring_size_choose(bool has_copies, size_t cpus, size_t events,
				  uint64_t memory_bytes, size_t page_bytes)
{
	const size_t small_pages = SMALL_BYTES / page_bytes;
	const uint64_t share = memory_bytes / 100;
	const uint64_t pages_max = (share < TOTAL_MAX_BYTES ? share : TOTAL_MAX_BYTES) / page_bytes;
	struct ring_size size = { small_pages, small_pages };

	const size_t least_pages = events > EVENTS_MANY ? LEAST_OF_MANY_BYTES / page_bytes
				 : events > EVENTS_FEW ? LEAST_BYTES / page_bytes : small_pages;

	if (has_copies)
		size.sample_pages = COPY_BYTES / page_bytes;
	while (size.sample_pages > least_pages && count_pages(&size, cpus, events) > pages_max)
		size.sample_pages /= 2;
	return size;
}

/* The side-band needs less room than samples: limits its ring to a quarter of a sample ring. */
bool ring_size_lower(struct ring_size *size)
{
	size_t sideband_pages;

	if (size->sample_pages == 1)
		return false;
	size->sample_pages /= 2;
	sideband_pages = size->sample_pages > 4 ? size->sample_pages / 4 : 1;
	if (sideband_pages < size->sideband_pages)
		size->sideband_pages = sideband_pages;
	return true;
}
