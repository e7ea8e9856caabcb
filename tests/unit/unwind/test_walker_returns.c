/* Return addresses in whose place somebody has put another: whom the walker asks, and when. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "unit_tests.h"
#include "unwind/walk.h"

#define CODE	 0x400000u
#define REPLACED 0x7fffffffe000u	/* where no code is mapped, nor before it */
#define STACK	 0x7ffe00001000u
#define WORDS	 5

/* Three functions of 256 bytes each. */
enum { OUTERMOST = CODE, MIDDLE = CODE + 0x100, INNER = CODE + 0x200, CODE_END = CODE + 0x300 };

static const struct unwind_row rows[] = {
	{ .start = 0, .kind = UNWIND_END },
	{ .start = 0x100, .kind = UNWIND_SP, .cfa = 2 },
	{ .start = 0x200, .kind = UNWIND_SP, .cfa = 3 },
};
static const struct unwind_header header = { .row_count = 3 };
static const struct unwind_table table = { .header = &header, .rows = rows };

static struct walker walker;
static struct walker_space space;
/* inner has two words of its own, middle one. */
static uint64_t words[WORDS], true_words[WORDS];
static unsigned int asked;
static uint64_t frames[WALKER_FRAMES_MAX];
static size_t count;
static enum walker_end end;

static struct walker_code find_code(void *context, uint64_t ip)
{
	(void)context;
	if (ip < CODE || ip >= CODE_END)
		return (struct walker_code){ .is_mapped = false };
	return (struct walker_code){ .table = &table, .address = ip - CODE, .is_mapped = true };
}

static uint64_t find_return(void *context, uint64_t slot, uint64_t address)
{
	assert_ptr_equal(context, words);
	assert_in_range(slot, STACK, STACK + 8 * (WORDS - 1));
	assert_int_equal(slot % 8, 0);
	assert_int_equal(words[(slot - STACK) / 8], address);
	asked++;
	return true_words[(slot - STACK) / 8];
}

static int set_up(void **state)
{
	(void)state;
	memset(words, 0, sizeof(words));
	memset(true_words, 0, sizeof(true_words));
	words[2] = words[4] = REPLACED;
	true_words[2] = MIDDLE + 5;
	true_words[4] = OUTERMOST + 3;
	asked = 0;
	space = (struct walker_space){
		.number = 7, .find = find_code, .context = words, .find_return = find_return,
	};
	return walker_init(&walker);
}

static int tear_down(void **state)
{
	(void)state;
	walker_finish(&walker);
	return 0;
}

static const struct walker_stack stack = { STACK, (const unsigned char *)words, sizeof(words) };

static void walk(void)
{
	const struct walker_registers registers = { .ip = INNER + 8, .sp = STACK, .bp = 1 };

	count = walker_walk(&walker, &space, &registers, &stack, frames, WALKER_FRAMES_MAX, &end);
}

static void expect(enum walker_end why, size_t most)
{
	const uint64_t whole[] = { INNER + 8, MIDDLE + 5, OUTERMOST + 3 };

	assert_int_equal(end, why);
	assert_int_equal(count, most);
	assert_memory_equal(frames, whole, most * sizeof(whole[0]));
}

static void test_a_return_address_that_was_replaced_is_asked_for(void **state)
{
	(void)state;
	walk();
	expect(WALKER_COMPLETE, 3);
	assert_int_equal(asked, 2);
}

static void test_where_all_is_code_nobody_is_asked(void **state)
{
	(void)state;
	memcpy(words, true_words, sizeof(words));
	walk();
	expect(WALKER_COMPLETE, 3);
	assert_int_equal(asked, 0);
}

static void test_what_nobody_knows_or_is_no_code_ends_the_stack(void **state)
{
	(void)state;
	true_words[4] = 0;
	walk();
	expect(WALKER_LOST, 2);
	true_words[4] = REPLACED;
	walk();
	expect(WALKER_LOST, 2);
	space.find_return = NULL;
	walk();
	expect(WALKER_LOST, 1);
}

static void test_where_somebody_else_has_been_it_is_asked_for_too(void **state)
{
	const struct remote_frame found[] = {
		{ .ip = INNER + 8, .sp = STACK, .bp = 1, .is_exact = true },
		{ .ip = REPLACED, .sp = STACK + 24, .bp = 1 },
		{ .ip = OUTERMOST + 9, .sp = STACK + 40, .bp = 1 },	/* a guess */
	};

	(void)state;
	count = walker_resume(&walker, &space, found, 3, &stack, frames, WALKER_FRAMES_MAX, &end);
	expect(WALKER_COMPLETE, 3);
	assert_int_equal(asked, 2);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

UNIT_TESTS(test_walker_returns)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_return_address_that_was_replaced_is_asked_for),
		TEST(test_where_all_is_code_nobody_is_asked),
		TEST(test_what_nobody_knows_or_is_no_code_ends_the_stack),
		TEST(test_where_somebody_else_has_been_it_is_asked_for_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
