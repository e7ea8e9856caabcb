/* Stacks of aarch64's samples, on whatever machine the test runs. The program is this everywhere:
 *
 *   file offset   function           its rows
 *   0x1000        _start             the outermost
 *   0x1100        main               a frame of 16 bytes: x29 and x30
 *   0x1200        f                  as main
 *   0x1300        leaf               no frame: the return address is in lr
 *   0x1400        (end)
 *
 * It is mapped at 0x400000, which is file offset 0x1000: main is 0x400100. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "hit_fixture.h"
#include "unit_tests.h"

#define PROGRAM	   0x400000u
#define IN_START   (PROGRAM + 0x020)
#define IN_MAIN	   (PROGRAM + 0x120)
#define IN_F	   (PROGRAM + 0x220)
#define IN_LEAF	   (PROGRAM + 0x320)
#define KERNEL	   0xffff800008000000u
#define STACK	   0xffffe0001000u
#define UPROBES	   0xffffffffe000u
#define VDSO	   0xffffb0000000u
#define PROGRAM_PATH "/bin/prog"
#define P	   1	/* the probe */

/* Linux, arch/arm64/include/uapi/asm/perf_regs.h */
#define X29 (UINT64_C(1) << 29)
#define LR  (UINT64_C(1) << 30)
#define SP  (UINT64_C(1) << 31)
#define PC  (UINT64_C(1) << 32)

static const struct unwind_row rows[] = {
	{ .start = 0, .kind = UNWIND_GAP },
	{ .start = 0x1000, .kind = UNWIND_END },
	{ .start = 0x1100, .cfa = 2, .bp = -2, .kind = UNWIND_ARM_SP, .bx = UNWIND_SAVES_PAIR },
	{ .start = 0x1300, .kind = UNWIND_ARM_SP },
	{ .start = 0x1400, .kind = UNWIND_GAP },
};
static const struct unwind_header header = {
	.magic = UNWIND_TABLE_MAGIC, .version = UNWIND_TABLE_VERSION, .machine = MACHINE_AARCH64,
	.row_count = COUNT_OF(rows),
};
static const struct unwind_table table = { .header = &header, .rows = rows };

static struct ingest_fixture feed;

/* Samples bring @registers, and a copy of the stack if @with_copies. */
static void start(bool is_replay, uint64_t registers, bool with_copies)
{
	const struct ingest_config config = { .is_replay = is_replay };
	struct record_format *format = &feed.event.format;

	feed_init(&feed, &config, NULL);
	format->machine = MACHINE_AARCH64;
	format->sample_type |= PERF_SAMPLE_REGS_USER | (with_copies ? PERF_SAMPLE_STACK_USER : 0);
	format->user_regs_mask = registers;
	if (is_replay)
		feed_kernel(&feed, KERNEL, 0x100000, "[kernel.kallsyms]_text");
	feed_comm(&feed, 1, 100, 100, "prog", true);
	feed_mmap(&feed, 2, 100, PROGRAM, 0x1000, 0x1000, PROGRAM_PATH);
	feed_round(&feed, 2);
}

static int set_up(void **state)
{
	(void)state;
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	feed_finish(&feed);
	return 0;
}

static void give_rows(void)
{
	static uint32_t number;
	const struct open_reply reply = {
		.dso = feed_dso(&feed, PROGRAM_PATH)->canonical,
		.is_unwind = true, .is_ready = true, .unwind = table, .unwind_number = ++number,
	};

	tables_take_unwind(&feed.ingest, &reply);
}

struct place {
	const char *path;
	uint64_t address;
};

static void assert_frame(uint32_t frame, const struct place *expected)
{
	assert_int_not_equal(frame, ID_SET_NONE);
	assert_string_equal(feed_path(&feed, frame), expected->path);
	assert_int_equal(feed.ingest.trie.frames.address[frame], expected->address);
}

