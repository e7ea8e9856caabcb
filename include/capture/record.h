/* record.h - the only parser of perf records: bytes of one record -> struct event_record; and the
 * items of the queue in which records reach the analyzer.
 *
 * Source:  perf_event_open(2) "MMAP layout", "PERF_RECORD_SAMPLE"; kernel/events/core.c
 *          perf_output_sample() for the order of the fields.
 * Use:     for both live rings and recordings. Pure: no state, no allocation.
 * Trust:   every length is checked against the record's size; a bad record is -EBADMSG, which the
 *          caller counts as malformed.
 * Thread:  any.
 */
#ifndef CAPTURE_RECORD_H
#define CAPTURE_RECORD_H

#include <assert.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/build_id.h"
#include "base/diag.h"
#include "base/id_map.h"
#include "base/machine.h"

/* A parsed perf record, as all stages after the parser use it.
 *
 * Source:  perf_event_open(2) "MMAP layout"; <linux/perf_event.h> enum perf_event_type.
 * Owns:    nothing. All pointers are BORROWED from the parsed bytes.
 * Trust:   text is raw foreign bytes of the stated length, NOT terminated, NOT sanitized.
 */

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
	uint64_t memory_source, transaction;	/* PERF_SAMPLE_DATA_SRC, _TRANSACTION, else 0 */
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
	uint64_t user_stack_reserved;	/* size of user_stack; see capture/stack_copy.h */
	struct record_read read;
	const struct perf_branch_entry *branches;	/* PERF_SAMPLE_BRANCH_STACK: the branches
							 * taken last, newest first; NULL: none */
	uint64_t branch_count;
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

/* Word indices of the fields at fixed places: after the header of a sample, or in the sample_id
 * trailer of other records. Computed once per event. */
struct record_layout {
	uint8_t words;		/* size of the fixed part, unused fields included */
	uint8_t ip, task, time, addr, cpu, period;	/* RECORD_NO_WORD: absent */
};

#define RECORD_NO_WORD UINT8_MAX

/* The parts of an event's attr that the parser needs; made by record_format_init(). */
struct record_format {
	uint64_t sample_type, read_format, branch_sample_type;
	uint64_t user_regs_mask, intr_regs_mask;
	enum machine machine;	/* has these registers: MACHINE_OWN, or the recorded one */
	uint64_t fixed_period;	/* attr.sample_period when attr.freq is 0, else 0 */
	bool sample_id_all;
	bool has_read_period;	/* the first value of PERF_SAMPLE_READ is the count since the
				 * previous sample, and is used as the period: see read_growth() */
	bool has_build_ids;	/* attr.build_id: MMAP2 may hold a build-id, see take_mmap2() */
	struct record_layout front, trailer;
};

/* Sets all of @format, `machine` to MACHINE_OWN. */
void record_format_init(struct record_format *format, const struct perf_event_attr *attr);

/* Parses the record at @bytes (8-byte aligned, header->size <= @available). Sets everything of
 * @out but `event`. Returns 0 or -EBADMSG; 0 and RECORD_OTHER for unknown types. */
int record_parse(const struct record_format *format, const void *bytes, size_t available,
		 struct event_record *out);

/* Parses like record_parse(), but of a sample only `kind`, pid, tid, time, has_pid and has_time, as
 * needed for sorting by time. Does not check what follows, which may be damaged. */
int record_parse_front(const struct record_format *format, const void *bytes, size_t available,
		       struct event_record *out);

/* Returns the index of the word of a parsed record that is its time: > 0 from the beginning, < 0
 * from the end; 0: it has no time. */
int16_t record_time_word(const struct record_format *format,
			 const struct perf_event_header *record);

/* Returns the bytes of @record, which is valid, up to the end of its trailer: the kernel makes some
 * records longer, and leaves the rest unwritten. */
size_t record_written_bytes(const struct record_format *format,
			    const struct perf_event_header *record);

/* Reads the event id (PERF_SAMPLE_IDENTIFIER or PERF_SAMPLE_ID) of a record of an unknown event.
 * All events of the session must have the id where @format has it (perf-record guarantees that when
 * there is more than one). Returns 0, or -ENOENT when the record carries no id. */
int record_peek_id(const struct record_format *format, const void *bytes, size_t available,
		   uint64_t *id);

/* What counters that are read with samples (PERF_SAMPLE_READ) have counted since the sample before.
 *
 * With `{a,b}:S` only the leader a has samples, and each holds the values of all counters of the
 * group. Like perf, whoever passes records on makes of each a sample of every event whose value has
 * risen, and puts the difference in place of the first value (record_format.has_read_period). What
 * was counted beside samples that were lost belongs to the next one.
 *
 * Thread: the owner's. Initialised by zeroing.
 */
