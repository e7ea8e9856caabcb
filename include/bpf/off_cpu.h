/* off_cpu.h - time that threads spend off a CPU: exact sums, and a record with the stack for the
 * waits that matter.
 *
 * A thread's time is divided by what the scheduler does with it:
 *
 *     on CPU ---switched out--- blocked ---woken--- on the run queue ---switched in--- on CPU
 *
 * A thread that is preempted is on the run queue at once. Each moment ends one part and begins the
 * next, so on + blocked + run queue is the wall clock, to the nanosecond.
 *
 * Records: the off-CPU clock. A wait of at least the period is one record with the wait's time as
 *          weight. Shorter ones are added up, and when a random point (half to one and a half
 *          periods) is passed, the wait that passes it becomes a record with the point as weight;
 *          what is above it is carried on. So a short wait is chosen with a probability that is
 *          proportional to its length, and a thread gives at most two records per period waited.
 *          The record is written when the thread runs again, by itself: registers, stack and call
 *          chain in it are those that it waited with. A record that does not fit into its ring
 *          gives its weight to the thread's next one: nothing is lost, only merged. While its
 *          event is disabled there is none.
 * Use:     the caller opens an event on each CPU: PERF_TYPE_SOFTWARE, PERF_COUNT_SW_BPF_OUTPUT,
 *          sample_period 1, sample_type with PERF_SAMPLE_RAW, TID, TIME and what stacks need,
 *          CLOCK_MONOTONIC; and maps their rings. Then off_cpu_open(). A sample's raw bytes begin
 *          with struct wait_record (and end with padding).
 * Needs:   Linux 5.18 with CONFIG_DEBUG_INFO_BTF; before 6.17 CONFIG_KPROBE_EVENTS too; CAP_BPF and
 *          CAP_PERFMON, and CAP_SYS_ADMIN before 6.17. Whether they suffice shows in
 *          off_cpu_open().
 * Left over: nothing, whatever ends the process: see kernel_program.h.
 * Thread:  any, one at a time. off_cpu_open() takes 50 ms to a second: not for the screen's thread.
 */
#ifndef BPF_OFF_CPU_H
#define BPF_OFF_CPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/diag.h"
#include "bpf/wait_record.h"

#define OFF_CPU_PERIOD_NS 1000000u	/* by default */
/* Most that maps and programs take in the kernel; a thread takes 512 bytes more while it lives. */
#define OFF_CPU_MAP_BYTES (6u << 20)

struct off_cpu_config {
	uint64_t period_ns;		/* 0: OFF_CPU_PERIOD_NS */
	/* What is watched: with processes (or threads) these and the children that they start from
	 * now on; with a cgroup the tasks in it and below; with neither the machine. */
	const pid_t *watched;
	size_t watched_count;
	bool are_threads;		/* `watched` are threads */
	bool has_no_children;		/* `watched` alone */
	int cgroup_fd;			/* a directory of cgroup v2; -1: none. BORROWED */
	/* Processes that are not watched, with their children: flametop's own. */
	const pid_t *left_out;
	size_t left_out_count;
	bool has_kernel_threads;	/* write records of kernel threads, too */
	bool are_cpus_chosen;	/* waits that end on a CPU without an event have no records; else
				 * their weight is given to later records */
	/* The event of each CPU, BORROWED until off_cpu_close(). */
	const int *cpus;
	const int *events;
	size_t event_count;
};

struct off_cpu;

/* Loads and attaches everything. Returns 0; or -errno, and @why says what is missing and what would
 * help: -EPERM rights, lockdown; -ENOENT kernel too old or without it; -ENOMEM; -EBADF a cgroup
 * that is not of version 2. */
int off_cpu_open(struct off_cpu **out, const struct off_cpu_config *config, struct diag *why);
/* Watches another process (or thread), with the children that it starts from now on. 0, -E2BIG. */
int off_cpu_watch(struct off_cpu *off_cpu, pid_t id);
/* Lets the programs write into these events alone from now on. Returns 0; -errno: some write into
 * none of them. */
int off_cpu_redirect(struct off_cpu *off_cpu, const int *cpus, const int *events, size_t count);
int off_cpu_read_counts(const struct off_cpu *off_cpu, struct off_cpu_counts *out,
			struct diag *why);
/* Reads the sums of the threads of @pid, 0: of all that are watched. *@rows is the caller's
 * (malloc'd). The sums of one thread belong together, even while it is switched. */
int off_cpu_read_threads(const struct off_cpu *off_cpu, pid_t pid, struct off_cpu_thread **rows,
			 size_t *count, struct diag *why);
/* Returns a second one, for off_cpu_read_threads() and off_cpu_close() alone, by another thread;
 * NULL: no memory or descriptors. When the first one is closed, its sums stay as they are. */
struct off_cpu *off_cpu_share(const struct off_cpu *off_cpu);
void off_cpu_close(struct off_cpu *off_cpu);	/* NULL is fine */

#endif
