/* loss_ledger.h - what is missing from the picture or incomplete in it, each cause counted apart.
 *
 * Use:    the analyzer notes the counts of all causes about once a second in a history; a snapshot
 *         carries the sums since start and what came within its window. The names, and what helps,
 *         are in one table for screen and exports.
 * Thread: the ledger is plain data; a history is the analyzer's.
 */
#ifndef INGEST_LOSS_LEDGER_H
#define INGEST_LOSS_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum loss_cause {
	LOSS_RING_FULL,		/* by all that is known; the next three are of it */
	LOSS_READ,		/* PERF_FORMAT_LOST, read(2): exact */
	LOSS_TOLD,		/* PERF_RECORD_LOST: misses what was lost after the last record */
	LOSS_PROBE_HITS,	/* of probes; the kernel's counts of their descriptors */
	LOSS_PROBE_MISSED,	/* the kernel could not run the probe: nested, or too deep */
	LOSS_NO_MEMORY,
	LOSS_MALFORMED,
	LOSS_THROTTLED,		/* nanoseconds in which an event did not sample */
	LOSS_TICKS,		/* CPU time without a tick of cpu-clock: see ingest/clock_ticks.h */
	LOSS_STOLEN,		/* CPU time that the host gave to others, from /proc/stat */
	LOSS_EVICTED,		/* samples that left history: they were shown */
	LOSS_UNKNOWN_USER,
	LOSS_OWN,		/* samples and hits of flametop itself: nobody asked for them */
	LOSS_LATE,		/* from here on samples are counted, with something missing */
	LOSS_STALLED,
	LOSS_UNATTRIBUTED,
	LOSS_UNANSWERED,	/* unattributed: its process was read too late */
	LOSS_FORKLESS,		/* unattributed: no fork record told of its process */
	LOSS_UNRESOLVED,
	LOSS_TRUNCATED,
	LOSS_CUT,
	LOSS_TRIMMED,		/* cut by flametop: see capture/stack_ends.h */
	LOSS_NO_MAP,		/* stacks that end in run-time code that no map names */
	LOSS_ENDED_RUN_TIME,	/* stacks that end in run-time code without unwind rows */
	LOSS_ENDED_FILE,	/* stacks that end in a file without unwind rows */
	LOSS_TASKS,		/* threads and processes forgotten while they lived */
	LOSS_MAPPINGS,
	LOSS_OBJECTS,		/* and cgroups */
	LOSS_NAMES,
	LOSS_TABLES,		/* of symbols, let go: what was seen before keeps its name */
	LOSS_CAUSES
};

struct loss_description {
	const char *name;	/* in JSON and in the line of a table: lower case, no blanks */
	const char *title;	/* on the screen: at most LOSS_TITLE_CELLS */
	const char *meaning;	/* what happened */
	const char *remedy;	/* what helps; "" : nothing does, or is needed */
	bool is_time;		/* nanoseconds, not a count */
	bool is_part;		/* counted in the cause before it as well */
	bool is_meant;		/* left out on purpose: no reason to worry */
	bool is_missing;	/* samples are not in the picture because of it */
};

#define LOSS_TITLE_CELLS 17
#define LOSS_PROGRAM_BYTES 48

extern const struct loss_description loss_descriptions[LOSS_CAUSES];

/* What is not known is not 0: the kernel does not tell, or nothing was kept of that time. */
struct loss_count {
	uint64_t since_start, in_window;
	bool has_start, has_window;
};

/* The process that most stacks of a cause ended in. */
struct loss_process {
	uint32_t pid;		/* 0: there is no such process */
	const char *remedy;	/* static: helps this program; NULL: the cause's own remedy does */
	char program[LOSS_PROGRAM_BYTES];	/* sanitized file name */
	char file[LOSS_PROGRAM_BYTES];	/* sanitized: the code that ended them; "": no file */
};

struct loss_ledger {
	struct loss_count counts[LOSS_CAUSES];
	struct loss_process processes[LOSS_CAUSES];
	bool is_set;		/* false: all of it is unknown */
	bool is_by_records;	/* the kernel (before Linux 6.0) has no PERF_FORMAT_LOST */
};

#define LOSS_POINTS	1200	/* 20 minutes, as the strip */
#define LOSS_STEP_NS	1000000000ull

struct loss_point {
	uint64_t time_ns;
	uint64_t sums[LOSS_CAUSES];
};

/* Sums of all causes at points of time, oldest first; the oldest leaves. */
struct loss_history {
	struct loss_point *points;	/* owned; a ring; NULL before the first */
	uint32_t first, count;
	bool is_cut;			/* older points have left */
};

void loss_history_finish(struct loss_history *history);
void loss_history_clear(struct loss_history *history);	/* sums begin anew at 0 */
/* Notes @sums as of @time_ns, unless the newest point is younger than LOSS_STEP_NS. Without memory
 * nothing is noted: windows are unknown then. */
void loss_history_note(struct loss_history *history, uint64_t time_ns,
		       const uint64_t sums[LOSS_CAUSES]);
/* What came between the two times, to the second, into @out. @now: the sums of now, for a window
 * that ends at @now_ns or later. False: not known. */
bool loss_history_between(const struct loss_history *history, uint64_t begin_ns, uint64_t end_ns,
			  const uint64_t now[LOSS_CAUSES], uint64_t out[LOSS_CAUSES]);
/* The time from which loss_history_between() counts for a window that begins at @begin_ns: that of
 * a point; 0: of the start. */
uint64_t loss_history_point(const struct loss_history *history, uint64_t begin_ns);

#endif