/* The stack interned last, leaf first, is this and no more. */
static void assert_stack(const struct place *expected, size_t count)
{
	const struct stack_trie *trie = &feed.ingest.trie;
	uint32_t stack = trie->stacks.count - 1, node;

	assert_true(trie->stacks.count > 0);
	assert_frame(trie->stacks.frame[stack], &expected[0]);
	node = trie->stacks.node[stack];
	for (size_t i = 1; i < count; i++) {
		assert_int_not_equal(node, STACK_NODE_ROOT);
		assert_frame(trie->nodes.frame[node], &expected[i]);
		node = trie->nodes.parent[node];
	}
	assert_int_equal(node, STACK_NODE_ROOT);
}

/* Pushes a sample with the kernel's chain, of which the address after the first marker is the
 * sample's own, and what follows it. */
static void push_sample(uint64_t time_ns, uint16_t misc, const uint64_t *chain,
			uint64_t chain_count, const uint64_t *more, size_t more_count)
{
	const uint64_t fields[] = { chain[1], PAIR(100, 100), time_ns, 0, 1, chain_count };
	struct record_bytes record;

	record_begin(&record, PERF_RECORD_SAMPLE, misc);
	record_add(&record, fields, COUNT_OF(fields));
	record_add(&record, chain, chain_count);
	record_add(&record, more, more_count);
	record_close(&record);
	ingest_push(&feed.ingest, record.words, record.count * 8, 0, 0);
	assert_int_equal(feed.ingest.counters.malformed, 0);
}

/* In f, or in what it calls. @into_main: the return address in f's frame. */
static void sample_copy(uint64_t time_ns, uint64_t ip, uint64_t lr, uint64_t sp,
			uint64_t into_main)
{
	/*   STACK: f's frame, main's frame, _start's */
	const uint64_t words[] = { STACK + 16, into_main, 0, IN_START, 0, 0 };
	const uint64_t chain[] = { PERF_CONTEXT_USER, ip };
	const size_t above = (sp - STACK) / 8, count = COUNT_OF(words) - above;
	uint64_t more[16] = { PERF_SAMPLE_REGS_ABI_64, sp, lr, sp, ip, count * 8 };

	memcpy(more + 6, words + above, count * 8);
	more[6 + count] = count * 8;
	push_sample(time_ns, PERF_RECORD_MISC_USER, chain, COUNT_OF(chain), more, 7 + count);
	feed_round(&feed, time_ns);
}

static const struct place in_main = { PROGRAM_PATH, 0x111f }, in_start = { PROGRAM_PATH, 0x101f };

/* f is called with sp above its frame; its latency is probed. */
static void start_probed(void)
{
	const struct hit_record entry = {
		.time_ns = 5, .pid = 100, .tid = 100, .sp = STACK + 16, .return_address = IN_MAIN,
	};

	start(true, X29 | LR | SP | PC, true);
	give_rows();
	hit_fixture_add(&feed.ingest, P, PROBE_USER, PROBE_LATENCY, "", 0);
	feed_mmap(&feed, 4, 100, UPROBES, 0x1000, 0, "[uprobes]");
	assert_true(hit_fixture_enter(&feed.ingest, P, &entry));
}

static void test_a_return_address_that_a_probe_replaced_is_that_of_the_entry(void **state)
{
	const struct place in_f[] = { { PROGRAM_PATH, 0x1220 }, in_main, in_start };
	const struct place in_leaf[] = {
		{ PROGRAM_PATH, 0x1320 }, { PROGRAM_PATH, 0x121f }, in_main, in_start,
	};

	(void)state;
	start_probed();
	sample_copy(10, IN_F, IN_F, STACK, UPROBES);
	assert_stack(in_f, COUNT_OF(in_f));
	sample_copy(11, IN_LEAF, IN_F, STACK, UPROBES);
	assert_stack(in_leaf, COUNT_OF(in_leaf));
}

/* The brk at the page's start, after the return; copies of f's first instruction, of 4 bytes, with
 * the replaced address in lr. sp is the same at all of them. */
static void test_a_stack_in_the_kernels_code_for_probes_goes_on_with_the_entry(void **state)
{
	static const uint64_t places[] = { 0, 4, 0x7c, 0x84 };

	(void)state;
	start_probed();
	for (uint32_t i = 0; i < COUNT_OF(places); i++) {
		const struct place expected[] = { { "[uprobes]", places[i] }, in_main, in_start };

		sample_copy(10 + i, UPROBES + places[i], UPROBES, STACK + 16, UPROBES);
		assert_stack(expected, COUNT_OF(expected));
	}
}

