/* Samples of the child of rare_child.h, whose stack needs a real worker on its way. */
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

#include "capture/user_registers.h"
#include "ingest_stage.h"
#include "rare_child.h"
#include "stack_scene.h"

#define STACK_BYTES_MAX 32768u
#define SECOND		1000000000u

static struct rare_child *child;
static struct stack_scene scene;
static struct remote_stack stack;
static struct sandbox *sandbox;
static struct rare_server *server;
static struct ingest_stage stage;

static void give_rows(const struct scene_object *file, uint32_t number)
{
	struct object *object = stage_object(&stage, file->path);
	const struct open_reply reply = {
		.object = object->canonical, .is_unwind = true, .is_ready = true,
		.unwind = file->table, .unwind_number = number,
	};

	object->build_id = elf_file_build_id((struct elf_file *)&file->file);
	ingest_unwind_reply(&stage.ingest, &reply);
}

static void start(bool is_replay)
{
	const struct ingest_config config = { .is_replay = is_replay };
	const uint32_t pid = (uint32_t)child->pid;

	stage_init(&stage, &config, NULL);
	stage.event.format.sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	stage.event.format.user_regs_mask = user_registers_mask();
	stage.ingest.rare.server = server;
	stage_comm(&stage, 1, pid, pid, "child", true);
	for (size_t i = 0; i < scene.mapping_count; i++)
		if (scene.mappings[i].object)
			stage_mmap(&stage, 2, pid, scene.mappings[i].start,
				   scene.mappings[i].end - scene.mappings[i].start,
				   scene.mappings[i].file_offset, scene.mappings[i].object->path);
	stage_round(&stage, 2);
	for (uint32_t i = 0; i < scene.object_count; i++)
		give_rows(scene.objects[i], i + 1);
}

static int set_up(void **state)
{
	(void)state;
	if (sandbox_start(&sandbox, NULL) || rare_server_create(&server, sandbox, NULL))
		return -1;
	start(false);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	stage_finish(&stage);
	assert_true(rare_server_destroy(server));
	sandbox_stop(sandbox);
	return 0;
}

static int set_up_child(void **state)
{
	(void)state;
	child = rare_child_start();
	scene.number = 1;
	stack_scene_take(&scene, child->pid, &stack);
	if (stack.count > STACK_BYTES_MAX)
		stack.count = STACK_BYTES_MAX;
	return 0;
}

static int tear_down_child(void **state)
{
	(void)state;
	free((void *)stack.bytes);
	stack_scene_finish(&scene);
	rare_child_end(child);
	return 0;
}

/* perf's order, by DWARF's numbers. */
static const unsigned char order[REMOTE_REGISTERS] = {
	0, 3, 2, 1, 4, 5, 6, 7, 16, 8, 9, 10, 11, 12, 13, 14, 15,
};

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
		*at++ = stack.registers[order[i]];
	*at++ = bytes;
	memcpy(at, stack.bytes, bytes);
	at += bytes / 8;
	*at++ = bytes;
	header.size = (uint16_t)((size_t)(at - words) * 8);
	memcpy(words, &header, sizeof(header));
	ingest_push(&stage.ingest, words, header.size, 0, 0);
	assert_int_equal(stage.ingest.counters.malformed, 0);
}

static void sample(uint64_t time_ns)
{
	push_sample(time_ns);
	stage_round(&stage, time_ns);
}

static const struct stack_counts *counts(void)
{
	return &stage.ingest.timeline.open_slice.stacks;
}

static void assert_counts(struct stack_counts expected)
{
	assert_memory_equal(counts(), &expected, sizeof(expected));
}

/* As the analyzer does it, until nobody waits. */
static void wait_for_all(void)
{
	struct pollfd reply = { .fd = rare_server_fd(server), .events = POLLIN };

	ingest_poll(&stage.ingest, false);
	while (stage.ingest.parked_count) {
		if (!rare_server_is_idle(server))
			assert_int_equal(poll(&reply, 1, -1), 1);
		stage.ingest.rare.next_ns = 0;	/* no pauses */
		ingest_poll(&stage.ingest, false);
	}
}

static uint64_t file_offset(uint64_t ip)
{
	for (size_t i = 0; i < scene.mapping_count; i++)
		if (ip >= scene.mappings[i].start && ip < scene.mappings[i].end)
			return ip - scene.mappings[i].start + scene.mappings[i].file_offset;
	fail_msg("%lx is nowhere", (unsigned long)ip);
	return 0;
}

static size_t stack_addresses(uint32_t number, uint64_t *out)
{
	const struct stack_trie *trie = &stage.ingest.trie;
	uint32_t node = trie->stacks.node[number];
	size_t count = 1;

	out[0] = trie->frames.address[trie->stacks.frame[number]];
	for (; node != STACK_NODE_ROOT; node = trie->nodes.parent[node])
		out[count++] = trie->frames.address[trie->nodes.frame[node]];
	return count;
}

/* Where by_r12() is among those that the child told of. */
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
	assert_int_equal(stage_samples(&stage), 0);
	wait_for_all();
	assert_counts((struct stack_counts){ .user = 1, .complete = 1 });
	assert_int_equal(stage.ingest.rare.waiting, 0);
	assert_int_equal(stage.ingest.parked_bytes, 0);

	count = stack_addresses(0, addresses);
	assert_true(child->count - by_r12_at() > 5 && count > (size_t)child->count - 1);
	for (int i = by_r12_at(); i < child->count; i++)
		assert_int_equal(addresses[count - (size_t)(child->count - i)],
				 file_offset((uintptr_t)child->chain[i]) - 1);
}

