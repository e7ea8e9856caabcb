/* table_place.c - see table_place.h. */
#include "table_place.h"

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
