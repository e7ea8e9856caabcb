/* probed_copy.c - see probed_copy.h. */
#include "probed_copy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define LAST_CALLS 10
/* Instead of how often: */
#define CHAIN_BEGIN (-2)
#define CHAIN_END   (-3)

static char program[] = "/tmp/flametop-test-XXXXXX";	/* the copy */
static pid_t child;	/* it runs there, */
static int to_child, from_child;	/* takes how often to call, and says when it has */

/* Of the copy: a thread that makes a thread that ... */
static struct {
	_Atomic bool is_over;
	sem_t ended;
} chain;

__attribute__((noinline)) int probed_function(int number)
{
	__asm__ volatile("" : "+r"(number));
	return number + 1;
}

__attribute__((noinline)) int unprobed_function(int number)
{
	__asm__ volatile("" : "+r"(number));
	return number + 2;
}

void probed_copy_call(int count)
{
	assert_int_equal(write(to_child, &count, sizeof(count)), sizeof(count));
	assert_int_equal(read(from_child, &count, sizeof(count)), sizeof(count));
}

static void call_often(int count)
{
	for (int i = 0; i < count; i++)
		probed_function(i);
}

/* Each thread makes the next one and ends; the last one calls. */
static void *run_link(void *unused)
{
	pthread_t next;

	if (atomic_load(&chain.is_over)) {
		call_often(LAST_CALLS);
		sem_post(&chain.ended);
	} else if (pthread_create(&next, NULL, run_link, NULL)) {
		abort();
	}
	pthread_detach(pthread_self());
	return unused;
}

static bool begin_chain(void)
{
	pthread_t first;

	sem_init(&chain.ended, 0, 0);
	return pthread_create(&first, NULL, run_link, NULL) == 0;
}

static int end_chain(void)
{
	atomic_store(&chain.is_over, true);
	sem_wait(&chain.ended);
	return LAST_CALLS;
}

void probed_copy_serve(void)
{
	const uint64_t address = (uintptr_t)probed_function;
	int count;

	while (read(STDIN_FILENO, &count, sizeof(count)) == sizeof(count)) {
		if (count == CHAIN_BEGIN && begin_chain())
			continue;
		if (count == CHAIN_END)
			count = end_chain();
		else
			call_often(count);
		if (write(STDOUT_FILENO, &count, sizeof(count)) != sizeof(count))
			return;
		if (count < 0 && write(STDOUT_FILENO, &address, sizeof(address)) != sizeof(address))
			return;
	}
}

uint64_t probed_copy_first_bytes(void)
{
	uint64_t address = 0, bytes = 0;
	char path[32];
	int memory;

	probed_copy_call(-1);	/* has it say where */
	assert_int_equal(read(from_child, &address, sizeof(address)), sizeof(address));
	snprintf(path, sizeof(path), "/proc/%d/mem", (int)child);
	memory = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(memory >= 0);
	assert_int_equal(pread(memory, &bytes, sizeof(bytes), (off_t)address),
			 sizeof(bytes));
	close(memory);
	return bytes;
}

static int copy_program(void)
{
	int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), to = mkstemp(program);
	ssize_t copied = from < 0 || to < 0 ? -1 : 1;

	while (copied > 0)
		copied = sendfile(to, from, NULL, 1 << 20);
	if (!copied)
		copied = fchmod(to, 0700);
	close(from);
	close(to);	/* nobody may have it open for writing when it is executed */
	return (int)copied;
}

int probed_copy_start(void)
{
	int in[2], out[2];

	if (copy_program() || pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC))
		return -1;
	child = fork();
	if (child == 0) {
		dup2(in[0], STDIN_FILENO);
		dup2(out[1], STDOUT_FILENO);
		execl(program, program, "probed_copy", NULL);
		_exit(127);
	}
	close(in[0]);
	close(out[1]);
	to_child = in[1];
	from_child = out[0];
	return child > 0 ? 0 : -1;
}

void probed_copy_end(void)
{
	close(to_child);
	waitpid(child, NULL, 0);
	unlink(program);
}

pid_t probed_copy_pid(void)
{
	return child;
}

void probed_copy_begin_chain(void)
{
	const int order = CHAIN_BEGIN;

	assert_int_equal(write(to_child, &order, sizeof(order)), sizeof(order));
}

int probed_copy_end_chain(void)
{
	int order = CHAIN_END;

	assert_int_equal(write(to_child, &order, sizeof(order)), sizeof(order));
	assert_int_equal(read(from_child, &order, sizeof(order)), sizeof(order));
	return order;
}

const char *probed_copy_path(void)
{
	return program;
}
