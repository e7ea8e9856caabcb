/* The sandbox against real files, real signals and a worker that is stopped at chosen system calls
 * by ptrace(2): what it has given up before it reads the first byte, and what main does when it
 * dies, cheats or is late. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "symbols/sandbox.h"
#include "symbols/sandbox_protocol.h"

#define WORKER_OBJECT_FD 3

static int start(void **state)
{
	struct sandbox *sandbox;

	if (sandbox_start(&sandbox, NULL))
		return -1;
	*state = sandbox;
	return 0;
}

static int stop(void **state)
{
	sandbox_stop(*state);
	return 0;
}

static int open_self(void)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	assert_in_range(fd, 0, 1 << 20);
	return fd;
}

static void expect_works(struct sandbox *sandbox)
{
	struct sandbox_table table;
	struct diag why = { .err = 0 };
	int fd = open_self();

	assert_int_equal(sandbox_compile(sandbox, fd, -1, &table, &why), 0);
	assert_in_range(table.table.header->row_count, 10, 1 << 20);
	sandbox_table_finish(&table);
	close(fd);
}

static void expect_fails(struct sandbox *sandbox, int fd, int wanted, const char *part)
{
	struct sandbox_table table;
	struct diag why = { .err = 0 };

	assert_int_equal(sandbox_compile(sandbox, fd, -1, &table, &why), wanted);
	if (!strstr(why.text, part))
		fail_msg("\"%s\" is not in \"%s\"", part, why.text);
	assert_null(table.bytes.bytes);
}

/* A worker under ptrace. `at_call` sees every system call's entry and exit. */
struct tracer {
	pid_t zygote, worker;
	sem_t is_ready;
	bool was_called;
	char status[4096], limits[4096];	/* of the worker, at its first read */
	char fds[64];
	void (*at_call)(struct tracer *tracer, const struct __ptrace_syscall_info *call);
	bool is_in_call;	/* between the entry and the exit that at_call waits for */
};

static void resume(struct tracer *tracer, pid_t pid, int status)
{
	int signal_number = WSTOPSIG(status);

	if (status >> 16 || signal_number == (SIGTRAP | 0x80))
		signal_number = 0;
	ptrace(pid == tracer->zygote ? PTRACE_CONT : PTRACE_SYSCALL, pid, NULL,
	       (void *)(intptr_t)signal_number);
}

static void look_at_call(struct tracer *tracer)
{
	struct __ptrace_syscall_info call = { .op = PTRACE_SYSCALL_INFO_NONE };

	ptrace(PTRACE_GET_SYSCALL_INFO, tracer->worker, (void *)sizeof(call), &call);
	tracer->at_call(tracer, &call);
}

