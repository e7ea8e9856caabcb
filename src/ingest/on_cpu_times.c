/* on_cpu_times.c - see on_cpu_times.h. A thread without a row has no samples that are not in a sum
 * yet. */
#include "on_cpu_times.h"

#include <stdlib.h>

#include "ingest/waits.h"

#define ROWS_MAX 65536u

static struct sampled_time *find(struct waits *waits, uint32_t tid)
{
	const uint32_t at = id_map_get(&waits->sampled_by_tid, tid);

	return at == ID_MAP_NONE ? NULL : &waits->sampled[at];
}

/* Returns a new row; NULL: out of memory. Threads that have ended leave rows with the little that
 * their samples exceed their time: where there are too many rows, another one goes. */
static struct sampled_time *append(struct waits *waits, uint32_t tid)
{
	struct sampled_time *row;

	if (waits->sampled_count == ROWS_MAX)
		on_cpu_times_remove(waits, waits->sampled[tid % ROWS_MAX].tid);
	if (waits->sampled_count == waits->sampled_room) {
		const uint32_t room = waits->sampled_room ? waits->sampled_room * 2 : 64;

		row = realloc(waits->sampled, room * sizeof(*row));
		if (!row)
			return NULL;
		waits->sampled = row;
		waits->sampled_room = room;
	}
	if (id_map_put(&waits->sampled_by_tid, tid, waits->sampled_count))
		return NULL;
	row = &waits->sampled[waits->sampled_count++];
	*row = (struct sampled_time){ .tid = tid };
	return row;
}

void on_cpu_times_sampled(struct waits *waits, uint32_t tid, uint64_t ns)
{
	struct sampled_time *row = find(waits, tid);

	if (!row)
		row = append(waits, tid);
	if (row)
		row->ns += ns;
}

uint64_t on_cpu_times_take(struct waits *waits, uint32_t tid, uint64_t on_ns)
{
	struct sampled_time *row = find(waits, tid);

	if (row && row->ns > on_ns) {
		row->ns -= on_ns;
		return 0;
	}
	if (row)
		on_ns -= row->ns;
	on_cpu_times_remove(waits, tid);
	return on_ns;
}

void on_cpu_times_remove(struct waits *waits, uint32_t tid)
{
	const uint32_t at = id_map_remove(&waits->sampled_by_tid, tid);

	if (at == ID_MAP_NONE)
		return;
	waits->sampled[at] = waits->sampled[--waits->sampled_count];
	if (at < waits->sampled_count)	/* its number is in the map: this replaces it */
		id_map_put(&waits->sampled_by_tid, waits->sampled[at].tid, at);
}
