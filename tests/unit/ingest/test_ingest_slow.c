/* Samples of the child of slow_child.h, whose stack needs a real worker on its way. */
#include <asm/perf_regs.h>
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "capture/stack_copy.h"
#include "elf/file_jobs.h"
#include "ingest_fixture.h"
#include "slow_child.h"
#include "stack_fixture.h"
#include "unit_tests.h"

#define STACK_BYTES_MAX 32768u
#define SECOND		1000000000u

static struct slow_child *child;
static struct stack_fixture fixture;
static struct remote_stack stack;
static struct sandbox *sandbox;
static struct slow_unwinder *server;
static struct ingest_fixture feed;

static void give_rows(const struct fixture_dso *file, uint32_t number)
{
	struct dso *dso = feed_dso(&feed, file->path);
	const struct open_reply reply = {
		.dso = dso->canonical, .is_unwind = true, .is_ready = true,
		.unwind = file->table, .unwind_number = number,
	};

	dso->build_id = elf_file_build_id((struct elf_file *)&file->file);
	tables_take_unwind(&feed.ingest, &reply);
}

static void start(bool is_replay)
{
	const struct ingest_config config = { .is_replay = is_replay };
	const uint32_t pid = (uint32_t)child->pid;

	feed_init(&feed, &config, NULL);
	feed.event.format.sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	feed.event.format.user_regs_mask = user_registers_mask();
	feed.ingest.slow_unwinder = server;
	feed_comm(&feed, 1, pid, pid, "child", true);
	for (size_t i = 0; i < fixture.mapping_count; i++)
		if (fixture.mappings[i].dso)
			feed_mmap(&feed, 2, pid, fixture.mappings[i].start,
				  fixture.mappings[i].end - fixture.mappings[i].start,
				  fixture.mappings[i].file_offset, fixture.mappings[i].dso->path);
	feed_round(&feed, 2);
	for (uint32_t i = 0; i < fixture.dso_count; i++)
		give_rows(fixture.dsos[i], i + 1);
}

static int set_up(void **state)
{
	(void)state;
	if (sandbox_start(&sandbox, worker_run, NULL) ||
	    slow_unwinder_create(&server, sandbox, NULL, NULL))
		return -1;
	start(false);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	feed_finish(&feed);
	assert_true(slow_unwinder_destroy(server));
	sandbox_stop(sandbox);
	return 0;
}

static int set_up_child(void **state)
{
	(void)state;
	child = slow_child_start();
	fixture.number = 1;
	stack_fixture_take(&fixture, child->pid, &stack);
	if (stack.count > STACK_BYTES_MAX)
		stack.count = STACK_BYTES_MAX;
	return 0;
}

static int tear_down_child(void **state)
{
	(void)state;
	free((void *)stack.bytes);
	stack_fixture_finish(&fixture);
	slow_child_end(child);
	return 0;
}

/* perf's order, by DWARF's numbers: the same on aarch64. */
#ifdef __aarch64__
static size_t dwarf_register(size_t index)
{
	return index;
}
#else
static size_t dwarf_register(size_t index)
{
	static const unsigned char order[REMOTE_REGISTERS] = {
		0, 3, 2, 1, 4, 5, 6, 7, 16, 8, 9, 10, 11, 12, 13, 14, 15,
	};

	return order[index];
}
#endif

static void push_sample(uint64_t time_ns)
{
	static uint64_t words[8192];
	const uint64_t ip = stack.registers[REMOTE_REGISTER_IP], bytes = stack.count & ~7ull;
	const uint64_t pid = PAIR(child->pid, child->pid);
	const uint64_t fields[] = { ip, pid, time_ns, 0, 1, 0, PERF_SAMPLE_REGS_ABI_64 };
	struct perf_event_header header = { .type = PERF_RECORD_SAMPLE,
					    .misc = PERF_RECORD_MISC_USER };
	uint64_t *at = words + 1;

	memcpy(at, fields, sizeof(fields));
	at += COUNT_OF(fields);
	for (size_t i = 0; i < REMOTE_REGISTERS; i++)
		*at++ = stack.registers[dwarf_register(i)];
	*at++ = bytes;
	memcpy(at, stack.bytes, bytes);
	at += bytes / 8;
	*at++ = bytes;
	header.size = (uint16_t)((size_t)(at - words) * 8);
	memcpy(words, &header, sizeof(header));
	ingest_push(&feed.ingest, words, header.size, 0, 0);
	assert_int_equal(feed.ingest.counters.malformed, 0);
}

static void sample(uint64_t time_ns)
{
	push_sample(time_ns);
	feed_round(&feed, time_ns);
}

