/* losses.h - losses by cause: what is missing from a snapshot or incomplete in it.
 *
 * Use:    the analyzer adds the counts of all causes to a history about once a second; a snapshot
 *         has the sums since start and within its window. Names and remedies are in one table for
 *         screen and exports.
 * Thread: struct loss_counters is plain data; all else is the analyzer's.
 */
#ifndef INGEST_LOSSES_H
#define INGEST_LOSSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/id_map.h"
#include "capture/record.h"

struct event_desc;
struct event_record;
struct ingest;
struct process_maps;

enum loss_cause {
	LOSS_RING_FULL,		/* total; the next three are parts of it */
	LOSS_READ,		/* PERF_FORMAT_LOST, read(2): exact */
	LOSS_RECORDED,		/* PERF_RECORD_LOST: misses what was lost after the last record */
	LOSS_PROBE_HITS,	/* probe hits, by the kernel's counts per descriptor */
	LOSS_PROBE_MISSED,	/* the kernel could not run the probe: nested, or too deep */
	LOSS_NO_MEMORY,
	LOSS_MALFORMED,
	LOSS_THROTTLED,		/* nanoseconds in which an event did not sample */
	LOSS_TICKS,		/* CPU time without a tick of cpu-clock: see struct clock_ticks */
	LOSS_STOLEN,		/* CPU time that the host gave to others, from /proc/stat */
	LOSS_EVICTED,		/* samples that left history: they were shown */
	LOSS_UNKNOWN_USER,
	LOSS_OUTSIDE,		/* recordings: samples outside --begin and --end */
	LOSS_OWN,		/* samples and hits of flametop itself: left out on purpose */
	LOSS_WAIT_THREADS,	/* off-cpu live, until LOSS_WAIT_TIME: see bpf/wait_record.h */
	LOSS_WAIT_CHILDREN,	/* processes that are not watched */
	LOSS_WAIT_TIME,		/* time of threads between two switches, one of them not seen */
	LOSS_WAITS,		/* recordings: waits that can't be paired, see ingest/waits.h */
	LOSS_WAIT_ENDS,		/* from here on: samples are counted, but late or incomplete */
	LOSS_WAKEUPS,		/* off-cpu live: wake-ups and returns to a CPU, not seen */
	LOSS_WAIT_STACKS,	/* off-cpu live without BPF: time of waits without a stack */
	LOSS_TEXTS,		/* texts of system calls that were not in memory */
	LOSS_INSIDE,		/* samples inside calls, without room until these end */
	LOSS_LATE,
	LOSS_STALLED,
	LOSS_UNATTRIBUTED,
	LOSS_UNANSWERED,	/* unattributed: the process was read too late */
	LOSS_FORKLESS,		/* unattributed: no fork record of the process came */
	LOSS_UNRESOLVED,
	LOSS_TRUNCATED,
	LOSS_CUT,
	LOSS_TRIMMED,		/* cut by flametop: see capture/stack_copy.h */
	LOSS_NO_MAP,		/* stacks that end in run-time code without a perf map */
	LOSS_ENDED_RUN_TIME,	/* stacks that end in run-time code without unwind rows */
	LOSS_ENDED_FILE,	/* stacks that end in a file without unwind rows */
	LOSS_TASKS,		/* threads and processes forgotten while alive */
	LOSS_MAPPINGS,
	LOSS_DSOS,		/* DSOs and cgroups without room */
	LOSS_NAMES,
	LOSS_TABLES,		/* symbol tables evicted: frames named before keep their names */
	LOSS_RECORDER,		/* records that a recording has not: they are counted */
	LOSS_CAUSES,
	/* No losses, but summed by the same history: time of threads, of event off-cpu. */
	SUM_ON_CPU = LOSS_CAUSES, SUM_BLOCKED, SUM_RUN_QUEUE,
	SUM_RECORDED,		/* time of waits that records have */
	SUMS
};

struct loss_description {
	const char *name;	/* in JSON and in the line of a table: lower case, no blanks */
	const char *title;	/* on the screen: at most LOSS_TITLE_CELLS */
	const char *meaning;	/* the cause */
	const char *remedy;	/* the remedy; "": there is none, or none is needed */
	bool is_time;		/* nanoseconds, not a count */
	bool is_part;		/* also counted in the nearest cause before it without is_part */
	bool is_meant;		/* left out on purpose, or as always: no warning */
	bool is_missing;	/* samples are missing from snapshots because of it */
	bool is_rare;		/* only some events have it: the screen lists it once it is not 0 */
};

#define LOSS_TITLE_CELLS 17
#define LOSS_PROGRAM_BYTES 48

