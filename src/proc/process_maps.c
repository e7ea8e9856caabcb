/* process_maps.c - see proc/process_reader.h. */
#include "proc/process_reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct process_maps *process_maps_create(void)
{
	struct process_maps *map = calloc(1, sizeof(*map));

	if (map)
		map->refs = 1;
	return map;
}

struct process_maps *process_maps_share(struct process_maps *map)
{
	map->refs++;
	return map;
}

void process_maps_release(struct process_maps *map)
{
	if (!map || --map->refs)
		return;
	free(map->rows);
	free(map);
}

/* Returns the index of the first row that ends after @address. */
static uint32_t first_after(const struct process_maps *map, uint64_t address)
{
	const struct mapping *rows = map->rows;
	uint32_t row = 0;

	if (!map->count)
		return 0;
	/* The search has no jump that depends on what is compared: see flat_table.c. */
	for (uint32_t left = map->count; left > 1; left -= left / 2)
		row = rows[row + left / 2 - 1].end <= address ? row + left / 2 : row;
	return row + (rows[row].end <= address);
}

static int reserve(struct process_maps *map, uint32_t rows)
{
	uint32_t capacity = map->capacity ? map->capacity : 16;
	struct mapping *bigger;

	if (rows > PROCESS_MAPS_MAX_ROWS)
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

static int make_own(struct process_maps **map)
{
	struct process_maps *shared = *map, *own;
	int err;

	if (shared->refs == 1)
		return 0;
	own = process_maps_create();
	err = own ? reserve(own, shared->count + 2) : -ENOMEM;
	if (err) {
		process_maps_release(own);
		return err;
	}
	memcpy(own->rows, shared->rows, shared->count * sizeof(*own->rows));
	own->count = shared->count;
	process_maps_release(shared);
	*map = own;
	return 0;
}

/* Replaces @removed rows at @at by the @added rows of @with, for which there is room. */
static void splice(struct process_maps *map, uint32_t at, uint32_t removed,
		   const struct mapping *with, uint32_t added)
{
	memmove(map->rows + at + added, map->rows + at + removed,
		(map->count - at - removed) * sizeof(*map->rows));
	memcpy(map->rows + at, with, added * sizeof(*with));
	map->count += added - removed;
}

int process_maps_insert(struct process_maps **where, const struct mapping *row)
{
	struct mapping with[3];
	struct process_maps *map;
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
	/* Rows first..last-1 overlap: what sticks out on either side stays. */
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

const struct mapping *process_maps_find(const struct process_maps *map, uint64_t ip)
{
	uint32_t at = first_after(map, ip);

	if (at == map->count || map->rows[at].start > ip)
		return NULL;
	return &map->rows[at];
}
