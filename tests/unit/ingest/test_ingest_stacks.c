/* Stacks of x86-64's samples that bring registers and a copy of their stack, on whatever machine
 * the test runs. The program is this everywhere:
 *
 *   file offset   function           its rows
 *   0x1000        _start             the outermost
 *   0x1100        main               CFA = sp + 16
 *   0x1200        f                  CFA = sp + 16
 *   0x1300        leaf               CFA = sp + 8
 *   0x1400        __restore_rt       a signal's frame
 *   0x1500        (end)
 *
 * It is mapped at 0x400000, which is file offset 0x1000: main is 0x400100. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>


#include "hit_fixture.h"
#include "unit_tests.h"

#define PROGRAM	   0x400000u
#define IN_START   (PROGRAM + 0x020)
#define IN_MAIN	   (PROGRAM + 0x120)
#define IN_F	   (PROGRAM + 0x220)
#define IN_LEAF	   (PROGRAM + 0x320)
#define IN_RESTORE (PROGRAM + 0x400)
#define KERNEL	   0xffffffff81000000u
#define STACK	   0x7ffe00001000u
#define PROGRAM_PATH "/bin/prog"
#define BP_SP_IP   0x1c0	/* Linux, arch/x86/include/uapi/asm/perf_regs.h */

static const struct unwind_row rows[] = {
	{ .start = 0, .kind = UNWIND_GAP },
	{ .start = 0x1000, .kind = UNWIND_END },
	{ .start = 0x1100, .kind = UNWIND_SP, .cfa = 2 },
	{ .start = 0x1300, .kind = UNWIND_SP, .cfa = 1 },
	{ .start = 0x1400, .kind = UNWIND_SIGNAL },
	{ .start = 0x1500, .kind = UNWIND_GAP },
};
static const struct unwind_header header = {
	.magic = UNWIND_TABLE_MAGIC, .version = UNWIND_TABLE_VERSION, .row_count = COUNT_OF(rows),
};
static const struct unwind_table table = { .header = &header, .rows = rows };

static struct ingest_fixture feed;

static void start(bool is_replay)
{
	const struct ingest_config config = { .is_replay = is_replay };

	feed_init(&feed, &config, NULL);
	feed.event.format.machine = MACHINE_X86_64;
	feed.event.format.sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	feed.event.format.user_regs_mask = BP_SP_IP;
}

static int set_up(void **state)
{
	(void)state;
	start(true);
	feed_kernel(&feed, KERNEL, 0x100000, "[kernel.kallsyms]_text");
	feed_comm(&feed, 1, 100, 100, "prog", true);
	feed_mmap(&feed, 2, 100, PROGRAM, 0x1000, 0x1000, PROGRAM_PATH);
	feed_round(&feed, 2);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	feed_finish(&feed);
	return 0;
}

static void give_rows(const char *path, const struct unwind_table *unwind)
{
	static uint32_t number;
	const struct open_reply reply = {
		.dso = feed_dso(&feed, path)->canonical,
		.is_unwind = true, .is_ready = true,
		.unwind = *unwind, .unwind_number = ++number,
	};

	tables_take_unwind(&feed.ingest, &reply);
}

/* Some other process has that file. */
static void know(const char *path, const struct unwind_table *unwind)
{
	feed_mmap(&feed, 3, 999, PROGRAM, 0x1000, 0x1000, path);
	feed_round(&feed, 3);
	give_rows(path, unwind);
}

struct user_part {
	uint64_t abi, bp, sp, ip;
	const uint64_t *words;	/* from sp upwards */
	size_t count;
};

static void add_user_part(struct record_bytes *record, const struct user_part *user)
{
	const uint64_t registers[] = { user->bp, user->sp, user->ip };
	const uint64_t bytes = user->count * 8;

	record_add(record, &user->abi, 1);
	if (user->abi)
		record_add(record, registers, COUNT_OF(registers));
	record_add(record, &bytes, 1);
	if (!bytes)
		return;
	record_add(record, user->words, user->count);
	record_add(record, &bytes, 1);
}

