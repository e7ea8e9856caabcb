/* off_cpu_programs.h - the programs of off_cpu.h as bytecode, and what they keep for a thread.
 *
 * Thread: any, pure. */
#ifndef BPF_OFF_CPU_PROGRAMS_H
#define BPF_OFF_CPU_PROGRAMS_H

#include <bpf/btf.h>
#include <stdbool.h>
#include <stdint.h>

#include "bytecode.h"
#include "bpf/wait_record.h"

/* What is kept for a thread. */
struct watched_thread {
	struct off_cpu_thread sums;
	uint32_t sequence;	/* odd while a switch changes the sums */
	uint32_t is_claimed;	/* a program begins the sums, or has begun them */
	uint32_t kind;		/* enum thread_kind; 0: the sums have not begun */
	uint32_t waker_flags;	/* enum wait_flags */
	uint64_t pending_ns;	/* waits that the resumed thread has not looked at yet */
	uint64_t blocked_ns, run_queue_ns;	/* its last wait */
	uint64_t short_ns;	/* short waits since a random point; the next is at point_ns */
	uint64_t point_ns;
	uint64_t returned_ns;	/* weight of records that were refused */
	uint64_t waker;		/* process << 32 | thread */
	char waker_comm[16];
};

/* A switch may have to begin two threads. Of elements with at most 256 bytes the kernel has four at
 * once on each CPU when the programs begin, of larger ones one; it brings more after an interrupt.
 * 80 bytes are its own. Source: prefill_mem_cache() in kernel/bpf/memalloc.c. */
_Static_assert(sizeof(struct watched_thread) <= 176, "the first switch of a CPU has room for two");

enum thread_kind { THREAD_USER = 1, THREAD_KERNEL, THREAD_ENDED };

/* What a process (or thread) in the map `ids` is. */
enum id_kind { ID_WATCHED = 1, ID_LEFT_OUT };

/* Descriptors of the maps. */
struct off_cpu_maps {
	int threads;	/* task storage of struct watched_thread */
	int counts;	/* PERCPU_ARRAY: one struct off_cpu_counts */
	int ids;	/* HASH: u32 -> u32, enum id_kind */
	int events;	/* PERF_EVENT_ARRAY */
	int cgroup;	/* CGROUP_ARRAY; -1: none */
};

/* Where this kernel has what the programs read. */
struct off_cpu_layout {
	int pid, tgid, flags, signal, live;	/* struct task_struct; struct signal_struct */
	int seq;				/* struct bpf_iter_meta */
	int task_state, on_cpu;	/* struct task_struct; -1: there is none */
	/* The count of interrupts that the CPU is in: so many bytes from the task, or from the run
	 * queue, to which two pointers lead from the task. */
	enum { COUNT_UNKNOWN, COUNT_IN_TASK, COUNT_OF_CPU } count_place;
	int interrupts;
	int cfs_rq, rq;
};

struct off_cpu_build {
	struct off_cpu_maps maps;
	struct off_cpu_layout layout;
	uint64_t period_ns;
	bool watches_ids;	/* those in `ids` only */
	bool are_threads;	/* ids are threads */
	bool has_no_children;	/* watched ids are; those left out have some */
	bool has_kernel_threads;
	bool are_cpus_chosen;	/* a wait that ends on a CPU without an event is none */
	bool is_function;	/* the resumed thread's program runs at a kernel function */
};

/* Finds the offsets. Returns 0 or -ENOENT. */
int off_cpu_layout_find(struct off_cpu_layout *out, const struct btf *btf, struct diag *why);

/* Each returns a new program; NULL: out of memory. Its hooks: */
struct bytecode *off_cpu_make_switch(const struct off_cpu_build *build);	/* sched_switch */
struct bytecode *off_cpu_make_waking(const struct off_cpu_build *build);	/* sched_waking */
struct bytecode *off_cpu_make_fork(const struct off_cpu_build *build);	/* sched_process_fork */
struct bytecode *off_cpu_make_exit(const struct off_cpu_build *build);	/* sched_process_exit */
/* sched_exit_tp, or the function finish_task_switch() */
struct bytecode *off_cpu_make_resumed(const struct off_cpu_build *build);
struct bytecode *off_cpu_make_rows(const struct off_cpu_build *build);	/* an iterator over tasks */

#endif
