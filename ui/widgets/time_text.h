/* time_text.h - stretches of history as people read them.
 * Thread: any; no state but the time zone's. */
#ifndef UI_TIME_TEXT_H
#define UI_TIME_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "time_range.h"

#define TIME_TEXT_BYTES 64

/* By what times are told. */
struct time_zero {
	bool is_replay;			/* of a recording nobody knows when it was made: */
	uint64_t begin_ns;		/* its times count from here */
	uint64_t wall_offset_ns;	/* else: to nanoseconds since 1970 */
	bool is_exact;			/* there is room for milliseconds wherever there are some */
};

/* "14:02:11–14:02:21", of a recording "0:12–0:22"; with milliseconds where it is no whole number of
 * seconds long, or, if @zero is exact, begins at no whole one.
 * Returns @out[TIME_TEXT_BYTES], as the next. */
char *time_text_range(char *out, const struct time_range *range, const struct time_zero *zero);

/* How long ago it ended when @newest_ns was: "−3 m 12 s"; of a recording how long that is:
 * "of 3:00", with milliseconds as above. */
char *time_text_ago(char *out, const struct time_range *range, const struct time_zero *zero,
		    uint64_t newest_ns);

#endif
