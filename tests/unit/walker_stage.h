/* walker_stage.h - a walker over a stack made by hand: the code is a file that is mapped at CODE,
 * JIT is executable memory without a file. Each test brings the rows of that code. */
#ifndef WALKER_STAGE_H
#define WALKER_STAGE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "unwind/walker.h"

#define CODE	   0x400000u	/* where the file's byte 0 is */
#define CODE_BYTES 0x10000u
#define JIT	   0x700000u
#define JIT_BYTES  0x10000u
#define LATE	   0x800000u	/* a file whose table is still to come */
#define UNNAMED	   0x900000u	/* as JIT, but no map names it */
#define UNREAD	   0xa00000u	/* as JIT, but its map is still to come */
#define STACK	   0x7ffc0000u
#define WORDS	   64

struct stage {
	struct walker walker;
	struct walker_space space;
	uint64_t words[WORDS];		/* of the stack, from STACK on */
	struct walker_stack stack;
	struct walker_registers registers;
	const struct unwind_table *table;	/* of the code, mapped `moved` bytes behind CODE */
	uint32_t number;
	uint64_t moved;
	unsigned int asked;		/* how often find() was */
	bool has_gone;			/* nothing is mapped any more */
	uint64_t frames[WALKER_FRAMES_MAX + 1];
	size_t count;
	enum walker_end end;
};

static inline struct walker_code find_code(void *context, uint64_t ip)
{
	struct stage *stage = context;

	stage->asked++;
	if (stage->has_gone)
		return (struct walker_code){ .table = NULL };
	if (ip - stage->moved - CODE < CODE_BYTES)
		return (struct walker_code){ stage->table, stage->number, ip - stage->moved - CODE,
					     .is_mapped = true };
	if (ip - JIT < JIT_BYTES)
		return (struct walker_code){ .is_mapped = true };
	if (ip - UNNAMED < JIT_BYTES)
		return (struct walker_code){ .is_mapped = true, .is_unnamed = true };
	if (ip - UNREAD < JIT_BYTES)
		return (struct walker_code){ .is_mapped = true, .is_unread = true };
	if (ip - LATE < CODE_BYTES)
		return (struct walker_code){ .is_mapped = true, .is_loading = true };
	return (struct walker_code){ .table = NULL };
}

/* @table: of the code. */
static inline int walker_stage_start(void **state, const struct unwind_table *table)
{
	static struct stage stage;

	memset(&stage, 0, sizeof(stage));
	stage.space = (struct walker_space){ .number = 7, .find = find_code, .context = &stage };
	stage.stack = (struct walker_stack){ STACK, (const unsigned char *)stage.words,
					     sizeof(stage.words) };
	stage.registers.sp = STACK;
	stage.table = table;
	*state = &stage;
	return walker_init(&stage.walker);
}

static inline int tear_down(void **state)
{
	struct stage *stage = *state;

	walker_finish(&stage->walker);
	return 0;
}

static inline void walk(struct stage *stage)
{
	stage->count = walker_walk(&stage->walker, &stage->space, &stage->registers, &stage->stack,
				   stage->frames, WALKER_FRAMES_MAX, &stage->end);
}

static inline void expect(const struct stage *stage, enum walker_end end,
			  const uint64_t *frames, size_t count)
{
	assert_int_equal(stage->end, end);
	assert_int_equal(stage->count, count);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(stage->frames[i], frames[i]);
}

#define EXPECT(stage, end, ...)                                                                    \
	expect(stage, end, (const uint64_t[]){ __VA_ARGS__ },                                      \
	       sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t))

#endif