struct read_growth {
	struct id_map counter_of_id;	/* event id -> number of its counter */
	struct id_map row_of;		/* counter, and thread if each has values of its own */
	struct id_map rows_of_thread;	/* thread -> number of its rows */
	uint64_t *values;		/* owned; by row: at the last sample; free rows: the next */
	uint32_t used, room;		/* rows */
	uint32_t free_row;		/* the first free one, plus 1; 0: none */
};

/* Sets *@out to what counter @id, whose value is now @value, has counted since the last call. A
 * counter that fell has restarted from 0. @tid: the thread whose value it is; 0: all have one.
 * Returns 0 or -ENOMEM. */
int read_growth(struct read_growth *growth, uint64_t id, uint32_t tid, uint64_t value,
		uint64_t *out);
/* Forgets the values of thread @tid, which has ended. */
void read_growth_forget(struct read_growth *growth, uint32_t tid);
void read_growth_finish(struct read_growth *growth);	/* leaves it zeroed: usable again */

/* The items that the reader (sampler thread, perf.data reader) sends to the analyzer through an
 * spsc: struct queue_item, followed by a payload.
 *
 * Rounds:  the reader works in rounds; QUEUE_ROUND_END says that every record stamped before
 *          limit_ns has been queued (see ingest/reorder.h).
 */

enum queue_item_kind {
	QUEUE_RECORD,		/* payload: raw perf records of one ring, or one record of a
				 * recording. See stack_copy.h, queue_next_record() */
	QUEUE_ROUND_END,	/* payload: struct queue_round_end */
	QUEUE_LOST,		/* payload: struct queue_lost */
	QUEUE_COUNTED,		/* payload: struct queue_counted; only with events on tasks */
	QUEUE_WAITS,		/* payload: struct off_cpu_reading, of bpf/wait_record.h */
	QUEUE_READ,		/* payload: struct queue_read; only from recordings */
	QUEUE_END,		/* payload: struct queue_end; only a QUEUE_SOURCE may follow */
	QUEUE_SOURCE,		/* payload: struct queue_source */
};

struct queue_item {
	uint16_t kind;		/* enum queue_item_kind */
	uint16_t event;		/* QUEUE_RECORD, _LOST, _COUNTED: index in the event list */
	uint32_t cpu;		/* the ring's CPU; UINT32_MAX: unknown */
	/* payload follows, 8-byte aligned */
};

/* Iterates over the records of a QUEUE_RECORD item of @item_bytes: start with *@offset 0. Returns
 * the next record, BORROWED from @item, or NULL at the end. */
static inline const struct perf_event_header *queue_next_record(const struct queue_item *item,
								size_t item_bytes, size_t *offset)
{
	const size_t left = item_bytes - sizeof(*item) - *offset;
	const struct perf_event_header *record =
		(const void *)((const unsigned char *)(item + 1) + *offset);

	if (!left)
		return NULL;
	assert(record->size >= sizeof(*record) && record->size <= left);
	*offset += record->size;
	return record;
}

struct queue_round_end {
	uint64_t limit_ns;	/* CLOCK_MONOTONIC; UINT64_MAX: the last round, no limit */
	uint64_t stalled_rounds;	/* total of interruptions because the queue was full */
	uint64_t malformed;	/* total over all rings, those of switch_waits.h too */
};

/* The kernel's count of records that it could not write (PERF_FORMAT_LOST, read(2)): exact, while
 * PERF_RECORD_LOST misses what was lost after the last record. Cumulative since open, summed over
 * all descriptors of the event on this CPU. */
struct queue_lost {
	uint64_t lost_total;
};

/* The kernel's count of the event (read(2)) for all tasks and their descendants, on all CPUs;
 * cpu-clock counts ns. Cumulative since open. */
struct queue_counted {
	uint64_t total;
	uint64_t time_ns;	/* when the last descriptor was read, CLOCK_MONOTONIC */
	uint64_t descriptors;	/* number of counters; each may have counted part of a period */
};

/* How far a recording was read, with the items before this one. */
struct queue_read {
	uint64_t bytes, total_bytes;	/* the file's records; total_bytes 0: unknown */
	uint64_t left_out;	/* samples outside the range of perf_data_set_range() */
};

struct queue_end {
	struct diag why;	/* why.err 0: end of the data, no error */
};

/* A new source replaces the previous one: event numbers of later items refer to its events. Records
 * of the previous source are complete up to begin_ns; what happened later is recorded again by the
 * new source, after this item. */
struct queue_source {
	struct source *source;	/* ingest/source.h; BORROWED: its maker keeps it for the session */
	uint64_t begin_ns;
};

#endif
