/* table_rows.c - see table_rows.h. */
#include "table_rows.h"

#include <stdlib.h>
#include <string.h>

void table_rows_finish(struct table_rows *table)
{
	free(table->rows);
	id_map_finish(&table->unfolded);
	memset(table, 0, sizeof(*table));
}

const struct snapshot_row *table_rows_cursor(const struct table_rows *table)
{
	return table->place.cursor < table->count ? table->rows[table->place.cursor] : NULL;
}

bool table_rows_is_unfolded(const struct table_rows *table, uint64_t id)
{
	return id_map_get(&table->unfolded, id) == 1;
}

void table_rows_set_unfolded(struct table_rows *table, uint64_t id, bool is_unfolded)
{
	id_map_put(&table->unfolded, id, is_unfolded);
}

struct comparison {
	const struct snapshot *snapshot;
	struct table_order order;
};

static int compare_rows(const void *a, const void *b, void *context)
{
	const struct snapshot_row *left = *(const struct snapshot_row *const *)a;
	const struct snapshot_row *right = *(const struct snapshot_row *const *)b;
	const struct comparison *by = context;
	int result = columns_compare(by->order.column, by->snapshot, left, right);

	if (result)
		return by->order.is_reversed ? -result : result;
	return (left->id > right->id) - (left->id < right->id);
}

/* Room for all rows of the snapshot; without memory it stays what it was. */
static void reserve_rows(struct table_rows *table, size_t wanted)
{
	const struct snapshot_row **rows;

	if (wanted <= table->room)
		return;
	rows = reallocarray(table->rows, wanted, sizeof(*rows));
	if (!rows)
		return;
	table->rows = rows;
	table->room = wanted;
}

/* Appends the rows of one group (0: those that belong to none), in order, before index @end. */
static void append_group(struct table_rows *table, const struct snapshot *snapshot, uint64_t group,
			 bool show_idle, struct table_order order, size_t end)
{
	struct comparison by = { snapshot, order };
	const size_t first = table->count;

	for (size_t i = 0; i < snapshot->row_count && table->count < end; i++) {
		const struct snapshot_row *row = &snapshot->rows[i];

		if (row->group_id == group && (show_idle || !row->is_idle))
			table->rows[table->count++] = row;
	}
	if (table->count > first)
		qsort_r(table->rows + first, table->count - first, sizeof(table->rows[0]),
			compare_rows, &by);
}

/* The threads of unfolded processes go after them: the processes move to the end of the room and
 * come back one by one, each with its threads. */
static void insert_threads(struct table_rows *table, const struct snapshot *snapshot,
			   bool show_idle, struct table_order order)
{
	size_t left = table->room - table->count;

	if (!table->count)
		return;
	memmove(&table->rows[left], table->rows, table->count * sizeof(table->rows[0]));
	table->count = 0;
	while (left < table->room) {
		const struct snapshot_row *process = table->rows[left++];

		table->rows[table->count++] = process;
		if (table_rows_is_unfolded(table, process->id))
			append_group(table, snapshot, process->id, show_idle, order, left);
	}
}

static struct table_extent extent_of(const struct table_rows *table)
{
	return (struct table_extent){ .rows = table->count, .page = table->page };
}

static void note_cursor(struct table_rows *table)
{
	if (table->count)
		table->place.cursor_id = table->rows[table->place.cursor]->id;
}

static void set_cursor(struct table_rows *table, size_t cursor)
{
	table_place_set(&table->place, extent_of(table), cursor);
	note_cursor(table);
}

static bool find_row(const struct table_rows *table, uint64_t id, size_t *out)
{
	for (size_t i = 0; i < table->count; i++) {
		if (table->rows[i]->id == id) {
			*out = i;
			return true;
		}
	}
	return false;
}

void table_rows_collect(struct table_rows *table, const struct snapshot *snapshot, bool show_idle,
			struct table_order order)
{
	const struct table_place *place = &table->place;
	size_t cursor = place->cursor;
	size_t found;

