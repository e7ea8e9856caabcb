/* inside.c - see inside.h.
 *
 * The pending samples of a call are a list through the ring, from the newest on, which ends where
 * older ones were overwritten. A call without an end leaves its list to be overwritten.
 */
#include "inside.h"

#include <stdlib.h>
#include <string.h>

#include "ingest/snapshot_probes.h"

static struct inside_sample *held_at(const struct inside *inside, uint64_t number)
{
	return &inside->held[number % INSIDE_HELD];
}

/* Returns the number of the newest sample held for @call; 0: none is. */
static uint64_t newest_of(const struct inside *inside, uint64_t call)
{
	const uint32_t low = id_map_get(&inside->last_of_call, call);
	uint64_t number;

	if (low == ID_MAP_NONE)
		return 0;
	number = (inside->last & ~(uint64_t)UINT32_MAX) | low;
	return number > inside->last ? number - UINT32_MAX - 1 : number;
}

/* Makes room for sample @number: the one that had its place goes. */
static void overwrite(struct inside *inside, uint64_t number)
{
	const struct inside_sample *old = held_at(inside, number);

	if (!old->call)
		return;
	inside->unheld++;
	if (newest_of(inside, old->call) == number - INSIDE_HELD)
		id_map_remove(&inside->last_of_call, old->call);
}

static void hold(struct ingest *ingest, uint64_t call, const struct slice_entry *entry)
{
	struct inside *inside = &ingest->hits->inside;
	uint64_t before;

	if (!inside->held)
		inside->held = calloc(INSIDE_HELD, sizeof(*inside->held));
	if (!inside->held) {
		ingest->counters.dropped_no_memory++;
		return;
	}
	before = newest_of(inside, call);
	overwrite(inside, ++inside->last);
	if (id_map_put(&inside->last_of_call, call, (uint32_t)inside->last)) {
		ingest->counters.dropped_no_memory++;
		return;
	}
	*held_at(inside, inside->last) =
		(struct inside_sample){ .call = call, .before = before, .entry = *entry };
}

static void count(struct ingest *ingest, uint32_t slot, uint64_t time_ns, uint8_t bucket,
		  const struct slice_entry *sample)
{
	struct hit_tuple tuple = { .probe = ingest->hits->rows[slot].id, .sum = HIT_SUM_INSIDE,
				   .bucket = hit_inside_bucket(sample->event, bucket) };
	struct slice_entry entry = *sample;
	uint32_t number;

	for (size_t i = 0; i < HIT_KEYS_MAX; i++)
		tuple.keys[i] = HIT_KEY_NONE;
	number = hit_tuples_intern(&ingest->hits->tuples, slot, &tuple);
	slice_entry_set_event(&entry, EVENT_OF_SUMS);
	if (number != ID_SET_NONE)
		slice_entry_set_tuple(&entry, number);
	if (number == ID_SET_NONE || timeline_add(&ingest->timeline, time_ns, &entry, NULL))
		ingest->counters.dropped_no_memory++;
}

/* Counts a sample inside a call, if it has ended; else holds it. */
static void take(struct ingest *ingest, uint32_t slot, uint64_t call,
		 const struct slice_entry *entry)
{
	const struct inside *inside = &ingest->hits->inside;
	const struct inside_call *ended =
		inside->ended ? &inside->ended[call % INSIDE_CALLS_KEPT] : NULL;

	if (!ended || ended->number != call)
		hold(ingest, call, entry);
	else if (ended->probe == ingest->hits->rows[slot].id)
		count(ingest, slot, ended->end_ns, ended->bucket, entry);
}

void inside_sample(struct ingest *ingest, const struct event_record *record,
		   const struct probe_calls *calls, const struct slice_entry *entry)
{
	const uint64_t thread = probe_pairs_thread(record->tid, record->cpu);
	const struct probe_pairs *pairs = ingest->hits->pairs;

	if (!slice_entry_is_sample(entry) || entry->event >= PROBE_EVENT_FIRST)
		return;
	for (uint32_t i = 0; calls && i < calls->count; i++) {
		const struct probe_call *call = &calls->list[i];
		const bool is_outermost =
			i + 1 == calls->count || calls->list[i + 1].slot != call->slot;

		if (is_outermost && ingest->hits->rows[call->slot].id)
			take(ingest, call->slot, call->number, entry);
	}
	for (uint32_t slot = 0; !calls && slot < PROBE_SLOTS; slot++) {
		const uint64_t call = probe_pairs_outermost(pairs, slot, thread);

		if (call)
			take(ingest, slot, call, entry);
	}
}

void inside_end(struct ingest *ingest, uint32_t slot, uint64_t number, uint64_t end_ns,
		uint64_t latency_ns)
{
	struct inside *inside = &ingest->hits->inside;
	const uint8_t bucket = latency_bucket(latency_ns);
	uint64_t at = newest_of(inside, number);

	if (!inside->ended)
		inside->ended = calloc(INSIDE_CALLS_KEPT, sizeof(*inside->ended));
	if (inside->ended)
		inside->ended[number % INSIDE_CALLS_KEPT] =
			(struct inside_call){ number, end_ns, ingest->hits->rows[slot].id, bucket };
	id_map_remove(&inside->last_of_call, number);
	while (at && at + INSIDE_HELD > inside->last) {
		struct inside_sample *sample = held_at(inside, at);

		if (sample->call != number)
			return;
		count(ingest, slot, end_ns, bucket, &sample->entry);
		sample->call = 0;
		at = sample->before;
	}
}
