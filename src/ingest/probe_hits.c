/* probe_hits.c - see ingest/probe_state.h. Ids of perf events are never reused, so a record's id
 * identifies its probe and generation, however late it comes. */
#include "ingest/probe_state.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe_pairs.h"

struct probe_hits *probe_hits_create(void)
{
	struct probe_hits *hits = calloc(1, sizeof(*hits));

	if (!hits)
		return NULL;
	hits->pairs = malloc(sizeof(*hits->pairs));
	if (!hits->pairs) {
		free(hits);
		return NULL;
	}
	probe_pairs_init(hits->pairs);
	return hits;
}

static void forget_ids(struct probe_hits *hits, const struct probe_stream *stream)
{
	for (uint32_t i = 0; i < stream->id_count; i++)
		id_map_remove(&hits->stream_of, stream->ids[i]);
}

static void drop_generation(struct probe_hits *hits, struct probe_generation *generation)
{
	if (!generation->reading)
		return;
	forget_ids(hits, &generation->reading->entry);
	forget_ids(hits, &generation->reading->leave);
	for (uint32_t i = 0; i < PROBE_MIDDLES_MAX; i++)
		forget_ids(hits, &generation->reading->middles[i]);
	probe_reading_destroy(generation->reading);
	memset(generation, 0, sizeof(*generation));
}

void probe_hits_remove(struct probe_hits *hits, uint32_t slot)
{
	struct probe_row *row = &hits->rows[slot];

	for (uint32_t i = 0; i < PROBE_GENERATIONS; i++)
		drop_generation(hits, &row->generations[i]);
	probe_pairs_drop(hits->pairs, slot);
	hits->tuples.of_slot[slot] = 0;		/* the slot's next probe has all the room */
	hit_log_finish(&row->log);
	hits->lost_before += row->status.lost;
	hits->missed_before += row->status.missed;
	hits->absent_before += row->status.absent;
	free(row->spec);
	memset(row, 0, sizeof(*row));
}

void probe_hits_destroy(struct probe_hits *hits)
{
	if (!hits)
		return;
	for (uint32_t slot = 0; slot < PROBE_SLOTS; slot++)
		probe_hits_remove(hits, slot);
	probe_pairs_finish(hits->pairs);
	free(hits->pairs);
	probe_values_finish(&hits->values);
	probe_values_finish(&hits->keys);
	hit_tuples_finish(&hits->tuples);
	inside_finish(&hits->inside);
	id_map_finish(&hits->stream_of);
	free(hits);
}

_Static_assert(PROBE_EVENT_FIRST >= TIMELINE_MAX_EVENTS &&
	       PROBE_EVENT_FIRST + PROBE_SLOTS <= EVENT_OF_VALUES, "each counts apart");

static void add_row(struct probe_hits *hits, struct engine_event *event)
{
	struct probe_row *row = &hits->rows[event->slot];

	assert(event->spec && !row->id);
	row->id = event->probe;
	row->event = (uint16_t)(PROBE_EVENT_FIRST + event->slot);
	row->spec = event->spec;
	event->spec = NULL;
	for (uint32_t i = 0; i < row->spec->key_count; i++)
		hits->has_uid_keys |= row->spec->keys[i].kind == PROBE_KEY_UID;
	row->with_stacks = event->with_stacks;
	row->status = event->status;
	snprintf(row->name, sizeof(row->name), "%s", event->name);
	snprintf(row->dso, sizeof(row->dso), "%s", event->dso);
	snprintf(row->scope, sizeof(row->scope), "%s", event->scope);
}

_Static_assert(2 + PROBE_MIDDLES_MAX <= 16 && PROBE_GENERATIONS <= 16,
	       "a place has four bits for each");

static bool note_ids(struct probe_hits *hits, const struct probe_stream *stream, uint32_t place)
{
	for (uint32_t i = 0; i < stream->id_count; i++)
		if (id_map_put(&hits->stream_of, stream->ids[i], place))
			return false;
	return true;
}

/* Notes the ids of all streams of a reading: the low bits of the place are 0 for the entry, 1 for
 * the return, then the points between the first and the last. */
static bool note_all_ids(struct probe_hits *hits, const struct probe_reading *reading,
			 uint32_t place)
{
	bool is_noted = note_ids(hits, &reading->entry, place) &&
			note_ids(hits, &reading->leave, place | 1);

	for (uint32_t i = 0; i < PROBE_MIDDLES_MAX && is_noted; i++)
		is_noted = note_ids(hits, &reading->middles[i], place | (2 + i));
	return is_noted;
}

