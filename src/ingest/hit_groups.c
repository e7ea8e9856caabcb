/* hit_groups.c - see ingest/hit_groups.h. */
#include "ingest/hit_groups.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "probe/engine_messages.h"

_Static_assert(sizeof(((struct hit_tuples *)NULL)->of_slot) / sizeof(uint32_t) == PROBE_SLOTS,
	       "one number per slot");

void hit_tuples_finish(struct hit_tuples *tuples)
{
	free(tuples->rows);
	id_set_finish(&tuples->index);
	memset(tuples, 0, sizeof(*tuples));
}

static uint64_t hash_of(const struct hit_tuple *row)
{
	uint64_t hash = id_set_mix(row->probe, (uint64_t)row->bucket << 8 | row->sum);

	for (size_t i = 0; i < HIT_KEYS_MAX; i++)
		hash = id_set_mix(hash, row->keys[i]);
	return hash;
}

static uint64_t row_hash(const void *owner, uint32_t id)
{
	return hash_of(&((const struct hit_tuples *)owner)->rows[id]);
}

static bool is_same(const struct hit_tuple *a, const struct hit_tuple *b)
{
	return a->probe == b->probe && a->bucket == b->bucket && a->sum == b->sum &&
	       !memcmp(a->keys, b->keys, sizeof(a->keys));
}

/* Returns the number of @wanted or ID_SET_NONE. Call id_set_reserve() before. */
static uint32_t find(const struct hit_tuples *tuples, const struct hit_tuple *wanted,
		     uint64_t hash)
{
	uint32_t id;

	for (uint32_t slot = id_set_first(&tuples->index, hash);
	     (id = id_set_at(&tuples->index, &slot, hash)) != ID_SET_NONE;
	     slot = id_set_next(&tuples->index, slot))
		if (is_same(&tuples->rows[id], wanted))
			return id;
	return ID_SET_NONE;
}

/* Adds @wanted. Returns its number; ID_SET_NONE: out of memory. */
static uint32_t append(struct hit_tuples *tuples, uint32_t slot, const struct hit_tuple *wanted,
		       uint64_t hash)
{
	if (tuples->count == tuples->capacity) {
		const uint32_t capacity = tuples->capacity ? tuples->capacity * 2 : 256;
		struct hit_tuple *bigger = realloc(tuples->rows, capacity * sizeof(*bigger));

		if (!bigger)
			return ID_SET_NONE;
		tuples->rows = bigger;
		tuples->capacity = capacity;
	}
	if (tuples->count == SLICE_TUPLES_MAX)
		return ID_SET_NONE;
	tuples->rows[tuples->count] = *wanted;
	tuples->of_slot[slot]++;
	id_set_add(&tuples->index, hash, tuples->count);
	return tuples->count++;
}

static bool is_other(const struct hit_tuple *tuple)
{
	return tuple->keys[0] == HIT_KEY_OTHER;
}

uint32_t hit_tuples_intern(struct hit_tuples *tuples, uint32_t slot,
			   const struct hit_tuple *wanted)
{
	const uint64_t hash = hash_of(wanted);
	struct hit_tuple other = *wanted;
	uint32_t id;

	if (id_set_reserve(&tuples->index, row_hash, tuples))
		return ID_SET_NONE;
	id = find(tuples, wanted, hash);
	if (id != ID_SET_NONE)
		return id;
	if (is_other(wanted) || (tuples->of_slot[slot] < HIT_TUPLES_OF_PROBE &&
				 tuples->count < HIT_TUPLES_MAX))
		return append(tuples, slot, wanted, hash);
	tuples->is_full = true;
	for (size_t i = 0; i < HIT_KEYS_MAX; i++)
		other.keys[i] = HIT_KEY_OTHER;
	return hit_tuples_intern(tuples, slot, &other);
}

void hit_tuples_mark(const struct hit_tuples *tuples, const unsigned char *used,
		     unsigned char *values)
{
	for (uint32_t id = 0; id < tuples->count; id++)
		for (size_t i = 0; used[id] && i < HIT_KEYS_MAX; i++)
			if (tuples->rows[id].keys[i] < HIT_KEY_OTHER)
				values[tuples->rows[id].keys[i]] = 1;
}

void hit_tuples_compact(struct hit_tuples *tuples, const unsigned char *used,
			const uint32_t *new_value, const uint32_t *probes, uint32_t *renumbered)
{
	uint32_t kept = 0;

	memset(tuples->of_slot, 0, sizeof(tuples->of_slot));
	for (uint32_t id = 0; id < tuples->count; id++) {
		struct hit_tuple row = tuples->rows[id];

		renumbered[id] = used[id] ? kept : ID_SET_NONE;
		if (!used[id])
			continue;
		for (size_t i = 0; i < HIT_KEYS_MAX; i++)
			if (row.keys[i] < HIT_KEY_OTHER)
				row.keys[i] = new_value[row.keys[i]];
		for (uint32_t slot = 0; slot < PROBE_SLOTS; slot++)
			tuples->of_slot[slot] += probes[slot] == row.probe;
		tuples->rows[kept++] = row;
	}
	tuples->count = kept;
	tuples->is_full = false;
	if (tuples->index.slot_count)	/* fewer rows: can't fail */
		id_set_rebuild(&tuples->index, kept, row_hash, tuples);
}

void inside_finish(struct inside *inside)
{
	free(inside->held);
	free(inside->ended);
	id_map_finish(&inside->last_of_call);
	memset(inside, 0, sizeof(*inside));
}
