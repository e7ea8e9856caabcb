/* A function that finds its frame by r12, which a row can't say, on the stack of a child that
 * stands still: the walker up to it, a worker past it, the walker again to the end. What is right
 * says glibc's backtrace(3), asked in the child. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "elf/file_jobs.h"
#include "sandbox/sandbox.h"
#include "slow_child.h"
#include "stack_fixture.h"
#include "unit_tests.h"

static struct slow_reply ask_worker(const struct slow_request *request,
				    const struct remote_stack *stack, const int *inputs,
				    struct sandbox_bytes *bytes)
{
	struct sandbox_request job = { .kind = SANDBOX_SLOW_FRAMES,
				       .input_count = (uint32_t)request->mapping_count + 1 };
	struct slow_reply reply;
	struct sandbox *sandbox;
	struct diag why = { .err = 0 };

	memcpy(job.inputs, inputs, job.input_count * sizeof(int));
	assert_int_equal(sandbox_start(&sandbox, worker_run, NULL), 0);
	if (sandbox_run(sandbox, &job, bytes, &why))
		fail_msg("%s", why.text);
	sandbox_stop(sandbox);
	assert_int_equal(slow_frames_check(request, stack, bytes->bytes, bytes->count, &reply,
					   &why), 0);
	return reply;
}

static void test_a_worker_finds_the_caller_that_a_row_can_not_and_the_walker_goes_on(void **state)
{
	struct stack_fixture fixture = { .number = 1 };
	uint64_t frames[WALKER_FRAMES_MAX];
	struct walker_stack copy;
	struct sandbox_bytes bytes;
	struct slow_reply reply;
	struct remote_stack stack;
	struct walker_space space;
	struct slow_request request;
	struct walker walker;
	enum walker_end end;
	int inputs[SANDBOX_INPUTS_MAX];
	size_t count, tail;
	struct slow_child *child;

	(void)state;
	child = slow_child_start();
	assert_int_equal(walker_init(&walker), 0);
	stack_fixture_take(&fixture, child->pid, &stack);
	count = stack_fixture_walk(&fixture, &walker, &stack, frames, &end);
	assert_int_equal(end, WALKER_COMPLEX);
	assert_in_range(frames[count - 1], (uintptr_t)by_r12, (uintptr_t)by_r12 + 64);

	assert_true(stack_fixture_request(&fixture, &stack, frames, count, &request, inputs));
	reply = ask_worker(&request, &stack, inputs, &bytes);
	copy = (struct walker_stack){ stack.start, stack.bytes, stack.count };
	space = stack_fixture_space(&fixture);
	count = walker_resume(&walker, &space, reply.frames, reply.count, &copy, frames,
			      WALKER_FRAMES_MAX, &end);
	sandbox_bytes_finish(&bytes);
	assert_int_equal(end, WALKER_COMPLETE);

	/* The leaves differ: backtrace() was called, then kill(). */
	tail = (size_t)child->count - 1;
	assert_true(count > tail && tail > 5);
	for (size_t i = 1; i <= tail - 1; i++)
		assert_int_equal(frames[count - i],
				 (uintptr_t)child->chain[(size_t)child->count - i]);
	close(inputs[0]);
	free((void *)stack.bytes);
	walker_finish(&walker);
	stack_fixture_finish(&fixture);
	slow_child_end(child);
}

struct reply {
	uint64_t count;
	struct remote_frame frames[SLOW_FRAMES_MAX + 1];
};

static int check(const struct reply *bytes, size_t frame_count)
{
	const struct slow_request request = { .stack_count = 1 };
	const struct remote_stack stack = {
		.registers = { [REMOTE_REGISTER_IP] = 0x1000, [REMOTE_REGISTER_SP] = 0x8000 },
	};
	struct slow_reply reply;

	return slow_frames_check(&request, &stack, bytes,
				 8 + frame_count * sizeof(struct remote_frame), &reply, NULL);
}