/* Adds a generation. Out of memory for its ids: the records will be counted as malformed. */
static void add_reading(struct probe_hits *hits, uint32_t slot, struct engine_event *event)
{
	struct probe_row *row = &hits->rows[slot];
	const uint32_t at = (row->newest + 1) % PROBE_GENERATIONS;
	struct probe_generation *generation = &row->generations[at];
	const uint32_t place = slot << 8 | at << 4;

	drop_generation(hits, generation);
	generation->reading = event->reading;
	event->reading = NULL;
	generation->number = ++hits->last_generation;
	if (!row->first_ns)
		row->first_ns = event->time_ns;
	probe_turns_begin(&row->turns, event->time_ns);
	generation->ignore_ns = UINT64_MAX;
	row->newest = at;
	if (!note_all_ids(hits, generation->reading, place))
		drop_generation(hits, generation);
}

static void ignore(struct probe_row *row, uint64_t time_ns)
{
	probe_turns_end(&row->turns, time_ns);
	for (uint32_t i = 0; i < PROBE_GENERATIONS; i++)
		if (time_ns < row->generations[i].ignore_ns)
			row->generations[i].ignore_ns = time_ns;
}

struct probe_row *probe_hits_take(struct probe_hits *hits, struct engine_event *event)
{
	struct probe_row *row = NULL;

	if (event->kind == ENGINE_EVENT_RINGS) {
		hits->has_rings = true;
		hits->limit_ns = event->time_ns;
	} else if (event->slot < PROBE_SLOTS) {
		row = &hits->rows[event->slot];
		if (event->kind == ENGINE_EVENT_ADDED)
			add_row(hits, event);
		if (row->id != event->probe)
			row = NULL;
		else if (event->kind == ENGINE_EVENT_READING && event->reading)
			add_reading(hits, event->slot, event);
		else if (event->kind == ENGINE_EVENT_IGNORE)
			ignore(row, event->time_ns);
		else if (event->kind == ENGINE_EVENT_STATUS)
			row->status = event->status;
	}
	probe_reading_destroy(event->reading);
	free(event->spec);
	event->reading = NULL;
	event->spec = NULL;
	return row;
}

bool probe_hits_find(struct probe_hits *hits, uint64_t id, struct probe_stream_ref *out)
{
	const uint32_t place = id_map_get(&hits->stream_of, id), stream = place & 0xf;

	if (place == ID_MAP_NONE)
		return false;
	out->slot = place >> 8;
	out->row = &hits->rows[out->slot];
	out->generation = &out->row->generations[(place & 0xff) >> 4];
	out->is_leave = stream == 1;
	out->middle = stream < 2 ? 0 : stream - 1;
	out->stream = out->middle ? &out->generation->reading->middles[out->middle - 1]
		    : out->is_leave ? &out->generation->reading->leave
				    : &out->generation->reading->entry;
	return true;
}

struct probe_row *probe_hits_of_event(struct probe_hits *hits, uint32_t event)
{
	struct probe_row *row;

	if (!hits || event < PROBE_EVENT_FIRST || event >= PROBE_EVENT_FIRST + PROBE_SLOTS)
		return NULL;
	row = &hits->rows[event - PROBE_EVENT_FIRST];
	return row->id ? row : NULL;
}

uint32_t probe_hits_first_event(const struct probe_hits *hits)
{
	uint32_t first = UINT32_MAX;

	for (uint32_t slot = 0; hits && slot < PROBE_SLOTS; slot++)
		if (hits->rows[slot].id &&
		    (first == UINT32_MAX || hits->rows[slot].id < hits->rows[first].id))
			first = slot;
	return first == UINT32_MAX ? first : PROBE_EVENT_FIRST + first;
}

uint64_t probe_hits_read_ns(const struct probe_hits *hits)
{
	uint64_t earliest_ns = UINT64_MAX;

	for (uint32_t slot = 0; hits && slot < PROBE_SLOTS; slot++) {
		const struct probe_row *row = &hits->rows[slot];

		if (row->id && row->status.state == PROBE_ATTACHED &&
		    row->status.read_ns < earliest_ns)
			earliest_ns = row->status.read_ns;
	}
	return earliest_ns;
}

bool probe_hits_are_live(const struct probe_hits *hits)
{
	for (uint32_t slot = 0; hits && slot < PROBE_SLOTS; slot++) {
		const struct probe_row *row = &hits->rows[slot];

		if (row->id && (row->status.state == PROBE_ATTACHED ||
				row->status.state == PROBE_ATTACHING ||
				row->status.state == PROBE_PAUSED))
			return true;
	}
	return false;
}

uint64_t probe_hits_lost(const struct probe_hits *hits)
{
	uint64_t lost = hits ? hits->lost_before : 0;

	for (uint32_t slot = 0; hits && slot < PROBE_SLOTS; slot++)
		lost += hits->rows[slot].status.lost;
	return lost;
}

