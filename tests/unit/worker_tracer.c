/* worker_tracer.c - see worker_tracer.h. */
#include "worker_tracer.h"

#include <elf.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static bool is_first_read(const struct worker_tracer *tracer,
			  const struct __ptrace_syscall_info *call)
{
	return !tracer->was_there && call->op == PTRACE_SYSCALL_INFO_ENTRY &&
	       call->entry.nr == SYS_pread64 && call->entry.args[0] == WORKER_INPUT_FD;
}

static void look_at_call(struct worker_tracer *tracer)
{
	struct __ptrace_syscall_info call = { .op = PTRACE_SYSCALL_INFO_NONE };

	ptrace(PTRACE_GET_SYSCALL_INFO, tracer->worker, (void *)sizeof(call), &call);
	if (is_first_read(tracer, &call)) {
		tracer->was_there = tracer->is_in_call = true;
		if (tracer->at_first_read)
			tracer->at_first_read(tracer);
	} else if (tracer->is_in_call && call.op == PTRACE_SYSCALL_INFO_EXIT) {
		tracer->is_in_call = false;
		if (tracer->at_exit)
			tracer->at_exit(tracer, call.exit.rval);
	}
}

static void resume(const struct worker_tracer *tracer, pid_t pid, int status)
{
	int signal_number = WSTOPSIG(status);

	if (status >> 16 || signal_number == (SIGTRAP | 0x80))
		signal_number = 0;
	ptrace(pid == tracer->zygote ? PTRACE_CONT : PTRACE_SYSCALL, pid, NULL,
	       (void *)(intptr_t)signal_number);
}

static void *trace(void *argument)
{
	struct worker_tracer *tracer = argument;
	int status;

	if (ptrace(PTRACE_SEIZE, tracer->zygote, NULL,
		   (void *)(intptr_t)(PTRACE_O_TRACEFORK | PTRACE_O_TRACESYSGOOD)))
		tracer->zygote = -1;
	sem_post(&tracer->is_ready);
	while (tracer->zygote > 0) {
		pid_t pid = waitpid(-1, &status, __WALL);

		if (pid < 0 || (pid == tracer->worker && !WIFSTOPPED(status)))
			break;
		if (pid != tracer->zygote)
			tracer->worker = pid;
		if (pid == tracer->worker && WSTOPSIG(status) == (SIGTRAP | 0x80))
			look_at_call(tracer);
		resume(tracer, pid, status);
	}
	if (tracer->zygote > 0) {
		ptrace(PTRACE_INTERRUPT, tracer->zygote, NULL, NULL);
		waitpid(tracer->zygote, &status, __WALL);
		ptrace(PTRACE_DETACH, tracer->zygote, NULL, NULL);
	}
	return NULL;
}

int worker_tracer_try(struct worker_tracer *tracer, struct sandbox *sandbox, uint64_t number,
		      struct diag *why)
{
	struct sandbox_request request = { .kind = SANDBOX_SYMBOLS, .input_count = 1,
					   .number = number };
	struct sandbox_bytes bytes;
	pthread_t thread;
	int err;

	request.inputs[0] = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	tracer->zygote = sandbox_pid(sandbox);
	sem_init(&tracer->is_ready, 0, 0);
	if (request.inputs[0] < 0 || pthread_create(&thread, NULL, trace, tracer))
		return WORKER_TRACER_REFUSED;
	sem_wait(&tracer->is_ready);
	if (tracer->zygote < 0) {
		pthread_join(thread, NULL);
		close(request.inputs[0]);
		return WORKER_TRACER_REFUSED;
	}
	err = sandbox_run(sandbox, &request, &bytes, why);
	pthread_join(thread, NULL);
	sandbox_bytes_finish(&bytes);
	close(request.inputs[0]);
	return err;
}

int worker_tracer_run(struct worker_tracer *tracer, struct sandbox *sandbox, uint64_t number,
		      struct diag *why)
{
	int err;

	err = worker_tracer_try(tracer, sandbox, number, why);
	if (err == WORKER_TRACER_REFUSED) {
		print_message("SKIP: needs ptrace\n");
		skip();
	}
	assert_true(tracer->was_there);
	return err;
}

