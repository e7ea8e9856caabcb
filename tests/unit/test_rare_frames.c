/* A function that finds its frame by rbx, which a row can't say, on the stack of a child that
 * stands still: the walker up to it, a worker past it, the walker again to the end. What is right
 * says glibc's backtrace(3), asked in the child. */
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "stack_scene.h"
#include "symbols/sandbox.h"

/* Calls @what with its stack pointer on a boundary of 64 bytes, as ld.so does for xsave. */
void call_by_rbx(void (*what)(void));
__asm__(".text\n"
	".globl call_by_rbx\n"
	".type call_by_rbx, @function\n"
	"call_by_rbx:\n"
	".cfi_startproc\n"
	"	push %rbx\n"
	".cfi_def_cfa_offset 16\n"
	".cfi_offset rbx, -16\n"
	"	mov %rsp, %rbx\n"
	".cfi_def_cfa rbx, 16\n"
	"	and $-64, %rsp\n"
	"	sub $256, %rsp\n"
	"	call *%rdi\n"
	"	mov %rbx, %rsp\n"
	".cfi_def_cfa rsp, 16\n"
	"	pop %rbx\n"
	".cfi_def_cfa_offset 8\n"
	"	ret\n"
	".cfi_endproc\n"
	".size call_by_rbx, . - call_by_rbx\n");

#define CHAIN_MAX 64

struct told {	/* by the child, in shared memory */
	void *chain[CHAIN_MAX];
	int count;
	volatile sig_atomic_t is_ready;
};

static struct told *told;
static volatile int sink;

__attribute__((noinline)) static void stand_still(void)
{
	told->count = backtrace(told->chain, CHAIN_MAX);
	told->is_ready = 1;
	kill(getpid(), SIGSTOP);
	sink++;	/* no tail call */
}

__attribute__((noinline)) static void between(void)
{
	call_by_rbx(stand_still);
	sink++;
}

static pid_t start_child(void)
{
	int status;
	pid_t pid;

	told = mmap(NULL, sizeof(*told), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(told, MAP_FAILED);
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);	/* should a test fail */
		between();
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
	assert_true(WIFSTOPPED(status) && told->is_ready);
	return pid;
}

static void end_child(pid_t pid)
{
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	munmap(told, sizeof(*told));
}

static struct remote_frame ask_worker(const struct rare_request *request, const int *inputs,
				      uint64_t *frames, size_t *count)
{
	struct sandbox_request job = { .kind = SANDBOX_RARE_FRAMES,
				       .input_count = (uint32_t)request->mapping_count + 1 };
	const struct remote_frame *answer;
	struct sandbox_bytes bytes;
	struct sandbox *sandbox;
	struct remote_frame last;
	struct diag why = { .err = 0 };

	memcpy(job.inputs, inputs, job.input_count * sizeof(int));
	assert_int_equal(sandbox_start(&sandbox, NULL), 0);
	if (sandbox_run(sandbox, &job, &bytes, &why))
		fail_msg("%s", why.text);
	sandbox_stop(sandbox);
	assert_int_equal(rare_frames_check(request, bytes.bytes, bytes.count, &answer, count, &why),
			 0);
	for (size_t i = 0; i < *count; i++)
		frames[i] = answer[i].ip;
	last = answer[*count - 1];
	sandbox_bytes_finish(&bytes);
	return last;
}