uint64_t probe_hits_missed(const struct probe_hits *hits)
{
	uint64_t missed = hits ? hits->missed_before : 0;

	for (uint32_t slot = 0; hits && slot < PROBE_SLOTS; slot++)
		missed += hits->rows[slot].status.missed;
	return missed;
}

uint64_t probe_hits_absent(const struct probe_hits *hits)
{
	uint64_t absent = hits ? hits->absent_before : 0;

	for (uint32_t slot = 0; hits && slot < PROBE_SLOTS; slot++)
		absent += hits->rows[slot].status.absent;
	return absent;
}

void probe_turns_begin(struct probe_turns *turns, uint64_t time_ns)
{
	probe_turns_end(turns, time_ns);
	if (turns->count == PROBE_TURNS) {
		turns->earlier_ns += turns->end_ns[0] - turns->begin_ns[0];
		turns->count--;
		memmove(turns->begin_ns, turns->begin_ns + 1,
			turns->count * sizeof(*turns->begin_ns));
		memmove(turns->end_ns, turns->end_ns + 1, turns->count * sizeof(*turns->end_ns));
	}
	turns->begin_ns[turns->count] = time_ns;
	turns->end_ns[turns->count++] = UINT64_MAX;
}

void probe_turns_end(struct probe_turns *turns, uint64_t time_ns)
{
	const uint32_t last = turns->count - 1;

	if (turns->count && turns->end_ns[last] == UINT64_MAX)
		turns->end_ns[last] = time_ns > turns->begin_ns[last] ? time_ns
								      : turns->begin_ns[last];
}

/* The common part of two stretches of time. */
static uint64_t overlap_ns(uint64_t begin_ns, uint64_t end_ns, uint64_t since_ns, uint64_t until_ns)
{
	const uint64_t from = begin_ns > since_ns ? begin_ns : since_ns;
	const uint64_t to = end_ns < until_ns ? end_ns : until_ns;

	return to > from ? to - from : 0;
}

uint64_t probe_turns_between(const struct probe_turns *turns, uint64_t begin_ns, uint64_t end_ns)
{
	uint64_t sum_ns = 0;

	if (turns->count)
		sum_ns = overlap_ns(turns->begin_ns[0] - turns->earlier_ns, turns->begin_ns[0],
				    begin_ns, end_ns);
	for (uint32_t i = 0; i < turns->count; i++)
		sum_ns += overlap_ns(turns->begin_ns[i], turns->end_ns[i], begin_ns, end_ns);
	return sum_ns;
}

void probe_peaks_add(struct probe_peaks *peaks, uint64_t time_ns, uint64_t latency_ns)
{
	const uint64_t second = time_ns / SLICE_NS;
	const size_t at = second % PROBE_PEAK_SECONDS;

	if (peaks->second[at] != second) {
		if (peaks->second[at] > second)
			return;		/* late by two minutes */
		peaks->second[at] = second;
		peaks->ns[at] = 0;
	}
	if (latency_ns > peaks->ns[at])
		peaks->ns[at] = latency_ns;
}

uint64_t probe_peaks_between(const struct probe_peaks *peaks, uint64_t begin_ns, uint64_t end_ns,
			     uint64_t most_ns)
{
	uint64_t longest = 0;

	for (size_t at = 0; at < PROBE_PEAK_SECONDS; at++)
		if (peaks->second[at] >= begin_ns / SLICE_NS &&
		    peaks->second[at] <= end_ns / SLICE_NS && peaks->ns[at] > longest &&
		    peaks->ns[at] <= most_ns)
			longest = peaks->ns[at];
	return longest;
}

uint64_t probe_hits_return_address(const struct probe_hits *hits, const struct event_record *record,
				   const struct probe_calls *calls, uint64_t slot,
				   uint64_t replaced)
{
	if (calls)
		return probe_calls_return_address(calls, slot, replaced, record->time_ns);
	if (!hits)
		return 0;
	return probe_pairs_return_address(hits->pairs,
					  probe_pairs_thread(record->tid, record->cpu), slot,
					  replaced, record->time_ns);
}

uint32_t probe_hits_in_flight(const struct probe_hits *hits, uint32_t slot)
{
	return hits->pairs->in_flight[slot];
}

void probe_hits_calls(const struct probe_hits *hits, const struct event_record *record,
		      struct probe_calls *out)
{
	*out = (struct probe_calls){ .count = 0 };
	if (hits)
		probe_pairs_copy_calls(hits->pairs,
				       probe_pairs_thread(record->tid, record->cpu), out);
}
