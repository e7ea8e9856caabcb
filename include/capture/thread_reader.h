/* thread_reader.h - reads where every thread of the targets is now, without stopping any: its
 * state, since when, its kernel stack, and a copy of its user stack, which is queued as a sample.
 *
 * Problem: ptrace and signals stop what they look at; and a thread that runs meanwhile has another
 *          stack than the one that its registers belong to.
 * Idea:    a blocked thread keeps still. What was read of it is accepted only if the scheduler has
 *          not run it in between, else it is read again.
 * Bounds:  THREAD_ATTEMPTS attempts per thread; the copy's size is the caller's choice. A process
 *          whose memory does not respond, as a mapped file's server is dead, takes
 *          two seconds.
 * Source:  proc(5): /proc/PID/task/TID/{stat,status,schedstat,sched,syscall,stack};
 *          process_vm_readv(2); futex(2).
 * Thread:  a thread of its own reads; all calls come from one other thread. The reader is the
 *          producer of the queue.
 */
#ifndef CAPTURE_THREAD_READER_H
#define CAPTURE_THREAD_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/thread.h"
#include "bpf/off_cpu.h"
#include "capture/event.h"
#include "capture/scope.h"

#define THREAD_ATTEMPTS	     4
#define THREAD_COPY_BYTES    (16u * 1024)	/* usual size of a stack copy */
#define THREAD_COPY_BYTES_MAX (60u * 1024)	/* a record is smaller than 64 KiB */

enum thread_look {
	THREAD_READ,		/* blocked while it was read; its user stack was queued */
	THREAD_KERNEL_ONLY,	/* blocked, and has no user stack: a kernel thread, a zombie */
	THREAD_RUNNING,		/* runs or waits for a CPU: its stack is not known */
	THREAD_CHANGED,		/* ran during each attempt */
	THREAD_REFUSED,		/* the user may not look at its stack */
	THREAD_SILENT,		/* its memory did not respond */
};

struct thread_now {
	uint32_t pid, tid;
	uint32_t inner_tid;	/* in its innermost pid namespace, as its own memory has it */
	char comm[16];		/* raw, NUL-terminated */
	enum thread_look look;
	char state;		/* R S D T t Z I ...: see proc(5), /proc/PID/stat */
	uint32_t cpu;		/* where it ran last */
	uint64_t time_ns;	/* when it was read, CLOCK_MONOTONIC */
	uint64_t since_ns;	/* when it stopped running, CLOCK_MONOTONIC; 0: unknown, or it
				 * runs */
	bool is_since_exact;	/* since_ns comes from the off-CPU clock; else to a few ms, and time
				 * that interrupts and the host took since then is not in it */
	uint64_t futex;		/* address of the lock that it waits for; 0: none with an owner */
	uint32_t owner;		/* inner tid of the thread that has the lock; 0: unknown */
	const char *kernel;	/* kernel functions, innermost first, with a blank after each; raw;
				 * NULL: unknown. Owned, see threads_destroy() */
};

struct thread_reader;

/* @copy_bytes: how much is copied of each user stack. 0; -ENOMEM, -EMFILE. */
int thread_reader_create(struct thread_reader **out, size_t copy_bytes, struct diag *why);
/* Returns false when the reading thread hangs in a read: then it still uses the reader and the
 * queue, which must not be freed. NULL is fine. */
bool thread_reader_destroy(struct thread_reader *reader);

/* The tasks that a reader leaves out: the processes @ids and their children. BORROWED. */
struct own_processes {
	const uint32_t *ids;
	size_t count;
};

/* Lists the threads of @target to be read next. @comm: only those of processes that have a thread
 * with this name, sanitized; NULL: all. Call it before the first thread_reader_start() and whenever
 * the QUEUE_END after the last one was taken. All is BORROWED for the call. 0; -EINVAL: a target
 * that is no list of tasks; -ESRCH: there are no such threads; -ENOMEM. */
int thread_reader_list(struct thread_reader *reader, const struct target *target,
		       const char *comm, const struct own_processes *own, struct diag *why);

/* From the next start on: since when threads are blocked comes from the off-CPU clock @off_cpu,
 * where that has seen them leave their CPU. BORROWED; NULL: no clock. */
void thread_reader_set_clock(struct thread_reader *reader, const struct off_cpu *off_cpu);

/* The event of the samples; valid while @reader lives. */
const struct event_desc *thread_reader_event(const struct thread_reader *reader);
/* Reads the listed threads into @queue (of 256 KiB at least, always the same one): a sample per
 * thread, then the end. 0 or an error of pthread_create(3). */
int thread_reader_start(struct thread_reader *reader, struct spsc *queue, struct diag *why);
int thread_reader_queue_fd(const struct thread_reader *reader);	/* readable: items were queued */
/* Consumer of the queue: it has made room. */
void thread_reader_consumed(struct thread_reader *reader);

/* Returns how many threads were read so far; SIZE_MAX: all. */
size_t thread_reader_progress(const struct thread_reader *reader);
/* Returns the threads, by pid and tid, without those that ended before they were read. Only after
 * the reader's QUEUE_END was taken. The caller's: threads_destroy(). */
struct thread_now *thread_reader_take_threads(struct thread_reader *reader, size_t *count);
void threads_destroy(struct thread_now *threads, size_t count);	/* NULL is fine */

/* Parse texts of /proc/PID/task/TID, for tests. @text is NUL-terminated. */

struct thread_call {
	long number;		/* the system call's; -1: it is in none */
	uint64_t arguments[6];	/* 0 where number is -1 */
	uint64_t sp, ip;
};

/* "syscall". Returns false for "running" and malformed text. */
bool thread_call_parse(struct thread_call *out, const char *text);
/* "stack": writes the names of its functions into @out[@room], each followed by a blank; a name
 * that does not fit is left out with those after it. Returns the length. */
size_t thread_kernel_parse(const char *text, char *out, size_t room);

/* What a lock's memory says: @words are the 12 bytes at the futex. Returns the inner tid of the
 * owner of the lock that @call waits for; 0: it waits for no lock, or the owner is unknown.
 *
 *	glibc, normal	lock: 2 (there are waiters) | count | owner
 *	PI, robust	FUTEX_WAITERS, FUTEX_OWNER_DIED, tid of the owner
 */
uint32_t thread_lock_owner(const struct thread_call *call, const uint32_t words[3]);

#endif