static void push_sample(uint64_t time_ns, uint32_t pid, uint16_t misc, const uint64_t *chain,
			uint64_t chain_count, const struct user_part *user)
{
	const uint64_t ip = chain_count ? chain[1] : user->ip;
	const uint64_t fields[] = { ip, PAIR(pid, pid), time_ns, 0, 1, chain_count };
	struct record_bytes record;

	record_begin(&record, PERF_RECORD_SAMPLE, misc);
	record_add(&record, fields, COUNT_OF(fields));
	if (chain_count)
		record_add(&record, chain, chain_count);
	add_user_part(&record, user);
	record_close(&record);
	ingest_push(&feed.ingest, record.words, record.count * 8, 0, 0);
	assert_int_equal(feed.ingest.counters.malformed, 0);
}

/*   leaf <- f <- main <- _start; a word of locals in main and f */
static const uint64_t three_calls[] = { IN_F, 0, IN_MAIN, 0, IN_START, 0 };
static const struct user_part in_leaf = {
	.abi = PERF_SAMPLE_REGS_ABI_64, .bp = 1, .sp = STACK, .ip = IN_LEAF,
	.words = three_calls, .count = COUNT_OF(three_calls),
};

static void push_user(uint64_t time_ns, uint32_t pid, const struct user_part *user)
{
	push_sample(time_ns, pid, PERF_RECORD_MISC_USER, NULL, 0, user);
}

