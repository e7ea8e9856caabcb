/* open_times.c - see open_times.h.
 *
 *	since        slice's end   slice's end      now     two open records; then that of the
 *	  |---- open -----|---- open ---|-- the rest -|     wait, which has all of its time
 *	 from_ns                     until_ns      last_end_ns
 *
 * The record of a wait may come before an open one that was read earlier: then all of it is counted
 * already. A record that was refused gives its time to the thread's next one. The time that open
 * records had of its wait is carried to that one, also when the next wait has open records first.
 */
#include "open_times.h"

#include <stdlib.h>

#include "ingest/waits.h"

/* No shorter wait is ever counted while it is open, nor is one that is shorter than the period of
 * off-cpu: its record weighs something else. */
#define OPEN_MIN_NS   (100 * 1000000ull)
#define OPEN_ROWS_MAX 65536u

/* The wait of @row has ended: the kernel's sums have it now. */
static void end_open(struct waits *waits, struct open_time *row)
{
	const uint64_t open_ns = row->until_ns - row->from_ns;

	waits->open_ns -= open_ns;
	row->carried_ns += open_ns;
	row->from_ns = row->until_ns;
}

static struct open_time *find_open(struct waits *waits, uint32_t tid)
{
	const uint32_t at = id_map_get(&waits->open_by_tid, tid);

	return at == ID_MAP_NONE ? NULL : &waits->open[at];
}

void open_times_remove(struct waits *waits, uint32_t tid)
{
	const uint32_t at = id_map_remove(&waits->open_by_tid, tid);

	if (at == ID_MAP_NONE)
		return;
	end_open(waits, &waits->open[at]);
	waits->open[at] = waits->open[--waits->open_count];
	if (at < waits->open_count)	/* its number is in the map: this replaces it */
		id_map_put(&waits->open_by_tid, waits->open[at].tid, at);
}

/* Makes room: removes the rows of threads whose last wait has ended, with its record. */
static void remove_ended(struct waits *waits)
{
	for (uint32_t i = waits->open_count; i-- > 0;)
		if (waits->open[i].from_ns == waits->open[i].until_ns &&
		    !waits->open[i].carried_ns)
			open_times_remove(waits, waits->open[i].tid);
}

/* Returns the row of a thread, or a new one; NULL: no room. */
static struct open_time *open_of(struct waits *waits, uint32_t tid)
{
	struct open_time *row = find_open(waits, tid);

	if (row)
		return row;
	if (waits->open_count == OPEN_ROWS_MAX)
		remove_ended(waits);
	if (waits->open_count == waits->open_capacity) {
		const uint32_t capacity = waits->open_capacity ? waits->open_capacity * 2 : 64;

		row = capacity > OPEN_ROWS_MAX ? NULL
		      : realloc(waits->open, capacity * sizeof(*row));
		if (!row)
			return NULL;
		waits->open = row;
		waits->open_capacity = capacity;
	}
	if (id_map_put(&waits->open_by_tid, tid, waits->open_count))
		return NULL;
	row = &waits->open[waits->open_count++];
	*row = (struct open_time){ .tid = tid };
	return row;
}

uint64_t open_times_extend(struct waits *waits, uint32_t tid, const struct wait_record *from)
{
	const uint64_t until_ns = from->woken_at_ns, since_ns = until_ns - from->weight_ns;
	struct open_time *row = open_of(waits, tid);
	uint64_t more_ns;

	if (!row || until_ns <= row->last_end_ns)
		return 0;
	if (row->until_ns <= since_ns) {	/* the record of the wait before is missing */
		end_open(waits, row);
		row->from_ns = row->until_ns = since_ns;
	}
	if (until_ns <= row->until_ns)
		return 0;
	more_ns = until_ns - row->until_ns;
	row->until_ns = until_ns;
	waits->open_ns += more_ns;
	return more_ns;
}

/* Returns the part of the weight of @from that is of waits before its own: their records were
 * refused, or not written as a run of the kernel's program was skipped. */
static uint64_t brought_ns(const struct wait_record *from)
{
	const uint64_t whole_ns = from->blocked_ns + from->run_queue_ns;
	const uint64_t rest_ns = from->weight_ns > whole_ns ? from->weight_ns - whole_ns : 0;

	return rest_ns > from->returned_ns ? rest_ns : from->returned_ns;
}

uint64_t open_times_close(struct waits *waits, uint32_t tid, uint64_t end_ns,
			  const struct wait_record *from)
{
	const uint64_t whole_ns = from->blocked_ns + from->run_queue_ns;
	struct open_time *row = from->weight_ns < OPEN_MIN_NS ? find_open(waits, tid)
							      : open_of(waits, tid);
	uint64_t carried_ns, own_ns = 0;

	if (!row)
		return 0;
	if (row->until_ns + whole_ns > end_ns)		/* else it was another wait */
		own_ns = row->until_ns - row->from_ns;
	end_open(waits, row);
	carried_ns = row->carried_ns - own_ns;
	if (carried_ns > brought_ns(from))
		carried_ns = brought_ns(from);
	row->carried_ns = 0;
	row->last_end_ns = end_ns;
	return own_ns + carried_ns < from->weight_ns ? own_ns + carried_ns : from->weight_ns;
}
