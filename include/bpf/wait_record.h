/* wait_record.h - what the kernel's programs say of waits: the record of one, a thread's sums, and
 * the counts of all. See off_cpu.h.
 *
 * Layout: the programs write these bytes: fields of 4 and 8 bytes without gaps, in the byte order
 *         of this machine. There are no versions: who loads the programs reads what they write.
 */
#ifndef BPF_WAIT_RECORD_H
#define BPF_WAIT_RECORD_H

#include <stdint.h>

enum wait_flags {
	WAIT_HAS_WAKER = 1,		/* waker_* are set */
	WAIT_WOKEN_BY_INTERRUPT = 2,	/* an interrupt woke it: whoever ran there is not named */
	/* The thread still waits: weight_ns is its time so far, until woken_at_ns. The weight of
	 * each later record of the same wait contains this time again: that of the next open one,
	 * and that of the record that ends the wait. */
	WAIT_IS_OPEN = 4,
	WAIT_IS_OF_ALL = 8,	/* WAIT_IS_OPEN, while all threads of the machine or of a user are
				 * watched: most of them have nothing to do */
	WAIT_IS_ON_CPU = 32,	/* no wait: weight_ns is the time that the thread was on a CPU since
				 * the last such record; no program writes it */
	WAIT_STATE_UNKNOWN = 16,	/* blocked, and `state` is not set; no program writes it */
};

/* One wait. */
struct wait_record {
	uint64_t weight_ns;	/* time that the record counts */
	uint64_t returned_ns;	/* part of the weight that this thread's lost records gave back */
	uint64_t blocked_ns;	/* this wait: until it was woken */
	uint64_t run_queue_ns;	/* this wait: until it ran then */
	uint64_t woken_at_ns;	/* CLOCK_MONOTONIC; 0: preempted, or the wake-up was not seen */
	uint32_t state;		/* the kernel's TASK_*, as in prev_state; 0: preempted */
	uint32_t flags;		/* enum wait_flags */
	uint32_t waker_pid;	/* the process; in the first pid namespace, like waker_tid */
	uint32_t waker_tid;
	char waker_comm[16];	/* FOREIGN: pass it through the sanitizer */
};

/* All that happened to watched threads since off_cpu_open(), also those that ended. The times are
 * those of threads with user code. */
struct off_cpu_counts {
	uint64_t on_ns, blocked_ns, run_queue_ns;
	uint64_t unknown_ns;		/* between two switches of which one was not seen: there
					 * are kernels that do not show all of them */
	uint64_t recorded_ns;		/* weight of all records. Blocked + run queue less this
					 * are short of a random point, or ended just now, or
					 * while the event was disabled */
	uint64_t kernel_thread_ns;	/* waits of kernel threads that were left out */
	uint64_t records;
	uint64_t waits;
	uint64_t idle_switches;		/* CPUs became idle: not a wait of anybody */
	uint64_t records_refused;	/* rings were full; their weight came with later records */
	uint64_t threads_refused;	/* no memory for a thread, or its storage is just being
					 * changed: its switch is not counted */
	uint64_t processes_refused;	/* children that are not watched: too many processes, or
					 * the kernel skipped a run for a fork */
	/* Runs that the kernel skipped, as the program ran already on that CPU: an interrupt's
	 * wake-up within another one. The time of the thread is counted: as blocked, without a
	 * waker, or with its next wait. The kernel does not say whose run it was: a thread's that
	 * is not watched loses nothing. Skipped runs for switches are not among these, as they
	 * show in unknown_ns; those for forks are in processes_refused. */
	uint64_t skipped;
	uint64_t stackless_ns;	/* weight of records without a stack: of capture/switch_waits.h */
};

struct off_cpu_reading {
	struct off_cpu_counts counts;
	uint64_t has_sums;	/* 1: the times are those of the target; 0: also of other tasks */
};

/* The sums of a thread that is watched and has been switched since off_cpu_open(). */
struct off_cpu_thread {
	uint32_t pid, tid;
	uint64_t first_ns;	/* CLOCK_MONOTONIC: the sums begin here */
	uint64_t since_ns;	/* the last switch: the sums end here, what it does now began */
	uint16_t is_off;	/* 1: it is off CPU since then */
	uint16_t is_kernel;	/* 1: a thread of the kernel */
	uint32_t state;		/* off CPU: as in struct wait_record; else of its last wait */
	uint64_t woken_at_ns;	/* off CPU: since then on the run queue; 0: not woken */
	uint64_t on_ns, blocked_ns, run_queue_ns, unknown_ns;	/* together: since - first */
	uint64_t recorded_ns;
	uint64_t waits;
};

#endif
