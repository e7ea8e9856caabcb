/* time_range.h - the range of history that is shown, how keys and the mouse change it, and how it
 * is printed.
 *
 * Times:  CLOCK_MONOTONIC, or a recording's clock; results are multiples of TIME_TICK_NS. Keys move
 *         by whole seconds; the earliest one reached is the first that history has in full.
 * Thread: any, no state but the time zone's.
 */
#ifndef UI_TIME_RANGE_H
#define UI_TIME_RANGE_H

#include <stdbool.h>
#include <stdint.h>

#define TIME_TICK_NS 50000000ull	/* resolution of the history */

struct time_range {
	uint64_t begin_ns, end_ns;	/* end_ns 0: no range, the screen is live */
};

/* How far history reaches, by the last snapshot. */
struct time_bounds {
	uint64_t known_ns, newest_ns;
};

enum time_move {
	TIME_MOVED,
	TIME_AT_BEGIN,	/* nothing changed: history begins here */
	TIME_AT_NOW,	/* nothing changed: the step leads beyond the newest */
	TIME_AT_LIMIT,	/* nothing changed: no longer or shorter length */
};

/* Returns the newest whole seconds of history, up to @length_ns (1 s at least); end_ns 0: none. */
struct time_range time_range_newest(const struct time_bounds *bounds, uint64_t length_ns);

/* Moves the range @steps seconds later (< 0: earlier) within history; a range shorter than a second
 * moves in steps of its own length. */
enum time_move time_range_step(struct time_range *range, const struct time_bounds *bounds,
			       int steps);

/* Halves or doubles the length, about: 60, 30, 10, 5, 2, 1 s and down to one tick. The end stays
 * unless history begins too late for that. */
enum time_move time_range_resize(struct time_range *range, const struct time_bounds *bounds,
				 bool is_longer);

/* Returns the range from the earlier begin to the later end, as for a drag over cells. */
struct time_range time_range_join(struct time_range a, struct time_range b);

/* Returns the part of @range that history has; end_ns 0: nothing. */
struct time_range time_range_clip(struct time_range range, const struct time_bounds *bounds);

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