void worker_tracer_read_proc(const struct worker_tracer *tracer, const char *name, char *out,
			     size_t cap)
{
	char path[64];
	ssize_t len;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", tracer->worker, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	len = fd < 0 ? 0 : read(fd, out, cap - 1);
	out[len > 0 ? len : 0] = '\0';
	if (fd >= 0)
		close(fd);
}

int worker_tracer_reply(const struct worker_tracer *tracer)
{
	int pidfd = pidfd_open(tracer->worker, 0);
	int reply = pidfd < 0 ? -1 : pidfd_getfd(pidfd, WORKER_REPLY_FD, 0);

	if (pidfd >= 0)
		close(pidfd);
	return reply;
}

static struct user_regs_struct registers_of(const struct worker_tracer *tracer)
{
	struct user_regs_struct registers = { 0 };
	struct iovec part = { &registers, sizeof(registers) };

	ptrace(PTRACE_GETREGSET, tracer->worker, NT_PRSTATUS, &part);
	return registers;
}

#ifdef __aarch64__
static const uint64_t jump_to_itself = 0x14000000, jump_mask = 0xffffffff;

static uint64_t code_address(const struct user_regs_struct *registers)
{
	return registers->pc;
}

static uint64_t second_argument(const struct user_regs_struct *registers)
{
	return registers->regs[1];
}

static void replace_registers(const struct worker_tracer *tracer,
			      struct user_regs_struct *registers, int64_t call,
			      const uint64_t *arguments, int count)
{
	int number = (int)call;
	struct iovec part = { &number, sizeof(number) };

	memcpy(registers->regs, arguments, (size_t)count * sizeof(*arguments));
	ptrace(PTRACE_SETREGSET, tracer->worker, NT_ARM_SYSTEM_CALL, &part);
}
#else
static const uint64_t jump_to_itself = 0xfeeb, jump_mask = 0xffff;

static uint64_t code_address(const struct user_regs_struct *registers)
{
	return registers->rip;
}

static uint64_t second_argument(const struct user_regs_struct *registers)
{
	return registers->rsi;
}

static void replace_registers(const struct worker_tracer *tracer,
			      struct user_regs_struct *registers, int64_t call,
			      const uint64_t *arguments, int count)
{
	(void)tracer;
	registers->orig_rax = (uint64_t)call;
	for (int i = 0; i < count; i++)
		*(unsigned long long *[]){ &registers->rdi, &registers->rsi, &registers->rdx,
					   &registers->r10, &registers->r8, &registers->r9 }[i] =
			arguments[i];
}
#endif

void worker_tracer_replace(struct worker_tracer *tracer, int64_t call, const uint64_t *arguments,
			   int count)
{
	struct user_regs_struct registers = registers_of(tracer);
	struct iovec part = { &registers, sizeof(registers) };

	replace_registers(tracer, &registers, call, arguments, count);
	ptrace(PTRACE_SETREGSET, tracer->worker, NT_PRSTATUS, &part);
}

void worker_tracer_spin(struct worker_tracer *tracer)
{
	const struct user_regs_struct registers = registers_of(tracer);
	void *at = (void *)(uintptr_t)code_address(&registers);
	uint64_t word = (uint64_t)ptrace(PTRACE_PEEKTEXT, tracer->worker, at, NULL);

	ptrace(PTRACE_POKETEXT, tracer->worker, at, (void *)((word & ~jump_mask) | jump_to_itself));
}

uint64_t worker_tracer_write(const struct worker_tracer *tracer, const char *text)
{
	const struct user_regs_struct registers = registers_of(tracer);
	const uint64_t to = second_argument(&registers);
	uint64_t words[4] = { 0 };

	memcpy(words, text, strnlen(text, sizeof(words) - 1));
	for (size_t i = 0; i < 4; i++)
		ptrace(PTRACE_POKEDATA, tracer->worker, (void *)(to + i * sizeof(words[0])),
		       (void *)words[i]);
	return to;
}