static void test_a_worker_finds_the_caller_that_a_row_can_not_and_the_walker_goes_on(void **state)
{
	struct stack_scene scene = { .number = 1 };
	uint64_t frames[WALKER_FRAMES_MAX];
	struct walker_registers caller;
	struct walker_stack copy;
	struct remote_frame last;
	struct remote_stack stack;
	struct walker_space space;
	struct rare_request request;
	struct walker walker;
	enum walker_end end;
	int inputs[SANDBOX_INPUTS_MAX];
	size_t count, tail;
	pid_t pid;

	(void)state;
	pid = start_child();
	assert_int_equal(walker_init(&walker), 0);
	stack_scene_take(&scene, pid, &stack);
	count = stack_scene_walk(&scene, &walker, &stack, frames, &end);
	assert_int_equal(end, WALKER_COMPLEX);
	assert_in_range(frames[count - 1], (uintptr_t)call_by_rbx, (uintptr_t)call_by_rbx + 64);

	assert_true(stack_scene_request(&scene, &stack, frames, count, &request, inputs));
	last = ask_worker(&request, inputs, frames, &count);
	caller = (struct walker_registers){ last.ip, last.sp, last.bp };
	copy = (struct walker_stack){ stack.start, stack.bytes, stack.count };
	space = stack_scene_space(&scene);
	count = walker_resume(&walker, &space, &caller, &copy, frames, count, WALKER_FRAMES_MAX,
			      &end);
	assert_int_equal(end, WALKER_COMPLETE);

	/* The leaves differ: backtrace() was called, then kill(). */
	tail = (size_t)told->count - 1;
	assert_true(count > tail && tail > 5);
	for (size_t i = 1; i <= tail - 1; i++)
		assert_int_equal(frames[count - i],
				 (uintptr_t)told->chain[(size_t)told->count - i]);
	close(inputs[0]);
	free((void *)stack.bytes);
	walker_finish(&walker);
	stack_scene_finish(&scene);
	end_child(pid);
}

static void test_answers_that_are_none_of_the_stack_are_refused(void **state)
{
	const struct rare_request request = {
		.registers = { [REMOTE_REGISTER_IP] = 0x1000, [REMOTE_REGISTER_SP] = 0x8000 },
	};
	struct remote_frame frames[RARE_FRAMES_MAX + 1] = { { 0x1000, 0x8000, 0 },
							    { 0x2000, 0x8010, 0 } };
	const struct remote_frame *out;
	size_t count;

	(void)state;
	for (size_t i = 2; i <= RARE_FRAMES_MAX; i++)
		frames[i] = (struct remote_frame){ 0x2000, 0x8010, 0 };
	assert_int_equal(rare_frames_check(&request, frames, 48, &out, &count, NULL), 0);
	assert_int_equal(count, 2);
	assert_int_equal(rare_frames_check(&request, frames, RARE_FRAMES_MAX * sizeof(*frames),
					   &out, &count, NULL), 0);
	assert_int_equal(rare_frames_check(&request, frames, sizeof(frames), &out, &count, NULL),
			 -EBADMSG);
	assert_int_equal(rare_frames_check(&request, frames, 0, &out, &count, NULL), -EBADMSG);
	assert_int_equal(rare_frames_check(&request, frames, 47, &out, &count, NULL), -EBADMSG);
	frames[1].sp = 0x7ff8;
	assert_int_equal(rare_frames_check(&request, frames, 48, &out, &count, NULL), -EBADMSG);
	frames[1].sp = 0x8010;
	frames[0].ip++;
	assert_int_equal(rare_frames_check(&request, frames, 48, &out, &count, NULL), -EBADMSG);
	frames[0].ip--;
	frames[0].sp--;
	assert_int_equal(rare_frames_check(&request, frames, 48, &out, &count, NULL), -EBADMSG);
}

static void test_requests_that_can_not_be_are_refused(void **state)
{
	struct rare_request request = { .stack_bytes = 64, .mapping_count = 1 };
	struct diag why = { .err = 0 };
	unsigned char stack[64] = { 0 };
	size_t count;
	void *bytes;
	int inputs[2];

	(void)state;
	inputs[1] = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	inputs[0] = rare_frames_request(&request, stack, NULL);
	assert_int_equal(rare_frames_unwind(inputs, 1, &bytes, &count, &why), -EBADMSG);
	/* A mapping of no bytes holds no code. */
	assert_int_equal(rare_frames_unwind(inputs, 2, &bytes, &count, &why), -EBADMSG);
	request.mappings[0].end = 1 << 30;
	assert_int_equal(pwrite(inputs[0], &request, sizeof(request), 0), -1);	/* sealed */
	close(inputs[0]);
	inputs[0] = rare_frames_request(&request, stack, NULL);
	assert_int_equal(rare_frames_unwind(inputs, 2, &bytes, &count, &why), 0);
	assert_int_equal(count, sizeof(struct remote_frame));	/* the leaf is in none */
	free(bytes);
	close(inputs[0]);
	close(inputs[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_a_worker_finds_the_caller_that_a_row_can_not_and_the_walker_goes_on),
		cmocka_unit_test(test_answers_that_are_none_of_the_stack_are_refused),
		cmocka_unit_test(test_requests_that_can_not_be_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