	table->count = 0;
	if (!snapshot)
		return;
	reserve_rows(table, snapshot->row_count);
	append_group(table, snapshot, 0, show_idle, order, table->room);
	if (snapshot->keys & KEY_GROUP)
		insert_threads(table, snapshot, show_idle, order);
	if (find_row(table, place->cursor_id, &found))
		cursor = table_place_follow(place, found);
	if (table->count)	/* an empty snapshot forgets nothing: its row may come back */
		set_cursor(table, cursor);
}

void table_rows_select_index(struct table_rows *table, size_t index)
{
	table->place.is_moved = true;
	set_cursor(table, index);
}

void table_rows_select(struct table_rows *table, uint64_t id)
{
	size_t found;

	if (find_row(table, id, &found))
		set_cursor(table, found);
}

void table_rows_restore(struct table_rows *table, const struct table_place *place)
{
	size_t found;

	table->place = *place;
	if (find_row(table, place->cursor_id, &found))
		table_place_carry(&table->place, extent_of(table),
				  table_place_follow(place, found));
	else
		table_place_set(&table->place, extent_of(table), place->cursor);
	note_cursor(table);
}

void table_rows_move(struct table_rows *table, enum view_move move)
{
	table_place_move(&table->place, extent_of(table), move);
	note_cursor(table);
}

void table_rows_scroll(struct table_rows *table, int lines)
{
	table_place_scroll(&table->place, extent_of(table), lines);
	note_cursor(table);
}

void table_rows_set_page(struct table_rows *table, size_t page)
{
	table->page = page;
	table_place_fit(&table->place, extent_of(table));
}

static size_t page_of(struct table_extent extent)
{
	return extent.page ? extent.page : 1;
}

static size_t last_top(struct table_extent extent)
{
	const size_t page = page_of(extent);

	return extent.rows > page ? extent.rows - page : 0;
}

void table_place_fit(struct table_place *place, struct table_extent extent)
{
	const size_t page = page_of(extent);

	if (place->cursor < place->top)
		place->top = place->cursor;
	else if (place->cursor >= place->top + page)
		place->top = place->cursor + 1 - page;
	if (place->top > last_top(extent))
		place->top = last_top(extent);
}

void table_place_set(struct table_place *place, struct table_extent extent, size_t cursor)
{
	const size_t last = extent.rows ? extent.rows - 1 : 0;

	place->cursor = cursor < last ? cursor : last;
	table_place_fit(place, extent);
}

void table_place_carry(struct table_place *place, struct table_extent extent, size_t cursor)
{
	const size_t line = place->cursor - place->top;

	place->top = cursor > line ? cursor - line : 0;
	table_place_set(place, extent, cursor);
}

size_t table_place_follow(const struct table_place *place, size_t cursor)
{
	return place->is_moved ? cursor : 0;
}

void table_place_move(struct table_place *place, struct table_extent extent, enum view_move move)
{
	const size_t page = page_of(extent), half = (page + 1) / 2;
	size_t cursor = place->cursor;

	switch (move) {
	case MOVE_UP:	     cursor -= cursor > 0; break;
	case MOVE_DOWN:	     cursor++; break;
	case MOVE_PAGE_UP:   cursor -= cursor > page ? page : cursor; break;
	case MOVE_PAGE_DOWN: cursor += page; break;
	case MOVE_HALF_UP:   cursor -= cursor > half ? half : cursor; break;
	case MOVE_HALF_DOWN: cursor += half; break;
	case MOVE_FIRST:     cursor = 0; break;
	case MOVE_LAST:	     cursor = extent.rows; break;
	}
	place->is_moved = move != MOVE_FIRST;	/* the top again: follows nothing */
	table_place_set(place, extent, cursor);
}

void table_place_scroll(struct table_place *place, struct table_extent extent, int lines)
{
	const size_t page = page_of(extent), end = last_top(extent);
	const size_t up = lines < 0 ? (size_t)-lines : 0;

	place->top = up > place->top ? 0 : place->top - up + (lines > 0 ? (size_t)lines : 0);
	if (place->top > end)
		place->top = end;
	place->is_moved = true;
	if (place->cursor < place->top)
		table_place_set(place, extent, place->top);
	else if (place->cursor >= place->top + page)
		table_place_set(place, extent, place->top + page - 1);
}
