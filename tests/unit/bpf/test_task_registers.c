/* A child that sets its registers to known values and waits in a system call. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "bpf/kernel_reads.h"
#include "need_bpf.h"
#include "unit_tests.h"

#define WAIT_US 2000

/* DWARF numbers of registers that a system call keeps, and of the one with its number. */
#ifdef __aarch64__
#define KEPT_A 20
#define KEPT_B 27
#define SET_AND_WAIT                                                                               \
	__asm__ volatile("mov x20, #0x1234\n\tmov x27, #0x5678\n\tmov x0, #0\n\tmov x1, #0\n\t"   \
			 "mov x2, #0\n\tmov x3, #0\n\tmov x8, %0\n1:\tsvc #0\n\tb 1b"              \
			 :: "i"(SYS_ppoll) : "x0", "x1", "x2", "x3", "x8", "x20", "x27", "memory")
#else
#define KEPT_A 12	/* r12 */
#define KEPT_B 3	/* rbx */
#define SET_AND_WAIT                                                                               \
	__asm__ volatile("mov $0x1234, %%r12\n\tmov $0x5678, %%rbx\n1:\tmov %0, %%rax\n\t"        \
			 "syscall\n\tjmp 1b"                                                       \
			 :: "i"(SYS_pause) : "rax", "rbx", "rcx", "r11", "r12", "memory")
#endif

static pid_t start_child(void)
{
	const pid_t child = fork();

	assert_true(child >= 0);
	if (child)
		return child;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	SET_AND_WAIT;
	_exit(1);
}

/* Reads a line of its status, and returns the number in it. */
static uint64_t read_status(pid_t pid, const char *name)
{
	char path[64], line[256];
	uint64_t value = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	file = fopen(path, "re");
	assert_non_null(file);
	while (fgets(line, sizeof(line), file))
		if (!strncmp(line, name, strlen(name)))
			value = strtoull(line + strlen(name), NULL, 10);
	fclose(file);
	return value;
}

static bool has_values(struct task_iterator *iterator, pid_t child, struct task_registers *out)
{
	struct task_registers *list;
	struct diag why;
	size_t count;

	if (task_iterator_read(iterator, (uint32_t)child, &list, &count, &why))
		fail_msg("%s", why.text);
	assert_int_equal(count, 1);
	*out = list[0];
	free(list);
	return out->values[KEPT_A] == 0x1234 && out->values[KEPT_B] == 0x5678;
}

static void test_registers_of_a_blocked_thread_are_those_it_had(void **state)
{
	struct task_iterator *iterator;
	struct task_registers found;
	struct diag why;
	pid_t child;

	(void)state;
	need_bpf();
	if (task_iterator_create(&iterator, &why))
		fail_msg("%s", why.text);
	child = start_child();
	while (!has_values(iterator, child, &found))
		usleep(WAIT_US);
	assert_int_equal(found.pid, child);
	assert_int_equal(found.tid, child);
	assert_int_equal(found.switches, read_status(child, "voluntary_ctxt_switches:") +
					 read_status(child, "nonvoluntary_ctxt_switches:"));
	assert_true(found.kernel[0] >> 63 && found.kernel[1] >> 63);	/* it is in the kernel */
	assert_int_equal(found.kernel[TASK_KERNEL_FRAMES - 1], 0);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	task_iterator_destroy(iterator);
}

static void test_a_process_that_is_gone_has_no_threads(void **state)
{
	struct task_iterator *iterator;
	struct task_registers *list;
	struct diag why;
	size_t count;
	pid_t child;

	(void)state;
	need_bpf();
	if (task_iterator_create(&iterator, &why))
		fail_msg("%s", why.text);
	child = start_child();
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	if (!task_iterator_read(iterator, (uint32_t)child, &list, &count, &why))
		assert_int_equal(count, 0);
	free(list);
	task_iterator_destroy(iterator);
}

UNIT_TESTS(test_task_registers)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_registers_of_a_blocked_thread_are_those_it_had),
		cmocka_unit_test(test_a_process_that_is_gone_has_no_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
