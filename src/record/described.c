/* described.c - see described.h. */
#include "described.h"

#include <errno.h>
#include <stdlib.h>

void described_finish(struct described *described)
{
	id_map_finish(&described->numbers);
	free(described->rows);
	*described = (struct described){ .count = 0 };
}

void described_restart(struct described *described, uint64_t time_ns)
{
	const uint64_t settled_ns = described->settled_ns;

	described_finish(described);
	described->restart_ns = time_ns;
	described->settled_ns = settled_ns;
}

void described_settle(struct described *described, uint64_t time_ns)
{
	described->settled_ns = time_ns;
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

static void give_row_back(struct described *described, uint32_t row)
{
	described->rows[row] = (struct described_row){
		.since_ns = described->free_row, .number = ID_MAP_NONE,
	};
	described->free_row = row + 1;
}

/* Whether the row says nothing of samples to come. */
static bool is_settled(const struct described *described, const struct described_row *row)
{
	if (row->since_ns != UINT64_MAX)
		return row->since_ns <= row->ended_ns && row->ended_ns <= described->settled_ns;
	return row->left_out_ns <= described->settled_ns;
}

/* Returns how many rows there were. */
static uint32_t give_settled_back(struct described *described)
{
	uint32_t given = 0;

	for (uint32_t i = 0; i < described->count; i++) {
		if (described->rows[i].number == ID_MAP_NONE ||
		    !is_settled(described, &described->rows[i]))
			continue;
		id_map_remove(&described->numbers, described->rows[i].number);
		give_row_back(described, i);
		given++;
	}
	return given;
}

/* Makes room for twice as many rows, unless a quarter of them can be given back. 0 or -ENOMEM. */
static int make_room(struct described *described)
{
	const uint32_t room = described->room ? 2 * described->room : 256;
	struct described_row *rows;

	if (described->free_row || described->count < described->room ||
	    (described->room && give_settled_back(described) >= described->room / 4))
		return 0;
	rows = realloc(described->rows, room * sizeof(*rows));
	if (!rows)
		return described->free_row ? 0 : -ENOMEM;
	described->rows = rows;
	described->room = room;
	return 0;
}

/* ID_MAP_NONE: out of memory. */
static uint32_t take_row(struct described *described)
{
	const int err = make_room(described);
	const uint32_t row = described->free_row;

	if (err)
		return ID_MAP_NONE;
	if (!row)
		return described->count++;
	described->free_row = (uint32_t)described->rows[row - 1].since_ns;
	return row - 1;
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
	described->rows[row] = (struct described_row){
		.since_ns = UINT64_MAX, .left_out_ns = described->restart_ns, .number = number,
	};
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
	row->exec_ns = 0;
}

bool described_leave_out(struct described *described, uint32_t number, uint64_t time_ns)
{
	struct described_row *row = row_of(described, number);

	if (row && row->left_out_ns < time_ns)
		row->left_out_ns = time_ns;
	return row;
}

void described_leave_out_exec(struct described *described, uint32_t number, uint64_t time_ns)
{
	struct described_row *row = row_of(described, number);

	if (row)
		row->exec_ns = time_ns;
}

bool described_lacks_exec(const struct described *described, uint32_t number, uint64_t time_ns)
{
	const uint32_t row = id_map_get(&described->numbers, number);

	return row != ID_MAP_NONE && described->rows[row].exec_ns &&
	       described->rows[row].exec_ns <= time_ns;
}

void described_forget(struct described *described, uint32_t number)
{
	const uint32_t row = id_map_get(&described->numbers, number);

	if (row != ID_MAP_NONE)
		described->rows[row].since_ns = UINT64_MAX;
}

void described_end(struct described *described, uint32_t number, uint64_t time_ns)
{
	struct described_row *row = row_of(described, number);

	if (!row)
		return;
	row->since_ns = UINT64_MAX;
	row->ended_ns = time_ns;
}
