/* random_numbers.h - the same numbers in every run, for tests against a model (xorshift64). */
#ifndef TESTS_RANDOM_NUMBERS_H
#define TESTS_RANDOM_NUMBERS_H

#include <stdint.h>

/* @seed: not 0. */
static inline uint64_t random_next(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

/* 0 to @below - 1. */
static inline uint32_t random_below(uint64_t *seed, uint32_t below)
{
	return (uint32_t)((random_next(seed) >> 16) % below);
}

#endif