static const struct stack_counts *counts(void)
{
	return &feed.ingest.timeline.open_slice.stacks;
}

static void assert_counts(struct stack_counts expected)
{
	assert_memory_equal(counts(), &expected, sizeof(expected));
}

/* As the analyzer does it, until nobody waits. */
static void wait_for_all(void)
{
	struct pollfd reply = { .fd = slow_unwinder_fd(server), .events = POLLIN };

	ingest_poll(&feed.ingest, false);
	while (feed.ingest.pending_count) {
		if (!slow_unwinder_is_idle(server))
			assert_int_equal(poll(&reply, 1, -1), 1);
		feed.ingest.pending->next_batch_ns = 0;	/* no pauses */
		ingest_poll(&feed.ingest, false);
	}
}

static uint64_t file_offset(uint64_t ip)
{
	for (size_t i = 0; i < fixture.mapping_count; i++)
		if (ip >= fixture.mappings[i].start && ip < fixture.mappings[i].end)
			return ip - fixture.mappings[i].start + fixture.mappings[i].file_offset;
	fail_msg("%lx is nowhere", (unsigned long)ip);
	return 0;
}

static size_t stack_addresses(uint32_t number, uint64_t *out)
{
	const struct stack_trie *trie = &feed.ingest.trie;
	uint32_t node = trie->stacks.node[number];
	size_t count = 1;

	out[0] = trie->frames.address[trie->stacks.frame[number]];
	for (; node != STACK_NODE_ROOT; node = trie->nodes.parent[node])
		out[count++] = trie->frames.address[trie->nodes.frame[node]];
	return count;
}

/* The index of by_r12() among the functions that the child reported. */
static int by_r12_at(void)
{
	for (int i = 0; i < child->count; i++)
		if ((uintptr_t)child->chain[i] - (uintptr_t)by_r12 < 64)
			return i;
	fail_msg("by_r12() is not in the chain");
	return 0;
}

/* It is the last frame that the walker itself finds. */
static void assert_ends_by_r12(uint32_t number)
{
	uint64_t addresses[WALKER_FRAMES_MAX];
	size_t count = stack_addresses(number, addresses);

	assert_int_equal(addresses[count - 1],
			 file_offset((uintptr_t)child->chain[by_r12_at()]) - 1);
}

static void test_a_sample_waits_for_the_callers_that_only_a_worker_knows(void **state)
{
	uint64_t addresses[WALKER_FRAMES_MAX];
	size_t count;

	(void)state;
	sample(10);
	assert_int_equal(feed_samples(&feed), 0);
	wait_for_all();
	assert_counts((struct stack_counts){ .user = 1, .complete = 1 });
	assert_int_equal(feed.ingest.pending->callers_count, 0);
	assert_int_equal(feed.ingest.pending->bytes, 0);

	count = stack_addresses(0, addresses);
	assert_true(child->count - by_r12_at() > 5 && count > (size_t)child->count - 1);
	for (int i = by_r12_at(); i < child->count; i++)
		assert_int_equal(addresses[count - (size_t)(child->count - i)],
				 file_offset((uintptr_t)child->chain[i]) - 1);
}

static void test_without_a_server_a_stack_ends_at_its_slow_row(void **state)
{
	(void)state;
	feed.ingest.slow_unwinder = NULL;
	sample(10);
	assert_counts((struct stack_counts){ .user = 1 });
	assert_ends_by_r12(0);
}

static void test_where_the_file_is_another_one_a_stack_ends_at_its_slow_row(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < fixture.dso_count; i++)
		feed_dso(&feed, fixture.dsos[i]->path)->build_id.bytes[0] ^= 1;
	feed.ingest.config.is_replay = true;	/* no process to ask: build-ids decide */
	sample(10);
	wait_for_all();
	assert_counts((struct stack_counts){ .user = 1 });
	assert_ends_by_r12(0);
}

static void test_a_stack_ends_at_its_slow_row_when_its_time_is_over(void **state)
{
	(void)state;
	sample(10);
	ingest_poll(&feed.ingest, false);
	assert_false(slow_unwinder_is_idle(server));
	feed.ingest.pending->list[0].deadline_ns = 1;
	ingest_poll(&feed.ingest, false);
	assert_int_equal(feed.ingest.pending->callers_count, 0);
	assert_counts((struct stack_counts){ .user = 1 });
	assert_ends_by_r12(0);
	/* The reply to the first is nobody's; the second has its own. */
	sample(11);
	wait_for_all();
	assert_counts((struct stack_counts){ .user = 2, .complete = 1 });
}

