/* counter_series.h - what the counters of one scope were in each second, and sums of a window.
 *
 * Use:    counter_series_open() for each opening of the counters, counter_series_add() for each of
 *         its readings, counter_series_make() for what a snapshot shows.
 * Thread: the analyzer's.
 */
#ifndef ANALYZER_COUNTER_SERIES_H
#define ANALYZER_COUNTER_SERIES_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/snapshot.h"
#include "base/diag.h"
#include "capture/counter_set.h"

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

/* Counts of stretches of time, oldest first; between two of them may be a gap. */
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

#endif
