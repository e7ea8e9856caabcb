/* id_map.h - open-addressing table from a 64-bit key to a 32-bit value: the one hash table.
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

#endif
