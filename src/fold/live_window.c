/* live_window.c - see fold/live_window.h. */
#include "fold/live_window.h"

#include <errno.h>
#include <string.h>

void live_window_reset(struct live_window *window)
{
	entry_set_clear(&window->sum);
	window->first_seq = window->next_seq = 0;
	window->slice_count = 0;
	window->stacks = (struct stack_counts){ 0 };
}

void live_window_finish(struct live_window *window)
{
	entry_set_finish(&window->sum);
	memset(window, 0, sizeof(*window));
}

static int add_slice(struct live_window *window, const struct slice *slice)
{
	for (uint32_t i = 0; i < slice->count; i++)
		if (entry_set_add(&window->sum, &slice->entries[i]))
			return -ENOMEM;
	stack_counts_add(&window->stacks, &slice->stacks);
	window->slice_count++;
	return 0;
}

static void subtract_slice(struct live_window *window, const struct slice *slice)
{
	for (uint32_t i = 0; i < slice->count; i++)
		entry_set_subtract(&window->sum, &slice->entries[i]);
	stack_counts_subtract(&window->stacks, &slice->stacks);
	window->slice_count--;
}

static bool contains(const struct live_window *window, const struct slice *slice)
{
	return window->first_seq <= slice->seq && slice->seq < window->next_seq;
}

/* Are the slices that were added still there, or have some left or been merged with others? */
static bool is_intact(const struct live_window *window, const struct timeline *timeline)
{
	uint32_t found = 0;

	for (uint32_t s = 0; s < timeline->count; s++)
		found += contains(window, &timeline->slices[s]);
	return found == window->slice_count;
}

int live_window_update(struct live_window *window, const struct timeline *timeline,
		       uint64_t first_seq)
{
	if (first_seq < window->first_seq || first_seq >= window->next_seq ||
	    !is_intact(window, timeline))
		live_window_reset(window);	/* it grew to the past, or too little is shared */
	for (uint32_t s = 0; s < timeline->count; s++) {
		const struct slice *slice = &timeline->slices[s];
		const bool is_in = contains(window, slice);

		if (is_in && slice->seq < first_seq) {
			subtract_slice(window, slice);
		} else if (!is_in && slice->seq >= first_seq && add_slice(window, slice)) {
			live_window_reset(window);
			return -ENOMEM;
		}
	}
	entry_set_shrink(&window->sum);
	window->first_seq = first_seq;
	window->next_seq = timeline->open_slice.seq;
	return 0;
}
