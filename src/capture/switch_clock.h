/* switch_clock.h - how long threads wait, from the kernel's records of their switches: exact sums,
 * and which waits become records. The off-CPU clock of bpf/off_cpu.h, where there is no BPF.
 *
 *     on CPU ---OUT--- blocked ---------------------------------------IN--- on CPU
 *                         ^ begin_ns   its stack is read   end_ns ^
 *
 * Stacks:  a thread's stack is read while it waits, at random times: it is that of the wait if the
 *          thread was switched out before the read began, and in after the read ended.
 * Records: a wait of at least the period is one record. Shorter ones are added up by their length,
 *          to a power of two; the thread's next wait of such a length that was read becomes a
 *          record with the sum as weight. As a read takes time, a wait of 100 us is found more
 *          than twice as often as one of 50 us, and one of 10 us never: so none of them stands for
 *          waits of another length. A wait that was not read is a record without a stack if it is
 *          a long one, or if the short ones of its length add up to SWITCH_UNREAD_PERIODS.
 * Unknown: who woke a thread, and when. A thread that was preempted waits for a CPU, and has no
 *          stack: its registers are where only the kernel can read them.
 * Source:  perf_event_open(2), PERF_RECORD_SWITCH.
 * Thread:  the owner's. Pure: nothing here reads a clock or a file.
 */
#ifndef CAPTURE_SWITCH_CLOCK_H
#define CAPTURE_SWITCH_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/id_map.h"
#include "bpf/wait_record.h"

#define SWITCH_UNREAD_PERIODS 64
#define SWITCH_LENGTHS	      24	/* powers of two from 4 us on; the last has all above */

enum switch_kind {
	SWITCH_OUT,		/* it blocks */
	SWITCH_PREEMPTED,	/* it leaves the CPU, and is runnable */
	SWITCH_IN,
	SWITCH_EXIT,		/* it has ended; that it leaves the CPU follows, or not */
};

/* What was read of a thread that waits. */
struct switch_stack {
	uint64_t begin_ns, end_ns;	/* CLOCK_MONOTONIC, of the read */
	uint64_t ip, sp;
	char state;		/* S D T t, as in /proc/PID/stat; 0: unknown */
	unsigned char *copy;	/* owned; from sp upwards */
	size_t bytes, room;
	size_t needed;		/* so much of it a walk can need; SIZE_MAX: all */
};

struct switched_thread {
	uint32_t pid, tid;
	uint32_t losses;	/* struct switch_clock.losses at since_ns */
	uint32_t unread_at;	/* index in struct switch_clock.unread; ID_MAP_NONE: not in it */
	bool is_off;
	bool is_preempted;	/* is_off: it is runnable */
	bool is_assumed;	/* is_off: it may be on a CPU all the same, as it was not switched
				 * since the clock began */
	bool has_stack;		/* is_off: `stack` was read since it is off */
	bool is_refused;	/* its stack may not be read */
	uint64_t since_ns;	/* the last switch */
	uint64_t on_ns;		/* on a CPU, until since_ns */
	uint64_t recorded_on_ns;	/* part of on_ns that a record of the owner has */
	uint64_t short_ns[SWITCH_LENGTHS];	/* short waits that no record has */
	uint64_t preempted_ns;	/* waits for a CPU that no record has */
	uint64_t refused_ns;	/* weight of records for which there was no room */
	uint64_t open_ns;	/* is_off: an open record has its time until then; 0: none has */
	struct switch_stack stack;
};

struct switch_clock {
	uint64_t period_ns;
	struct switched_thread *threads;	/* owned; rows move when a thread ends */
	uint32_t count, room;
	struct id_map by_tid;
	struct id_map ended;	/* tids of threads that ended -> were they preempted since? */
	uint32_t *unread;	/* owned; numbers of threads that are blocked and were not read */
	uint32_t unread_count;
	uint32_t losses;	/* times that records were lost */
	struct off_cpu_counts counts;
};

/* A record that is due. */
struct switch_due {
	struct switched_thread *thread;	/* BORROWED until the next switch */
	uint64_t weight_ns;
	uint64_t returned_ns;	/* part of the weight that was refused before */
	uint64_t blocked_ns, run_queue_ns;	/* parts of the wait that has just ended */
	bool has_stack;		/* thread->stack is the wait's */
};

void switch_clock_init(struct switch_clock *clock, uint64_t period_ns);
void switch_clock_finish(struct switch_clock *clock);	/* a zeroed one is fine */

struct switched_thread *switch_clock_find(struct switch_clock *clock, uint32_t tid);	/* NULL */
/* Returns how long @thread was on a CPU until @now_ns, as far as is known. */
uint64_t switch_clock_on_ns(const struct switch_clock *clock,
			    const struct switched_thread *thread, uint64_t now_ns);
/* Adds a thread that exists when the clock begins, and is not on a CPU as far as is known. */
void switch_clock_add(struct switch_clock *clock, uint32_t pid, uint32_t tid, uint64_t now_ns);
/* Counts a switch. True: *@due is a record, to be passed to switch_clock_recorded() before the next
 * switch. Switches of all CPUs come in the order of their times. */
bool switch_clock_turn(struct switch_clock *clock, enum switch_kind kind, uint32_t pid,
		       uint32_t tid, uint64_t time_ns, struct switch_due *due);
/* Counts the record, or gives its time to the thread's next one. */
void switch_clock_recorded(struct switch_clock *clock, const struct switch_due *due,
			   bool is_recorded);
/* Records of switches were lost: what any thread has done since its last one is unknown. */
void switch_clock_lost(struct switch_clock *clock);

/* Sets that the stack of thread number @at of `unread` was read, in thread->stack. Another thread
 * has that number then. */
void switch_clock_was_read(struct switch_clock *clock, uint32_t at);
/* The stack of @thread may not, or can't, be read from now on. */
void switch_clock_refuse(struct switch_clock *clock, struct switched_thread *thread);

#endif
