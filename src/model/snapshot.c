/* snapshot.c - see model/snapshot.h. */
#include "model/snapshot.h"

#include <stdlib.h>

void snapshot_destroy(struct snapshot *snapshot)
{
	while (snapshot) {
		struct snapshot *next = snapshot->next_event;

		free(snapshot);
		snapshot = next;
	}
}

double snapshot_pct(const struct snapshot *snapshot, double weight)
{
	return snapshot->weight > 0 ? 100.0 * weight / snapshot->weight : 0;
}
