/* walker_fixture.h - a walker over a stack made by hand: the code is a file that is mapped at CODE,
 * JIT is executable memory without a file. Each test brings the rows of that code. */
#ifndef WALKER_FIXTURE_H
#define WALKER_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "unwind/walk.h"

#define CODE	   0x400000u	/* where the file's byte 0 is */
#define CODE_BYTES 0x10000u
#define JIT	   0x700000u
#define JIT_BYTES  0x10000u
#define LATE	   0x800000u	/* a file whose table is still to come */
#define UNNAMED	   0x900000u	/* as JIT, but no map names it */
#define UNREAD	   0xa00000u	/* as JIT, but its map is still to come */
#define STACK	   0x7ffc0000u
#define WORDS	   64

struct fixture {
	struct walker walker;
	struct walker_space space;
	uint64_t words[WORDS];		/* the stack's, from STACK on */
	struct walker_stack stack;
	struct walker_registers registers;
	const struct unwind_table *table;	/* for the code, mapped `moved` bytes after CODE */
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
	struct fixture *fixture = context;

	fixture->asked++;
	if (fixture->has_gone)
		return (struct walker_code){ .table = NULL };
	if (ip - fixture->moved - CODE < CODE_BYTES)
		return (struct walker_code){ fixture->table, fixture->number,
					     ip - fixture->moved - CODE, .is_mapped = true };
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
static inline int walker_fixture_start(void **state, const struct unwind_table *table)
{
	static struct fixture fixture;

	memset(&fixture, 0, sizeof(fixture));
	fixture.space = (struct walker_space){ .number = 7, .find = find_code,
					       .context = &fixture };
	fixture.stack = (struct walker_stack){ STACK, (const unsigned char *)fixture.words,
					       sizeof(fixture.words) };
	fixture.registers.sp = STACK;
	fixture.table = table;
	*state = &fixture;
	return walker_init(&fixture.walker);
}

static inline int tear_down(void **state)
{
	struct fixture *fixture = *state;

	walker_finish(&fixture->walker);
	return 0;
}

static inline void walk(struct fixture *fixture)
{
	fixture->count = walker_walk(&fixture->walker, &fixture->space, &fixture->registers,
				     &fixture->stack, fixture->frames, WALKER_FRAMES_MAX,
				     &fixture->end);
}

static inline void expect(const struct fixture *fixture, enum walker_end end,
			  const uint64_t *frames, size_t count)
{
	assert_int_equal(fixture->end, end);
	assert_int_equal(fixture->count, count);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(fixture->frames[i], frames[i]);
}

#define EXPECT(fixture, end, ...)                                                                  \
	expect(fixture, end, (const uint64_t[]){ __VA_ARGS__ },                                    \
	       sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t))

#endif
