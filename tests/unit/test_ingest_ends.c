/* What walks tell of where a thread's stack ends. The program is mapped at 0x400000:
 *
 *   0x400000  _start, the outermost	0x400100  main, CFA = sp + 8	0x400200 (end)
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <asm/perf_regs.h>

#include "ingest_stage.h"
#include "model/loss_sums.h"

#define PROGRAM	     0x400000u
#define PROGRAM_PATH "/bin/prog"
#define STACK	     0x7ffe00001000u
#define PID	     100u

static const struct unwind_row rows[] = {
	{ .start = 0, .kind = UNWIND_END },
	{ .start = 0x100, .kind = UNWIND_SP, .cfa = 1 },
	{ .start = 0x200, .kind = UNWIND_GAP },
};
static const struct unwind_header header = {
	.magic = UNWIND_TABLE_MAGIC, .version = UNWIND_TABLE_VERSION, .row_count = COUNT_OF(rows),
};
static const struct unwind_table table = { .header = &header, .rows = rows };

/* main calls itself, is called by _start; then the environment. */
static const uint64_t words[] = { PROGRAM + 0x110, PROGRAM + 0x110, PROGRAM + 0x10, 7, 8, 9 };
static const struct stack_copy whole = { .tid = PID, .sp = STACK, .count = sizeof(words),
					 .bytes = (const unsigned char *)words };
#define NEEDED 24u

static struct ingest_stage stage;
static struct stack_ends *ends;

static int set_up(void **state)
{
	const struct ingest_config config = { .is_replay = true };
	struct open_reply reply = { .is_unwind = true, .is_ready = true, .unwind = table,
				    .unwind_number = 1 };

	(void)state;
	stage_init(&stage, &config, NULL);
	stage.event.format.sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	stage.event.format.user_regs_mask = 1 << PERF_REG_X86_BP | 1 << PERF_REG_X86_SP |
					    1 << PERF_REG_X86_IP;
	ends = calloc(1, sizeof(*ends));
	stage.ingest.stacks.ends = ends;
	stage_comm(&stage, 1, PID, PID, "prog", true);
	stage_mmap(&stage, 2, PID, PROGRAM, 0x1000, 0, PROGRAM_PATH);
	stage_round(&stage, 2);
	reply.object = stage_object(&stage, PROGRAM_PATH)->canonical;
	ingest_unwind_reply(&stage.ingest, &reply);
	return ends ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	stage_finish(&stage);
	free(ends);
	return 0;
}

/* A sample in main with @reserved words of its stack, of which @count are filled. */
static void sample_of(uint64_t time_ns, uint64_t count, uint64_t reserved)
{
	const uint64_t bytes = reserved * 8, filled_bytes = count * 8;
	const uint64_t fields[] = {
		PROGRAM + 0x110, PAIR(PID, PID), time_ns, 0, 1, 0,
		PERF_SAMPLE_REGS_ABI_64, 1, STACK, PROGRAM + 0x110, bytes,
	};
	struct record_bytes record;

	record_begin(&record, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	record_add(&record, fields, COUNT_OF(fields));
	record_add(&record, words, reserved);
	record_add(&record, &filled_bytes, 1);
	record_close(&record);
	ingest_push(&stage.ingest, record.words, record.count * 8, 0, 0);
	stage_round(&stage, time_ns);
}

static void sample(uint64_t time_ns, uint64_t count)
{
	sample_of(time_ns, count, count);
}

static void assert_complete(uint64_t complete, uint64_t cut)
{
	const struct stack_counts *counts = &stage.ingest.timeline.open_slice.stacks;

	assert_int_equal(counts->complete, complete);
	assert_int_equal(counts->cut, cut);
}

/* As the ledger of losses has them. */
static uint64_t trimmed(void)
{
	uint64_t sums[LOSS_CAUSES];

	loss_sums_read(&stage.ingest, sums);
	return sums[LOSS_TRIMMED];
}

static void test_a_whole_walk_tells_where_the_stack_ends(void **state)
{
	(void)state;
	assert_int_equal(stack_ends_needed(ends, &whole), sizeof(words));
	sample(10, COUNT_OF(words));
	assert_int_equal(stack_ends_needed(ends, &whole), NEEDED);
	sample(11, NEEDED / 8);
	assert_complete(2, 0);
	assert_int_equal(stack_ends_needed(ends, &whole), NEEDED);
}

static void test_a_walk_that_is_cut_there_makes_the_thread_s_copies_whole(void **state)
{
	(void)state;
	stack_ends_learn(ends, &whole, STACK + 16);	/* of a stack within this one */
	sample(9, 2);		/* the kernel had no more */
	assert_int_equal(stack_ends_needed(ends, &whole), 16);
	assert_int_equal(trimmed(), 0);
	stack_ends_learn(ends, &whole, STACK + 40);	/* of yet another one, in between */
	sample_of(10, 2, 3);
	assert_complete(0, 2);
	assert_int_equal(trimmed(), 1);
	assert_int_equal(stack_ends_needed(ends, &whole), sizeof(words));
	sample(11, COUNT_OF(words));
	assert_complete(1, 2);
	assert_int_equal(trimmed(), 1);
	assert_int_equal(stack_ends_needed(ends, &whole), sizeof(words));
}

static void test_exec_and_exit_forget_it(void **state)
{
	(void)state;
	sample(10, COUNT_OF(words));
	stage_comm(&stage, 11, PID, PID, "named", false);
	stage_round(&stage, 11);
	assert_int_equal(stack_ends_needed(ends, &whole), NEEDED);
	stage_comm(&stage, 12, PID, PID, "other", true);
	stage_round(&stage, 12);
	assert_int_equal(stack_ends_needed(ends, &whole), sizeof(words));
	stack_ends_learn(ends, &whole, STACK + NEEDED);
	stage_exit(&stage, 13, PID, PID);
	stage_round(&stage, 13);
	assert_int_equal(stack_ends_needed(ends, &whole), sizeof(words));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_whole_walk_tells_where_the_stack_ends),
		TEST(test_a_walk_that_is_cut_there_makes_the_thread_s_copies_whole),
		TEST(test_exec_and_exit_forget_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
