/* address_map.c - see proc/address_map.h. */
#include "proc/address_map.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct address_map *address_map_create(void)
{
	struct address_map *map = calloc(1, sizeof(*map));

	if (map)
		map->refs = 1;
	return map;
}

struct address_map *address_map_share(struct address_map *map)
{
	map->refs++;
	return map;
}

void address_map_release(struct address_map *map)
{
	if (!map || --map->refs)
		return;
	free(map->rows);
	free(map);
}

/* Index of the first row that ends after @address. */
static uint32_t first_after(const struct address_map *map, uint64_t address)
{
	const struct mapping *rows = map->rows;
	uint32_t row = 0;

	if (!map->count)
		return 0;
	/* Without a jump that depends on what is compared: see flat_table.c. */
	for (uint32_t left = map->count; left > 1; left -= left / 2)
		row = rows[row + left / 2 - 1].end <= address ? row + left / 2 : row;
	return row + (rows[row].end <= address);
}

static int reserve(struct address_map *map, uint32_t rows)
{
	uint32_t capacity = map->capacity ? map->capacity : 16;
	struct mapping *bigger;

	if (rows > ADDRESS_MAP_MAX_ROWS)
		return -E2BIG;
	while (capacity < rows)
		capacity *= 2;
	if (capacity == map->capacity)
		return 0;
	bigger = realloc(map->rows, capacity * sizeof(*bigger));
	if (!bigger)
		return -ENOMEM;
	map->rows = bigger;
	map->capacity = capacity;
	return 0;
}

static int make_own(struct address_map **map)
{
	struct address_map *shared = *map, *own;
	int err;

	if (shared->refs == 1)
		return 0;
	own = address_map_create();
	err = own ? reserve(own, shared->count + 2) : -ENOMEM;
	if (err) {
		address_map_release(own);
		return err;
	}
	memcpy(own->rows, shared->rows, shared->count * sizeof(*own->rows));
	own->count = shared->count;
	address_map_release(shared);
	*map = own;
	return 0;
}

/* Replaces @removed rows at @at by the @added rows of @with. Room is there. */
static void splice(struct address_map *map, uint32_t at, uint32_t removed,
		   const struct mapping *with, uint32_t added)
{
	memmove(map->rows + at + added, map->rows + at + removed,
		(map->count - at - removed) * sizeof(*map->rows));
	memcpy(map->rows + at, with, added * sizeof(*with));
	map->count += added - removed;
}

int address_map_insert(struct address_map **where, const struct mapping *row)
{
	struct mapping with[3];
	struct address_map *map;
	uint32_t first, last, added = 0;
	int err;

	if (row->start >= row->end)
		return -EINVAL;
	err = make_own(where);
	if (!err)
		err = reserve(*where, (*where)->count + 2);
	if (err)
		return err;
	map = *where;
	map->number = map->space = 0;
	first = first_after(map, row->start);
	for (last = first; last < map->count && map->rows[last].start < row->end; last++)
		;
	/* Rows first..last-1 overlap: what sticks out on either side survives. */
	if (last > first && map->rows[first].start < row->start) {
		with[added] = map->rows[first];
		with[added++].end = row->start;
	}
	with[added++] = *row;
	if (last > first && map->rows[last - 1].end > row->end) {
		with[added] = map->rows[last - 1];
		with[added].file_offset += row->end - with[added].start;
		with[added++].start = row->end;
	}
	splice(map, first, last - first, with, added);
	return 0;
}

const struct mapping *address_map_find(const struct address_map *map, uint64_t ip)
{
	uint32_t at = first_after(map, ip);

	if (at == map->count || map->rows[at].start > ip)
		return NULL;
	return &map->rows[at];
}
