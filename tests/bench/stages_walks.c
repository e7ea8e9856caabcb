/* stages_walks.c - walks over copies of stacks, for which a recording of perf-record(1) is needed:
 * --call-graph dwarf, one program on one CPU. */
#include <stdlib.h>
#include <string.h>

#include "stages.h"

#include "../unit/stack_fixture.h"

/* They fit the CPU's last cache, as the stacks in the queue do, which were copied a moment ago. */
#define STACKS_MAX 256

struct walk_state {
	struct stack_fixture fixture;
	struct walker walker;
	struct remote_stack stacks[STACKS_MAX];
	size_t count;
};

static void keep(void *context, struct stack_fixture *fixture, const struct remote_stack *stack)
{
	struct walk_state *state = context;
	unsigned char *bytes;

	(void)fixture;
	if (state->count == STACKS_MAX)
		return;
	bytes = stages_allocate(stack->count, 1);
	state->stacks[state->count] = *stack;
	state->stacks[state->count++].bytes = memcpy(bytes, stack->bytes, stack->count);
}

static void *walk_set_up(const struct stages_shape *shape)
{
	struct walk_state *state;

	if (!shape->recording)
		return NULL;
	state = stages_allocate(1, sizeof(*state));
	stages_need(!walker_init(&state->walker), "no memory");
	stack_fixture_replay(&state->fixture, shape->recording, keep, state);
	stages_need(state->count > 0, "no stack was recorded");
	return state;
}

static void walk_tear_down(void *state)
{
	struct walk_state *of = state;

	for (size_t i = 0; i < of->count; i++)
		free((void *)of->stacks[i].bytes);
	walker_finish(&of->walker);
	stack_fixture_finish(&of->fixture);
	free(of);
}

static uint64_t walk_all(struct walk_state *state, bool is_cached)
{
	uint64_t frames[WALKER_FRAMES_MAX], sum = 0;
	enum walker_end end;

	for (size_t i = 0; i < state->count; i++) {
		state->fixture.number += !is_cached;	/* another address space each time */
		sum += stack_fixture_walk(&state->fixture, &state->walker, &state->stacks[i],
					  frames, &end);
	}
	stages_keep(sum);
	return state->count;
}

static uint64_t walk_round(void *state)
{
	return walk_all(state, true);
}

static uint64_t walk_new_round(void *state)
{
	return walk_all(state, false);
}

const struct stage stages_of_walks[] = {
	{ "walk", "stack", "a copied stack walked, its code seen before", walk_set_up, NULL,
	  walk_round, walk_tear_down },
	{ "walk_new", "stack", "the same, every address looked up", walk_set_up, NULL,
	  walk_new_round, walk_tear_down },
	{ .name = NULL },
};
