/* What walks tell of where a thread's stack ends, and of what ended a walk before it was there.
 * The program is mapped at 0x400000:
 *
 *   0x400000  _start, the outermost	0x400100  main, CFA = sp + 8	0x400200 (end)
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>


#include "analyzer/snapshot_head.h"
#include "ingest/losses.h"
#include "ingest_fixture.h"
#include "unit_tests.h"

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

static struct ingest_fixture feed;
static struct stack_ends *ends;

static int set_up(void **state)
{
	const struct ingest_config config = { .is_replay = true };
	struct open_reply reply = { .is_unwind = true, .is_ready = true, .unwind = table,
				    .unwind_number = 1 };

	(void)state;
	feed_init(&feed, &config, NULL);
	feed.event.format.sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	feed.event.format.user_regs_mask = COPY_REGISTERS;
	ends = calloc(1, sizeof(*ends));
	feed.ingest.stack_ends = ends;
	feed_comm(&feed, 1, PID, PID, "prog", true);
	feed_mmap(&feed, 2, PID, PROGRAM, 0x1000, 0, PROGRAM_PATH);
	feed_round(&feed, 2);
	reply.dso = feed_dso(&feed, PROGRAM_PATH)->canonical;
	tables_take_unwind(&feed.ingest, &reply);
	return ends ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	feed_finish(&feed);
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
	ingest_push(&feed.ingest, record.words, record.count * 8, 0, 0);
	feed_round(&feed, time_ns);
}

static void sample(uint64_t time_ns, uint64_t count)
{
	sample_of(time_ns, count, count);
}

static void assert_complete(uint64_t complete, uint64_t cut)
{
	const struct stack_counts *counts = &feed.ingest.timeline.open_slice.stacks;

	assert_int_equal(counts->complete, complete);
	assert_int_equal(counts->cut, cut);
}

/* As the loss counters have them. */
static uint64_t trimmed(void)
{
	uint64_t sums[SUMS];

	loss_sums_read(&feed.ingest, sums);
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
	stack_ends_learn(ends, &whole, STACK + 16);	/* a stack within this one */
	sample(9, 2);		/* the kernel had no more */
	assert_int_equal(stack_ends_needed(ends, &whole), 16);
	assert_int_equal(trimmed(), 0);
	stack_ends_learn(ends, &whole, STACK + 40);	/* yet another one, in between */
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
	feed_comm(&feed, 11, PID, PID, "named", false);
	feed_round(&feed, 11);
	assert_int_equal(stack_ends_needed(ends, &whole), NEEDED);
	feed_comm(&feed, 12, PID, PID, "other", true);
	feed_round(&feed, 12);
	assert_int_equal(stack_ends_needed(ends, &whole), sizeof(words));
	stack_ends_learn(ends, &whole, STACK + NEEDED);
	feed_exit(&feed, 13, PID, PID);
	feed_round(&feed, 13);
	assert_int_equal(stack_ends_needed(ends, &whole), sizeof(words));
}

/* Which process most stacks of @cause ended in, as the loss counters have it. */
static struct loss_process process_of(enum loss_cause cause)
{
	static const struct loss_history no_history;
	struct snapshot head = { .window = WINDOW_ALL };

