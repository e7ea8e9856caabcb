/* loss_ledger.h - losses by cause: what is missing from a snapshot or incomplete in it.
 *
 * Use:    the analyzer adds the counts of all causes to a history about once a second; a snapshot
 *         has the sums since start and within its window. Names and remedies are in one table for
 *         screen and exports.
 * Thread: struct loss_ledger is plain data; a history is the analyzer's.
 */
#ifndef INGEST_LOSS_LEDGER_H
#define INGEST_LOSS_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum loss_cause {
	LOSS_RING_FULL,		/* total; the next three are parts of it */
	LOSS_READ,		/* PERF_FORMAT_LOST, read(2): exact */
	LOSS_TOLD,		/* PERF_RECORD_LOST: misses what was lost after the last record */
	LOSS_PROBE_HITS,	/* probe hits, by the kernel's counts per descriptor */
	LOSS_PROBE_MISSED,	/* the kernel could not run the probe: nested, or too deep */
	LOSS_NO_MEMORY,
	LOSS_MALFORMED,
	LOSS_THROTTLED,		/* nanoseconds in which an event did not sample */
	LOSS_TICKS,		/* CPU time without a tick of cpu-clock: see ingest/clock_ticks.h */
	LOSS_STOLEN,		/* CPU time that the host gave to others, from /proc/stat */
	LOSS_EVICTED,		/* samples that left history: they were shown */
	LOSS_UNKNOWN_USER,
	LOSS_OWN,		/* samples and hits of flametop itself: left out on purpose */
	LOSS_LATE,		/* from here on: samples are counted, but late or incomplete */
	LOSS_STALLED,
	LOSS_UNATTRIBUTED,
	LOSS_UNANSWERED,	/* unattributed: the process was read too late */
	LOSS_FORKLESS,		/* unattributed: no fork record of the process came */
	LOSS_UNRESOLVED,
	LOSS_TRUNCATED,
	LOSS_CUT,
	LOSS_TRIMMED,		/* cut by flametop: see capture/stack_ends.h */
	LOSS_NO_MAP,		/* stacks that end in run-time code without a perf map */
	LOSS_ENDED_RUN_TIME,	/* stacks that end in run-time code without unwind rows */
	LOSS_ENDED_FILE,	/* stacks that end in a file without unwind rows */
	LOSS_TASKS,		/* threads and processes forgotten while alive */
	LOSS_MAPPINGS,
	LOSS_OBJECTS,		/* objects and cgroups without room */
	LOSS_NAMES,
	LOSS_TABLES,		/* symbol tables evicted: frames named before keep their names */
	LOSS_CAUSES
};

struct loss_description {
	const char *name;	/* in JSON and in the line of a table: lower case, no blanks */
	const char *title;	/* on the screen: at most LOSS_TITLE_CELLS */
	const char *meaning;	/* what happened */
	const char *remedy;	/* what helps; "": nothing does, or is needed */
	bool is_time;		/* nanoseconds, not a count */
	bool is_part;		/* also counted in the nearest cause before it without is_part */
	bool is_meant;		/* left out on purpose: no warning */
	bool is_missing;	/* samples are missing from snapshots because of it */
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

struct loss_ledger {
	struct loss_count counts[LOSS_CAUSES];
	struct loss_process processes[LOSS_CAUSES];
	bool is_set;		/* false: all counts are unknown */
	bool is_by_records;	/* the kernel (before Linux 6.0) has no PERF_FORMAT_LOST */
};

#define LOSS_POINTS	1200	/* 20 minutes, like the activity graph */
#define LOSS_STEP_NS	1000000000ull

struct loss_point {
	uint64_t time_ns;
	uint64_t sums[LOSS_CAUSES];
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
		       const uint64_t sums[LOSS_CAUSES]);
/* Fills in @out with the counts between the two times, to the second. @now: the present sums, for a
 * window that ends at or after the newest point. False: not known. */
bool loss_history_between(const struct loss_history *history, uint64_t begin_ns, uint64_t end_ns,
			  const uint64_t now[LOSS_CAUSES], uint64_t out[LOSS_CAUSES]);
/* Time of the point from which loss_history_between() counts for a window that begins at @begin_ns;
 * 0: the start. */
uint64_t loss_history_point(const struct loss_history *history, uint64_t begin_ns);

#endif
