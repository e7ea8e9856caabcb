/* memory_read.c - see memory_read.h. */
#include "memory_read.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/uio.h>

#include "capture/stack_copy.h"

static void run(struct blocking_job *job)
{
	struct thread_memory *memory = (struct thread_memory *)job;
	const struct iovec here = { memory->words, sizeof(memory->words) };
	const struct iovec there = { (void *)(uintptr_t)memory->futex, sizeof(memory->words) };
	const pid_t pid = (pid_t)memory->pid;

	memory->stack_bytes = stack_copy_read(pid, memory->sp, memory->stack, memory->room);
	memory->has_words = memory->futex && process_vm_readv(pid, &here, 1, &there, 1, 0) ==
					     sizeof(memory->words);
}

static void drop(struct blocking_job *job)
{
	free(job);
}

int memory_read(struct memory_reader *reader, uint32_t pid, uint64_t sp, uint64_t futex,
		struct thread_memory **out)
{
	struct thread_memory *memory =
		reader->last ? reader->last : malloc(sizeof(*memory) + reader->room + 8);
	int err;

	*out = reader->last = NULL;
	if (!memory)
		return -ENOMEM;
	memory->job = (struct blocking_job){ .key = pid, .run = run, .drop = drop };
	memory->pid = pid;
	memory->sp = sp;
	memory->futex = futex;
	memory->room = reader->room;
	err = blocking_calls_run(&reader->calls, &memory->job);
	if (!err)
		*out = reader->last = memory;
	return err;
}

void memory_reader_finish(struct memory_reader *reader)
{
	blocking_calls_finish(&reader->calls);
	free(reader->last);
	reader->last = NULL;
}
