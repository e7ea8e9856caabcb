/* time_range.h - the stretch of history that is shown, and how keys and the mouse change it.
 *
 * Times:  CLOCK_MONOTONIC, or a recording's clock; what comes out is a multiple of TIME_TICK_NS.
 *         Keys keep to whole seconds: the first that history has whole is the first one reached.
 * Thread: any, no state. Pure.
 */
#ifndef UI_TIME_RANGE_H
#define UI_TIME_RANGE_H

#include <stdbool.h>
#include <stdint.h>

#define TIME_TICK_NS 50000000ull	/* as fine as history is */

struct time_range {
	uint64_t begin_ns, end_ns;	/* end_ns 0: none, the screen is live */
};

/* How far history reaches: of the last snapshot. */
struct time_bounds {
	uint64_t known_ns, newest_ns;
};

enum time_move {
	TIME_MOVED,
	TIME_AT_BEGIN,	/* nothing changed: history begins here */
	TIME_AT_NOW,	/* as above: the step leads beyond the newest */
	TIME_AT_LIMIT,	/* as above: no other length */
};

/* The last whole seconds, as many as @length_ns has or history gives; end_ns 0: there is none. */
struct time_range time_range_newest(const struct time_bounds *bounds, uint64_t length_ns);

/* @steps seconds later, < 0: earlier, as far as history goes; what is shorter than a second goes by
 * its own length. */
enum time_move time_range_step(struct time_range *range, const struct time_bounds *bounds,
			       int steps);

/* Half as long, or twice, about: 60, 30, 10, 5, 2, 1 s and on to one tick. Its end stays, unless
 * history begins too late. */
enum time_move time_range_resize(struct time_range *range, const struct time_bounds *bounds,
				 bool is_longer);

/* From the earlier begin to the later end: what was dragged over from one cell to another. */
struct time_range time_range_join(struct time_range a, struct time_range b);

/* What history has of @range; end_ns 0: nothing. */
struct time_range time_range_clip(struct time_range range, const struct time_bounds *bounds);

#endif
