/* counter_history.h - events that are counted beside the samples: what they were in each second, as
 * far back as the activity graph reaches and longer.
 *
 *   analyzer                                  flametop-count
 *     counter_history_want(all, pid 7)  ──>     opens the counters; closes them when nobody has
 *                                               wanted them for a while
 *     counter_history_take()            <──     reads them at each whole second
 *     counter_history_make(window)              the sums of a window, and its seconds
 *
 * Use:    counter_history_want() for each snapshot. The thread begins with the first scope that is
 *         wanted and ends when all counters have been closed: a session without counters has none.
 *         Counters of the machine and those of one task are kept at the same time.
 * Thread: the analyzer's.
 */
#ifndef ANALYZER_COUNTER_HISTORY_H
#define ANALYZER_COUNTER_HISTORY_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/snapshot.h"
#include "base/service.h"
#include "capture/counter_set.h"

#define COUNTER_HISTORY_LINGER_NS (10 * 1000000000ull)	/* unwanted counters stay open so long */

/* One opening of the counters: all that does not change between two readings. */
struct counter_opening {
	struct diag why;		/* why nothing is counted; err 0: it is */
	char notice[SNAPSHOT_COUNTERS_TEXT];	/* sanitized; "": none */
	bool has_nmi_watchdog;
	enum counter_rows rows_are;
	struct counter_event *events;	/* owned; `filter` is NULL */
	struct counter_row *rows;	/* owned; the text is sanitized */
	size_t event_count, row_count;
};

void counter_opening_finish(struct counter_opening *opening);

struct counter_span {
	uint64_t begin_ns, end_ns;
};

/* What was counted in stretches of time, oldest first; between two of them may be a gap. */
struct counter_points {
	struct counter_span *spans;	/* owned */
	struct counter_value *values;	/* owned; @width of each point */
	size_t width, count, room, most;
};

/* Counters of one scope. A zeroed one is empty. */
struct counter_series {
	enum counters_of of;
	uint32_t id;			/* pid or tid */
	struct counter_opening opening;	/* owned; the last one */
	bool is_opened;			/* `opening` is set */
	bool is_ended;			/* the task has ended */
	struct counter_value *last;	/* owned; the last reading, row by row */
	uint64_t last_ns;		/* its time; 0: none since the opening */
	struct counter_points totals;	/* a point has the sums of all rows */
	struct counter_points rows;	/* a point has the values of each row; not as far back */
};

void counter_series_finish(struct counter_series *series);
/* Begins again with @opening, which is taken over. Earlier points stay if they are of the same
 * events and the same scope. */
void counter_series_open(struct counter_series *series, enum counters_of of, uint32_t id,
			  struct counter_opening *opening);
/* Adds a reading of all rows, a row after the other, as counter_set_read() makes it; the first one
 * after the opening is only what later ones are compared with. */
void counter_series_add(struct counter_series *series, uint64_t time_ns,
			 const struct counter_value *values);
/* Makes the counters of the window @begin_ns..@end_ns, with the rows of @rows_of (NULL: none),
 * which is @series or has the same events. The caller's to free(3); NULL: no memory.
 * A point is in the window if its middle is; a window that has no middle of a point has the point
 * around its own middle. */
struct snapshot_counters *counter_series_make(const struct counter_series *series,
					       const struct counter_series *rows_of,
					       uint64_t begin_ns, uint64_t end_ns);

/* Whose counters are wanted. COUNTERS_NONE: nobody's. */
struct counter_scope {
	enum counters_of of;		/* COUNTERS_OF_ALL: of the machine */
	uint32_t id;
	bool by_cgroup;			/* the rows of the machine's are cgroups */
	const char *events;		/* counted besides the usual ones, a text for -e; BORROWED
					 * until the next scope is wanted; NULL: none */
};

struct counter_reader;			/* the thread's part; private to counter_history.c */

struct counter_history {
	struct counter_reader *reader;	/* owned; NULL: not begun */
	struct counter_series machine, task, cgroups;	/* cgroups: its rows are */
	struct counter_scope wanted;
	struct diag why;		/* why there is no thread */
	uint64_t linger_ns;		/* 0: COUNTER_HISTORY_LINGER_NS */
};

void counter_history_finish(struct counter_history *counters);	/* a zeroed one is fine */
void counter_history_want(struct counter_history *counters, struct counter_scope scope);
/* Takes what was read. True: a snapshot should show it at once, and not only the next one. */
bool counter_history_take(struct counter_history *counters);
/* Readable when counter_history_take() has something; -1: there is no thread. */
int counter_history_fd(const struct counter_history *counters);
/* Like counter_series_make(), for a scope that is wanted. */
struct snapshot_counters *counter_history_make(const struct counter_history *counters,
					struct counter_scope scope, uint64_t begin_ns,
					uint64_t end_ns, bool wants_rows);

#endif