extern const struct loss_description loss_descriptions[LOSS_CAUSES];

/* A count is unknown, rather than 0, if the kernel does not report it or history does not reach
 * back so far. */
struct loss_count {
	uint64_t since_start, in_window;
	bool has_start, has_window;
};

/* The process in which most stacks of a cause ended. */
struct loss_process {
	uint32_t pid;		/* 0: there is no such process */
	const char *remedy;	/* static: helps this program; NULL: the cause's own remedy does */
	char program[LOSS_PROGRAM_BYTES];	/* sanitized file name */
	char file[LOSS_PROGRAM_BYTES];	/* sanitized name of the file they ended in; "": none */
};

struct loss_counters {
	struct loss_count counts[LOSS_CAUSES];
	struct loss_process processes[LOSS_CAUSES];
	bool is_set;		/* false: all counts are unknown */
	bool is_by_records;	/* the kernel (before Linux 6.0) has no PERF_FORMAT_LOST */
};

#define LOSS_POINTS	1200	/* 20 minutes, like the activity graph */
#define LOSS_STEP_NS	1000000000ull

struct loss_point {
	uint64_t time_ns;
	uint64_t sums[SUMS];
};

/* Sums of all causes at points of time, oldest first; a new point replaces the oldest. */
struct loss_history {
	struct loss_point *points;	/* owned; a ring; NULL before the first */
	uint32_t first, count;
	bool is_cut;			/* older points were dropped */
};

void loss_history_finish(struct loss_history *history);
void loss_history_clear(struct loss_history *history);	/* for sums that restart at 0 */
/* Adds @sums at @time_ns, unless the newest point is younger than LOSS_STEP_NS. Out of memory: adds
 * nothing, and counts within windows are unknown. */
void loss_history_note(struct loss_history *history, uint64_t time_ns,
		       const uint64_t sums[SUMS]);
/* Fills in @out with the counts between the two times, to the second. @now: the present sums, for a
 * window that ends at or after the newest point. False: not known. */
bool loss_history_between(const struct loss_history *history, uint64_t begin_ns, uint64_t end_ns,
			  const uint64_t now[SUMS], uint64_t out[SUMS]);
/* Time of the point from which loss_history_between() counts for a window that begins at @begin_ns;
 * 0: the start. */
uint64_t loss_history_point(const struct loss_history *history, uint64_t begin_ns);

/* How much CPU time brought no sample, though cpu-clock was to sample all of it.
 *
 * Problem: the timer of cpu-clock goes on, idle or not, but where interrupts are off or the
 *          host runs other guests, it skips ticks without a record and without a count. For task
 *          events it starts anew with each thread, which may end before its first tick.
 * Idea:    each sample stands for its period, and the total time is known: on whole CPUs it is wall
 *          time, on tasks the kernel counts it. What neither samples nor lost records nor
 *          throttling account for is missing.
 */
/* Missing samples that other causes explain; sums since start. */
struct clock_gaps {
	uint64_t throttled_ns;
	uint64_t lost;		/* records */
};

struct clock_ticks {
	bool has_clock;		/* false: no such event, nothing is known */
	uint16_t event;		/* the first event that is cpu-clock without modifiers */
	uint32_t cpus;		/* CPUs sampled whole; 0: tasks are, wherever they run */
	uint64_t first_ns;	/* time of the first sample; 0: there was none */
	uint64_t period_ns;	/* period of the last sample */
	uint64_t sampled_ns;	/* sum of the periods */
	/* On tasks: the kernel's newest count; the newest count whose samples have all come; and
	 * sampled_ns at that count. */
	struct queue_counted counted, settled;
	uint64_t settled_sampled_ns;
	struct clock_gaps gaps;	/* sums when this source began */
	uint64_t before_ns;	/* time missing in earlier sources */
	uint64_t begin_ns;	/* begin of this source, set after clock_ticks_begin(); 0: start */
	bool is_mixed;		/* before_ns is time of whole CPUs, idle or not; this source's is
				 * time of tasks */
	uint64_t stolen_ns;	/* sum of all CPUs since the start: steal in /proc/stat */
};

/* Begins another source with @count events on @cpus whole CPUs (0: on tasks, or in a recording).
 * @missing_ns, the time missing before, stays counted. */
void clock_ticks_begin(struct clock_ticks *ticks, const struct event_desc *const *events,
		       uint32_t count, uint32_t cpus, uint64_t missing_ns, struct clock_gaps gaps);
/* Adds a sample of @event at @time_ns that stands for @period; samples come in order. */
void clock_ticks_add(struct clock_ticks *ticks, uint16_t event, uint64_t time_ns, uint64_t period);
/* Adds the kernel's count of @event on all tasks. All samples up to @until_ns have come. A count is
 * used once all samples up to its time have come; until then newer counts are dropped. */
