/* large_block.h - heap memory of many MiB that is soon filled: in huge pages where the kernel lets
 * programs ask for them. Half of the time that a table of 100,000 symbols took were page faults.
 * Source: madvise(2), MADV_HUGEPAGE. Thread: any. */
#ifndef SANDBOX_LARGE_BLOCK_H
#define SANDBOX_LARGE_BLOCK_H

#include <stddef.h>

/* As malloc(3); to be freed with free(3). */
void *large_block_alloc(size_t bytes);
/* As realloc(3); keeps at least the first @used bytes. */
void *large_block_grow(void *block, size_t used, size_t bytes);

#endif
