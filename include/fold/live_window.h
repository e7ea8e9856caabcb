/* live_window.h - the newest seconds, kept incrementally: plus the new slices, minus the old ones.
 *
 * Use:    live_window_update() before a fold; `sum` then has the entries of the chosen slices.
 *         A test compares it with the full sum.
 * Thread: the analyzer's.
 */
#ifndef FOLD_LIVE_WINDOW_H
#define FOLD_LIVE_WINDOW_H

#include "timeline/timeline.h"

/* Longer windows are folded from the slices themselves: those may have been rolled up. */
#define LIVE_WINDOW_MAX_NS (100 * SLICE_NS)

struct live_window {
	struct entry_set sum;
	uint64_t first_seq, next_seq;	/* slices in the window: first_seq <= seq < next_seq */
	uint32_t slice_count;		/* number of slices added */
	struct stack_counts stacks;
};

/* Updates the window to exactly the closed slices with seq >= @first_seq. 0, or -ENOMEM: then it is
 * empty. */
int live_window_update(struct live_window *window, const struct timeline *timeline,
		       uint64_t first_seq);
/* Empties the window; call after a compaction or a zero. */
void live_window_reset(struct live_window *window);
void live_window_finish(struct live_window *window);

#endif
