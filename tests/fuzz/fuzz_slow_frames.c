/* fuzz_slow_frames.c - replies that pass the check can be read through, and a walker goes on from
 * their last frame, without harm. */
#include <stdlib.h>
#include <string.h>

#include "elf/slow_frames.h"
#include "unwind/walk.h"

#define STACKS 2

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

/* Of code, every other page; none has a table. */
static struct walker_code find_code(void *context, uint64_t ip)
{
	(void)context;
	return (struct walker_code){ .is_mapped = ip >> 12 & 1 };
}

static void go_on(const struct slow_reply *reply)
{
	static const unsigned char words[256];
	const struct walker_stack stack = { reply->frames[0].sp, words, sizeof(words) };
	const struct walker_space space = { .number = 1, .find = find_code };
	uint64_t frames[WALKER_FRAMES_MAX];
	struct walker walker;
	enum walker_end end;

	if (walker_init(&walker))
		return;
	if (!walker_resume(&walker, &space, reply->frames, reply->count, &stack, frames,
			   WALKER_FRAMES_MAX, &end))
		abort();
	walker_finish(&walker);
}

/* A reply begins as its stack does: that is right here, so that it need not be guessed. */
static void set_leaf(const uint8_t *bytes, size_t count, struct remote_stack *stack)
{
	struct remote_frame leaf;

	if (count < sizeof(uint64_t) + sizeof(leaf))
		return;
	memcpy(&leaf, bytes + sizeof(uint64_t), sizeof(leaf));
	stack->registers[REMOTE_REGISTER_IP] = leaf.ip;
	stack->registers[REMOTE_REGISTER_SP] = leaf.sp;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
	struct slow_request request = { .stack_count = 1 + count % STACKS };
	struct remote_stack stacks[STACKS] = { { .start = 0 } };
	struct slow_reply replies[STACKS];
	void *copy = malloc(count + 1);	/* aligned, and its end is guarded */

	memcpy(copy, bytes, count);
	set_leaf(bytes, count, &stacks[0]);
	if (!slow_frames_check(&request, stacks, copy, count, replies, NULL))
		for (uint64_t i = 0; i < request.stack_count; i++)
			go_on(&replies[i]);
	free(copy);
	return 0;
}
