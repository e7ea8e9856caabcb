/* group_wishes.c - chooses the lines to request for a tree of groups by source: frames with most
 * samples first, so that it fills in from what is worth seeing.
 *
 * Frames with less than a two-thousandth of all samples are never requested. That keeps the wishes
 * below what source_lines.c caches, or it would evict and request without end. */
#include <string.h>

#include "fold/group_fold.h"

#define LEAST_SHARE 2000	/* one in so many */

/* The heaviest so far, heaviest first. */
struct candidates {
	struct source_wish *wishes;
	uint64_t samples[SOURCE_WISHES_MAX];
	uint32_t count;
};

static void consider(struct candidates *list, const struct source_wish *of, uint64_t samples)
{
	uint32_t at = list->count < SOURCE_WISHES_MAX ? list->count++ : SOURCE_WISHES_MAX - 1;
	const uint32_t moved = at;

	while (at > 0 && list->samples[at - 1] < samples)
		at--;
	memmove(&list->samples[at + 1], &list->samples[at], (moved - at) * sizeof(samples));
	memmove(&list->wishes[at + 1], &list->wishes[at], (moved - at) * sizeof(*of));
	list->samples[at] = samples;
	list->wishes[at] = *of;
}

uint32_t group_fold_wishes(const struct group_fold *fold,
			   struct source_wish out[SOURCE_WISHES_MAX])
{
	const struct source_lines *lines = fold->sources.lines;
	const uint32_t frames = fold->sources.trie->frames.count;
	struct candidates list = { .wishes = out };

	if (!fold->frame_samples || !lines || fold->is_out_of_memory || fold->is_stopped)
		return 0;
	for (uint32_t i = 0; i < 2 * frames; i++) {
		const uint64_t samples = fold->frame_samples[i];
		struct source_wish of;

		if (!samples || samples < fold->samples / LEAST_SHARE ||
		    (list.count == SOURCE_WISHES_MAX &&
		     samples <= list.samples[SOURCE_WISHES_MAX - 1]))
			continue;
		of = group_value_wish(&fold->sources, i >> 1, !(i & 1));
		if (source_lines_can_be_wished(lines, &of))
			consider(&list, &of, samples);
	}
	return list.count;
}
