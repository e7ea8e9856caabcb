/* memory_read.h - reads the memory of a blocked thread: its stack, and the words of the lock that
 * it waits for.
 *
 * Problem: a read of another process's memory may block for ever, as that may be a mapping of a
 *          file whose server does not respond, or of userfaultfd(2).
 * Use:     zero a struct memory_reader and set `room` and `calls.wait_ms`; memory_read() for each
 *          thread; memory_reader_finish(). A process whose memory does not respond is refused until
 *          the call that hangs in it returns; all others are read.
 * Thread:  one at a time.
 */
#ifndef CAPTURE_MEMORY_READ_H
#define CAPTURE_MEMORY_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/service.h"

struct memory_reader {
	size_t room;			/* at most so much of a stack is read */
	struct blocking_calls calls;
	struct thread_memory *last;	/* owned; NULL: a call that hangs has it, or there was none
					 * yet */
};

struct thread_memory {
	struct blocking_job job;	/* private */
	uint32_t pid;
	uint64_t sp, futex;
	size_t room;
	size_t stack_bytes;		/* how much of the stack was read */
	bool has_words;			/* `words` are those at `futex` */
	uint32_t words[3];
	unsigned char stack[];		/* `room`, and 8 bytes more for padding */
};

/* Reads the stack of a thread of process @pid from @sp up, and the lock at @futex, 0: there is
 * none. *@out, BORROWED until the next call, may be written to. Returns 0; or -ENOMEM or an error
 * of blocking_calls_run(), with *@out NULL: -ETIMEDOUT when the process begins to be refused,
 * -EBUSY from then on. */
int memory_read(struct memory_reader *reader, uint32_t pid, uint64_t sp, uint64_t futex,
		struct thread_memory **out);
void memory_reader_finish(struct memory_reader *reader);

#endif
