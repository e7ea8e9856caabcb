/* time_text.h - formats ranges of history for people.
 * Thread: any; no state but the time zone's. */
#ifndef UI_TIME_TEXT_H
#define UI_TIME_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "time_range.h"

#define TIME_TEXT_BYTES 64

/* How to print times. */
struct time_zero {
	bool is_replay;			/* a recording: its wall-clock time is unknown */
	uint64_t begin_ns;		/* if is_replay: times count from here */
	uint64_t wall_offset_ns;	/* otherwise: added, it gives nanoseconds since 1970 */
	bool is_exact;			/* print milliseconds wherever they are not zero */
};

/* Formats "14:02:11–14:02:21", for a recording "0:12–0:22"; with milliseconds if the length is no
 * whole number of seconds or, if @zero is exact, the begin is none.
 * Returns @out[TIME_TEXT_BYTES]. */
char *time_text_range(char *out, const struct time_range *range, const struct time_zero *zero);

/* Formats how long before @newest_ns the range ended: "−3 m 12 s"; for a recording the recording's
 * length: "of 3:00". Milliseconds as in time_text_range(). Returns @out[TIME_TEXT_BYTES]. */
char *time_text_ago(char *out, const struct time_range *range, const struct time_zero *zero,
		    uint64_t newest_ns);

#endif
