/* probe_fold.c - see fold/probe_fold.h. */
#include "fold/probe_fold.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int probe_fold_init(struct probe_fold *fold, const struct probe_hits *hits)
{
	*fold = (struct probe_fold){
		.buckets = calloc(PROBE_SLOTS, sizeof(*fold->buckets)),
		.values = calloc(hits->values.count + 1, sizeof(*fold->values)),
		.value_count = hits->values.count,
	};
	memset(fold->slot_of, PROBE_SLOTS, sizeof(fold->slot_of));
	for (uint32_t slot = 0; slot < PROBE_SLOTS; slot++)
		if (hits->rows[slot].id)
			fold->slot_of[hits->rows[slot].event] = (uint8_t)slot;
	if (fold->buckets && fold->values)
		return 0;
	probe_fold_finish(fold);
	return -ENOMEM;
}

void probe_fold_finish(struct probe_fold *fold)
{
	free(fold->buckets);
	free(fold->values);
	memset(fold, 0, sizeof(*fold));
}

void probe_fold_add(struct probe_fold *fold, const struct slice_entry *entries, uint32_t count)
{
	for (const struct slice_entry *entry = entries; entry < entries + count; entry++) {
		const uint8_t slot = fold->slot_of[entry->event];

		if (entry->event == EVENT_OF_VALUES)
			fold->values[entry->stack] += entry->count;
		else if (slot < PROBE_SLOTS)
			fold->buckets[slot][entry->bucket] += entry->count;
	}
}

uint64_t probe_fold_hits(const struct probe_fold *fold, uint32_t slot)
{
	uint64_t hits = 0;

	for (unsigned int bucket = 0; bucket < LATENCY_BUCKETS; bucket++)
		hits += fold->buckets[slot][bucket];
	return hits;
}
