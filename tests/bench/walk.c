/* walk.c - what a walk over a stack copy costs, for tests/bench/walks.
 *
 * walk RECORDING       of perf-record(1) with --call-graph dwarf, on one CPU
 * Prints microseconds of CPU per stack, every address looked up anew ("no cache": each round is
 * another address space) and with the cache, the best of ROUNDS each; how deep the stacks are; and
 * how often memory was allocated meanwhile.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../unit/stack_fixture.h"
#include "allocations.h"

/* They fit the CPU's last cache, as the stacks in the queue do, which were copied a moment ago. */
#define STACKS_MAX 256
#define ROUNDS	   20

struct kept {
	struct remote_stack stacks[STACKS_MAX];
	size_t count;
};

static void keep(void *context, struct stack_fixture *fixture, const struct remote_stack *stack)
{
	struct kept *kept = context;
	unsigned char *bytes;

	(void)fixture;
	if (kept->count == STACKS_MAX)
		return;
	bytes = malloc(stack->count);
	if (!bytes)
		exit(3);
	kept->stacks[kept->count] = *stack;
	kept->stacks[kept->count++].bytes = memcpy(bytes, stack->bytes, stack->count);
}

static double cpu_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

/* Of one stack, in the best round. */
static double best_us(struct stack_fixture *fixture, struct walker *walker, const struct kept *kept,
		      bool is_cached, size_t *frame_count)
{
	uint64_t frames[WALKER_FRAMES_MAX];
	double begin, best = 0;
	enum walker_end end;

	for (int round = 0; round < ROUNDS; round++) {
		*frame_count = 0;
		begin = cpu_us();
		for (size_t i = 0; i < kept->count; i++) {
			fixture->number += !is_cached;
			*frame_count += stack_fixture_walk(fixture, walker, &kept->stacks[i],
							   frames, &end);
		}
		begin = cpu_us() - begin;
		if (round == 0 || begin < best)
			best = begin;
	}
	return best / (double)kept->count;
}

int main(int argc, char **argv)
{
	static struct kept kept;
	struct stack_fixture fixture = { .number = 0 };
	struct walker walker;
	double uncached, cached;
	size_t frames, before;

	if (argc != 2 || walker_init(&walker))
		return 2;
	stack_fixture_replay(&fixture, argv[1], keep, &kept);
	if (!kept.count)
		return 3;
	before = allocations;
	uncached = best_us(&fixture, &walker, &kept, false, &frames);
	cached = best_us(&fixture, &walker, &kept, true, &frames);
	printf("%4.1f frames: %.2f us, %.2f us with the cache, %zu allocations\n",
	       (double)frames / (double)kept.count, uncached, cached, allocations - before);
	for (size_t i = 0; i < kept.count; i++)
		free((void *)kept.stacks[i].bytes);
	walker_finish(&walker);
	stack_fixture_finish(&fixture);
	return 0;
}
