/* copy_wish.c - see copy_wish.h. */
#include "copy_wish.h"

#include "base/clock.h"

/* The slices since the last call are one, or more after a second without samples. */
void copy_wish_adapt(struct copy_size *size, const struct copy_control *control,
		     const struct timeline *timeline)
{
	uint32_t wished;

	if (!control->wish || !timeline->count)
		return;
	wished = copy_size_observe(size, &timeline->slices[timeline->count - 1].stacks,
				   clock_now_ns());
	if (wished)
		control->wish(control->owner, wished);
}

void copy_wish_end(struct copy_size *size, const struct copy_control *control,
		   const struct ingest *ingest)
{
	const struct copied_hits hits = {
		.count = ingest->counters.copied_hits, .lost = ingest->counters.lost_kernel,
		.second = ingest->timeline.open_slice.seq,
	};

	if (control->wish && copy_size_is_too_much(size, &hits, clock_now_ns()))
		control->wish(control->owner, 0);
}