static void *trace(void *argument)
{
	struct tracer *tracer = argument;
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

/* Compiles this test's own file with @at_call watching. Skips where ptrace is not allowed. */
static int compile_traced(struct sandbox *sandbox, struct tracer *tracer, struct diag *why)
{
	struct sandbox_table table;
	pthread_t thread;
	int fd = open_self(), err;

	tracer->zygote = sandbox_pid(sandbox);
	sem_init(&tracer->is_ready, 0, 0);
	assert_int_equal(pthread_create(&thread, NULL, trace, tracer), 0);
	sem_wait(&tracer->is_ready);
	if (tracer->zygote < 0) {
		pthread_join(thread, NULL);
		close(fd);
		skip();
	}
	err = sandbox_compile(sandbox, fd, -1, &table, why);
	pthread_join(thread, NULL);
	sandbox_table_finish(&table);
	close(fd);
	return err;
}

static bool is_first_read(const struct __ptrace_syscall_info *call)
{
	return call->op == PTRACE_SYSCALL_INFO_ENTRY && call->entry.nr == SYS_pread64 &&
	       call->entry.args[0] == WORKER_OBJECT_FD;
}

static void read_proc(pid_t pid, const char *name, char *out, size_t cap)
{
	char path[64];
	ssize_t len;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	len = fd < 0 ? 0 : read(fd, out, cap - 1);
	out[len > 0 ? len : 0] = '\0';
	if (fd >= 0)
		close(fd);
}

static void list_fds(pid_t pid, char *out, size_t cap)
{
	size_t used = 0;
	char path[64];

	for (int i = 0; i < 1024 && used + 8 < cap; i++) {
		struct stat status;

		snprintf(path, sizeof(path), "/proc/%d/fd/%d", pid, i);
		if (lstat(path, &status) == 0)
			used += (size_t)snprintf(out + used, cap - used, "%d ", i);
	}
}

static void take_status(struct tracer *tracer, const struct __ptrace_syscall_info *call)
{
	if (tracer->was_called || !is_first_read(call))
		return;
	tracer->was_called = true;
	read_proc(tracer->worker, "status", tracer->status, sizeof(tracer->status));
	read_proc(tracer->worker, "limits", tracer->limits, sizeof(tracer->limits));
	list_fds(tracer->worker, tracer->fds, sizeof(tracer->fds));
}

static void expect_line(const char *text, const char *line)
{
	if (!strstr(text, line))
		fail_msg("no \"%s\" in:\n%s", line, text);
}

static void test_a_worker_owns_nothing_before_it_reads_the_first_byte(void **state)
{
	struct tracer tracer = { .at_call = take_status };

	assert_int_equal(compile_traced(*state, &tracer, NULL), 0);
	assert_true(tracer.was_called);
	expect_line(tracer.status, "NoNewPrivs:\t1\n");
	expect_line(tracer.status, "CapInh:\t0000000000000000\n");
	expect_line(tracer.status, "CapPrm:\t0000000000000000\n");
	expect_line(tracer.status, "CapEff:\t0000000000000000\n");
	expect_line(tracer.status, "CapAmb:\t0000000000000000\n");
	expect_line(tracer.status, "Seccomp:\t2\n");
	expect_line(tracer.limits, "Max core file size        0                    0 ");
	expect_line(tracer.limits, "Max processes             0                    0 ");
	expect_line(tracer.limits, "Max file size             268435456            268435456 ");
	if (geteuid() != 0)
		return;
	expect_line(tracer.status, "CapBnd:\t0000000000000000\n");
	expect_line(tracer.status, "Uid:\t65527\t65527\t65527\t65527\n");
	expect_line(tracer.status, "Gid:\t65527\t65527\t65527\t65527\n");
	expect_line(tracer.status, "Groups:\t \n");
	assert_string_equal(tracer.fds, "0 1 2 3 4 ");
}

static void kill_at_first_read(struct tracer *tracer, const struct __ptrace_syscall_info *call)
{
	if (!tracer->was_called && is_first_read(call)) {
		tracer->was_called = true;
		kill(tracer->worker, SIGKILL);
	}
}

static void test_a_worker_that_is_killed_fails_its_job_only(void **state)
{
	struct tracer tracer = { .at_call = kill_at_first_read };
	struct diag why = { .err = 0 };

	assert_int_equal(compile_traced(*state, &tracer, &why), -EPIPE);
	assert_non_null(strstr(why.text, "signal 9"));
	expect_works(*state);
}

#ifdef __x86_64__
/* Turns the worker's fcntl(F_ADD_SEALS) into a call that does nothing and returns 0. */
static void leave_unsealed(struct tracer *tracer, const struct __ptrace_syscall_info *call)
{
	struct user_regs_struct registers;

	if (call->op == PTRACE_SYSCALL_INFO_ENTRY && call->entry.nr == SYS_fcntl &&
	    call->entry.args[1] == F_ADD_SEALS) {
		ptrace(PTRACE_GETREGS, tracer->worker, NULL, &registers);
		registers.orig_rax = SYS_brk;	/* of a small number: changes nothing */
		ptrace(PTRACE_SETREGS, tracer->worker, NULL, &registers);
		tracer->is_in_call = true;
	} else if (tracer->is_in_call && call->op == PTRACE_SYSCALL_INFO_EXIT) {
		ptrace(PTRACE_GETREGS, tracer->worker, NULL, &registers);
		registers.rax = 0;
		ptrace(PTRACE_SETREGS, tracer->worker, NULL, &registers);
		tracer->is_in_call = false;
		tracer->was_called = true;
	}
}

static void test_a_table_that_could_still_change_is_refused(void **state)
{
	struct tracer tracer = { .at_call = leave_unsealed };
	struct diag why = { .err = 0 };

	assert_int_equal(compile_traced(*state, &tracer, &why), -EBADMSG);
	assert_true(tracer.was_called);
	assert_non_null(strstr(why.text, "changed"));
	expect_works(*state);
}
#endif

static void test_a_job_over_its_deadline_is_ended(void **state)
{
	int fd = open_self();

	sandbox_set_deadline(*state, 0);
	expect_fails(*state, fd, -ETIMEDOUT, "not done after 0 ms");
	sandbox_set_deadline(*state, SANDBOX_DEADLINE_MS);
	expect_works(*state);
	close(fd);
}

static int memory_file(const void *bytes, size_t count, off_t size)
{
	int fd = memfd_create("test", MFD_CLOEXEC);

	assert_in_range(fd, 0, 1 << 20);
	assert_int_equal(write(fd, bytes, count), count);
	if (size)
		assert_int_equal(ftruncate(fd, size), 0);
	return fd;
}

static void test_what_is_not_elf_is_refused(void **state)
{
	static const char script[] = "#!/bin/sh\necho \033[31mhello\n";
	int text = memory_file(script, sizeof(script), 0), empty = memory_file("", 0, 0);

	expect_fails(*state, text, -ENOEXEC, "not an ELF file");
	expect_fails(*state, empty, -ENOEXEC, "not an ELF file");
	close(text);
	close(empty);
}

static void test_a_file_over_two_gigabytes_is_refused(void **state)
{
	int fd = memory_file(ELFMAG, SELFMAG, ((off_t)2 << 30) + 1);

	expect_fails(*state, fd, -E2BIG, "2 GiB");
	close(fd);
}

/* A file of two sections: nothing and 4,000,001 symbols, all zero and sparse. */
static void test_a_file_with_too_many_symbols_is_refused(void **state)
{
	struct {
		Elf64_Ehdr header;
		Elf64_Shdr sections[2];
	} file = {
		.header = {
			.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
			.e_type = ET_DYN, .e_machine = EM_X86_64, .e_version = EV_CURRENT,
			.e_ehsize = sizeof(Elf64_Ehdr), .e_shentsize = sizeof(Elf64_Shdr),
			.e_shoff = sizeof(Elf64_Ehdr), .e_shnum = 2,
		},
		.sections[1] = {
			.sh_type = SHT_SYMTAB, .sh_offset = 4096, .sh_entsize = sizeof(Elf64_Sym),
			.sh_size = 4000002 * sizeof(Elf64_Sym),
		},
	};
	int fd = memory_file(&file, sizeof(file), 4096 + 4000002 * (off_t)sizeof(Elf64_Sym));

	expect_fails(*state, fd, -E2BIG, "more than 4000000 symbols");
	close(fd);
}

static void test_a_descriptor_that_is_no_regular_file_is_refused(void **state)
{
	int ends[2];

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	expect_fails(*state, ends[0], -EINVAL, "not a regular file");
	expect_fails(*state, -1, -EINVAL, "not a regular file");
	close(ends[0]);
	close(ends[1]);
}

static void test_a_zygote_that_is_gone_fails_every_job_and_hangs_none(void **state)
{
	int fd = open_self();

	kill(sandbox_pid(*state), SIGKILL);
	expect_fails(*state, fd, -EPIPE, "has ended");
	expect_fails(*state, fd, -EPIPE, "has ended");
	assert_int_equal(sandbox_pid(*state), -1);
	close(fd);
}

static void test_the_keys_of_a_terminal_do_not_end_the_zygote(void **state)
{
	static const int signals[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGTSTP };

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		kill(sandbox_pid(*state), signals[i]);
	expect_works(*state);	/* by now it has set its session up */
	assert_int_not_equal(getpgid(sandbox_pid(*state)), getpgrp());
}

static void test_a_cancelled_sandbox_refuses_work(void **state)
{
	int fd = open_self();

	sandbox_cancel(*state);
	expect_fails(*state, fd, -ECANCELED, "ended before");
	close(fd);
}

/* What a process that was taken over may send besides: each packet is refused and its descriptors
 * are closed. */
static void test_packets_of_another_form_are_refused(void **state)
{
	struct {
		struct sandbox_answer answer;
		char more[8];
	} longer = { .more = "" };
	struct sandbox_answer answer = { .err = 0 };
	int pair[2], fds[2] = { open_self(), open_self() }, taken;

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	sandbox_protocol_send(pair[0], &answer, sizeof(answer), fds, 2);	/* one too many */
	sandbox_protocol_send(pair[0], &answer, sizeof(answer) - 1, fds, 1);	/* too short */
	sandbox_protocol_send(pair[0], &longer, sizeof(longer), fds, 1);
	sandbox_protocol_send(pair[0], "", 0, fds, 1);				/* empty */
	sandbox_protocol_send(pair[0], &answer, sizeof(answer), NULL, 0);	/* right */
	for (int i = 0; i < 4; i++) {
		assert_int_equal(sandbox_protocol_receive(pair[1], &answer, sizeof(answer), &taken,
							  1, MSG_DONTWAIT), -EBADMSG);
		assert_int_equal(taken, -1);
	}
	assert_int_equal(sandbox_protocol_receive(pair[1], &answer, sizeof(answer), &taken, 1,
						  MSG_DONTWAIT), 0);
	assert_int_equal(taken, -1);
	assert_int_equal(sandbox_protocol_receive(pair[1], &answer, sizeof(answer), &taken, 1,
						  MSG_DONTWAIT), -EAGAIN);
	close(pair[0]);
	assert_int_equal(sandbox_protocol_receive(pair[1], &answer, sizeof(answer), &taken, 1,
						  MSG_DONTWAIT), -EPIPE);
	assert_int_equal(sandbox_protocol_send(pair[1], &answer, sizeof(answer), NULL, 0), -EPIPE);
	close(pair[1]);
	taken = dup(0);
	assert_int_equal(taken, pair[0] < pair[1] ? pair[0] : pair[1]);	/* nothing was left open */
	close(taken);
	close(fds[0]);
	close(fds[1]);
}

#define WITH_SANDBOX(test) cmocka_unit_test_setup_teardown(test, start, stop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_SANDBOX(test_a_worker_owns_nothing_before_it_reads_the_first_byte),
		WITH_SANDBOX(test_a_worker_that_is_killed_fails_its_job_only),
#ifdef __x86_64__
		WITH_SANDBOX(test_a_table_that_could_still_change_is_refused),
#endif
		WITH_SANDBOX(test_a_job_over_its_deadline_is_ended),
		WITH_SANDBOX(test_what_is_not_elf_is_refused),
		WITH_SANDBOX(test_a_file_over_two_gigabytes_is_refused),
		WITH_SANDBOX(test_a_file_with_too_many_symbols_is_refused),
		WITH_SANDBOX(test_a_descriptor_that_is_no_regular_file_is_refused),
		WITH_SANDBOX(test_a_zygote_that_is_gone_fails_every_job_and_hangs_none),
		WITH_SANDBOX(test_the_keys_of_a_terminal_do_not_end_the_zygote),
		WITH_SANDBOX(test_a_cancelled_sandbox_refuses_work),
		cmocka_unit_test(test_packets_of_another_form_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
