/* id_map.h - the hash tables: from a 64-bit key to a 32-bit value, and from the content of a row to
 * its id; and the pool of texts that are known by an id.
 *
 * Use:    embed, zero-initialise, id_map_put()/id_map_get(); id_map_finish() frees.
 * Cost:   linear probing at a load of at most 3/4; 16 bytes a slot, one cache miss a look-up.
 * Thread: the owner's.
 */
#ifndef BASE_ID_MAP_H
#define BASE_ID_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct id_map_slot {
	uint64_t key;
	uint32_t value;		/* ID_MAP_NONE: the slot is empty */
};

struct id_map {
	struct id_map_slot *rows;	/* owned */
	uint32_t slots;		/* number of slots: a power of two, or 0 before the first put */
	uint32_t used;
};

#define ID_MAP_NONE UINT32_MAX

void id_map_finish(struct id_map *map);	/* leaves it zeroed: usable again */
void id_map_clear(struct id_map *map);	/* keeps the memory */

/* Returns the value of @key, or ID_MAP_NONE. */
uint32_t id_map_get(const struct id_map *map, uint64_t key);

/* Sets @key to @value (not ID_MAP_NONE). Returns 0, or -ENOMEM with the map unchanged. */
int id_map_put(struct id_map *map, uint64_t key, uint32_t value);

/* Makes room for @count entries in all. Returns 0, or -ENOMEM with the map unchanged. */
int id_map_reserve(struct id_map *map, uint32_t count);

/* Removes @key; returns its value or ID_MAP_NONE. */
uint32_t id_map_remove(struct id_map *map, uint64_t key);

size_t id_map_bytes(const struct id_map *map);

/* Mixes 64 bits (splitmix64's finalizer). Bijective: different inputs give different results. */
static inline uint64_t id_map_mix(uint64_t x)
{
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9ull;
	x ^= x >> 27;
	x *= 0x94d049bb133111ebull;
	return x ^ (x >> 31);
}

/* Finds the id of a row that lives in the owner's own arrays: 4 to 8 bytes a row.
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

/* Foreign text interned once: sanitized, terminated, never moved, compared by id.
 *
 * Use:    strpool_intern() on the way in; keep the id; strpool_get() to show it.
 * Owns:   the bytes; pointers live as long as the pool, those to passing text until it is swept.
 * Thread: one thread (the analyzer). Snapshots copy the text they show.
 */

struct str_id {
	uint32_t v;	/* 0 is the empty string, in every pool */
};

struct strpool;

struct strpool *strpool_create(void);	/* NULL: out of memory */
void strpool_destroy(struct strpool *pool);

/* Interns the sanitized form of @text[0..@len) and returns its id. Out of memory: returns id 0 and
 * counts it in strpool_refused(). */
struct str_id strpool_intern(struct strpool *pool, const char *text, size_t len);

/* Interns temporary ("passing") text like strpool_intern(); strpool_sweep() frees it, unless
 * strpool_intern() was called for the same text. */
struct str_id strpool_intern_passing(struct strpool *pool, const char *text, size_t len);
/* Returns the id of @text[0..@len) if it was interned, else 0. */
struct str_id strpool_find(const struct strpool *pool, const char *text, size_t len);

uint64_t strpool_refused(const struct strpool *pool);	/* texts lost for lack of memory */
size_t strpool_count(const struct strpool *pool);	/* greater than all ids */
/* Frees the passing texts for which @used[id] is 0; their ids will be used again. @used has
 * strpool_count() elements. */
void strpool_sweep(struct strpool *pool, const unsigned char *used);
size_t strpool_passing_bytes(const struct strpool *pool);	/* most that a sweep can free */
size_t strpool_passing_cost(const struct strpool *pool, struct str_id id);	/* 0: permanent */

/* Returns the text of @id, which this pool returned and has not swept since. BORROWED, never
 * NULL. */
const char *strpool_get(const struct strpool *pool, struct str_id id);
/* Returns the FNV-1a hash of the text, which equals filter_hash() of the text in every run. */
uint64_t strpool_hash(const struct strpool *pool, struct str_id id);
size_t strpool_bytes(const struct strpool *pool);			/* memory in use */

#endif
