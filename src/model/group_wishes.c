/* group_wishes.c - which lines a tree of groups by source asks for: what weighs most first, so it
 * fills in from what is worth seeing.
 *
 * Frames that weigh less than a two-thousandth of all are never asked for. That keeps the wishes
 * below what source_lines.c remembers, or it would forget and ask without end. */
#include <string.h>

#include "model/group_fold.h"

#define LEAST_SHARE 0.0005

/* The heaviest so far, heaviest first. */
struct candidates {
	struct source_wish *wishes;
	double weights[SOURCE_WISHES_MAX];
	uint32_t count;
};

static void consider(struct candidates *list, const struct source_wish *of, double weight)
{
	uint32_t at = list->count < SOURCE_WISHES_MAX ? list->count++ : SOURCE_WISHES_MAX - 1;
	const uint32_t moved = at;

	while (at > 0 && list->weights[at - 1] < weight)
		at--;
	memmove(&list->weights[at + 1], &list->weights[at], (moved - at) * sizeof(double));
	memmove(&list->wishes[at + 1], &list->wishes[at], (moved - at) * sizeof(*of));
	list->weights[at] = weight;
	list->wishes[at] = *of;
}

uint32_t group_fold_wishes(const struct group_fold *fold,
			   struct source_wish out[SOURCE_WISHES_MAX])
{
	const struct source_lines *lines = fold->sources.lines;
	const uint32_t frames = fold->sources.trie->frames.count;
	struct candidates list = { .wishes = out };
	double whole = 0;

	if (!fold->frame_weight || !lines || fold->is_out_of_memory || fold->is_stopped)
		return 0;
	for (uint32_t i = 0; i < GROUP_FOLD_EVENTS; i++)
		whole += fold->whole[i];
	for (uint32_t i = 0; i < 2 * frames; i++) {
		const double weight = fold->frame_weight[i];
		struct source_wish of;

		if (!(weight > whole * LEAST_SHARE) ||
		    (list.count == SOURCE_WISHES_MAX &&
		     weight <= list.weights[SOURCE_WISHES_MAX - 1]))
			continue;
		of = group_value_wish(&fold->sources, i >> 1, !(i & 1));
		if (source_lines_can_be_wished(lines, &of))
			consider(&list, &of, weight);
	}
	return list.count;
}
