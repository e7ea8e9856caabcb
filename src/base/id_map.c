/* id_map.c - linear probing with backward-shift deletion: no tombstones, so tables that see much
 * coming and going (threads of a fork storm) do not fill up with them. */
#include "base/id_map.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_SLOTS 64

static uint32_t home_slot(const struct id_map *map, uint64_t key)
{
	return (uint32_t)id_map_mix(key) & (map->slots - 1);
}

/* The slot that holds @key, or the empty slot where it would go. Needs slots > 0. */
static uint32_t find_slot(const struct id_map *map, uint64_t key)
{
	uint32_t slot = home_slot(map, key);

	while (map->rows[slot].value != ID_MAP_NONE && map->rows[slot].key != key)
		slot = (slot + 1) & (map->slots - 1);
	return slot;
}

static int resize(struct id_map *map, uint32_t slots)
{
	struct id_map bigger = { .slots = slots, .used = map->used };

	bigger.rows = malloc(slots * sizeof(*bigger.rows));
	if (!bigger.rows)
		return -ENOMEM;
	memset(bigger.rows, 0xff, slots * sizeof(*bigger.rows));
	for (uint32_t i = 0; i < map->slots; i++)
		if (map->rows[i].value != ID_MAP_NONE)
			bigger.rows[find_slot(&bigger, map->rows[i].key)] = map->rows[i];
	free(map->rows);
	*map = bigger;
	return 0;
}

void id_map_finish(struct id_map *map)
{
	free(map->rows);
	memset(map, 0, sizeof(*map));
}

void id_map_clear(struct id_map *map)
{
	if (map->slots)
		memset(map->rows, 0xff, map->slots * sizeof(*map->rows));
	map->used = 0;
}

int id_map_reserve(struct id_map *map, uint32_t count)
{
	uint32_t slots = map->slots ? map->slots : FIRST_SLOTS;

	while (count > slots / 4 * 3)
		slots *= 2;
	return slots > map->slots ? resize(map, slots) : 0;
}

uint32_t id_map_get(const struct id_map *map, uint64_t key)
{
	if (!map->slots)
		return ID_MAP_NONE;
	return map->rows[find_slot(map, key)].value;
}

int id_map_put(struct id_map *map, uint64_t key, uint32_t value)
{
	uint32_t slot;

	if (id_map_reserve(map, map->used + 1))
		return -ENOMEM;
	slot = find_slot(map, key);
	if (map->rows[slot].value == ID_MAP_NONE)
		map->used++;
	map->rows[slot] = (struct id_map_slot){ .key = key, .value = value };
	return 0;
}

uint32_t id_map_remove(struct id_map *map, uint64_t key)
{
	uint32_t hole, next, value;

	if (!map->slots)
		return ID_MAP_NONE;
	hole = find_slot(map, key);
	value = map->rows[hole].value;
	if (value == ID_MAP_NONE)
		return ID_MAP_NONE;
	/* Move into the hole each later entry of the run whose probe sequence includes it. */
	for (next = (hole + 1) & (map->slots - 1); map->rows[next].value != ID_MAP_NONE;
	     next = (next + 1) & (map->slots - 1)) {
		uint32_t home = home_slot(map, map->rows[next].key);

		if (((next - home) & (map->slots - 1)) < ((next - hole) & (map->slots - 1)))
			continue;
		map->rows[hole] = map->rows[next];
		hole = next;
	}
	map->rows[hole].value = ID_MAP_NONE;
	map->used--;
	return value;
}

size_t id_map_bytes(const struct id_map *map)
{
	return (size_t)map->slots * sizeof(*map->rows);
}
