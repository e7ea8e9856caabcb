/* switch_waits.h - waits of threads without BPF: their times from the kernel's records of switches,
 * which any user gets of his own threads, and their stacks as read while they wait.
 *
 * Problem: the event context-switches would have the stack of each wait, but it happens in the
 *          kernel, and with kernel code excluded it never does: so an ordinary user has none.
 * Idea:    a thread that waits keeps still. At random times the stacks of some of those that are
 *          switched out are read (proc(5), /proc/PID/task/TID/syscall; process_vm_readv(2)), and
 *          the records of the switches tell afterwards which of them belong together: see
 *          switch_clock.h. Nothing is stopped.
 * Use:     the events of off-cpu are opened with attr.context_switch and attr.task;
 *          switch_waits_create(), give the queue to the sampler, _start(), _end(), _destroy().
 *          From create to end their rings are read here alone.
 * Queue:   records as BPF programs write them (bpf/wait_record.h), for ingest/waits.h; and the sums
 *          of all waits, as payloads of the type SWITCH_WAITS_COUNTS.
 * Bounds:  reads take at most a fifth of a CPU, and what they leave out is in the sums. A thread
 *          takes its stack's copy.
 * Thread:  one of its own; all calls from one other thread, but switch_waits_end(): see there.
 */
#ifndef CAPTURE_SWITCH_WAITS_H
#define CAPTURE_SWITCH_WAITS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/thread.h"
#include "bpf/wait_record.h"
#include "capture/event_set.h"
#include "capture/stack_copy.h"

#define SWITCH_WAITS_COUNTS 0xfffffff0u	/* perf_event_header.type; struct off_cpu_counts follows */

struct switch_waits;

struct switch_waits_config {
	struct event_set *set;		/* BORROWED until switch_waits_end() returns */
	uint16_t event;			/* index of off-cpu in it */
	uint64_t period_ns;		/* see bpf/off_cpu.h */
	bool is_of_all;			/* the threads are all of the machine or of a user */
	bool tells_on_cpu;		/* queue WAIT_IS_ON_CPU, too */
	bool has_begun;			/* the tasks of the set exist already, and have run */
	const struct stack_ends *stack_ends;	/* BORROWED as long; NULL: copy all of a stack */
};

/* Returns 0; -ENOMEM, -EMFILE. */
int switch_waits_create(struct switch_waits **out, const struct switch_waits_config *config);
struct spsc *switch_waits_queue(struct switch_waits *waits);	/* BORROWED */
/* Begins, before the events are enabled. 0 or -errno. */
int switch_waits_start(struct switch_waits *waits);
/* Looks whether the thread hangs in memory that does not respond; then another one goes on. The
 * sampler's thread, repeatedly. */
void switch_waits_watch(struct switch_waits *waits, uint64_t now_ns);
/* Returns a time, CLOCK_MONOTONIC: all records of waits that ended before are in the queue. Any
 * thread. */
uint64_t switch_waits_done_ns(const struct switch_waits *waits);
/* Returns how many records of the rings could not be parsed so far. Any thread. */
uint64_t switch_waits_malformed(const struct switch_waits *waits);
/* Queues all waits until now, also those that go on, and ends the thread. Later calls change
 * nothing. The sampler's thread, or the one that starts and destroys while there is none. */
void switch_waits_end(struct switch_waits *waits);
void switch_waits_destroy(struct switch_waits *waits);	/* NULL is fine */

#endif
