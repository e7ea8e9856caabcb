/* id_map.c - linear probing with backward-shift deletion: no tombstones, so tables that see much
 * coming and going (threads of a fork storm) do not fill up with graves. */
#include "base/id_map.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static uint32_t home_slot(const struct id_map *map, uint64_t key)
{
	return (uint32_t)id_map_mix(key) & (map->slots - 1);
}

/* The slot that holds @key, or the empty slot where it would go. Needs slots > 0. */
static uint32_t find_slot(const struct id_map *map, uint64_t key)
{
	uint32_t slot = home_slot(map, key);

	while (map->values[slot] != ID_MAP_NONE && map->keys[slot] != key)
		slot = (slot + 1) & (map->slots - 1);
	return slot;
}

static int grow(struct id_map *map)
{
	struct id_map bigger = { .slots = map->slots ? map->slots * 2 : 64 };

	bigger.keys = malloc(bigger.slots * sizeof(*bigger.keys));
	bigger.values = malloc(bigger.slots * sizeof(*bigger.values));
	if (!bigger.keys || !bigger.values) {
		id_map_finish(&bigger);
		return -ENOMEM;
	}
	memset(bigger.values, 0xff, bigger.slots * sizeof(*bigger.values));
	for (uint32_t i = 0; i < map->slots; i++) {
		uint32_t slot;

		if (map->values[i] == ID_MAP_NONE)
			continue;
		slot = find_slot(&bigger, map->keys[i]);
		bigger.keys[slot] = map->keys[i];
		bigger.values[slot] = map->values[i];
	}
	bigger.used = map->used;
	id_map_finish(map);
	*map = bigger;
	return 0;
}

void id_map_finish(struct id_map *map)
{
	free(map->keys);
	free(map->values);
	memset(map, 0, sizeof(*map));
}

void id_map_clear(struct id_map *map)
{
	if (map->slots)
		memset(map->values, 0xff, map->slots * sizeof(*map->values));
	map->used = 0;
}

uint32_t id_map_get(const struct id_map *map, uint64_t key)
{
	if (!map->slots)
		return ID_MAP_NONE;
	return map->values[find_slot(map, key)];
}

int id_map_put(struct id_map *map, uint64_t key, uint32_t value)
{
	uint32_t slot;

	if (map->used >= map->slots / 4 * 3) {
		int err = grow(map);

		if (err)
			return err;
	}
	slot = find_slot(map, key);
	if (map->values[slot] == ID_MAP_NONE)
		map->used++;
	map->keys[slot] = key;
	map->values[slot] = value;
	return 0;
}

uint32_t id_map_remove(struct id_map *map, uint64_t key)
{
	uint32_t hole, next, value;

	if (!map->slots)
		return ID_MAP_NONE;
	hole = find_slot(map, key);
	value = map->values[hole];
	if (value == ID_MAP_NONE)
		return ID_MAP_NONE;
	/* Pull every entry of the run that may not stand behind the hole into it. */
	for (next = (hole + 1) & (map->slots - 1); map->values[next] != ID_MAP_NONE;
	     next = (next + 1) & (map->slots - 1)) {
		uint32_t home = home_slot(map, map->keys[next]);

		if (((next - home) & (map->slots - 1)) < ((next - hole) & (map->slots - 1)))
			continue;
		map->keys[hole] = map->keys[next];
		map->values[hole] = map->values[next];
		hole = next;
	}
	map->values[hole] = ID_MAP_NONE;
	map->used--;
	return value;
}

size_t id_map_bytes(const struct id_map *map)
{
	return (size_t)map->slots * (sizeof(*map->keys) + sizeof(*map->values));
}