void clock_ticks_count(struct clock_ticks *ticks, uint16_t event,
		       const struct queue_counted *counted, uint64_t until_ns);
/* Uses the last count: no more samples will come. */
void clock_ticks_end(struct clock_ticks *ticks);
/* Whether clock_ticks_missing_ns() is valid, rather than 0 for lack of a count. */
bool clock_ticks_is_known(const struct clock_ticks *ticks, uint64_t until_ns);
/* CPU time up to @until_ns that neither samples nor @gaps account for; all earlier samples must
 * have come. For tasks, the time up to the last count before @until_ns. */
uint64_t clock_ticks_missing_ns(const struct clock_ticks *ticks, uint64_t until_ns,
				struct clock_gaps gaps);

/* Begins counting missing ticks for the events of a new configuration of @ingest. */
void loss_sums_begin_clock(struct ingest *ingest);

/* Fills in @out for all causes with a sum since start; 0 for the others. */
void loss_sums_read(const struct ingest *ingest, uint64_t out[SUMS]);

/* Which programs' code incomplete stacks end in, and what helps there.
 *
 * Problem: a stack that ends early in Java's compiled code needs another option than one that ends
 *          in node's, and a larger copy helps neither.
 * Idea:    for each cause a few processes with the most such stacks are remembered. A process
 *          belongs to a known run-time system if it has mapped that system's program or library.
 * Invariant: `total` is exact. A process with more than half of the stacks of a cause is in its
 *          list, whatever the others were; its count is a lower bound (Misra and Gries).
 */
#define STACK_ENDERS	 16	/* processes remembered for each cause */
#define ENDER_TEXT_BYTES LOSS_PROGRAM_BYTES	/* longer names are cut */

/* Why a stack is incomplete. */
enum stack_fault {
	STACK_END_NO_MAP,	/* run-time code without a map; its frame pointers lead nowhere */
	STACK_END_RUN_TIME,	/* named run-time code without unwind rows and frame pointers */
	STACK_END_FILE,		/* a file without unwind rows, or one that can't be read */
	STACK_END_COPY,		/* the copy of the stack was too short */
	STACK_ENDS,
	STACK_END_NONE = STACK_ENDS	/* the stack is complete, or ended for another reason */
};

struct stack_ender {
	uint32_t pid;
	uint64_t count;			/* 0: the row is free */
	const char *remedy;		/* static; NULL: the run-time system is not known */
	char program[ENDER_TEXT_BYTES];	/* sanitized file name of the program */
	char file[ENDER_TEXT_BYTES];	/* STACK_END_FILE: sanitized name of the file; else "" */
};

struct stack_enders {
	struct stack_ender rows[STACK_ENDS][STACK_ENDERS];
	uint64_t total[STACK_ENDS];	/* stacks since start */
};

/* Counts one stack of process @pid with mappings @maps (NULL: unknown) that ended in code of
 * @dso because of @fault. STACK_END_NONE counts nothing. */
void stack_enders_add(struct ingest *ingest, enum stack_fault fault, uint32_t pid,
		      const struct process_maps *maps, uint32_t dso);

/* The process known to have more than half of the stacks of @fault; NULL: none. BORROWED until the
 * next stack is counted. */
const struct stack_ender *stack_enders_main(const struct stack_enders *enders,
					    enum stack_fault fault);

struct losses {		/* losses counted besides ingest->counters */
	struct clock_ticks clock;
	struct stack_enders enders;
	struct id_map throttled_since;	/* (event, cpu) -> row of throttles */
	uint64_t *throttles;		/* owned; begin of the throttling, 0: not throttled */
	uint32_t throttle_count, throttle_capacity;
	struct id_map loss_of;		/* (event, cpu) -> row of rows */
	struct loss_row *rows;		/* owned; losses.c */
	uint32_t row_count, row_capacity;
	uint64_t stalled_before, malformed_before;	/* in earlier sources */
};

void losses_destroy(struct losses *losses);	/* NULL is fine */
/* The events so far are closed, and counts of descriptors and of the sampler restart at 0. */
void losses_begin_source(struct ingest *ingest, uint64_t now_ns);
void losses_begin_recording(struct ingest *ingest);	/* all counts restart at 0 */
/* LOST and LOST_SAMPLES records, and those that begin and end throttling, from the ring of @cpu. */
void losses_record(struct ingest *ingest, const struct event_record *record, uint32_t cpu);
/* Counts a mapping that was not kept because of @err; 0: it was. */
void losses_count_mapping(struct ingest *ingest, int err);

#endif