/* After the copied instruction has moved sp nothing tells whose copy it was. */
static void test_that_code_with_another_sp_ends_the_stack(void **state)
{
	const struct place expected = { "[uprobes]", 8 };

	(void)state;
	start_probed();
	sample_copy(10, UPROBES + 8, UPROBES, STACK, UPROBES);
	assert_stack(&expected, 1);
}

/* A leaf of the recorded kernel's vdso, which is not ours, called by f. x29 is f's. */
static void test_the_vdso_of_another_kernel_is_left_by_lr(void **state)
{
	const struct place expected[] = {
		{ "[vdso]", 0x300 }, { PROGRAM_PATH, 0x121f }, in_main, in_start,
	};

	(void)state;
	start(true, X29 | LR | SP | PC, true);
	give_rows();
	feed_mmap(&feed, 4, 100, VDSO, 0x1000, 0, "[vdso]");
	feed_round(&feed, 4);
	dso_table_set_unreadable(&feed.ingest.dsos, feed_dso(&feed, "[vdso]")->canonical,
				 "belongs to the kernel of the recording");
	sample_copy(10, VDSO + 0x300, IN_F, STACK, IN_MAIN);
	assert_stack(expected, COUNT_OF(expected));
}

static const struct place chained[] = {
	{ PROGRAM_PATH, 0x1320 }, { PROGRAM_PATH, 0x121f }, { PROGRAM_PATH, 0x1120 },
	{ PROGRAM_PATH, 0x1020 },
};
/* Of leaf, called by f: x29 is f's, whose record leads to main. */
static const uint64_t user_chain[] = { PERF_CONTEXT_USER, IN_LEAF, IN_MAIN, IN_START };

static void push_chain(uint64_t time_ns, const uint64_t *chain, size_t count, uint64_t abi,
		       uint64_t lr)
{
	const uint64_t more[] = { abi, lr };

	push_sample(time_ns, chain[0] == PERF_CONTEXT_KERNEL ? PERF_RECORD_MISC_KERNEL
							     : PERF_RECORD_MISC_USER,
		    chain, count, more, abi ? 2 : 1);
}

static void sample_chain(uint64_t time_ns, const uint64_t *chain, size_t count, uint64_t abi,
			 uint64_t lr)
{
	push_chain(time_ns, chain, count, abi, lr);
	feed_round(&feed, time_ns);
}

static void sample_user(uint64_t time_ns, uint64_t lr)
{
	sample_chain(time_ns, user_chain, COUNT_OF(user_chain), PERF_SAMPLE_REGS_ABI_64, lr);
}

/* As perf(1) has it: the caller that a register tells is at its call, the others after theirs. */
static void test_a_chain_gets_the_leafs_caller_from_lr(void **state)
{
	(void)state;
	start(true, LR, false);
	give_rows();
	sample_user(10, IN_F);
	assert_stack(chained, COUNT_OF(chained));
	sample_user(11, 0xab5a000000000000u | IN_F);	/* signed */
	assert_int_equal(feed.ingest.trie.stacks.count, 1);
	assert_int_equal(feed_samples(&feed), 2);
}

static void test_a_chain_of_user_code_below_the_kernels_gets_it_too(void **state)
{
	const uint64_t chain[] = { PERF_CONTEXT_KERNEL, KERNEL + 0x10, KERNEL + 0x20,
				   PERF_CONTEXT_USER, IN_LEAF, IN_MAIN, IN_START };
	const struct place expected[] = {
		{ "[kernel.kallsyms]", KERNEL + 0x10 }, { "[kernel.kallsyms]", KERNEL + 0x20 },
		chained[0], chained[1], chained[2], chained[3],
	};

	(void)state;
	start(true, LR, false);
	give_rows();
	sample_chain(10, chain, COUNT_OF(chain), PERF_SAMPLE_REGS_ABI_64, IN_F);
	assert_stack(expected, COUNT_OF(expected));
}

