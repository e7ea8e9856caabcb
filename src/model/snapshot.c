/* snapshot.c - see model/snapshot.h. */
#include "model/snapshot.h"

#include <math.h>
#include <stdlib.h>

void snapshot_destroy(struct snapshot *snapshot)
{
	while (snapshot) {
		struct snapshot *next = snapshot->next_event;

		snapshot_destroy(snapshot->folded);
		free(snapshot->source_text);
		free(snapshot);
		snapshot = next;
	}
}

double snapshot_pct(const struct snapshot *snapshot, double weight)
{
	return snapshot->weight > 0 ? 100.0 * weight / snapshot->weight : 0;
}

double snapshot_complete_pct(const struct snapshot *snapshot)
{
	if (snapshot->stacks != STACKS_COPIED || !snapshot->user_stacks)
		return -1;
	return floor(100.0 * (double)snapshot->complete_stacks / (double)snapshot->user_stacks);
}

char snapshot_level(enum cpu_mode mode)
{
	switch (mode) {
	case MODE_KERNEL:	return 'k';
	case MODE_USER:		return '.';
	case MODE_GUEST_KERNEL: return 'g';
	case MODE_GUEST_USER:	return 'u';
	case MODE_HYPERVISOR:
	case MODE_UNKNOWN:	break;
	}
	return 'H';
}
