/* described.c - see described.h. */
#include "described.h"

#include <stdlib.h>

void described_finish(struct described *described)
{
	id_map_finish(&described->numbers);
	free(described->rows);
	*described = (struct described){ .count = 0 };
}

void described_begin_part(struct described *described, uint64_t time_ns)
{
	described->parts_ns[0] = described->parts_ns[1];
	described->parts_ns[1] = time_ns;
}

/* Returns the number of the part that has records of @time_ns, among the last three. */
static uint32_t part_of(const struct described *described, uint64_t time_ns)
{
	return (uint32_t)(time_ns >= described->parts_ns[0]) +
	       (uint32_t)(time_ns >= described->parts_ns[1]);
}

bool described_has(const struct described *described, uint32_t number, uint64_t time_ns)
{
	const uint32_t row = id_map_get(&described->numbers, number);
	const uint64_t since_ns = row == ID_MAP_NONE ? UINT64_MAX : described->rows[row].since_ns;

	return since_ns <= time_ns && row != ID_MAP_NONE &&
	       part_of(described, since_ns) == part_of(described, time_ns);
}

static uint32_t take_row(struct described *described)
{
	const uint32_t room = described->room ? 2 * described->room : 256;
	const uint32_t row = described->free_row;
	struct described_row *rows;

	if (row) {
		described->free_row = (uint32_t)described->rows[row - 1].since_ns;
		return row - 1;
	}
	if (described->count == described->room) {
		rows = realloc(described->rows, room * sizeof(*rows));
		if (!rows)
			return ID_MAP_NONE;
		described->rows = rows;
		described->room = room;
	}
	return described->count++;
}

static void give_row_back(struct described *described, uint32_t row)
{
	described->rows[row].since_ns = described->free_row;
	described->free_row = row + 1;
}

/* NULL: out of memory. */
static struct described_row *row_of(struct described *described, uint32_t number)
{
	uint32_t row = id_map_get(&described->numbers, number);

	if (row != ID_MAP_NONE)
		return &described->rows[row];
	row = take_row(described);
	if (row == ID_MAP_NONE)
		return NULL;
	if (id_map_put(&described->numbers, number, row)) {
		give_row_back(described, row);
		return NULL;
	}
	described->rows[row] = (struct described_row){ .since_ns = UINT64_MAX };
	return &described->rows[row];
}

void described_mark(struct described *described, uint32_t number, uint64_t time_ns)
{
	struct described_row *row = row_of(described, number);
	const uint32_t part = part_of(described, time_ns);
	uint32_t since_part;

	if (!row || row->left_out_ns > time_ns)
		return;
	since_part = row->since_ns == UINT64_MAX ? part : part_of(described, row->since_ns);
	if (part > since_part || (part == since_part && time_ns < row->since_ns))
		row->since_ns = time_ns;
}

bool described_leave_out(struct described *described, uint32_t number, uint64_t time_ns)
{
	struct described_row *row = row_of(described, number);

	if (row && row->left_out_ns < time_ns)
		row->left_out_ns = time_ns;
	return row;
}

void described_forget(struct described *described, uint32_t number)
{
	const uint32_t row = id_map_remove(&described->numbers, number);

	if (row != ID_MAP_NONE)
		give_row_back(described, row);
}
