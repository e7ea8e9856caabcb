/* id_set.h - finds the id of a row that lives in the owner's own arrays: 4 to 8 bytes a row.
 *
 * Use:    the owner numbers its rows 0, 1, 2, ... and knows how to hash and compare them:
 *
 *		for (slot = id_set_first(set, hash);
 *		     (id = id_set_at(set, &slot, hash)) != ID_SET_NONE;
 *		     slot = id_set_next(set, slot))
 *			if (row id equals what I look for)
 *				return id;
 *		... append the row as `id`, then id_set_add(set, hash, id)
 *
 *         id_set_reserve() before the search keeps the slot valid and makes the add infallible.
 * Cost:   linear probing at a load of at most 3/4. No removal: owners compact and rebuild. Ids are
 *         smaller than the number of slots, so the free high bits of a slot hold part of the hash:
 *         with 100,000 rows a search compares 1 in 16,000 wrong rows, a cache miss or two each.
 *
 *		slot of 262,144		| 14 bits of the hash | 18 bits: the id |
 * Thread: the owner's.
 */
#ifndef BASE_ID_SET_H
#define BASE_ID_SET_H

#include <stddef.h>
#include <stdint.h>

#include "base/id_map.h"

#define ID_SET_NONE UINT32_MAX

struct id_set {
	uint32_t *tagged;	/* owned; ID_SET_NONE: empty (no id can be, at 3/4 load) */
	uint32_t slot_count;	/* a power of two, or 0 before the first reserve */
	uint32_t used;
};

/* Returns the hash of row @id; called when the table is rebuilt. */
typedef uint64_t id_set_hash(const void *owner, uint32_t id);

/* For id_set_reserve() only. */
int id_set_grow(struct id_set *set, id_set_hash *hash, const void *owner);
/* Makes room for one more row. Returns 0, or -ENOMEM with the set unchanged. */
static inline int id_set_reserve(struct id_set *set, id_set_hash *hash, const void *owner)
{
	return set->used < set->slot_count / 4 * 3 ? 0 : id_set_grow(set, hash, owner);
}

/* Rebuilds the set after the owner renumbered its rows to [0, @count). Returns 0, or -ENOMEM, which
 * is impossible when the number of rows only fell. */
int id_set_rebuild(struct id_set *set, uint32_t count, id_set_hash *hash, const void *owner);
/* Empties the set. Keeps the slots for later rows if at least 1/16 of them were used, else frees
 * them. */
void id_set_clear(struct id_set *set);
void id_set_finish(struct id_set *set);

static inline uint32_t id_set_first(const struct id_set *set, uint64_t hash)
{
	return (uint32_t)hash & (set->slot_count - 1);
}

static inline uint32_t id_set_next(const struct id_set *set, uint32_t slot)
{
	return (slot + 1) & (set->slot_count - 1);
}

/* Returns the bits of the hash that a slot holds beside its id; they are not those that chose the
 * slot. */
static inline uint32_t id_set_tag(const struct id_set *set, uint64_t hash)
{
	return (uint32_t)(hash >> 32) & ~(set->slot_count - 1);
}

/* Returns the id of the next candidate from *@slot on and sets *@slot to its slot; ID_SET_NONE:
 * there are no more. */
static inline uint32_t id_set_at(const struct id_set *set, uint32_t *slot, uint64_t hash)
{
	const uint32_t ids = set->slot_count - 1, tag = id_set_tag(set, hash);
	uint32_t found;

	while ((found = set->tagged[*slot]) != ID_SET_NONE && (found & ~ids) != tag)
		*slot = id_set_next(set, *slot);
	return found == ID_SET_NONE ? ID_SET_NONE : found & ids;
}

/* Adds @id, which must not be in the set yet. Call id_set_reserve() first. */
static inline void id_set_add(struct id_set *set, uint64_t hash, uint32_t id)
{
	uint32_t slot = id_set_first(set, hash);

	while (set->tagged[slot] != ID_SET_NONE)
		slot = id_set_next(set, slot);
	set->tagged[slot] = id | id_set_tag(set, hash);
	set->used++;
}

static inline size_t id_set_bytes(const struct id_set *set)
{
	return (size_t)set->slot_count * sizeof(*set->tagged);
}

/* Hashes two ids. */
static inline uint64_t id_set_mix_ids(uint32_t a, uint32_t b)
{
	return id_map_mix((uint64_t)a << 32 | b);
}

/* Hashes two 64-bit values. */
static inline uint64_t id_set_mix(uint64_t a, uint64_t b)
{
	return id_map_mix(a ^ id_map_mix(b + 0x9e3779b97f4a7c15ull));
}

#endif
