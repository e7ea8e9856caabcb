/* read_growth.c - see capture/record.h. */
#include <errno.h>
#include <stdlib.h>

#include "capture/record.h"

static uint32_t number_of(struct id_map *map, uint64_t id)
{
	const uint32_t number = id_map_get(map, id);

	if (number != ID_MAP_NONE)
		return number;
	return id_map_put(map, id, map->used) ? ID_MAP_NONE : id_map_get(map, id);
}

static uint64_t row_key(uint32_t counter, uint32_t tid)
{
	return (uint64_t)counter << 32 | tid;
}

static int make_room(struct read_growth *growth)
{
	const uint32_t room = growth->room ? 2 * growth->room : 64;
	uint64_t *larger;

	if (growth->free_row || growth->used < growth->room)
		return 0;
	larger = realloc(growth->values, room * sizeof(*larger));
	if (!larger)
		return -ENOMEM;
	growth->values = larger;
	growth->room = room;
	return 0;
}

/* Returns a row for @key, with the value 0; ID_MAP_NONE: no memory. */
static uint32_t add_row(struct read_growth *growth, uint64_t key, uint32_t tid)
{
	const uint32_t rows = id_map_get(&growth->rows_of_thread, tid);
	uint32_t row;

	if (make_room(growth) ||
	    id_map_put(&growth->rows_of_thread, tid, rows == ID_MAP_NONE ? 1 : rows + 1))
		return ID_MAP_NONE;
	row = growth->free_row ? growth->free_row - 1 : growth->used;
	if (id_map_put(&growth->row_of, key, row))
		return ID_MAP_NONE;
	if (growth->free_row)
		growth->free_row = (uint32_t)growth->values[row];
	else
		growth->used++;
	growth->values[row] = 0;
	return row;
}

int read_growth(struct read_growth *growth, uint64_t id, uint32_t tid, uint64_t value,
		uint64_t *out)
{
	const uint32_t counter = number_of(&growth->counter_of_id, id);
	const uint64_t key = row_key(counter, tid);
	uint32_t row;

	if (counter == ID_MAP_NONE)
		return -ENOMEM;
	row = id_map_get(&growth->row_of, key);
	if (row == ID_MAP_NONE)
		row = add_row(growth, key, tid);
	if (row == ID_MAP_NONE)
		return -ENOMEM;
	*out = value - (value < growth->values[row] ? 0 : growth->values[row]);
	growth->values[row] = value;
	return 0;
}

void read_growth_forget(struct read_growth *growth, uint32_t tid)
{
	const uint32_t rows = tid ? id_map_remove(&growth->rows_of_thread, tid) : ID_MAP_NONE;
	uint32_t left = rows == ID_MAP_NONE ? 0 : rows;

	for (uint32_t counter = 0; left && counter < growth->counter_of_id.used; counter++) {
		const uint32_t row = id_map_remove(&growth->row_of, row_key(counter, tid));

		if (row == ID_MAP_NONE)
			continue;
		growth->values[row] = growth->free_row;
		growth->free_row = row + 1;
		left--;
	}
}

void read_growth_finish(struct read_growth *growth)
{
	id_map_finish(&growth->counter_of_id);
	id_map_finish(&growth->row_of);
	id_map_finish(&growth->rows_of_thread);
	free(growth->values);
	*growth = (struct read_growth){ .used = 0 };
}