static void test_each_sample_of_a_batch_gets_its_own_reply(void **state)
{
	struct pollfd reply = { .fd = slow_unwinder_fd(server), .events = POLLIN };
	uint64_t *ip = &stack.registers[REMOTE_REGISTER_IP];

	(void)state;
	sample(10);
	++*ip;
	sample(11);
	ingest_poll(&feed.ingest, false);
	feed.ingest.pending->list[0].deadline_ns = 1;
	ingest_poll(&feed.ingest, false);
	assert_int_equal(feed.ingest.pending_count, 1);
	assert_int_equal(poll(&reply, 1, -1), 1);
	pending_take_callers(&feed.ingest);
	assert_int_equal(feed.ingest.pending->list[0].waiting_for, WAITING_FOR_NOTHING);
	assert_int_equal(feed.ingest.pending->list[0].callers.frames[0].ip, *ip);
	--*ip;
	wait_for_all();
	assert_int_equal(counts()->user, 2);
}

static void test_a_bounded_number_of_samples_waits(void **state)
{
	(void)state;
	for (uint64_t time_ns = 10; time_ns < 110; time_ns++)
		sample(time_ns);
	assert_int_equal(feed.ingest.pending->callers_count, 64);
	assert_counts((struct stack_counts){ .user = 36 });
	wait_for_all();
	assert_counts((struct stack_counts){ .user = 100, .complete = 64 });
}

static void test_workers_pause_between_batches(void **state)
{
	struct pollfd reply = { .fd = slow_unwinder_fd(server), .events = POLLIN };

	(void)state;
	sample(10);
	ingest_poll(&feed.ingest, false);
	assert_int_equal(poll(&reply, 1, -1), 1);
	ingest_poll(&feed.ingest, false);
	assert_int_equal(counts()->complete, 1);
	assert_true(feed.ingest.pending->next_batch_ns > 0);
	feed.ingest.pending->next_batch_ns = UINT64_MAX;
	sample(11);
	ingest_poll(&feed.ingest, false);
	assert_true(slow_unwinder_is_idle(server));
	feed.ingest.pending->next_batch_ns = 1;
	ingest_poll(&feed.ingest, false);
	assert_false(slow_unwinder_is_idle(server));
	wait_for_all();
	assert_int_equal(counts()->complete, 2);
}

/* A slice is a second: a count that comes late must not be in the next one. */
static void test_a_recording_counts_them_in_their_own_second(void **state)
{
	(void)state;
	feed_finish(&feed);
	start(true);
	push_sample(SECOND + 10);
	push_sample(SECOND + 20);
	push_sample(2ull * SECOND + 10);
	push_sample(2ull * SECOND + 20);
	feed_round(&feed, 3ull * SECOND);
	assert_int_equal(feed.ingest.pending->callers_count, 2);
	assert_true(feed.ingest.has_waiting);
	wait_for_all();
	assert_false(feed.ingest.has_waiting);
	assert_int_equal(feed.ingest.timeline.count, 1);
	assert_int_equal(feed.ingest.timeline.slices[0].stacks.complete, 2);
	assert_int_equal(counts()->complete, 2);
	assert_int_equal(feed.ingest.reorder->late, 0);
}

static void test_what_waits_counts_as_it_is_when_nobody_waits_for_it(void **state)
{
	(void)state;
	feed_finish(&feed);
	start(true);
	push_sample(SECOND + 10);
	push_sample(2ull * SECOND + 10);
	feed_round(&feed, 3ull * SECOND);
	ingest_poll(&feed.ingest, true);
	assert_int_equal(feed.ingest.pending_count, 0);
	assert_false(feed.ingest.has_waiting);
	assert_int_equal(feed_samples(&feed), 2);
	assert_int_equal(feed.ingest.timeline.slices[0].stacks.user, 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

UNIT_TESTS(test_ingest_slow)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_sample_waits_for_the_callers_that_only_a_worker_knows),
		TEST(test_without_a_server_a_stack_ends_at_its_slow_row),
		TEST(test_where_the_file_is_another_one_a_stack_ends_at_its_slow_row),
		TEST(test_a_stack_ends_at_its_slow_row_when_its_time_is_over),
		TEST(test_each_sample_of_a_batch_gets_its_own_reply),
		TEST(test_a_bounded_number_of_samples_waits),
		TEST(test_workers_pause_between_batches),
		TEST(test_a_recording_counts_them_in_their_own_second),
		TEST(test_what_waits_counts_as_it_is_when_nobody_waits_for_it),
	};

	return cmocka_run_group_tests(tests, set_up_child, tear_down_child);
}