	snapshot_head_put_losses(&feed.ingest, &no_history, &head);
	return head.losses.processes[cause];
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#define ANON 0x600000u

/* A sample at @ip with this copy of its stack. */
static void sample_at(uint64_t time_ns, uint64_t ip, uint64_t bp, const uint64_t *copy,
		      uint64_t count)
{
	const uint64_t bytes = count * 8;
	const uint64_t fields[] = {
		ip, PAIR(PID, PID), time_ns, 0, 1, 0, PERF_SAMPLE_REGS_ABI_64, bp, STACK, ip, bytes,
	};
	struct record_bytes record;

	record_begin(&record, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	record_add(&record, fields, COUNT_OF(fields));
	record_add(&record, copy, count);
	record_add(&record, &bytes, 1);
	record_close(&record);
	ingest_push(&feed.ingest, record.words, record.count * 8, 0, 0);
	feed_round(&feed, time_ns);
}

/* Code made at run time that its process has named: no stack ends there for want of a map. */
static void map_anonymous(void)
{
	struct dso *dso;

	feed_mmap(&feed, 5, PID, ANON, 0x1000, 0, "//anon");
	feed_round(&feed, 5);
	dso = feed_dso(&feed, "//anon");
	dso->state = DSO_READY;
	dso->is_run_time = true;
}

static void assert_ends(uint64_t in_run_time_code, uint64_t in_files)
{
	uint64_t sums[SUMS];

	loss_sums_read(&feed.ingest, sums);
	assert_int_equal(sums[LOSS_ENDED_RUN_TIME], in_run_time_code);
	assert_int_equal(sums[LOSS_ENDED_FILE], in_files);
}

/* A JIT compiler may use the frame pointer for something else: a larger copy would not help. */
static void test_a_guess_beyond_the_copy_is_the_fault_of_the_code_it_was_made_for(void **state)
{
	const uint64_t copy[] = { 0, STACK + 4 * 8, ANON + 0x20, 0 };

	(void)state;
	map_anonymous();
	sample_at(10, ANON + 0x10, STACK + 0x10000, copy, COUNT_OF(copy));
	assert_complete(0, 0);
	assert_ends(1, 0);
	sample_at(11, ANON + 0x10, 0, copy, COUNT_OF(copy));
	assert_complete(0, 0);
	assert_ends(2, 0);
}

/* Its caller's frame was found where it said. */
static void test_a_chain_of_frame_pointers_is_cut_by_the_end_of_the_copy(void **state)
{
	const uint64_t copy[] = { 0, STACK + 4 * 8, ANON + 0x20, 0 };

	(void)state;
	map_anonymous();
	sample_at(10, ANON + 0x10, STACK + 8, copy, COUNT_OF(copy));
	assert_complete(0, 1);
	assert_ends(0, 0);
}

static void test_code_of_a_file_without_rows_is_said_to_have_ended_a_stack(void **state)
{
	const uint64_t copy[] = { 0x1234, 0 };

	(void)state;
	sample_at(10, PROGRAM + 0x300, 0, copy, COUNT_OF(copy));
	assert_ends(0, 1);
	sample_at(11, PROGRAM + 0x110, 0, copy, COUNT_OF(copy));	/* no code is there */
	assert_ends(0, 1);
	dso_table_set_unreadable(&feed.ingest.dsos,
				 feed_dso(&feed, PROGRAM_PATH)->canonical, "not yours");
	feed.ingest.tables_epoch++;
	sample_at(12, PROGRAM + 0x110, 0, words, COUNT_OF(words));
	assert_ends(0, 2);
	assert_complete(0, 0);
}

static void test_the_program_that_ended_most_stacks_is_named(void **state)
{
	const uint64_t copy[] = { 0, STACK + 4 * 8, ANON + 0x20, 0 };
	struct loss_process process;

	(void)state;
	assert_int_equal(process_of(LOSS_ENDED_RUN_TIME).pid, 0);
	map_anonymous();
	sample_at(10, ANON + 0x10, 0, copy, COUNT_OF(copy));
	process = process_of(LOSS_ENDED_RUN_TIME);
	assert_int_equal(process.pid, PID);
	assert_string_equal(process.program, "prog");
	assert_string_equal(process.file, "");
	assert_null(process.remedy);
	sample_at(11, PROGRAM + 0x300, 0, copy, COUNT_OF(copy));
	process = process_of(LOSS_ENDED_FILE);
	assert_string_equal(process.program, "prog");
	assert_string_equal(process.file, "prog");
	sample_of(12, 2, 2);
	assert_int_equal(process_of(LOSS_CUT).pid, PID);
}

/* Java helps itself by another option than node. Its library may come after the first sample. */
static void test_code_of_a_known_run_time_system_is_helped_by_its_own_option(void **state)
{
	const uint64_t copy[] = { 0, STACK + 4 * 8, ANON + 0x20, 0 };
	struct loss_process process;

	(void)state;
	feed_mmap(&feed, 4, PID, 0x7e0000000000, 0x1000, 0, "/usr/bin/node_exporter");
	map_anonymous();
	sample_at(10, ANON + 0x10, 0, copy, COUNT_OF(copy));
	assert_null(process_of(LOSS_ENDED_RUN_TIME).remedy);
	feed_mmap(&feed, 11, PID, 0x7f0000000000, 0x1000, 0, "/usr/lib/jvm/lib/server/libjvm.so");
	sample_at(12, ANON + 0x10, 0, copy, COUNT_OF(copy));
	process = process_of(LOSS_ENDED_RUN_TIME);
	assert_string_equal(process.remedy, "java -XX:+PreserveFramePointer");
}

/* Many processes are forgotten again; the one that has most of it never is. */
static void test_a_process_with_most_stacks_outlasts_any_number_of_others(void **state)
{
	const struct process_maps *maps = task_table_find_process(&feed.ingest.tasks, PID)->maps;
	const struct stack_enders *enders = &feed.ingest.losses->enders;

	(void)state;
	for (uint32_t other = 1; other <= 1000; other++)
		stack_enders_add(&feed.ingest, STACK_END_COPY, PID + other, maps, 0);
	assert_null(stack_enders_main(enders, STACK_END_COPY));
	for (uint32_t other = 1; other <= 1000; other++) {
		for (int i = 0; i < 3; i++)
			stack_enders_add(&feed.ingest, STACK_END_COPY, PID, maps, 0);
		stack_enders_add(&feed.ingest, STACK_END_COPY, PID + other, maps, 0);
	}
	assert_int_equal(enders->total[STACK_END_COPY], 5000);
	assert_int_equal(stack_enders_main(enders, STACK_END_COPY)->pid, PID);
}

static void test_another_recording_ends_its_own_stacks(void **state)
{
	const struct ingest_config config = feed.ingest.config;

	(void)state;
	stack_enders_add(&feed.ingest, STACK_END_COPY, PID, NULL, 0);
	assert_int_equal(ingest_next_recording(&feed.ingest, &config), 0);
	assert_int_equal(feed.ingest.losses->enders.total[STACK_END_COPY], 0);
}

UNIT_TESTS(test_ingest_ends)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_whole_walk_tells_where_the_stack_ends),
		TEST(test_a_walk_that_is_cut_there_makes_the_thread_s_copies_whole),
		TEST(test_exec_and_exit_forget_it),
		TEST(test_a_guess_beyond_the_copy_is_the_fault_of_the_code_it_was_made_for),
		TEST(test_a_chain_of_frame_pointers_is_cut_by_the_end_of_the_copy),
		TEST(test_code_of_a_file_without_rows_is_said_to_have_ended_a_stack),
		TEST(test_another_recording_ends_its_own_stacks),
		TEST(test_the_program_that_ended_most_stacks_is_named),
		TEST(test_code_of_a_known_run_time_system_is_helped_by_its_own_option),
		TEST(test_a_process_with_most_stacks_outlasts_any_number_of_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
