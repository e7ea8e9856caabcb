/* allocations.h - counts what the calling thread allocates.
 *
 * Use:    include it in the one file of a program that reads `allocations`; it takes the names
 *         malloc, calloc and realloc for the whole program, with glibc's after them.
 */
#ifndef BENCH_ALLOCATIONS_H
#define BENCH_ALLOCATIONS_H

#include <stddef.h>
#include <stdint.h>

void *__libc_malloc(size_t bytes);			/* NOLINT */
void *__libc_calloc(size_t count, size_t bytes);	/* NOLINT */
void *__libc_realloc(void *memory, size_t bytes);	/* NOLINT */

static _Thread_local uint64_t allocations;

void *malloc(size_t bytes)
{
	allocations++;
	return __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
	allocations++;
	return __libc_calloc(count, bytes);
}

void *realloc(void *memory, size_t bytes)
{
	allocations++;
	return __libc_realloc(memory, bytes);
}

#endif
