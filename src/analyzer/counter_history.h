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

#include "base/service.h"
#include "counter_series.h"

#define COUNTER_HISTORY_LINGER_NS (10 * 1000000000ull)	/* unwanted counters stay open so long */

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
