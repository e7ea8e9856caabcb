/* live_window.h - the newest seconds, kept incrementally: plus the new slices, minus the old ones.
 *
 * Use:    live_window_update() before a fold; its entries are then those of the slices chosen.
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
	uint64_t first_seq, next_seq;	/* slices that are in it: first_seq <= seq < next_seq */
	uint32_t slice_count;		/* how many of these there were */
	struct stack_counts stacks;
};

/* Makes the window hold exactly the closed slices with seq >= @first_seq. 0 or -ENOMEM, then it is
 * empty. */
int live_window_update(struct live_window *window, const struct timeline *timeline,
		       uint64_t first_seq);
/* Forgets everything: after a compaction or a zero. */
void live_window_reset(struct live_window *window);
void live_window_finish(struct live_window *window);

#endif