static void test_replies_that_are_none_of_the_stack_are_refused(void **state)
{
	struct reply reply = { .count = 2, .frames = { { 0x1000, 0x8000, 0, 1, 0 } } };

	(void)state;
	for (size_t i = 1; i <= SLOW_FRAMES_MAX; i++)
		reply.frames[i] = (struct remote_frame){ .ip = 0x2000, .sp = 0x8010 };
	assert_int_equal(check(&reply, 2), 0);
	assert_int_equal(check(&reply, 1), -EBADMSG);
	assert_int_equal(check(&reply, 3), -EBADMSG);
	reply.count = SLOW_FRAMES_MAX;
	assert_int_equal(check(&reply, SLOW_FRAMES_MAX), 0);
	reply.count++;
	assert_int_equal(check(&reply, SLOW_FRAMES_MAX + 1), -EBADMSG);
	reply.count = UINT64_MAX / sizeof(struct remote_frame) + 2;	/* wraps to few bytes */
	assert_int_equal(check(&reply, 2), -EBADMSG);
	reply.count = 0;
	assert_int_equal(check(&reply, 0), -EBADMSG);
	reply.count = 2;
	reply.frames[1].sp = 0x7ff8;
	assert_int_equal(check(&reply, 2), -EBADMSG);
	reply.frames[1].sp = 0x8010;
	reply.frames[1].is_exact = 2;
	assert_int_equal(check(&reply, 2), -EBADMSG);
	reply.frames[1].is_exact = 0;
	reply.frames[0].ip++;
	assert_int_equal(check(&reply, 2), -EBADMSG);
	reply.frames[0].ip--;
	reply.frames[0].sp--;
	assert_int_equal(check(&reply, 2), -EBADMSG);
}

static void test_each_stack_of_a_batch_has_its_reply(void **state)
{
	const struct slow_request request = { .stack_count = 2 };
	const struct remote_stack stacks[] = {
		{ .registers = { [REMOTE_REGISTER_IP] = 1, [REMOTE_REGISTER_SP] = 0x10 } },
		{ .registers = { [REMOTE_REGISTER_IP] = 2, [REMOTE_REGISTER_SP] = 0x20 } },
	};
	const uint64_t words[] = {
		2, 1, 0x10, 0, 1, 0, 7, 0x18, 0, 0, 0,
		1, 2, 0x20, 0, 1, 0,
	};
	struct slow_reply replies[2];

	(void)state;
	assert_int_equal(slow_frames_check(&request, stacks, words, sizeof(words), replies, NULL),
			 0);
	assert_int_equal(replies[0].count, 2);
	assert_int_equal(replies[0].frames[1].ip, 7);
	assert_int_equal(replies[1].count, 1);
	assert_int_equal(slow_frames_check(&request, stacks, words, sizeof(words) - 48, replies,
					   NULL), -EBADMSG);
}

static int unwind(const struct slow_request *request, size_t input_count, size_t *count)
{
	static const unsigned char zeros[64];
	const struct remote_stack stack = { .bytes = zeros, .count = sizeof(zeros) };
	struct diag why = { .err = 0 };
	int inputs[2], err;
	void *bytes;

	inputs[1] = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	inputs[0] = slow_frames_request(request, &stack, NULL);
	assert_int_equal(pwrite(inputs[0], request, sizeof(*request), 0), -1);	/* sealed */
	err = slow_frames_unwind(inputs, input_count, &bytes, count, &why);
	if (!err)
		free(bytes);
	close(inputs[0]);
	close(inputs[1]);
	return err;
}

static void test_requests_that_can_not_be_are_refused(void **state)
{
	struct slow_request request = { .stack_count = 1, .mapping_count = 1 };
	size_t count;

	(void)state;
	assert_int_equal(unwind(&request, 1, &count), -EBADMSG);
	/* A mapping of no bytes holds no code. */
	assert_int_equal(unwind(&request, 2, &count), -EBADMSG);
	request.mappings[0].end = 1 << 30;
	assert_int_equal(unwind(&request, 2, &count), 0);
	assert_int_equal(count, 8 + sizeof(struct remote_frame));	/* the leaf is in none */
	request.mappings[0].build_id.count = 20;
	assert_int_equal(unwind(&request, 2, &count), -ESTALE);
}

UNIT_TESTS(test_slow_frames)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_a_worker_finds_the_caller_that_a_row_can_not_and_the_walker_goes_on),
		cmocka_unit_test(test_replies_that_are_none_of_the_stack_are_refused),
		cmocka_unit_test(test_each_stack_of_a_batch_has_its_reply),
		cmocka_unit_test(test_requests_that_can_not_be_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
