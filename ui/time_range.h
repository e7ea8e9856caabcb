/* time_range.h - the range of history that is shown, and how keys and the mouse change it.
 *
 * Times:  CLOCK_MONOTONIC, or a recording's clock; results are multiples of TIME_TICK_NS. Keys move
 *         by whole seconds; the earliest one reached is the first that history has in full.
 * Thread: any, no state. Pure.
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

#endif
