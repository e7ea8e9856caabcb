/* event_record.h - a parsed perf record, as all stages after the parser use it.
 *
 * Source:  perf_event_open(2) "MMAP layout"; <linux/perf_event.h> enum perf_event_type.
 * Owns:    nothing. All pointers are BORROWED from the parsed bytes.
 * Trust:   text is raw foreign bytes of the stated length, NOT terminated, NOT sanitized.
 */
#ifndef CAPTURE_EVENT_RECORD_H
#define CAPTURE_EVENT_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/build_id.h"

enum record_kind {
	RECORD_OTHER,		/* well-formed, but of no use here: skip */
	RECORD_SAMPLE,
	RECORD_MMAP,		/* MMAP and MMAP2, executable or not */
	RECORD_COMM,
	RECORD_FORK,
	RECORD_EXIT,
	RECORD_LOST,		/* LOST and LOST_SAMPLES */
	RECORD_THROTTLE,
	RECORD_UNTHROTTLE,
	RECORD_KSYMBOL,
	RECORD_BPF,
	RECORD_CGROUP,
};

/* Mode of the CPU at an instruction pointer: PERF_RECORD_MISC_CPUMODE_MASK, PERF_CONTEXT_*. */
enum cpu_mode {
	MODE_UNKNOWN,
	MODE_KERNEL,
	MODE_USER,
	MODE_HYPERVISOR,
	MODE_GUEST_KERNEL,
	MODE_GUEST_USER,
};

struct record_text {
	const char *bytes;
	size_t len;
};

/* PERF_SAMPLE_READ: the counters of the event or of its whole group, in place in the record. */
struct record_read {
	const uint64_t *values;	/* the i-th value is values[i * stride]; NULL: none */
	uint64_t count;
	uint8_t stride;
	uint8_t id_at;		/* distance from a value to its id in words; 0: there are no ids */
};

struct record_sample {
	uint64_t ip;
	uint64_t period;	/* 1 when the event carries none and its attr has no fixed period */
	uint64_t addr;		/* PERF_SAMPLE_ADDR, else 0 */
	uint64_t weight;	/* PERF_SAMPLE_WEIGHT or _WEIGHT_STRUCT's first, else 0 */
	const uint64_t *chain;	/* leaf first, with PERF_CONTEXT_* markers; NULL: none */
	uint64_t chain_count;
	const void *raw;	/* PERF_SAMPLE_RAW: tracepoint or probe fields; NULL: none */
	uint32_t raw_bytes;
	uint64_t user_abi;	/* PERF_SAMPLE_REGS_ABI_*; 0: no user registers */
	const uint64_t *user_regs;	/* one per set bit of attr.sample_regs_user, lowest first */
	uint32_t user_regs_count;
	const uint64_t *intr_regs;	/* registers where the event occurred, one per set bit of
					 * attr.sample_regs_intr, lowest first; NULL: none */
	uint32_t intr_regs_count;
	const void *user_stack;	/* copy of the user stack from its pointer upwards; NULL: none */
	uint64_t user_stack_bytes;	/* bytes of user_stack that the kernel filled */
	uint64_t user_stack_reserved;	/* size of user_stack; see capture/record_trim.h */
	struct record_read read;
	uint64_t cgroup;	/* PERF_SAMPLE_CGROUP: id of a cgroup, see RECORD_CGROUP */
	bool has_cgroup;
};

struct record_mmap {
	uint64_t start, bytes, file_offset;
	struct record_text path;
	bool is_executable;
	bool has_build_id;	/* build_id is set, and dev and inode are not */
	struct build_id build_id;
	bool has_inode;		/* MMAP2 only */
	uint32_t dev_major, dev_minor;
	uint64_t inode, inode_generation;
	uint32_t flags;		/* MAP_* of MMAP2; 0 for MMAP */
};

struct record_comm {
	struct record_text comm;
	bool is_exec;		/* PERF_RECORD_MISC_COMM_EXEC: the address space is new */
};

struct record_task {		/* FORK and EXIT; pid and tid of the record are the child's */
	uint32_t parent_pid, parent_tid;
};

struct record_lost {
	uint64_t count;		/* records (LOST) or samples (LOST_SAMPLES) */
	bool is_samples;
};

struct record_ksymbol {
	uint64_t start;
	uint32_t bytes;
	uint16_t type;		/* PERF_RECORD_KSYMBOL_TYPE_* */
	bool is_unregister;
	struct record_text name;
};

struct record_cgroup {
	uint64_t id;		/* in the hierarchy of the perf_event controller */
	struct record_text path;
};

struct event_record {
	enum record_kind kind;
	enum cpu_mode mode;
	uint32_t event;		/* index of the event in its session's list (set by the caller) */
	bool has_pid, has_time, has_cpu;	/* false: the field is unknown, and 0 */
	uint32_t pid, tid;	/* (uint32_t)-1: none */
	uint32_t cpu;
	uint64_t time_ns;
	union {
		struct record_sample sample;
		struct record_mmap mmap;
		struct record_comm comm;
		struct record_task task;
		struct record_lost lost;
		struct record_ksymbol ksymbol;
		struct record_cgroup cgroup;
	};
};

#endif
