/* waits.h - the time that tasks wait off the CPU, as samples of one event: off-cpu, or wall, whose
 * other samples are of tasks on a CPU.
 *
 *   sched_switch, out   A blocks: its stack and state         |
 *   sched_waking        B wakes it                            | blocked: state of A, waker B
 *   sched_switch, in    A runs again                          | run queue: runnable, waker B
 *
 * A wait is counted for the task and the stack that it had when it left the CPU, at the time when
 * it runs again, and weighs ns. A wait that was woken has two samples, one for each part; their
 * value bucket is the number of a tuple (state, waker). A task that was preempted has the second
 * part only.
 *
 * Source: include/trace/events/sched.h; /sys/kernel/tracing/events/sched.
 * Thread: the analyzer's.
 */
#ifndef INGEST_WAITS_H
#define INGEST_WAITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/id_map.h"
#include "bpf/wait_record.h"
#include "capture/event.h"
#include "capture/record.h"

enum wait_state {
	WAIT_UNKNOWN,		/* the source does not say; also of samples that are no waits */
	WAIT_RUNNING,		/* on a CPU: no wait; state of samples of wall, not of a tuple */
	WAIT_RUNNABLE,		/* on the run queue: preempted, or woken and not yet running */
	WAIT_SLEEPING,		/* S: until a wake-up or a signal */
	WAIT_DISK,		/* D: signals do not end it */
	WAIT_STOPPED,		/* T, t: by a signal or a tracer */
	WAIT_OTHER,		/* P, I: a kernel thread without work */
	WAIT_BLOCKED,		/* S, D or T: which is not known */
	WAIT_STATES
};

/* Returns the name of the state in groups, columns and filters; "unknown" for WAIT_UNKNOWN. */
const char *wait_state_name(enum wait_state state);
/* Returns the state for the bits of prev_state in sched_switch (TASK_*). */
enum wait_state wait_state_of_bits(uint64_t bits);

/* What the value bucket of a wait stands for. */
struct wait_tuple {
	enum wait_state state;
	struct str_id waker;	/* comm of the task that woke it, "interrupt", or "(other)" where
				 * there was no room for another waker; empty: none, or unknown */
	bool is_of_all;		/* it goes on, while all threads are watched: most have nothing to
				 * do, and wait for what comes from elsewhere */
};

/* What a recording says of a part of a wait, beside its length, which is the period: the words of
 * PERF_SAMPLE_DATA_SRC and _TRANSACTION, which samples of waits have no other use for, are the
 * waker's name, its unused bytes zeros, and in the last byte 1 + the state, with the highest bit
 * for is_of_all; 0: the sample is no wait, or nothing is known of it. Events with such samples are
 * described by WAITS_DESCRIPTION, those of wall by WALL_DESCRIPTION, in the feature of probes. */
#define WAIT_WAKER_BYTES  15
#define WAITS_DESCRIPTION "waits"
#define WALL_DESCRIPTION  "waits wall"

struct wait_words {
	uint64_t first, second;
};

#define WAIT_TUPLES 256		/* numbers that slice_entry.bucket can have */

/* A wait that has ended. */
struct wait {
	uint64_t end_ns;	/* when the task ran again */
	uint64_t blocked_ns, run_queue_ns;	/* weights of the two parts; 0: no such part */
	enum wait_state state;	/* while it was blocked */
	struct record_text waker;	/* comm of who woke it, or "interrupt"; len 0: none */
	bool is_of_all;		/* see struct wait_tuple */
};

#define WAIT_INTERRUPT "interrupt"	/* the waker, where an interrupt woke */

/* The part of a thread's wait that is counted before it ends (src/ingest/open_times.h). */
struct open_time {
	uint32_t tid;
	uint64_t from_ns, until_ns;	/* counted; equal: nothing is */
	uint64_t carried_ns;		/* counted of earlier waits that a later record brings */
	uint64_t last_end_ns;		/* until then all of its long waits are counted */
};

/* Samples of a thread on a CPU that are in no sum of its time yet (src/ingest/on_cpu_times.h). */
struct sampled_time {
	uint32_t tid;
	uint64_t ns;
};

struct ingest;
struct wait_switches;

/* ingest->counters has the number of waits whose begin or end was not recorded, unpaired_waits, and
 * of those that were counted, but are longer, as their end was not recorded, shortened_waits. */
struct waits {
	/* Row 0 is the empty tuple; the last 2 * WAIT_STATES rows are those of the waker "(other)",
	 * first those that are not of all. */
	struct wait_tuple tuples[WAIT_TUPLES];
	uint32_t tuple_count;		/* rows used at the beginning */
	struct off_cpu_counts counted;	/* live: all of them since start */
	struct off_cpu_reading last;	/* as the present programs have counted */
	struct open_time *open;		/* owned; rows of threads with long waits */
	uint32_t open_count, open_capacity;
	struct id_map open_by_tid;
	struct sampled_time *sampled;	/* owned; rows of threads */
	uint32_t sampled_count, sampled_room;
	struct id_map sampled_by_tid;
	uint64_t open_ns;		/* sum of what was counted of waits that have not ended: no
					 * part of `counted`; also of other tasks, if `last` is */
	struct wait_switches *switches;	/* owned; waits are made of a recording's switches; NULL:
					 * they are not */
};

struct waits *waits_create(struct strpool *strings);	/* NULL: out of memory */
void waits_destroy(struct waits *waits);		/* NULL is fine */
/* Starts over for the events of a new configuration; tuples stay. 0 or -ENOMEM. */
int waits_look_at_config(struct ingest *ingest);

/* Returns the words for the tuple @number. */
struct wait_words waits_words(const struct waits *waits, const struct strpool *strings,
			      uint8_t number);
/* Whether @record, of a recording, is a wait that waits_record() counts. */
bool waits_are_in(const struct event_record *record);
/* QUEUE_WAITS: adds what was counted since the last. Programs that are new count from 0 again. */
void waits_count(struct waits *waits, const struct off_cpu_reading *now);
/* Counts @wait as @event, for the task and the stack of the sample @record with the bytes
 * @raw[@size]. */
void waits_add(struct ingest *ingest, const struct event_record *record, const void *raw,
	       size_t size, uint16_t event, const struct wait *wait);
/* Counts the wait of @record, a sample of an event that counts waits: live that of
 * bpf/wait_record.h, but for what open waits have of it already; else the period is the time that
 * perf record --off-cpu saw it blocked, or a part of a wait with its words. */
void waits_record(struct ingest *ingest, const struct event_record *record, const void *raw,
		  size_t size);
/* Looks at a sample of a recording, in the order of time: it may begin or end a wait. Only while
 * waits.switches is set. */
void waits_sample(struct ingest *ingest, const struct event_record *record, const void *raw,
		  size_t size);
/* The number @tid is another thread's from now on: forgets the one before, which has ended. */
void waits_thread_begins(struct ingest *ingest, uint32_t tid);
/* Records were lost: how the waits of now go on is unknown. */
void waits_lost(struct ingest *ingest);

#endif