/* It may be the only caller that is known. */
static void test_a_chain_of_a_leaf_alone_gets_it_too(void **state)
{
	(void)state;
	start(true, LR, false);
	give_rows();
	sample_chain(10, user_chain, 2, PERF_SAMPLE_REGS_ABI_64, IN_F);
	assert_stack(chained, 2);
}

static void test_lr_is_no_caller_where_the_row_says_that_it_is_saved(void **state)
{
	const uint64_t chain[] = { PERF_CONTEXT_USER, IN_F, IN_MAIN, IN_START };
	const struct place expected[] = {
		{ PROGRAM_PATH, 0x1220 }, { PROGRAM_PATH, 0x1120 }, { PROGRAM_PATH, 0x1020 },
	};

	(void)state;
	start(true, LR, false);
	give_rows();
	sample_chain(10, chain, COUNT_OF(chain), PERF_SAMPLE_REGS_ABI_64, IN_F);
	assert_stack(expected, COUNT_OF(expected));
}

static void test_without_registers_or_rows_a_chain_stays_as_it_is(void **state)
{
	const struct place expected[] = { chained[0], chained[2], chained[3] };

	(void)state;
	start(true, LR, false);
	sample_user(10, IN_F);
	assert_stack(expected, COUNT_OF(expected));
	give_rows();
	sample_chain(11, user_chain, COUNT_OF(user_chain), PERF_SAMPLE_REGS_ABI_NONE, 0);
	sample_chain(12, user_chain, COUNT_OF(user_chain), PERF_SAMPLE_REGS_ABI_32, IN_F);
	assert_int_equal(feed.ingest.trie.stacks.count, 1);
	assert_int_equal(feed_samples(&feed), 3);
}

/* In one round, so that nothing makes what is known of the thread stale. */
static void test_a_chain_that_repeats_has_its_own_lr(void **state)
{
	(void)state;
	start(true, LR, false);
	give_rows();
	for (uint64_t time_ns = 10; time_ns < 13; time_ns++)
		push_chain(time_ns, user_chain, COUNT_OF(user_chain), PERF_SAMPLE_REGS_ABI_NONE, 0);
	push_chain(13, user_chain, COUNT_OF(user_chain), PERF_SAMPLE_REGS_ABI_64, IN_F);
	feed_round(&feed, 13);
	assert_int_equal(feed.ingest.trie.stacks.count, 2);
	assert_stack(chained, COUNT_OF(chained));
}

static void test_a_chain_waits_for_the_table_that_tells_whether_lr_is_the_caller(void **state)
{
	(void)state;
	start(false, LR, false);
	feed_dso(&feed, PROGRAM_PATH)->unwind = DSO_UNWIND_LOADING;
	sample_user(10, IN_F);
	assert_int_equal(feed.ingest.pending_count, 1);
	assert_int_equal(feed_samples(&feed), 0);
	give_rows();
	ingest_poll(&feed.ingest, false);
	assert_int_equal(feed.ingest.pending_count, 0);
	assert_stack(chained, COUNT_OF(chained));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

UNIT_TESTS(test_ingest_arm)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_return_address_that_a_probe_replaced_is_that_of_the_entry),
		TEST(test_a_stack_in_the_kernels_code_for_probes_goes_on_with_the_entry),
		TEST(test_that_code_with_another_sp_ends_the_stack),
		TEST(test_the_vdso_of_another_kernel_is_left_by_lr),
		TEST(test_a_chain_gets_the_leafs_caller_from_lr),
		TEST(test_a_chain_of_user_code_below_the_kernels_gets_it_too),
		TEST(test_a_chain_of_a_leaf_alone_gets_it_too),
		TEST(test_lr_is_no_caller_where_the_row_says_that_it_is_saved),
		TEST(test_without_registers_or_rows_a_chain_stays_as_it_is),
		TEST(test_a_chain_that_repeats_has_its_own_lr),
		TEST(test_a_chain_waits_for_the_table_that_tells_whether_lr_is_the_caller),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
