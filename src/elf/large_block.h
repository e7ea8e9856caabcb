/* large_block.h - heap blocks of many MiB that are soon filled, in huge pages where the kernel lets
 * programs ask for them. Page faults were half of the time to build a table of 100,000 symbols.
 * Source: madvise(2), MADV_HUGEPAGE. Thread: any. */
#ifndef ELF_LARGE_BLOCK_H
#define ELF_LARGE_BLOCK_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Of x86-64; if the CPU's are larger, no huge page is used. */
#define LARGE_BLOCK_HUGE_BYTES (2u << 20)

/* Behaves like malloc(3); free the block with free(3). */
static inline void *large_block_alloc(size_t bytes)
{
	const size_t huge = LARGE_BLOCK_HUGE_BYTES;
	void *block = NULL;

	if (bytes < huge || bytes > SIZE_MAX - huge)
		return malloc(bytes);
	bytes = (bytes + huge - 1) & ~(huge - 1);
	if (posix_memalign(&block, huge, bytes))
		return NULL;
	madvise(block, bytes, MADV_HUGEPAGE);	/* the kernel may refuse it */
	return block;
}

/* Behaves like realloc(3), but preserves only the first @used bytes for certain. */
static inline void *large_block_grow(void *block, size_t used, size_t bytes)
{
	void *grown;

	if (bytes < LARGE_BLOCK_HUGE_BYTES)
		return realloc(block, bytes);
	grown = large_block_alloc(bytes);
	if (!grown)
		return NULL;
	if (used)
		memcpy(grown, block, used);
	free(block);
	return grown;
}

#endif