static void sample_user(uint64_t time_ns, const struct user_part *user)
{
	push_user(time_ns, 100, user);
	feed_round(&feed, time_ns);
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

/* The stack interned as number @stack, leaf first, is this and no more. */
static void assert_stack(uint32_t stack, const struct place *expected, size_t count)
{
	const struct stack_trie *trie = &feed.ingest.trie;
	uint32_t node;

	assert_true(stack < trie->stacks.count);
	assert_frame(trie->stacks.frame[stack], &expected[0]);
	node = trie->stacks.node[stack];
	for (size_t i = 1; i < count; i++) {
		assert_frame(trie->nodes.frame[node], &expected[i]);
		node = trie->nodes.parent[node];
	}
	assert_int_equal(node, STACK_NODE_ROOT);
}

static void assert_counts(struct stack_counts expected)
{
	assert_memory_equal(&feed.ingest.timeline.open_slice.stacks, &expected, sizeof(expected));
}

/* Callers are where their call is: a byte before the return address. */
static const struct place whole[] = {
	{ PROGRAM_PATH, 0x1320 }, { PROGRAM_PATH, 0x121f }, { PROGRAM_PATH, 0x111f },
	{ PROGRAM_PATH, 0x101f },
};

static void test_user_stacks_are_walked_to_their_outermost_frame(void **state)
{
	(void)state;
	give_rows(PROGRAM_PATH, &table);
	sample_user(10, &in_leaf);
	assert_stack(0, whole, COUNT_OF(whole));
	assert_counts((struct stack_counts){ .user = 1, .complete = 1 });
}

static const uint64_t in_syscall[] = { PERF_CONTEXT_KERNEL, KERNEL + 0x10, KERNEL + 0x20 };
static const struct place in_kernel[] = {
	{ "[kernel.kallsyms]", KERNEL + 0x10 }, { "[kernel.kallsyms]", KERNEL + 0x20 },
};

static void test_user_callers_follow_the_kernels_chain(void **state)
{
	/* The kernel's own opinion of the user part, a wrong one, is left out. */
	const uint64_t chain[] = { PERF_CONTEXT_KERNEL, KERNEL + 0x10, KERNEL + 0x20,
				   PERF_CONTEXT_USER, IN_LEAF, IN_START };
	const struct place expected[] = { in_kernel[0], in_kernel[1], whole[0], whole[1],
					  whole[2],	whole[3] };

	(void)state;
	give_rows(PROGRAM_PATH, &table);
	push_sample(10, 100, PERF_RECORD_MISC_KERNEL, chain, COUNT_OF(chain), &in_leaf);
	feed_round(&feed, 10);
	assert_stack(0, expected, COUNT_OF(expected));
	assert_counts((struct stack_counts){ .user = 1, .complete = 1 });
}

static void sample_kernel(uint64_t time_ns, const struct user_part *user)
{
	push_sample(time_ns, 100, PERF_RECORD_MISC_KERNEL, in_syscall, COUNT_OF(in_syscall), user);
	feed_round(&feed, time_ns);
}

static void test_kernel_threads_have_no_user_part(void **state)
{
	const struct user_part none = { .abi = PERF_SAMPLE_REGS_ABI_NONE };

	(void)state;
	sample_kernel(10, &none);
	assert_stack(0, in_kernel, COUNT_OF(in_kernel));
	assert_counts((struct stack_counts){ .user = 0 });
}

/* The old program's mappings have gone, its registers have not. */
static void test_in_an_exec_there_is_no_user_part(void **state)
{
	const struct user_part stale = { .abi = PERF_SAMPLE_REGS_ABI_64, .ip = PROGRAM + 0x100000 };

	(void)state;
	sample_kernel(10, &stale);
	assert_stack(0, in_kernel, COUNT_OF(in_kernel));
	assert_counts((struct stack_counts){ .user = 0 });
}

static void test_stacks_that_go_on_beyond_the_copy_are_cut(void **state)
{
	struct user_part cut = in_leaf;

	(void)state;
	give_rows(PROGRAM_PATH, &table);
	cut.count = 2;	/* the return address into f, and not the one into main */
	sample_user(10, &cut);
	assert_stack(0, whole, 2);
	cut.count = 0;
	sample_user(11, &cut);
	assert_stack(1, whole, 1);
	assert_counts((struct stack_counts){ .user = 2, .cut = 2 });
}

/* f calls itself twice. */
static void test_recursion_stays_in_the_stack(void **state)
{
	const uint64_t calls[] = { IN_F, 0, IN_F, 0, IN_F, 0, IN_MAIN, 0, IN_START };
	const struct user_part user = {
		.abi = PERF_SAMPLE_REGS_ABI_64, .sp = STACK, .ip = IN_LEAF, .words = calls,
		.count = COUNT_OF(calls),
	};
	const struct place expected[] = {
		whole[0], whole[1], whole[1], whole[1], whole[2], whole[3],
	};

	(void)state;
	give_rows(PROGRAM_PATH, &table);
	sample_user(10, &user);
	assert_stack(0, expected, COUNT_OF(expected));
	assert_counts((struct stack_counts){ .user = 1, .complete = 1 });
}

/* What a signal interrupts is no call: its address stays, be it a function's first. */
static void test_a_signal_came_into_the_address_that_it_says(void **state)
{
	uint64_t words[64] = { IN_RESTORE };
	const struct user_part user = {
		.abi = PERF_SAMPLE_REGS_ABI_64, .sp = STACK, .ip = IN_LEAF, .words = words,
		.count = COUNT_OF(words),
	};
	const struct place expected[] = {
		{ PROGRAM_PATH, 0x1320 }, { PROGRAM_PATH, 0x13ff }, { PROGRAM_PATH, 0x1300 },
		{ PROGRAM_PATH, 0x111f }, { PROGRAM_PATH, 0x101f },
	};
	struct unwind_row early[COUNT_OF(rows)];
	const struct unwind_table early_table = { .header = &header, .rows = early };

	(void)state;
	memcpy(early, rows, sizeof(rows));
	early[4].start = 0x13ff;	/* as libc has it: it is not called */
	words[1 + 160 / 8] = STACK + 50 * 8;
	words[1 + 168 / 8] = PROGRAM + 0x300;
	words[50] = IN_MAIN;
	words[52] = IN_START;
	give_rows(PROGRAM_PATH, &early_table);
	sample_user(10, &user);
	assert_stack(0, expected, COUNT_OF(expected));
	assert_counts((struct stack_counts){ .user = 1, .complete = 1 });
}

/* The caller's address is known, how to go on from there is not. */
static void test_files_without_rows_end_a_stack(void **state)
{
	const uint64_t words[] = { 0x600010, STACK + 4 * 8, IN_MAIN, 0, STACK + 6 * 8, IN_MAIN };
	const struct user_part user = {
		.abi = PERF_SAMPLE_REGS_ABI_64, .bp = STACK + 8, .sp = STACK, .ip = IN_LEAF,
		.words = words, .count = COUNT_OF(words),
	};
	const struct place expected[] = { { PROGRAM_PATH, 0x1320 }, { "/lib/locked.so", 0xf } };

	(void)state;
	give_rows(PROGRAM_PATH, &table);
	feed_mmap(&feed, 5, 100, 0x600000, 0x1000, 0, "/lib/locked.so");
	feed_round(&feed, 5);
	dso_table_set_unreadable(&feed.ingest.dsos,
				 feed_dso(&feed, "/lib/locked.so")->canonical, "not yours");
	sample_user(10, &user);
	assert_stack(0, expected, COUNT_OF(expected));
	assert_counts((struct stack_counts){ .user = 1 });
}

/* Code made at run time has no rows, and keeps frame pointers. */
static void test_memory_without_a_file_is_left_by_its_frame_pointer(void **state)
{
	const uint64_t words[] = { 0, STACK + 4 * 8, IN_MAIN, 0, IN_START };
	const struct user_part user = {
		.abi = PERF_SAMPLE_REGS_ABI_64, .bp = STACK + 8, .sp = STACK, .ip = 0x600010,
		.words = words, .count = COUNT_OF(words),
	};
	const struct place expected[] = { { "//anon", 0x600010 }, whole[2], whole[3] };

	(void)state;
	give_rows(PROGRAM_PATH, &table);
	feed_mmap(&feed, 5, 100, 0x600000, 0x1000, 0, "//anon");
	feed_round(&feed, 5);
	sample_user(10, &user);
	assert_stack(0, expected, COUNT_OF(expected));
	assert_counts((struct stack_counts){ .user = 1, .complete = 1 });
}

/*   sp -> | local | saved bp A | into f | local | A: saved bp 0 | into main |	slots of 4 */
static void test_processes_of_32_bits_are_followed_by_frame_pointers(void **state)
{
	const uint32_t base = 0xff001000;
	const uint64_t words[] = { PAIR(0, base + 16), PAIR(IN_F, 0), PAIR(0, IN_MAIN) };
	const struct user_part user = {
		.abi = PERF_SAMPLE_REGS_ABI_32, .bp = base + 4, .sp = base, .ip = IN_LEAF,
		.words = words, .count = COUNT_OF(words),
	};
	struct user_part cut = user;

	(void)state;
	give_rows(PROGRAM_PATH, &table);
	sample_user(10, &user);
	assert_stack(0, whole, 3);
	cut.count = 2;
	sample_user(11, &cut);
	assert_stack(1, whole, 2);
	assert_counts((struct stack_counts){ .user = 2, .cut = 1 });
}

/* Another program at the same addresses: f is now as big as leaf is in the other. */
static void test_an_exec_brings_other_rows_to_the_same_addresses(void **state)
{
	struct unwind_row others[COUNT_OF(rows)];
	const struct unwind_table other_table = { .header = &header, .rows = others };
	const struct place expected[] = { { "/bin/other", 0x1320 }, { "/bin/other", 0x121f } };

	(void)state;
	memcpy(others, rows, sizeof(rows));
	others[1].kind = UNWIND_SP;	/* these two */
	others[2].kind = UNWIND_END;	/* change places */
	give_rows(PROGRAM_PATH, &table);
	know("/bin/other", &other_table);
	sample_user(10, &in_leaf);
	feed_comm(&feed, 20, 100, 100, "other", true);
	feed_mmap(&feed, 21, 100, PROGRAM, 0x1000, 0x1000, "/bin/other");
	feed_round(&feed, 21);
	sample_user(30, &in_leaf);
	assert_stack(0, whole, COUNT_OF(whole));
	assert_stack(1, expected, COUNT_OF(expected));
	assert_counts((struct stack_counts){ .user = 2, .complete = 2 });
}

static void test_a_mapping_over_another_brings_its_rows(void **state)
{
	struct unwind_row others[COUNT_OF(rows)];
	const struct unwind_table other_table = { .header = &header, .rows = others };
	const struct place expected[] = { { PROGRAM_PATH, 0x1320 }, { "/lib/over.so", 0x121f } };

	(void)state;
	memcpy(others, rows, sizeof(rows));
	others[2].kind = UNWIND_END;
	give_rows(PROGRAM_PATH, &table);
	know("/lib/over.so", &other_table);
	sample_user(10, &in_leaf);
	feed_mmap(&feed, 11, 100, PROGRAM + 0x200, 0x100, 0x1200, "/lib/over.so");
	feed_round(&feed, 11);
	sample_user(20, &in_leaf);
	assert_stack(1, expected, COUNT_OF(expected));
}

static struct process_maps *maps_of(uint32_t pid)
{
	return task_table_process(&feed.ingest.tasks, pid)->maps;
}

static void test_children_share_what_is_known_of_addresses_until_they_map(void **state)
{
	(void)state;
	give_rows(PROGRAM_PATH, &table);
	sample_user(10, &in_leaf);
	feed_fork(&feed, 11, 100, 100, 200, 200);
	push_user(12, 200, &in_leaf);
	feed_round(&feed, 12);
	assert_int_equal(maps_of(200)->number, maps_of(100)->number);
	feed_mmap(&feed, 13, 200, 0x600000, 0x1000, 0, "/lib/more.so");
	push_user(14, 200, &in_leaf);
	feed_round(&feed, 14);
	assert_int_not_equal(maps_of(200)->number, maps_of(100)->number);
	assert_counts((struct stack_counts){ .user = 3, .complete = 3 });
}

static void test_a_table_changes_what_was_known_of_every_process(void **state)
{
	(void)state;
	feed_mmap(&feed, 5, 200, PROGRAM, 0x1000, 0x1000, PROGRAM_PATH);
	feed_mmap(&feed, 5, 300, PROGRAM, 0x1000, 0x1000, PROGRAM_PATH);
	for (uint32_t pid = 100; pid <= 300; pid += 100)
		push_user(10, pid, &in_leaf);
	feed_round(&feed, 10);
	assert_counts((struct stack_counts){ .user = 3 });
	give_rows(PROGRAM_PATH, &table);
	for (uint32_t pid = 100; pid <= 300; pid += 100)
		push_user(20, pid, &in_leaf);
	feed_round(&feed, 20);
	assert_counts((struct stack_counts){ .user = 6, .complete = 3 });
}

static void test_a_recording_waits_for_its_tables_in_order(void **state)
{
	(void)state;
	feed_dso(&feed, PROGRAM_PATH)->unwind = DSO_UNWIND_LOADING;
	push_user(10, 100, &in_leaf);
	feed_comm(&feed, 11, 100, 100, "renamed", false);
	push_user(12, 100, &in_leaf);
	feed_round(&feed, 20);
	assert_true(feed.ingest.has_waiting);
	assert_int_equal(feed_samples(&feed), 0);
	ingest_poll(&feed.ingest, false);
	assert_int_equal(feed_samples(&feed), 0);
	assert_true(feed.ingest.watermark_ns < 10);

	give_rows(PROGRAM_PATH, &table);
	ingest_poll(&feed.ingest, false);
	assert_false(feed.ingest.has_waiting);
	assert_int_equal(feed.ingest.watermark_ns, 20);
	assert_counts((struct stack_counts){ .user = 2, .complete = 2 });
	assert_int_equal(feed_counted(&feed, "prog", 100, PROGRAM_PATH, 0x1320), 1);
	assert_int_equal(feed_counted(&feed, "renamed", 100, PROGRAM_PATH, 0x1320), 1);
	assert_int_equal(feed.ingest.reorder->late, 0);
}

static void test_what_waits_counts_as_it_is_when_nobody_waits(void **state)
{
	(void)state;
	feed_dso(&feed, PROGRAM_PATH)->unwind = DSO_UNWIND_LOADING;
	sample_user(10, &in_leaf);
	ingest_poll(&feed.ingest, true);
	assert_false(feed.ingest.has_waiting);
	assert_stack(0, whole, 1);
	assert_counts((struct stack_counts){ .user = 1 });
}

/* The same live: nothing but the sample waits, and an exec in between does not change it. */
static void start_live(void)
{
	feed_finish(&feed);
	start(false);
	feed_comm(&feed, 1, 100, 100, "prog", true);
	feed_mmap(&feed, 2, 100, PROGRAM, 0x1000, 0x1000, PROGRAM_PATH);
	feed_round(&feed, 2);
	feed_dso(&feed, PROGRAM_PATH)->unwind = DSO_UNWIND_LOADING;
	sample_user(10, &in_leaf);
	assert_int_equal(feed.ingest.pending_count, 1);
}

static void test_a_pending_stack_is_walked_when_its_table_comes(void **state)
{
	(void)state;
	start_live();
	feed_comm(&feed, 20, 100, 100, "other", true);
	feed_mmap(&feed, 21, 100, PROGRAM, 0x1000, 0x1000, "/bin/other");
	feed_round(&feed, 21);
	feed.ingest.tables_epoch++;	/* not the one */
	ingest_poll(&feed.ingest, false);
	assert_int_equal(feed.ingest.pending_count, 1);

	give_rows(PROGRAM_PATH, &table);
	ingest_poll(&feed.ingest, false);
	assert_int_equal(feed.ingest.pending_count, 0);
	assert_int_equal(feed.ingest.pending->bytes, 0);
	assert_stack(0, whole, COUNT_OF(whole));
	assert_counts((struct stack_counts){ .user = 1, .complete = 1 });
	assert_int_equal(feed_counted(&feed, "prog", 100, PROGRAM_PATH, 0x1320), 1);
	assert_int_equal(feed.ingest.counters.unattributed, 0);
}

static void test_a_pending_stack_counts_as_it_is_when_its_time_is_over(void **state)
{
	(void)state;
	start_live();
	feed.ingest.pending->list[0].deadline_ns = 1;
	ingest_poll(&feed.ingest, false);
	assert_int_equal(feed.ingest.pending_count, 0);
	assert_stack(0, whole, 1);
	assert_counts((struct stack_counts){ .user = 1 });
}

static void test_pending_stacks_take_a_bounded_room(void **state)
{
	static const uint64_t words[400];
	struct user_part large = in_leaf;
	uint64_t pushed = 1;

	(void)state;
	start_live();
	large.words = words;
	large.count = COUNT_OF(words);
	while (!feed_samples(&feed) && pushed < 100000)
		sample_user(10 + pushed++, &large);
	assert_int_equal(feed_samples(&feed), 1);
	assert_int_equal(feed.ingest.pending_count, pushed - 1);
	assert_true(feed.ingest.pending->bytes <= 16 << 20);
	ingest_poll(&feed.ingest, true);
	assert_int_equal(feed_samples(&feed), pushed);
	assert_false(feed.ingest.pending->is_much);
}

#define UPROBES 0x7fffffffe000u
#define P	1	/* the probe */

/* f is in_leaf's, called at 5, and its latency is probed: main's address is replaced. */
static const uint64_t probed_calls[] = { IN_F, 0, UPROBES, 0, IN_START, 0 };
static const struct hit_record entry_of_f = {
	.time_ns = 5, .pid = 100, .tid = 100, .sp = STACK + 16, .return_address = IN_MAIN,
};

static struct user_part in_probed(uint64_t ip, uint64_t sp)
{
	return (struct user_part){
		.abi = PERF_SAMPLE_REGS_ABI_64, .bp = 1, .sp = sp, .ip = ip,
		.words = probed_calls + (sp - STACK) / 8,
		.count = COUNT_OF(probed_calls) - (sp - STACK) / 8,
	};
}

static void enter_f(void)
{
	hit_fixture_add(&feed.ingest, P, PROBE_USER, PROBE_LATENCY, "", 0);
	feed_mmap(&feed, 4, 100, UPROBES, 0x1000, 0, "[uprobes]");
	assert_true(hit_fixture_enter(&feed.ingest, P, &entry_of_f));
}

/* Calls are paired as on the machine that flametop runs on: they are live. */
static void leave_f(void)
{
	const struct hit_record record = {
		.time_ns = 20, .pid = 100, .tid = 100,
		.sp = entry_of_f.sp + RETURN_BYTES,
	};

	assert_true(hit_fixture_leave(&feed.ingest, P, &record));
	feed_round(&feed, 20);
}

static void test_a_return_address_that_a_probe_replaced_is_that_of_the_entry(void **state)
{
	const struct user_part in_leaf_of_probed = in_probed(IN_LEAF, STACK);

	(void)state;
	give_rows(PROGRAM_PATH, &table);
	enter_f();
	sample_user(10, &in_leaf_of_probed);
	assert_stack(0, whole, COUNT_OF(whole));
	assert_counts((struct stack_counts){ .user = 1, .complete = 1 });
	leave_f();
	sample_user(30, &in_leaf_of_probed);	/* another call, whose entry nobody reported */
	assert_stack(feed.ingest.trie.stacks.count - 1, whole, 2);
}

static void test_a_stack_in_the_kernels_code_for_probes_goes_on_with_the_entry(void **state)
{
	/* The copy of f's first instruction; int3, or the call of the kernel, after its return. */
	const struct { uint64_t ip, sp; } places[] = {
		{ UPROBES + 0x84, STACK + 16 },
		{ UPROBES + 1, STACK + 24 },
		{ UPROBES + 13, STACK },
	};

	(void)state;
	give_rows(PROGRAM_PATH, &table);
	enter_f();
	for (uint32_t i = 0; i < COUNT_OF(places); i++) {
		const struct user_part user = in_probed(places[i].ip, places[i].sp);
		const struct place expected[] = {
			{ "[uprobes]", places[i].ip - UPROBES }, { PROGRAM_PATH, 0x111f },
			{ PROGRAM_PATH, 0x101f },
		};

		sample_user(10 + i, &user);
		assert_stack(i, expected, COUNT_OF(expected));
		assert_counts((struct stack_counts){ .user = i + 1, .complete = i + 1 });
	}
}

static void test_that_code_proves_no_frame_pointers(void **state)
{
	const struct user_part user = {
		.abi = PERF_SAMPLE_REGS_ABI_64, .bp = STACK, .sp = STACK, .ip = UPROBES + 0x84,
		.words = three_calls + 1, .count = COUNT_OF(three_calls) - 1,
	};

	(void)state;
	give_rows(PROGRAM_PATH, &table);
	feed_mmap(&feed, 4, 100, UPROBES, 0x1000, 0, "[uprobes]");
	sample_user(10, &user);
	assert_stack(0, &(struct place){ "[uprobes]", 0x84 }, 1);
	assert_counts((struct stack_counts){ .user = 1 });
}

static void test_a_pending_stack_keeps_the_calls_that_it_was_in(void **state)
{
	const struct user_part in_leaf_of_probed = in_probed(IN_LEAF, STACK);

	(void)state;
	start_live();
	enter_f();
	sample_user(11, &in_leaf_of_probed);
	leave_f();
	assert_int_equal(feed.ingest.pending_count, 2);
	give_rows(PROGRAM_PATH, &table);
	ingest_poll(&feed.ingest, false);
	assert_int_equal(feed.ingest.trie.stacks.count, 2);	/* the hit's, and of both: */
	assert_stack(1, whole, COUNT_OF(whole));
}

static void test_a_task_without_maps_has_its_leaf(void **state)
{
	(void)state;
	push_user(10, 300, &in_leaf);
	feed_round(&feed, 10);
	assert_stack(0, &(struct place){ "[unknown]", IN_LEAF }, 1);
	assert_counts((struct stack_counts){ .user = 1 });
}

/* A sample without registers whose branch stack is leaf() called by f(), called by main(). In its
 * chain a wrong caller follows @chain, which ends in user code. */
static void sample_branches(uint16_t misc, const uint64_t *chain, uint64_t chain_count,
			    uint64_t branch_sample_type)
{
	const uint64_t fields[] = { chain[1], PAIR(100, 100), 10, 0, 1, chain_count + 1 };
	const uint64_t wrong = IN_START;
	const uint64_t branches[] = { 3, IN_F, IN_LEAF - 0x20, 0, IN_MAIN, IN_F - 0x20, 0,
				      0, 0, 0 };
	struct record_format *format = &feed.event.format;
	struct record_bytes record;

	format->sample_type &= ~(uint64_t)(PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER);
	format->sample_type |= PERF_SAMPLE_BRANCH_STACK;
	format->branch_sample_type = branch_sample_type;
	record_begin(&record, PERF_RECORD_SAMPLE, misc);
	record_add(&record, fields, COUNT_OF(fields));
	record_add(&record, chain, chain_count);
	record_add(&record, &wrong, 1);
	record_add(&record, branches, COUNT_OF(branches));
	feed_push(&feed, &record);
	feed_round(&feed, 10);
	assert_int_equal(feed.ingest.counters.malformed, 0);
}

static const uint64_t user_chain[] = { PERF_CONTEXT_USER, IN_LEAF };
static const struct place recorded_calls[] = {
	{ PROGRAM_PATH, 0x1320 }, { PROGRAM_PATH, 0x1220 }, { PROGRAM_PATH, 0x1120 },
};

static void test_calls_that_the_cpu_recorded_are_the_callers(void **state)
{
	(void)state;
	sample_branches(PERF_RECORD_MISC_USER, user_chain, COUNT_OF(user_chain),
			PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_CALL_STACK);
	assert_stack(0, recorded_calls, COUNT_OF(recorded_calls));
	assert_counts((struct stack_counts){ .user = 0 });
}

static void test_recorded_calls_follow_the_kernels_chain(void **state)
{
	const uint64_t chain[] = { PERF_CONTEXT_KERNEL, KERNEL + 0x10, KERNEL + 0x20,
				   PERF_CONTEXT_USER, IN_LEAF };
	const struct place expected[] = { in_kernel[0], in_kernel[1], recorded_calls[0],
					  recorded_calls[1], recorded_calls[2] };

	(void)state;
	sample_branches(PERF_RECORD_MISC_KERNEL, chain, COUNT_OF(chain),
			PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_CALL_STACK);
	assert_stack(0, expected, COUNT_OF(expected));
}

static void test_branches_of_other_kinds_are_no_calls(void **state)
{
	const struct place expected[] = { whole[0], { PROGRAM_PATH, 0x1020 } };

	(void)state;
	sample_branches(PERF_RECORD_MISC_USER, user_chain, COUNT_OF(user_chain),
			PERF_SAMPLE_BRANCH_ANY);
	assert_stack(0, expected, COUNT_OF(expected));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

UNIT_TESTS(test_ingest_stacks)
{
	const struct CMUnitTest tests[] = {
		TEST(test_user_stacks_are_walked_to_their_outermost_frame),
		TEST(test_user_callers_follow_the_kernels_chain),
		TEST(test_kernel_threads_have_no_user_part),
		TEST(test_in_an_exec_there_is_no_user_part),
		TEST(test_stacks_that_go_on_beyond_the_copy_are_cut),
		TEST(test_recursion_stays_in_the_stack),
		TEST(test_a_signal_came_into_the_address_that_it_says),
		TEST(test_files_without_rows_end_a_stack),
		TEST(test_memory_without_a_file_is_left_by_its_frame_pointer),
		TEST(test_processes_of_32_bits_are_followed_by_frame_pointers),
		TEST(test_an_exec_brings_other_rows_to_the_same_addresses),
		TEST(test_a_mapping_over_another_brings_its_rows),
		TEST(test_children_share_what_is_known_of_addresses_until_they_map),
		TEST(test_a_table_changes_what_was_known_of_every_process),
		TEST(test_a_recording_waits_for_its_tables_in_order),
		TEST(test_what_waits_counts_as_it_is_when_nobody_waits),
		TEST(test_a_pending_stack_is_walked_when_its_table_comes),
		TEST(test_a_pending_stack_counts_as_it_is_when_its_time_is_over),
		TEST(test_pending_stacks_take_a_bounded_room),
		TEST(test_a_return_address_that_a_probe_replaced_is_that_of_the_entry),
		TEST(test_a_stack_in_the_kernels_code_for_probes_goes_on_with_the_entry),
		TEST(test_that_code_proves_no_frame_pointers),
		TEST(test_a_pending_stack_keeps_the_calls_that_it_was_in),
		TEST(test_a_task_without_maps_has_its_leaf),
		TEST(test_calls_that_the_cpu_recorded_are_the_callers),
		TEST(test_recorded_calls_follow_the_kernels_chain),
		TEST(test_branches_of_other_kinds_are_no_calls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
