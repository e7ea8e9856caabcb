/* large_block.c - see sandbox/large_block.h. */
#include "sandbox/large_block.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define HUGE_PAGE_BYTES	(2u << 20)	/* x86-64; if the CPU's are larger, no huge page is used */

void *large_block_alloc(size_t bytes)
{
	void *block = NULL;

	if (bytes < HUGE_PAGE_BYTES || bytes > SIZE_MAX - HUGE_PAGE_BYTES)
		return malloc(bytes);
	bytes = (bytes + HUGE_PAGE_BYTES - 1) & ~(size_t)(HUGE_PAGE_BYTES - 1);
	if (posix_memalign(&block, HUGE_PAGE_BYTES, bytes))
		return NULL;
	madvise(block, bytes, MADV_HUGEPAGE);	/* the kernel may refuse it */
	return block;
}

void *large_block_grow(void *block, size_t used, size_t bytes)
{
	void *grown;

	if (bytes < HUGE_PAGE_BYTES)
		return realloc(block, bytes);
	grown = large_block_alloc(bytes);
	if (!grown)
		return NULL;
	if (used)
		memcpy(grown, block, used);
	free(block);
	return grown;
}
