/* large_block.h - heap blocks of many MiB that are soon filled, in huge pages where the kernel lets
 * programs ask for them. Page faults were half of the time to build a table of 100,000 symbols.
 * Source: madvise(2), MADV_HUGEPAGE. Thread: any. */
#ifndef SANDBOX_LARGE_BLOCK_H
#define SANDBOX_LARGE_BLOCK_H

#include <stddef.h>

/* Behaves like malloc(3); free the block with free(3). */
void *large_block_alloc(size_t bytes);
/* Behaves like realloc(3), but preserves only the first @used bytes for certain. */
void *large_block_grow(void *block, size_t used, size_t bytes);

#endif