static void test_without_a_server_a_stack_ends_at_its_rare_row(void **state)
{
	(void)state;
	stage.ingest.rare.server = NULL;
	sample(10);
	assert_counts((struct stack_counts){ .user = 1 });
	assert_ends_by_r12(0);
}

static void test_where_the_file_is_another_one_a_stack_ends_at_its_rare_row(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < scene.object_count; i++)
		stage_object(&stage, scene.objects[i]->path)->build_id.bytes[0] ^= 1;
	stage.ingest.config.is_replay = true;	/* no process to ask: build-ids decide */
	sample(10);
	wait_for_all();
	assert_counts((struct stack_counts){ .user = 1 });
	assert_ends_by_r12(0);
}

static void test_a_stack_ends_at_its_rare_row_when_its_time_is_over(void **state)
{
	(void)state;
	sample(10);
	ingest_poll(&stage.ingest, false);
	assert_false(rare_server_is_idle(server));
	stage.ingest.parked[0].deadline_ns = 1;
	ingest_poll(&stage.ingest, false);
	assert_int_equal(stage.ingest.rare.waiting, 0);
	assert_counts((struct stack_counts){ .user = 1 });
	assert_ends_by_r12(0);
	/* The answer to the first is nobody's; the second has its own. */
	sample(11);
	wait_for_all();
	assert_counts((struct stack_counts){ .user = 2, .complete = 1 });
}

static void test_each_sample_of_a_batch_gets_its_own_answer(void **state)
{
	struct pollfd reply = { .fd = rare_server_fd(server), .events = POLLIN };
	uint64_t *ip = &stack.registers[REMOTE_REGISTER_IP];

	(void)state;
	sample(10);
	++*ip;
	sample(11);
	ingest_poll(&stage.ingest, false);
	stage.ingest.parked[0].deadline_ns = 1;
	ingest_poll(&stage.ingest, false);
	assert_int_equal(stage.ingest.parked_count, 1);
	assert_int_equal(poll(&reply, 1, -1), 1);
	ingest_rare_take(&stage.ingest);
	assert_int_equal(stage.ingest.parked[0].callers.state, CALLERS_KNOWN);
	assert_int_equal(stage.ingest.parked[0].callers.frames[0].ip, *ip);
	--*ip;
	wait_for_all();
	assert_int_equal(counts()->user, 2);
}

static void test_a_bounded_number_of_samples_waits(void **state)
{
	(void)state;
	for (uint64_t time_ns = 10; time_ns < 110; time_ns++)
		sample(time_ns);
	assert_int_equal(stage.ingest.rare.waiting, 64);
	assert_counts((struct stack_counts){ .user = 36 });
	wait_for_all();
	assert_counts((struct stack_counts){ .user = 100, .complete = 64 });
}

static void test_workers_pause_between_batches(void **state)
{
	struct pollfd reply = { .fd = rare_server_fd(server), .events = POLLIN };

	(void)state;
	sample(10);
	ingest_poll(&stage.ingest, false);
	assert_int_equal(poll(&reply, 1, -1), 1);
	ingest_poll(&stage.ingest, false);
	assert_int_equal(counts()->complete, 1);
	assert_true(stage.ingest.rare.next_ns > 0);
	stage.ingest.rare.next_ns = UINT64_MAX;
	sample(11);
	ingest_poll(&stage.ingest, false);
	assert_true(rare_server_is_idle(server));
	stage.ingest.rare.next_ns = 1;
	ingest_poll(&stage.ingest, false);
	assert_false(rare_server_is_idle(server));
	wait_for_all();
	assert_int_equal(counts()->complete, 2);
}

/* A slice is a second: a count that comes late must not be in the next one. */
static void test_a_recording_counts_them_in_their_own_second(void **state)
{
	(void)state;
	stage_finish(&stage);
	start(true);
	push_sample(SECOND + 10);
	push_sample(SECOND + 20);
	push_sample(2ull * SECOND + 10);
	push_sample(2ull * SECOND + 20);
	stage_round(&stage, 3ull * SECOND);
	assert_int_equal(stage.ingest.rare.waiting, 2);
	assert_true(stage.ingest.is_held);
	wait_for_all();
	assert_false(stage.ingest.is_held);
	assert_int_equal(stage.ingest.timeline.count, 1);
	assert_int_equal(stage.ingest.timeline.slices[0].stacks.complete, 2);
	assert_int_equal(counts()->complete, 2);
	assert_int_equal(stage.ingest.reorder.late, 0);
}

static void test_what_waits_counts_as_it_is_when_nobody_waits_for_it(void **state)
{
	(void)state;
	stage_finish(&stage);
	start(true);
	push_sample(SECOND + 10);
	push_sample(2ull * SECOND + 10);
	stage_round(&stage, 3ull * SECOND);
	ingest_poll(&stage.ingest, true);
	assert_int_equal(stage.ingest.parked_count, 0);
	assert_false(stage.ingest.is_held);
	assert_int_equal(stage_samples(&stage), 2);
	assert_int_equal(stage.ingest.timeline.slices[0].stacks.user, 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_sample_waits_for_the_callers_that_only_a_worker_knows),
		TEST(test_without_a_server_a_stack_ends_at_its_rare_row),
		TEST(test_where_the_file_is_another_one_a_stack_ends_at_its_rare_row),
		TEST(test_a_stack_ends_at_its_rare_row_when_its_time_is_over),
		TEST(test_each_sample_of_a_batch_gets_its_own_answer),
		TEST(test_a_bounded_number_of_samples_waits),
		TEST(test_workers_pause_between_batches),
		TEST(test_a_recording_counts_them_in_their_own_second),
		TEST(test_what_waits_counts_as_it_is_when_nobody_waits_for_it),
	};

	return cmocka_run_group_tests(tests, set_up_child, tear_down_child);
}
